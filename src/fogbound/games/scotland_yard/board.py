"""Boards of the Scotland Yard family: the file format, and every check a file must pass."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from fogbound.core import jsonfile
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.jsonfile import JsonFile, short
from fogbound.core.registry import checked

MOST_STATIONS = 256
MOST_TRANSPORTS = 8
MOST_DETECTIVES = 5
SPECIAL = ("black", "double")
GRID = re.compile(r"grid([2-9]|1[0-6])")
TRANSPORT_NAME = r"^[a-z][a-z_-]*$"


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Transport(_Model):
    """A way of travelling."""

    name: str = Field(pattern=TRANSPORT_NAME, max_length=30, description="its name, in small letters")
    black_only: bool = Field(False, description="only a black ticket pays for it, as for the ferry")

    @field_validator("name", mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(TRANSPORT_NAME, value):
            raise ValueError("a transport's name is one word in small letters a to z, such as taxi")
        return value


class Station(_Model):
    """A station, and where one can go from it."""

    station: int = Field(ge=1, le=9999, description="its number")
    x: float | None = Field(None, description="where to draw it: to the right")
    y: float | None = Field(None, description="where to draw it: down")
    links: dict[str, list[int]] = Field(description="for each transport, the stations it goes to")


Count = int | Literal["unlimited", "detectives"]


class Tickets(_Model):
    """What each side starts with; a detective's tickets are each one's own."""

    mr_x: dict[str, Count] | Literal["unlimited"] = Field(
        "unlimited", description="Mr X's tickets, black and double included"
    )
    detectives: dict[str, Count] | Literal["unlimited"] = Field("unlimited", description="each detective's tickets")


class RuleOptions(BaseModel):
    """The rules that a board file or a spec can set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    detectives: int = Field(3, ge=1, le=MOST_DETECTIVES, description="number of detectives")
    rounds: int = Field(22, ge=1, le=200, description="rounds that Mr X has to survive")
    reveals: list[int] | str = Field("every 3", description="log slots after which Mr X shows himself: 3+8+13, or `every 3`")
    first: Literal["mr_x", "detectives"] = Field("mr_x", description="who begins a round")
    hand_over: bool = Field(False, description="detectives' used tickets go to Mr X")
    step_on_detective: bool = Field(False, description="Mr X may step on a detective, and is caught then")
    closing_move: bool = Field(False, description="Mr X makes one more move after the last round")
    stuck_detectives: Literal["lose", "pass"] = Field(
        "lose", description="when no detective can move: Mr X wins at once, or they pass and the game goes on"
    )
    show_start: bool = Field(False, description="Mr X's start is shown")
    tickets: Tickets = Field(default_factory=Tickets, description="tickets of Mr X and of each detective")

    @field_validator("reveals", mode="before")
    @classmethod
    def _reveals(cls, value: Any) -> Any:
        if isinstance(value, str) and re.fullmatch(r"every ?[1-9][0-9]{0,3}|none", value.strip()):
            return value.strip()
        if isinstance(value, str):
            try:
                value = [int(part) for part in value.split("+")]
            except ValueError:
                raise ValueError("reveals are log slots such as 3+8+13, or `every 3`, or `none`") from None
        if not isinstance(value, list) or not all(type(slot) is int and slot >= 1 for slot in value):
            raise ValueError("reveals are a list of log slots, counted from 1")
        if value != sorted(set(value)):
            raise ValueError("reveals must be ascending, each once")
        return value


class SeparateStarts(_Model):
    mr_x: list[int]
    detectives: list[int]


class BoardFile(_Model):
    """A board of the Scotland Yard family."""

    game: Literal["scotland-yard"] = Field(description="the family this file is for")
    name: str = Field(min_length=1, max_length=60, description="the board's name")
    about: str = Field("", max_length=400, description="one line about it")
    like: str | None = Field(None, max_length=60, description="a shipped board; what is not given here is taken from it")
    transports: list[Transport] = Field(default=[], max_length=MOST_TRANSPORTS, description="at most eight")
    stations: list[Station] = Field(
        default=[], max_length=MOST_STATIONS, description="every link stands at both of its ends"
    )
    starts: list[int] | SeparateStarts | Literal["any"] = Field(
        "any", description="start stations, for all or for each side"
    )
    rules: RuleOptions = Field(default_factory=RuleOptions, description="the rules this board is played by")

    @field_validator("name", "about")
    @classmethod
    def _one_line(cls, value: str) -> str:
        if not value.isprintable():
            raise ValueError("this should be one line of plain text")
        return value


