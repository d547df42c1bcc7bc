"""Mutated inputs for everything that reads what strangers wrote: each is read, or refused in one sentence.

python -m tests.fire.fuzz --count 1000000 --workers 2 --resume fuzz.jsonl
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import FrameType
from typing import Any

from pydantic import TypeAdapter, ValidationError

import fogbound as fb
from fogbound.agents import nets
from fogbound.core import jsonfile, registry, tomlfile
from fogbound.core.errors import FogboundError
from fogbound.core.record import from_json
from fogbound.lab import settings
from fogbound.lab.results import Results
from fogbound.lab.store import Store
from fogbound.server.families import safe_spec
from fogbound.server.messages import Hello, Join, Message, NewTable
from fogbound.server.replays import from_stranger, replay_bytes
from tests.fire.mutate import damaged
from tests.fire.portions import done_in_portions

LIMIT = 20  # seconds for one input
PORTION = 2000  # inputs
MESSAGES: TypeAdapter[Any] = TypeAdapter(Message)
FOLDER = Path(tempfile.mkdtemp(prefix="fogbound-fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


@dataclass(frozen=True)
class Target:
    """A reader of foreign bytes, and inputs that it likes."""

    read: Callable[[bytes], Any]
    seeds: Callable[[], list[bytes]]
    share: int = 1
    """How many inputs it is given, beside the others."""


def as_file(suffix: str, read: Callable[[Path], Any]) -> Callable[[bytes], Any]:
    file = FOLDER / f"input{suffix}"

    def write_and_read(data: bytes) -> Any:
        file.write_bytes(data)
        return read(file)

    return write_and_read


def packed(value: Any) -> bytes:
    return json.dumps(value).encode()


def boards(family: str, *names: str) -> Callable[[], list[bytes]]:
    return lambda: [packed(fb.game(f"{family}/{name}").definition()) for name in names]


def board(family: str) -> Target:
    names = {
        "scotland-yard": ("grid3:detectives=1", "plan1"),
        "risk": ("random:territories=9,players=2", "classic"),
        "empire": ("seed:players=2",),
    }
    return Target(
        as_file(".json", lambda file: fb.game(f"{family}/{file}").new(seed=1).legal()), boards(family, *names[family])
    )


@cache
def records() -> list[bytes]:
    played = [
        fb.play("scotland-yard/grid3:detectives=1", ["random"], seed=1),
        fb.play("scotland-yard/plan1", ["random"], seed=2),
        fb.play("risk/random:territories=9,players=2,round_limit=4", ["random"], seed=1),
        fb.play("empire/seed:players=2", ["random"], seed=1),
    ]
    own = played[0].to_json()
    return [*(packed(record.to_json()) for record in played), packed({**own, "definition": played[0].game.definition()})]


def stranger(data: bytes) -> None:
    replay_bytes(from_stranger(data), None)


def spec(data: bytes) -> None:
    """A game's spec, as far as the server lets strangers choose it."""
    registry.game(safe_spec(data.decode(errors="surrogateescape")))


def agent(data: bytes) -> None:
    text = data.decode(errors="surrogateescape")
    if "." not in registry.split_options(text)[0]:  # Python classes of one's own are not foreign
        registry.agent(text, _grid())


@cache
def _grid() -> Any:
    return fb.game("scotland-yard/grid3:detectives=1")


def message(data: bytes) -> None:
    for model in (NewTable, Join, Hello):
        try:
            model.model_validate_json(data)
        except ValidationError as error:
            jsonfile.plain(error.errors()[0])
    try:
        MESSAGES.validate_json(data)
    except ValidationError as error:
        raise FogboundError(jsonfile.plain(error.errors()[0])) from None


def move(data: bytes) -> None:
    """Words for a move, and as a code."""
    match = _grid().new(seed=1)
    text = data.decode(errors="surrogateescape")
    match.play(int(text) if text.isdecimal() and len(text) < 30 else text)


def nets_like(name: str, agent: str, game: str) -> Target:
    """A file of weights whose head is damaged (its numbers may be any); a net that is read makes a move."""
    data = (nets.find(name) or Path(name)).read_bytes()
    size = int.from_bytes(data[:8], "little")
    head, body, file = data[8 : 8 + size], data[8 + size :], FOLDER / f"{name}.safetensors"

    def read(damaged: bytes) -> None:
        file.write_bytes(len(damaged).to_bytes(8, "little") + damaged + body)
        nets._read.cache_clear()
        view = _started(game)
        registry.agent(f"{agent}:weights={file}", view.game).choose(view)

    return Target(read, lambda: [head])


@cache
def _started(game: str) -> Any:
    match = fb.game(game).new(seed=1)
    return match.view(match.to_move)


@cache
def stores() -> list[bytes]:
    file = FOLDER / "seed.sqlite"
    wanted = {"name": "cup", "boards": ["scotland-yard/grid3:detectives=1"], "agents": ["random", "heuristic"], "games": 4}
    fb.lab.tournament(wanted, file=file).store.close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return [file.read_bytes()]


def store(file: Path) -> None:
    for beside in ("-wal", "-shm", "-journal"):
        Path(f"{file}{beside}").unlink(missing_ok=True)
    opened = Store.open(file)
    try:
        found = Results(opened)
        _ = found.count, found.total
        opened.runs(), opened.finished(), list(opened.times())
    finally:
        opened.close()


TOML = b"""name = "cup"
boards = ["scotland-yard/grid3:detectives=1"]
agents = ["random", "heuristic:score=nearest"]
games = 10
seed = 3
budgets = ["iterations=10"]
"""

