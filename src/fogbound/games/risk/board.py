"""Maps of the Risk family: the file format, every check a file must pass, and the rules it is played by."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core import jsonfile
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.jsonfile import JsonFile
from fogbound.core.registry import checked

FEWEST_TERRITORIES = 6
MOST_TERRITORIES = 120
MOST_PLAYERS = 6
SYMBOLS = ("infantry", "cavalry", "artillery")
CLASSIC_SIZE = 42  # territories of the classic map, which the numbers in the rules are made for
GENERATED = "random"
GENERATOR_OPTIONS = ("territories", "continents", "seed")

Symbol = Literal["infantry", "cavalry", "artillery"]
Point = tuple[float, float]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class TerritoryEntry(_Model):
    """A territory, and the territories that it borders on."""

    territory: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40, description="its short name, in small letters")
    name: str = Field(min_length=1, max_length=40, description="its name for people")
    x: float | None = Field(None, description="where to draw its armies: to the right")
    y: float | None = Field(None, description="where to draw its armies: down")
    borders: list[str] = Field(description="short names of the territories next to it")
    older: Symbol | None = Field(None, description="the symbol on its card in the older deck")
    modern: Symbol | None = Field(None, description="the symbol on its card in the modern deck")
    polygon: list[list[float]] | None = Field(None, description="its outline: points [x, y] in order")


class ContinentEntry(_Model):
    """Territories that earn a bonus together."""

    continent: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40, description="its short name, in small letters")
    name: str = Field(min_length=1, max_length=40, description="its name for people")
    bonus: int = Field(description="armies a turn for who holds all of it")
    territories: list[str] = Field(description="short names of its territories")


class MissionEntry(_Model):
    """A mission to hold continents."""

    continents: list[str] = Field(min_length=1, max_length=5, description="short names of the continents to hold")
    any_third: bool = Field(False, description="one more continent of the player's choice is needed")


class RuleOptions(BaseModel):
    """The rules that a map file or a spec can set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    players: int = Field(3, ge=2, le=MOST_PLAYERS, description="number of players")
    goal: Literal["domination", "missions"] = Field("domination", description="hold everything, or a secret mission")
    strict_missions: bool = Field(
        False, description="a mission to destroy a colour is won whoever destroys it, and never becomes another"
    )
    neutral: bool | None = Field(None, description="a neutral army defends a third of the map; default: with two players")
    cards: Literal["growing", "slow", "fixed", "capped"] = Field(
        "growing", description="set values: 4 6 8 10 12 15 20 ..., 4 5 6 ..., by type of set, or growing up to 50"
    )
    deck: Literal["older", "modern"] = Field("modern", description="which symbols the territory cards show")
    deal: bool = Field(False, description="territories are dealt at random instead of chosen")
    free_fortify: bool = Field(False, description="any number of fortifying moves a turn")
    army_limit: int = Field(0, ge=0, le=1000, description="most armies on a territory, usually 12; 0 for no limit")
    round_limit: int = Field(0, ge=0, le=10000, description="rounds until territories, then armies decide; 0 for no limit")
    starting_armies: int = Field(0, ge=0, le=1000, description="armies each player starts with; 0 for the usual number")


class SpecOptions(RuleOptions):
    """What can stand after the colon of a spec: the rules, and for `risk/random` how to make the map."""

    territories: int = Field(
        CLASSIC_SIZE, ge=FEWEST_TERRITORIES, le=MOST_TERRITORIES, description="territories of a random map"
    )
    continents: int = Field(0, ge=0, le=MOST_TERRITORIES, description="continents of a random map; 0 to fit its size")
    seed: int = Field(0, ge=0, description="which random map")


class MapFile(_Model):
    """A map of the Risk family."""

    game: Literal["risk"] = Field(description="the family this file is for")
    name: str = Field(min_length=1, max_length=60, description="the map's name")
    about: str = Field("", max_length=400, description="one line about it")
    like: str | None = Field(None, description="a shipped map; what is not given here is taken from it")
    territories: list[TerritoryEntry] = Field(default=[], description="6 to 120; every border stands on both of its sides")
    continents: list[ContinentEntry] = Field(default=[], description="each territory belongs to exactly one")
    sea: list[list[str]] = Field(default=[], description="pairs of territories whose border crosses water, for drawing")
    missions: list[MissionEntry] | None = Field(
        None, max_length=24, description="continents to hold in secret missions; left out: chosen by size"
    )
    rules: RuleOptions = Field(default_factory=RuleOptions, description="the rules this map is played by")


