"""Names: which games and agents exist, and how their specs are written.

A game is `family/board:option=value,...`, an agent `name:option=value,...`. The registry
knows where each lives and imports it when it is first asked for. Installed packages bring
games and agents of their own by the entry points `fogbound.games` and `fogbound.agents`.
"""

from __future__ import annotations

import hashlib
import importlib
import inspect
import logging
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any, Protocol

from pydantic import BaseModel, ValidationError

from fogbound.core.agent import Agent, AgentLike, FunctionAgent, agent_streams, options_text
from fogbound.core.compiled import PACKAGE, source_digest
from fogbound.core.contract import Game, State
from fogbound.core.errors import BadOption, FogboundError, UnknownName, short
from fogbound.core.jsonfile import names_file, plain
from fogbound.core.places import ANY, register_agent, register_family
from fogbound.core.places import agents as _agents
from fogbound.core.places import families as _families
from fogbound.core.rng import Rng
from fogbound.core.view import View

__all__ = [
    "AGENTS",
    "ANY",
    "GAMES",
    "CountOption",
    "ExactValues",
    "Family",
    "Level",
    "QuickStart",
    "agent",
    "agent_class",
    "agent_with_streams",
    "agents",
    "champion",
    "checked",
    "code_digest",
    "families",
    "family",
    "fetch",
    "game",
    "given_agents",
    "parse_options",
    "rebuild",
    "receive_agents",
    "register_agent",
    "register_family",
    "spec_of",
    "split_options",
    "split_specs",
]
log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Level:
    """A named strength of the computer players."""

    name: str
    title: str
    about: str
    agent: str
    seconds: float = 0.0
    """About how long it thinks before a move."""
    rating: int | None = None
    """How strong it was measured to be, in Elo; None if that was not measured on this board."""


@dataclass(frozen=True)
class QuickStart:
    """What “Play now” starts on the page."""

    game: str
    """The game's spec."""
    side: int
    """The side that the person plays."""
    about: str
    """One sentence for the person."""


@dataclass(frozen=True)
class CountOption:
    """The option that sets how many play."""

    name: str
    title: str
    least: int
    most: int


class ExactValues(Protocol):
    """A module that tells the exact value of a position where the game is solved."""

    def exact(self, view: View) -> dict[str, Any] | None:
        """The exact value of what the seat to move knows, `{"solving": True}` for now, or None."""

    def revealed(self, view: View, true_state: State) -> float | None:
        """The exact value with nothing hidden, for whoever may know it."""

    def wait_until_solved(self, game: Game) -> None:
        """Wait as long as the game is being solved."""


@dataclass(frozen=True)
class Family:
    """All games that share one set of rules, and everything else that the game brings with it.

    A place is a string `module:attribute`: it is imported when it is first needed.
    """

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
    agents: Mapping[str, str] = field(default_factory=dict)
    """Agents made for this game: name and place."""
    levels: tuple[Level, ...] | str = ()
    """Its own levels, weakest first, or the place of `levels(game)` that gives them; none: those that every game has."""
    champion: str = ""
    """The place of `champion(game, side)`: a spec with `{budget}` where its seconds or iterations go; none: search."""
    judge: str = ""
    """The place of `judge(game, side, effort)`: the spec of the agent that says what every move is worth; none: search."""
    strong: str = ""
    """The place of `strong(game)`: the spec of a strong player of all sides who answers at once, or "" where there is none;
    by it boards are tried for fairness. None: the champion with a short search."""
    quick_start: QuickStart | None = None
    count: CountOption | None = None
    first_games: tuple[str, ...] = ()
    """The specs that the terminal offers; none: the default board."""
    page: str = ""
    """The page's module: `package:folder/file.js`, or an address of the page itself such as `/js/games/risk.js`."""
    bench: str = ""
    """The spec whose speed is measured; none: the default board."""
    reference: str = ""
    """The place of `play_random(board, rng) -> moves`, the plain-Python rules that the speed is compared with."""
    queries: Mapping[str, str] = field(default_factory=dict)
    """Questions that the server answers: name and place of a function whose annotated arguments come from the address."""
    tasks: str = ""
    """The place of `find(game, seed)`, which yields its own kind of puzzles as `Task`s, and None where it found none."""
    exact: str = ""
    """The module of its `ExactValues`, where small games can be solved."""

    def load(self, name: str, options: Mapping[str, str]) -> Game:
        """A game from a board's name or file, and options as text."""
        text = ",".join(f"{key}={value}" for key, value in sorted(options.items()))
        spec = f"{self.name}/{name}" + (f":{text}" if text else "")
        return self.game(self.board(name, options), spec, not names_file(name))

    def rebuild(self, definition: Mapping[str, Any]) -> Game:
        """A game from its definition."""
        board = self.board_again(definition)
        return self.game(board, f"{self.name}/{board.name}", False)


ANY_CHAMPION = "mcts:{budget}"  # of a game that names no champion of its own
PROGRAM = "program"  # the agent whose spec is a command
GAMES, AGENTS = "fogbound.games", "fogbound.agents"  # groups of entry points


