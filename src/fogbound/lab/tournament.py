"""Playing a tournament: hands out the jobs that are missing, saves what comes back, stops when it is decided."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from fogbound.core import registry, runner
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor, Finished
from fogbound.core.job import MOST, GameRef, Job, Pending, Played, gaps
from fogbound.core.tomlfile import Source
from fogbound.lab import executors, provenance, schedule, sequential, settings
from fogbound.lab.results import ALL_STARTS, Results
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.sequential import Test
from fogbound.lab.settings import Player, Settings
from fogbound.lab.store import MEMORY, Store

MOST_TESTED = 256  # games of a job under a sequential test: those after its end are played in vain

Watch = Callable[[int, int], None]
"""Called with the number of games that are there and of all games, as they come."""


@dataclass
class Backlog:
    """What is still to be played, and what the sequential test says so far."""

    encounters: Sequence[Encounter]
    pending: dict[int, Pending]
    """For each seating, its games that are missing."""
    test: Test | None
    scores: dict[int, np.ndarray[Any, Any]] = field(default_factory=dict)
    """Under a test: the first player's scores in each seating, by seed."""
    decided: set[int] = field(default_factory=set)
    """Encounters on which the test has decided."""

    def __post_init__(self) -> None:
        self.seatings = {seating.number: seating for encounter in self.encounters for seating in encounter.seatings}

    def jobs(self) -> Iterator[Job]:
        """Jobs in an order that keeps all seatings level, until nothing is left to do."""
        while True:
            left = [number for number, each in self.pending.items() if each.gaps and not self._is_decided(number)]
            if not left:
                return
            yield self.pending[min(left, key=lambda number: (self.pending[number].gaps[0][0], number))].take()

    def _is_decided(self, seating: int) -> bool:
        return self.seatings[seating].encounter in self.decided

    def learn(self, job: Job, played: Played) -> None:
        self.pending[job.seating].learn(played)
        if self.test is not None:
            seating = self.seatings[job.seating]
            self.note_scores(seating, job.first, played.scores)
            self.decide(self.encounters[seating.encounter])

    def note_scores(self, seating: Seating, first: int, scores: Any) -> None:
        """Take note of scores for the test."""
        encounter = self.encounters[seating.encounter]
        known = self.scores.setdefault(seating.number, np.full(encounter.seeds, np.nan))
        known[first : first + len(scores)] = scores[:, seating.players.index(encounter.group[0])]

    def decide(self, encounter: Encounter) -> None:
        """See whether the test can decide an encounter now."""
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
    all_starts: bool = False
    """Whether game i of a seating begins from the i-th of all possible starts."""

    @classmethod
    def of(cls, given: Settings, source: Source) -> Tournament:
        games, players = settings.set_up(given, source)
        many = next((game for game in games if game.sides != 2), None)
        if given.stop == "sprt" and many:
            sentence = f"a sequential test compares two sides, and {many.spec} has {many.sides}."
            raise source.problem(["stop"], sentence)
        encounters = schedule.make(given, games, players)
        if not encounters:
            raise source.problem(["agents"], "one agent alone has no opponent; give more, or set self_play = true.")
        return cls(given, games, players, encounters)

    @property
    def total(self) -> int:
        return sum(encounter.seeds * len(encounter.seatings) for encounter in self.encounters)

    def about(self) -> dict[str, Any]:
        """What makes two tournaments the same tournament."""
        return {
            "tournament": self.settings.model_dump(),
            "boards": {game.spec: GameRef.of(game).digest for game in self.games},
            "code": self.code(),
            "seatings": [[s.board, *s.players] for encounter in self.encounters for s in encounter.seatings],
            "fogbound": provenance.package_version("fogbound"),
            **({"starts": ALL_STARTS} if self.all_starts else {}),
        }

    def code(self) -> dict[str, str]:
        """What stands for the code of those players that are not part of Fogbound."""
        found = {player.spec: registry.code_digest(player.spec, self.games[0]) for player in self.players}
        return {spec: digest for spec, digest in found.items() if digest}

    def store(self, file: str | Path, resume: bool) -> Store:
        """The results file: a new one, or one that holds this very tournament."""
        if str(file) == MEMORY or not Path(file).exists() or _is_blank(file):
            if str(file) != MEMORY:
                Path(file).unlink(missing_ok=True)
            refs = [GameRef.of(game) for game in self.games]
            return Store.create(file, self.about(), refs, self.players, self.encounters)
        store = Store.open(file)
        difference = _difference(store.about(), self.about())
        if difference:
            raise FogboundError(f"{file} holds another tournament: {difference}. The file was left as it is; give another.")
        if not resume:
            raise FogboundError(
                f"{file} already holds {store.count():,} of {self.total:,} games of this tournament; "
                "go on with --resume, or give another place with --out."
            )
        return store

    def play(self, store: Store, executor: Executor, watch: Watch | None = None, most: int = MOST) -> None:
        """Play what is missing in the store."""
        there = store.count()
        with closing(self.play_missing(store, executor, most)) as finished:
            for job, _ in finished:
                there += job.count
                if watch:
                    watch(there, self.total)

    def play_missing(self, store: Store, executor: Executor, most: int = MOST) -> Generator[Finished, None, None]:
        """Play what is missing in the store, job by job; each is saved before it is handed on."""
        store.claim()
        backlog = self.backlog(store, min(most, MOST_TESTED) if self.settings.stop == "sprt" else most)
        with store.run(executor.name):
            for job, played in executor.play(backlog.jobs()):
                store.add(job, played)
                backlog.learn(job, played)
                yield job, played

    def backlog(self, store: Store, most: int) -> Backlog:
        """What the store does not have yet."""
        given = self.settings
        test = Test(given.elo0, given.elo1, given.alpha, given.beta) if given.stop == "sprt" else None
        finished = store.finished()
        pending = {}
        for encounter in self.encounters:
            for seating in encounter.seatings:
                missing = gaps(finished.get(seating.number, []), encounter.seeds)
                pending[seating.number] = Pending.of(self.seating_job(seating, encounter.seeds), missing, most)
        backlog = Backlog(self.encounters, pending, test)
        if test is not None:
            self._catch_up(backlog, store)
        return backlog

    def seating_job(self, seating: Seating, games: int) -> Job:
        """All games of a seating as one job."""
        game = self.games[seating.board]
        specs = [self.players[player].spec for player in seating.players]
        starts = runner.all_starts(game) if self.all_starts else ()
        return replace(runner.set_of_games(game, specs, games, self.settings.seed, starts), seating=seating.number)

    def _catch_up(self, backlog: Backlog, store: Store) -> None:
        """Show the test the games that are there already."""
        for number, ranges in store.finished().items():
            scores = store.games(number, 2).scores
            place = 0
            for first, end in ranges:
                backlog.note_scores(backlog.seatings[number], first, scores[place : place + end - first])
                place += end - first
        for encounter in self.encounters:
            backlog.decide(encounter)


