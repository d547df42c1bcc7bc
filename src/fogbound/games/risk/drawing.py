"""Risk maps as geometry for whoever draws them: outlines, room for armies, names of continents."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.games import outlines
from fogbound.games.risk import world
from fogbound.games.risk.board import Board

Shape = dict[str, Any]  # x, y, rings
MARGIN = 20.0
WIDTH = 1000.0  # of land that is drawn around places


def drawing(board: Board) -> dict[str, Any]:
    shapes = _shapes(board)
    continent_of = board.continent_of()
    ids = [territory.id for territory in board.territories]
    corners = np.array([point for shape in shapes for ring in shape["rings"] for point in ring])
    low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    territories = [
        {"territory": t.id, "name": t.name, "continent": continent_of[i], **shapes[i]}
        for i, t in enumerate(board.territories)
    ]
    return {
        "box": [round(float(value), 1) for value in (*low, *(high - low))],
        "territories": territories,
        "borders": [[ids[a], ids[b]] for a in range(board.size) for b in board.neighbours[a] if a < b],
        "sea": [[ids[a], ids[b]] for a, b in board.sea],
        "continents": [
            {"name": c.name, "bonus": c.bonus, "territories": [ids[i] for i in c.members]} for c in board.continents
        ],
        "cards": board.rules.cards,
    }


def _shapes(board: Board) -> list[Shape]:
    """Every territory's outline: from the file, the drawn world, or blots around the places."""
    if all(territory.polygon for territory in board.territories):
        return [{"x": t.x, "y": t.y, "rings": [[list(p) for p in t.polygon or ()]]} for t in board.territories]
    found = world.drawn(tuple(territory.id for territory in board.territories))
    if found is not None:
        return [found[territory.id] for territory in board.territories]
    points = np.array([(territory.x, territory.y) for territory in board.territories])
    points = (points - points.min(axis=0)) * (WIDTH / max(float(np.ptp(points, axis=0).max()), 1e-9))  # whatever its units
    places = [(float(x), float(y)) for x, y in points]
    sea = {frozenset(pair) for pair in board.sea}
    joined = [(a, b) for a in range(board.size) for b in board.neighbours[a] if a < b and frozenset((a, b)) not in sea]
    return outlines.blots(places, joined)
