"""Boards of Eight-Minute Empire: the file format, and every check a file must pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core.errors import BadOption
from fogbound.core.jsonfile import JsonFile
from fogbound.core.registry import checked
from fogbound.games.boardfile import Boards, FileModel, Place, check_connected, check_coordinates, check_links
from fogbound.games.empire import tiles

NAME: Final = "empire"
MOST_REGIONS = 64
MOST_COINS = 60
RANDOM = "random"
GENERATOR_OPTIONS = ("seed", "width", "height", "land")
COINS = {2: 14, 3: 11, 4: 9, 5: 8}
TURNS = {2: 13, 3: 10, 4: 8, 5: 7}
DECK = {2: 37, 3: 37, 4: 37, 5: 42}


class Region(FileModel):
    """A region, and where one can go from it."""

    region: str = Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,19}$", description="its name: one word that begins with a letter")
    continent: str = Field(min_length=1, max_length=30, description="the name of its continent")
    x: float | None = Field(None, description="where to draw it: to the right")
    y: float | None = Field(None, description="where to draw it: down")
    token: bool = Field(False, description="whether goods tokens can lie here")
    land: list[str] = Field(default=[], description="regions across a border, written at both of its ends")
    sea: list[str] = Field(default=[], description="regions at the other end of a sea route, written at both of its ends")


class RuleOptions(BaseModel):
    """The rules that a board file or a spec can set."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    players: int = Field(2, ge=2, le=5, description="number of players")
    bidding: bool = Field(False, description="sealed bids decide who chooses the starting player; otherwise it is drawn")
    neutral: bool = Field(False, description="two players first place ten neutral armies, in turn")
    tokens: bool = Field(False, description="goods tokens lie on the board for those who control their regions at the end")
    continents: Literal["armies", "regions"] = Field(
        "armies", description="what controls a continent: most armies and cities on it, or most controlled regions"
    )
    wild: Literal["any", "owned"] = Field("any", description="what a wild card counts as: any good, or one you already own")
    ties: Literal["seed", "printed"] = Field(
        "seed", description="how ties are broken: by coins, regions, armies, or (printed) by coins, armies, regions"
    )
    print: Literal["main", "other"] = Field(
        "main", description="which print of card 24: two armies or a city, or (other) two armies only"
    )
    coins: int = Field(0, ge=0, le=MOST_COINS, description="coins of each player; 0: by the number of players")
    turns: int = Field(0, ge=0, le=21, description="cards that each player takes; 0: by the number of players")


class SpecOptions(RuleOptions):
    """The options of a spec: the rules, and for `empire/random` how to make the board."""

    seed: int = Field(0, ge=0, description="random boards: which one")
    width: int = Field(6, ge=2, le=tiles.MOST_TILES, description="random boards: tiles from left to right")
    height: int = Field(5, ge=2, le=tiles.MOST_TILES, description="random boards: tiles from top to bottom")
    land: int = Field(50, ge=10, le=90, description="random boards: share of land, in percent")


class BoardFile(FileModel):
    """A board of Eight-Minute Empire: tiles, or regions with a start."""

    game: Literal["empire"] = Field(description="the family this file is for")
    name: str = Field(min_length=1, max_length=60, description="the board's name")
    about: str = Field("", max_length=400, description="one line about it")
    like: str | None = Field(None, description="a shipped board; only name, about and rules are then given here")
    tiles: list[str] = Field(default=[], description="rows of letters: W water, G land, S the start region")
    tokens: list[str] = Field(
        default=[], description="tile boards: regions where goods tokens can lie; five are found if none is given"
    )
    start: str | None = Field(None, description="region boards: the start region")
    regions: list[Region] = Field(default=[], description="every border and sea route stands at both of its ends")
    rules: RuleOptions = Field(default_factory=RuleOptions, description="the rules this board is played by")


