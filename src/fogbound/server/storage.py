"""What must outlast the server: tables, who sits where, every move, chat. SQLite by default, PostgreSQL by URL.

A table has a revision, which grows with every change: whoever changes it says which revision he knows, and is refused
if another process was faster.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import platformdirs
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
    Connection,
    Engine,
    Float,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    create_engine,
    delete,
    event,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError, SQLAlchemyError

from fogbound.core.errors import FogboundError
from fogbound.server import metrics
from fogbound.server.schema import upgrade

log = logging.getLogger(__name__)
P = ParamSpec("P")
T = TypeVar("T")
THREADS = 8  # of the database's own: whoever thinks or draws cannot take them
LEASE = 4.0  # seconds after which another process may keep a table, if its keeper does not say that it is still there
PRESENCE = 15.0  # seconds for which someone counts as present at a process that was killed
CHANNEL = "fogbound"
CHAT_KEPT = 500  # lines; older ones make room
metadata = MetaData()
tables = Table(
    "fogbound_tables",
    metadata,
    Column("id", String(16), primary_key=True),
    Column("spec", Text, nullable=False),
    Column("definition", JSON, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("phase", String(16), nullable=False),
    Column("start", JSON),
    Column("created", Float, nullable=False),
)
seats = Table(
    "fogbound_seats",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("nickname", Text, nullable=False),
    Column("level", String(40)),
    Column("token", String(64)),
    Column("ready", Integer, nullable=False),
)
moves = Table(
    "fogbound_moves",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", Integer, nullable=False),
    Column("code", BigInteger, nullable=False),
    Column("chance", JSON, nullable=False),
)
chat = Table(
    "fogbound_chat",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("sender", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("time", Float, nullable=False),
)
team_chat = Table(
    "fogbound_team_chat",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("side", Integer, nullable=False),
    Column("sender", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("time", Float, nullable=False),
)
live = Table(
    "fogbound_live",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("revision", BigInteger, nullable=False),
    Column("undone", BigInteger, nullable=False),  # how many moves were ever taken back
    Column("touched", Float, nullable=False),  # when it changed last
    Column("clock", JSON),
    Column("keeper", String(64)),  # the process that lets agents play and clocks run out
    Column("until", Float, nullable=False),  # when its lease ends
)
present = Table(
    "fogbound_present",
    metadata,
    Column("table_id", String(16), primary_key=True),
    Column("token", String(64), primary_key=True),
    Column("node", String(32), primary_key=True),  # the process that the holder of the seat is connected to
    Column("until", Float, nullable=False),
)


class StorageTrouble(FogboundError):
    """The database failed; nobody knows whether a change was stored."""

    def __init__(self) -> None:
        super().__init__("The database does not answer just now; try again in a moment.")


class Overtaken(Exception):
    """Another process has changed the table first."""


@dataclass
class SeatRow:
    """Who holds a seat."""

    seat: int
    kind: str = "open"  # person, agent or open
    nickname: str = ""
    level: str | None = None
    token: str | None = None  # a digest of the holder's secret; an agent with one plays for someone who is away
    ready: bool = False


Played = tuple[int, int, Sequence[int]]
"""A move: seat, code, and what chance drew."""


@dataclass
class TableRow:
    """A table as it is stored."""

    id: str
    spec: str
    definition: dict[str, Any]
    settings: dict[str, Any]
    phase: str = "waiting"
    start: list[int] | None = None
    created: float = field(default_factory=time.time)
    seats: list[SeatRow] = field(default_factory=list)
    moves: list[Played] = field(default_factory=list)
    chat: list[dict[str, Any]] = field(default_factory=list)
    said: int = 0  # lines that were ever said
    revision: int = 0
    undone: int = 0
    kept: bool = False  # whether some process lets its agents play and its clocks run
    clock: dict[str, Any] | None = None
    elsewhere: frozenset[str] = frozenset()  # tokens of who is connected to other processes


@dataclass
class Change:
    """What is to change at a table, all of it or nothing. What is None stays as it is."""

    seats: list[SeatRow] | None = None
    phase: str | None = None
    start: list[int] | None = None
    move: Played | None = None
    undo: bool = False
    line: dict[str, Any] | None = None
    settings: dict[str, Any] | None = None
    clock: dict[str, Any] | None = None

    def apply_to(self, row: TableRow) -> None:
        """Make it the truth in memory, too (the moves are kept in the table's match)."""
        for name in ("seats", "phase", "start", "settings", "clock"):
            if getattr(self, name) is not None:
                setattr(row, name, getattr(self, name))
        if self.line is not None:
            row.chat = [*row.chat, self.line][-CHAT_KEPT:]
            row.said += 1
        row.undone += self.undo
        row.revision += 1


def _said(error: SQLAlchemyError) -> str:
    """What the database said, without the values that it was given: moves are secret."""
    cause = getattr(error, "orig", None)
    return f"{type(error).__name__}: {str(cause).splitlines()[0] if cause and str(cause) else 'no details'}"


def default_url() -> str:
    folder = Path(platformdirs.user_data_dir("fogbound"))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'tables.sqlite'}"


