"""Boards of the Scotland Yard family: the file format, and every check a file must pass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

from fogbound.core.errors import BadOption, UnknownName, short
from fogbound.core.jsonfile import JsonFile
from fogbound.core.registry import checked
from fogbound.games.boardfile import Boards, FileModel, Place, check_connected, check_coordinates, check_links

NAME: Final = "scotland-yard"
MOST_STATIONS = 256
MOST_TRANSPORTS = 8
MOST_DETECTIVES = 5
SPECIAL = ("black", "double")
Role = Literal["mr_x", "detectives"]
ROLES: tuple[Role, ...] = ("mr_x", "detectives")
RANDOM = "random"
GENERATOR_OPTIONS = ("stations", "seed")
GRID = re.compile(r"grid([2-9]|1[0-6])")
TRANSPORT_NAME = r"^[a-z][a-z_-]*$"


class Transport(FileModel):
    """A way of travelling."""

    name: str = Field(pattern=TRANSPORT_NAME, max_length=30, description="its name, in small letters")
    black_only: bool = Field(False, description="only a black ticket pays for it, as for the ferry")

    @field_validator("name", mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        if isinstance(value, str) and not re.fullmatch(TRANSPORT_NAME, value):
            raise ValueError("a transport's name is one word in small letters a to z, such as taxi")
        return value


class Station(FileModel):
    """A station, and where one can go from it."""

    station: int = Field(ge=1, le=9999, description="its number")
    x: float | None = Field(None, description="where to draw it: to the right")
    y: float | None = Field(None, description="where to draw it: down")
    links: dict[str, list[int]] = Field(description="for each transport, the stations it goes to")


Count = int | Literal["unlimited", "detectives"]


class Tickets(FileModel):
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


class SpecOptions(RuleOptions):
    """The options of a spec: the rules, and for `scotland-yard/random` how to make the board."""

    stations: int = Field(60, ge=8, le=200, description="stations of a random board")
    seed: int = Field(0, ge=0, description="which random board")


class SeparateStarts(FileModel):
    mr_x: list[int]
    detectives: list[int]


class BoardFile(FileModel):
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

    def tickets(self, role: Role) -> dict[str, int]:
        """A role's tickets by name; -1 for unlimited."""
        given = getattr(self.rules.tickets, role)
        if given == "unlimited":
            return {transport.name: -1 for transport in self.transports if not transport.black_only}
        words = {"unlimited": -1, "detectives": self.rules.detectives}
        return {name: words[count] if isinstance(count, str) else count for name, count in given.items()}

    def definition(self) -> dict[str, Any]:
        """The board as the JSON of a board file, with nothing left to be looked up."""
        file = BoardFile(
            game=NAME,
            name=self.name,
            about=self.about,
            transports=list(self.transports),
            stations=list(self.stations),
            starts=SeparateStarts(mr_x=list(self.mr_x_starts), detectives=list(self.detective_starts)),
            rules=self.rules,
        )
        return file.model_dump(exclude_none=True)

    def changes(self, options: Mapping[str, str]) -> dict[str, Any]:
        """The rules that options set; `tickets.mr_x.black=5` changes one number of tickets."""
        tickets = {key: value for key, value in options.items() if key.startswith("tickets.")}
        others = {key: value for key, value in options.items() if key not in tickets}
        given: dict[str, Any] = checked(SpecOptions, others, f"{NAME}/{self.name}").model_dump(exclude_unset=True)
        return {**given, "tickets": self._tickets_with(tickets)} if tickets else given

    def _tickets_with(self, options: Mapping[str, str]) -> dict[str, Any]:
        changed: dict[str, Any] = self.rules.tickets.model_dump()
        for key, text in options.items():
            _, role, name = [*key.split("."), "", ""][:3]
            if role not in changed or key.count(".") != 2:
                known = ["tickets.mr_x.NAME", "tickets.detectives.NAME"]
                raise UnknownName("option", key, known, f"of {NAME}/{self.name}")
            if text not in ("unlimited", "detectives") and not text.isdecimal():
                raise BadOption(f"“{key}={text}” is not valid: give a number of tickets, or “unlimited”.")
            if isinstance(changed[role], str):
                changed[role] = {transport.name: "unlimited" for transport in self.transports if not transport.black_only}
            changed[role][name] = int(text) if text.isdecimal() else text
        return changed

    def with_rules(self, changes: Mapping[str, Any]) -> Board:
        """The board with some of its rules changed; tickets are changed by role, and reveals beyond the log are dropped."""
        rules = self.rules.model_dump()
        tickets = {**rules["tickets"], **changes.get("tickets", {})}
        changed = replace(self, rules=RuleOptions.model_validate({**rules, **changes, "tickets": tickets}))
        return changed if "reveals" in changes else changed.with_fitting_reveals()

    def with_fitting_reveals(self) -> Board:
        """The board without reveals that were made for a longer log."""
        reveals = self.rules.reveals
        if not isinstance(reveals, list):
            return self
        kept = [slot for slot in reveals if slot <= self.slots]
        return replace(self, rules=self.rules.model_copy(update={"reveals": kept}))

    def rule_problems(self) -> Iterator[tuple[Place, str]]:
        """What is wrong with the rules: where, and the sentence."""
        for role in ROLES:
            yield from self._ticket_problems(role)
        for index, slot in enumerate(self.reveals()):
            if slot > self.slots:
                yield ["rules", "reveals", index], f"the reveal {slot} is beyond the last log slot, {self.slots}."
        sentence = self.starts_problem()
        if sentence:
            yield ["starts"], sentence

    def _ticket_problems(self, role: Role) -> Iterator[tuple[Place, str]]:
        known = {transport.name for transport in self.transports} | set(SPECIAL if role == "mr_x" else ())
        black_only = {transport.name for transport in self.transports if transport.black_only}
        given = getattr(self.rules.tickets, role)
        for name, count in {} if given == "unlimited" else given.items():
            place: Place = ["rules", "tickets", role, name]
            if name not in known:
                exist = ", ".join(sorted(known))
                yield place, f"there are no “{short(name)}” tickets for this side; it can have {exist}."
            elif name in black_only:
                yield place, f"tickets for “{name}” can never be used: only a black ticket pays for it."
            elif isinstance(count, int) and not 0 <= count <= 999:
                yield place, f"{count} is not a possible number of tickets; give 0 to 999, or “unlimited”."
            elif name == "double" and count == "unlimited":
                yield place, "the number of double moves must be limited."
        if not any(self.tickets(role).values()):
            yield ["rules", "tickets", role], "there must be at least one ticket."

    def starts_problem(self) -> str | None:
        """Why the pieces do not fit on the starts, if they do not."""
        mr_x, theirs, detectives = set(self.mr_x_starts), set(self.detective_starts), self.rules.detectives
        if not mr_x:
            return "there is no start for Mr X."
        if len(theirs) >= detectives + bool(mr_x & theirs):
            return None
        team = f"{detectives} detectives" if detectives > 1 else "1 detective"
        if mr_x == theirs:
            return f"there are more pieces (Mr X and {team}) than starts ({len(theirs)})."
        taken = ", and Mr X may take one of them" if mr_x & theirs else ""
        return f"there are more pieces ({team}) than starts for them ({len(theirs)}{taken})."


