"""The drawn boards: every area is there, its pieces stand inside it, and what touches on the map touches in the drawing."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from fogbound.core import registry
from fogbound.games import outlines
from fogbound.games.risk import drawing as risk_drawing
from fogbound.games.risk.board import ContinentEntry, MapFile, TerritoryEntry, assemble

RISK = ("risk/classic", "risk/random:territories=24,seed=3")
EMPIRE = ("empire/side-a", "empire/side-b", "empire/seed", "empire/random:seed=5")


def areas(spec: str) -> dict[str, Any]:
    drawing = registry.game(spec).drawing()
    assert json.loads(json.dumps(drawing)) == drawing
    if spec.startswith("risk"):
        return {area["territory"]: area for area in drawing["territories"]}
    return {area["region"]: area for area in drawing["regions"]}


def touching(drawn: dict[str, Any]) -> set[frozenset[str]]:
    """Areas whose outlines have two points in common."""
    at: dict[tuple[float, ...], set[str]] = defaultdict(set)
    for name, area in drawn.items():
        for ring in area["rings"]:
            for point in ring:
                at[tuple(point)].add(name)
    shared: dict[frozenset[str], int] = defaultdict(int)
    for names in at.values():
        for a in names:
            for b in names:
                if a < b:
                    shared[frozenset((a, b))] += 1
    return {pair for pair, count in shared.items() if count >= 2}


@pytest.mark.parametrize("spec", [*RISK, *EMPIRE])
def test_every_area_is_drawn_and_has_room_for_its_pieces(spec: str) -> None:
    game = registry.game(spec)
    drawn = areas(spec)
    board = game.board  # type: ignore[attr-defined]
    names = board.names if spec.startswith("empire") else [territory.id for territory in board.territories]
    assert list(drawn) == list(names)
    for area in drawn.values():
        x, y = np.array([area["x"]]), np.array([area["y"]])
        assert any(outlines.inside([tuple(p) for p in ring], x, y)[0] for ring in area["rings"]), area


def test_territories_of_the_world_touch_where_they_border_by_land_and_nowhere_else() -> None:
    drawing = registry.game("risk/classic").drawing()
    sea = {frozenset(pair) for pair in drawing["sea"]}
    land = {frozenset(pair) for pair in drawing["borders"]} - sea
    found = touching(areas("risk/classic"))
    assert land - found == set()
    assert found - land - sea == set()


def test_territories_of_a_generated_map_touch_where_they_border() -> None:
    drawing = registry.game(RISK[1]).drawing()
    assert {frozenset(pair) for pair in drawing["borders"]} - touching(areas(RISK[1])) == set()


@pytest.mark.parametrize("spec", ["empire/side-a", "empire/side-b"])
def test_regions_touch_where_they_border_by_land(spec: str) -> None:
    land = {frozenset(pair) for pair in registry.game(spec).drawing()["land"]}
    assert land - touching(areas(spec)) == set()


def square_map(side: int, scale: float | None) -> MapFile:
    """A square of territories, with places in some unit or without, numbered in no order."""
    cells = [(x, y) for x in range(side) for y in range(side)]
    name = {cell: f"t{(7 * i + 3) % len(cells)}" for i, cell in enumerate(cells)}

    def entry(x: int, y: int) -> dict[str, Any]:
        near = [name[c] for c in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)) if c in name]
        place = {} if scale is None else {"x": x * scale, "y": y * scale}
        return {"territory": name[x, y], "name": name[x, y], "borders": near, **place}

    whole = {"continent": "all", "name": "All", "bonus": 2, "territories": list(name.values())}
    entries = [TerritoryEntry(**entry(*cell)) for cell in cells]
    return MapFile(game="risk", name="square", about="", territories=entries, continents=[ContinentEntry(**whole)])


@pytest.mark.parametrize("scale", [None, 0.001, 30_000.0])
def test_a_map_of_ones_own_is_drawn_with_neighbours_touching_and_nobody_else(scale: float | None) -> None:
    drawn = risk_drawing.drawing(assemble(square_map(4, scale)))
    land = {frozenset(pair) for pair in drawn["borders"]}
    assert touching({area["territory"]: area for area in drawn["territories"]}) == land