@dataclass(frozen=True)
class Board:
    """A checked board with its rules."""

    name: str
    about: str
    tiles: tuple[str, ...]
    """The rows of a tile board; nothing for a region board."""
    regions: tuple[Region, ...]
    start: str
    rules: RuleOptions

    @property
    def names(self) -> list[str]:
        return [region.region for region in self.regions]

    @property
    def continents(self) -> list[str]:
        """The continents' names, in the order of their first regions."""
        return list(dict.fromkeys(region.continent for region in self.regions))

    @property
    def token_spaces(self) -> list[str]:
        return [region.region for region in self.regions if region.token]

    @property
    def coins(self) -> int:
        return self.rules.coins or COINS[self.rules.players]

    @property
    def turns(self) -> int:
        return self.rules.turns or TURNS[self.rules.players]

    def definition(self) -> dict[str, Any]:
        """The board as the JSON of a board file, with nothing left to be looked up."""
        common: dict[str, Any] = {"game": NAME, "name": self.name, "about": self.about}
        if self.tiles:
            shape: dict[str, Any] = {"tiles": list(self.tiles), "tokens": self.token_spaces}
        else:
            regions = [region.model_dump(exclude_none=True, exclude_defaults=True) for region in self.regions]
            shape = {"start": self.start, "regions": regions}
        return {**common, **shape, "rules": self.rules.model_dump()}

    def changes(self, options: Mapping[str, str]) -> dict[str, Any]:
        """The rules that options set."""
        given: dict[str, Any] = checked(SpecOptions, options, f"{NAME}/{self.name}").model_dump(exclude_unset=True)
        return given

    def with_rules(self, changes: Mapping[str, Any]) -> Board:
        """The board with some of its rules changed."""
        return replace(self, rules=RuleOptions.model_validate({**self.rules.model_dump(), **changes}))

    def rule_problems(self) -> Iterator[tuple[Place, str]]:
        """What is wrong with the rules: where, and the sentence."""
        rules = self.rules
        if rules.neutral and rules.players != 2:
            yield ["rules", "neutral"], f"neutral armies are for two players, not for {rules.players}."
        if rules.tokens and not self.token_spaces:
            yield ["rules", "tokens"], "there is nowhere to put goods tokens: no region has “token”."
        most = DECK[rules.players] // rules.players
        if self.turns > most:
            sentence = f"with {rules.players} players there are cards for {most} turns each, not {self.turns}."
            yield ["rules", "turns"], sentence


def _make(file: JsonFile, parsed: BoardFile) -> Board:
    """The board of a file that has either tiles or regions, with all checks but those of the rules."""
    shapes = [key for key in ("tiles", "regions") if key in parsed.model_fields_set]
    if len(shapes) != 1:
        found = "both" if shapes else "none of them"
        raise file.problem(shapes[1:], f"a board has “tiles”, or “regions”, or is “like” another; this file has {found}.")
    stray = {"tiles": "start", "regions": "tokens"}[shapes[0]]
    if stray in parsed.model_fields_set:
        raise file.problem([stray], f"a board with “{shapes[0]}” must not have “{stray}”.")
    return _from_tiles(file, parsed) if shapes[0] == "tiles" else _from_regions(file, parsed)


def _from_tiles(file: JsonFile, parsed: BoardFile) -> Board:
    rows = parsed.tiles
    _check_rows(file, rows)
    land = tiles.land_tiles(rows)
    start = next(tile for tile in land if rows[tile[0]][tile[1]] == tiles.START)
    near = tiles.steps(rows)
    reached = tiles.distances(near, start)
    for y, x in land:
        if (y, x) not in reached:
            where = f"{tiles.name_of((y, x))} (column {x + 1})"
            file.note(["tiles", y], f"the region {where} cannot be reached from the start, not even by sea.")
    names = [tiles.name_of(tile) for tile in land]
    for index, token in enumerate(parsed.tokens):
        if token not in names:
            file.note(["tokens", index], f"there is no region “{token}” on this board; it has {', '.join(names)}.")
        elif token in parsed.tokens[:index]:
            file.note(["tokens", index], f"the token space {token} is listed twice.")
    tokens = parsed.tokens or tiles.token_spaces(rows)
    continent, inside = tiles.continents(set(land)), set(land)
    regions = [
        Region(
            region=tiles.name_of((y, x)),
            continent=str(continent[y, x]),
            x=float(x),
            y=float(y),
            token=tiles.name_of((y, x)) in tokens,
            land=[tiles.name_of(end) for end in sorted(tiles.borders(inside, (y, x)))],
            sea=[tiles.name_of(end) for end in sorted(near[y, x] - tiles.borders(inside, (y, x)))],
        )
        for y, x in land
    ]
    return Board(parsed.name, parsed.about, tuple(rows), tuple(regions), tiles.name_of(start), parsed.rules)


