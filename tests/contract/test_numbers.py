"""Every game as numbers: each legal move has one of its own, a position fits its row, and a world can be searched."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from tests.contract.playing import game, positions
from tests.contract.specs import GAMES

pytestmark = pytest.mark.parametrize("spec", GAMES)


def test_legal_moves_have_ascending_numbers_that_lead_back_to_them(spec: str) -> None:
    for match in positions(spec, range(2), every=5):
        view = match.view(match.to_move)
        numbers = view.numbers()
        assert list(numbers.values()) == [move.code for move in match.legal()]
        assert list(numbers) == sorted(set(numbers))
        assert np.array_equal(np.flatnonzero(view.mask()), list(numbers))
        assert view.mask().shape == (match.game.action_size,)
        for number in list(numbers)[:: 1 + len(numbers) // 5]:
            assert view.number(view.move(number)) == number
        with pytest.raises(fb.IllegalMove):
            view.move(int(np.argmin(view.mask())) if not view.mask().all() else match.game.action_size)
        for seat in range(-1, match.game.seats):
            if seat != match.to_move:
                assert not match.view(seat).mask().any()


def test_a_position_is_told_in_small_numbers(spec: str) -> None:
    for match in positions(spec, range(2), every=5):
        for seat in range(-1, match.game.seats):
            array = match.view(seat).array()
            assert array.shape == (match.game.observation_size,)
            assert array.dtype == np.float32
            assert np.abs(array).max() <= 4


def test_a_position_can_be_pasted(spec: str) -> None:
    for match in positions(spec, range(1), every=20):
        again = game(spec).at(match.position())
        assert again.state.tobytes() == match.state.tobytes()
        assert again.legal() == match.legal()
        with pytest.raises(fb.FogboundError, match="not a position of"):
            game(spec).at(match.position().replace("=", "=1", 1))
        with pytest.raises(fb.FogboundError, match="has no record"):
            fb.Record.of(again)


def test_imagined_worlds_are_searched_without_touching_the_match(spec: str) -> None:
    match = game(spec).new(seed=4)
    view, before = match.view(match.to_move), match.state.tobytes()
    world = view.imagine()
    assert world.legal() == [move.code for move in match.legal()]
    assert sum(world.copy().play(world.legal()[0]).playout(longest=2000)) == pytest.approx(1)
    assert world.legal() == match.game.legal(match.state)
    assert match.state.tobytes() == before
    # The worlds of a view depend on nothing but what it holds.
    first, second = (match.view(match.to_move) for _ in range(2))
    assert [first.imagine().state.tobytes() for _ in range(3)] == [second.imagine().state.tobytes() for _ in range(3)]


def test_what_is_printed_says_what_it_is(spec: str) -> None:
    match = game(spec).new(seed=1)
    view = match.view(match.to_move)
    agent = fb.agent("random", match.game)
    shown = [repr(thing) for thing in (match.game, match, view, view.imagine(), agent, agent.choose(view))]
    assert all(match.game.spec in text for text in shown[:-1])
    assert all(len(text) < 300 for text in shown)
    assert "0x" not in "".join(shown)
