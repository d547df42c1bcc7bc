"""Boards that are generated: kept as long as they are asked for, and a fair share of the drawing for each visitor."""

from __future__ import annotations

import pytest

from fogbound.core import registry
from fogbound.games.risk import generator, world
from fogbound.server.families import Answers
from fogbound.server.limits import Busy, Visitors
from tests.server.inside import in_a_loop


def test_generated_maps_are_not_kept_for_ever() -> None:
    for kept in (generator.generate, world.drawn):
        assert kept.cache_info().maxsize is not None
    first = registry.game("risk/random:territories=9,seed=1").definition()
    generator.generate.cache_clear()
    assert registry.game("risk/random:territories=9,seed=1").definition() == first


def test_a_visitor_who_wants_ever_new_boards_has_to_wait_and_known_ones_cost_nothing() -> None:
    async def visit() -> None:
        async def draw(spec: str, _address: str) -> bytes:
            return spec.encode()

        drawings = Answers(Visitors(rate=0.0001, burst=2), draw, kept=2)
        one, two = "scotland-yard/grid3", "scotland-yard/grid4"
        for spec in (one, two, one, two, one):
            assert await drawings.of(spec, "ann") == spec.encode()
        with pytest.raises(Busy, match="Too much had to be worked out for you"):
            await drawings.of("scotland-yard/grid5", "ann")
        await drawings.of("scotland-yard/grid5", "bob")
        assert list(drawings.kept) == [one, "scotland-yard/grid5"]  # the one not asked for for longest is gone

    in_a_loop(visit)