@dataclass(frozen=True)
class Board:
    """A checked board with its rules."""

    name: str
    about: str
    transports: tuple[Transport, ...]
    stations: tuple[Station, ...]
    mr_x_starts: tuple[int, ...]
    detective_starts: tuple[int, ...]
    rules: RuleOptions

    @property
    def numbers(self) -> list[int]:
        return [station.station for station in self.stations]

    @property
    def slots(self) -> int:
        """The longest travel log: a slot a round, one for each double move, one for the closing move."""
        return self.rules.rounds + self.tickets("mr_x").get("double", 0) + int(self.rules.closing_move)

    def reveals(self) -> list[int]:
        """The log slots that reveal Mr X."""
        reveals = self.rules.reveals
        if isinstance(reveals, list):
            return reveals
        if reveals == "none":
            return []
        step = int(reveals.removeprefix("every"))
        return list(range(step, self.slots + 1, step))

    def tickets(self, role: Literal["mr_x", "detectives"]) -> dict[str, int]:
        """A role's tickets by name; -1 for unlimited."""
        given = getattr(self.rules.tickets, role)
        if given == "unlimited":
            return {transport.name: -1 for transport in self.transports if not transport.black_only}
        words = {"unlimited": -1, "detectives": self.rules.detectives}
        return {name: words[count] if isinstance(count, str) else count for name, count in given.items()}

    def definition(self) -> dict[str, Any]:
        """The board as the JSON of a board file, with nothing left to be looked up."""
        file = BoardFile(
            game="scotland-yard",
            name=self.name,
            about=self.about,
            transports=list(self.transports),
            stations=list(self.stations),
            starts=SeparateStarts(mr_x=list(self.mr_x_starts), detectives=list(self.detective_starts)),
            rules=self.rules,
        )
        return file.model_dump(exclude_none=True)


def schema() -> dict[str, Any]:
    """The JSON Schema of a board file."""
    return jsonfile.schema_of(BoardFile)


def shipped() -> dict[str, str]:
    """The boards that come with Fogbound, and a line about each."""
    boards = {name: load(name, {}).about for name in _shipped_names()}
    return {**boards, "gridN": "an N x N grid for any N from 2 to 16, as in grid5"}


def load(name: str, options: Mapping[str, str]) -> Board:
    """A shipped board, a grid or a board file, with rule options from a spec."""
    if jsonfile.names_file(name):
        board = check(jsonfile.read(name))
    else:
        board = _shipped(name)
    return with_options(board, options)


@cache
def _shipped(name: str) -> Board:
    known = _shipped_names()
    if name in known:
        text = (_folder() / f"{name}.json").read_text(encoding="utf-8")
        return check(jsonfile.parse(text, f"{name}.json"))
    grid = GRID.fullmatch(name)
    if grid:
        return check(JsonFile(name, grid_file(int(grid[1])), {}))
    raise UnknownName("board of scotland-yard", name, [*known, "grid2 to grid16", "a file ending in .json"])


def _shipped_names() -> list[str]:
    return sorted(file.name.removesuffix(".json") for file in _folder().iterdir() if file.name.endswith(".json"))


def _folder() -> Any:
    return resources.files(__package__).joinpath("boards")


def rebuild(definition: Mapping[str, Any]) -> Board:
    """A board from its definition."""
    return check(jsonfile.parse(json.dumps(definition), "the record's board"))


def check(file: JsonFile) -> Board:
    """A board from a file's data; BadFile with the first thing that is wrong."""
    parsed = file.validated(BoardFile, 'a board file is one JSON object: {"game": "scotland-yard", ...}.')
    if not parsed.like:
        return _checked(file, parsed)
    try:
        base = _shipped(parsed.like)
    except FogboundError as error:
        raise file.problem(["like"], str(error)) from None
    return _on_top(file, parsed, base)


def _on_top(file: JsonFile, parsed: BoardFile, base: Board) -> Board:
    """A file that is like another board, apart from what it says itself."""
    for key in ("transports", "stations"):
        if key in file.data:
            raise file.problem([key], f"a board that is like another cannot have {key} of its own.")
    own, inherited = parsed.rules.model_dump(exclude_unset=True), base.rules.model_dump()
    tickets = {**inherited["tickets"], **own.get("tickets", {})}
    whole = parsed.model_copy(
        update={
            "transports": list(base.transports),
            "stations": list(base.stations),
            "rules": RuleOptions.model_validate({**inherited, **own, "tickets": tickets}),
            "starts": parsed.starts
            if "starts" in file.data
            else SeparateStarts(mr_x=list(base.mr_x_starts), detectives=list(base.detective_starts)),
        }
    )
    return _checked(file, whole)


