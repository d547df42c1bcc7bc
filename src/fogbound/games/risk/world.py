"""A drawn world for the classic map, from coasts in degrees that were sketched for this project (world.json).

Each coast names its territories: a piece of land goes to the one whose points are nearest.
"""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from typing import Any

import numpy as np

from fogbound.games import outlines

STEP = 2.0
CORNER, SIZE = (-10.0, -10.0), (1020.0, 700.0)
# Longitudes and latitudes with their places: Europe is drawn large, for its territories are small; the oceans small.
EASTWARD = ((-170, -35, -14, 45, 100, 150, 190), (0, 352, 395, 630, 795, 920, 1000))
NORTHWARD = ((-56, -35, -20, 0, 20, 35, 60, 70, 83), (675, 585, 515, 432, 352, 285, 118, 48, 0))
NOWHERE = ((0.0, 0.0),)  # islands of a single territory need no points


def place(longitude: float, latitude: float) -> tuple[float, float]:
    """Where the classic map has a place."""
    return float(np.interp(longitude, *EASTWARD)), float(np.interp(latitude, *NORTHWARD))


@lru_cache(maxsize=16)
def drawn(ids: tuple[str, ...]) -> dict[str, dict[str, Any]] | None:
    """Outline and middle of every territory; None if these are not the territories of the classic map."""
    sketch = json.loads(resources.files(__package__).joinpath("world.json").read_text(encoding="utf-8"))
    coasts, points = sketch["coasts"], sketch["points"]
    known = {name for land in coasts for name in land["territories"]}
    if set(ids) != known:
        return None
    columns, rows = int(SIZE[0] / STEP), int(SIZE[1] / STEP)
    x, y = np.meshgrid(CORNER[0] + STEP * (np.arange(columns) + 0.5), CORNER[1] + STEP * (np.arange(rows) + 0.5))
    labels = np.full((rows, columns), outlines.WATER)
    shaky = outlines.wobble(x, y, 1.1, 46.0)
    for entry in coasts:
        land = outlines.inside([place(*corner) for corner in entry["coast"]], *shaky) & (labels == outlines.WATER)
        names = entry["territories"]
        seeds = [(place(*point), ids.index(name)) for name in names for point in points.get(name, NOWHERE)]
        bent = outlines.wobble(x[land], y[land], 1.6, 31.0)
        owner = np.array([number for _, number in seeds])
        labels[land] = owner[outlines.nearest([point for point, _ in seeds], *bent)]
    rings = outlines.outlines(labels, STEP, CORNER)
    middles = {i: outlines.middle(labels, i, STEP, CORNER) for i in range(len(ids))}
    return {ids[i]: {"x": middles[i][0], "y": middles[i][1], "rings": rings[i]} for i in range(len(ids))}
