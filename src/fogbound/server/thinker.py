"""A worker: a process that thinks for a server. It reads thoughts from its standard input, and answers them in turn.

A thought is a line of JSON (task, size) and so many bytes; so is an answer. Whatever an agent prints goes to the log.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import sys
import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from typing import Any, BinaryIO

import fogbound  # noqa: F401  (makes the games and agents known)
from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.compiled import on_compiled
from fogbound.core.errors import FogboundError
from fogbound.core.rng import stream
from fogbound.server import lessons, puzzles
from fogbound.server.analysis import analyse, analyse_replay, exact_values
from fogbound.server.designs import checked, trial
from fogbound.server.families import answer, board_json, safe_spec
from fogbound.server.opponents import offered, safe_agent
from fogbound.server.replays import from_stranger, replay_bytes
from fogbound.server.review import review
from fogbound.server.thoughts import game_from, saved_from, view_from
from fogbound.server.warm import compile_pieces, compile_rules, play_on, try_agent

AGENTS_KEPT = 4  # a search with a full tree takes some 50 MB
GARBAGE = 100_000  # new objects between two looks for garbage: a compiler makes many that stay
NICE = 5  # the server itself comes first
_agents: OrderedDict[tuple[str, int, str], tuple[Agent, int]] = OrderedDict()


def move(asked: dict[str, Any]) -> dict[str, Any]:
    """An agent's choice; `budget` says how long it was told to think, so that a forced move can be made to look alike."""
    view = view_from(asked["view"])
    side = view.game.side_of[view.seat]
    agent = _agent_of(asked, (asked["table"], side, asked["agent"]), len(view.history), view.game)
    decision = agent.choose(view)
    legal = view.game.legal(view.state)
    if decision.action not in legal:
        raise FogboundError(f"it chose an illegal move ({decision.action})")
    return {
        "action": int(decision.action),
        "seconds": decision.seconds,
        "forced": len(legal) == 1,
        "budget": getattr(agent.options, "seconds", None) or 0.0,
    }


def _agent_of(asked: dict[str, Any], key: tuple[str, int, str], moves: int, game: Any) -> Agent:
    """The agent that played here before, as long as the game only went forward; or a new one."""
    agent, before = _agents.pop(key, (None, 0))
    if agent is None or before > moves:
        agent = registry.agent(asked["agent"], game, asked["seed"], key[1])
    _agents[key] = agent, moves
    while len(_agents) > AGENTS_KEPT:
        _agents.popitem(last=False)
    return agent


def analysis(asked: dict[str, Any]) -> dict[str, Any]:
    return analyse(view_from(asked["view"]), asked["agent"])


def is_solving(asked: dict[str, Any]) -> bool:
    """Whether the exact value is still being computed."""
    view = view_from(asked["view"])
    exact = exact_values(view.game)
    return exact is not None and exact.exact(view) == {"solving": True}


def record_analysis(asked: dict[str, Any]) -> dict[str, Any]:
    record, agent = from_stranger(asked["body"].encode()), asked["agent"]
    return analyse_replay(record.replay(max(0, asked["move"])), agent and safe_agent(record.game, agent))


def record_replay(asked: dict[str, Any]) -> bytes:
    return replay_bytes(from_stranger(asked["body"].encode()), asked["seat"])


def table_record(asked: dict[str, Any]) -> dict[str, Any]:
    return saved_from(asked["record"]).to_json()


def table_replay(asked: dict[str, Any]) -> bytes:
    return replay_bytes(saved_from(asked["record"]), asked["seat"])


def record_review(asked: dict[str, Any]) -> dict[str, Any]:
    return review(from_stranger(asked["body"].encode()), asked["start"])


def table_review(asked: dict[str, Any]) -> dict[str, Any]:
    return review(saved_from(asked["record"]), asked["start"])


def puzzle(asked: dict[str, Any]) -> dict[str, Any]:
    return puzzles.position(asked["id"]) if asked["move"] is None else puzzles.answer(asked["id"], asked["move"])


def lesson(asked: dict[str, Any]) -> dict[str, Any]:
    return lessons.lesson(asked["family"])


