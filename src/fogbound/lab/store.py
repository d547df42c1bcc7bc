"""The store: one SQLite file that holds a tournament or a set, every game of it, and the runs that played it.

A row holds the games of a job: scores, lengths and all moves as packed arrays. It is
written in one transaction when the job is finished, so a kill loses what was being
played and nothing else, and no game is ever written twice.

The names in the file are those of its first version: a job is a row of `portions`, a run a row of `sittings`.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from time import perf_counter
from typing import IO, Any, Concatenate, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.core.job import GameRef, Job, Played, Range, split_moves
from fogbound.lab import provenance
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.settings import Player

FORMAT = "fogbound results"
FORMAT_VERSION = 1
APPLICATION_ID = 0x466F6742  # "FogB", where SQLite files say whose they are
MEMORY = ":memory:"

SCHEMA = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE boards (number INTEGER PRIMARY KEY, spec TEXT NOT NULL, digest TEXT NOT NULL, definition TEXT NOT NULL);
CREATE TABLE players (number INTEGER PRIMARY KEY, name TEXT NOT NULL, spec TEXT NOT NULL, challenger INTEGER NOT NULL);
CREATE TABLE encounters (number INTEGER PRIMARY KEY, board INTEGER NOT NULL, players TEXT NOT NULL, seeds INTEGER NOT NULL);
CREATE TABLE seatings (number INTEGER PRIMARY KEY, encounter INTEGER NOT NULL, players TEXT NOT NULL);
CREATE TABLE portions (
    seating INTEGER NOT NULL, first INTEGER NOT NULL, count INTEGER NOT NULL,
    scores BLOB NOT NULL, lengths BLOB NOT NULL, packing TEXT NOT NULL, moves BLOB NOT NULL,
    side_moves TEXT NOT NULL, side_seconds TEXT NOT NULL,
    PRIMARY KEY (seating, first)
);
CREATE TABLE sittings (
    number INTEGER PRIMARY KEY, began TEXT NOT NULL, ended TEXT, games INTEGER NOT NULL DEFAULT 0,
    seconds REAL NOT NULL DEFAULT 0,
    command TEXT NOT NULL, engine TEXT NOT NULL, machine TEXT NOT NULL, versions TEXT NOT NULL
);
"""


@dataclass(frozen=True)
class Games:
    """Games of one seating, in ascending order of their numbers."""

    numbers: NDArray[np.int64]
    scores: NDArray[np.float64]
    lengths: NDArray[np.int64]

    def upto(self, seeds: int) -> Games:
        """Only the games below a number."""
        keep = int(np.searchsorted(self.numbers, seeds))
        return Games(self.numbers[:keep], self.scores[:keep], self.lengths[:keep])


S = TypeVar("S", bound="Store")
P = ParamSpec("P")
T = TypeVar("T")


