"""Boards of Eight-Minute Empire: the file format, and every check a file must pass."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core import jsonfile
from fogbound.core.errors import BadOption, FogboundError, UnknownName
from fogbound.core.jsonfile import JsonFile
from fogbound.core.registry import checked
from fogbound.games.empire import tiles

NAME = "empire"
MOST_REGIONS = 64
MOST_COINS = 60
RANDOM = "random"
RANDOM_ONLY = ("seed", "width", "height", "land")
COINS = {2: 14, 3: 11, 4: 9, 5: 8}
TURNS = {2: 13, 3: 10, 4: 8, 5: 7}
DECK = {2: 37, 3: 37, 4: 37, 5: 42}
Place = list[str | int]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Region(_Model):
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
    """Everything that can stand after the colon of a spec."""

    seed: int = Field(0, ge=0, description="random boards: which one")
    width: int = Field(6, ge=2, le=tiles.MOST_TILES, description="random boards: tiles from left to right")
    height: int = Field(5, ge=2, le=tiles.MOST_TILES, description="random boards: tiles from top to bottom")
    land: int = Field(50, ge=10, le=90, description="random boards: share of land, in percent")


class BoardFile(_Model):
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


def schema() -> dict[str, Any]:
    """The JSON Schema of a board file."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **BoardFile.model_json_schema()}


def shipped() -> dict[str, str]:
    """The boards that come with Fogbound, and a line about each."""
    boards = {name: _shipped(name).about for name in _names()}
    return {**boards, RANDOM: "a random tile board, as in random:seed=5,width=6,height=5"}


def _names() -> list[str]:
    return sorted(file.name.removesuffix(".json") for file in _folder().iterdir() if file.name.endswith(".json"))


def load(name: str, options: Mapping[str, str]) -> Board:
    """A shipped board, a random one or a board file, with rule options from a spec."""
    of = f"{NAME}/{name}"
    given = checked(SpecOptions, options, of)
    if name == RANDOM:
        board = _random(given)
    elif not jsonfile.names_file(name):
        board = _shipped(name)
    else:
        board = check(jsonfile.read(name))
    extra = next((key for key in RANDOM_ONLY if key in options and name != RANDOM), None)
    if extra:
        raise BadOption(f"In {of}, “{extra}” cannot be given: only {NAME}/{RANDOM} has a {extra} to choose.")
    return with_rules(board, given.model_dump(exclude_unset=True, exclude=set(RANDOM_ONLY)), of)


@cache
def _shipped(name: str) -> Board:
    file = _folder() / f"{name}.json"
    if not file.is_file():
        raise UnknownName(f"board of {NAME}", name, [*_names(), RANDOM, "a file ending in .json"])
    return check(jsonfile.parse(file.read_text(encoding="utf-8"), f"{name}.json"))


def _random(given: SpecOptions) -> Board:
    size = f"width={given.width}, height={given.height}, land={given.land}"
    count = round(given.width * given.height * given.land / 100)
    if not 2 <= count <= MOST_REGIONS:
        raise BadOption(f"A random board with {size} has {count} regions; a board has 2 to {MOST_REGIONS}.")
    rows = tiles.random_rows(given.seed, given.width, given.height, given.land)
    about = f"random tiles: seed {given.seed}, {given.width} x {given.height}, {given.land}% land"
    return check(JsonFile(RANDOM, {"game": NAME, "name": RANDOM, "about": about, "tiles": rows}, {}))


def _folder() -> Any:
    return resources.files(__package__).joinpath("boards")


def rebuild(definition: Mapping[str, Any]) -> Board:
    """A board from its definition."""
    return check(jsonfile.parse(json.dumps(definition), "the record's board"))


def check(file: JsonFile) -> Board:
    """A board from a file's data; BadFile with the first thing that is wrong."""
    parsed = file.validated(BoardFile, 'a board file is one JSON object: {"game": "empire", ...}.')
    board = _of_shape(file, parsed)
    problem = rule_problem(board)
    if problem:
        raise file.problem(*problem)
    return board


def _of_shape(file: JsonFile, parsed: BoardFile) -> Board:
    """The board of a file that is like another, or has tiles, or has regions: one of the three."""
    shapes = [key for key in ("like", "tiles", "regions") if key in file.data]
    if len(shapes) != 1:
        found = " and ".join(f"“{key}”" for key in shapes) or "none of them"
        raise file.problem(shapes[1:2], f"a board is given by “tiles”, by “regions” or by “like”; this file has {found}.")
    stray = {"like": ("start", "tokens"), "tiles": ("start",), "regions": ("tokens",)}[shapes[0]]
    for key in stray:
        if key in file.data:
            raise file.problem([key], f"“{key}” has no place in a board that is given by “{shapes[0]}”.")
    if parsed.like is not None:
        return _on_top(file, parsed, parsed.like)
    return _from_tiles(file, parsed) if shapes[0] == "tiles" else _from_regions(file, parsed)


def _on_top(file: JsonFile, parsed: BoardFile, like: str) -> Board:
    """A file that is like another board, apart from its rules."""
    try:
        base = _shipped(like)
    except FogboundError as error:
        raise file.problem(["like"], str(error)) from None
    own = parsed.rules.model_dump(exclude_unset=True)
    rules = RuleOptions.model_validate({**base.rules.model_dump(), **own})
    return replace(base, name=parsed.name, about=parsed.about, rules=rules)