def _make(file: JsonFile, parsed: BoardFile) -> Board:
    """The board of a file, with all checks but those of the rules alone."""
    _check_stations(file, parsed)
    _check_links(file, parsed)
    mr_x, detectives = _starts(file, parsed)
    board = Board(
        parsed.name, parsed.about, tuple(parsed.transports), tuple(parsed.stations), mr_x, detectives, parsed.rules
    )
    if "reveals" not in file.data.get("rules", {}):
        board = board.with_fitting_reveals()
    sentence = board.starts_problem()
    if sentence:  # where the file gives no starts, it is the number of detectives that does not fit
        file.note(["starts"] if "starts" in file.data else ["rules", "detectives"], sentence)
    every_link = {s.station: [end for ends in s.links.values() for end in ends] for s in parsed.stations}
    check_connected(file, "stations", every_link, parsed.stations[0].station, "station")
    return board


def _check_stations(file: JsonFile, parsed: BoardFile) -> None:
    if len(parsed.stations) < 2:
        raise file.problem(["stations"], "a board needs at least two stations.")
    if not parsed.transports:
        file.note(["transports"], "a board needs at least one transport.")
    elif all(transport.black_only for transport in parsed.transports):
        file.note(["transports"], "a board needs a transport that is not black_only, for the detectives.")
    names = [transport.name for transport in parsed.transports]
    for index, name in enumerate(names):
        if name in (*SPECIAL, "pass"):
            file.note(["transports", index, "name"], f"“{name}” has a meaning of its own; choose another name.")
        if name in names[:index]:
            file.note(["transports", index, "name"], f"there are two transports called “{name}”.")
    numbers = [station.station for station in parsed.stations]
    for index, number in enumerate(numbers):
        if number in numbers[:index]:
            file.note(["stations", index, "station"], f"there are two stations with the number {number}.")
    check_coordinates(file, "stations", parsed.stations, "station")


def _check_links(file: JsonFile, parsed: BoardFile) -> None:
    names = sorted(transport.name for transport in parsed.transports)
    links = {name: {station.station: station.links.get(name, []) for station in parsed.stations} for name in names}
    for index, station in enumerate(parsed.stations):
        for transport in station.links:
            place: Place = ["stations", index, "links", transport]
            if transport not in links:
                known = ", ".join(names)
                file.note(place, f"there is no transport “{short(transport)}” on this board; it has {known}.")
                continue
            check_links(file, place, f"{transport} link", station.station, links[transport])


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


def _check_starts(file: JsonFile, place: Place, starts: list[int], numbers: list[int]) -> None:
    for index, start in enumerate(starts):
        if start not in numbers:
            file.note([*place, index], f"the start {start} is not a station of this board.")
        elif start in starts[:index]:
            file.note([*place, index], f"the start {start} is listed twice.")


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
        "game": NAME,
        "name": f"grid{size}",
        "about": f"{size} x {size} grid, four directions, {detectives} detectives, no tickets to count",
        "transports": [{"name": "walk"}],
        "stations": stations,
        "rules": {"detectives": detectives, "rounds": 15, "reveals": "every 3"},
    }


@cache
def _grid(size: int) -> Board:
    return BOARDS.check(JsonFile(f"grid{size}", grid_file(size), {}))


def _generate(name: str, options: Mapping[str, str]) -> Board | None:
    grid = GRID.fullmatch(name)
    if grid:
        return _grid(int(grid[1]))
    if name != RANDOM:
        return None
    from fogbound.games.scotland_yard.generator import generate  # with SciPy: only where boards are generated

    wanted = checked(SpecOptions, options, f"{NAME}/{RANDOM}")
    return generate(wanted.stations, wanted.seed)


BOARDS = Boards(
    family=NAME,
    noun="board",
    package=__package__,
    model=BoardFile,
    make=_make,
    shape=("transports", "stations"),
    generated={
        "gridN": "an N x N grid for any N from 2 to 16, as in grid5",
        RANDOM: "a generated board, as in random:stations=60,seed=5",
    },
    generate=_generate,
    generator_options={RANDOM: GENERATOR_OPTIONS},
)