@dataclass(frozen=True)
class Territory:
    id: str
    name: str
    x: float
    y: float
    polygon: tuple[Point, ...] | None = None


@dataclass(frozen=True)
class Continent:
    id: str
    name: str
    bonus: int
    members: tuple[int, ...]


@dataclass(frozen=True)
class ContinentMission:
    """Hold these continents (by index), and one more if any_third."""

    continents: tuple[int, ...]
    any_third: bool


@dataclass(frozen=True)
class Board:
    """A checked map with its rules."""

    name: str
    about: str
    territories: tuple[Territory, ...]
    neighbours: tuple[tuple[int, ...], ...]
    continents: tuple[Continent, ...]
    older: tuple[int, ...]
    """For each territory the symbol on its card in the older deck: an index into SYMBOLS."""
    modern: tuple[int, ...]
    sea: tuple[tuple[int, int], ...]
    missions: tuple[ContinentMission, ...]
    rules: RuleOptions

    @property
    def size(self) -> int:
        return len(self.territories)

    @property
    def symbols(self) -> tuple[int, ...]:
        """The symbols of the deck that is played with."""
        return self.older if self.rules.deck == "older" else self.modern

    @property
    def neutral(self) -> bool:
        """Whether a neutral army stands on a third of the map."""
        return self.rules.players == 2 if self.rules.neutral is None else self.rules.neutral

    @property
    def starting_armies(self) -> int:
        """Armies each player starts with: 50 - 5 x players on 42 territories, in proportion on other maps (halves up)."""
        usual = 50 - 5 * self.rules.players
        return self.rules.starting_armies or scaled(usual, self.size)

    @property
    def hold_many(self) -> int:
        """Territories to hold in the mission that says 24 on the classic map."""
        return scaled(24, self.size)

    @property
    def hold_firmly(self) -> int:
        """Territories to hold with two armies each in the mission that says 18 on the classic map."""
        return scaled(18, self.size)

    def continent_of(self) -> tuple[int, ...]:
        """For each territory its continent."""
        where = {member: index for index, continent in enumerate(self.continents) for member in continent.members}
        return tuple(where[i] for i in range(self.size))

    def gates(self, continent: int) -> tuple[int, ...]:
        """The members of a continent that border on another one."""
        members = self.continents[continent].members
        return tuple(i for i in members if any(j not in members for j in self.neighbours[i]))

    def definition(self) -> dict[str, Any]:
        """The map as the JSON of a map file, with nothing left to be looked up."""
        ids = [territory.id for territory in self.territories]
        file = MapFile(
            game="risk",
            name=self.name,
            about=self.about,
            territories=[self._entry(i) for i in range(self.size)],
            continents=[
                ContinentEntry(continent=c.id, name=c.name, bonus=c.bonus, territories=[ids[i] for i in c.members])
                for c in self.continents
            ],
            sea=[[ids[a], ids[b]] for a, b in self.sea],
            missions=[
                MissionEntry(continents=[self.continents[c].id for c in mission.continents], any_third=mission.any_third)
                for mission in self.missions
            ],
            rules=self.rules,
        )
        return file.model_dump(exclude_none=True)

    def _entry(self, i: int) -> TerritoryEntry:
        territory = self.territories[i]
        return TerritoryEntry(
            territory=territory.id,
            name=territory.name,
            x=territory.x,
            y=territory.y,
            borders=[self.territories[j].id for j in self.neighbours[i]],
            older=SYMBOLS[self.older[i]],  # type: ignore[arg-type]
            modern=SYMBOLS[self.modern[i]],  # type: ignore[arg-type]
            polygon=None if territory.polygon is None else [list(point) for point in territory.polygon],
        )


def scaled(count: int, territories: int) -> int:
    """A number made for the classic map on one of another size, halves rounded up."""
    return (2 * count * territories + CLASSIC_SIZE) // (2 * CLASSIC_SIZE)


def schema() -> dict[str, Any]:
    """The JSON Schema of a map file."""
    return jsonfile.schema_of(MapFile)


