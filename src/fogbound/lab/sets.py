"""Sets of games with fixed seats, many at a time: what reproductions and balance are measured with."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.executor import Executor, Local
from fogbound.core.job import GameRef, Pending, gaps
from fogbound.core.seats import fill
from fogbound.core.statistics import wilson
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.settings import Player, Settings
from fogbound.lab.store import MEMORY, Store
from fogbound.lab.tournament import Backlog, Tournament, Watch

OPEN = 0  # the number of games of a set that may grow


@dataclass(frozen=True)
class SetResult:
    """How the games of one set ended."""

    game: str
    agents: tuple[str, ...]
    scores: NDArray[np.float64]
    lengths: NDArray[np.int64]
    side_moves: tuple[int, ...]
    side_seconds: tuple[float, ...]
    numbers: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    """Which games these are: those of the same number in other sets have the same start."""

    @property
    def games(self) -> int:
        return len(self.lengths)

    def in_order(self, side: int) -> NDArray[np.float64]:
        """A side's scores from the first game on, up to the first that was not played: to be paired with other sets."""
        unbroken = int((self.numbers == np.arange(len(self.numbers))).sum())
        return self.scores[:unbroken, side]

    def wins(self, side: int) -> int:
        """Games that a side won alone."""
        best = self.scores.max(axis=1, initial=0.0)
        alone = (self.scores == best[:, None]).sum(axis=1) == 1
        return int((alone & (self.scores[:, side] == best)).sum())

    def rate(self, side: int) -> tuple[float, float, float]:
        """A side's share of the wins, with its 95% interval."""
        low, high = wilson(self.wins(side), self.games)
        return self.wins(side) / max(1, self.games), low, high

    def share(self, side: int) -> tuple[float, float, float]:
        """A side's share of the points, with its 95% interval: a game can be won in part."""
        points = float(self.scores[:, side].sum())
        low, high = wilson(points, self.games)
        return points / max(1, self.games), low, high


def as_tournament(
    name: str, sets: Sequence[tuple[str | Game, Sequence[str]]], games: int, seed: int = 0, all_starts: bool = False
) -> Tournament:
    """Sets as a tournament in which each is an encounter with one seating."""
    filled = [(registry.game(game), tuple(fill(registry.game(game), list(agents)))) for game, agents in sets]
    boards = list({game.spec: game for game, _ in filled}.values())
    specs = list(dict.fromkeys(agent for _, agents in filled for agent in agents))
    where = {board.spec: number for number, board in enumerate(boards)}
    encounters = []
    for number, (game, agents) in enumerate(filled):
        seating = Seating(number, number, where[game.spec], tuple(specs.index(agent) for agent in agents))
        encounters.append(Encounter(number, seating.board, seating.players, (seating,), games))
    settings = Settings.model_construct(name=name, boards=list(where), agents=specs, games=games, seed=seed)
    return Tournament(settings, boards, [Player(spec, spec) for spec in specs], encounters, all_starts)


def play_sets(
    name: str,
    sets: Sequence[tuple[str, Sequence[str]]],
    games: int,
    seed: int = 0,
    engine: Executor | None = None,
    watch: Watch | None = None,
    file: str | Path = MEMORY,
) -> list[SetResult]:
    """Play each set: a game, and an agent for each side. Sets with a `file` go on where they were interrupted."""
    tournament = as_tournament(name, sets, games, seed)
    store = tournament.store(file, resume=True)
    tournament.play(store, engine or Local(), watch)
    results = _results(tournament, store)
    store.close()
    return results


def grow_sets(
    folder: str | Path,
    sets: Sequence[tuple[str, Sequence[str]]],
    games: int,
    seed: int = 0,
    engine: Executor | None = None,
    watch: Watch | None = None,
) -> list[SetResult]:
    """Play each set up to so many games; what is in the folder counts.

    Each set has a file of its own, so that a later run can add games or sets, and files from several machines can be
    put into one folder. All games that are there are in the results, even if fewer are asked for. A set that is named
    twice is played once.
    """
    boards = _boards(sets)
    named = [(boards[spec].spec, tuple(fill(boards[spec], list(agents)))) for spec, agents in sets]
    unique = {key: boards[spec] for key, (spec, _) in zip(named, sets, strict=True)}
    grown = _grow(folder, [(board, agents) for (_, agents), board in unique.items()], games, seed, engine, watch)
    results = dict(zip(unique, grown, strict=True))
    return [results[each] for each in named]


