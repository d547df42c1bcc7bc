"""Playing a tournament: hands out what is missing, keeps what comes back, stops when it is decided."""

from __future__ import annotations

import os
import platform
import shlex
import sqlite3
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.tomlfile import Source
from fogbound.lab import engines, portions, schedule, sequential, settings
from fogbound.lab.portions import Board, Played, Portion
from fogbound.lab.results import Results
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.sequential import Test
from fogbound.lab.settings import Player, Settings
from fogbound.lab.storage import MEMORY, Storage

SECONDS = 0.25  # how long a portion should take: what a kill can lose, on each core
MOST = 4096  # games of a portion; more gains no speed
MOST_TESTED = 256  # under a sequential test, games after its end are played in vain
FIRST = {True: 4, False: 1}  # size of the first portion of compiled games, and of others

Watch = Callable[[int, int], None]
"""Called with the number of games there are and of all games, as they come."""


@dataclass
class Lane:
    """The games of a seating that are still to be handed out."""

    seating: Seating
    board: Board
    agents: tuple[str, ...]
    compiled: bool
    gaps: list[tuple[int, int]]  # stretches still to be played, as first and end
    size: int

    def take(self, seed: int, most: int) -> Portion:
        first, end = self.gaps.pop(0)
        count = min(end - first, self.size, most)
        if first + count < end:
            self.gaps.insert(0, (first + count, end))
        return Portion(self.seating.number, self.board, self.agents, seed, first, count, self.compiled)

    def learn(self, played: Played) -> None:
        """Make the next portions as large as the time for one allows."""
        games = SECONDS * len(played.lengths) / max(played.seconds, 1e-9)
        self.size = int(min(MOST, 8 * self.size, max(1, games)))


@dataclass
class Plan:
    """What is still to be played, and what the sequential test says so far."""

    encounters: Sequence[Encounter]
    lanes: dict[int, Lane]
    seed: int
    test: Test | None
    most: int
    scores: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)
    """Under a test: the first player's scores in each seating, by seed."""
    decided: set[int] = field(default_factory=set)

    def portions(self) -> Iterator[Portion]:
        """Portions in an order that keeps all seatings level, until nothing is left to do."""
        while True:
            lanes = [lane for lane in self.lanes.values() if lane.gaps and lane.seating.encounter not in self.decided]
            if not lanes:
                return
            yield min(lanes, key=lambda lane: (lane.gaps[0][0], lane.seating.number)).take(self.seed, self.most)

    def learn(self, portion: Portion, played: Played) -> None:
        lane = self.lanes[portion.seating]
        lane.learn(played)
        if self.test is not None:
            self.see(lane.seating, portion.first, played.scores)
            self.judge(self.encounters[lane.seating.encounter])

    def see(self, seating: Seating, first: int, scores: Any) -> None:
        """Take note of scores for the test."""
        encounter = self.encounters[seating.encounter]
        known = self.scores.setdefault(seating.number, np.full(encounter.seeds, np.nan))
        known[first : first + len(scores)] = scores[:, seating.players.index(encounter.group[0])]

    def judge(self, encounter: Encounter) -> None:
        known = [self.scores.get(seating.number) for seating in encounter.seatings]
        if self.test is None or len(set(encounter.group)) < 2 or any(scores is None for scores in known):
            return
        sums = np.mean(np.array(known), axis=0)
        missing = np.flatnonzero(np.isnan(sums))
        if sequential.decide(sums[: missing[0]] if len(missing) else sums, self.test).verdict != "open":
            self.decided.add(encounter.number)


