"""A player who blunders: as often as said, never illegally, and otherwise as the agent that it is made of."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.agents.blunders import Blunders
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
    assert isinstance(agent, Blunders)
    assert agent.usual.options == usual.options


def test_blunders_of_a_compiled_agent_are_compiled_and_play_the_same_games() -> None:
    game = fb.game("scotland-yard/plan1")
    agent = "blunders:rate=0.5"
    assert isinstance(fb.agent(agent, game), PolicyAgent)
    for result in fb.play_set(game, [agent], 4, seed=9, workers=1, keep_records=True):
        assert result.record is not None
        assert result.record.moves == fb.play(game, [agent], seed=9, number=result.number).moves


def test_an_agent_that_searches_can_blunder_too() -> None:
    game = fb.game("scotland-yard/plan1")
    agent = "blunders:agent=mcts:iterations=10+c=0.5,rate=0.5"
    assert not isinstance(fb.agent(agent, game), PolicyAgent)
    assert fb.play(game, [agent], seed=9).moves == fb.play(game, [agent], seed=9).moves


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
