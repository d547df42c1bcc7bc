"""The perfect player: legal from anywhere, true to the solved values, and as good as they promise."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.scotland_yard.perfect import adviser
from fogbound.core import registry
from tests.solve.test_values import SMALL

GAMES = {
    "grid3": fb.game("scotland-yard/grid3:detectives=1,rounds=5"),
    "grid3 with two detectives, shown start": fb.game("scotland-yard/grid3:rounds=4,show_start=true"),
    "grid4, detectives first": fb.game("scotland-yard/grid4:rounds=4,first=detectives,closing_move=true"),
    **{name: game for name, game in SMALL.items() if not name.startswith("grid")},
}


@pytest.mark.parametrize("name", GAMES)
def test_it_finds_its_way_from_any_position_of_random_games(name: str) -> None:
    """A fresh player is asked in the middle of games that it has not seen, on and off the perfect path."""
    game = GAMES[name]
    for number in range(4):
        rng, match = Random(number), game.new(seed=number)
        while not match.over:
            seat = match.to_move
            player = registry.agent("perfect", game, seed=1, side=game.side_of[seat])
            decision = player.choose(match.view(seat))
            assert decision.action in [move.code for move in match.legal()]
            assert set(decision.values) == {move.code for move in match.legal()}
            assert all(-1e-6 <= value <= 1 + 1e-6 for value in decision.values.values())
            assert sum(decision.belief.values()) == pytest.approx(1)
            match.play(rng.choice(match.legal()))


@pytest.mark.parametrize("name", ["grid3", "counted tickets", "detectives first"])
def test_its_value_at_the_start_is_that_of_the_game(name: str) -> None:
    game = GAMES[name]
    play = adviser(game, 1e-3)
    starts = list(game.starts())
    total = 0.0
    for start in starts:
        match = game.new(start=start)
        side = match.view(1) if match.to_move > 0 else match.view(0)
        total += match.scores()[1] if match.over else play.advise(side).value
    assert total / len(starts) == pytest.approx(play.solution.value, abs=0.02)


def test_detectives_look_for_mr_x_only_where_he_can_be() -> None:
    game = GAMES["grid3"]
    for number in range(6):
        rng, match = Random(number), game.new(seed=number)
        while not match.over:
            if match.to_move > 0:
                decision = registry.agent("perfect", game, side=1).choose(match.view(match.to_move))
                assert {int(station) for station in decision.belief} == set(game.possible(match.state))
            match.play(rng.choice(match.legal()))


def test_the_same_view_gets_the_same_decision_whatever_is_hidden() -> None:
    game = GAMES["grid3"]
    rng, match = Random(4), game.new(seed=4)
    while not match.over:
        seat = match.to_move
        view = match.view(seat)
        other = match.copy()
        other.state = view.state.copy()
        game.rules.imagine(game.table, other.state, seat, np.array([7, 5, 3, 1], np.uint64))
        choices = {registry.agent("perfect", game, side=min(seat, 1)).choose(m.view(seat)).action for m in (match, other)}
        assert len(choices) == 1
        match.play(rng.choice(match.legal()))


def test_perfect_players_win_as_often_as_the_value_says() -> None:
    game = GAMES["grid3"]
    solution = fb.solve(game)
    wins = sum(fb.play(game, ["perfect"], seed=6, number=number).scores[1] for number in range(300)) / 300
    assert abs(wins - solution.value) < 4 * (solution.value * (1 - solution.value) / 300) ** 0.5


def test_it_tells_when_a_board_is_too_large() -> None:
    with pytest.raises(fb.FogboundError, match="too large to solve"):
        fb.agent("perfect", "scotland-yard/london")