def families() -> list[str]:
    """The games' names: those of Fogbound, then those of installed packages that can be loaded."""
    return [*_families, *(name for name in sorted(_installed(GAMES)) if name not in _families and _works(GAMES, name))]


def family(name: str) -> Family:
    if name in _families:
        found = fetch(_families[name])
    elif name in _installed(GAMES):
        found = _load(GAMES, name)
    else:
        raise UnknownName("game", name, families())
    assert isinstance(found, Family)
    return found


def game(spec: str | Game) -> Game:
    """The game that a spec names, as in `scotland-yard/plan1:detectives=2`."""
    if isinstance(spec, Game):
        return spec
    _check_length(spec)
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
    played = families() if of is None else [of.family]
    names = {name for name, places in _agents.items() if of is None or places.keys() & {ANY, of.family}}
    for name in played:
        names |= family(name).agents.keys()
    names |= {entry.partition("@")[0] for entry in _installed(AGENTS) if _works(AGENTS, entry) and _plays(entry, played)}
    return sorted(names)


def agent_class(name: str, of: Game) -> type[Agent]:
    """The class behind an agent's name; a name with a dot is looked up as a Python class of your own."""
    places = _agents.get(name, {})
    place = places.get(of.family) or family(of.family).agents.get(name) or places.get(ANY)
    if place:
        found = fetch(place)
    elif "." in name:
        found = _given.get(name) or _own_class(name)
    else:
        found = _installed_agent(name, of)
    if not (isinstance(found, type) and issubclass(found, Agent)):
        raise FogboundError(f"“{name}” is not an agent: {place or name} should be a subclass of fogbound.Agent.")
    return found


def agent(given: AgentLike, of: Game | str, seed: int = 0, side: int = 0, number: int = 0) -> Agent:
    """The agent that a spec names, ready to play a game; or a class of your own, or a function from views to moves."""
    if isinstance(given, Agent):
        return given
    rng, imagination = agent_streams(seed, side, number)
    return agent_with_streams(spec_of(given), game(of), rng, imagination)


def agent_with_streams(spec: str, of: Game, rng: Rng, imagination: Rng) -> Agent:
    """The same with random streams that are given, as for an agent that plays through another."""
    name, text = split_options(spec.strip())
    found = agent_class(name, of)
    options = checked(found.options_model, parse_options(text, spec), f"agent “{name}”")
    made = found(of, options, rng, imagination)
    made.spec = spec
    return made


def champion(of: Game, side: int, budget: str) -> str:
    """The spec of the strongest player of a side, for a budget such as `seconds=1`."""
    place = family(of.family).champion
    spec: str = fetch(place)(of, side) if place else ANY_CHAMPION
    return spec.format(budget=budget)


# Agents of one's own: classes by their place in Python, and whatever a script or a notebook hands over.

_given: dict[str, type[Agent]] = {}


def spec_of(agent: AgentLike) -> str:
    """The spec of an agent that was given as a spec, a class, an instance, or a function from views to moves."""
    if isinstance(agent, str):
        return agent
    if isinstance(agent, Agent) and agent.spec:
        return agent.spec
    if isinstance(agent, Agent):
        options = ",".join(f"{key}={value}" for key, value in options_text(agent.options).items())
        return spec_of(type(agent)) + (f":{options}" if options else "")
    if isinstance(agent, type) and issubclass(agent, Agent):
        name, found = f"{agent.__module__}.{agent.__qualname__}", agent
    elif callable(agent) and not isinstance(agent, type):
        name, found = f"{agent.__module__}.{agent.__qualname__}", FunctionAgent.made_of(agent)
    else:
        raise FogboundError(f"An agent is a spec, a subclass of fogbound.Agent, or a function of a view, not {agent!r}.")
    name = re.sub(r"[^\w.-]", "", name)  # `<locals>` and `<lambda>`
    if _loaded(name) is found:
        _given.pop(name, None)
    else:
        _given[name] = found
    return name


def given_agents(specs: Iterable[str]) -> tuple[tuple[str, type[Agent]], ...]:
    """The classes behind those specs that other processes cannot look up: they are sent along."""
    names = (split_options(spec)[0] for spec in specs)
    return tuple((name, _given[name]) for name in names if name in _given)


def receive_agents(given: Iterable[tuple[str, type[Agent]]]) -> None:
    """Make agents known that were sent along."""
    _given.update(given)


def code_digest(spec: str, of: Game) -> str:
    """A digest that changes with an agent of one's own: of its code, and of the files that its options name.

    Empty for an agent that comes with Fogbound and needs nothing else.
    """
    name, text = split_options(spec)
    found = agent_class(name, of)
    parts = [] if found.__module__.partition(".")[0] == PACKAGE else [_source_of(found)]
    for value in parse_options(text, spec).values():
        words = value.split() if name == PROGRAM else filter(names_file, [value])
        parts += [hashlib.sha256(Path(word).read_bytes()).hexdigest() for word in words if Path(word).is_file()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16] if parts else ""


def _source_of(found: type[Agent]) -> str:
    code = FunctionAgent.function_of(found) or found
    try:
        file = inspect.getsourcefile(code)
        return source_digest(file) if file and Path(file).is_file() else inspect.getsource(code)
    except (OSError, TypeError):  # typed into an interpreter that keeps no source
        return repr(code)


