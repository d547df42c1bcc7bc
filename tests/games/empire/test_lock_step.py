"""The compiled rules and the plain-Python reference play the same games, move by move."""

from __future__ import annotations

import random

import pytest

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.games.empire.reference import Move, Reference
from tests.games.empire.variants import VARIANTS

GAMES_EACH = 4


class Tape:
    """Chance results of the compiled rules, given out again to the reference."""

    def __init__(self) -> None:
        self.results: list[int] = []

    def __call__(self, n: int) -> int:
        result = self.results.pop(0)
        assert 0 <= result < n
        return result


def words(move: Move) -> str:
    return " ".join(str(part) for part in move)


@pytest.mark.parametrize("spec", VARIANTS)
def test_kernels_and_reference_play_in_lock_step(spec: str) -> None:
    game = fb.game(spec)
    for number in range(GAMES_EACH):
        play_both(game, random.Random(f"{spec} {number}"), number)


def play_both(game: fb.Game, choose: random.Random, seed: int) -> None:
    match, tape = game.new(seed=seed), Tape()
    tape.results.extend(match.start)
    reference = Reference(game.board, tape)  # type: ignore[attr-defined]
    while not match.over:
        compare(game, match, reference, tape)
        action = choose.choice(match.legal())
        played = match.play(action)
        tape.results.extend(played.chance)
        reference.play(next(move for move in reference.legal() if words(move) == action.text))
    compare(game, match, reference, tape)
    assert reference.phase == "over"
    assert match.scores() == pytest.approx(reference.scores())


def compare(game: fb.Game, match: fb.Match, reference: Reference, tape: Tape) -> None:
    assert not tape.results, "the kernels drew more than the reference"
    assert match.to_move == reference.to_move
    legal = [action.text for action in match.legal()]
    assert sorted(legal) == sorted(words(move) for move in reference.legal())
    assert game.public(match.state) == reference.public()
    if reference.phase == "bid":
        for seat in range(game.seats):
            assert game.public(match.view(seat).state) == reference.public(seat)
        open_bids = [player["bid"] for player in game.public(match.view(SPECTATOR).state)["players"]]
        assert set(open_bids) <= {None, "sealed"}