def tournament(
    given: str | Path | Settings | Mapping[str, Any],
    file: str | Path = MEMORY,
    resume: bool = False,
    engine: str | Executor = "local",
    workers: int | None = None,
    watch: Watch | None = None,
) -> Results:
    """Play a tournament (a TOML file, settings, or a dictionary of them) and give its results.

    Results go to `file` as they come; without one they are kept in memory.
    """
    made = load(given)
    where = executors.executor(engine, workers) if isinstance(engine, str) else engine
    store = made.store(file, resume)
    made.play(store, where, watch)
    return Results(store)


def load(given: str | Path | Settings | Mapping[str, Any]) -> Tournament:
    """A tournament from its file, its settings, or a dictionary of them."""
    if isinstance(given, (str, Path)):
        read, source = settings.read(given)
        return Tournament.of(read, source)
    source = Source("the tournament")
    return Tournament.of(given if isinstance(given, Settings) else settings.checked(given, source), source)


def _is_blank(file: str | Path) -> bool:
    """Whether a file was created, and nothing was written to it before a kill."""
    try:
        with closing(sqlite3.connect(f"file:{Path(file).absolute()}?mode=ro", uri=True)) as connection:
            return not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError:
        return False


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    """The first difference between the tournament of a results file and the wanted one, in words."""
    if found.get("fogbound") != wanted["fogbound"]:
        return f"it was played with Fogbound {found.get('fogbound')}, and this is {wanted['fogbound']}"
    there, here = found.get("tournament", {}), wanted["tournament"]
    for key in here:
        if there.get(key) != here[key]:
            return f"“{key}” is {there.get(key)!r} there and {here[key]!r} here"
    for spec, digest in wanted["boards"].items():
        if found.get("boards", {}).get(spec) != digest:
            return f"the board {spec} has changed since"
    for spec, digest in wanted["code"].items():
        if found.get("code", {}).get(spec, digest) != digest:
            return f"the code or a file of the agent “{spec}” has changed since, and its games would be mixed"
    if found.get("starts") != wanted.get("starts"):
        return "its games begin from other starts"
    return "" if found.get("seatings") == wanted["seatings"] else "other players meet in it"