def _loaded(name: str) -> Any:
    """What a dotted name means in an imported module that other processes can import too; None if it is not there."""
    module, _, attribute = name.rpartition(".")
    return getattr(sys.modules.get(module), attribute, None) if module != "__main__" else None


def _own_class(name: str) -> Any:
    """A class by its dotted name, from the Python path or from the folder that the command is run in."""
    module, _, attribute = name.rpartition(".")
    if "" not in sys.path and (here := str(Path.cwd())) not in sys.path:
        sys.path.insert(0, here)
    return fetch(f"{module}:{attribute}")


# What installed packages bring. Their metadata is read only when names are listed or an unknown one is asked for.


@cache
def _installed(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by name; an agent's may read `name@family`."""
    return {entry.name: entry for entry in entry_points(group=group)}


def _load(group: str, name: str) -> Any:
    """What an entry point names; whatever is wrong with it is told in one sentence."""
    entry = _installed(group)[name]
    try:
        found = entry.load()
    except Exception as error:
        raise FogboundError(f"{_described(entry)} cannot be loaded: {type(error).__name__}: {error}.") from error
    wanted = Family if group == GAMES else type
    if not isinstance(found, wanted):
        raise FogboundError(f"{_described(entry)} should be a {'Family' if group == GAMES else 'class'}: see {entry.value}.")
    return found


def _described(entry: EntryPoint) -> str:
    kind = "game" if entry.group == GAMES else "agent"
    source = f"the installed distribution {entry.dist.name} {entry.dist.version}" if entry.dist else "an installed package"
    return f"The {kind} “{entry.name}” from {source}"


@cache
def _works(group: str, name: str) -> bool:
    """Whether an entry point can be loaded; if not, that is said once."""
    try:
        _load(group, name)
    except FogboundError as error:
        log.warning("%s", error)
        return False
    return True


def _plays(entry: str, played: list[str]) -> bool:
    """Whether an installed agent plays one of these families: by `name@family`, or by its class's `family`."""
    of = entry.partition("@")[2] or getattr(_load(AGENTS, entry), "family", ANY)
    return of == ANY or of in played


def _installed_agent(name: str, of: Game) -> Any:
    for entry in (f"{name}@{of.family}", name):
        if entry in _installed(AGENTS) and _plays(entry, [of.family]):
            return _load(AGENTS, entry)
    raise UnknownName("agent", name, agents(of), f"for {of.family}")


LONGEST_SPEC = 4096
_OPTION = re.compile(r"[\w.-]+(=.*)?", re.DOTALL)


def _are_options(text: str) -> bool:
    """Whether a text reads `a=1,b=2`, piece by piece: specs come from strangers, so nothing here may backtrack."""
    pieces = text.removesuffix(",").split(",")
    return not text or all(_OPTION.fullmatch(piece) for piece in pieces)


def _check_length(spec: str) -> None:
    if len(spec) > LONGEST_SPEC:
        raise BadOption(f"A spec may have {LONGEST_SPEC:,} characters; this one has {len(spec):,}.")


def split_options(text: str) -> tuple[str, str]:
    """`plan1:rounds=18` into `plan1` and `rounds=18`; a colon inside a path stays there.

    What follows `program:` is a command, up to the first comma: `program:./my-bot --fast,limit=5`.
    """
    _check_length(text)
    name, colon, options = text.partition(":")
    if name == PROGRAM and colon:
        return name, options if options.startswith("command=") else f"command={options}"
    while colon and not _are_options(options):
        more, colon, options = options.partition(":")
        name += ":" + more
    return name, options


def parse_options(text: str, spec: str) -> dict[str, str]:
    """`a=1,b=2` as a dictionary; a bare name means that it is switched on."""
    options: dict[str, str] = {}
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        key, equals, value = part.partition("=")
        if key in options:
            raise BadOption(f"The option “{short(key)}” is given twice in “{short(spec, 200)}”.")
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
    for old, new in getattr(model, "older", {}).items():
        if new not in values:
            values = {new if key == old else key: value for key, value in values.items()}
    for key in values:
        if key not in model.model_fields:
            raise UnknownName("option", key, model.model_fields, f"of {of}")
    try:
        return model.model_validate(dict(values))
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        wrong = f"“{key}={short(str(values[key]), 100)}” is" if key in values else "these options are"
        raise BadOption(f"In {of}, {wrong} not valid: {plain(first)}.") from None


def fetch(place: str) -> Any:
    """What a place names: `module:attribute`, or a module."""
    module, _, attribute = place.partition(":")
    if not all(part.isidentifier() for part in module.split(".")):
        raise FogboundError(f"“{short(module)}” cannot be the name of a Python module.")
    try:
        found = importlib.import_module(module)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise FogboundError(f"There is no Python module “{module}” to take “{attribute}” from.") from None
        raise
    if attribute and not hasattr(found, attribute):
        raise FogboundError(f"The Python module “{module}” has no “{attribute}”.")
    return getattr(found, attribute) if attribute else found