def shipped() -> dict[str, str]:
    """The maps that come with Fogbound, and a line about each."""
    maps = {name: load(name, {}).about for name in _files()}
    return {**maps, GENERATED: "a generated map, as in random:territories=21,continents=4,seed=5"}


def load(name: str, options: Mapping[str, str]) -> Board:
    """A shipped map, a generated one or a map file, with rule options from a spec."""
    making = {key: value for key, value in options.items() if key in GENERATOR_OPTIONS}
    if name == GENERATED:
        return with_options(_generated(making), {key: value for key, value in options.items() if key not in making})
    if making:
        raise FogboundError(f"The option “{next(iter(making))}” is for risk/random only; risk/{name} is as it is.")
    board = check(jsonfile.read(name)) if jsonfile.names_file(name) else _shipped(name)
    return with_options(board, options)


def _generated(options: Mapping[str, str]) -> Board:
    from fogbound.games.risk.generator import generate

    wanted = checked(SpecOptions, options, f"risk/{GENERATED}")
    if wanted.continents > wanted.territories:
        raise FogboundError(f"{wanted.territories} territories cannot make {wanted.continents} continents.")
    return generate(wanted.territories, wanted.continents, wanted.seed)


@cache
def _shipped(name: str) -> Board:
    if name not in _files():
        raise UnknownName("map of risk", name, [*_files(), GENERATED, "a file ending in .json"])
    text = (_folder() / f"{name}.json").read_text(encoding="utf-8")
    return check(jsonfile.parse(text, f"{name}.json"))


def _files() -> list[str]:
    return sorted(file.name.removesuffix(".json") for file in _folder().iterdir() if file.name.endswith(".json"))


def _folder() -> Any:
    return resources.files("fogbound.games.risk").joinpath("boards")


def rebuild(definition: Mapping[str, Any]) -> Board:
    """A map from its definition."""
    return check(jsonfile.parse(json.dumps(definition), "the record's map"))


def check(file: JsonFile) -> Board:
    """A map from a file's data; BadFile with the first thing that is wrong."""
    parsed = file.validated(MapFile, 'a map file is one JSON object: {"game": "risk", ...}.')
    if not parsed.like:
        return _checked(file, parsed)
    for key in ("territories", "continents", "sea"):
        if key in file.data:
            raise file.problem([key], f"a map that is like another cannot have {key} of its own.")
    try:
        base = _shipped(parsed.like).definition()
    except FogboundError as error:
        raise file.problem(["like"], str(error)) from None
    own = parsed.model_dump(exclude_unset=True, exclude={"like"})
    rules = {**base["rules"], **own.get("rules", {})}
    return _checked(file, MapFile.model_validate({**base, **own, "rules": rules}))


def _checked(file: JsonFile, parsed: MapFile) -> Board:
    _check_territories(file, parsed)
    _check_borders(file, parsed)
    _check_continents(file, parsed)
    _check_sea(file, parsed)
    _check_missions(file, parsed)
    board = assemble(parsed)
    _check_connected(file, board)
    problem = rule_problem(board)
    if problem:
        raise file.problem(*problem)
    return board


def _check_territories(file: JsonFile, parsed: MapFile) -> None:
    count = len(parsed.territories)
    if not FEWEST_TERRITORIES <= count <= MOST_TERRITORIES:
        sentence = f"a map has {FEWEST_TERRITORIES} to {MOST_TERRITORIES} territories, not {count}."
        raise file.problem(["territories"], sentence)
    first = parsed.territories[0]
    for index, entry in enumerate(parsed.territories):
        place: list[str | int] = ["territories", index]
        for earlier in parsed.territories[:index]:
            if entry.territory == earlier.territory:
                raise file.problem([*place, "territory"], f"the territory “{entry.territory}” stands twice.")
            if entry.name.lower() == earlier.name.lower():
                raise file.problem([*place, "name"], f"two territories are called “{entry.name}”.")
        if (entry.x is None) != (first.x is None) or (entry.x is None) != (entry.y is None):
            raise file.problem(place, "give x and y to every territory, or to none.")
        for deck in ("older", "modern"):
            if (getattr(entry, deck) is None) != (getattr(first, deck) is None):
                raise file.problem(place, f"give a symbol of the {deck} deck to every territory, or to none.")
        if entry.polygon is not None and (len(entry.polygon) < 3 or any(len(point) != 2 for point in entry.polygon)):
            raise file.problem([*place, "polygon"], "a polygon is at least three points [x, y].")


