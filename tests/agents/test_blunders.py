"""A player who blunders: as often as said, never illegally, and otherwise as the agent that it is made of."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core.agent import PolicyAgent

GAMES = ["scotland-yard/plan1", "risk/classic:round_limit=8", "empire/seed"]


@pytest.mark.parametrize("spec", GAMES)
def test_without_blunders_it_plays_as_the_other_agent(spec: str) -> None:
    """Every decision in a game of the scripted player is the scripted player's."""
    game = fb.game(spec)
    record = fb.play(game, ["heuristic"], seed=3)
    assert fb.play(game, ["blunders:rate=0"], seed=3).moves == record.moves


@pytest.mark.parametrize("spec", GAMES)
def test_it_blunders_as_often_as_said(spec: str) -> None:
    """At most so many moves differ from the scripted player's: a hasty move may also be the right one."""
    game = fb.game(spec)
    record = fb.play(game, ["heuristic"], seed=3)
    match, different, count = record.replay(0), 0, 0
    for move in record.moves:
        if len(match.legal()) > 1:
            for number in range(4):
                agent = fb.agent("blunders:rate=0.25", game, seed=number, number=count)
                different += agent.choose(match.view(match.to_move)).action != move.code
                count += 1
        match.play(move.code, chance=move.chance)
    assert 0.02 * count < different < 0.33 * count


def test_options_of_the_other_agent_are_joined_by_a_plus() -> None:
    game = fb.game("scotland-yard/plan1")
    agent = fb.agent("blunders:agent=heuristic:score=sum+target=farthest,rate=0", game)
    usual = fb.agent("heuristic:score=sum,target=farthest", game)
    assert isinstance(agent, PolicyAgent)
    assert isinstance(usual, PolicyAgent)
    assert agent.policy_params.usual[:2] == usual.policy_params[:2]  # type: ignore[attr-defined]


def test_only_compiled_agents_can_blunder() -> None:
    with pytest.raises(fb.BadOption, match="blunders need a compiled policy, such as heuristic"):
        fb.agent("blunders:agent=mcts:iterations=10", "scotland-yard/plan1")


@pytest.mark.parametrize("spec", GAMES)
def test_careless_play_is_better_than_chance_and_worse_than_rules(spec: str) -> None:
    game = fb.game(spec)
    for side in range(2):
        points = {}
        for agent in ("random", "careless", "heuristic"):
            seats = ["careless"] * game.sides
            seats[side] = agent
            points[agent] = sum(result.scores[side] for result in fb.play_set(game, seats, 60, seed=11, workers=1))
        assert points["random"] < points["careless"] < points["heuristic"], (side, points)
