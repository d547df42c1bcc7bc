"""Fair boards: the sides' shares between players of several strengths, along one or two settings, and the fairest."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Executor
from fogbound.core.levels import levels
from fogbound.lab.sets import SetResult, play_sets
from fogbound.lab.store import MEMORY
from fogbound.lab.tournament import Watch

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from pandas import DataFrame

MOST_SETTINGS = 400
GAMES, SEARCH_GAMES = 1000, 100  # by default: between players that answer at once, and between searches
SEARCH = "champion:iterations=200"


@dataclass(frozen=True)
class Point:
    """The game under one choice of settings, between players of one strength."""

    settings: dict[str, str]
    played: SetResult
    players: str
    """The name of their strength, or their specs."""

    @property
    def gap(self) -> float:
        """How far the side that is farthest from an even share is from it."""
        sides = self.played.scores.shape[1]
        return float(np.abs(self.played.scores.mean(axis=0) - 1 / sides).max())

    @property
    def may_be_fair(self) -> bool:
        """Whether an even share lies in the interval of every side."""
        sides = self.played.scores.shape[1]
        shares = map(self.played.share, range(sides))
        return all(low <= 1 / sides <= high for _, low, high in shares)


@dataclass(frozen=True)
class Balance:
    """The sides' shares along settings, between players of one strength or several; print it to see."""

    game: str
    side_names: tuple[str, ...]
    points: Sequence[Point]

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents of all sides; those of the strongest players if there are several strengths."""
        return self.points[-1].played.agents

    @property
    def players(self) -> list[str]:
        """The strengths that were tried, weakest first."""
        return list(dict.fromkeys(point.players for point in self.points))

    def of(self, players: str) -> list[Point]:
        """The points between players of one strength."""
        return [point for point in self.points if point.players == players]

    @property
    def fairest(self) -> Point:
        """The settings that are nearest to even shares at the strength at which they are farthest from them."""
        return min(self._worst(), key=lambda point: point.gap)

    def _worst(self) -> list[Point]:
        """For each choice of settings, the point that is farthest from even."""
        worst: dict[str, Point] = {}
        for point in self.points:
            key = words(point.settings)
            worst[key] = max(worst.get(key, point), point, key=lambda each: each.gap)
        return list(worst.values())

    def rivals(self) -> list[Point]:
        """Settings that may be fair at every strength, one point each."""
        unfair = {words(point.settings) for point in self.points if not point.may_be_fair}
        return [point for point in self._worst() if words(point.settings) not in unfair]

    def rows(self) -> list[dict[str, Any]]:
        """A row for each side under each choice of settings and strength."""
        rows = []
        best = self.fairest.settings
        for point in self.points:
            for side, name in enumerate(self.side_names):
                rate, low, high = point.played.share(side)
                row: dict[str, Any] = {**point.settings, "players": point.players, "side": name}
                row |= {"agent": point.played.agents[side], "games": point.played.games, "wins": point.played.wins(side)}
                rows.append(row | {"rate": rate, "low": low, "high": high, "fairest": point.settings == best})
        return rows

    def frame(self) -> DataFrame:
        from fogbound.lab.results import _pandas

        return _pandas().DataFrame(self.rows())  # type: ignore[no-any-return]

    def plot(self) -> Figure:
        """Shares by strength, curves along one setting, a heat map over two."""
        from fogbound.lab import plots

        return plots.balance(self)

    def __str__(self) -> str:
        lines = [self.game]
        for players in self.players:
            first = self.of(players)[0].played
            lines.append(f"{players} ({' / '.join(dict.fromkeys(first.agents))}), {first.games:,} games each")
            for point in self.of(players):
                mark = "  <- fairest" if point.settings and point.settings == self.fairest.settings else ""
                lines.append(f"  {words(point.settings)}{': ' if point.settings else ''}{self.shares(point)}{mark}")
        lines.append(self.verdict())
        return "\n".join(lines)

    def shares(self, point: Point) -> str:
        """The sides' shares at a point, in words."""
        parts = []
        for side, name in enumerate(self.side_names):
            rate, low, high = (100 * x for x in point.played.share(side))
            parts.append(f"{name} {rate:.1f}% ({low:.1f} to {high:.1f})")
        return ", ".join(parts)

    def verdict(self) -> str:
        best = self.fairest
        return self._is_it_fair() if not best.settings else self._fairest_settings(best)

    def _is_it_fair(self) -> str:
        unfair = [point for point in self.points if not point.may_be_fair]
        if not unfair:
            return f"It may be fair: an even share lies in every interval, between {_listed(self.players)}."
        told = "; ".join(f"between {point.players} players {self.shares(point)}" for point in unfair)
        return f"It is not fair: {told}."

    def _fairest_settings(self, best: Point) -> str:
        among = f" (between {best.players} players, where it is least fair)" if len(self.players) > 1 else ""
        text = f"Fairest: {words(best.settings)}, {self.shares(best)}{among}."
        others = [words(point.settings) for point in self.rivals() if point.settings != best.settings]
        if others:
            text += f" Within the intervals these are fair too: {'; '.join(others)}."
        elif best not in self.rivals():
            text += " No setting tried is fair: even shares lie outside its interval."
        return text

    __repr__ = __str__


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]} players" if len(names) > 1 else f"{names[0]} players"


