"""The alpha-beta player of Scotland Yard: its values are minimax, its evaluations as defined, its line is followed."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.scotland_yard import alphabeta_belief as beliefs
from fogbound.agents.scotland_yard import alphabeta_search as searches
from fogbound.agents.scotland_yard.alphabeta import AlphaBeta
from fogbound.core import chance as chances
from fogbound.core.runner import seat_agents
from fogbound.games.scotland_yard.game import ScotlandYard

GRID = "scotland-yard/grid5-2020"
EVERYTHING = 1000


def yard(spec: str = GRID) -> ScotlandYard:
    game = fb.game(spec)
    assert isinstance(game, ScotlandYard)
    return game


def placed(game: ScotlandYard, x: int, *detectives: int, seed: int = 0) -> fb.Match:
    """A match with the pieces on these stations, the detectives (or Mr X) to move."""
    match = game.new(seed=seed)
    state = match.state
    state["station"][: len(detectives) + 1] = [game.index[x], *(game.index[d] for d in detectives)]
    state["occupied"], state["possible"] = 0, 0
    for station in (game.index[d] for d in detectives):
        state["occupied"][station >> 6] |= np.uint64(1 << (station & 63))
    state["possible"][0] = np.uint64(1 << game.index[x])
    return match


def minimax(game: ScotlandYard, state: np.void, evaluation: int, turns: int, side: int, h: int = 1) -> float:
    """Points of the best line, by looking at everything; joint moves as products of single ones.

    With EITHER in place of a side, every move of a side counts as a turn.
    """
    if state["turn"] < 0 or h > turns:
        return 0.0
    mover = int(state["turn"])
    results = []
    for following in joint_moves(game, state) if mover > 0 else single_moves(game, state):
        begins = side == searches.EITHER or (int(following["turn"]) == 0) == (side == 0)
        value = node(game, following, evaluation, max(turns, 3), h)
        deeper = h + 1 if begins else h
        over = following["turn"] < 0 and following["winner"] == 1
        results.append(value + (0 if over else minimax(game, following, evaluation, turns, side, deeper)))
    return max(results) if mover > 0 else min(results)


def single_moves(game: ScotlandYard, state: np.void) -> list[np.void]:
    made = []
    for code in game.legal(state):
        after = state.copy()
        game.rules.apply(game.table, after, code, chances.untaped(np.ones(4, np.uint64)))
        made.append(after)
    return made


def joint_moves(game: ScotlandYard, state: np.void) -> list[np.void]:
    """All positions after every detective has moved; who comes after a catch moves as well."""
    positions = [state]
    for seat in range(1, game.seats):
        positions = [after for each in positions for after in detective_moves(game, each, seat)]
    return positions


def detective_moves(game: ScotlandYard, state: np.void, seat: int) -> list[np.void]:
    if state["turn"] >= 0:
        return single_moves(game, state)
    ghost = state.copy()  # caught already: this detective still makes his move
    ghost["turn"] = seat
    made = []
    for code in game.legal(ghost):
        after = ghost.copy()
        after["station"][seat] = code & 511
        after["turn"] = -1
        made.append(after)
    return made


def node(game: ScotlandYard, state: np.void, evaluation: int, n: int, h: int) -> float:
    """The points of one node by the definitions of the four versions, for two detectives."""
    hops = game.paths.hops
    x, a1, a2 = (int(station) for station in state["station"][:3])
    d1, d2 = int(hops[a1, x]), int(hops[a2, x])
    if state["turn"] < 0 and state["winner"] == 1:
        other = max(d1, d2)
        return (n - h) * 50 - (0, other * h, other, other)[evaluation]
    near, far = min(d1, d2), max(d1, d2)
    return -(d1 * h + d2 * h, near * h, near, near + far / 2)[evaluation]


def search(game: ScotlandYard, state: np.void, evaluation: int, turns: int, side: int) -> float:
    workspace = searches.make_workspace(game, turns)
    workspace.states[0] = state
    settings = searches.AlphaBetaSettings(evaluation, turns, side, EVERYTHING, 0, game.paths.hops, max(turns, 3), 0)
    codes, values = np.zeros(game.most_actions, np.int64), np.zeros(game.most_actions, np.int64)
    count = searches.search_root(game.table, settings, workspace, 1, 10**9, codes, values, True)
    assert count == len(game.legal(state))
    return float(values[0]) / 2


@pytest.mark.parametrize("evaluation", range(4))
def test_the_search_finds_what_plain_minimax_finds(evaluation: int) -> None:
    for spec in ("scotland-yard/grid3:show_start=true,first=detectives,detectives=2", GRID):
        game = yard(spec)
        for seed in range(3):
            state = game.new(seed=seed).state
            assert search(game, state, evaluation, 1, 1) == minimax(game, state, evaluation, 1, 1)
            if game.table.stations == 9:
                assert search(game, state, evaluation, 2, 1) == minimax(game, state, evaluation, 2, 1)
                assert search(game, state, evaluation, 3, searches.EITHER) == minimax(
                    game, state, evaluation, 3, searches.EITHER
                )


def test_chance_decides_between_equally_good_moves() -> None:
    game = yard("scotland-yard/grid5:detectives=2,show_start=true")
    match = placed(game, 13, 1, 25)  # in the middle, with detectives in two corners
    first = fb.agent("alphabeta", game, side=0).choose(match.view(0))
    best = {move for move, value in first.values.items() if value == max(first.values.values())}
    played = {fb.agent("alphabeta:ties=random", game, side=0, seed=seed).choose(match.view(0)).action for seed in range(40)}
    assert len(best) > 1 and played == best


@pytest.mark.parametrize("evaluation", range(4))
def test_mr_x_searches_from_his_own_move(evaluation: int) -> None:
    game = yard("scotland-yard/grid3:show_start=true,detectives=2")
    for seed in range(3):
        state = game.new(seed=seed).state
        assert state["turn"] == 0
        assert search(game, state, evaluation, 2, 0) == minimax(game, state, evaluation, 2, 0)


def test_evaluations_of_a_node_by_hand() -> None:
    """Mr X in the middle of a 5 x 5 grid (13), detectives 1 and 4 steps away (12 and 25)."""
    game = yard()
    state = placed(game, 13, 12, 25).state
    worth = [searches.evaluate(game.table, game.paths.hops, state, version, 2) / 2 for version in range(4)]
    assert worth == [-(1 * 2 + 4 * 2), -1 * 2, -1, -1 - 4 / 2]


def test_evaluations_of_a_catch_by_hand() -> None:
    """Detective 1 stands on Mr X in the second turn, the other is 4 steps away."""
    game = yard()
    state = placed(game, 13, 13, 25).state
    for version, points in enumerate((50, 50 - 4 * 2, 50 - 4, 50 - 4)):
        settings = searches.AlphaBetaSettings(version, 3, 1, EVERYTHING, 0, game.paths.hops, 3, 0)
        assert searches.evaluate_catch(game.table, game.paths.hops, state, settings, 2, 2) / 2 == points


@pytest.mark.parametrize("evaluation", ["v1", "v2", "v3", "v4", "belief"])
def test_detectives_catch_a_mr_x_they_see_beside_them(evaluation: int) -> None:
    game = yard()
    match = placed(game, 13, 12, 25)
    match.state["shown"], match.state["last_seen"] = 1, game.index[13]
    agent = fb.agent(f"alphabeta:evaluation={evaluation}", game, side=1)
    assert str(agent.action(agent.choose(match.view(1)).action)) == "13 walk"


@pytest.mark.parametrize("evaluation", ["v4", "belief"])
def test_mr_x_does_not_stay_in_reach(evaluation: str) -> None:
    """At 7 with detectives at 2 and 11 he steps to 8 or 12; 12 is next to the detective at 11."""
    game = yard("scotland-yard/grid5:detectives=2,show_start=true")
    match = placed(game, 7, 2, 11)
    agent = fb.agent(f"alphabeta:evaluation={evaluation}", game, side=0)
    assert str(agent.action(agent.choose(match.view(0)).action)) == "8 walk"


def test_the_line_made_at_a_reveal_is_followed_to_the_next() -> None:
    game = yard()
    followed = 0
    for seed in range(4):
        match = game.new(seed=seed)
        seated = seat_agents(game, ["heuristic", "alphabeta"], seed)
        plan: list[int] = []
        while not match.over:
            seat = match.to_move
            decision = seated[game.side_of[seat]].choose(match.view(seat))
            if seat == 1 and match.state["shown"]:
                plan = list(decision.line)
            elif plan:
                plan.pop(0)
                if seat > 0 and plan:
                    assert decision.action == plan[0]
                    assert decision.line == tuple(plan)
                    followed += 1
            match.play(decision.action)
    assert followed > 10


def test_a_decision_carries_its_analysis() -> None:
    game = yard()
    match = game.new(seed=3)
    decision = fb.agent("alphabeta", game, side=1).choose(match.view(1))
    assert set(decision.values) == {move.code for move in match.legal()}
    assert decision.values[decision.action] == max(decision.values.values())
    assert decision.line[0] == decision.action and len(decision.line) > 3
    assert sum(decision.visits.values()) > 10
    assert decision.belief == {str(game.numbers[match.state["station"][0]]): 1.0}
    belief = fb.agent("alphabeta:evaluation=belief", game, side=1).choose(match.view(1)).belief
    assert sum(belief.values()) == pytest.approx(1)


def test_the_belief_stays_within_the_possible_set() -> None:
    game = yard("scotland-yard/plan1")
    match = game.new(seed=5)
    seated = seat_agents(game, ["heuristic", "alphabeta:evaluation=belief"], 5)
    while not match.over and len(match.moves) < 20:
        seat = match.to_move
        decision = seated[game.side_of[seat]].choose(match.view(seat))
        if seat > 0:
            possible = {str(number) for number in game.possible(match.state)}
            assert {place for place, share in decision.belief.items() if share > 0} <= possible
        match.play(decision.action)


def test_a_search_that_runs_out_of_nodes_plays_a_finished_depth() -> None:
    game = yard("scotland-yard/london")
    match = game.new(seed=2)
    agent = fb.agent("alphabeta:nodes=300", game, side=0)
    assert isinstance(agent, AlphaBeta)
    assert agent.choose(match.view(0)).action in [move.code for move in match.legal()]


def test_wrong_options_are_told() -> None:
    with pytest.raises(fb.FogboundError, match="evaluation"):
        fb.agent("alphabeta:evaluation=v9", GRID)
    with pytest.raises(fb.FogboundError, match="alphabeta"):
        fb.agent("alphabeta", "risk/classic")


def test_recursive_kernels_are_compiled_for_one_signature_only() -> None:
    """The cache on disk cannot keep two versions of a recursive function that call each other."""
    match = yard().new(seed=1)
    for evaluation in ("v1", "belief"):
        fb.agent(f"alphabeta:evaluation={evaluation}", match.game, side=1).choose(match.view(1))
    assert all(
        len(function.signatures) <= 1 for function in (searches.search, beliefs.search_detectives, beliefs.search_mr_x)
    )
