"""Empire boards as geometry for whoever draws them: rounded tiles, or land around the regions' places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from fogbound.games import outlines
from fogbound.games.empire.board import Board
from fogbound.games.empire.cards import Card
from fogbound.games.layout import lay_out

WIDTH, HEIGHT = 1000.0, 720.0  # of the drawing of a region board, whose places are shares
TILE, GAP, ROUND = 100.0, 3.0, 16.0
MARGIN = 24.0


def drawing(board: Board, cards: Sequence[Card], steps: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    shapes = _tiles(board) if board.tiles else _land(board)
    corners = np.array([point for shape in shapes for ring in shape["rings"] for point in ring])
    low, high = corners.min(axis=0) - MARGIN, corners.max(axis=0) + MARGIN
    return {
        "box": [round(float(value), 1) for value in (*low, *(high - low))],
        "tiles": bool(board.tiles),
        "start": board.start,
        "continents": list(board.continents),
        "regions": [
            {"region": region.region, "continent": region.continent, "token": region.token, **shape}
            for region, shape in zip(board.regions, shapes, strict=True)
        ],
        "land": _pairs(board, "land"),
        "sea": _pairs(board, "sea"),
        "steps": {good: list(counts) for good, counts in steps.items()},
        "cards": [
            {
                "card": card.number,
                "good": card.good,
                "goods": card.goods,
                "join": card.join,
                "actions": [{"action": name, "count": n} for name, n in card.actions],
            }
            for card in cards
        ],
    }


def _pairs(board: Board, ways: str) -> list[list[str]]:
    return [[r.region, end] for r in board.regions for end in getattr(r, ways) if r.region < end]


def _tiles(board: Board) -> list[dict[str, Any]]:
    return [
        {"x": TILE * (x + 0.5), "y": TILE * (y + 0.5), "rings": [_rounded(TILE * x, TILE * y)]}
        for x, y in ((float(region.x or 0), float(region.y or 0)) for region in board.regions)
    ]


def _rounded(x: float, y: float) -> list[list[float]]:
    """A tile with round corners."""
    low, high = GAP + ROUND, TILE - GAP - ROUND
    ring = []
    for turn, (cx, cy) in enumerate(((high, low), (high, high), (low, high), (low, low))):
        for angle in np.linspace(-90 + 90 * turn, 90 * turn, 5):
            ring.append([x + cx + ROUND * np.cos(np.radians(angle)), y + cy + ROUND * np.sin(np.radians(angle))])
    return [[round(float(px), 1), round(float(py), 1)] for px, py in ring]


def _land(board: Board) -> list[dict[str, Any]]:
    index = {name: i for i, name in enumerate(board.names)}
    return outlines.blots(_places(board), [(index[a], index[b]) for a, b in _pairs(board, "land")])


def _places(board: Board) -> list[outlines.Point]:
    """Where the regions are; where the file does not say, neighbours are near, and those across water less so."""
    index = {name: i for i, name in enumerate(board.names)}
    if board.regions[0].x is None:
        ways = [(index[a], index[b], far) for kind, far in (("land", 1.0), ("sea", 1.6)) for a, b in _pairs(board, kind)]
        found = np.array(lay_out(len(index), ways))
        found = (found - found.min(axis=0)) * (WIDTH / max(float(np.ptp(found, axis=0).max()), 1e-9))
        return [(float(x), float(y)) for x, y in found]
    xs = np.array([region.x for region in board.regions], float)
    ys = np.array([region.y for region in board.regions], float)
    scale = min(WIDTH / max(np.ptp(xs), 1e-9), 1.4 * HEIGHT / max(np.ptp(ys), 1e-9))
    return [(float(x), float(y)) for x, y in zip((xs - xs.min()) * scale, (ys - ys.min()) * scale * 0.72, strict=True)]
