"""Smooth outlines for boards that are given as areas: a grid of numbers in, polygons with shared borders out.

A drawing shall look like a map: borders are traced along the grid, smoothed once for
both sides, and thinned. Nothing here knows a game.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_closing, binary_fill_holes, distance_transform_edt, label
from scipy.spatial import cKDTree

Floats = NDArray[np.float64]
Labels = NDArray[np.int64]
Point = tuple[float, float]
Node = tuple[int, int]
Ring = list[list[float]]

WATER = -1
SMOOTHINGS = 10
TOLERANCE = 0.3  # of a grid step: how far a thinned line may be from the smooth one
CELLS = 260  # of the longer side of the grid on which blots are drawn
SMALLEST = 5  # corners; what is smaller is no island
STRAIT = 0.3  # how wide the water between strangers is, as a share of an area's radius
STRANGERS = 4  # how many areas near a point may be kept apart there


def inside(outline: Sequence[Point], x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Whether each point is inside an outline: a ray to the right crosses it an odd number of times."""
    odd = np.zeros(x.shape, bool)
    for i in range(len(outline)):
        (ax, ay), (bx, by) = outline[i - 1], outline[i]
        if ay != by:
            odd ^= ((ay > y) != (by > y)) & (x < ax + (y - ay) / (by - ay) * (bx - ax))
    return odd


def wobble(x: Floats, y: Floats, size: float, length: float) -> tuple[Floats, Floats]:
    """Points moved a little, always the same way: it makes straight lines look drawn by hand."""
    k = 2 * np.pi / length
    dx = np.sin(k * y + 1.3) + 0.6 * np.sin(2.3 * k * y + 0.7 * k * x) + 0.4 * np.sin(4.1 * k * x)
    dy = np.sin(k * x + 4.1) + 0.6 * np.sin(2.1 * k * x - 0.9 * k * y) + 0.4 * np.sin(3.7 * k * y)
    return x + size * dx, y + size * dy


def nearest(seeds: Sequence[Point], x: Floats, y: Floats) -> Labels:
    """The number of the seed nearest to each point."""
    found: Labels = cKDTree(np.array(seeds)).query(np.stack([x, y], axis=-1))[1]
    return found


def middle(labels: Labels, number: int, step: float, corner: Point) -> Point:
    """The place in an area that is farthest from its borders: room for a piece."""
    depth = distance_transform_edt(np.pad(labels == number, 1))[1:-1, 1:-1]
    row, column = np.unravel_index(int(np.argmax(depth)), depth.shape)
    return round(corner[0] + step * (int(column) + 0.5), 1), round(corner[1] + step * (int(row) + 0.5), 1)


def outlines(labels: Labels, step: float, corner: Point) -> dict[int, list[Ring]]:
    """For each number on the grid the polygons around it."""
    padded = np.pad(labels, 1, constant_values=WATER)
    lines = _lines(_border(padded))
    parts: dict[int, list[tuple[Node, Node, Floats]]] = defaultdict(list)
    for line in lines:
        points = _smooth(np.array(line, float), line[0] == line[-1])
        left, right = _sides(padded, line[0], line[1])
        if left != WATER:
            parts[left].append((line[0], line[-1], points))
        if right != WATER:
            parts[right].append((line[-1], line[0], points[::-1]))
    rings: dict[int, list[Ring]] = {}
    for number, pieces in parts.items():
        joined = [ring for ring in _joined(pieces) if len(ring) >= SMALLEST]
        rings[number] = [_placed(ring, step, corner) for ring in joined]
    return rings


def _border(padded: Labels) -> dict[Node, list[Node]]:
    """The corners of the grid where two numbers meet, and the corners next to each along a border."""
    near: dict[Node, list[Node]] = defaultdict(list)
    for y, x in np.argwhere(padded[1:, :] != padded[:-1, :]):
        _connect(near, (int(x), int(y) + 1), (int(x) + 1, int(y) + 1))
    for y, x in np.argwhere(padded[:, 1:] != padded[:, :-1]):
        _connect(near, (int(x) + 1, int(y)), (int(x) + 1, int(y) + 1))
    return near


def _connect(near: dict[Node, list[Node]], a: Node, b: Node) -> None:
    near[a].append(b)
    near[b].append(a)


def _lines(near: dict[Node, list[Node]]) -> list[list[Node]]:
    """The border as lines between the corners where three areas meet, and closed lines."""
    used: set[tuple[Node, Node]] = set()
    found = []
    forks = [node for node, ends in near.items() if len(ends) != 2]
    for start in [*forks, *near]:
        for first in near[start]:
            if (start, first) not in used:
                found.append(_walk(near, used, start, first))
    return found


def _walk(near: dict[Node, list[Node]], used: set[tuple[Node, Node]], start: Node, first: Node) -> list[Node]:
    line = [start, first]
    used |= {(start, first), (first, start)}
    while len(near[line[-1]]) == 2 and line[-1] != start:
        here, before = line[-1], line[-2]
        after = next(end for end in near[here] if end != before)
        used |= {(here, after), (after, here)}
        line.append(after)
    return line