def _checked(file: JsonFile, parsed: BoardFile) -> Board:
    _check_stations(file, parsed)
    _check_links(file, parsed)
    mr_x, detectives = _starts(file, parsed)
    board = Board(
        parsed.name, parsed.about, tuple(parsed.transports), tuple(parsed.stations), mr_x, detectives, parsed.rules
    )
    if "reveals" not in file.data.get("rules", {}):
        board = _with_fitting_reveals(board)
    problem = rule_problem(board)
    if problem:
        place, sentence = problem
        raise file.problem(["rules", "detectives"] if place == ["starts"] and "starts" not in file.data else place, sentence)
    _check_connected(file, parsed)
    return board


def _check_stations(file: JsonFile, parsed: BoardFile) -> None:
    if len(parsed.stations) < 2:
        raise file.problem(["stations"], "a board needs at least two stations.")
    if not parsed.transports:
        raise file.problem(["transports"], "a board needs at least one transport.")
    if all(transport.black_only for transport in parsed.transports):
        raise file.problem(["transports"], "a board needs a transport that is not black_only, for the detectives.")
    names = [transport.name for transport in parsed.transports]
    for index, name in enumerate(names):
        if name in (*SPECIAL, "pass"):
            raise file.problem(["transports", index, "name"], f"“{name}” has a meaning of its own: choose another name.")
        if name in names[:index]:
            raise file.problem(["transports", index, "name"], f"the transport “{name}” stands twice.")
    seen: dict[int, int] = {}
    for index, station in enumerate(parsed.stations):
        if station.station in seen:
            raise file.problem(["stations", index, "station"], f"station {station.station} stands twice.")
        seen[station.station] = index
        if (station.x is None) != (parsed.stations[0].x is None) or (station.x is None) != (station.y is None):
            raise file.problem(["stations", index], "give x and y to every station, or to none.")


def _check_links(file: JsonFile, parsed: BoardFile) -> None:
    names = {transport.name for transport in parsed.transports}
    links = {station.station: station.links for station in parsed.stations}
    for index, station in enumerate(parsed.stations):
        here = station.station
        for transport, ends in station.links.items():
            place: list[str | int] = ["stations", index, "links", transport]
            if transport not in names:
                known = ", ".join(sorted(names))
                raise file.problem(place, f"there is no transport “{short(transport)}” on this board; it has {known}.")
            for k, end in enumerate(ends):
                if end not in links:
                    raise file.problem([*place, k], f"station {here} is linked to {end}, which is no station.")
                if end == here:
                    raise file.problem([*place, k], f"station {here} is linked to itself.")
                if end in ends[:k]:
                    raise file.problem([*place, k], f"the {transport} link from {here} to {end} stands twice.")
                if here not in links[end].get(transport, ()):
                    raise file.problem(
                        [*place, k],
                        f"the {transport} link from {here} to {end} is one-sided: {end} has no {transport} link to {here}.",
                    )


def _starts(file: JsonFile, parsed: BoardFile) -> tuple[tuple[int, ...], tuple[int, ...]]:
    numbers = [station.station for station in parsed.stations]
    starts = parsed.starts
    if starts == "any":
        return tuple(numbers), tuple(numbers)
    if isinstance(starts, list):
        _check_starts(file, ["starts"], starts, numbers)
        return tuple(starts), tuple(starts)
    assert isinstance(starts, SeparateStarts)
    inside = "starts" in file.data
    _check_starts(file, ["starts", "mr_x"] if inside else [], starts.mr_x, numbers)
    _check_starts(file, ["starts", "detectives"] if inside else [], starts.detectives, numbers)
    return tuple(starts.mr_x), tuple(starts.detectives)


def _check_starts(file: JsonFile, place: list[str | int], starts: list[int], numbers: list[int]) -> None:
    for index, start in enumerate(starts):
        if start not in numbers:
            raise file.problem([*place, index], f"the start {start} is no station.")
        if start in starts[:index]:
            raise file.problem([*place, index], f"the start {start} stands twice.")


def rule_problem(board: Board) -> tuple[list[str | int], str] | None:
    """What is wrong with a board's rules: where, and the sentence."""
    rules = board.rules
    known = {transport.name for transport in board.transports}
    black_only = {transport.name for transport in board.transports if transport.black_only}
    for role, special in (("mr_x", set(SPECIAL)), ("detectives", set())):
        given = getattr(rules.tickets, role)
        for name, count in {} if given == "unlimited" else given.items():
            place: list[str | int] = ["rules", "tickets", role, name]
            if name not in known | special:
                exist = ", ".join(sorted(known | special))
                return place, f"there are tickets for “{short(name)}”, which this board does not know; it has {exist}."
            if name in black_only:
                return place, f"tickets for “{name}” can never be used: only a black ticket pays for it."
            if isinstance(count, int) and not 0 <= count <= 999:
                return place, f"there cannot be {count} tickets; give 0 to 999, or “unlimited”."
            if name == "double" and count == "unlimited":
                return place, "double moves cannot be unlimited."
        if not any(board.tickets(role).values()):  # type: ignore[arg-type]
            return ["rules", "tickets", role], "there must be at least one ticket."
    for index, slot in enumerate(board.reveals()):
        if slot > board.slots:
            return ["rules", "reveals", index], f"the reveal {slot} is beyond the last log slot, {board.slots}."
    return _starts_problem(board)


