"""Thinking beside the event loop: workers, and a queue in which nobody can push ahead.

What is asked is a thought: a task of `thinker.py` with its bytes. Addresses share the workers equally, and so do the
tables of one address. A worker that dies or takes too long is replaced, and its thought asked once more.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import logging
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

from fogbound.core.errors import FogboundError
from fogbound.server import metrics
from fogbound.server.supervision import supervise
from fogbound.server.workers import Compiled, Engine, Local, Worker, WorkerLost

log = logging.getLogger(__name__)
LIMIT = 120.0  # seconds; on a fresh machine an agent may have to be compiled first
GRACE = 3.0  # how long a thought that nobody wants any more may go on, before its worker is ended
TRIES = 2
PAUSE = 1.0  # seconds before a worker that was lost before its first answer is replaced
HOMES_KEPT = 10_000


class AgentFault(FogboundError):
    """What was thought about failed by its own fault; the text says how."""


class NoAnswer(FogboundError):
    """The workers that were asked died or took too long."""


@dataclass(frozen=True)
class Terms:
    """On whose account something is thought about, and how long it may take."""

    payer: str = ""
    """The address whose share it takes."""
    table: str = ""
    limit: float = LIMIT
    place: int | None = None
    """The only worker that may do it; such thoughts wait for all others."""


FREE = Terms()


class Elsewhere(Protocol):
    """Where thoughts can be thought if not here."""

    async def ask(self, task: str, given: str, terms: Terms) -> bytes: ...


@dataclass(eq=False)
class Thought:
    """Something to think about, and who asks."""

    task: str
    given: bytes
    terms: Terms
    number: int
    answer: asyncio.Future[bytes]
    compiled: Compiled | None = None
    """Is told how many kernels have been compiled for it so far."""
    tries: int = 0


@dataclass
class Shares:
    """Who had how much of the workers' time. Whoever comes anew begins where the others are, not at nothing."""

    spent: dict[str, float] = field(default_factory=dict)
    running: Counter[str] = field(default_factory=Counter)
    now: float = 0.0

    def place(self, name: str) -> tuple[int, float]:
        """The lower, the sooner it is its turn."""
        return self.running[name], max(self.now, self.spent.get(name, 0.0))

    def begin(self, name: str) -> None:
        self.now = max(self.now, self.place(name)[1])
        self.spent[name] = self.now
        self.running[name] += 1

    def end(self, name: str, seconds: float) -> None:
        self.spent[name] = self.spent.get(name, self.now) + seconds
        self.running[name] -= 1
        self.running += Counter()  # forgets those with nothing running
        if len(self.spent) > HOMES_KEPT:
            self.spent = {each: spent for each, spent in self.spent.items() if spent > self.now}


