"""Every game: legal moves are ordered and accepted, all others refused, and nothing is lost on the way."""

from __future__ import annotations

import random
from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.record import from_json
from fogbound.core.runner import seat_agents
from tests.contract.playing import game, positions
from tests.contract.specs import GAMES

pytestmark = pytest.mark.parametrize("spec", GAMES)


def test_legal_moves_are_strictly_ascending_and_each_is_accepted(spec: str) -> None:
    for match in positions(spec, range(3), every=7):
        codes = [move.code for move in match.legal()]
        assert codes
        assert codes == sorted(set(codes))
        assert len(codes) <= match.game.most_actions
        for code in Random(len(match.moves)).sample(codes, min(12, len(codes))):
            match.copy().play(code)


def test_an_illegal_move_is_refused_in_words_and_changes_nothing(spec: str) -> None:
    for match in positions(spec, range(3), every=9):
        rng = Random(len(match.moves))
        legal = {move.code for move in match.legal()}
        near = {code + step for code in legal for step in (-1, 1, 512, 1 << 13, 1 << 20)}
        wrong = [*sorted(near - legal), -1, 2**40, *(rng.randrange(1 << 16) for _ in range(20))]
        before, rng_before, played = match.state.tobytes(), match._chance.rng.copy(), len(match.moves)
        for code in rng.sample(wrong, min(30, len(wrong))):
            if code in legal:
                continue
            with pytest.raises(fb.IllegalMove) as refusal:
                match.play(code)
            assert len(str(refusal.value)) > 10
            assert (match.state.tobytes(), len(match.moves)) == (before, played)
            assert np.array_equal(match._chance.rng, rng_before)


def test_words_that_are_no_move_are_refused(spec: str) -> None:
    match = game(spec).new(seed=1)
    for words in ("", "hello", "13", "taxi", "13 13", "-5 taxi", "99999 taxi", "place", "attack", "\x00", "pass pass", "²"):
        before = match.state.tobytes()
        with pytest.raises(fb.FogboundError):
            match.play(words)
        assert match.state.tobytes() == before


def test_the_words_of_a_move_mean_that_move(spec: str) -> None:
    for match in positions(spec, range(3), every=5):
        codes = match.game.legal(match.state)
        for code in codes[:: 1 + len(codes) // 60]:
            assert match.game.parse(match.game.describe(code)) == code
            assert isinstance(match.game.details(code), dict)


def test_a_copy_goes_on_exactly_as_the_original_and_leaves_it_alone(spec: str) -> None:
    for match in positions(spec, range(2), every=11):
        before = match.state.tobytes()
        first, second = match.copy(), match.copy()
        for twin in (first, second):
            rng = Random(5)
            for _ in range(12):
                if not twin.over:
                    twin.play(rng.choice(twin.legal()))
        assert first.state.tobytes() == second.state.tobytes()
        assert first.moves == second.moves
        assert match.state.tobytes() == before


def test_undo_takes_back_a_move_exactly(spec: str) -> None:
    for match in positions(spec, range(2), every=6):
        before = match.state.tobytes()
        history = [match.view(seat).history for seat in range(-1, match.game.seats)]
        twin = match.copy()
        twin.play(twin.legal()[-1])
        twin.undo()
        assert twin.state.tobytes() == before
        assert [twin.view(seat).history for seat in range(-1, match.game.seats)] == history


def test_a_record_replays_exactly_without_any_generator(spec: str) -> None:
    record = fb.play(game(spec), ["random"], seed=11)
    data = record.to_json()
    assert data["outcome"] is not None
    for seed in (0, 12345):  # another seed would draw other results, if any were drawn
        again = from_json({**data, "seed": seed})
        assert again.replay().state.tobytes() == record.replay().state.tobytes()
        assert again.scores == record.scores


def test_scores_lie_between_0_and_1_and_sum_to_1(spec: str) -> None:
    for result in fb.play_set(game(spec), ["random"], 40, seed=3, workers=1):
        assert all(0 <= score <= 1 for score in result.scores)
        assert sum(result.scores) == pytest.approx(1)


def test_a_finished_match_takes_no_more_moves(spec: str) -> None:
    match = fb.play(game(spec), ["random"], seed=2).replay()
    assert match.legal() == []
    assert match.game.legal(match.state) == []
    with pytest.raises(fb.IllegalMove):
        match.play(0)


def test_global_random_generators_have_no_effect(spec: str) -> None:
    calm = fb.play(game(spec), ["random"], seed=21)
    match = game(spec).new(seed=21)
    seated = seat_agents(match.game, ["random"], seed=21)
    while not match.over:
        random.seed(len(match.moves))
        np.random.seed(len(match.moves))
        random.random()
        np.random.random()
        seat = match.to_move
        match.play(seated[match.game.side_of[seat]].choose(match.view(seat)).action)
    assert tuple(match.moves) == calm.moves


def test_a_game_is_of_the_family_that_its_spec_names(spec: str) -> None:
    assert game(spec).family == spec.partition("/")[0]


def test_a_game_survives_being_sent_to_another_process(spec: str) -> None:
    import pickle

    twin = pickle.loads(pickle.dumps(game(spec)))
    assert twin.spec == spec or twin.spec == game(spec).spec
    assert twin.definition() == game(spec).definition()
    assert twin.new(seed=4).state.tobytes() == game(spec).new(seed=4).state.tobytes()
