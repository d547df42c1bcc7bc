"""The other server processes on the same PostgreSQL: hearing what they change and whom they served, and agreeing who
keeps which table.

The keeper of a table lets its agents play and its clocks run out. It holds a lease, which it renews while somebody
looks at the table through it; some seconds after it was killed another process takes over.
"""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

from fogbound.server.errands import Errands
from fogbound.server.limits import Shares
from fogbound.server.lobby import Lobby
from fogbound.server.storage import LEASE, PRESENCE, Listener, StorageTrouble, announce
from fogbound.server.supervision import supervise
from fogbound.server.table import Refused

RENEWAL = LEASE / 4
REPORT = 1.0  # seconds between reports of what visitors took
SHARES = "shares "  # how such a report begins
MARGIN = 0.5  # seconds before its end in which a lease is not used any more


class Neighbours:
    """What one process knows of the others."""

    def __init__(self, lobby: Lobby, shares: Shares) -> None:
        self.lobby, self.storage, self.errands = lobby, lobby.storage, Errands(lobby.storage)
        self.shares = shares
        self._kept: dict[str, float] = {}  # until when a table is ours
        self._wanted = asyncio.Event()
        self._thread = ThreadPoolExecutor(1, "listener")
        self._told: set[tuple[str, str]] = set()  # who was said to be present at which table
        self._told_at = 0.0
        self._tasks: list[asyncio.Task[None]] = []
        self._catching_up: dict[str, asyncio.Task[None]] = {}
        lobby.keeps = self.keeps
        if lobby.thinkers.count == 0:
            lobby.thinkers.elsewhere = self.errands

    def start(self) -> None:
        self._tasks = [
            supervise("listening to other processes", self._listen),
            supervise("leases", self._renew),
            supervise("telling other processes of visitors", self._report),
        ]

    async def close(self) -> None:
        """Leave what we keep to the others at once."""
        tasks = [*self._tasks, *self._catching_up.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        with suppress(StorageTrouble):  # then the leases end by themselves
            await self.storage.run(self.storage.say_who_is_present, set(), {id for id, _ in self._told})
            await self.storage.run(self.storage.release, list(self._kept))
        self._thread.shutdown(wait=False)

    def keeps(self, id: str) -> bool:
        if time.monotonic() < self._kept.get(id, 0.0):
            return True
        self._wanted.set()
        return False

    # Leases.

    async def _renew(self) -> None:
        while True:
            await self._say_who_is_present()
            watched = [id for id, table in self.lobby.tables.items() if table.viewers]
            left = [id for id in self._kept if id not in watched]
            until = time.monotonic() + LEASE - MARGIN
            kept = await self.storage.run(self.storage.keep, watched) if watched else []
            if left:
                await self.storage.run(self.storage.release, left)
            new = [id for id in kept if time.monotonic() >= self._kept.get(id, 0.0)]  # or again: a lease may have run out
            self._kept = dict.fromkeys(kept, until)
            for id in new:
                self.lobby.bots[id].wake()
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEWAL):
                    await self._wanted.wait()
                await asyncio.sleep(0.05)  # many may come at once
            self._wanted.clear()

    async def _say_who_is_present(self) -> None:
        now = {
            (id, viewer.token)
            for id, table in self.lobby.tables.items()
            for viewer in table.viewers
            if viewer.token is not None and table.holds_seat(viewer)
        }
        if now != self._told or (now and time.monotonic() - self._told_at > PRESENCE / 3):
            await self.storage.run(self.storage.say_who_is_present, now, {id for id, _ in now ^ self._told})
            self._told, self._told_at = now, time.monotonic()

    # Shares of visitors.

    async def _report(self) -> None:
        while True:
            await asyncio.sleep(REPORT)
            reports = [SHARES + json.dumps(each, separators=(",", ":")) for each in self.shares.reports()]
            if reports:
                await self.storage.run(self._announce, reports)

    def _announce(self, reports: list[str]) -> None:
        with self.storage.engine.begin() as connection:
            for each in reports:
                announce(connection, self.storage.node, each)

    # Listening.

    async def _listen(self) -> None:
        """Hear which tables were changed elsewhere; whatever happened before we listened is looked up."""
        loop = asyncio.get_running_loop()
        listener = await loop.run_in_executor(self._thread, Listener, self.storage)
        try:
            for id in list(self.lobby.tables):
                self._catch_up(id)
            while True:
                for process, what in await loop.run_in_executor(self._thread, listener.heard):
                    if what.startswith(SHARES):
                        self.shares.hear(process, json.loads(what.removeprefix(SHARES)))
                        continue
                    self.errands.heard(what)
                    self._catch_up(what)
        finally:
            loop.run_in_executor(self._thread, listener.close)

    def _catch_up(self, id: str) -> None:
        """Read what is new at a table that somebody here may be looking at; one reading at a time."""
        if not self.lobby.is_used(id):
            return
        before = self._catching_up.get(id)

        async def read() -> None:
            if before is not None:
                await asyncio.wait({before})
            if self.lobby.is_used(id):
                with suppress(Refused):  # it was removed
                    await (await self.lobby.find(id)).refresh()

        self._catching_up[id] = supervise(f"catching up with table {id}", read)
        self._catching_up[id].add_done_callback(lambda done: self._forget(id, done))

    def _forget(self, id: str, done: asyncio.Task[None]) -> None:
        if self._catching_up.get(id) is done:
            del self._catching_up[id]