class Storage:
    """Reads and writes tables; each call is one transaction."""

    def __init__(self, url: str | None = None) -> None:
        self.node = secrets.token_hex(8)  # the name of this process among those that share the database
        self.engine: Engine = create_engine(url or default_url(), pool_pre_ping=True, pool_size=THREADS)
        if self.shared and self.engine.dialect.driver != "psycopg":
            raise FogboundError("PostgreSQL is spoken to by psycopg here: write the address as postgresql+psycopg://...")
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", _sqlite_settings)
        upgrade(self.engine)
        with self.engine.begin() as connection:  # of older tables nobody knows when they changed: they get their time, too
            connection.execute(update(live).where(live.c.touched == 0.0).values(touched=time.time()))
        self._threads = ThreadPoolExecutor(THREADS, "database")

    async def run(self, call: Callable[P, T], *given: P.args, **named: P.kwargs) -> T:
        """A call in the database's own threads. StorageTrouble if the database fails: that is logged here."""
        began = time.monotonic()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, lambda: call(*given, **named))
        except SQLAlchemyError as error:
            metrics.STORAGE_ERRORS.add()
            log.error("The database failed in “%s”: %s", call.__name__, _said(error))
            raise StorageTrouble from None
        finally:
            metrics.STORED.observe(time.monotonic() - began, call=call.__name__)

    def create(self, row: TableRow) -> None:
        with self.engine.begin() as connection:
            values = {
                name: getattr(row, name) for name in ("id", "spec", "definition", "settings", "phase", "start", "created")
            }
            connection.execute(insert(tables).values(values))
            connection.execute(insert(seats), [_seat_values(row.id, seat) for seat in row.seats])
            connection.execute(insert(live).values(_live_values(row.id, row.clock)))

    def change(self, id: str, known: int, number: int, said: int, change: Change) -> None:
        """Change a table of a known revision, with so many moves and lines of chat; Overtaken if it has another one now."""
        with self.engine.begin() as connection:
            values: dict[str, Any] = {
                "revision": known + 1,
                "touched": time.time(),
                "undone": live.c.undone + int(change.undo),
            }
            if change.clock is not None:
                values["clock"] = change.clock
            current = update(live).where(live.c.table_id == id, live.c.revision == known).values(values)
            if connection.execute(current).rowcount != 1:
                raise Overtaken
            _write(connection, id, number, said, change)
            self._announce(connection, id)

    def _announce(self, connection: Connection, id: str) -> None:
        """Tell the other processes, as soon as this is committed."""
        if self.shared:
            announce(connection, self.node, id)

    @property
    def shared(self) -> bool:
        """Whether other processes may use the same database."""
        return self.engine.dialect.name == "postgresql"

    def keep(self, ids: Sequence[str]) -> list[str]:
        """Those of these tables that this process keeps from now on, or still, for the length of a lease."""
        with self.engine.begin() as connection:
            moment = now(connection)
            free = or_(live.c.keeper.is_(None), live.c.keeper == self.node, live.c.until < moment)
            ours = update(live).where(live.c.table_id.in_(ids), free).values(keeper=self.node, until=moment + LEASE)
            return list(connection.execute(ours.returning(live.c.table_id)).scalars())

    def release(self, ids: Sequence[str]) -> None:
        """Leave tables to other processes."""
        with self.engine.begin() as connection:
            ours = (live.c.keeper == self.node) & live.c.table_id.in_(ids)
            connection.execute(update(live).where(ours).values(keeper=None, until=0.0))
            for id in ids:
                self._announce(connection, id)

    def say_who_is_present(self, here: set[tuple[str, str]], changed: set[str]) -> None:
        """Which holders of seats are connected to this process (table and token), and at which tables that is new."""
        with self.engine.begin() as connection:
            until = now(connection) + PRESENCE
            connection.execute(
                delete(present).where(or_(present.c.node == self.node, present.c.until < until - 2 * PRESENCE))
            )
            rows = [{"table_id": id, "token": token, "node": self.node, "until": until} for id, token in here]
            if rows:
                connection.execute(insert(present), rows)
            for id in changed:
                self._announce(connection, id)

    def remove(self, id: str) -> None:
        with self.engine.begin() as connection:
            for table, key in (
                (tables, tables.c.id),
                (seats, seats.c.table_id),
                (moves, moves.c.table_id),
                (chat, chat.c.table_id),
                (team_chat, team_chat.c.table_id),
                (live, live.c.table_id),
                (present, present.c.table_id),
            ):
                connection.execute(delete(table).where(key == id))

    def load(self, id: str, moves_known: int = 0) -> TableRow | None:
        """A table, with its moves from a number on."""
        self._give_revision(id)
        with self.engine.connect() as connection:
            if self.engine.dialect.name == "postgresql":
                connection.execution_options(isolation_level="REPEATABLE READ")  # all of it as at one moment
            found = connection.execute(select(tables).where(tables.c.id == id)).mappings().first()
            return None if found is None else _filled(connection, found, moves_known, self.node)

    def _give_revision(self, id: str) -> None:
        """A table that was made by a server from before there were revisions gets one."""
        without = select(tables.c.id).where(tables.c.id == id, tables.c.id.not_in(select(live.c.table_id)))
        with suppress(IntegrityError), self.engine.begin() as connection:  # another process may be doing the same
            if connection.execute(without).first() is not None:
                connection.execute(insert(live).values(_live_values(id)))

    def unfinished(self) -> list[str]:
        """Ids of the tables that wait or play."""
        with self.engine.connect() as connection:
            return list(connection.execute(select(tables.c.id).where(tables.c.phase != "over")).scalars())

    def public(self, since: float, most: int) -> list[str]:
        """Ids of the public tables that wait or play and changed since a time, the newest first."""
        listed = select(tables.c.id).join(live, live.c.table_id == tables.c.id)
        shown = tables.c.settings["public"].as_boolean() & (tables.c.phase != "over") & (live.c.touched > since)
        with self.engine.connect() as connection:
            return list(connection.execute(listed.where(shown).order_by(tables.c.created.desc()).limit(most)).scalars())

    def forget(self, waiting: float, playing: float) -> int:
        """Remove unfinished tables that nothing changed at since these times; the number of tables removed."""
        touched = select(tables.c.id).join(live, live.c.table_id == tables.c.id, isouter=True)
        since = func.coalesce(live.c.touched, tables.c.created)
        old = touched.where(
            or_((tables.c.phase == "waiting") & (since < waiting), (tables.c.phase == "playing") & (since < playing))
        )
        with self.engine.connect() as connection:
            ids = list(connection.execute(old.limit(1000)).scalars())
        for id in ids:
            self.remove(id)
        return len(ids)

    def answers(self) -> bool:
        """Whether the database is there."""
        with self.engine.connect() as connection:
            return connection.execute(select(1)).scalar() == 1

    def close(self) -> None:
        self._threads.shutdown(wait=True, cancel_futures=True)
        self.engine.dispose()


