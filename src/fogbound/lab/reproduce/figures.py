"""What a published figure is, and how ours is compared with it: shares of wins, lengths, times, trained nets.

A figure names the games and agents that it is made of; a verdict says whether chance explains the difference.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import erfc
from typing import Any, Literal

import numpy as np

from fogbound.lab.sets import SetResult

Verdict = Literal["agrees", "differs", "theirs is a picture only", "too few trainings"]
PICTURE: Verdict = "theirs is a picture only"
TOO_FEW: Verdict = "too few trainings"
JUDGED: Sequence[Verdict] = ("agrees", "differs")
RARE = 0.01  # a difference that chance makes less often than this counts as one
UNLIKELY = 0.05  # and this often, one between two figures of ours

Set = tuple[str, tuple[str, ...]]
"""Games of one kind: the game, and an agent for each side or one for all."""


@dataclass(frozen=True)
class Line:
    """One figure, ours beside theirs."""

    label: str
    ours: float
    low: float
    high: float
    theirs: float | None
    unit: str
    verdict: Verdict
    games: int = 0
    thought: str = ""
    """How long the players were allowed to think, such as 500 iterations; as it was really played."""
    seconds: float = 0.0
    """That the players thought, all together."""
    seeds: int = 0
    """Trainings that a figure is the mean of."""
    spread: float = 0.0
    """Standard deviation between these trainings."""
    p: float | None = None
    """How often chance alone makes a difference as large, where the figure was tested."""

    def row(self) -> dict[str, Any]:
        return dict(vars(self))

    def moved(self, by: float) -> Line:
        """The figure, larger by so much."""
        return replace(self, ours=self.ours + by)


def exactly(number: float) -> Line:
    """A number that is given, as a figure."""
    return Line("", number, number, number, None, "", PICTURE, games=10**9)


def fisher(ours: int, games: int, theirs: int, of: int) -> float:
    """Fisher's exact test of two shares of wins: how often chance alone makes them differ as much."""
    from scipy.stats import fisher_exact

    return float(fisher_exact([[ours, games - ours], [theirs, of - theirs]]).pvalue)


def apart(one: Line, other: Line) -> float:
    """How often chance alone puts two figures of ours so far apart; trainings are taken to spread alike, games are not."""
    from scipy.stats import ttest_ind_from_stats

    trained = bool(one.seeds and other.seeds)
    return float(ttest_ind_from_stats(*_sample(one), *_sample(other), equal_var=trained).pvalue)


def in_order_once(smaller: Line, larger: Line) -> float:
    """How often one training more of each comes out in this order, by Student's t with the spread that they share."""
    from scipy.stats import t

    free = smaller.seeds + larger.seeds - 2
    spread = sum((line.seeds - 1) * line.spread**2 for line in (smaller, larger)) / free
    error = (spread * (2 + 1 / smaller.seeds + 1 / larger.seeds)) ** 0.5
    return float(t.cdf((larger.ours - smaller.ours) / max(error, 1e-9), free))


def _sample(line: Line) -> tuple[float, float, int]:
    """Mean, standard deviation and size: of trainings, or of games by their interval."""
    if line.seeds:
        return line.ours, max(line.spread, 1e-9), line.seeds
    count = max(2, line.games)
    return line.ours, max((line.high - line.low) / 3.92 * count**0.5, 1e-9), count


def judged(line: Line, p: float) -> Line:
    """A figure with the verdict of a test."""
    return replace(line, p=p, verdict="agrees" if p >= RARE else "differs")


@dataclass(frozen=True)
class Wins:
    """A published share of wins: of one side, in percent, out of so many games."""

    label: str
    game: str
    agents: Sequence[str]
    theirs: float | None = None
    of: int = 100
    side: int = 0

    @property
    def sets(self) -> list[Set]:
        return [(self.game, tuple(self.agents))]

    def line(self, played: SetResult) -> Line:
        rate, low, high = (100 * x for x in played.rate(self.side))
        line = Line(self.label, rate, low, high, self.theirs, "%", PICTURE, played.games)
        if self.theirs is None:
            return line
        return judged(line, fisher(played.wins(self.side), played.games, round(self.theirs * self.of / 100), self.of))


