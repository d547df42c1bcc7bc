"""The settings of a tournament, read from TOML (mistakes are reported by line) or given in Python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from fogbound.core import registry, tomlfile
from fogbound.core.agent import Budget
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.tomlfile import Source

Specs = list[str] | dict[str, str]


class Settings(BaseModel):
    """A tournament."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field("tournament", min_length=1, max_length=80, description="what the report is headed with")
    boards: list[str] = Field(min_length=1, description="the games that are played, as in scotland-yard/plan1")
    agents: Specs = Field(min_length=1, description="the agents: a list of specs, or names with a spec each")
    format: Literal["round-robin", "gauntlet"] = Field(
        "round-robin", description="everyone against everyone, or each agent against the field"
    )
    field: Specs = Field(default=[], description="gauntlet: whom the agents play against")
    games: int = Field(100, ge=1, description="games of each encounter, rounded up to whole sets of seatings")
    seed: int = Field(0, ge=0, description="the tournament's seed")
    budgets: list[str] = Field(default=[], description="agents that think are entered once with each, as in iterations=1000")
    seatings: Literal["all", "rotations"] = Field("all", description="which seatings every seed is played in")
    self_play: bool = Field(False, description="each agent also plays against itself")
    stop: Literal["games", "sprt"] = Field("games", description="after all games, or when the sequential test decides")
    elo0: float = Field(0.0, description="sprt: the first agent is at most this much better")
    elo1: float = Field(20.0, description="sprt: the first agent is at least this much better")
    alpha: float = Field(0.05, gt=0, lt=0.5, description="sprt: chance to accept elo1 when elo0 is true")
    beta: float = Field(0.05, gt=0, lt=0.5, description="sprt: chance to accept elo0 when elo1 is true")

    @model_validator(mode="after")
    def _makes_sense(self) -> Settings:
        if self.format == "gauntlet" and not self.field:
            raise ValueError("a gauntlet needs a field: the agents that the others play against")
        if self.format != "gauntlet" and self.field:
            raise ValueError('a field belongs to format = "gauntlet"')
        if self.elo0 >= self.elo1:
            raise ValueError("elo0 must be less than elo1")
        if len(set(self.boards)) < len(self.boards):
            raise ValueError("boards lists the same board twice")
        return self


@dataclass(frozen=True)
class Player:
    """An agent that takes part, under the name the report calls it by."""

    name: str
    spec: str
    challenger: bool = True
    """Whether it meets the field (in a round robin everyone does)."""


def read(path: str | Path) -> tuple[Settings, Source]:
    """Settings from a TOML file; BadFile says what is wrong, where, and what is allowed."""
    data, source = tomlfile.read(path)
    return checked(data, source), source


def checked(data: Mapping[str, Any], source: Source) -> Settings:
    """Settings made from plain data."""
    return tomlfile.checked(Settings, data, source)


def set_up(settings: Settings, source: Source) -> tuple[list[Game], list[Player]]:
    """The games and players of a tournament, every name checked."""
    games = []
    for index, spec in enumerate(settings.boards):
        try:
            games.append(registry.game(spec))
        except FogboundError as error:
            raise source.problem(["boards", index], str(error), spec) from None
    players = [*_players(settings, "agents", games, source), *_players(settings, "field", games, source)]
    names = [player.name for player in players]
    for name in names:
        if names.count(name) > 1:
            twice = f"“{name}” takes part twice; list each agent once, or give each a name of its own."
            raise source.problem(["agents"], twice)
    return games, players


def _players(settings: Settings, key: str, games: Sequence[Game], source: Source) -> list[Player]:
    given: Specs = getattr(settings, key)
    named = given.items() if isinstance(given, dict) else [(spec, spec) for spec in given]
    players: list[Player] = []
    for index, (name, spec) in enumerate(named):
        place = [key, name if isinstance(given, dict) else index]
        for entry_name, entry in _entries(name, spec, settings.budgets, games, source, place):
            _check(entry, games, source, place, spec)
            players.append(Player(entry_name, entry, key == "agents"))
    return players


def _entries(
    name: str, spec: str, budgets: Sequence[str], games: Sequence[Game], source: Source, place: Sequence[str | int]
) -> list[tuple[str, str]]:
    """The agent once with each budget, if it is one that thinks and has none of its own."""
    if not budgets:
        return [(name, spec)]
    try:
        agent = registry.agent(spec, games[0])
    except FogboundError as error:
        raise source.problem(place, str(error), spec) from None
    options = agent.options
    if not isinstance(options, Budget) or options.iterations is not None or options.seconds is not None:
        return [(name, spec)]
    joint = "," if registry.split_options(spec)[1] else ":"
    return [(f"{name}{joint if name == spec else ' '}{budget}", f"{spec}{joint}{budget}") for budget in budgets]


def _check(spec: str, games: Sequence[Game], source: Source, place: Sequence[str | int], quoted: str) -> None:
    for game in games:
        try:
            agent = registry.agent(spec, game)
        except FogboundError as error:
            raise source.problem(place, str(error), quoted) from None
        if agent.asks_people:
            raise source.problem(place, f"“{spec}” needs someone at the keyboard and cannot play in a tournament.", quoted)