def _check_borders(file: JsonFile, parsed: MapFile) -> None:
    borders = {entry.territory: entry.borders for entry in parsed.territories}
    for index, entry in enumerate(parsed.territories):
        here = entry.territory
        for k, there in enumerate(entry.borders):
            place: list[str | int] = ["territories", index, "borders", k]
            if there not in borders:
                raise file.problem(place, f"“{here}” borders on “{there}”, which is no territory of this map.")
            if there == here:
                raise file.problem(place, f"“{here}” borders on itself.")
            if there in entry.borders[:k]:
                raise file.problem(place, f"the border from “{here}” to “{there}” stands twice.")
            if here not in borders[there]:
                sentence = f"the border from “{here}” to “{there}” is one-sided: “{there}” has no border to “{here}”."
                raise file.problem(place, sentence)


def _check_continents(file: JsonFile, parsed: MapFile) -> None:
    known = {entry.territory for entry in parsed.territories}
    home: dict[str, str] = {}
    if not parsed.continents:
        raise file.problem(["continents"], "a map needs at least one continent.")
    for index, continent in enumerate(parsed.continents):
        place: list[str | int] = ["continents", index]
        if continent.continent in [earlier.continent for earlier in parsed.continents[:index]]:
            raise file.problem([*place, "continent"], f"the continent “{continent.continent}” stands twice.")
        if continent.bonus < 0:
            sentence = f"the bonus of “{continent.continent}” is {continent.bonus}; it cannot be negative."
            raise file.problem([*place, "bonus"], sentence)
        if not continent.territories:
            raise file.problem([*place, "territories"], f"the continent “{continent.continent}” is empty.")
        for k, territory in enumerate(continent.territories):
            if territory not in known:
                sentence = f"“{territory}” of the continent “{continent.continent}” is no territory of this map."
                raise file.problem([*place, "territories", k], sentence)
            if territory in home:
                sentence = f"“{territory}” is in “{continent.continent}”, but already in “{home[territory]}”."
                raise file.problem([*place, "territories", k], sentence)
            home[territory] = continent.continent
    for index, entry in enumerate(parsed.territories):
        if entry.territory not in home:
            raise file.problem(["territories", index], f"the territory “{entry.territory}” is in no continent.")


def _check_sea(file: JsonFile, parsed: MapFile) -> None:
    borders = {entry.territory: entry.borders for entry in parsed.territories}
    for index, pair in enumerate(parsed.sea):
        if len(pair) != 2 or pair[1] not in borders.get(pair[0], ()):
            names = " and ".join(f"“{name}”" for name in pair)
            raise file.problem(["sea", index], f"a border across water joins two neighbours; {names or 'nothing'} is none.")


def _check_missions(file: JsonFile, parsed: MapFile) -> None:
    known = [continent.continent for continent in parsed.continents]
    for index, mission in enumerate(parsed.missions or []):
        for k, continent in enumerate(mission.continents):
            place: list[str | int] = ["missions", index, "continents", k]
            if continent not in known:
                raise file.problem(place, f"there is no continent “{continent}” on this map; it has {', '.join(known)}.")
            if continent in mission.continents[:k]:
                raise file.problem(place, f"the continent “{continent}” stands twice in this mission.")
        if mission.any_third and len(mission.continents) == len(known):
            raise file.problem(["missions", index], "no continent is left to be held besides.")


def _check_connected(file: JsonFile, board: Board) -> None:
    reached = connected(board.neighbours, 0)
    for index, territory in enumerate(board.territories):
        if index not in reached:
            sentence = f"the map is disconnected: “{territory.id}” cannot be reached from “{board.territories[0].id}”."
            raise file.problem(["territories", index], sentence)


def connected(neighbours: tuple[tuple[int, ...], ...], start: int) -> set[int]:
    """All territories that can be reached from one."""
    reached = {start}
    waiting = [start]
    while waiting:
        near = set(neighbours[waiting.pop()]) - reached
        reached |= near
        waiting.extend(near)
    return reached


