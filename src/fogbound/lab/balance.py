"""Fair boards: win rates along one or two settings of a game, and the fairest of them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor
from fogbound.lab.sets import SetResult, play_sets
from fogbound.lab.store import MEMORY
from fogbound.lab.tournament import Watch

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

MOST_SETTINGS = 400


@dataclass(frozen=True)
class Point:
    """The game under one choice of settings."""

    settings: dict[str, str]
    played: SetResult

    @property
    def gap(self) -> float:
        """How far the side that is farthest from an even share is from it."""
        sides = self.played.scores.shape[1]
        return float(np.abs(self.played.scores.mean(axis=0) - 1 / sides).max())


@dataclass(frozen=True)
class Balance:
    """Win rates along settings; print it to see."""

    game: str
    agents: tuple[str, ...]
    side_names: tuple[str, ...]
    points: Sequence[Point]

    @property
    def fairest(self) -> Point:
        """The settings under which the sides come nearest to even shares."""
        return min(self.points, key=lambda point: point.gap)

    def rivals(self) -> list[Point]:
        """Settings that may be as fair as the fairest: an even share lies in their interval too."""
        fair = 1 / len(self.side_names)
        return [
            p
            for p in self.points
            if all(p.played.rate(s)[1] <= fair <= p.played.rate(s)[2] for s in range(len(self.side_names)))
        ]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each side under each choice of settings."""
        rows = []
        for point in self.points:
            for side, name in enumerate(self.side_names):
                rate, low, high = point.played.rate(side)
                row: dict[str, Any] = {**point.settings, "side": name, "games": point.played.games}
                row |= {"wins": point.played.wins(side), "rate": rate, "low": low, "high": high}
                rows.append(row | {"fairest": point is self.fairest})
        return rows

    def frame(self) -> DataFrame:
        from fogbound.lab.results import _pandas

        return _pandas().DataFrame(self.rows())  # type: ignore[no-any-return]

    def plot(self) -> Figure:
        """Curves along one setting, a heat map over two."""
        from fogbound.lab import plots

        return plots.balance(self)

    def __str__(self) -> str:
        lines = [f"{self.game}, {' / '.join(self.agents)}, {self.points[0].played.games:,} games each"]
        for point in self.points:
            mark = "  <- fairest" if point is self.fairest else ""
            lines.append(f"  {words(point.settings)}: {self.shares(point)}{mark}")
        lines.append(self.verdict())
        return "\n".join(lines)

    def shares(self, point: Point) -> str:
        """The sides' shares under some settings, in words."""
        parts = []
        for side, name in enumerate(self.side_names):
            rate, low, high = (100 * x for x in point.played.rate(side))
            parts.append(f"{name} {rate:.1f}% ({low:.1f} to {high:.1f})")
        return ", ".join(parts)

    def verdict(self) -> str:
        best = self.fairest
        text = f"Fairest: {words(best.settings)}, {self.shares(best)}."
        others = [words(point.settings) for point in self.rivals() if point is not best]
        if others:
            text += f" Within the intervals these are fair too: {'; '.join(others)}."
        elif best not in self.rivals():
            text += " No setting tried is fair: even shares lie outside its interval."
        return text

    __repr__ = __str__


def words(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in settings.items())


def balance(
    game: str,
    vary: Mapping[str, Sequence[Any] | str],
    agents: Sequence[str] | str = ("random",),
    games: int = 1000,
    seed: int = 0,
    engine: Executor | None = None,
    watch: Watch | None = None,
    file: str | Path = MEMORY,
) -> Balance:
    """Play a game under every choice of the varied settings, as in vary={"detectives": "1..5"}."""
    if not 1 <= len(vary) <= 2:
        raise FogboundError(f"Vary one or two settings, not {len(vary)}.")
    choices = {key: values(given) if isinstance(given, str) else [str(x) for x in given] for key, given in vary.items()}
    settings = [dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values())]
    if len(settings) > MOST_SETTINGS:
        raise FogboundError(f"That makes {len(settings)} settings, more than the {MOST_SETTINGS} that can be tried at once.")
    specs = [with_settings(game, chosen) for chosen in settings]
    seated = [agents] if isinstance(agents, str) else list(agents)
    sides = {registry.game(spec).side_names for spec in specs}
    if len(sides) > 1:
        raise FogboundError("The settings change the number of sides, so their shares cannot be compared.")
    played = play_sets(f"balance of {game}", [(spec, seated) for spec in specs], games, seed, engine, watch, file)
    points = [Point(chosen, result) for chosen, result in zip(settings, played, strict=True)]
    return Balance(game, played[0].agents, next(iter(sides)), points)


def with_settings(game: str, settings: Mapping[str, str]) -> str:
    """A game's spec with some options set."""
    family, slash, rest = game.partition("/")
    board, text = registry.split_options(rest)
    options = {**registry.parse_options(text, game), **settings}
    return f"{family}{slash}{board}:" + ",".join(f"{key}={value}" for key, value in options.items())


def parse(text: str) -> tuple[str, list[str]]:
    """`detectives=1..5` or `rounds=10,12,14` as a setting and its values."""
    key, equals, given = text.partition("=")
    if not equals or not key.strip() or not given.strip():
        raise FogboundError(f"“{text}” is not a setting to vary; write it as detectives=1..5 or rounds=10,12,14.")
    return key.strip().replace("-", "_"), values(given)


def values(text: str) -> list[str]:
    """`1..5`, `10..30..5` (in steps) or `10,12,14`."""
    ranged = re.fullmatch(r"\s*(\d+)\.\.(\d+)(?:\.\.(\d+))?\s*", text)
    if not ranged:
        if ".." in text:
            raise FogboundError(f"“{text}” is not a range; write it as 1..5, or as 10..30..5 in steps of 5.")
        return list(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    first, last, step = int(ranged[1]), int(ranged[2]), int(ranged[3] or 1)
    if last < first or step < 1:
        raise FogboundError(f"“{text}” is not a range: it should go upwards, as in 1..5.")
    return [str(number) for number in range(first, last + 1, step)]