TARGETS = {
    "board-scotland-yard": board("scotland-yard"),
    "board-risk": board("risk"),
    "board-empire": board("empire"),
    "record": Target(as_file(".json", fb.load), records, 4),
    "record-json": Target(lambda data: from_json(json.loads(data)) if _is_json(data) else None, records, 4),
    "record-stranger": Target(stranger, records, 4),
    "toml": Target(as_file(".toml", lambda file: settings.set_up(*settings.read(file))), lambda: [TOML], 4),
    "toml-plain": Target(as_file(".toml", tomlfile.read), lambda: [TOML], 4),
    "spec": Target(
        spec, lambda: [b"scotland-yard/plan1:detectives=2,rounds=18", b"risk/random:territories=9,seed=1", b"empire"], 4
    ),
    "agent": Target(
        agent, lambda: [b"mcts:iterations=50,c=1.4", b"heuristic:score=nearest", b"flat:playouts=2", b"random"], 4
    ),
    "message": Target(message, lambda: [packed(each) for each in SAID], 20),
    "move": Target(move, lambda: [b"1 walk", b"13 taxi", b"pass", b"5"], 8),
    "store": Target(as_file(".sqlite", store), stores),
    "weights-supervised": nets_like("pursuit-plan1", "net", "scotland-yard/plan1"),
    "weights-dqn": nets_like("plan1-mr-x", "net", "scotland-yard/plan1"),
    "weights-qtable": nets_like("qtable-grid5-2020", "qtable", "scotland-yard/grid5-2020"),
    "weights-risk": nets_like("risk-es", "net", "risk/classic"),
}
SAID = [
    {"game": "scotland-yard/plan1", "seats": [{"kind": "me"}, {"kind": "agent", "level": "steady"}], "nickname": "Ann"},
    {"nickname": "Bob", "seats": [1, 2]},
    {"type": "hello", "token": "abc"},
    {"type": "play", "move": 3, "version": 2},
    {"type": "chat", "text": "hello"},
    {"type": "takeover", "seat": 1, "level": "steady"},
    {"type": "analysis", "on": True},
]  # fmt: skip


def _is_json(data: bytes) -> bool:
    try:
        json.loads(data)
    except (ValueError, RecursionError):
        return False
    return True


class Hang(BaseException):
    """An input took too long."""


def _hang(_signal: int, _frame: FrameType | None) -> None:
    raise Hang


def trouble(target: Target, data: bytes) -> str | None:
    """What is wrong with how an input was met; None if it was read, or refused in one sentence."""
    try:
        target.read(data)
    except FogboundError as error:
        sentence = str(error)
        return None if sentence.isprintable() and 0 < len(sentence) < 5000 else f"no sentence: {sentence[:300]!r}"
    except (Exception, Hang):
        return traceback.format_exc(limit=-4)
    return None


def timed(target: Target, data: bytes) -> str | None:
    """The same, with an end to what hangs."""
    signal.alarm(LIMIT)
    try:
        return trouble(target, data)
    finally:
        signal.alarm(0)


def fuzz(name: str, seed: int, first: int, count: int) -> dict[str, Any]:
    """Some of the mutated inputs for one target; each kind of trouble is told once, with the input's number."""
    signal.signal(signal.SIGALRM, _hang)
    target, seeds, slowest, troubles = TARGETS[name], _warm(name), 0.0, dict[str, str]()
    began, before = time.monotonic(), _megabytes()
    for number in range(first, first + count):
        data = damaged(seeds, Random(f"{name} {seed} {number}"))
        start = time.monotonic()
        found = timed(target, data)
        slowest = max(slowest, time.monotonic() - start)
        if found is not None:
            troubles.setdefault(" ".join(found.splitlines()[-2:]), f"--- {name} {seed} {number}\n{found}")
    return {
        "target": name, "inputs": count, "seconds": round(time.monotonic() - began, 2), "slowest": round(slowest, 2),
        "megabytes_grown": _megabytes() - before, "troubles": troubles,
    }  # fmt: skip


@cache
def _warm(name: str) -> list[bytes]:
    """The sound inputs of a target. Each was read once: everything is compiled before the clock runs."""
    seeds = TARGETS[name].seeds()
    for data in seeds:
        with suppress(FogboundError):
            TARGETS[name].read(data)
    return seeds


def _megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024


def portions(count: int, seed: int, chosen: list[str]) -> Iterator[tuple[str, int, int, int]]:
    shares = sum(TARGETS[name].share for name in chosen)
    for name in chosen:
        wanted = count * TARGETS[name].share // shares
        yield from ((name, seed, first, min(PORTION, wanted - first)) for first in range(0, wanted, PORTION))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000, help="mutated inputs in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--target", choices=sorted(TARGETS), action="append", help="only these readers")
    parser.add_argument("--workers", type=int, default=1, help="processes")
    parser.add_argument("--resume", type=Path, help="a file that keeps what is done; what it has is not done again")
    given = parser.parse_args()
    chosen = given.target or list(TARGETS)
    rows = done_in_portions(fuzz, list(portions(given.count, given.seed, chosen)), given.workers, given.resume)
    known: dict[str, str] = {}
    for name in chosen:
        own = [row for row in rows if row["target"] == name]
        for row in own:
            known |= {key: text for key, text in row["troubles"].items() if key not in known}
        told = {
            "inputs": sum(row["inputs"] for row in own), "seconds": round(sum(row["seconds"] for row in own), 1),
            "slowest": max(row["slowest"] for row in own), "megabytes_grown": max(row["megabytes_grown"] for row in own),
        }  # fmt: skip
        print(json.dumps({"target": name, **told}))
    print("\n".join(known.values()), file=sys.stderr)
    print(f"{sum(row['inputs'] for row in rows):,} inputs, {len(known)} kinds of trouble")
    sys.exit(bool(known))


if __name__ == "__main__":
    main()
