"""Maps of the Risk family: the file format, every check a file must pass, and the rules it is played by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core.errors import BadOption
from fogbound.core.jsonfile import JsonFile
from fogbound.core.registry import checked
from fogbound.games.boardfile import Boards, FileModel, Place, check_connected, check_coordinates, check_links
from fogbound.games.layout import lay_out

NAME: Final = "risk"
FEWEST_TERRITORIES = 6
MOST_TERRITORIES = 120
ACROSS_WATER = 1.6  # how much farther a neighbour across water is drawn, where a map gives no places
MOST_PLAYERS = 6
SYMBOLS = ("infantry", "cavalry", "artillery")
CLASSIC_SIZE = 42  # territories of the classic map, which the numbers in the rules are made for
RANDOM = "random"
GENERATOR_OPTIONS = ("territories", "continents", "seed")

Symbol = Literal["infantry", "cavalry", "artillery"]
Point = tuple[float, float]


class TerritoryEntry(FileModel):
    """A territory, and the territories that it borders on."""

    territory: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40, description="its short name, in small letters")
    name: str = Field(min_length=1, max_length=40, description="its name for people")
    x: float | None = Field(None, description="where to draw its armies: to the right")
    y: float | None = Field(None, description="where to draw its armies: down")
    borders: list[str] = Field(description="short names of the territories next to it")
    older: Symbol | None = Field(None, description="the symbol on its card in the older deck")
    modern: Symbol | None = Field(None, description="the symbol on its card in the modern deck")
    polygon: list[list[float]] | None = Field(None, description="its outline: points [x, y] in order")


class ContinentEntry(FileModel):
    """Territories that earn a bonus together."""

    continent: str = Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=40, description="its short name, in small letters")
    name: str = Field(min_length=1, max_length=40, description="its name for people")
    bonus: int = Field(description="armies a turn for who holds all of it")
    territories: list[str] = Field(description="short names of its territories")


class MissionEntry(FileModel):
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
    """The options of a spec: the rules, and for `risk/random` how to make the map."""

    territories: int = Field(
        CLASSIC_SIZE, ge=FEWEST_TERRITORIES, le=MOST_TERRITORIES, description="territories of a random map"
    )
    continents: int = Field(0, ge=0, le=MOST_TERRITORIES, description="continents of a random map; 0 to fit its size")
    seed: int = Field(0, ge=0, description="which random map")


class MapFile(FileModel):
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
            game=NAME,
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

    def changes(self, options: Mapping[str, str]) -> dict[str, Any]:
        """The rules that options set."""
        given: dict[str, Any] = checked(SpecOptions, options, f"{NAME}/{self.name}").model_dump(exclude_unset=True)
        return given

    def with_rules(self, changes: Mapping[str, Any]) -> Board:
        """The map with some of its rules changed."""
        return replace(self, rules=RuleOptions.model_validate({**self.rules.model_dump(), **changes}))

    def rule_problems(self) -> Iterator[tuple[Place, str]]:
        """What is wrong with the rules: where, and the sentence."""
        rules = self.rules
        if rules.neutral and rules.players != 2:
            yield ["rules", "neutral"], f"the neutral army is for two players, not for {rules.players}."
        if self.neutral and rules.goal == "missions":
            yield ["rules", "goal"], "there are no missions in the game of two players with a neutral army."
        if rules.army_limit == 1:
            sentence = "with one army per territory nobody could attack; give at least 2, or 0 for no limit."
            yield ["rules", "army_limit"], sentence
        fewest = -(-self.size // (rules.players + int(self.neutral)))
        if self.starting_armies < fewest:
            sentence = (
                f"{self.starting_armies} starting armies are too few for {self.size} territories; give {fewest} or more."
            )
            yield ["rules", "starting_armies"], sentence


def scaled(count: int, territories: int) -> int:
    """A number made for the classic map on one of another size, halves rounded up."""
    return (2 * count * territories + CLASSIC_SIZE) // (2 * CLASSIC_SIZE)


def _make(file: JsonFile, parsed: MapFile) -> Board:
    """The map of a file, with all checks but those of the rules."""
    _check_territories(file, parsed)
    _check_borders(file, parsed)
    _check_continents(file, parsed)
    _check_sea(file, parsed)
    _check_missions(file, parsed)
    file.stop_if_noted()
    return assemble(parsed)


def _check_territories(file: JsonFile, parsed: MapFile) -> None:
    count = len(parsed.territories)
    if not FEWEST_TERRITORIES <= count <= MOST_TERRITORIES:
        sentence = f"a map has {FEWEST_TERRITORIES} to {MOST_TERRITORIES} territories, not {count}."
        raise file.problem(["territories"], sentence)
    first = parsed.territories[0]
    for index, entry in enumerate(parsed.territories):
        place: Place = ["territories", index]
        for earlier in parsed.territories[:index]:
            if entry.territory == earlier.territory:
                file.note([*place, "territory"], f"there are two territories “{entry.territory}”.")
            elif entry.name.lower() == earlier.name.lower():
                file.note([*place, "name"], f"two territories are called “{entry.name}”.")
        for deck in ("older", "modern"):
            if (getattr(entry, deck) is None) != (getattr(first, deck) is None):
                file.note(place, f"give a symbol of the {deck} deck to every territory, or to none.")
        if entry.polygon is not None and (len(entry.polygon) < 3 or any(len(point) != 2 for point in entry.polygon)):
            file.note([*place, "polygon"], "a polygon is a list of at least three points [x, y].")
    check_coordinates(file, "territories", parsed.territories, "territory")


def _check_borders(file: JsonFile, parsed: MapFile) -> None:
    borders = {entry.territory: entry.borders for entry in parsed.territories}
    for index, here in enumerate(borders):
        check_links(file, ["territories", index, "borders"], "border", here, borders)
    check_connected(file, "territories", borders, parsed.territories[0].territory, "territory")


def _check_continents(file: JsonFile, parsed: MapFile) -> None:
    known = {entry.territory for entry in parsed.territories}
    home: dict[str, str] = {}
    if not parsed.continents:
        file.note(["continents"], "a map needs at least one continent.")
    for index, continent in enumerate(parsed.continents):
        place: Place = ["continents", index]
        if continent.continent in [earlier.continent for earlier in parsed.continents[:index]]:
            file.note([*place, "continent"], f"there are two continents “{continent.continent}”.")
        if continent.bonus < 0:
            sentence = f"the bonus of “{continent.continent}” is {continent.bonus}; it must not be negative."
            file.note([*place, "bonus"], sentence)
        if not continent.territories:
            file.note([*place, "territories"], f"the continent “{continent.continent}” has no territories.")
        for k, territory in enumerate(continent.territories):
            if territory not in known:
                sentence = f"the continent “{continent.continent}” lists “{territory}”, but there is no such territory."
                file.note([*place, "territories", k], sentence)
            elif territory in home:
                sentence = f"“{territory}” is listed in “{continent.continent}”, but it is already in “{home[territory]}”."
                file.note([*place, "territories", k], sentence)
            home[territory] = continent.continent
    for index, entry in enumerate(parsed.territories):
        if entry.territory not in home:
            file.note(["territories", index], f"the territory “{entry.territory}” belongs to no continent.")


def _check_sea(file: JsonFile, parsed: MapFile) -> None:
    borders = {entry.territory: entry.borders for entry in parsed.territories}
    for index, pair in enumerate(parsed.sea):
        if len(pair) != 2 or pair[1] not in borders.get(pair[0], ()):
            file.note(["sea", index], "a border across water is a pair of territories that border on each other.")


def _check_missions(file: JsonFile, parsed: MapFile) -> None:
    known = [continent.continent for continent in parsed.continents]
    for index, mission in enumerate(parsed.missions or []):
        for k, continent in enumerate(mission.continents):
            place: Place = ["missions", index, "continents", k]
            if continent not in known:
                file.note(place, f"there is no continent “{continent}” on this map; it has {', '.join(known)}.")
            elif continent in mission.continents[:k]:
                file.note(place, f"this mission lists the continent “{continent}” twice.")
        if mission.any_third and len(mission.continents) == len(known):
            file.note(["missions", index], "this mission names every continent, so none is left to choose.")


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
        territories=tuple(map(_territory, file.territories, _places(file, index))),
        neighbours=tuple(tuple(sorted(index[b] for b in entry.borders)) for entry in file.territories),
        continents=continents,
        older=_symbols([entry.older for entry in file.territories]),
        modern=_symbols([entry.modern for entry in file.territories]),
        sea=tuple((index[a], index[b]) for a, b in file.sea),
        missions=missions,
        rules=file.rules,
    )


def _places(file: MapFile, index: Mapping[str, int]) -> list[tuple[float, float]]:
    """Where each territory is drawn: as the file says, or so that neighbours are near, those across water less so."""
    if file.territories[0].x is not None:
        return [(float(entry.x or 0), float(entry.y or 0)) for entry in file.territories]
    sea = {frozenset(pair) for pair in file.sea}
    links = [
        (index[entry.territory], index[end], ACROSS_WATER if frozenset((entry.territory, end)) in sea else 1.0)
        for entry in file.territories
        for end in entry.borders
    ]
    return [(100 * x, 100 * y) for x, y in lay_out(len(index), links)]


def _territory(entry: TerritoryEntry, place: tuple[float, float]) -> Territory:
    polygon = None if entry.polygon is None else tuple((float(point[0]), float(point[1])) for point in entry.polygon)
    return Territory(entry.territory, entry.name, *place, polygon)


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


def _generate(name: str, options: Mapping[str, str]) -> Board | None:
    if name != RANDOM:
        return None
    from fogbound.games.risk.generator import generate  # with SciPy: only where maps are generated

    wanted = checked(SpecOptions, options, f"{NAME}/{RANDOM}")
    if wanted.continents > wanted.territories:
        raise BadOption(f"A map of {wanted.territories} territories cannot have {wanted.continents} continents.")
    return generate(wanted.territories, wanted.continents, wanted.seed)


BOARDS = Boards(
    family=NAME,
    noun="map",
    package=__package__,
    model=MapFile,
    make=_make,
    shape=("territories", "continents", "sea"),
    generated={RANDOM: "a generated map, as in random:territories=21,continents=4,seed=5"},
    generate=_generate,
    generator_options={RANDOM: GENERATOR_OPTIONS},
)