def check_board(asked: dict[str, Any]) -> dict[str, Any]:
    return checked(asked["board"])


def try_board(asked: dict[str, Any]) -> dict[str, Any]:
    return trial(asked["board"], asked["strength"], asked["seed"])


def board(asked: dict[str, Any]) -> dict[str, Any]:
    return board_json(registry.game(safe_spec(asked["game"])))


def definition(asked: dict[str, Any]) -> dict[str, Any]:
    return dict(registry.game(safe_spec(asked["game"])).definition())


def agents(asked: dict[str, Any]) -> list[dict[str, Any]]:
    return offered(registry.game(safe_spec(asked["game"])))


def query(asked: dict[str, Any]) -> Any:
    return answer(asked["family"], asked["query"], asked["given"])


def warm(asked: dict[str, Any]) -> None:
    """Compile the rules of a game, or an agent."""
    game = game_from(asked["game"])
    if asked["agent"] is None:
        compile_rules(game)
    else:
        try_agent(game, asked["agent"])


def warm_pieces(asked: dict[str, Any]) -> None:
    """Compile some of an agent, while another worker compiles it."""
    compile_pieces(game_from(asked["game"]), asked["agent"])


def warm_later(asked: dict[str, Any]) -> None:
    """Compile what an agent needs after its first move."""
    play_on(game_from(asked["game"]), asked["agent"])


WARMING = (warm, warm_pieces, warm_later)
RECORDS = (record_analysis, record_replay, record_review, table_record, table_replay, table_review)
BOARDS = (board, definition, agents, check_board, try_board)
ALL = (move, analysis, is_solving, *RECORDS, *BOARDS, puzzle, lesson, query, *WARMING)
TASKS: dict[str, Callable[[dict[str, Any]], Any]] = {each.__name__: each for each in ALL}


def think(task: str, given: bytes) -> tuple[dict[str, Any], bytes]:
    """The head and the bytes of the answer to a thought."""
    began = time.perf_counter()
    head: dict[str, Any] = {"ok": True}
    try:
        found = TASKS[task](json.loads(given))
        body = found if isinstance(found, bytes) else json.dumps(found).encode()
    except Exception as error:
        head = {
            "ok": False,
            "error": str(error) if isinstance(error, FogboundError) else f"{type(error).__name__}: {error}",
            "expected": isinstance(error, FogboundError),
            "trace": traceback.format_exc(),
        }
        body = b""
    return {**head, "size": len(body), "seconds": time.perf_counter() - began}, body


class Reports:
    """Tells how many kernels have been compiled for a thought, as long as it is thought about."""

    def __init__(self, answers: BinaryIO) -> None:
        self.answers, self.thinking, self.count = answers, False, 0
        self.lock = threading.Lock()  # a game may be solved in a thread of its own meanwhile

    def one_more(self) -> None:
        with self.lock:
            self.count += 1
            if self.thinking:
                self.answers.write(json.dumps({"compiled": self.count}).encode() + b"\n")
                self.answers.flush()

    def begin(self) -> None:
        with self.lock:
            self.thinking, self.count = True, 0

    def end(self, told: dict[str, Any], body: bytes) -> None:
        with self.lock:
            self.thinking = False
            self.answers.write(json.dumps(told).encode() + b"\n" + body)
            self.answers.flush()


def get_ready() -> None:
    """Load what every thought needs, while nobody has asked yet: Numba's own functions, most of all."""
    gc.set_threshold(GARBAGE)
    stream(0, "ready")


def serve(asked: BinaryIO, answers: BinaryIO) -> None:
    """Answer one thought after the other until there are no more."""
    reports = Reports(answers)
    on_compiled(reports.one_more)
    while line := asked.readline():
        head = json.loads(line)
        given = asked.read(head["size"])
        reports.begin()
        reports.end(*think(head["task"], given))


def _end_with(parent: int) -> None:
    """A worker does not outlive its server, not even one that hangs in an agent."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def main() -> None:
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(NICE)
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    get_ready()
    with suppress(BrokenPipeError):  # the server is gone
        serve(sys.stdin.buffer, answers)
    os._exit(0)  # threads of agents are not waited for


if __name__ == "__main__":
    main()
