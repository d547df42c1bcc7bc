"""Thoughts for thinkers on other machines: a queue in PostgreSQL that servers write to and `fogbound thinker` reads from.

A thinker says again and again which thoughts it is at. What it leaves undone when it dies, another takes up.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from sqlalchemy import Column, Float, String, Table, Text, delete, func, insert, select, update

from fogbound.core.errors import FogboundError
from fogbound.server.storage import Listener, Storage, announce, metadata, now
from fogbound.server.supervision import supervise
from fogbound.server.thinking import AgentFault, NoAnswer, Terms, Thinkers

log = logging.getLogger(__name__)
LEASE = 10.0  # seconds after which a thought is another's, if its thinker does not say that it is still at it
NEW = "thoughts"  # what is announced when there are some
PAUSE = 1.0  # seconds between looks into the queue, in case a notification was lost

thoughts = Table(
    "fogbound_thoughts",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("task", String(32), nullable=False),
    Column("given", Text, nullable=False),
    Column("payer", String(64), nullable=False),
    Column("table_id", Text, nullable=False),
    Column("seconds", Float, nullable=False),  # how long it may take
    Column("asked", Float, nullable=False),
    Column("taken", Float, nullable=False),  # until when a thinker is at it
    Column("answer", Text),
)


class Errands:
    """What a server process asks thinkers elsewhere."""

    def __init__(self, storage: Storage) -> None:
        self.storage = storage
        self._answered: dict[str, asyncio.Event] = {}

    def heard(self, id: str) -> None:
        """A thought may have its answer."""
        if id in self._answered:
            self._answered[id].set()

    async def ask(self, task: str, given: str, terms: Terms) -> bytes:
        id = secrets.token_hex(8)
        event = self._answered[id] = asyncio.Event()
        whose = {"payer": terms.payer[:64], "table_id": terms.table, "seconds": terms.limit}
        await self.storage.run(self._put, {"id": id, "task": task, "given": given, **whose})
        try:
            while (answer := await self.storage.run(self._answer, id)) is None:
                event.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PAUSE):
                        await event.wait()
        finally:
            del self._answered[id]
            await asyncio.shield(self.storage.run(self._drop, id))
        head, _, body = answer.partition("\n")
        told = json.loads(head)
        if told["kind"] != "answer":
            raise {"refusal": FogboundError, "fault": AgentFault}.get(told["kind"], NoAnswer)(body)
        return body.encode()

    def _put(self, row: dict[str, Any]) -> None:
        with self.storage.engine.begin() as connection:
            connection.execute(insert(thoughts).values(row | {"asked": now(connection), "taken": 0.0}))
            announce(connection, self.storage.node, NEW)

    def _answer(self, id: str) -> str | None:
        with self.storage.engine.connect() as connection:
            return connection.execute(select(thoughts.c.answer).where(thoughts.c.id == id)).scalar()

    def _drop(self, id: str) -> None:
        with self.storage.engine.begin() as connection:
            connection.execute(delete(thoughts).where(thoughts.c.id == id))


class Runner:
    """A thinker that takes thoughts from the queue, one for each of its workers."""

    def __init__(self, storage: Storage, workers: Thinkers) -> None:
        self.storage, self.workers = storage, workers
        self._at: dict[str, asyncio.Future[tuple[str, str]]] = {}
        self._new = asyncio.Event()

    async def run(self) -> None:
        """Think until cancelled."""
        self.workers.start()
        places = [supervise(f"errands {place}", self._work) for place in range(self.workers.count)]
        tasks = [*places, supervise("leases of thoughts", self._renew), supervise("listening for thoughts", self._listen)]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await self.workers.close()

    async def _work(self) -> None:
        while True:
            found = await self.storage.run(self._take)
            if found is None:
                self._new.clear()
                with suppress(TimeoutError):
                    async with asyncio.timeout(PAUSE):
                        await self._new.wait()
                continue
            thinking = self._at[found["id"]] = asyncio.ensure_future(self._think(found))
            try:
                await asyncio.wait({thinking})
                if not thinking.cancelled():
                    kind, body = thinking.result()
                    await self.storage.run(self._put_answer, found["id"], json.dumps({"kind": kind}) + "\n" + body)
            finally:
                thinking.cancel()
                del self._at[found["id"]]

    async def _think(self, found: dict[str, Any]) -> tuple[str, str]:
        terms = Terms(found["payer"], found["table_id"], found["seconds"])
        try:
            body = await self.workers.ask_text(found["task"], found["given"].encode(), terms)
        except AgentFault as error:
            return "fault", str(error)
        except NoAnswer as error:
            return "nothing", str(error)
        except FogboundError as error:
            return "refusal", str(error)
        return "answer", body.decode()

    async def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1, "listener") as thread:
            listener = await loop.run_in_executor(thread, Listener, self.storage)
            try:
                while True:
                    if NEW in (what for _, what in await loop.run_in_executor(thread, listener.heard)):
                        self._new.set()
            finally:
                listener.close()

    async def _renew(self) -> None:
        while True:
            if self._at:
                wanted = await self.storage.run(self._say_at, list(self._at))
                for id in self._at.keys() - wanted:
                    self._at[id].cancel()
            await asyncio.sleep(LEASE / 4)

    def _take(self) -> dict[str, Any] | None:
        """The next thought: of those who have least done for them now, the one that waits longest."""
        with self.storage.engine.begin() as connection:
            moment = now(connection)
            others = thoughts.alias()
            is_running = (others.c.payer == thoughts.c.payer) & (others.c.taken > moment) & others.c.answer.is_(None)
            running = select(func.count()).select_from(others).where(is_running).correlate(thoughts).scalar_subquery()
            free = select(thoughts).where(thoughts.c.answer.is_(None), thoughts.c.taken <= moment)
            first = free.order_by(running, thoughts.c.asked).limit(1).with_for_update(skip_locked=True)
            found = connection.execute(first).mappings().first()
            if found is None:
                return None
            connection.execute(update(thoughts).where(thoughts.c.id == found["id"]).values(taken=moment + LEASE))
            return dict(found)

    def _say_at(self, ids: list[str]) -> set[str]:
        """Keep others from these thoughts; those of them that are still wanted."""
        ours = update(thoughts).where(thoughts.c.id.in_(ids))
        with self.storage.engine.begin() as connection:
            kept = connection.execute(ours.values(taken=now(connection) + LEASE).returning(thoughts.c.id))
            return set(kept.scalars())

    def _put_answer(self, id: str, answer: str) -> None:
        with self.storage.engine.begin() as connection:
            connection.execute(update(thoughts).where(thoughts.c.id == id).values(answer=answer))
            announce(connection, self.storage.node, id)
