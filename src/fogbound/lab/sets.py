"""Sets of games with fixed seats, many at a time: what reproductions and balance are measured with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.runner import fill
from fogbound.core.statistics import wilson
from fogbound.lab.engines import Engine, Local
from fogbound.lab.schedule import Encounter, Seating
from fogbound.lab.settings import Player, Settings
from fogbound.lab.storage import MEMORY
from fogbound.lab.tournament import Tournament, Watch


@dataclass(frozen=True)
class SetResult:
    """How the games of one set ended."""

    game: str
    agents: tuple[str, ...]
    scores: NDArray[np.float64]
    lengths: NDArray[np.int64]
    side_moves: tuple[int, ...]
    side_seconds: tuple[float, ...]

    @property
    def games(self) -> int:
        return len(self.lengths)

    def wins(self, side: int) -> int:
        """Games that a side won alone."""
        best = self.scores.max(axis=1, initial=0.0)
        alone = (self.scores == best[:, None]).sum(axis=1) == 1
        return int((alone & (self.scores[:, side] == best)).sum())

    def rate(self, side: int) -> tuple[float, float, float]:
        """A side's share of the wins, with its 95% interval."""
        low, high = wilson(self.wins(side), self.games)
        return self.wins(side) / max(1, self.games), low, high


def play_sets(
    name: str,
    sets: Sequence[tuple[str, Sequence[str]]],
    games: int,
    seed: int = 0,
    engine: Engine | None = None,
    watch: Watch | None = None,
    file: str | Path = MEMORY,
) -> list[SetResult]:
    """Play each set: a game, and an agent for each side. Sets with a `file` go on where they were interrupted."""
    boards = [registry.game(spec) for spec in dict.fromkeys(spec for spec, _ in sets)]
    where = {board.spec: number for number, board in enumerate(boards)}
    filled = [(registry.game(spec), tuple(fill(registry.game(spec), list(agents)))) for spec, agents in sets]
    specs = list(dict.fromkeys(agent for _, agents in filled for agent in agents))
    encounters = []
    for number, (game, agents) in enumerate(filled):
        seating = Seating(number, number, where[game.spec], tuple(specs.index(agent) for agent in agents))
        encounters.append(Encounter(number, seating.board, seating.players, (seating,), games))
    settings = Settings(name=name, boards=[board.spec for board in boards], agents=specs, games=games, seed=seed)
    tournament = Tournament(settings, boards, [Player(spec, spec) for spec in specs], encounters)
    storage = tournament.storage(file, resume=True)
    tournament.play(storage, engine or Local(), watch)
    moves = {number: np.zeros(game.sides) for number, (game, _) in enumerate(filled)}
    seconds = {number: np.zeros(game.sides) for number, (game, _) in enumerate(filled)}
    for number, side_moves, side_seconds in storage.times():
        moves[number] += side_moves
        seconds[number] += side_seconds
    results = []
    for number, (game, agents) in enumerate(filled):
        found = storage.games(number, game.sides)
        spent = tuple(float(x) for x in seconds[number])
        made = tuple(int(x) for x in moves[number])
        results.append(SetResult(game.spec, agents, found.scores, found.lengths, made, spent))
    storage.close()
    return results
