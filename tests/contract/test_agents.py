"""Every agent in every game that it plays: legal moves, the same results everywhere, no look at the true state."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.runner import fill, seat_agents
from tests.contract.playing import game, positions
from tests.contract.specs import AGENTS, GAMES, LIMITED, name_of

PAIRS = [(spec, agent) for spec in GAMES for agent in AGENTS if name_of(agent) in registry.agents(game(spec))]
PAIRS += [(spec, agent) for agent, specs in LIMITED.items() for spec in specs]
COMPILED = [
    (spec, agent) for spec, agent in PAIRS if issubclass(registry.agent_class(name_of(agent), game(spec)), PolicyAgent)
]
all_pairs = pytest.mark.parametrize(("spec", "agent"), PAIRS)


@cache
def records(spec: str, agent: str) -> list[fb.Record]:
    return [fb.play(game(spec), [agent], seed=31, number=number) for number in range(2)]


@all_pairs
def test_it_plays_whole_games_by_legal_moves_only(spec: str, agent: str) -> None:
    for record in records(spec, agent):
        assert record.scores is not None
        record.replay()


@all_pairs
def test_the_same_seed_gives_the_same_game(spec: str, agent: str) -> None:
    assert fb.play(game(spec), [agent], seed=31, number=1).moves == records(spec, agent)[1].moves


@pytest.mark.parametrize(("spec", "agent"), COMPILED)
def test_compiled_sets_play_the_same_games_as_matches(spec: str, agent: str) -> None:
    seated = [each for each in seat_agents(game(spec), [agent]) if isinstance(each, PolicyAgent)]
    assert len(seated) == game(spec).sides
    batch = play_batch(game(spec), seated, seed=31, first=0, count=2)
    for number, record in enumerate(records(spec, agent)):
        assert batch.moves[number] == len(record.moves)
        assert tuple(batch.scores[number]) == record.scores
        assert batch.states[number].tobytes() == record.replay().state.tobytes()


@all_pairs
def test_its_decision_depends_on_the_view_alone(spec: str, agent: str) -> None:
    """The same view, taken from worlds that differ in what is hidden, gets the same decision."""
    for match in positions(spec, range(2), every=9):
        seat = match.to_move
        view = match.view(seat)
        other = match.copy()
        other.state = view.state.copy()
        match.game.rules.imagine(match.game.table, other.state, seat, np.array([7, 5, 3, 1], np.uint64))
        choices = {
            registry.agent(agent, match.game, seed=5, side=match.game.side_of[seat]).choose(each.view(seat)).action
            for each in (match, other)
        }
        assert len(choices) == 1


@all_pairs
def test_it_says_how_long_it_thought(spec: str, agent: str) -> None:
    match = game(spec).new(seed=1)
    seated = seat_agents(game(spec), fill(game(spec), [agent]))
    decision = seated[match.game.side_of[match.to_move]].choose(match.view(match.to_move))
    assert decision.seconds > 0
    assert decision.action in [move.code for move in match.legal()]