def _starts_problem(board: Board) -> tuple[list[str | int], str] | None:
    mr_x, theirs, detectives = set(board.mr_x_starts), set(board.detective_starts), board.rules.detectives
    if not mr_x:
        return ["starts"], "there is no start for Mr X."
    if len(theirs) >= detectives + bool(mr_x & theirs):
        return None
    team = f"{detectives} detectives" if detectives > 1 else "1 detective"
    if mr_x == theirs:
        return ["starts"], f"there are more pieces (Mr X and {team}) than starts ({len(theirs)})."
    taken = ", and Mr X may take one of them" if mr_x & theirs else ""
    return ["starts"], f"there are more pieces ({team}) than starts for them ({len(theirs)}{taken})."


def _with_fitting_reveals(board: Board) -> Board:
    """Reveals that were made for a longer log, without those that it no longer has."""
    reveals = board.rules.reveals
    if not isinstance(reveals, list):
        return board
    kept = [slot for slot in reveals if slot <= board.slots]
    return replace(board, rules=board.rules.model_copy(update={"reveals": kept}))


def _check_connected(file: JsonFile, parsed: BoardFile) -> None:
    links = {station.station: station.links for station in parsed.stations}
    reached = {parsed.stations[0].station}
    waiting = list(reached)
    while waiting:
        ends = {end for each in links[waiting.pop()].values() for end in each} - reached
        reached |= ends
        waiting.extend(ends)
    for index, station in enumerate(parsed.stations):
        if station.station not in reached:
            raise file.problem(
                ["stations", index],
                f"the board is disconnected: station {station.station} cannot be reached from {parsed.stations[0].station}.",
            )


def with_options(board: Board, options: Mapping[str, str]) -> Board:
    """The board with rule options given as text, as after the colon of a spec."""
    if not options:
        return board
    plain_options = {key: value for key, value in options.items() if not key.startswith("tickets.")}
    of = f"scotland-yard/{board.name}"
    base = board.rules.model_dump()
    given = checked(RuleOptions, plain_options, of).model_dump(exclude_unset=True)
    base.update(given)
    base["tickets"] = _tickets_with(base["tickets"], options, board)
    changed = replace(board, rules=RuleOptions.model_validate(base))
    if "reveals" not in given:
        changed = _with_fitting_reveals(changed)
    problem = rule_problem(changed)
    if problem:
        raise FogboundError(f"{of} cannot be played so: {problem[1]}")
    return changed


def _tickets_with(tickets: dict[str, Any], options: Mapping[str, str], board: Board) -> dict[str, Any]:
    """Tickets changed by options such as `tickets.mr_x.black=5`."""
    changed: dict[str, Any] = {role: given if isinstance(given, str) else dict(given) for role, given in tickets.items()}
    for key, text in options.items():
        if not key.startswith("tickets."):
            continue
        _, role, name = [*key.split("."), "", ""][:3]
        if role not in changed or key.count(".") != 2:
            raise UnknownName(f"option of scotland-yard/{board.name}", key, ["tickets.mr_x.NAME", "tickets.detectives.NAME"])
        if isinstance(changed[role], str):
            changed[role] = {transport.name: "unlimited" for transport in board.transports if not transport.black_only}
        if text not in ("unlimited", "detectives") and not text.isdecimal():
            raise FogboundError(f"“{key}={text}” cannot be: give a number of tickets, or “unlimited”.")
        changed[role][name] = int(text) if text.isdecimal() else text
    return changed


def grid_file(size: int) -> dict[str, Any]:
    """The board file of a grid: stations 1, 2, ... row by row, one transport, four directions."""
    stations = []
    for y in range(size):
        for x in range(size):
            near = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
            ends = [b * size + a + 1 for a, b in near if 0 <= a < size and 0 <= b < size]
            stations.append({"station": y * size + x + 1, "x": float(x), "y": float(y), "links": {"walk": ends}})
    detectives = 1 if size == 2 else 2
    return {
        "game": "scotland-yard",
        "name": f"grid{size}",
        "about": f"{size} x {size} grid, four directions, {detectives} detectives, no tickets to count",
        "transports": [{"name": "walk"}],
        "stations": stations,
        "rules": {"detectives": detectives, "rounds": 15, "reveals": "every 3"},
    }