def _reading(read: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A reading method that tells in one sentence when the file does not hold what it should."""

    @wraps(read)
    def told(store: S, /, *args: P.args, **more: P.kwargs) -> T:
        try:
            return read(store, *args, **more)
        except (sqlite3.Error, ValueError, TypeError, LookupError, OverflowError, RecursionError) as error:
            why = f"{type(error).__name__}: {error}"
            raise FogboundError(f"{store.path} is damaged, or no results file of Fogbound ({why}).") from None

    return told


class Store:
    """An open results file."""

    def __init__(self, path: str | Path, connection: sqlite3.Connection) -> None:
        self.path = str(path)
        self.connection = connection
        self._lock: IO[str] | None = None

    # Opening.

    @classmethod
    def create(
        cls,
        path: str | Path,
        about: Mapping[str, Any],
        boards: Sequence[GameRef],
        players: Sequence[Player],
        encounters: Sequence[Encounter],
    ) -> Store:
        """A new file; one that exists is never touched."""
        if str(path) != MEMORY:
            if Path(path).exists():
                raise FogboundError(f"{path} already exists; give another file.")
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        store = cls(path, sqlite3.connect(path, isolation_level=None))
        db = store.connection
        db.execute("PRAGMA page_size = 16384")  # rows are large: large pages halve the time to write them
        db.execute("PRAGMA journal_mode = WAL")
        store._write_fast()
        db.execute("BEGIN IMMEDIATE")  # a kill before the commit leaves an empty file, which is begun again
        db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        for statement in filter(str.strip, SCHEMA.split(";")):
            db.execute(statement)
        facts = {"format": FORMAT, "format_version": FORMAT_VERSION, **about}
        db.executemany("INSERT INTO about VALUES (?, ?)", [(key, json.dumps(value)) for key, value in facts.items()])
        db.executemany(
            "INSERT INTO boards VALUES (?, ?, ?, ?)", [(i, b.spec, b.digest, b.definition) for i, b in enumerate(boards)]
        )
        db.executemany(
            "INSERT INTO players VALUES (?, ?, ?, ?)",
            [(i, p.name, p.spec, int(p.challenger)) for i, p in enumerate(players)],
        )
        db.executemany(
            "INSERT INTO encounters VALUES (?, ?, ?, ?)",
            [(e.number, e.board, json.dumps(e.group), e.seeds) for e in encounters],
        )
        seatings = [(s.number, s.encounter, json.dumps(s.players)) for e in encounters for s in e.seatings]
        db.executemany("INSERT INTO seatings VALUES (?, ?, ?)", seatings)
        db.execute("COMMIT")
        return store

    @classmethod
    def open(cls, path: str | Path) -> Store:
        """An existing file; anything but a results file is refused."""
        if not Path(path).is_file():
            raise FogboundError(f"There is no results file {path}.")
        store = cls(path, sqlite3.connect(path, isolation_level=None))
        try:
            about = store.about()
            if about.get("format") != FORMAT:
                raise FogboundError("it says so itself")
        except FogboundError:
            store.close()
            raise FogboundError(f"{path} is not a results file of Fogbound; the file was left as it is.") from None
        if about.get("format_version") != FORMAT_VERSION:
            store.close()
            raise FogboundError(
                f"{path} has version {about.get('format_version')} of the format; this Fogbound reads version "
                f"{FORMAT_VERSION}. The file was left as it is."
            )
        store._write_fast()
        return store

    def _write_fast(self) -> None:
        """Safe against a kill at any moment; a power cut may lose the last rows, and never leaves a broken file."""
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute("PRAGMA wal_autocheckpoint = 2000")

    def claim(self) -> None:
        """Make sure that no other process is playing these games now."""
        if self.path == MEMORY:
            return
        with suppress(ImportError):  # not every system has such locks; there we do without
            import fcntl

            self._lock = open(f"{self.path}.lock", "w")  # noqa: SIM115  (held until the store is closed)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._lock.close()
                raise FogboundError(f"Another process is playing the games of {self.path} now.") from None

    def close(self) -> None:
        self.connection.close()
        if self._lock is not None:
            self._lock.close()
            with suppress(OSError):
                os.remove(f"{self.path}.lock")

    # Reading.

    @_reading
    def about(self) -> dict[str, Any]:
        return {key: json.loads(value) for key, value in self.connection.execute("SELECT key, value FROM about")}

    @_reading
    def boards(self) -> list[GameRef]:
        rows = self.connection.execute("SELECT spec, digest, definition FROM boards ORDER BY number")
        return [GameRef(*row) for row in rows]

    @_reading
    def players(self) -> list[Player]:
        rows = self.connection.execute("SELECT name, spec, challenger FROM players ORDER BY number")
        return [Player(name, spec, bool(challenger)) for name, spec, challenger in rows]

    @_reading
    def encounters(self) -> list[Encounter]:
        rows = self.connection.execute("SELECT number, board, players, seeds FROM encounters ORDER BY number").fetchall()
        seatings: dict[int, list[Seating]] = {row[0]: [] for row in rows}
        for number, encounter, players in self.connection.execute("SELECT * FROM seatings ORDER BY number"):
            seatings[encounter].append(Seating(number, encounter, rows[encounter][1], tuple(json.loads(players))))
        return [
            Encounter(number, board, tuple(json.loads(players)), tuple(seatings[number]), seeds)
            for number, board, players, seeds in rows
        ]

    @_reading
    def finished(self) -> dict[int, list[Range]]:
        """For each seating, the ranges of games that are there, a job each."""
        found: dict[int, list[Range]] = {}
        for seating, first, count in self.connection.execute("SELECT seating, first, count FROM portions ORDER BY 1, 2"):
            found.setdefault(seating, []).append((first, first + count))
        return found

    @_reading
    def count(self) -> int:
        """The number of games that are there."""
        return int(self.connection.execute("SELECT coalesce(sum(count), 0) FROM portions").fetchone()[0])

    @_reading
    def games(self, seating: int, sides: int) -> Games:
        """All games of a seating."""
        rows = self.connection.execute(
            "SELECT first, count, scores, lengths FROM portions WHERE seating = ? ORDER BY first", (seating,)
        ).fetchall()
        if not rows:
            return Games(np.zeros(0, np.int64), np.zeros((0, sides)), np.zeros(0, np.int64))
        return Games(
            np.concatenate([np.arange(first, first + count) for first, count, _, _ in rows]),
            np.concatenate([np.frombuffer(scores, "<f8").reshape(-1, sides) for _, _, scores, _ in rows]),
            np.concatenate([np.frombuffer(lengths, "<u4").astype(np.int64) for _, _, _, lengths in rows]),
        )

    @_reading
    def times(self) -> list[tuple[int, list[int], list[float]]]:
        """For each job its seating, and moves and seconds of each side."""
        rows = self.connection.execute("SELECT seating, side_moves, side_seconds FROM portions")
        return [(seating, json.loads(moves), json.loads(seconds)) for seating, moves, seconds in rows]

    @_reading
    def moves(self, seating: int, number: int) -> tuple[list[int], list[float]]:
        """The moves of one game, and its scores."""
        row = self.connection.execute(
            "SELECT first, count, scores, lengths, packing, moves FROM portions "
            "WHERE seating = ? AND first <= ? ORDER BY first DESC LIMIT 1",
            (seating, number),
        ).fetchone()
        if row is None or number >= row[0] + row[1]:
            raise FogboundError(f"Game {number} of seating {seating} is not in {self.path}.")
        first, count, scores, lengths, packing, packed = row
        codes = split_moves(packing, packed, np.frombuffer(lengths, "<u4").astype(np.int64))[number - first]
        return codes.tolist(), np.frombuffer(scores, "<f8").reshape(count, -1)[number - first].tolist()

    @_reading
    def runs(self) -> list[dict[str, Any]]:
        """When, where and with what the games were played."""
        columns = ("began", "ended", "games", "seconds", "command", "engine", "machine", "versions")
        rows = self.connection.execute(f"SELECT {', '.join(columns)} FROM sittings ORDER BY number")
        return [dict(zip(columns, row, strict=True)) for row in rows]

    # Writing.

    def add(self, job: Job, played: Played) -> None:
        """Keep the games of a job, all of them or none."""
        self.connection.execute(
            "INSERT INTO portions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                job.seating,
                job.first,
                len(played.lengths),
                played.scores.astype("<f8").tobytes(),
                played.lengths.astype("<u4").tobytes(),
                played.packing,
                played.moves,
                json.dumps(played.side_moves),
                json.dumps(played.side_seconds),
            ),
        )

    @contextmanager
    def run(self, executor: str) -> Iterator[None]:
        """Note when a run begins and ends, and how many games it added."""
        before, began = self.count(), perf_counter()
        number = self.connection.execute(
            "INSERT INTO sittings (began, command, engine, machine, versions) VALUES (?, ?, ?, ?, ?)",
            (_now(), provenance.command(), executor, provenance.machine(), json.dumps(provenance.versions())),
        ).lastrowid
        try:
            yield
        finally:
            self.connection.execute(
                "UPDATE sittings SET ended = ?, games = ?, seconds = ? WHERE number = ?",
                (_now(), self.count() - before, perf_counter() - began, number),
            )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