@dataclass(frozen=True)
class Tournament:
    """A tournament, ready to be played."""

    settings: Settings
    games: Sequence[Game]
    players: Sequence[Player]
    encounters: Sequence[Encounter]

    @classmethod
    def of(cls, given: Settings, source: Source) -> Tournament:
        games, players = settings.set_up(given, source)
        many = next((game for game in games if game.sides != 2), None)
        if given.stop == "sprt" and many:
            sentence = f"a sequential test compares two sides, and {many.spec} has {many.sides}."
            raise source.problem(["stop"], sentence)
        encounters = schedule.make(given, games, players)
        if not encounters:
            raise source.problem(["agents"], "one agent alone meets nobody; give more, or self_play = true.")
        return cls(given, games, players, encounters)

    @property
    def total(self) -> int:
        return sum(encounter.seeds * len(encounter.seatings) for encounter in self.encounters)

    def about(self) -> dict[str, Any]:
        """What makes two tournaments the same tournament."""
        return {
            "tournament": self.settings.model_dump(),
            "boards": {game.spec: Board.of(game).digest for game in self.games},
            "seatings": [[s.board, *s.players] for encounter in self.encounters for s in encounter.seatings],
            "fogbound": _version("fogbound"),
        }

    def storage(self, file: str | Path, resume: bool) -> Storage:
        """The results file: a new one, or one that holds this very tournament."""
        if str(file) == MEMORY or not Path(file).exists() or _is_blank(file):
            if str(file) != MEMORY:
                Path(file).unlink(missing_ok=True)
            boards = [Board.of(game) for game in self.games]
            return Storage.create(file, self.about(), boards, self.players, self.encounters)
        storage = Storage.open(file)
        difference = _difference(storage.about(), self.about())
        if difference:
            raise FogboundError(f"{file} holds another tournament: {difference}. It was left as it is; give another place.")
        if not resume:
            raise FogboundError(
                f"{file} holds {storage.count():,} of {self.total:,} games of this tournament already; "
                "go on with --resume, or give another place with --out."
            )
        return storage

    def play(self, storage: Storage, engine: engines.Engine, watch: Watch | None = None, most: int = MOST) -> None:
        """Play what is missing in the results file."""
        storage.claim()
        plan = self.plan(storage, min(most, MOST_TESTED) if self.settings.stop == "sprt" else most)
        there, began, played_now = storage.count(), perf_counter(), 0
        sitting = storage.sit_down(command(), engine.name, machine(), versions())
        try:
            for portion, played in engine.play(plan.portions()):
                storage.add(portion.seating, portion.first, played)
                plan.learn(portion, played)
                played_now += portion.count
                if watch:
                    watch(there + played_now, self.total)
        finally:
            storage.stand_up(sitting, played_now, perf_counter() - began)

    def plan(self, storage: Storage, most: int) -> Plan:
        """What the results file does not have yet."""
        given = self.settings
        test = Test(given.elo0, given.elo1, given.alpha, given.beta) if given.stop == "sprt" else None
        finished = storage.finished()
        boards = [Board.of(game) for game in self.games]
        lanes = {}
        for encounter in self.encounters:
            for seating in encounter.seatings:
                specs = tuple(self.players[player].spec for player in seating.players)
                compiled = portions.can_be_compiled(self.games[seating.board], specs)
                missing = gaps(finished.get(seating.number, []), encounter.seeds)
                lanes[seating.number] = Lane(seating, boards[seating.board], specs, compiled, missing, FIRST[compiled])
        plan = Plan(self.encounters, lanes, given.seed, test, most)
        if test is not None:
            self._catch_up(plan, storage)
        return plan

    def _catch_up(self, plan: Plan, storage: Storage) -> None:
        """Show the test the games that are there already."""
        for seating, stretches in storage.finished().items():
            games = storage.games(seating, 2)
            ends = np.cumsum([count for _, count in stretches])
            for (first, count), end in zip(stretches, ends, strict=True):
                plan.see(plan.lanes[seating].seating, first, games.scores[end - count : end])
        for encounter in self.encounters:
            plan.judge(encounter)


def tournament(
    given: str | Path | Settings | Mapping[str, Any],
    file: str | Path = MEMORY,
    resume: bool = False,
    engine: str | engines.Engine = "local",
    workers: int | None = None,
    watch: Watch | None = None,
) -> Results:
    """Play a tournament (a TOML file, settings, or a dictionary of them) and give its results.

    Results go to `file` as they come; without one they are kept in memory.
    """
    made = load(given)
    where = engines.engine(engine, workers) if isinstance(engine, str) else engine
    storage = made.storage(file, resume)
    made.play(storage, where, watch)
    return Results(storage)


def load(given: str | Path | Settings | Mapping[str, Any]) -> Tournament:
    """A tournament from its file, its settings, or a dictionary of them."""
    if isinstance(given, (str, Path)):
        read, source = settings.read(given)
        return Tournament.of(read, source)
    source = Source("the tournament")
    return Tournament.of(given if isinstance(given, Settings) else settings.checked(given, source), source)


def gaps(finished: Sequence[tuple[int, int]], end: int) -> list[tuple[int, int]]:
    """The stretches up to `end` that are not finished."""
    missing, place = [], 0
    for first, count in finished:
        if place < first:
            missing.append((place, min(first, end)))
        place = first + count
    if place < end:
        missing.append((place, end))
    return missing


def _is_blank(file: str | Path) -> bool:
    """Whether a file was begun and killed before anything was in it."""
    try:
        with sqlite3.connect(f"file:{Path(file).absolute()}?mode=ro", uri=True) as connection:
            return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError:
        return False


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first thing in which a results file is of another tournament or version, in words."""
    if found.get("fogbound") != wanted["fogbound"]:
        return f"it was played with Fogbound {found.get('fogbound')}, and this is {wanted['fogbound']}"
    there, here = found.get("tournament", {}), wanted["tournament"]
    for key in here:
        if there.get(key) != here[key]:
            return f"“{key}” is {there.get(key)!r} there and {here[key]!r} here"
    for spec, digest in wanted["boards"].items():
        if found.get("boards", {}).get(spec) != digest:
            return f"the board {spec} was another one"
    return "" if found.get("seatings") == wanted["seatings"] else "others met each other there"


def command() -> str:
    """The command that is being run, as one would type it."""
    program = Path(sys.argv[0]).name
    return shlex.join(["fogbound" if program == "__main__.py" else program, *sys.argv[1:]])


def machine() -> str:
    """This machine in a few words."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def versions() -> dict[str, str]:
    """Versions of what the results may depend on."""
    named = {name: _version(name) for name in ("fogbound", "numba", "numpy", "ray")}
    return {"python": platform.python_version(), **{name: found for name, found in named.items() if found}}


def _version(package: str) -> str:
    if package == "fogbound":
        import fogbound

        return fogbound.__version__
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