def _check_rows(file: JsonFile, rows: list[str]) -> None:
    if not 1 <= len(rows) <= tiles.MOST_TILES or not 1 <= len(rows[0]) <= tiles.MOST_TILES:
        raise file.problem(["tiles"], f"a tile board has 1 to {tiles.MOST_TILES} rows of 1 to {tiles.MOST_TILES} tiles.")
    starts = 0
    for y, row in enumerate(rows):
        if len(row) != len(rows[0]):
            file.note(["tiles", y], f"this row has {len(row)} tiles, the first row has {len(rows[0])}.")
        for x, letter in enumerate(row):
            if letter not in (tiles.WATER, tiles.LAND, tiles.START):
                file.note(
                    ["tiles", y], f"“{letter}” in column {x + 1} is not a tile; W is water, G is land, S is the start."
                )
            starts += letter == tiles.START
            if starts > 1 and letter == tiles.START:
                file.note(["tiles", y], f"column {x + 1} is a second start region; a board has one S.")
    if not starts:
        file.note(["tiles"], "there is no start region; one tile must be an S.")
    file.stop_if_noted()  # the rest needs whole rows and a start
    _check_count(file, ["tiles"], len(tiles.land_tiles(rows)))


def _check_count(file: JsonFile, place: Place, count: int) -> None:
    if not 2 <= count <= MOST_REGIONS:
        file.note(place, f"a board has 2 to {MOST_REGIONS} regions, not {count}.")


def _from_regions(file: JsonFile, parsed: BoardFile) -> Board:
    _check_count(file, ["regions"], len(parsed.regions))
    names = [region.region for region in parsed.regions]
    small = [name.lower() for name in names]
    for index, name in enumerate(small):
        if name in small[:index]:
            file.note(["regions", index, "region"], f"there are two regions called {names[index]}.")
    check_coordinates(file, "regions", parsed.regions, "region")
    _check_ways(file, parsed)
    if parsed.start is None:
        file.note([], "there is no start region; add “start”, the name of one of the regions.")
    elif parsed.start not in names:
        file.note(["start"], f"the start “{parsed.start}” is not a region of this board.")
    every_way = {region.region: [*region.land, *region.sea] for region in parsed.regions}
    start = parsed.start or ""
    check_connected(file, "regions", every_way, start, "region")
    return Board(parsed.name, parsed.about, (), tuple(parsed.regions), start, parsed.rules)


def _check_ways(file: JsonFile, parsed: BoardFile) -> None:
    borders = {region.region: region.land for region in parsed.regions}
    routes = {region.region: region.sea for region in parsed.regions}
    for index, region in enumerate(parsed.regions):
        check_links(file, ["regions", index, "land"], "border", region.region, borders)
        check_links(file, ["regions", index, "sea"], "sea route", region.region, routes)
        for k, end in enumerate(region.sea):
            if end in region.land:
                sentence = f"{region.region} and {end} already share a border, so they need no sea route."
                file.note(["regions", index, "sea", k], sentence)


def _generate(name: str, options: Mapping[str, str]) -> Board | None:
    if name != RANDOM:
        return None
    wanted = checked(SpecOptions, options, f"{NAME}/{RANDOM}")
    width, height, land = wanted.width, wanted.height, wanted.land
    count = round(width * height * land / 100)
    if not 2 <= count <= MOST_REGIONS:
        size = f"width={width}, height={height}, land={land}"
        raise BadOption(f"A random board with {size} has {count} regions; a board has 2 to {MOST_REGIONS}.")
    rows = tiles.random_rows(wanted.seed, width, height, land)
    about = f"random tiles: seed {wanted.seed}, {width} x {height}, {land}% land"
    return BOARDS.check(JsonFile(RANDOM, {"game": NAME, "name": RANDOM, "about": about, "tiles": rows}, {}))


BOARDS = Boards(
    family=NAME,
    noun="board",
    package=__package__,
    model=BoardFile,
    make=_make,
    shape=("tiles", "regions", "start", "tokens"),
    generated={RANDOM: "a random tile board, as in random:seed=5,width=6,height=5"},
    generate=_generate,
    generator_options={RANDOM: GENERATOR_OPTIONS},
)
