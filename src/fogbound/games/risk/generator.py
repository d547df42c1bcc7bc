"""Maps from a seed: an island of Voronoi cells, gathered into connected continents.

Only `random.Random.random` is drawn from: Python promises that it gives the same numbers for ever.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, hypot, pi, sin, sqrt
from random import Random

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Voronoi

from fogbound.games.boardfile import connected
from fogbound.games.risk.board import Board, ContinentEntry, MapFile, TerritoryEntry, assemble

Floats = NDArray[np.float64]
Neighbours = tuple[tuple[int, ...], ...]

WIDTH, HEIGHT = 1000.0, 700.0
COAST_POINTS = 120
RELAXATIONS = 3  # enough to even out the sizes, too few to make a honeycomb
SHORTEST_BORDER = 0.2  # of the side of a square as large as a mean territory
BORDER_SAMPLES = 40
TERRITORIES_A_CONTINENT = 7  # as on the classic map

STARTS = ("b", "br", "d", "dr", "f", "g", "h", "k", "l", "m", "n", "p", "r", "s", "st", "t", "th", "tr", "v", "z")
VOWELS = ("a", "e", "i", "o", "u", "ae", "ei", "or", "ar", "en", "il", "un", "al")
ENDS = ("", "", "l", "m", "n", "r", "s", "th", "k", "nd", "sk", "rn")
LANDS = ("ia", "land", "mark", "oria", "esh", "ara", "una")


@lru_cache(maxsize=256)
def generate(territories: int, continents: int, seed: int) -> Board:
    """The map of a seed; 0 continents means as many as suit the size."""
    wanted = continents or max(2, round(territories / TERRITORIES_A_CONTINENT))
    chance = Random(f"fogbound risk map {territories} {wanted} {seed}")
    while True:
        coast = _coast(chance)
        sites = _sites(chance, coast, territories)
        cells, neighbours = _cells(sites, coast)
        if all(len(cell) >= 3 for cell in cells) and len(connected(neighbours.__getitem__, 0)) == territories:
            break
    groups = _groups(chance, sites, neighbours, wanted)
    return assemble(_file(chance, cells, neighbours, groups, seed))


def _coast(chance: Random) -> Floats:
    """The outline of an island: an ellipse with a few waves in it."""
    waves = [(k, chance.random() * 0.25 / k, 2 * pi * chance.random()) for k in range(2, 8)]
    angles = [2 * pi * i / COAST_POINTS for i in range(COAST_POINTS)]
    radii = [1 + sum(size * cos(k * angle + phase) for k, size, phase in waves) for angle in angles]
    points = np.array([(r * cos(angle), r * sin(angle)) for r, angle in zip(radii, angles, strict=True)])
    low, high = points.min(axis=0), points.max(axis=0)
    fitted: Floats = (points - low) / (high - low) * (WIDTH, HEIGHT)
    return fitted


def _sites(chance: Random, coast: Floats, count: int) -> Floats:
    """Points on the island, at random and then moved towards the middles of their cells."""
    found: list[tuple[float, float]] = []
    while len(found) < count:
        point = (chance.random() * WIDTH, chance.random() * HEIGHT)
        if _inside(coast, np.array([point]))[0]:
            found.append(point)
    sites = np.array(found)
    for _ in range(RELAXATIONS):
        cells, _neighbours = _cells(sites, coast)
        sites = np.array([centre(cell) if len(cell) >= 3 else site for cell, site in zip(cells, sites, strict=True)])
    return sites


def _cells(sites: Floats, coast: Floats) -> tuple[list[Floats], Neighbours]:
    """For each site its part of the island, and the sites with which it shares enough of a border."""
    far = 20 * WIDTH * np.array([(cos(2 * pi * i / 8), sin(2 * pi * i / 8)) for i in range(8)])
    voronoi = Voronoi(np.vstack([sites, far]))  # the far points close every cell that matters
    cells = []
    for i in range(len(sites)):
        corners = voronoi.vertices[voronoi.regions[voronoi.point_region[i]]]
        cells.append(_clipped(coast, _around(corners, sites[i])))
    shortest = SHORTEST_BORDER * sqrt(abs(area(coast)) / len(sites))
    near: list[set[int]] = [set() for _ in sites]
    for (a, b), ends in zip(voronoi.ridge_points, voronoi.ridge_vertices, strict=True):
        if max(a, b) < len(sites) and _length_inside(coast, *voronoi.vertices[ends]) >= shortest:
            near[a].add(int(b))
            near[b].add(int(a))
    return cells, tuple(tuple(sorted(ends)) for ends in near)


def _around(corners: Floats, middle: Floats) -> Floats:
    """The corners of a convex cell in order around a point inside."""
    order = np.argsort(np.arctan2(corners[:, 1] - middle[1], corners[:, 0] - middle[0]))
    ordered: Floats = corners[order]
    return ordered


def _clipped(outline: Floats, convex: Floats) -> Floats:
    """The part of an outline inside a convex polygon (Sutherland and Hodgman)."""
    kept = [(float(x), float(y)) for x, y in outline]
    for i in range(len(convex)):
        (ax, ay), (bx, by) = convex[i - 1], convex[i]
        before, kept = kept, []
        sides = [(bx - ax) * (y - ay) - (by - ay) * (x - ax) for x, y in before]
        for j in range(len(before)):
            last, here = sides[j - 1], sides[j]
            if last * here < 0:
                (px, py), (qx, qy) = before[j - 1], before[j]
                share = last / (last - here)
                kept.append((px + share * (qx - px), py + share * (qy - py)))
            if here >= 0:
                kept.append(before[j])
    return np.array(kept).reshape(-1, 2)


def _length_inside(coast: Floats, a: Floats, b: Floats) -> float:
    """How much of a line lies on the island."""
    first, last = 0.0, 1.0  # the part of the line inside the frame, to measure it finely
    for axis, size in enumerate((WIDTH, HEIGHT)):
        step = b[axis] - a[axis]
        if step:
            ends = sorted((-a[axis] / step, (size - a[axis]) / step))
            first, last = max(first, ends[0]), min(last, ends[1])
    if first >= last:
        return 0.0
    shares = first + (last - first) * (np.arange(BORDER_SAMPLES) + 0.5)[:, None] / BORDER_SAMPLES
    return float(_inside(coast, a + shares * (b - a)).mean()) * (last - first) * hypot(*(b - a))


def _inside(outline: Floats, points: Floats) -> NDArray[np.bool_]:
    """Whether each point is inside an outline: a ray to the right crosses it an odd number of times."""
    x, y = points[:, 0][:, None], points[:, 1][:, None]
    ax, ay = outline[:, 0], outline[:, 1]
    bx, by = np.roll(ax, -1), np.roll(ay, -1)
    spans = (ay > y) != (by > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        crossing = ax + (y - ay) / (by - ay) * (bx - ax)
    inside: NDArray[np.bool_] = ((spans & (x < crossing)).sum(axis=1) % 2).astype(bool)
    return inside


def area(polygon: Floats) -> float:
    x, y = polygon[:, 0], polygon[:, 1]
    return float((x * np.roll(y, -1) - np.roll(x, -1) * y).sum()) / 2


def centre(polygon: Floats) -> tuple[float, float]:
    """The centre of gravity of a polygon."""
    x, y = polygon[:, 0], polygon[:, 1]
    next_x, next_y = np.roll(x, -1), np.roll(y, -1)
    cross = x * next_y - next_x * y
    whole = 3 * cross.sum()
    return float(((x + next_x) * cross).sum() / whole), float(((y + next_y) * cross).sum() / whole)


def _groups(chance: Random, sites: Floats, neighbours: Neighbours, count: int) -> list[list[int]]:
    """Connected groups of territories that grow side by side from places far apart, each to its own size."""
    starts = [int(chance.random() * len(sites))]
    gaps = np.full(len(sites), np.inf)  # from each site to the nearest start
    while len(starts) < count:
        gaps = np.minimum(gaps, np.hypot(*(sites - sites[starts[-1]]).T))
        starts.append(int(np.argmax(gaps)))
    weights = [0.5 + chance.random() for _ in starts]
    groups = [[start] for start in starts]
    free = set(range(len(sites))) - set(starts)
    while free:
        growing = [g for g in range(count) if _edge(groups[g], neighbours, free)]
        g = min(growing, key=lambda i: len(groups[i]) / weights[i])
        near = _edge(groups[g], neighbours, free)
        chosen = min(near, key=lambda i: hypot(*(sites[i] - sites[starts[g]])))
        groups[g].append(chosen)
        free.remove(chosen)
    return groups


def _edge(group: list[int], neighbours: Neighbours, free: set[int]) -> list[int]:
    """Free territories next to a group."""
    return sorted({j for i in group for j in neighbours[i]} & free)


def bonus(group: list[int], neighbours: Neighbours) -> int:
    """Half an army a territory and 0.3 for each territory outside that can attack, less 0.3, rounded down; at least 1.

    On the classic map this gives the six printed bonuses.
    """
    outside = {j for i in group for j in neighbours[i]} - set(group)
    return max(1, (5 * len(group) + 3 * len(outside) - 3) // 10)


def _file(chance: Random, cells: list[Floats], neighbours: Neighbours, groups: list[list[int]], seed: int) -> MapFile:
    order = [i for group in groups for i in group]
    names = _names(chance, len(order), len(groups))
    name_of = dict(zip(order, names, strict=False))
    territories = [
        TerritoryEntry(
            territory=name_of[i].lower(),
            name=name_of[i],
            x=round(centre(cells[i])[0], 1),
            y=round(centre(cells[i])[1], 1),
            borders=[name_of[j].lower() for j in neighbours[i]],
            polygon=[[round(float(x), 1), round(float(y), 1)] for x, y in cells[i]],
        )
        for i in order
    ]
    continents = [
        ContinentEntry(
            continent=name.lower(),
            name=name,
            bonus=bonus(group, neighbours),
            territories=[name_of[i].lower() for i in group],
        )
        for group, name in zip(groups, names[len(order) :], strict=True)
    ]
    about = f"generated: {len(order)} territories, {len(groups)} continents, seed {seed}"
    return MapFile(game="risk", name="random", about=about, territories=territories, continents=continents)


def _names(chance: Random, territories: int, continents: int) -> list[str]:
    """Names that nobody has heard before, all different: of territories, then of continents."""
    names: list[str] = []
    while len(names) < territories + continents:
        name = _pick(chance, STARTS) + _pick(chance, VOWELS)
        if len(names) >= territories:
            name += _pick(chance, ("l", "m", "n", "r", "s", "v")) + _pick(chance, LANDS)
        else:
            name += _pick(chance, STARTS) + _pick(chance, VOWELS) + _pick(chance, ENDS)
        if name.capitalize() not in names:
            names.append(name.capitalize())
    return names


def _pick(chance: Random, words: tuple[str, ...]) -> str:
    return words[int(chance.random() * len(words))]
