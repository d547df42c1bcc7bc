"""Names: which games and agents exist, and how their specs are written.

A game is `family/board:option=value,...`, an agent `name:option=value,...`. The registry
knows where each lives and imports it when it is first asked for.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from fogbound.core.agent import Agent, agent_streams
from fogbound.core.contract import Game
from fogbound.core.errors import BadOption, FogboundError, UnknownName
from fogbound.core.jsonfile import names_file, plain


@dataclass(frozen=True)
class Family:
    """All games that share one set of rules."""

    name: str
    title: str
    about: str
    default_board: str
    boards: Callable[[], Mapping[str, str]]
    """Shipped boards: name and one line about each."""
    options: type[BaseModel]
    """What can stand after the colon."""
    schema: Callable[[], Mapping[str, Any]]
    """The JSON Schema of its board files."""
    board: Callable[[str, Mapping[str, str]], Any]
    """A board from its name or file, and options as text."""
    board_again: Callable[[Mapping[str, Any]], Any]
    """A board from its definition, as kept in records."""
    game: Callable[[Any, str, bool], Game]
    """The game on a board, called by a spec; and whether the spec alone builds it again anywhere."""

    def load(self, name: str, options: Mapping[str, str]) -> Game:
        """A game from a board's name or file, and options as text."""
        text = ",".join(f"{key}={value}" for key, value in sorted(options.items()))
        spec = f"{self.name}/{name}" + (f":{text}" if text else "")
        return self.game(self.board(name, options), spec, not names_file(name))

    def rebuild(self, definition: Mapping[str, Any]) -> Game:
        """A game from its definition."""
        board = self.board_again(definition)
        return self.game(board, f"{self.name}/{board.name}", False)


_families: dict[str, str] = {}
_agents: dict[str, dict[str, str]] = {}
ANY = "*"


def register_family(name: str, place: str) -> None:
    """Make a game known: `place` is `module:attribute` of its Family."""
    _families[name] = place


def register_agent(name: str, place: str, family: str = ANY) -> None:
    """Make an agent known, for one family of games or for any."""
    _agents.setdefault(name, {})[family] = place


def families() -> list[str]:
    return sorted(_families)


def family(name: str) -> Family:
    if name not in _families:
        raise UnknownName("game", name, _families)
    found = _fetch(_families[name])
    assert isinstance(found, Family)
    return found


def game(spec: str | Game) -> Game:
    """The game that a spec names, as in `scotland-yard/plan1:detectives=2`."""
    if isinstance(spec, Game):
        return spec
    name, _, rest = spec.strip().partition("/")
    if not rest and ":" in name:
        name, _, options = name.partition(":")
        rest = ":" + options
    board, options_text = split_options(rest)
    found = family(name)
    return found.load(board or found.default_board, parse_options(options_text, spec))


def rebuild(name: str, definition: Mapping[str, Any]) -> Game:
    """A game from its family's name and its definition."""
    return family(name).rebuild(definition)


def agents(of: Game | None = None) -> list[str]:
    """Names of the agents that can play a game (or any game at all)."""
    return sorted(name for name, places in _agents.items() if of is None or ANY in places or of.family in places)


def agent_class(name: str, of: Game) -> type[Agent]:
    """The class behind an agent's name; a name with a dot is looked up as a Python class of your own."""
    if name in agents(of):
        places = _agents[name]
        place = places.get(of.family, places.get(ANY, ""))
    elif "." in name:
        module, _, attribute = name.rpartition(".")
        place = f"{module}:{attribute}"
    else:
        raise UnknownName(f"agent for {of.family}", name, agents(of))
    found = _fetch(place)
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise FogboundError(f"“{name}” is not an agent: {place} should be a subclass of fogbound.Agent.")
    return found


def agent(spec: str | Agent, of: Game | str, seed: int = 0, side: int = 0, number: int = 0) -> Agent:
    """The agent that a spec names, ready to play a game."""
    if isinstance(spec, Agent):
        return spec
    played = game(of)
    name, text = split_options(spec.strip())
    found = agent_class(name, played)
    options = checked(found.options_model, parse_options(text, spec), f"agent “{name}”")
    rng, imagination = agent_streams(seed, side, number)
    return found(played, options, rng, imagination)


_OPTIONS = re.compile(r"([\w.-]+(=[^,]*)?,?)*")


def split_options(text: str) -> tuple[str, str]:
    """`plan1:rounds=18` into `plan1` and `rounds=18`; a colon inside a path stays there."""
    name, colon, options = text.partition(":")
    while colon and not _OPTIONS.fullmatch(options):
        more, colon, options = options.partition(":")
        name += ":" + more
    return name, options


def parse_options(text: str, spec: str) -> dict[str, str]:
    """`a=1,b=2` as a dictionary; a bare name means that it is switched on."""
    options: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = part.partition("=")
        if key in options:
            raise BadOption(f"The option “{key}” stands twice in “{spec}”.")
        options[key.strip().replace("-", "_")] = value.strip() if equals else "true"
    return options


def split_specs(text: str) -> list[str]:
    """`heuristic:score=sum,depth=2,random` into its specs: what reads `key=value` belongs to the spec before."""
    specs: list[str] = []
    for piece in text.split(","):
        is_option = re.match(r"^\s*[\w.-]+\s*=", piece) is not None
        if is_option and specs:
            specs[-1] += "," + piece
        elif piece.strip():
            specs.append(piece.strip())
    return specs


def checked(model: type[BaseModel], values: Mapping[str, Any], of: str) -> Any:
    """Options checked against their model, with one clear sentence when one is wrong."""
    for key in values:
        if key not in model.model_fields:
            raise UnknownName(f"option of {of}", key, model.model_fields)
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        given = f"“{key}={values[key]}”" if key in values else "the options"
        raise BadOption(f"In {of}, {given} cannot be: {plain(first)}.") from None


def _fetch(place: str) -> Any:
    module, _, attribute = place.partition(":")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise FogboundError(f"There is no Python module “{module}” to take “{attribute}” from.") from None
        raise
    if not hasattr(found, attribute):
        raise FogboundError(f"The Python module “{module}” has no “{attribute}”.")
    return getattr(found, attribute)