class Thinkers:
    """The workers of a server process."""

    def __init__(self, count: int | None = None, engine: Engine | None = None) -> None:
        self.engine = engine or Local()
        self.count = self.engine.usual_count() if count is None else count
        self.elsewhere: Elsewhere | None = None  # thinkers on other machines, if there are none here
        self.waiting: list[Thought] = []
        self.alive: set[int] = set()
        self._idle: dict[int, asyncio.Future[Thought]] = {}
        self._homes: dict[str, int] = {}  # the worker that thought last about a table, and may have kept its agents
        self._addresses, self._tables = Shares(), Shares()
        self._numbers = itertools.count()
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        self._tasks = [supervise(f"thinker {place}", partial(self._work, place)) for place in range(self.count)]

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def ask(self, task: str, given: Mapping[str, Any], terms: Terms = FREE, compiled: Compiled | None = None) -> Any:
        """What a worker answers. Cancelling the call takes the thought back."""
        return json.loads(await self.ask_bytes(task, given, terms, compiled))

    async def ask_bytes(
        self, task: str, given: Mapping[str, Any], terms: Terms = FREE, compiled: Compiled | None = None
    ) -> bytes:
        """The same as JSON in bytes, which can be passed on as they are."""
        text = json.dumps(given)
        if self.elsewhere is not None:
            return await self.elsewhere.ask(task, text, terms)
        return await self.ask_text(task, text.encode(), terms, compiled)

    async def ask_text(self, task: str, given: bytes, terms: Terms = FREE, compiled: Compiled | None = None) -> bytes:
        """The same for what is JSON already, and only here."""
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        thought = Thought(task, given, terms, next(self._numbers), answer, compiled)
        self.waiting.append(thought)
        self._dispatch()
        try:
            return await answer
        finally:
            if thought in self.waiting:
                self.waiting.remove(thought)

    # The queue.

    def _dispatch(self) -> None:
        """Give thoughts to idle workers, whose turn it is first."""
        for thought in sorted(self.waiting, key=self._turn) if self._idle else ():
            place = self._worker_for(thought)
            if place is not None:
                self.waiting.remove(thought)
                self._addresses.begin(thought.terms.payer)
                self._tables.begin(thought.terms.table)
                self._idle.pop(place).set_result(thought)
                if self._idle:
                    self._dispatch()  # the turns have changed
                return

    def _turn(self, thought: Thought) -> tuple[Any, ...]:
        shares = self._addresses.place(thought.terms.payer), self._tables.place(thought.terms.table)
        return thought.terms.place is not None, *shares, thought.number

    def _worker_for(self, thought: Thought) -> int | None:
        if thought.terms.place is not None:
            return thought.terms.place if thought.terms.place in self._idle else None
        home = self._homes.get(thought.terms.table)
        return home if home in self._idle else next(iter(self._idle))

    # The workers.

    async def _work(self, place: int) -> None:
        """One worker after the other at one place."""
        while True:
            worker, answered = await self.engine.worker(), 0
            self.alive.add(place)
            try:
                while True:
                    await self._think_next(place, worker)
                    answered += 1
            except WorkerLost as lost:
                metrics.WORKERS_LOST.add()
                log.warning("A worker is replaced: %s", lost)
                if not answered:
                    await asyncio.sleep(PAUSE)
            finally:
                self.alive.discard(place)
                self._idle.pop(place, None)
                await worker.end()

    async def _think_next(self, place: int, worker: Worker) -> None:
        self._idle[place] = asyncio.get_running_loop().create_future()
        idle = self._idle[place]
        self._dispatch()
        ended = asyncio.ensure_future(worker.lost())
        either: set[asyncio.Future[Any]] = {idle, ended}
        try:
            await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ended.cancel()
        if not idle.done():
            raise WorkerLost("it ended while it had nothing to do")
        thought, began = idle.result(), time.monotonic()
        try:
            await self._think(place, worker, thought)
        finally:
            seconds = time.monotonic() - began
            metrics.THOUGHTS.observe(seconds, task=thought.task)
            self._addresses.end(thought.terms.payer, seconds)
            self._tables.end(thought.terms.table, seconds)

    async def _think(self, place: int, worker: Worker, thought: Thought) -> None:
        self._homes.pop(thought.terms.table, None)
        self._homes[thought.terms.table] = place
        if len(self._homes) > HOMES_KEPT:
            del self._homes[next(iter(self._homes))]
        exchange = asyncio.ensure_future(worker.think(thought.task, thought.given, thought.compiled))
        either: set[asyncio.Future[Any]] = {exchange, thought.answer}
        try:
            await asyncio.wait(either, timeout=thought.terms.limit, return_when=asyncio.FIRST_COMPLETED)
            if thought.answer.done():
                await asyncio.wait({exchange}, timeout=GRACE)
            if not exchange.done():
                why = "was not needed any more" if thought.answer.done() else f"took over {thought.terms.limit:.0f} seconds"
                raise WorkerLost(f"“{thought.task}” {why}")
            head, body = exchange.result()
        except WorkerLost:
            self._again(thought)
            raise
        finally:
            exchange.cancel()
            await asyncio.gather(exchange, return_exceptions=True)
        if thought.answer.done():
            return
        if head["ok"]:
            thought.answer.set_result(body)
        elif head["expected"]:
            thought.answer.set_exception(FogboundError(head["error"]))
        else:
            log.error("A thought failed: %s: %s", thought.task, head["error"], extra={"trace": head["trace"]})
            thought.answer.set_exception(AgentFault(head["error"]))

    def _again(self, thought: Thought) -> None:
        """Ask once more, another worker; a thought that costs every worker its life is given up."""
        thought.tries += 1
        if thought.answer.done():
            return
        if thought.tries < TRIES and thought.terms.place is None:
            self.waiting.append(thought)
        else:
            thought.answer.set_exception(NoAnswer("The computer could not finish thinking about this."))