def assemble(file: MapFile) -> Board:
    """The map of a checked file: names become numbers, and what is left out is filled in."""
    index = {entry.territory: i for i, entry in enumerate(file.territories)}
    continents = tuple(
        Continent(c.continent, c.name, c.bonus, tuple(sorted(index[t] for t in c.territories))) for c in file.continents
    )
    number = {continent.id: i for i, continent in enumerate(continents)}
    if file.missions is None:
        missions = usual_missions(continents)
    else:
        missions = tuple(ContinentMission(tuple(number[c] for c in m.continents), m.any_third) for m in file.missions)
    return Board(
        name=file.name,
        about=file.about,
        territories=tuple(_territory(entry, i, len(index)) for i, entry in enumerate(file.territories)),
        neighbours=tuple(tuple(sorted(index[b] for b in entry.borders)) for entry in file.territories),
        continents=continents,
        older=_symbols([entry.older for entry in file.territories]),
        modern=_symbols([entry.modern for entry in file.territories]),
        sea=tuple((index[a], index[b]) for a, b in file.sea),
        missions=missions,
        rules=file.rules,
    )


def _territory(entry: TerritoryEntry, index: int, count: int) -> Territory:
    """A territory; one without a place is drawn on a grid."""
    columns = round(count**0.5)
    x = 100.0 * (index % columns) if entry.x is None else entry.x
    y = 100.0 * (index // columns) if entry.y is None else entry.y
    polygon = None if entry.polygon is None else tuple((float(point[0]), float(point[1])) for point in entry.polygon)
    return Territory(entry.territory, entry.name, float(x), float(y), polygon)


def _symbols(given: list[Symbol | None]) -> tuple[int, ...]:
    """A deck's symbols; where the file has none, the three take turns, which makes equal parts."""
    return tuple(i % len(SYMBOLS) if symbol is None else SYMBOLS.index(symbol) for i, symbol in enumerate(given))


def usual_missions(continents: tuple[Continent, ...]) -> tuple[ContinentMission, ...]:
    """Continent missions for a map that names none, as heavy as the classic ones.

    Four pairs whose size is nearest to two fifths of the map; with four continents or more
    also two of the smallest pairs with any third.
    """
    sizes = [len(continent.members) for continent in continents]
    pairs = [(a, b) for a in range(len(sizes)) for b in range(a + 1, len(sizes)) if len(sizes) > 2]
    target = 2 * sum(sizes) / 5
    by_weight = sorted(pairs, key=lambda pair: (abs(sizes[pair[0]] + sizes[pair[1]] - target), pair))
    heavy = by_weight[:4]
    light = sorted((pair for pair in pairs if pair not in heavy), key=lambda pair: (sizes[pair[0]] + sizes[pair[1]], pair))
    thirds = light[:2] if len(sizes) >= 4 else []
    return tuple([ContinentMission(pair, False) for pair in heavy] + [ContinentMission(pair, True) for pair in thirds])


def rule_problem(board: Board) -> tuple[list[str | int], str] | None:
    """What is wrong with a map's rules: where, and the sentence."""
    rules = board.rules
    if rules.neutral and rules.players != 2:
        return ["rules", "neutral"], f"the neutral army is for two players, not for {rules.players}."
    if board.neutral and rules.goal == "missions":
        return ["rules", "goal"], "there are no missions in the game of two players with a neutral army."
    if rules.army_limit == 1:
        return ["rules", "army_limit"], "with one army a territory nobody could attack; give 2 or more, or 0 for no limit."
    owners = rules.players + int(board.neutral)
    fewest = -(-board.size // owners)
    if board.starting_armies < fewest:
        sentence = (
            f"{board.starting_armies} starting armies are too few for {board.size} territories; give {fewest} or more."
        )
        return ["rules", "starting_armies"], sentence
    return None


def with_options(board: Board, options: Mapping[str, str]) -> Board:
    """The map with rule options given as text, as after the colon of a spec."""
    if not options:
        return board
    of = f"risk/{board.name}"
    given = checked(RuleOptions, options, of).model_dump(exclude_unset=True)
    changed = replace(board, rules=RuleOptions.model_validate({**board.rules.model_dump(), **given}))
    problem = rule_problem(changed)
    if problem:
        raise FogboundError(f"{of} cannot be played so: {problem[1]}")
    return changed
