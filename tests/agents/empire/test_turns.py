"""The turn search of Empire: whole turns, each once, followed to their end."""

from __future__ import annotations

import numpy as np

import fogbound as fb
from fogbound.agents.empire.turns import PLANS_EACH, Turns, plan
from fogbound.core import chance as chances
from fogbound.core.rng import stream
from fogbound.core.runner import seat_agents
from fogbound.games.empire.rules import TAKING

EMPIRE = "empire/seed:players=2"


def at_a_card(seed: int) -> fb.Match:
    game = fb.game(EMPIRE)
    match = game.new(seed=seed)
    seated = seat_agents(game, ["heuristic"], seed)
    while match.state["phase"] != TAKING or len(match.moves) < 12:
        seat = match.to_move
        match.play(seated[game.side_of[seat]].choose(match.view(seat)).action)
    return match


def planned(match: fb.Match) -> list[tuple[int, ...]]:
    game = match.game
    agent = fb.agent("turns", game)
    assert isinstance(agent, Turns)
    state = np.array([match.view(match.to_move).state], game.rules.state)
    count = plan(game.table, state, match.to_move, agent._plans, game.most_actions, stream(1, "a test"))
    return [tuple(int(x) for x in agent._plans.path[i, : agent._plans.length[i]]) for i in range(count)]


def test_every_card_has_plans_and_each_is_a_whole_legal_turn() -> None:
    for seed in range(4):
        match = at_a_card(seed)
        paths = planned(match)
        assert {path[0] for path in paths} == {move.code for move in match.legal()}
        assert len(paths) <= PLANS_EACH * len(match.legal())
        for path in paths:
            twin = match.copy()
            for code in path:
                assert twin.to_move == match.to_move
                twin.play(code)
            assert twin.state["played"] == match.state["played"] + 1


def test_no_two_plans_of_a_card_end_alike() -> None:
    match = at_a_card(2)
    game = match.game
    ends = set()
    for path in planned(match):
        state = match.state.copy()
        for code in path:
            game.rules.apply(game.table, state, code, chances.untaped(stream(4, "a test")))
        ends.add((path[0], state["armies"].tobytes(), state["cities"].tobytes()))
    assert len(ends) == len(planned(match))


def test_the_line_is_followed_to_the_end_of_the_turn() -> None:
    match = at_a_card(3)
    seat = match.to_move
    agent = fb.agent("turns:iterations=60", match.game, side=seat)
    first = agent.choose(match.view(seat))
    assert first.line[0] == first.action
    match.play(first.action)
    for code in first.line[1:]:
        assert agent.choose(match.view(seat)).action == code
        match.play(code)
    assert match.to_move != seat or match.state["phase"] == TAKING


def test_a_decision_carries_its_analysis() -> None:
    match = at_a_card(1)
    decision = fb.agent("turns:iterations=100", match.game).choose(match.view(match.to_move))
    assert set(decision.values) == {move.code for move in match.legal()}
    assert all(0 <= value <= 1 for value in decision.values.values())
    assert sum(decision.visits.values()) >= 50


def test_more_games_are_played_with_more_time() -> None:
    match = at_a_card(1)
    few = fb.agent("turns:iterations=50", match.game).choose(match.view(match.to_move))
    many = fb.agent("turns:iterations=500", match.game).choose(match.view(match.to_move))
    assert sum(many.visits.values()) > 3 * sum(few.visits.values())


def test_it_beats_random_players() -> None:
    wins = sum(result.scores[0] for result in fb.play_set(EMPIRE, ["turns:iterations=50", "random"], 6, seed=1, workers=1))
    assert wins >= 5
