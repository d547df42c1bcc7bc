"""A duel: two agents on one game, each on every side, with the same seeds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from fogbound.core import registry
from fogbound.core.agent import AgentLike
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor
from fogbound.core.statistics import wilson
from fogbound.lab.results import Results
from fogbound.lab.store import MEMORY
from fogbound.lab.tournament import Watch, tournament

if TYPE_CHECKING:
    from pandas import DataFrame


class Duel:
    """How a duel went; print it to see."""

    def __init__(self, results: Results) -> None:
        self.results = results
        self.first, self.second = (*results.names, *results.names)[:2]
        self.standing = {row["player"]: row for row in results.standings()}

    @property
    def games(self) -> int:
        return self.results.count

    @property
    def wins(self) -> dict[str, int]:
        """Games that each agent won alone."""
        won = dict.fromkeys(self.results.names, 0)
        for row in self.results.encounters():
            won[row["player"]] += row["wins"]
        return won

    @property
    def share(self) -> float:
        """The first agent's share of the points."""
        return float(self.standing[self.first]["share"])

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of that share."""
        row = self.standing[self.first]
        return wilson(row["points"], row["games"])

    def frame(self) -> DataFrame:
        """A row for each agent on each side."""
        return self.results.frame("roles")

    def plot(self) -> Any:
        """A figure of the wins by side."""
        from fogbound.lab import plots

        return plots.roles(self.results)

    def __str__(self) -> str:
        low, high = self.interval
        spec = self.results.boards[0].spec
        lines = [f"{self.first} against {self.second} on {spec}, {self.games:,} games, seed {self.results.settings['seed']}"]
        lines.append(f"{self.first}: {_percent(self.share, low, high)} of the points")
        width = max(len(f"{row['player']} as {row['side']}") for row in self.results.roles())
        for row in self.results.roles():
            name = f"{row['player']} as {row['side']}"
            lines.append(f"  {name:{width}}  {_percent(row['share'], row['low'], row['high'])} of {row['games']:,} games")
        row = self.standing[self.first]
        elo = row["elo"] - self.standing[self.second]["elo"]
        if self.first != self.second:
            lines.append(f"Elo difference {elo:+.0f} (95% {2 * row['elo low']:+.0f} to {2 * row['elo high']:+.0f})")
        lines += [f"Sequential test: {test['verdict']} better, after {test['seeds']} seeds" for test in self.results.tests()]
        return "\n".join(lines)

    __repr__ = __str__


def _percent(share: float, low: float, high: float) -> str:
    return f"{100 * share:5.1f}% (95% {100 * low:.1f} to {100 * high:.1f})"


def duel(
    game: Game | str,
    first: AgentLike,
    second: AgentLike,
    games: int = 1000,
    seed: int = 0,
    file: str | Path = MEMORY,
    resume: bool = False,
    engine: str | Executor = "local",
    workers: int | None = None,
    watch: Watch | None = None,
    **settings: Any,
) -> Duel:
    """Two agents against each other, each on every side with the same seeds.

    `settings` are those of a tournament, as in stop="sprt", elo1=10.
    """
    spec = registry.game(game).spec
    first, second = registry.spec_of(first), registry.spec_of(second)
    if isinstance(game, Game) and not game.shipped and not Path(spec.partition("/")[2].partition(":")[0]).exists():
        raise FogboundError(f"{spec} was made in Python and has no file; save its board and give the name of that file.")
    given = {"name": f"{first} against {second}", "boards": [spec], "games": games, "seed": seed, **settings}
    given |= {"agents": [first, second]} if first != second else {"agents": [first], "self_play": True}
    return Duel(tournament(given, file, resume, engine, workers, watch))