def words(settings: Mapping[str, str]) -> str:
    return ", ".join(f"{key}={value}" for key, value in settings.items())


def strengths(game: Game) -> dict[str, list[str]]:
    """Players of several strengths for any game: a beginner, one who follows rules of thumb, and a net or a search."""
    scripted = ["heuristic"] if "heuristic" in registry.agents(game) else []
    place = registry.family(game.family).strong
    net = registry.fetch(place)(game) if place else ""
    named = {"beginner": [levels(game)[0].agent], "scripted": scripted, "net" if net else "search": [net or SEARCH]}
    return {name: agents for name, agents in named.items() if agents}


def balance(
    game: str,
    vary: Mapping[str, Sequence[Any] | str] | None = None,
    agents: Sequence[str] | str | None = None,
    games: int | None = None,
    seed: int = 0,
    engine: Executor | None = None,
    watch: Watch | None = None,
    file: str | Path = MEMORY,
) -> Balance:
    """Is a game fair? Or, with vary={"detectives": "1..5"}: under which settings?

    Players of several strengths play it, unless `agents` says who: what is fair between weak players need not be
    fair between strong ones.
    """
    settings = _settings(vary or {})
    specs = [with_settings(game, chosen) for chosen in settings]
    sides = {registry.game(spec).side_names for spec in specs}
    if len(sides) > 1:
        raise FogboundError("The settings change the number of sides, so their shares cannot be compared.")
    seated = strengths(registry.game(specs[0])) if agents is None else _named(agents)
    points = []
    for players, each in seated.items():
        count = games or (SEARCH_GAMES if each == [SEARCH] else GAMES)
        there = file if file == MEMORY or agents is not None else Path(file).with_suffix(f".{players}.sqlite")
        played = play_sets(f"balance of {game}", [(spec, each) for spec in specs], count, seed, engine, watch, there)
        points += [Point(chosen, result, players) for chosen, result in zip(settings, played, strict=True)]
    return Balance(game, next(iter(sides)), points)


def _named(agents: Sequence[str] | str) -> dict[str, list[str]]:
    seated = [agents] if isinstance(agents, str) else list(agents)
    return {" / ".join(seated): seated}


def _settings(vary: Mapping[str, Sequence[Any] | str]) -> list[dict[str, str]]:
    """Every choice of the varied settings; one empty choice if nothing is varied."""
    if len(vary) > 2:
        raise FogboundError(f"Vary one or two settings, or none, not {len(vary)}.")
    choices = {key: values(given) if isinstance(given, str) else [str(x) for x in given] for key, given in vary.items()}
    settings = [dict(zip(choices, chosen, strict=True)) for chosen in product(*choices.values())]
    if len(settings) > MOST_SETTINGS:
        raise FogboundError(f"That makes {len(settings)} settings, more than the {MOST_SETTINGS} that can be tried at once.")
    return settings


def with_settings(game: str, settings: Mapping[str, str]) -> str:
    """A game's spec with some options set."""
    if not settings:
        return game
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
