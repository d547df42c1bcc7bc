"""Tables without a network: for what can only be seen, or made to fail, inside the server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from sqlalchemy.exc import OperationalError

from fogbound.server.seen import Audience
from fogbound.server.storage import Change, Storage
from fogbound.server.table import GameTable, digest
from fogbound.server.thinking import Thinkers


def in_a_loop(work: Callable[[], Awaitable[Any]]) -> Any:
    """In a thread of its own: a browser's tests may have left a running loop in this one."""

    async def running() -> Any:
        return await work()

    with ThreadPoolExecutor(1) as other:
        return other.submit(lambda: asyncio.run(running())).result()


def with_worker(work: Callable[[Thinkers], Awaitable[Any]]) -> Any:
    async def running() -> Any:
        thinkers = Thinkers(1)
        thinkers.start()
        try:
            return await work(thinkers)
        finally:
            await thinkers.close()

    return in_a_loop(running)


class Watcher:
    """A viewer that only looks."""

    def __init__(self, token: str | None = None) -> None:
        self.token, self.address, self.shown = None if token is None else digest(token), "here", None
        self.audience: Audience | None = None
        self.changes = True
        self.edition = self.moves = -1
        self.told: list[dict[str, Any]] = []
        self.changed = asyncio.Event()

    def wake(self) -> None:
        self.changed.set()

    def tell(self, message: dict[str, Any]) -> None:
        self.told.append(message)

    def read(self, table: GameTable) -> dict[str, Any]:
        """The next message about the table."""
        text = table.news(self)
        assert text is not None
        found: dict[str, Any] = json.loads(text)
        return found

    async def until(self, wanted: Callable[[], bool]) -> None:
        while not wanted():
            self.changed.clear()
            await asyncio.wait_for(self.changed.wait(), 100)


class Unreliable(Storage):
    """A database that can be made to fail: `before` a change is stored, or `after` it, when its answer is lost."""

    fails = ""

    def change(self, id: str, known: int, number: int, said: int, change: Change) -> None:
        if self.fails != "before":
            super().change(id, known, number, said, change)
        if self.fails:
            raise OperationalError("", {}, Exception("the disk is full"))