def _write(connection: Connection, id: str, number: int, said: int, change: Change) -> None:
    if change.seats is not None:
        connection.execute(delete(seats).where(seats.c.table_id == id))
        connection.execute(insert(seats), [_seat_values(id, row) for row in change.seats])
    if change.move is not None:
        seat, code, chance = change.move
        values = {"table_id": id, "number": number, "seat": seat, "code": code, "chance": list(chance)}
        connection.execute(insert(moves).values(values))
    if change.undo:
        connection.execute(delete(moves).where(moves.c.table_id == id, moves.c.number == number - 1))
    if change.line is not None:
        line = {"table_id": id, "number": said, "sender": change.line["from"]}
        line |= {key: value for key, value in change.line.items() if key != "from"}
        connection.execute(insert(team_chat if "side" in line else chat).values(line))
        for lines in (chat, team_chat):
            connection.execute(delete(lines).where(lines.c.table_id == id, lines.c.number <= said - CHAT_KEPT))
    values = {name: getattr(change, name) for name in ("phase", "start", "settings")}
    values = {name: value for name, value in values.items() if value is not None}
    if values:
        connection.execute(update(tables).where(tables.c.id == id).values(values))


def _live_values(id: str, clock: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"table_id": id, "revision": 0, "undone": 0, "touched": time.time(), "clock": clock, "until": 0.0}


