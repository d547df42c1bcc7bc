"""What a published experiment is, whether it can be run now, and how ours is compared with theirs.

An experiment names games and agents by their specs. It can be run as soon as the registry
knows all of them; nothing in it has to change then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor
from fogbound.lab.sets import SetResult, play_sets
from fogbound.lab.tournament import Watch

Verdict = Literal["agrees", "differs", "theirs is a picture only"]
PICTURE: Verdict = "theirs is a picture only"
RARE = 0.01  # a difference that chance makes less often than this counts as one
DOCUMENTS = {
    "H": "Husa 2022, Scotland Yard",
    "T": "Tulušák 2020, Scotland Yard",
    "L": "Lukáš 2024, Eight-Minute Empire",
    "V": "Vašátko 2018, Risk",
    "K": "Hrkľová 2023, Scotland Yard",
}


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

    def row(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(frozen=True)
class Wins:
    """A published share of wins: of one side, in percent, out of so many games."""

    label: str
    game: str
    agents: Sequence[str]
    theirs: float | None = None
    of: int = 100
    side: int = 0

    def line(self, played: SetResult) -> Line:
        rate, low, high = (100 * x for x in played.rate(self.side))
        verdict = PICTURE if self.theirs is None else self._verdict(played, self.theirs)
        return Line(self.label, rate, low, high, self.theirs, "%", verdict, played.games)

    def _verdict(self, played: SetResult, theirs: float) -> Verdict:
        """Fisher's exact test of the two shares."""
        from scipy.stats import fisher_exact

        ours, published = played.wins(self.side), round(theirs * self.of / 100)
        table = [[ours, played.games - ours], [published, self.of - published]]
        return "agrees" if fisher_exact(table).pvalue >= RARE else "differs"


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

    def line(self, played: SetResult) -> Line:
        won = played.scores[:, self.side] > 0.5
        rounds = np.ceil(played.lengths[won] / self.moves)
        mean, spread = (float(rounds.mean()), float(rounds.std())) if len(rounds) else (float("nan"), 0.0)
        error = spread / max(1, len(rounds)) ** 0.5
        both = (error**2 + spread**2 / self.of) ** 0.5  # theirs is taken to spread as ours does
        verdict = PICTURE if self.theirs is None else "agrees" if abs(mean - self.theirs) <= 2.58 * both else "differs"
        return Line(self.label, mean, mean - 1.96 * error, mean + 1.96 * error, self.theirs, "rounds", verdict, len(rounds))


@dataclass(frozen=True)
class Seconds:
    """A published time on another machine: it is shown without a verdict; claims about it are tested."""

    label: str
    game: str
    agents: Sequence[str]
    theirs: float | None = None
    per: Callable[[SetResult], float] = lambda played: played.games
    """What the seconds are divided by: games, rounds, ..."""

    def line(self, played: SetResult) -> Line:
        ours = sum(played.side_seconds) / max(1.0, self.per(played))
        return Line(self.label, ours, ours, ours, self.theirs, "s", PICTURE, played.games)


Cell = Wins | WonLength | Seconds
Figures = Mapping[str, float]


@dataclass(frozen=True)
class Claim:
    """Something the document says in words about its figures."""

    text: str
    about: Sequence[str]
    """Labels of the figures that it speaks of."""
    holds: Callable[[Figures], bool]


