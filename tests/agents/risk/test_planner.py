"""The planner of Risk: it finishes what can be finished, spends its budget, and looks at every kind of move."""

from __future__ import annotations

import numpy as np

import fogbound as fb
from fogbound.agents.risk.planner import Planner
from fogbound.agents.risk.planning import gather
from fogbound.core.runner import seat_agents
from fogbound.games.risk.table import ATTACK, DRAFT, FORTIFY, OCCUPY, b_of
from tests.agents.risk.test_turns import at_a_draft

SMALL = "planner:iterations=40,plans=6,setup=false"


def set_land(match: fb.Match, owners: list[int], armies: list[int]) -> None:
    state = match.state
    state["land"][:] = 0
    for territory, (owner, count) in enumerate(zip(owners, armies, strict=True)):
        state["owner"][territory], state["armies"][territory] = owner, count
        state["land"][owner, territory >> 6] |= np.uint64(1 << (territory & 63))


def test_it_takes_the_last_territory_of_the_last_opponent() -> None:
    match = at_a_draft()
    seat, size = match.to_move, match.game.table.territories
    owners, armies = [seat] * size, [4] * size
    owners[0], armies[0] = (seat + 1) % 3, 1
    set_land(match, owners, armies)
    match.state["phase"], match.state["pool"] = ATTACK, 0
    decision = fb.agent(SMALL, match.game).choose(match.view(seat))
    assert b_of(decision.action) == 0
    assert decision.values[decision.action] > 0.9


def test_all_iterations_are_spent_on_candidates() -> None:
    match = at_a_draft()
    decision = fb.agent(SMALL, match.game).choose(match.view(match.to_move))
    assert sum(decision.visits.values()) == 40
    assert decision.action in [move.code for move in match.legal()]


def test_every_candidate_is_another_one() -> None:
    match = at_a_draft()
    agent = fb.agent(SMALL, match.game)
    assert isinstance(agent, Planner)
    agent._kit.position[0] = match.view(match.to_move).state
    gather(match.game.table, agent._kit, match.to_move, agent.rng)
    arms = agent._kit.arms
    count = int(arms.count[0])
    found = {(int(arms.opening[i]), int(arms.key[i]), int(arms.then[i]), float(arms.courage[i])) for i in range(count)}
    assert len(found) == count > 8


def test_it_plays_every_phase_of_a_turn() -> None:
    match = fb.game("risk/classic:players=3,deal=true,round_limit=3").new(seed=2)
    seated = seat_agents(match.game, [SMALL, "heuristic", "heuristic"], 2)
    phases = set()
    while not match.over:
        if match.to_move == 0:
            phases.add(int(match.state["phase"]))
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)
    assert {DRAFT, ATTACK, OCCUPY, FORTIFY} <= phases