def _sides(padded: Labels, a: Node, b: Node) -> tuple[int, int]:
    """The numbers to the left and to the right of a step along a border (y points down)."""
    (ax, ay), (bx, by) = a, b
    x, y = min(ax, bx), min(ay, by)
    if ay == by:
        above, below = int(padded[ay - 1, x]), int(padded[ay, x])
        return (above, below) if bx > ax else (below, above)
    west, east = int(padded[y, ax - 1]), int(padded[y, ax])
    return (east, west) if by > ay else (west, east)


def _smooth(points: Floats, closed: bool) -> Floats:
    """A staircase made round; the ends stay, so that lines still meet."""
    for _ in range(SMOOTHINGS):
        if closed:
            ring = points[:-1]
            ring = ring / 2 + (np.roll(ring, 1, axis=0) + np.roll(ring, -1, axis=0)) / 4
            points = np.vstack([ring, ring[:1]])
        elif len(points) > 2:
            points[1:-1] = points[1:-1] / 2 + (points[:-2] + points[2:]) / 4
    return _thinned(points)


def _thinned(points: Floats) -> Floats:
    """Only the points that matter (Douglas and Peucker)."""
    if len(points) < 3:
        return points
    if np.array_equal(points[0], points[-1]):
        half = len(points) // 2
        return np.vstack([_thinned(points[: half + 1])[:-1], _thinned(points[half:])])
    chord = points[-1] - points[0]
    away = points - points[0]
    gap = np.abs(away[:, 0] * chord[1] - away[:, 1] * chord[0]) / max(float(np.hypot(*chord)), 1e-9)
    far = int(np.argmax(gap))
    if gap[far] <= TOLERANCE:
        return points[[0, -1]]
    return np.vstack([_thinned(points[: far + 1])[:-1], _thinned(points[far:])])


def _joined(pieces: list[tuple[Node, Node, Floats]]) -> list[Floats]:
    """Lines put together end to end until they close."""
    starting: dict[Node, list[tuple[Node, Floats]]] = defaultdict(list)
    for start, end, points in pieces:
        starting[start].append((end, points))
    rings = []
    while any(starting.values()):
        start = next(node for node, ways in starting.items() if ways)
        here, parts = start, []
        while starting[here]:
            here, points = starting[here].pop()
            parts.append(points[:-1])
            if here == start:
                break
        rings.append(np.vstack(parts))
    return rings


def _placed(ring: Floats, step: float, corner: Point) -> Ring:
    """From the padded grid to the drawing."""
    return [[round(corner[0] + step * (x - 1), 1), round(corner[1] + step * (y - 1), 1)] for x, y in ring.tolist()]


def blots(places: list[tuple[float, float]], joined: list[tuple[int, int]]) -> list[dict[str, Any]]:
    """Land around places: what is joined by land touches, as far as a plane allows, and a strait parts all others."""
    points = np.array(places, float)
    gaps = cKDTree(points).query(points, k=2)[0][:, 1]
    room = float(np.median(gaps)) * 0.5
    low, high = points.min(axis=0) - 3 * room, points.max(axis=0) + 3 * room
    step = float(max(high - low)) / CELLS
    columns, rows = (int(size / step) + 1 for size in high - low)
    x, y = np.meshgrid(low[0] + step * (np.arange(columns) + 0.5), low[1] + step * (np.arange(rows) + 0.5))
    shaky = np.stack(wobble(x, y, room * 0.12, room * 5), axis=-1)
    labels = nearest(places, shaky[..., 0], shaky[..., 1])
    away = np.hypot(*np.moveaxis(shaky - points[labels], -1, 0))
    land = away < room
    for a, b in joined:
        land |= ((labels == a) | (labels == b)) & (_gap(shaky, points[a], points[b]) < room * 0.75)
    labels[~_without_ponds(land, 2 * (room / step) ** 2) | _straits(shaky, points, joined, room)] = WATER
    corner = (float(low[0]), float(low[1]))
    rings = outlines(labels, step, corner)
    middles = [middle(labels, i, step, corner) for i in range(len(places))]
    return [{"x": middles[i][0], "y": middles[i][1], "rings": rings[i]} for i in range(len(places))]


def _straits(where: Floats, points: Floats, joined: list[tuple[int, int]], room: float) -> NDArray[np.bool_]:
    """Where two areas would touch that are not joined."""
    are_joined = np.eye(len(points), dtype=bool)
    for a, b in joined:
        are_joined[a, b] = are_joined[b, a] = True
    gaps, nearest = cKDTree(points).query(where, k=min(STRANGERS, len(points)))
    strange = ~are_joined[nearest[..., :1], nearest] & (gaps - gaps[..., :1] < STRAIT * room)
    found: NDArray[np.bool_] = strange.any(axis=-1)
    return found


def _without_ponds(land: NDArray[np.bool_], smallest: float) -> NDArray[np.bool_]:
    """Land with narrow cracks closed and small holes filled."""
    closed = binary_closing(land, iterations=2)
    holes, count = label(binary_fill_holes(closed) & ~closed)
    for hole in range(1, count + 1):
        if (holes == hole).sum() < smallest:
            closed |= holes == hole
    filled: NDArray[np.bool_] = closed
    return filled


def _gap(points: Any, a: Any, b: Any) -> Any:
    """How far each point is from the line between two."""
    along = np.clip(((points - a) @ (b - a)) / max(float((b - a) @ (b - a)), 1e-9), 0, 1)
    return np.hypot(*np.moveaxis(points - (a + along[..., None] * (b - a)), -1, 0))
