"""Flat Monte Carlo: options are counted 3, 1, 0; it plays every game; Empire's handicaps and their removal."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.empire.flat import wilds_by_lot
from fogbound.core.rng import stream
from fogbound.core.runner import seat_agents
from fogbound.games.empire.rules import CHOOSING, KIND_SHIFT, TAKING, USE, WILD

EMPIRE = "empire/seed:players=2"


def played_until(game: fb.Game, phase: int, seed: int = 1) -> fb.Match:
    """A match that a scripted player brought to a phase with something to choose."""
    match = game.new(seed=seed)
    seated = seat_agents(game, ["heuristic"], seed)
    while match.state["phase"] != phase or len(match.legal()) < 2:
        seat = match.to_move
        match.play(seated[game.side_of[seat]].choose(match.view(seat)).action)
    return match


def with_or_card(game: fb.Game) -> fb.Match:
    """A match whose mover can take a card with a choice of actions."""
    for seed in range(50):
        match = played_until(game, TAKING, seed)
        for move in match.legal():
            twin = match.copy()
            twin.play(move)
            if twin.state["phase"] == CHOOSING:
                return match
    raise AssertionError("no such card came")


def test_a_winning_move_is_worth_all_points() -> None:
    """A detective who can step on Mr X sees it: every random game after that move is won."""
    game = fb.game("scotland-yard/grid3:detectives=1,show_start=true,first=detectives,rounds=2")
    for seed in range(20):
        match = game.new(seed=seed)
        x = int(match.state["station"][0])
        catching = [move.code for move in match.legal() if move.code & 511 == x]
        if not catching:
            continue
        decision = fb.agent("flat:playouts=30", game, seed, side=1).choose(match.view(1))
        assert decision.action == catching[0]
        assert decision.values[decision.action] == 1.0
        assert set(decision.values) == {move.code for move in match.legal()}
        return
    raise AssertionError("no start had a catch")


def test_games_that_do_not_end_count_as_ties() -> None:
    game = fb.game("risk/classic:players=3,deal=true")
    match = game.new(seed=1)
    decision = fb.agent("flat:playouts=2,longest=10", game, side=match.to_move).choose(match.view(match.to_move))
    assert list(decision.values.values()) == pytest.approx([1 / 3] * len(match.legal()))


def test_every_option_gets_its_playouts() -> None:
    match = played_until(fb.game(EMPIRE), TAKING)
    decision = fb.agent("flat:playouts=7", match.game).choose(match.view(match.to_move))
    assert set(decision.visits.values()) == {7}
    assert set(decision.visits) == {move.code for move in match.legal()}


def test_an_or_card_is_one_option_when_plain_and_two_when_improved() -> None:
    game = fb.game(EMPIRE)
    match = with_or_card(game)
    view = match.view(match.to_move)
    plain = fb.agent("flat:playouts=5", game).choose(view)
    improved = fb.agent("flat:playouts=5,improved", game).choose(view)
    assert set(plain.visits.values()) == {5}
    assert max(improved.visits.values()) >= 10


def test_the_action_of_an_or_card_that_was_chosen_is_used() -> None:
    game = fb.game(EMPIRE)
    used = 0
    for seed in range(4):
        match = game.new(seed=seed)
        seated = seat_agents(game, ["flat:playouts=2,improved", "heuristic"], seed)
        due = None
        while not match.over:
            seat = match.to_move
            decision = seated[seat].choose(match.view(seat))
            if due is not None and seat == 0:
                assert decision.action == due
                used += 1
            due = decision.line[1] if seat == 0 and len(decision.line) > 1 else None
            match.play(decision.action)
    assert used > 2


def test_wild_cards_by_lot_become_every_good_and_none_is_left() -> None:
    game = fb.game(EMPIRE)
    rng = stream(3, "a test")
    totals = np.zeros(5)
    for _ in range(200):
        state = game.new(seed=1).state
        state["goods"][:] = 0
        state["goods"][0][WILD] = 3
        wilds_by_lot(game.table, state, rng)
        assert state["goods"][0][WILD] == 0 and state["goods"][0].sum() == 3
        totals += state["goods"][0][:5]
    assert totals.min() > 70


def test_uses_are_moves_of_the_card() -> None:
    game = fb.game(EMPIRE)
    match = with_or_card(game)
    agent = fb.agent("flat:playouts=1,improved", game)
    pairs = [pair for move in game.legal(match.state) for pair in agent._uses(match.view(match.to_move), move)]
    assert any(second >> KIND_SHIFT == USE for _, second in pairs if second >= 0)
