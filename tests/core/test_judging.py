"""What moves are worth: each game names who says so, and that one has something to say about every move."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core.judging import judge, judge_of
from fogbound.core.puzzles import from_json, shipped
from fogbound.games.risk.table import ATTACK, DRAFT, FORTIFY, OCCUPY


@pytest.mark.parametrize(
    ("spec", "moves", "judge_is"),
    [
        ("scotland-yard/plan1", 4, "mcts:preset=nijssen-winands,"),
        ("empire/seed", 2, "maxn:every,"),
        ("risk/random:territories=12,players=3,seed=1", 2, "planner:every,"),
    ],
)
def test_the_judge_of_a_game_values_every_move(spec: str, moves: int, judge_is: str) -> None:
    match = fb.game(spec).new(seed=2)
    for _ in range(moves):
        match.play(match.legal()[-1])
    found = judge(match.view(match.to_move))
    assert found is not None and not found.exact
    assert found.by == judge_of(match.game, match.game.side_of[match.to_move], 1)
    assert found.by.startswith(judge_is)
    assert found.values.keys() == {move.code for move in match.legal()}
    assert all(0.0 <= value <= 1.0 for value in found.values.values())


def test_in_risk_every_move_of_every_phase_of_a_turn_is_valued() -> None:
    match = fb.game("risk/random:territories=12,players=3,seed=1,deal=true,round_limit=2").new(seed=2)
    agent, script = fb.agent("planner:every,iterations=30,plans=4", match.game), fb.agent("heuristic", match.game)
    phases = set()
    while not match.over:
        view, legal = match.view(match.to_move), {move.code for move in match.legal()}
        if len(legal) > 1:
            phases.add(int(match.state["phase"]))
            assert agent.choose(view).values.keys() == legal
        match.play(script.choose(view).action)
    assert {DRAFT, ATTACK, OCCUPY, FORTIFY} <= phases


def test_plain_search_speaks_where_a_judge_has_nothing_to_say() -> None:
    match = fb.game("empire/seed:bidding=true").new(seed=2)  # whole turns have no bids
    found = judge(match.view(match.to_move))
    assert found is not None and found.values and found.by.startswith("mcts:")


def test_puzzles_tell_who_found_them_the_older_ones_too() -> None:
    for puzzle in shipped().values():
        assert from_json(puzzle.json()) == puzzle
        assert (puzzle.by == "") == puzzle.exact