@dataclass(frozen=True)
class Experiment:
    """One published experiment."""

    id: str
    title: str
    setup: str
    cells: Sequence[Cell] = ()
    full: int = 100
    """Games a cell in the document."""
    quick: int = 100
    """Games a cell that finish in minutes."""
    shrink: Mapping[str, str] = field(default_factory=dict)
    """What is replaced in the agents' specs unless the experiment is run in full, such as budgets."""
    claims: Sequence[Claim] = ()
    exact: Callable[[], Sequence[Line]] | None = None
    """For figures that are worked out rather than played."""
    uses: Sequence[tuple[Sequence[str], str]] = ()
    """Agents and games that `exact` needs."""
    needs: Sequence[str] = ()
    """What it needs that no spec can name, such as people."""

    @property
    def document(self) -> str:
        return DOCUMENTS[self.id[0]]

    def missing(self) -> list[str]:
        """What it needs, in whole or in part, that is not there yet."""
        lacking = dict.fromkeys(self.needs)
        for agents, game in self._uses():
            lacking |= dict.fromkeys(missing(agents, game))
        return list(lacking)

    def ready(self) -> list[Cell]:
        """The figures that can be played now."""
        return [cell for cell in self.cells if not missing(cell.agents, cell.game)]

    @property
    def runs(self) -> bool:
        """Whether at least a part of it can be run now."""
        worked_out = self.exact is not None and not any(missing(agents, game) for agents, game in self.uses)
        return not self.needs and (worked_out or bool(self.ready()))

    @property
    def state(self) -> str:
        """What `fogbound reproduce` lists."""
        lacking = self.missing()
        if not lacking:
            return "runs now"
        return f"{'runs in part; the rest ' if self.runs else ''}needs {few(lacking)}"

    def _uses(self) -> list[tuple[Sequence[str], str]]:
        return [*self.uses, *((cell.agents, cell.game) for cell in self.cells)]

    def run(
        self,
        games: int | None = None,
        full: bool = False,
        seed: int = 1,
        engine: Executor | None = None,
        watch: Watch | None = None,
    ) -> Outcome:
        """Run what can be run: quick sizes by default, the published ones in full, or a number of games a figure."""
        if not self.runs:
            raise FogboundError(f"{self.id} cannot be run yet: it needs {few(self.missing())}.")
        lines = list(self.exact()) if self.exact else []
        cells = self.ready()
        sets = [(cell.game, tuple(_replaced(agent, {} if full else self.shrink) for agent in cell.agents)) for cell in cells]
        distinct = list(dict.fromkeys(sets))
        if cells:
            count = games or (self.full if full else self.quick)
            played = dict(zip(distinct, play_sets(self.id, distinct, count, seed, engine, watch), strict=True))
            lines += [cell.line(played[which]) for cell, which in zip(cells, sets, strict=True)]
        figures = {line.label: line.ours for line in lines}
        claims = [
            (claim.text, claim.holds(figures)) for claim in self.claims if all(name in figures for name in claim.about)
        ]
        return Outcome(self, lines, claims, seed)


@dataclass(frozen=True)
class Outcome:
    """What a run of an experiment gave."""

    experiment: Experiment
    lines: Sequence[Line]
    claims: Sequence[tuple[str, bool]]
    seed: int

    @property
    def verdict(self) -> str:
        """The verdict on the whole: on its figures if there are any, and on what the text says."""
        compared = [line for line in self.lines if line.verdict != PICTURE]
        different = sum(line.verdict == "differs" for line in compared)
        wrong = sum(not holds for _, holds in self.claims)
        timed = any(line.theirs is not None for line in self.lines)
        not_compared = "theirs was timed on another machine" if timed else PICTURE
        if not compared and not self.claims:
            return not_compared
        parts = [f"in {different} of {len(compared)} figures"] if different else []
        parts += [f"in {wrong} of {len(self.claims)} statements of the text"] if wrong else []
        if parts:
            return f"differs {' and '.join(parts)}"
        return "agrees" if compared else f"{not_compared}; its text agrees"

    def frame(self) -> Any:
        """A pandas DataFrame with a row a figure."""
        from fogbound.lab.results import _pandas

        return _pandas().DataFrame([line.row() for line in self.lines])


def few(names: Sequence[str], most: int = 3) -> str:
    """Names in a row; of very many only the first."""
    left = len(names) - most
    return ", ".join(names) if left <= 0 else f"{', '.join(names[:most])} and {left} more"


def _replaced(text: str, words: Mapping[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def missing(agents: Sequence[str], game: str) -> list[str]:
    """What the registry does not know of a game and the agents that are to play it."""
    known = (tuple(registry.families()), tuple(registry.agents()))
    return list(dict.fromkeys(lack for agent in agents or ("random",) for lack in _lacks(agent, game, known)))


@lru_cache(maxsize=4096)
def _lacks(agent: str, game: str, _known: tuple[tuple[str, ...], ...]) -> tuple[str, ...]:
    """What is not known of an agent and its game; asked again when the registry knows more names."""
    name = registry.split_options(agent)[0]
    try:
        played = registry.game(game)
    except FogboundError:
        family = game.partition("/")[0]
        unknown = (f"agent {name}",) if name not in registry.agents() else ()
        return (f"game {game if family in registry.families() else family}", *unknown)
    try:
        registry.agent(agent, played)
    except FogboundError:
        return (f"agent {agent}" if name in registry.agents(played) else f"agent {name}",)
    return ()
