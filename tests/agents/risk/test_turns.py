"""The turn search of Risk: plans in a fixed order, each once, carried out legally, within its memory."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk.turn_plans import BATTLES, COUNT, FIRST, SCRIPTED, TurnPlan, make_plan
from fogbound.agents.risk.turns import Turns, choose, quick
from fogbound.core.runner import seat_agents
from fogbound.games.risk.table import ATTACK, DRAFT

CLASSIC = "risk/classic:players=3,deal=true,round_limit=8"


def at_a_draft(spec: str = CLASSIC, seed: int = 1, moves: int = 150) -> fb.Match:
    game = fb.game(spec)
    match = game.new(seed=seed)
    seated = seat_agents(game, ["heuristic"], seed)
    while match.state["phase"] != DRAFT or len(match.moves) < moves:
        seat = match.to_move
        match.play(seated[seat].choose(match.view(seat)).action)
    return match


def plans_of(match: fb.Match, numbers: int) -> list[tuple[int, ...]]:
    """The plans with these numbers, without their keys; empty ones are left out."""
    agent = fb.agent("turns", match.game)
    assert isinstance(agent, Turns)
    made = []
    for number in range(numbers):
        row = np.full(TurnPlan.SIZE, -9, np.int16)
        view = match.view(match.to_move)
        params = agent._script.policy_params
        key = make_plan(match.game.table, params, agent._nets, view.state, view.seat, number, row, agent._out)
        if key:
            made.append((int(key), *(int(x) for x in row[: BATTLES + 2 * int(row[COUNT])])))
    return made


def test_plans_with_equal_keys_fight_the_same_battles() -> None:
    match = at_a_draft()
    seen: dict[int, object] = {}
    for key, first, second, count, *places in plans_of(match, 60):
        pairs = frozenset((places[2 * i], places[2 * i + 1]) for i in range(count))
        assert seen.setdefault(key, (first, second, pairs)) == (first, second, pairs)
    assert len(seen) > 10


def test_the_order_of_plans_is_fixed() -> None:
    match = at_a_draft()
    assert plans_of(match, 30) == plans_of(match, 30)


def test_the_first_plan_is_the_scripted_turn() -> None:
    assert plans_of(at_a_draft(), 1)[0][1 + FIRST] == SCRIPTED


def test_planned_battles_lead_from_own_or_conquered_territories_to_foreign_neighbours() -> None:
    match = at_a_draft()
    table, owner, seat = match.game.table, match.state["owner"], match.to_move
    for _, first, second, count, *places in plans_of(match, 60):
        own = {t for t in range(table.territories) if owner[t] == seat}
        if first != SCRIPTED:
            assert first in own and (second in own or second == -1)
        for i in range(count):
            source, target = places[2 * i], places[2 * i + 1]
            assert source in own and target not in own
            assert target in table.links[table.link_start[source] : table.link_start[source + 1]]
            own.add(target)


@pytest.mark.parametrize("spec", [CLASSIC, "risk/random:territories=120,players=4,seed=2,deal=true,round_limit=3"])
def test_it_plays_whole_games_within_its_pool(spec: str) -> None:
    game = fb.game(spec)
    record = fb.play(game, ["turns:iterations=30,pool=500"] + ["heuristic"] * (game.sides - 1), seed=2)
    assert record.scores is not None
    agent = fb.agent("turns:pool=500", game)
    assert isinstance(agent, Turns)
    assert agent.memory() < 500 * 200


def test_a_full_pool_stops_the_tree_not_the_search() -> None:
    match = at_a_draft()
    decision = fb.agent("turns:iterations=400,pool=100", match.game).choose(match.view(match.to_move))
    assert sum(decision.visits.values()) == 400


def test_a_decision_carries_its_analysis() -> None:
    match = at_a_draft()
    decision = fb.agent("turns:iterations=300", match.game).choose(match.view(match.to_move))
    legal = {move.code for move in match.legal()}
    assert set(decision.values) <= legal and decision.action in legal
    assert all(0 <= value <= 1 for value in decision.values.values())
    assert sum(decision.visits.values()) == 300
    assert decision.line[0] == decision.action


def test_asked_twice_it_answers_the_same() -> None:
    match = at_a_draft()
    agent = fb.agent("turns:iterations=50", match.game, side=match.to_move)
    seat = match.to_move
    asked = 0
    while match.to_move == seat and not match.over:
        view = match.view(seat)
        decision = agent.choose(view)
        if match.state["phase"] == ATTACK and len(decision.visits) == 1:
            assert agent.choose(view).action == decision.action
            asked += 1
        match.play(decision.action)
    assert asked > 0


def test_the_compiled_policy_makes_the_same_moves() -> None:
    """With one stream for dice and what is imagined; between two games its plan is not mixed up."""
    matches = [at_a_draft(seed=seed) for seed in (1, 2)]
    game, seat = matches[0].game, matches[0].to_move
    agents = [fb.agent("turns:iterations=20", game, side=seat, seed=seed) for seed in (1, 2)]
    params, out = quick(game, 20), np.zeros(game.most_actions, np.int64)
    streams = [agent.rng.copy() for agent in agents]
    script = fb.agent("heuristic", game)
    for turn in range(6):
        match, agent, rng = matches[turn % 2], agents[turn % 2], streams[turn % 2]
        agent.imagination = agent.rng
        while match.to_move != seat:
            match.play(script.choose(match.view(match.to_move)).action)
        while match.to_move == seat:
            view = match.view(seat)
            action = agent.choose(view).action
            assert choose(game.table, params, view.state.copy(), seat, out, rng) == action
            match.play(action)


def test_a_value_net_may_evaluate_where_turns_lead() -> None:
    match = at_a_draft()
    decision = fb.agent("turns:iterations=50,value=risk-value", match.game).choose(match.view(match.to_move))
    assert sum(decision.visits.values()) == 50 and all(0 <= value <= 1 for value in decision.values.values())