def now(connection: Connection) -> float:
    """The time of day by the database's clock, which all processes share."""
    if connection.dialect.name != "postgresql":
        return time.time()
    return float(connection.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())


def announce(connection: Connection, node: str, what: str) -> None:
    """Tell the other processes that something is new, as soon as this is committed; PostgreSQL only."""
    connection.execute(select(func.pg_notify(CHANNEL, f"{node} {what}")))


class Listener:
    """Hears which tables other processes change; PostgreSQL only."""

    def __init__(self, storage: Storage) -> None:
        self.node = storage.node
        self.connection = storage.engine.connect().execution_options(isolation_level="AUTOCOMMIT")
        self.connection.exec_driver_sql(f"LISTEN {CHANNEL}")
        self.driver: Any = self.connection.connection.driver_connection

    def heard(self) -> set[tuple[str, str]]:
        """Processes, and what they announced: mostly tables that they changed. After a second without any, none."""
        notes = [note.payload.partition(" ") for note in self.driver.notifies(timeout=1.0, stop_after=1)]
        return {(node, what) for node, _, what in notes if node != self.node}

    def close(self) -> None:
        with suppress(SQLAlchemyError):
            self.connection.invalidate()
            self.connection.close()


def _filled(connection: Connection, found: Any, moves_known: int, node: str) -> TableRow:
    row = TableRow(**found)
    state = select(live.c.revision, live.c.undone, live.c.clock, live.c.until).where(live.c.table_id == row.id)
    current = connection.execute(state).mappings().one()
    row.revision, row.undone, row.clock = current["revision"], current["undone"], current["clock"]
    moment = now(connection)
    row.kept = current["until"] > moment
    there = (present.c.table_id == row.id) & (present.c.node != node) & (present.c.until > moment)
    row.elsewhere = frozenset(connection.execute(select(present.c.token).where(there)).scalars())
    held = select(seats).where(seats.c.table_id == row.id).order_by(seats.c.seat)
    for each in connection.execute(held).mappings():
        values = {key: value for key, value in each.items() if key != "table_id"}
        row.seats.append(SeatRow(**{**values, "ready": bool(values["ready"])}))
    played = select(moves).where(moves.c.table_id == row.id, moves.c.number >= moves_known).order_by(moves.c.number)
    row.moves = [(each["seat"], each["code"], each["chance"]) for each in connection.execute(played).mappings()]
    lines = [
        dict(line)
        for said in (chat, team_chat)
        for line in connection.execute(select(said).where(said.c.table_id == row.id)).mappings()
    ]
    lines.sort(key=lambda line: int(line["number"]))
    for line in lines:
        kept = {key: line[key] for key in ("text", "time", "side") if key in line}
        row.chat.append({"from": line["sender"], **kept})
    row.said = lines[-1]["number"] + 1 if lines else 0
    return row


def _seat_values(id: str, row: SeatRow) -> dict[str, Any]:
    return {"table_id": id, **vars(row), "ready": int(row.ready)}


def _sqlite_settings(connection: Any, _record: Any) -> None:
    """A write-ahead log: a killed server loses nothing that was committed, and reading does not wait."""
    cursor = connection.cursor()
    for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
