"""Boards made of square tiles: rows of letters become regions with borders and sea routes.

`W` is water, `G` land, `S` the start region. A region is named by its column's letter and
its row's number, as in `C3`. Random boards are drawn here too.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

WATER, LAND, START = "W", "G", "S"
LETTERS = "ABCDEFGHIJKLMNOP"
MOST_TILES = len(LETTERS)  # a side
TOKEN_SPACES = 5
Tile = tuple[int, int]  # row, column
Rows = Sequence[str]


def name_of(tile: Tile) -> str:
    return f"{LETTERS[tile[1]]}{tile[0] + 1}"


def land_tiles(rows: Rows) -> list[Tile]:
    """All land tiles in reading order."""
    return [(y, x) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != WATER]


def around(tile: Tile) -> list[Tile]:
    """The four places beside a tile, in reading order."""
    y, x = tile
    return [(y - 1, x), (y, x - 1), (y, x + 1), (y + 1, x)]


def borders(land: set[Tile], tile: Tile) -> set[Tile]:
    """Land tiles that share a side with this one."""
    return set(around(tile)) & land


def sea_routes(land: set[Tile], tile: Tile, height: int, width: int) -> set[Tile]:
    """Land tiles on another side of a water tile that this one lies at."""
    found: set[Tile] = set()
    for y, x in set(around(tile)) - land:
        if 0 <= y < height and 0 <= x < width:
            found |= borders(land, (y, x))
    return found - {tile}


def continents(land: set[Tile]) -> dict[Tile, int]:
    """The number of each tile's continent: connected land, counted from 1 in reading order."""
    number: dict[Tile, int] = {}
    for tile in sorted(land):
        if tile in number:
            continue
        number[tile] = this = max(number.values(), default=0) + 1
        waiting = [tile]
        while waiting:
            for near in borders(land, waiting.pop()) - number.keys():
                number[near] = this
                waiting.append(near)
    return number


def steps(rows: Rows) -> dict[Tile, set[Tile]]:
    """Where an army can go from each tile in one step, by land or across water."""
    land = set(land_tiles(rows))
    return {tile: borders(land, tile) | sea_routes(land, tile, len(rows), len(rows[0])) for tile in sorted(land)}


def distances(near: dict[Tile, set[Tile]], tile: Tile) -> dict[Tile, int]:
    """Steps from a tile to every tile that can be reached."""
    far = {tile: 0}
    waiting = [tile]
    for here in waiting:
        for end in sorted(near[here] - far.keys()):
            far[end] = far[here] + 1
            waiting.append(end)
    return far


def token_spaces(rows: Rows) -> list[str]:
    """Five regions far apart: the start, then again and again the one that is farthest from all of them."""
    near = steps(rows)
    start = next(tile for tile in near if rows[tile[0]][tile[1]] == START)
    chosen, gap = [start], distances(near, start)
    while len(chosen) < min(TOKEN_SPACES, len(near)):
        farthest = max(gap, key=lambda tile: (gap[tile], -tile[0], -tile[1]))
        chosen.append(farthest)
        other = distances(near, farthest)
        gap = {tile: min(gap[tile], other[tile]) for tile in gap}
    return [name_of(tile) for tile in sorted(chosen)]


def random_rows(seed: int, width: int, height: int, land: int) -> list[str]:
    """A random board with this share of land, in percent; every region can be reached from every other."""
    chance = random.Random(f"empire board {seed} {width} {height} {land}")
    count = max(2, round(width * height * land / 100))
    while True:
        tiles = _grown(chance, width, height, count)
        if len(set(continents(tiles).values())) > 1 or count > width * height * 3 // 5 or min(width, height) < 3:
            break
    rows = ["".join(LAND if (y, x) in tiles else WATER for x in range(width)) for y in range(height)]
    y, x = _middle(rows)
    rows[y] = rows[y][:x] + START + rows[y][x + 1 :]
    return rows


def _grown(chance: random.Random, width: int, height: int, count: int) -> set[Tile]:
    """Land that grows tile by tile: beside land, or with one water tile between.

    What is joined so stays joined: if that water tile becomes land later, it joins them itself.
    """
    places = [(y, x) for y in range(height) for x in range(width)]
    land = {places[int(chance.random() * len(places))]}
    while len(land) < count:
        free = [place for place in places if place not in land]
        coast = [place for place in free if borders(land, place)]
        islands = [place for place in free if not borders(land, place) and sea_routes(land, place, height, width)]
        choices = islands if islands and chance.random() < 0.25 else coast
        land.add(choices[int(chance.random() * len(choices))])
    return land


def _middle(rows: Rows) -> Tile:
    """The tile with the shortest ways to all others."""
    near = steps(rows)
    return min(near, key=lambda tile: (sum(distances(near, tile).values()), tile))
