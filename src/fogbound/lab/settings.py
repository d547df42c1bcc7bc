"""What a tournament is: its settings, read from TOML with the line of every mistake, or given in Python."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from fogbound.core import registry
from fogbound.core.agent import Budget
from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.jsonfile import path_text, plain

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
            raise ValueError("a board stands twice in boards")
        return self


@dataclass(frozen=True)
class Player:
    """An agent that takes part, under the name the report calls it by."""

    name: str
    spec: str
    challenger: bool = True
    """Whether it meets the field (in a round robin everyone does)."""


@dataclass(frozen=True)
class Source:
    """Where settings came from, to tell mistakes by file and line."""

    name: str
    text: str = ""

    def problem(self, place: Sequence[str | int], sentence: str, quoted: str | None = None) -> FogboundError:
        """An error about one setting; `quoted` is a text value to look for."""
        if not self.text:
            return FogboundError(f"In {self.name}, at {path_text(place)}: {sentence}")
        return BadFile(self.name, path_text(place), sentence, self._line(str(place[0]) if place else "", quoted))

    def _line(self, key: str, quoted: str | None) -> int | None:
        rows = list(enumerate(self.text.splitlines(), 1))
        if quoted is not None:
            for number, row in rows:
                if f'"{quoted}"' in row or f"'{quoted}'" in row:
                    return number
        pattern = rf"\s*(\[+\s*)?[\"']?{re.escape(key)}[\"']?\s*[=\].]"
        return next((number for number, row in rows if key and re.match(pattern, row)), None)


def read(path: str | Path) -> tuple[Settings, Source]:
    """Settings from a TOML file; BadFile says what is wrong, where, and what is allowed."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadFile(name, "", "there is no such file.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise BadFile(name, "", f"it cannot be read as text ({getattr(error, 'strerror', None) or 'not UTF-8'}).") from None
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = re.match(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
        if not found:
            raise BadFile(name, "", f"this is not TOML: {error}.", len(text.splitlines())) from None
        raise BadFile(name, "", f"this is not TOML: {found[1]} (column {found[3]}).", int(found[2])) from None
    source = Source(name, text)
    return checked(data, source), source


def checked(data: Mapping[str, Any], source: Source) -> Settings:
    """Settings made from plain data."""
    for key in data:
        if key not in Settings.model_fields:
            close = get_close_matches(key, Settings.model_fields, n=1)
            hint = f" Did you mean “{close[0]}”?" if close else ""
            raise source.problem([key], f"there is no such setting.{hint} Allowed: {', '.join(Settings.model_fields)}.")
    try:
        return Settings.model_validate(dict(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = [part for part in first["loc"] if part not in ("list[str]", "dict[str,str]")]
        sentence = plain(first)
        if not place:  # a check of several settings: blame the one it speaks of
            named = [key for key in Settings.model_fields if re.search(rf"\b{key}\b", sentence) and key in data]
            place = list(named[:1])
        elif place[0] in Settings.model_fields:
            about = Settings.model_fields[str(place[0])].description
            sentence = f"{sentence}; {place[0]} is: {about}"
        raise source.problem(place, f"{sentence}.") from None


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
            raise source.problem(["agents"], f"“{name}” takes part twice; give each agent once, or names of their own.")
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