def _grow(
    folder: str | Path,
    sets: Sequence[tuple[Game, Sequence[str]]],
    games: int,
    seed: int,
    engine: Executor | None,
    watch: Watch | None,
) -> list[SetResult]:
    whole = as_tournament("sets", sets, games, seed)
    each = [_growing(board, agents, seed) for board, agents in sets]
    stores = [one.store(_file(folder, one, games), resume=True) for one in each]
    executor = engine or Local()
    with ExitStack() as stack:
        for store in stores:
            stack.callback(store.close)
        pending = {n: _missing(whole, n, store, games) for n, store in enumerate(stores)}
        unfinished = [stores[n] for n, left in pending.items() if left.gaps]
        for store in unfinished:
            store.claim()
            stack.enter_context(store.run(executor.name))
        backlog, there = Backlog(whole.encounters, pending, None), sum(store.count() for store in stores)
        for job, played in executor.play(backlog.jobs()) if unfinished else ():
            stores[job.seating].add(replace(job, seating=0), played)
            backlog.learn(job, played)
            there += job.count
            if watch:
                watch(there, games * len(sets))
        return [_results(one, store)[0] for one, store in zip(each, stores, strict=True)]


def read_sets(folder: str | Path, sets: Sequence[tuple[str, Sequence[str]]], seed: int = 0) -> list[SetResult | None]:
    """The games that a folder holds of each set, None if there are none; nothing is played, and no file is made."""
    boards = _boards(sets)
    digests = {spec: GameRef.of(game).digest for spec, game in boards.items()}
    return [_read(Path(folder), boards[spec], digests[spec], agents, seed) for spec, agents in sets]


def _read(folder: Path, game: Game, digest: str, agents: Sequence[str], seed: int) -> SetResult | None:
    file = folder / _name({game.spec: digest}, fill(game, list(agents)), seed)
    if not file.exists():
        return None
    one = _growing(game, agents, seed)
    with closing(one.store(file, resume=True)) as store:
        found = _results(one, store)[0]
    return found if found.games else None


def _boards(sets: Sequence[tuple[str, Sequence[str]]]) -> dict[str, Game]:
    """The games that are played; many sets share one."""
    return {spec: registry.game(spec) for spec in dict.fromkeys(spec for spec, _ in sets)}


def _growing(game: Game, agents: Sequence[str], seed: int) -> Tournament:
    """One set whose file does not say how many games there will be."""
    one = as_tournament("a growing set", [(game, agents)], OPEN, seed)
    return replace(one, settings=one.settings.model_copy(update={"games": OPEN}))


def _file(folder: str | Path, one: Tournament, games: int) -> str | Path:
    """The file of a set; where nothing is there and nothing is to be played, none is made."""
    boards = {game.spec: GameRef.of(game).digest for game in one.games}
    agents = [one.players[player].spec for player in one.encounters[0].seatings[0].players]
    file = Path(folder) / _name(boards, agents, one.settings.seed)
    return file if games or file.exists() else MEMORY


def _name(boards: Mapping[str, str], agents: Sequence[str], seed: int) -> str:
    """The name of a set's file, which no other set has."""
    key = json.dumps([boards, agents, seed])
    return f"{sha256(key.encode()).hexdigest()[:20]}.sqlite"


def _missing(whole: Tournament, number: int, store: Store, games: int) -> Pending:
    seating = whole.encounters[number].seatings[0]
    return Pending.of(whole.seating_job(seating, games), gaps(store.finished().get(0, []), games))


def _results(tournament: Tournament, store: Store) -> list[SetResult]:
    times: dict[int, list[Any]] = {}
    for number, moves, seconds in store.times():
        times.setdefault(number, []).append((moves, seconds))
    seatings = [seating for encounter in tournament.encounters for seating in encounter.seatings]
    return [_result(tournament, seating, store, times.get(seating.number, [])) for seating in seatings]


def _result(tournament: Tournament, seating: Seating, store: Store, times: Sequence[Any]) -> SetResult:
    found = store.games(seating.number, len(seating.players))
    agents = tuple(tournament.players[player].spec for player in seating.players)
    moves, seconds = np.array(times or np.zeros((1, 2, len(agents)))).sum(axis=0)
    side_moves, side_seconds = tuple(int(x) for x in moves), tuple(float(x) for x in seconds)
    spec = tournament.games[seating.board].spec
    return SetResult(spec, agents, found.scores, found.lengths, side_moves, side_seconds, found.numbers)
