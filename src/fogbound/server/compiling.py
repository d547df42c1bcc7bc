"""What the workers compile before a game can go on: what somebody waits for first, then the rest, and how far it is.

Compiled code is kept on disk. One worker compiles, and whoever needs the same then finds it there.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Callable, Coroutine, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from fogbound.core import registry
from fogbound.core.compiled import cache_folder, source_digest
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.server.levels import agent_spec, default_level, levels
from fogbound.server.thinking import FREE, NoAnswer, Terms, Thinkers
from fogbound.server.thoughts import game_json
from fogbound.server.warm import compile_rules

RULES = "rules"
SECONDS = 1200.0  # within which a worker has compiled the rules or an agent, however slow the machine is
MOMENT = 1.0  # seconds after a start in which only what somebody asks for is loaded
OFTEN = 0.3  # seconds between two reports of how far it is


@dataclass(eq=False)
class Work:
    """The rules or an agent of a game, being compiled."""

    family: str
    what: str
    expected: int | None
    """About how many kernels there are to compile; None if that was not counted."""
    done: int = 0
    began: float = field(default_factory=time.monotonic)
    listeners: list[Callable[[], None]] = field(default_factory=list)
    told: float = 0.0

    def count(self, done: int) -> None:
        self.done = done
        if time.monotonic() - self.told > OFTEN:
            self.told = time.monotonic()
            for tell in self.listeners:
                tell()

    def json(self) -> dict[str, Any]:
        seconds = round(time.monotonic() - self.began, 1)
        return {"family": self.family, "what": self.what, "done": self.done, "expected": self.expected, "seconds": seconds}


class Compiling:
    """The compiling for one server, in its workers."""

    def __init__(self, thinkers: Thinkers) -> None:
        self.thinkers = thinkers
        self.ready = False  # whether every game can begin, against its usual opponent
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._work: dict[tuple[str, str], Work] = {}
        self._ahead: set[asyncio.Task[None]] = set()

    def progress(self) -> list[dict[str, Any]]:
        """What is being compiled now; work that only loads compiled code from disk has nothing to tell."""
        return [work.json() for work in self._work.values() if work.done]

    def of(self, family: str, what: str) -> dict[str, Any] | None:
        work = self._work.get((family, what))
        return work.json() if work is not None and work.done else None

    async def rules(self, game: Game, terms: Terms = FREE) -> None:
        """Have the rules of a game compiled here, with the work done by a worker if nobody has done it before."""
        mark = await asyncio.to_thread(_mark, game)
        if not mark.exists():
            await self._done(game, RULES, terms)
        await asyncio.to_thread(compile_rules, game)
        with suppress(OSError):
            mark.touch()

    async def agent(self, game: Game, spec: str, terms: Terms = FREE, tell: Callable[[], None] | None = None) -> None:
        """Have an agent compiled by a worker; `tell` is called now and then as long as that takes."""
        await self._done(game, spec, terms, tell)

    def ahead(self, game: Game, agents: Iterable[str]) -> None:
        """Begin with agents that will be needed soon, beside the rules."""
        for spec in agents:
            self._begin(self._in_advance(game, spec, FREE))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._ahead.add(task)
        task.add_done_callback(self._ahead.discard)

    async def _done(self, game: Game, what: str, terms: Terms, tell: Callable[[], None] | None = None) -> None:
        """Wait until something is compiled, together with all others who need it."""
        if self.thinkers.count == 0 or not game.shipped:
            return  # whoever thinks elsewhere, or on a board of his own, compiles what he needs
        key = game.family, what
        task = self._tasks.get(key)
        if task is None or (task.done() and (task.cancelled() or task.exception() is not None)):
            self._work[key] = Work(game.family, what, _kernels(game).get(what))
            task = self._tasks[key] = asyncio.create_task(self._compile(game, what, terms))
        if tell is not None and key in self._work:
            self._work[key].listeners.append(tell)
        await asyncio.shield(task)

    async def _compile(self, game: Game, what: str, terms: Terms) -> None:
        key = game.family, what
        given = {"game": game_json(game), "agent": None if what == RULES else what}
        terms = replace(terms, limit=SECONDS)

        def count(done: int) -> None:
            if done == 1 and what != RULES and self.thinkers.count > 1:
                self._begin(self._beside("warm_pieces", given, replace(terms, place=None)))
            self._work[key].count(done)

        try:
            with suppress(NoAnswer):  # its worker was lost, and is logged there; whoever needs it compiles it
                await self.thinkers.ask("warm", given, terms, count)
        finally:
            del self._work[key]
        if self.thinkers.count > 1 and what in [level.agent for level in levels(game)]:
            self._begin(self._beside("warm_later", given, Terms(place=self.thinkers.count - 1, limit=SECONDS)))

    async def _beside(self, task: str, given: dict[str, Any], terms: Terms) -> None:
        """Have another worker, as soon as one is idle, compile some more of an agent."""
        with suppress(FogboundError):
            await self.thinkers.ask(task, given, terms)

    async def everything(self) -> None:
        """Compile in one worker, while nobody needs it: what games begin with, then all levels; the others load it then.

        What was compiled in an earlier run is loaded everywhere at once, after a moment for whoever asks at once.
        """
        games = await asyncio.to_thread(_default_games)
        last = Terms(place=self.thinkers.count - 1)
        agents = [(game, level.agent) for game in games for level in levels(game)]
        begun = [game for game in games if (await asyncio.to_thread(_mark, game)).exists()]
        if begun == games:
            await asyncio.sleep(MOMENT)
            usual = [(game, agent_spec(game, default_level(game))) for game in games]
            others = range(self.thinkers.count - 1)
            await asyncio.gather(self._load_here(games), *(self._load(place, usual) for place in others))
        for game in games:
            await self._in_advance(game, RULES, last)
        for game in games:
            await self._in_advance(game, agent_spec(game, default_level(game)), last)
        self.ready = True
        for game, agent in agents:
            await self._in_advance(game, agent, last)
        for place in range(self.thinkers.count - 1):
            await self._load(place, agents)

    async def _load_here(self, games: Iterable[Game]) -> None:
        for game in games:
            await asyncio.to_thread(compile_rules, game)

    async def _load(self, place: int, agents: Iterable[tuple[Game, str]]) -> None:
        """Have one worker load agents, with the rules of their games."""
        for game, agent in agents:
            with suppress(FogboundError):
                given = {"game": game_json(game), "agent": agent}
                await self.thinkers.ask("warm", given, Terms(place=place, limit=SECONDS))

    async def _in_advance(self, game: Game, what: str, terms: Terms) -> None:
        with suppress(FogboundError):  # it will be told to whoever asks for it
            await self._done(game, what, terms)


def _mark(game: Game) -> Path:
    """A file that is there once the rules of a game, as their sources are now, have been compiled on this machine."""
    digest = source_digest(game.rules.reset.py_func.__code__.co_filename)  # type: ignore[attr-defined]
    return cache_folder() / "kernels" / f"{game.family}-{digest[:16]}.compiled"


def _default_games() -> list[Game]:
    found = []
    for name in registry.families():
        quick = registry.family(name).quick_start
        found.append(registry.game(quick.game if quick else name))
    return found


@cache
def _kernels_of(module: str) -> dict[str, int]:
    file = sys.modules[module].__file__
    counted = Path(file).with_name("kernels.json") if file else None
    found: dict[str, int] = json.loads(counted.read_text("utf-8")) if counted and counted.exists() else {}
    return found


def _kernels(game: Game) -> dict[str, int]:
    """How many kernels the rules and some agents of a game have, as counted by `benchmarks/first_move.py`."""
    return _kernels_of(type(game).__module__)
