"""Jobs: packed moves, gaps, records, and failures that name their place."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import job
from fogbound.core.job import NOT_KEPT, GameRef, Pending, gaps, pack, unpack, without_loading
from fogbound.core.runner import all_starts, results_of, set_of_games

PLAN1 = "scotland-yard/plan1"


class Stumbler(fb.Agent):
    name = "stumbler"
    about = "fails at its second move"

    def decide(self, view: fb.View) -> fb.Decision:
        if view.history:
            raise ZeroDivisionError("no idea")
        return fb.Decision(view.legal()[0].code)


def test_loading_compiled_code_is_not_thinking() -> None:
    assert without_loading(seconds=9.0 + 9 * 0.5, slowest=9.0, moves=10) == 5.0
    assert without_loading(seconds=9.0, slowest=9.0, moves=1) == 9.0


def test_moves_are_packed_as_narrow_as_they_fit() -> None:
    for codes, width in (([1, 65535], "<u2"), ([70000], "<u4"), ([1 << 40], "<i8"), ([-1], "<i8"), ([], "<u2")):
        for slow in (False, True):
            packing, data = pack(np.array(codes, np.int64), slow)
            assert packing.split()[0] == width
            assert unpack(packing, data).tolist() == codes


def test_gaps_are_what_is_missing() -> None:
    assert gaps([], 10) == [(0, 10)]
    assert gaps([(0, 4), (6, 8)], 10) == [(4, 6), (8, 10)]
    assert gaps([(0, 10)], 10) == []
    assert gaps([(0, 4), (6, 8), (9, 12)], 5) == [(4, 5)]  # more was played once than is asked for now


def test_gaps_hold_each_missing_game_once() -> None:
    done = {0, 4, 5, 19}
    missing = gaps(((number, number + 1) for number in sorted(done)), 20)
    assert [number for first, end in missing for number in range(first, end)] == [n for n in range(20) if n not in done]


def test_pending_games_are_handed_out_once_in_jobs_of_any_size() -> None:
    whole = set_of_games(PLAN1, ["random"], 100)
    for size in (1, 3, 100):
        pending = Pending(whole, [(2, 9), (50, 100)], size)
        numbers = [number for each in pending.jobs() for number in range(each.first, each.first + each.count)]
        assert numbers == [*range(2, 9), *range(50, 100)]


def test_a_job_gives_the_same_games_compiled_and_one_by_one() -> None:
    game = fb.game(PLAN1)
    starts = all_starts(game)[:30]
    for given in ((), starts):
        whole = set_of_games(game, ["heuristic", "random"], 30, 8, given)
        assert whole.compiled
        quick, slow = job.play(whole), job.play(replace(whole, compiled=False))
        assert (quick.scores == slow.scores).all()
        assert (quick.lengths == slow.lengths).all()
        assert [codes.tolist() for codes in quick.codes()] == [codes.tolist() for codes in slow.codes()]
        assert quick.side_moves == slow.side_moves


def test_thoughts_are_decisions_between_several_moves() -> None:
    whole = replace(set_of_games(PLAN1, ["heuristic", "random"], 10, 8), compiled=False)
    played = job.play(whole)
    assert played.thoughts.shape == played.processor_seconds.shape == (10, 2)
    assert (played.thoughts > 0).all()
    assert (played.thoughts.sum(axis=0) <= played.side_moves).all()
    assert (played.processor_seconds >= 0).all()


def test_records_come_from_moves_and_starts() -> None:
    game = fb.game(PLAN1)
    starts = all_starts(game)[:5]
    whole = set_of_games(game, ["random"], 5, 3, starts)
    for result in results_of(whole, job.play(whole), records=True):
        assert result.record is not None
        again = fb.play(game, ["random"], 3, result.number, starts[result.number])
        assert result.record.to_json() == again.to_json()


def test_moves_that_were_not_kept_are_missed_in_words() -> None:
    played = job.play(set_of_games(PLAN1, ["random"], 5, keep_moves=False))
    assert (played.packing, played.moves) == (NOT_KEPT, b"")
    with pytest.raises(fb.FogboundError, match="were not kept"):
        played.codes()


def test_a_game_is_sent_by_name_and_built_again_elsewhere() -> None:
    game = fb.game("scotland-yard/plan1:detectives=2")
    ref = GameRef.of(game)
    assert ref.game() is game
    sent = pickle.loads(pickle.dumps(ref))
    assert sent == ref
    assert sent.game() is not game
    assert sent.game().spec == game.spec
    with pytest.raises(fb.FogboundError, match="differs from the one installed here"):
        replace(ref, digest="0", built=None).game()


def test_a_failing_agent_is_named_with_its_game_seed_and_move() -> None:
    spec = f"{__name__}.Stumbler"
    with pytest.raises(fb.FogboundError) as caught:
        job.play(set_of_games(PLAN1, [spec, "random"], 3, seed=7))
    said = str(caught.value)
    assert said.startswith(f"The agent “{spec}” failed in game 0 of {PLAN1} with seed 7, move ")
    assert said.endswith("ZeroDivisionError: no idea")
