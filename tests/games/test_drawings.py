"""The drawn boards: every area is there, its pieces stand inside it, and what touches on the map touches in the drawing."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from fogbound.core import registry
from fogbound.games import outlines

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
