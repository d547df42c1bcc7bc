"""What a net sees of a position: only what its seat may know, and chances as they spread."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.scotland_yard import planes

GRID: Any = fb.game("scotland-yard/grid5")


def written(state: np.void, seat: int, kind: str = "planes") -> np.ndarray:
    code = planes.coding(GRID, kind, "stations")
    out = np.full(code.inputs, np.nan, np.float32)
    planes.write(GRID.table, code, GRID.concealed(state, seat), seat, out)
    assert not np.isnan(out).any()
    return out


def shown_at(station: int, detectives: tuple[int, int], moves: int) -> np.void:
    """Mr X was seen at a station so many moves ago; the detectives stood still and searched nothing."""
    state = GRID.blank()
    state["round"], state["turn"], state["winner"] = 4, 1, -1
    state["last_seen"], state["seen_slot"], state["slot"], state["shown"] = station, 3, 3 + moves, moves == 0
    state["station"][:] = (station, *detectives, -1, -1, -1)
    for place in detectives:
        state["occupied"][0] |= np.uint64(1 << place)
    reach = {station}
    for _ in range(moves):
        reach = {b for a in reach for b in range(25) if GRID.paths.hops[a, b] == 1} - set(detectives)
    state["possible"][0] = np.uint64(sum(1 << s for s in reach))
    return state


def test_detectives_see_themselves_as_ten_and_their_colleagues_as_one() -> None:
    out = written(shown_at(4, (6, 11), 0), 1)
    assert out[4] == 1 and out[:25].sum() == 1
    assert out[25 + 6] == 10 and out[25 + 11] == 1 and out[25:].sum() == 11
    assert written(shown_at(4, (6, 11), 0), 2)[25 + 11] == 10


def test_the_chance_of_a_hidden_mr_x_spreads_evenly_over_his_ways() -> None:
    out = written(shown_at(4, (12, 20), 1), 1)
    assert out[3] == pytest.approx(0.5) and out[9] == pytest.approx(0.5)
    out = written(shown_at(4, (8, 20), 2), 1)  # station 8, where two ways meet, is held by a detective
    assert [round(float(out[s]), 4) for s in (2, 4, 14)] == [0.25, 0.5, 0.25]


def test_mr_x_marks_everybody_by_one() -> None:
    out = written(shown_at(4, (6, 11), 0), 0)
    assert out[4] == 1 and out[25 + 6] == 1 and out[25 + 11] == 1 and out.sum() == 3


@pytest.mark.parametrize("kind", planes.CODINGS)
def test_what_detectives_see_does_not_depend_on_where_mr_x_hides(kind: str) -> None:
    state = shown_at(12, (0, 24), 2)
    other = state.copy()
    state["station"][0], other["station"][0] = 12, 2
    assert np.array_equal(written(state, 1, kind), written(other, 1, kind))
    assert not np.array_equal(written(state, 0, kind), written(other, 0, kind))


@pytest.mark.parametrize("spec", ["scotland-yard/plan1", "scotland-yard/london", "scotland-yard/grid4"])
def test_every_move_has_an_answer_of_its_own(spec: str) -> None:
    game: Any = fb.game(spec)
    code = planes.coding(game, "cells", "stations")
    match = game.new(seed=1)
    for _ in range(12):
        if match.over:
            break
        here = int(match.state["station"][match.to_move])
        answers = [int(planes.answer_of(code, here, action.code)) for action in match.legal()]
        assert len(set(answers)) == len(answers) and min(answers) >= 0 and max(answers) < code.answers
        match.play(match.legal()[-1])


def test_directions_are_up_left_right_and_down() -> None:
    code = planes.coding(GRID, "planes", "directions")
    assert [int(planes.answer_of(code, 12, end)) for end in (7, 11, 13, 17)] == [0, 1, 2, 3]
    assert code.answers == 4


@pytest.mark.parametrize("kind", planes.CODINGS)
def test_every_number_is_finite_even_at_the_closing_move(kind: str) -> None:
    game: Any = fb.game("scotland-yard/plan1:closing_move=true,rounds=3")
    code = planes.coding(game, kind, "stations")
    out, last = np.zeros(code.inputs, np.float32), 0
    for number in range(20):
        match = fb.play(game, ["heuristic", "random"], seed=number).replay()
        for moment, move in enumerate(match.moves):
            state = match.state_at(moment)
            last = max(last, int(state["round"]))
            planes.write(game.table, code, game.concealed(state, move.seat), move.seat, out)
            assert np.isfinite(out).all()
    assert last == 4, "the closing move came up"