@dataclass(frozen=True)
class TrainedWins:
    """A published share of wins of a trained net, beside those of several nets that were trained alike.

    Trainings differ by more than games do. So the published net is compared as one more training: with the mean of ours,
    by Student's t with their spread and the chance of the games in its variance. Three trainings tell little of their
    spread, so figures of one experiment may share it.
    """

    label: str
    game: str
    line_ups: Sequence[Sequence[str]]
    """The agents that play, for each training."""
    theirs: float | None = None
    of: int = 100
    side: int = 0
    shared: int = field(default=0, kw_only=True)
    """Games of the figure in a full run, which its trainings share; 0: the experiment's number for each of them."""
    fewest: int = field(default=1, kw_only=True)
    """Trainings without which there is no verdict."""
    means: int = field(default=1, kw_only=True)
    """Trainings of theirs that the published figure is the mean of."""
    like: str = field(default="", kw_only=True)
    """Figures of an experiment with the same word here are taken to spread alike between trainings."""

    @property
    def sets(self) -> list[Set]:
        return [(self.game, tuple(agents)) for agents in self.line_ups]

    @property
    def samples(self) -> list[Set]:
        """Games that tell whether all of them can be played."""
        return self.sets

    def line(self, *played: SetResult) -> Line:
        from scipy.stats import t

        if len(played) == 1:
            line = Wins(self.label, self.game, self.line_ups[0], self.theirs, self.of, self.side).line(*played)
            return replace(line, verdict=TOO_FEW, p=None) if self.fewest > 1 else line
        rates = np.array([100 * each.rate(self.side)[0] for each in played])
        mean, spread, count = float(rates.mean()), float(rates.std(ddof=1)), len(rates)
        reach = float(t.ppf(0.975, count - 1)) * spread / count**0.5
        games = [each.games for each in played]
        low, high = max(0.0, mean - reach), min(100.0, mean + reach)
        verdict = TOO_FEW if count < self.fewest else PICTURE
        line = Line(self.label, mean, low, high, self.theirs, "%", verdict, sum(games), seeds=count, spread=spread)
        if verdict == TOO_FEW or self.theirs is None:
            return line
        return self.tested(line, spread, count - 1)

    def tested(self, line: Line, spread: float, free: int) -> Line:
        """Student's test of one training more, with the spread of trainings and its degrees of freedom."""
        from scipy.stats import t

        assert self.theirs is not None
        mean = float(np.clip((line.ours * line.seeds + self.theirs) / (line.seeds + 1), 0.5, 99.5))
        chance = mean * (100 - mean)
        trainings = max(0.0, spread**2 - chance * line.seeds / line.games)
        error = (trainings / self.means + chance / self.of + spread**2 / line.seeds) ** 0.5
        return judged(line, float(2 * t.sf(abs(line.ours - self.theirs) / error, free)))


@dataclass(frozen=True)
class WonLength:
    """A published mean length of the games that a side won, in rounds of `moves` moves, out of so many won games."""

    label: str
    game: str
    agents: Sequence[str]
    side: int
    moves: int
    theirs: float | None = None
    of: int = 100

    @property
    def sets(self) -> list[Set]:
        return [(self.game, tuple(self.agents))]

    def line(self, played: SetResult) -> Line:
        won = played.scores[:, self.side] > 0.5
        rounds = np.ceil(played.lengths[won] / self.moves)
        mean, spread = (float(rounds.mean()), float(rounds.std())) if len(rounds) else (float("nan"), 0.0)
        error = spread / max(1, len(rounds)) ** 0.5
        reach, count = 1.96 * error, len(rounds)
        line = Line(self.label, mean, mean - reach, mean + reach, self.theirs, "rounds", PICTURE, count)
        if self.theirs is None:
            return line
        both = (error**2 + spread**2 / self.of) ** 0.5  # theirs is taken to spread as ours does
        return judged(line, erfc(abs(mean - self.theirs) / max(both, 1e-9) / 2**0.5))


@dataclass(frozen=True)
class Seconds:
    """A published time on another machine: it is shown without a verdict; claims about it are tested."""

    label: str
    game: str
    agents: Sequence[str]
    theirs: float | None = None
    per: Callable[[SetResult], float] = lambda played: played.games
    """What the seconds are divided by: games, rounds, ..."""

    @property
    def sets(self) -> list[Set]:
        return [(self.game, tuple(self.agents))]

    def line(self, played: SetResult) -> Line:
        ours = sum(played.side_seconds) / max(1.0, self.per(played))
        return Line(self.label, ours, ours, ours, self.theirs, "s", PICTURE, played.games)


@dataclass(frozen=True)
class Length:
    """The mean number of moves of a game, which is the same on every machine: for times that were published."""

    label: str
    game: str
    agents: Sequence[str]

    @property
    def sets(self) -> list[Set]:
        return [(self.game, tuple(self.agents))]

    def line(self, played: SetResult) -> Line:
        mean, reach = float(played.lengths.mean()), 1.96 * float(played.lengths.std()) / played.games**0.5
        return Line(self.label, mean, mean - reach, mean + reach, None, "moves", PICTURE, played.games)


Cell = Wins | TrainedWins | WonLength | Length | Seconds
BUDGET = re.compile(r"\b(iterations|seconds|playouts)=([\d.]+)")


def compared(cell: Cell, played: Sequence[SetResult]) -> Line:
    """A figure from the games that it is made of, with what they really took."""
    seconds = sum(sum(each.side_seconds) for each in played)
    return replace(cell.line(*played), thought=thought(played), seconds=seconds)


def alike(figures: Sequence[tuple[Cell, Line]], every: Sequence[tuple[Cell, Line]]) -> list[Line]:
    """Figures of trained nets, judged with the spread that those of all figures share which are like each other."""
    spreads: dict[str, list[tuple[int, float]]] = {}
    for cell, line in every:
        if isinstance(cell, TrainedWins) and line.p is not None:
            spreads.setdefault(cell.like, []).append((line.seeds - 1, line.spread))
    made = []
    for cell, line in figures:
        if isinstance(cell, TrainedWins) and cell.like and line.p is not None:
            free = sum(count for count, _ in spreads[cell.like])
            spread = (sum(count * each**2 for count, each in spreads[cell.like]) / free) ** 0.5
            line = cell.tested(line, spread, free)
        made.append(line)
    return made


def thought(played: Sequence[SetResult]) -> str:
    """How long the players might think, from their specs."""
    found = (budget for each in played for agent in each.agents for budget in BUDGET.findall(agent))
    return ", ".join(dict.fromkeys(f"{float(value):,g} {name}" for name, value in found))
