"""What must outlast the server: tables, who sits where, every move, chat. SQLite by default, PostgreSQL by URL."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import platformdirs
from sqlalchemy import (
    JSON,
    BigInteger,
    Column,
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
    insert,
    select,
    update,
)

from fogbound.server.schema import upgrade

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


@dataclass
class SeatRow:
    """Who holds a seat."""

    seat: int
    kind: str = "open"  # person, agent or open
    nickname: str = ""
    level: str | None = None
    token: str | None = None  # a digest of the holder's secret
    ready: bool = False


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
    moves: list[tuple[int, int, list[int]]] = field(default_factory=list)  # seat, code, chance
    chat: list[dict[str, Any]] = field(default_factory=list)


def default_url() -> str:
    folder = Path(platformdirs.user_data_dir("fogbound"))
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'tables.sqlite'}"


class Storage:
    """Reads and writes tables; each call is one transaction."""

    def __init__(self, url: str | None = None) -> None:
        self.engine: Engine = create_engine(url or default_url(), pool_pre_ping=True)
        if self.engine.dialect.name == "sqlite":
            event.listen(self.engine, "connect", _sqlite_settings)
        upgrade(self.engine)

    def create(self, row: TableRow) -> None:
        with self.engine.begin() as connection:
            values = {
                name: getattr(row, name) for name in ("id", "spec", "definition", "settings", "phase", "start", "created")
            }
            connection.execute(insert(tables).values(values))
            connection.execute(insert(seats), [_seat_values(row.id, seat) for seat in row.seats])

    def set_phase(self, id: str, phase: str, start: Sequence[int] | None = None) -> None:
        values: dict[str, Any] = {"phase": phase} if start is None else {"phase": phase, "start": list(start)}
        with self.engine.begin() as connection:
            connection.execute(update(tables).where(tables.c.id == id).values(values))

    def save_seats(self, id: str, rows: Sequence[SeatRow]) -> None:
        with self.engine.begin() as connection:
            connection.execute(delete(seats).where(seats.c.table_id == id))
            connection.execute(insert(seats), [_seat_values(id, row) for row in rows])

    def add_move(self, id: str, number: int, seat: int, code: int, chance: Sequence[int], over: bool) -> None:
        with self.engine.begin() as connection:
            values = {"table_id": id, "number": number, "seat": seat, "code": code, "chance": list(chance)}
            connection.execute(insert(moves).values(values))
            if over:
                connection.execute(update(tables).where(tables.c.id == id).values(phase="over"))

    def drop_move(self, id: str, number: int) -> None:
        with self.engine.begin() as connection:
            connection.execute(delete(moves).where(moves.c.table_id == id, moves.c.number == number))

    def add_chat(self, id: str, number: int, entry: dict[str, Any]) -> None:
        with self.engine.begin() as connection:
            values = {
                "table_id": id,
                "number": number,
                "sender": entry["from"],
                "text": entry["text"],
                "time": entry["time"],
            }
            connection.execute(insert(chat).values(values))

    def remove(self, id: str) -> None:
        with self.engine.begin() as connection:
            for table, key in (
                (tables, tables.c.id),
                (seats, seats.c.table_id),
                (moves, moves.c.table_id),
                (chat, chat.c.table_id),
            ):
                connection.execute(delete(table).where(key == id))

    def load(self, id: str) -> TableRow | None:
        with self.engine.connect() as connection:
            found = connection.execute(select(tables).where(tables.c.id == id)).mappings().first()
            return None if found is None else _filled(connection, found)

    def unfinished(self) -> list[str]:
        """Ids of the tables that wait or play."""
        with self.engine.connect() as connection:
            return list(connection.execute(select(tables.c.id).where(tables.c.phase != "over")).scalars())

    def close(self) -> None:
        self.engine.dispose()


def _filled(connection: Any, found: Any) -> TableRow:
    row = TableRow(**found)
    held = select(seats).where(seats.c.table_id == row.id).order_by(seats.c.seat)
    for each in connection.execute(held).mappings():
        values = {key: value for key, value in each.items() if key != "table_id"}
        row.seats.append(SeatRow(**{**values, "ready": bool(values["ready"])}))
    played = select(moves).where(moves.c.table_id == row.id).order_by(moves.c.number)
    row.moves = [(each["seat"], each["code"], each["chance"]) for each in connection.execute(played).mappings()]
    said = select(chat).where(chat.c.table_id == row.id).order_by(chat.c.number)
    row.chat = [{"from": m["sender"], "text": m["text"], "time": m["time"]} for m in connection.execute(said).mappings()]
    return row


def _seat_values(id: str, row: SeatRow) -> dict[str, Any]:
    return {"table_id": id, **vars(row), "ready": int(row.ready)}


def _sqlite_settings(connection: Any, _record: Any) -> None:
    """A write-ahead log: a killed server loses nothing that was committed, and reading does not wait."""
    cursor = connection.cursor()
    for pragma in ("busy_timeout=5000", "journal_mode=WAL", "synchronous=NORMAL"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
