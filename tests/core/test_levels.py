"""The ladder: enough levels everywhere, old names still known, and each level stronger than the one below."""

from __future__ import annotations

from itertools import pairwise

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.levels import CHAMPION, levels, rated_as

OLD_NAMES = {"beginner", "steady", "thinker", "master"}


def every_size() -> list[str]:
    """Every shipped board with every number of players that the page offers and the board allows."""
    specs = []
    for name in registry.families():
        family = registry.family(name)
        for board in ("grid7" if board == "gridN" else board for board in family.boards()):
            counts = range(family.count.least, family.count.most + 1) if family.count else ()
            specs += [f"{name}/{board}:{family.count.name}={n}" for n in counts if family.count] or [f"{name}/{board}"]
    return specs


def playable(spec: str) -> fb.Game | None:
    try:
        return fb.game(spec)
    except fb.FogboundError:
        return None


def test_every_board_and_size_has_at_least_five_levels() -> None:
    for game in filter(None, map(playable, every_size())):
        ladder = levels(game)
        names = [level.name for level in ladder]
        assert len(set(names)) == len(names) >= 5, game.spec
        assert set(names) >= OLD_NAMES, game.spec
        assert ladder[-1].agent == CHAMPION.agent
        assert [level.seconds for level in ladder] == sorted(level.seconds for level in ladder)
        for level in ladder:
            registry.agent(level.agent, game)


def test_ratings_are_kept_by_board_and_number_of_seats() -> None:
    assert rated_as(fb.game("scotland-yard/london:detectives=3,rounds=10")) == "london, 4 seats"
    assert rated_as(fb.game("risk")) == "classic, 3 seats"


def test_ratings_rise_with_the_levels() -> None:
    for game in filter(None, map(playable, every_size())):
        ratings = [level.rating for level in levels(game) if level.rating is not None]
        assert ratings == sorted(ratings), game.spec


def points(game: fb.Game, one: str, others: str, side: int, games: int) -> float:
    """What an agent makes of its side against others."""
    seats = [one if place == side else others for place in range(game.sides)]
    return sum(result.scores[side] for result in fb.play_set(game, seats, games, seed=15, workers=1)) / games


@pytest.mark.parametrize(
    "spec",
    ["scotland-yard/london", "scotland-yard/plan1", "scotland-yard/square1", "risk/classic", "empire/seed:players=2"],
)
def test_each_quick_level_is_stronger_than_the_one_below_on_every_side(spec: str) -> None:
    """It does better in each place against the level below than that level itself does there."""
    game = fb.game(spec)
    quick = [level.agent for level in levels(game) if level.seconds == 0]
    assert len(quick) >= 3
    for lower, upper in pairwise(quick):
        for side in range(min(2, game.sides)):
            assert points(game, upper, lower, side, 150) > points(game, lower, lower, side, 150), (lower, upper, side)
