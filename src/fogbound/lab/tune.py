"""Better options for an agent: SPSA over games against itself, and a sequential test of what it found.

A step moves all options at once, a little to one side and a little to the other, lets the two play each other on
paired seeds with seats swapped, and goes some way towards the better one (Spall, 1992). At the end the tuned agent
meets the one it began as, until the games say clearly enough who is better.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import BadOption, UnknownName
from fogbound.lab.duel import Duel, duel

SLOWING, NARROWING = 0.602, 0.101  # Spall's exponents: how steps shorten, and how trials draw together
RANGE = re.compile(r"(-?[\d.]+)\.\.(-?[\d.]+)")
Step = tuple[dict[str, float], float]


@dataclass(frozen=True)
class Parameter:
    """An option with the range in which it is tuned; whole numbers stay whole."""

    name: str
    low: float
    high: float
    whole: bool

    @classmethod
    def read(cls, name: str, text: str) -> Parameter:
        found = RANGE.fullmatch(text.strip())
        if found is None or float(found[1]) >= float(found[2]):
            raise BadOption(f"“{name}={text}” is not a range: write {name}=LOW..HIGH, as in {name}=0.5..3.")
        return cls(name, float(found[1]), float(found[2]), "." not in found[1] + found[2])

    def value(self, place: float) -> float:
        """The option's value at a place from 0 to 1 in its range."""
        exact = self.low + min(1.0, max(0.0, place)) * (self.high - self.low)
        return round(exact) if self.whole else round(exact, 6)

    def place(self, value: float) -> float:
        return min(1.0, max(0.0, (value - self.low) / (self.high - self.low)))


@dataclass(frozen=True)
class Tuned:
    """What tuning found."""

    game: str
    began: str
    agent: str
    """The tuned agent."""
    verdict: str
    """Of the sequential test between the two: better, not better, or open."""
    test: Duel
    steps: tuple[Step, ...]
    """The options after each step, and the share of the points that their trial on one side won against the other."""


def tune(
    game: Game | str,
    agent: str,
    ranges: Mapping[str, str],
    steps: int = 30,
    games: int = 40,
    seed: int = 0,
    elo: float = 20.0,
    most: int = 4000,
    workers: int | None = None,
    watch: Callable[[int, int, dict[str, float]], None] | None = None,
) -> Tuned:
    """Tune options of an agent on a game; the result is tested for being `elo` better, with `most` games at the most."""
    played = registry.game(game)
    parameters = [Parameter.read(name, text) for name, text in ranges.items()]
    name, given = _given(played, agent, parameters)
    places = np.array([p.place(_begin(played, agent, p)) for p in parameters])
    rng, history = np.random.default_rng(seed), []
    for step in range(steps):
        width = np.maximum(0.25 / (step + 1) ** NARROWING, [0.5 / (p.high - p.low) if p.whole else 0 for p in parameters])
        signs = rng.choice([-1.0, 1.0], len(parameters))
        one, other = (_spec(name, given, parameters, places + way * width * signs) for way in (1, -1))
        share = 0.5
        if one != other:
            share = duel(played, one, other, games=games, seed=seed + step + 1, workers=workers).share
        places = np.clip(places + 0.6 / (step + 1 + steps / 10) ** SLOWING * (2 * share - 1) * signs, 0, 1)
        history.append((_values(parameters, places), share))
        if watch:
            watch(step + 1, steps, history[-1][0])
    tuned = _spec(name, given, parameters, places)
    test = duel(played, tuned, agent, games=most, seed=seed, stop="sprt", elo0=0.0, elo1=elo, workers=workers)
    return Tuned(played.spec, agent, tuned, _verdict(test, tuned, agent), test, tuple(history))


def _given(game: Game, agent: str, parameters: list[Parameter]) -> tuple[str, dict[str, str]]:
    """The agent's name, and its options that are not tuned."""
    name, text = registry.split_options(agent)
    known = registry.agent_class(name, game).options_model.model_fields
    for parameter in parameters:
        if parameter.name not in known:
            raise UnknownName("option", parameter.name, known, f"of agent “{name}”")
    tuned = {parameter.name for parameter in parameters}
    return name, {key: value for key, value in registry.parse_options(text, agent).items() if key not in tuned}


def _begin(game: Game, agent: str, parameter: Parameter) -> float:
    """Where an option begins: as given, as it is by default, or in the middle of its range."""
    value = getattr(registry.agent(agent, game).options, parameter.name)
    return float(value) if isinstance(value, int | float) else (parameter.low + parameter.high) / 2


def _values(parameters: list[Parameter], places: NDArray[np.float64]) -> dict[str, float]:
    return {p.name: p.value(float(place)) for p, place in zip(parameters, places, strict=True)}


def _spec(name: str, given: dict[str, str], parameters: list[Parameter], places: NDArray[np.float64]) -> str:
    options = {**given, **{key: f"{value:g}" for key, value in _values(parameters, places).items()}}
    return f"{name}:{','.join(f'{key}={value}' for key, value in options.items())}"


def _verdict(test: Duel, tuned: str, agent: str) -> str:
    found = [] if tuned == agent else test.results.tests()
    if not found:
        return "not better"
    return "open" if found[0]["verdict"] == "open" else "better" if found[0]["ratio"] > 0 else "not better"