def _from_tiles(file: JsonFile, parsed: BoardFile) -> Board:
    rows = parsed.tiles
    _check_rows(file, rows)
    land = tiles.land_tiles(rows)
    start = next(tile for tile in land if rows[tile[0]][tile[1]] == tiles.START)
    near = tiles.steps(rows)
    reached = tiles.distances(near, start)
    for y, x in land:
        if (y, x) not in reached:
            sentence = (
                f"the region {tiles.name_of((y, x))} (column {x + 1}) cannot be reached from the start, not even by sea."
            )
            raise file.problem(["tiles", y], sentence)
    names = [tiles.name_of(tile) for tile in land]
    for index, token in enumerate(parsed.tokens):
        if token not in names:
            raise file.problem(["tokens", index], f"“{token}” is no region; this board has {', '.join(names)}.")
        if token in parsed.tokens[:index]:
            raise file.problem(["tokens", index], f"the token space {token} stands twice.")
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
            raise file.problem(["tiles", y], f"this row has {len(row)} tiles, the first row has {len(rows[0])}.")
        for x, letter in enumerate(row):
            if letter not in (tiles.WATER, tiles.LAND, tiles.START):
                raise file.problem(
                    ["tiles", y], f"“{letter}” in column {x + 1} is no tile; W is water, G land, S the start."
                )
            starts += letter == tiles.START
            if starts > 1 and letter == tiles.START:
                raise file.problem(["tiles", y], f"column {x + 1} is a second start region; a board has one S.")
    if not starts:
        raise file.problem(["tiles"], "there is no start region: one tile must be an S.")
    _check_count(file, ["tiles"], len(tiles.land_tiles(rows)))


def _check_count(file: JsonFile, place: Place, count: int) -> None:
    if not 2 <= count <= MOST_REGIONS:
        raise file.problem(place, f"a board has 2 to {MOST_REGIONS} regions, not {count}.")


def _from_regions(file: JsonFile, parsed: BoardFile) -> Board:
    _check_count(file, ["regions"], len(parsed.regions))
    seen: dict[str, str] = {}
    for index, region in enumerate(parsed.regions):
        if region.region.lower() in seen:
            raise file.problem(["regions", index, "region"], f"the region {region.region} stands twice.")
        seen[region.region.lower()] = region.region
        if (region.x is None) != (parsed.regions[0].x is None) or (region.x is None) != (region.y is None):
            raise file.problem(["regions", index], "give x and y to every region, or to none.")
    _check_ways(file, parsed, "land", "border")
    _check_ways(file, parsed, "sea", "sea route")
    if parsed.start is None:
        raise file.problem([], "there is no start region: add “start”, the name of one of the regions.")
    if parsed.start not in seen.values():
        raise file.problem(["start"], f"the start “{parsed.start}” is no region of this board.")
    _check_connected(file, parsed, parsed.start)
    return Board(parsed.name, parsed.about, (), tuple(parsed.regions), parsed.start, parsed.rules)


def _check_ways(file: JsonFile, parsed: BoardFile, key: Literal["land", "sea"], word: str) -> None:
    ways = {region.region: getattr(region, key) for region in parsed.regions}
    for index, region in enumerate(parsed.regions):
        here = region.region
        for k, end in enumerate(ways[here]):
            place: Place = ["regions", index, key, k]
            if end not in ways:
                raise file.problem(place, f"{here} has a {word} with “{end}”, which is no region.")
            if end == here:
                raise file.problem(place, f"{here} has a {word} with itself.")
            if end in ways[here][:k]:
                raise file.problem(place, f"the {word} of {here} with {end} stands twice.")
            if here not in ways[end]:
                raise file.problem(place, f"the {word} of {here} with {end} is one-sided: {end} has no {word} with {here}.")
            if key == "sea" and end in region.land:
                raise file.problem(place, f"{here} and {end} have a border already; a sea route between them is no use.")


def _check_connected(file: JsonFile, parsed: BoardFile, start: str) -> None:
    ways = {region.region: [*region.land, *region.sea] for region in parsed.regions}
    reached, waiting = {start}, [start]
    while waiting:
        ends = set(ways[waiting.pop()]) - reached
        reached |= ends
        waiting.extend(ends)
    for index, region in enumerate(parsed.regions):
        if region.region not in reached:
            raise file.problem(["regions", index], f"the region {region.region} cannot be reached from the start, {start}.")


def rule_problem(board: Board) -> tuple[Place, str] | None:
    """What is wrong with a board's rules: where, and the sentence."""
    rules = board.rules
    if rules.neutral and rules.players != 2:
        return ["rules", "neutral"], f"neutral armies are for two players, not for {rules.players}."
    if rules.tokens and not board.token_spaces:
        return ["rules", "tokens"], "there is no space for goods tokens: no region has “token”."
    most = DECK[rules.players] // rules.players
    if board.turns > most:
        return ["rules", "turns"], f"with {rules.players} players there are cards for {most} turns each, not {board.turns}."
    return None


def with_rules(board: Board, given: Mapping[str, Any], of: str) -> Board:
    """The board with some of its rules changed."""
    if not given:
        return board
    changed = replace(board, rules=RuleOptions.model_validate({**board.rules.model_dump(), **given}))
    problem = rule_problem(changed)
    if problem:
        raise FogboundError(f"{of} cannot be played so: {problem[1]}")
    return changed
