"""A program in any language as a player: it reads and writes lines of JSON, as chess engines do (docs/guide/bots.md).

A program is started for the first move that it is asked for, and plays one game at a time. When its agent is gone, it
waits for the next game. It is told what its seat may know, and nothing else.
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import shlex
import shutil
import signal
import subprocess
import threading
import weakref
from base64 import b64encode
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from typing import IO, Any, Literal

import numpy as np
from pydantic import Field

from fogbound.core.agent import Agent, Decision, Options
from fogbound.core.contract import Game, State
from fogbound.core.errors import FogboundError, IllegalMove, printable, short
from fogbound.core.rng import below
from fogbound.core.view import View

PROTOCOL = 1
START_LIMIT = 20.0  # seconds for the first word
READY_LIMIT = 120.0  # seconds to get ready for a game: to load nets, to compile
LONGEST_LINE = 1 << 20  # bytes of an answer
LAST_WORDS = 3  # lines of its standard error that are quoted when it fails
SECRETS = ("FOGBOUND_DATABASE", "FOGBOUND_PROGRAMS")  # what a server knows and a program need not
GOODBYE = 1.0  # seconds to end by itself
SEEDS = 1 << 31
Message = dict[str, Any]


class ProgramOptions(Options):
    command: str = Field(description="the command that starts it")
    limit: float = Field(10.0, gt=0, description="seconds that it may take for a move")
    faults: Literal["stop", "random"] = Field(
        "stop", description="when it fails: stop with a message, or play a random move and go on"
    )


class Program(Agent[ProgramOptions]):
    name = "program"
    about = "a program of your own in any language, as in program:./my-bot"
    options_model = ProgramOptions

    def prepare(self) -> None:
        self._seed = int(below(self.rng, SEEDS))
        self._bot: Bot | None = None
        self._told = 0  # moves of the history that it has seen
        self.faults: list[str] = []

    def decide(self, view: View) -> Decision:
        try:
            answer = self._ask(view)
            return Decision(self._legal(view, answer), values=_values(view, answer))
        except FogboundError as error:
            if self.options.faults == "stop":
                raise
            self.faults.append(str(error))
            legal = self.game.legal(view.state)
            return Decision(legal[int(below(self.rng, len(legal)))])

    def _ask(self, view: View) -> Message:
        if self._bot is None or not self._bot.alive or self._told > len(view.history):
            self._bot, self._told = self._started(view), 0
        answer = self._bot.ask(move_message(view, self._told, self.options.limit), self.options.limit)
        self._told = len(view.history)
        return answer

    def _started(self, view: View) -> Bot:
        bot = take(self.options.command)
        weakref.finalize(self, give_back, bot)
        bot.ask(game_message(self.game, self.game.side_of[view.seat], self._seed), READY_LIMIT)
        return bot

    def _legal(self, view: View, answer: Message) -> int:
        move = answer.get("move")
        try:
            code = self.game.code(move)  # type: ignore[arg-type]
            if code not in self.game.legal(view.state):
                raise IllegalMove(self.game.why_illegal(view.state, code))
        except FogboundError as error:
            raise FogboundError(f"The program “{self.options.command}” answered {short(repr(move))}: {error}") from None
        return code


def _values(view: View, answer: Message) -> dict[int, float]:
    """The values that it gave to legal moves, by their codes; whatever else it says is left out."""
    given, legal = answer.get("values"), view.game.legal(view.state)
    if not isinstance(given, dict):
        return {}
    pairs = {str(code): code for code in legal}
    return {pairs[key]: float(value) for key, value in given.items() if key in pairs and isinstance(value, int | float)}


# What a program is told.


def game_message(game: Game, side: int, seed: int) -> Message:
    """A new game: all rules and the board, which side it plays, and a seed for its own random numbers."""
    return {
        "type": "game",
        "game": game.spec,
        "shipped": game.shipped,
        "definition": dict(game.definition()),
        "seats": list(game.seat_names),
        "sides": list(game.side_names),
        "side_of": list(game.side_of),
        "side": side,
        "seed": seed,
    }


def move_message(view: View, told: int, limit: float) -> Message:
    """It is to move: what it sees, what happened since it was last asked, and what it may do."""
    return {
        "type": "move",
        "seat": view.seat,
        "limit": limit,
        "view": view.game.public(view.state),
        "legal": [move_json(view.game, code) for code in view.game.legal(view.state)],
        "events": [{"seat": seen.seat, **move_json(view.game, seen.code)} for seen in view.history[told:]],
        "state": packed(view.state),
        "start": packed(view.start),
    }


def move_json(game: Game, code: int) -> Message:
    return {"code": code, "text": game.describe(code), "details": game.details(code)}


def packed(state: State) -> str:
    """A concealed state as text, for programs that are built on Fogbound; gaps between its fields are filled with zeros."""
    clean = np.zeros(1, state.dtype)
    for name in state.dtype.names or ():
        clean[name][0] = state[name]
    return b64encode(clean.tobytes()).decode()


# Programs that run.


class Bot:
    """A running program. Its pipes are read and written by threads, so that one that hangs holds up nobody."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._unsent: queue.Queue[bytes | None] = queue.Queue()
        self._last_words: deque[str] = deque(maxlen=LAST_WORDS)
        self.process = _start(command)
        _work(self._read, self.process.stdout)
        _work(self._write, self.process.stdin)
        self._listener = _work(self._listen, self.process.stderr)
        self._greet()

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def tell(self, message: Message) -> None:
        self._unsent.put(json.dumps(message).encode() + b"\n")

    def ask(self, message: Message, limit: float) -> Message:
        """The program's answer; if it has none within its time, it is stopped."""
        self.tell(message)
        end = monotonic() + limit
        while (answer := self._next(end, limit)).get("type") == "info":
            continue
        if answer.get("type") == "error":
            raise self._failed(f"cannot play: {short(printable(str(answer.get('error'))), 300)}")
        if answer.get("type") != message["type"]:
            raise self._failed(f"should answer with the type “{message['type']}”, not {short(repr(answer.get('type')))}")
        return answer

    def close(self) -> None:
        """Let it end by itself, or end it."""
        self.tell({"type": "quit"})
        self._unsent.put(None)
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GOODBYE)
        self._kill()

    def _greet(self) -> None:
        answer = self.ask({"type": "hello", "protocol": PROTOCOL}, START_LIMIT)
        if answer.get("protocol") != PROTOCOL:
            spoken = short(repr(answer.get("protocol")))
            raise self._failed(f"speaks the protocol {spoken}, and this version of Fogbound speaks {PROTOCOL}")

    def _next(self, end: float, limit: float) -> Message:
        try:
            line = self._lines.get(timeout=max(0.0, end - monotonic()))
        except queue.Empty:
            raise self._failed(f"did not answer within {limit:g} seconds, and was stopped") from None
        if line is None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(GOODBYE)
            raise self._failed(f"ended with exit code {self.process.poll()} when it should have answered")
        try:
            answer = json.loads(line)
        except (ValueError, RecursionError):
            answer = None
        if not isinstance(answer, dict):
            quoted = short(line.decode(errors="replace").rstrip())
            raise self._failed(f"should answer with a JSON object on one line, not “{quoted}”")
        return answer

    def _failed(self, what: str) -> FogboundError:
        self._kill()
        self._listener.join(GOODBYE)  # until its last words are read, if nobody else keeps the pipe
        words = "; ".join(short(printable(line), 200) for line in self._last_words)
        return FogboundError(f"The program “{self.command}” {what}." + (f" Its last words: {words}" if words else ""))

    def _kill(self) -> None:
        """End it, and whatever it started."""
        with suppress(OSError):
            if os.name == "posix":
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        self.process.wait()

    def _read(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := pipe.readline(LONGEST_LINE):
                self._lines.put(line)
        self._lines.put(None)

    def _write(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while (line := self._unsent.get()) is not None:
                pipe.write(line)
                pipe.flush()
            pipe.close()

    def _listen(self, pipe: IO[bytes]) -> None:
        with suppress(OSError, ValueError):
            while line := pipe.readline(LONGEST_LINE):
                self._last_words.append(line.decode(errors="replace").rstrip())


def _work(work: Callable[[IO[bytes]], None], pipe: IO[bytes] | None) -> threading.Thread:
    thread = threading.Thread(target=work, args=(pipe,), daemon=True)
    thread.start()
    return thread


def _start(command: str) -> subprocess.Popen[bytes]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise FogboundError(f"“{command}” is not a command: {error}.") from None
    if not words or shutil.which(words[0]) is None:
        raise FogboundError(f"There is no program “{words[0] if words else command}” that could be run.")
    own = {key: value for key, value in os.environ.items() if key not in SECRETS}
    try:
        return subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=own,
            start_new_session=os.name == "posix",
        )
    except OSError as error:
        raise FogboundError(f"The program “{command}” cannot be started: {error.strerror}.") from None


# Programs that wait for their next game.

_idle: dict[str, list[Bot]] = {}
_lock = threading.Lock()


def take(command: str) -> Bot:
    """A program that waits, or a new one."""
    with _lock:
        waiting = _idle.get(command, [])
        while waiting:
            bot = waiting.pop()
            if bot.alive:
                return bot
    return Bot(command)


def give_back(bot: Bot) -> None:
    """Its game is over, or nobody plays it any more."""
    if bot.alive:
        with _lock:
            _idle.setdefault(bot.command, []).append(bot)


@atexit.register
def close_all() -> None:
    """End the programs that wait."""
    with _lock:
        waiting = [bot for bots in _idle.values() for bot in bots]
        _idle.clear()
    for bot in waiting:
        bot.close()
