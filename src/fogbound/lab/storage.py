"""The results file: one SQLite file that holds a tournament, every game of it, and who played when.

Games are kept a portion a row: scores, lengths and all moves as packed arrays. A row is
written in one transaction when its games are finished, so a killed tournament loses what
was being played and nothing else, and no game is ever written twice.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.lab.portions import Board, Played, unpack
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


class Storage:
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
        boards: Sequence[Board],
        players: Sequence[Player],
        encounters: Sequence[Encounter],
    ) -> Storage:
        """A new file; one that exists is never touched."""
        if str(path) != MEMORY:
            if Path(path).exists():
                raise FogboundError(f"{path} exists already; give another file.")
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
    def open(cls, path: str | Path) -> Storage:
        """A file that is there; refused in words when it is something else."""
        if not Path(path).is_file():
            raise FogboundError(f"There is no results file {path}.")
        store = cls(path, sqlite3.connect(path, isolation_level=None))
        try:
            about = store.about()
        except sqlite3.DatabaseError:
            raise FogboundError(f"{path} is not a results file of Fogbound; it was left as it is.") from None
        if about.get("format") != FORMAT:
            raise FogboundError(f"{path} is not a results file of Fogbound; it was left as it is.")
        if about["format_version"] != FORMAT_VERSION:
            raise FogboundError(
                f"{path} is written in version {about['format_version']} of the format; this Fogbound reads version "
                f"{FORMAT_VERSION}. It was left as it is."
            )
        store._write_fast()
        return store

    def _write_fast(self) -> None:
        """Safe against a kill at any moment; a power cut may lose the last rows, and never leaves a broken file."""
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute("PRAGMA wal_autocheckpoint = 2000")

    def claim(self) -> None:
        """See that nobody else is playing this tournament now."""
        if self.path == MEMORY:
            return
        with suppress(ImportError):  # not every system has such locks; there it goes without
            import fcntl

            self._lock = open(f"{self.path}.lock", "w")  # noqa: SIM115  (held until the file is closed)
            try:
                fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                self._lock.close()
                raise FogboundError(f"Another process is playing the tournament in {self.path} now.") from None

    def close(self) -> None:
        self.connection.close()
        if self._lock is not None:
            self._lock.close()
            with suppress(OSError):
                os.remove(f"{self.path}.lock")

    # Reading.

    def about(self) -> dict[str, Any]:
        return {key: json.loads(value) for key, value in self.connection.execute("SELECT key, value FROM about")}

    def boards(self) -> list[Board]:
        rows = self.connection.execute("SELECT spec, digest, definition FROM boards ORDER BY number")
        return [Board(*row) for row in rows]

    def players(self) -> list[Player]:
        rows = self.connection.execute("SELECT name, spec, challenger FROM players ORDER BY number")
        return [Player(name, spec, bool(challenger)) for name, spec, challenger in rows]

    def encounters(self) -> list[Encounter]:
        rows = self.connection.execute("SELECT number, board, players, seeds FROM encounters ORDER BY number").fetchall()
        seatings: dict[int, list[Seating]] = {row[0]: [] for row in rows}
        for number, encounter, players in self.connection.execute("SELECT * FROM seatings ORDER BY number"):
            seatings[encounter].append(Seating(number, encounter, rows[encounter][1], tuple(json.loads(players))))
        return [
            Encounter(number, board, tuple(json.loads(players)), tuple(seatings[number]), seeds)
            for number, board, players, seeds in rows
        ]

    def finished(self) -> dict[int, list[tuple[int, int]]]:
        """For each seating, the stretches of games that are there."""
        found: dict[int, list[tuple[int, int]]] = {}
        for seating, first, count in self.connection.execute("SELECT seating, first, count FROM portions ORDER BY 1, 2"):
            found.setdefault(seating, []).append((first, count))
        return found

    def count(self) -> int:
        """How many games are there."""
        return int(self.connection.execute("SELECT coalesce(sum(count), 0) FROM portions").fetchone()[0])

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

    def times(self) -> Iterator[tuple[int, list[int], list[float]]]:
        """For each portion its seating, and moves and seconds of each side."""
        rows = self.connection.execute("SELECT seating, side_moves, side_seconds FROM portions")
        return ((seating, json.loads(moves), json.loads(seconds)) for seating, moves, seconds in rows)

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
        ends = np.concatenate([[0], np.cumsum(np.frombuffer(lengths, "<u4"), dtype=np.int64)])
        codes = unpack(packing, packed)[ends[number - first] : ends[number - first + 1]]
        return codes.tolist(), np.frombuffer(scores, "<f8").reshape(count, -1)[number - first].tolist()

    def sittings(self) -> list[dict[str, Any]]:
        """When, where and with what the games were played."""
        columns = ("began", "ended", "games", "seconds", "command", "engine", "machine", "versions")
        rows = self.connection.execute(f"SELECT {', '.join(columns)} FROM sittings ORDER BY number")
        return [dict(zip(columns, row, strict=True)) for row in rows]

    # Writing.

    def add(self, seating: int, first: int, played: Played) -> None:
        """Keep the games of a portion, all of them or none."""
        self.connection.execute(
            "INSERT INTO portions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                seating,
                first,
                len(played.lengths),
                played.scores.astype("<f8").tobytes(),
                played.lengths.astype("<u4").tobytes(),
                played.packing,
                played.moves,
                json.dumps(played.side_moves),
                json.dumps(played.side_seconds),
            ),
        )

    def sit_down(self, command: str, engine: str, machine: str, versions: Mapping[str, str]) -> int:
        """Note that playing begins; the sitting's number."""
        cursor = self.connection.execute(
            "INSERT INTO sittings (began, command, engine, machine, versions) VALUES (?, ?, ?, ?, ?)",
            (_now(), command, engine, machine, json.dumps(versions)),
        )
        assert cursor.lastrowid is not None
        return cursor.lastrowid

    def stand_up(self, sitting: int, games: int, seconds: float) -> None:
        """Note that playing ended."""
        self.connection.execute(
            "UPDATE sittings SET ended = ?, games = ?, seconds = ? WHERE number = ?", (_now(), games, seconds, sitting)
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
