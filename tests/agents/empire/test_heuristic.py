"""The scripted player of Eight-Minute Empire: legal, steady, and far better than chance."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.batch import play_batch
from fogbound.core.runner import play_set, seat_agents
from tests.games.empire.variants import VARIANTS

GAMES = 60


@pytest.mark.parametrize("spec", VARIANTS)
def test_it_plays_every_variant_to_the_end_and_the_same_way_each_time(spec: str) -> None:
    one, two = (fb.play(spec, ["heuristic"], seed=2) for _ in range(2))
    assert one.moves == two.moves


@pytest.mark.parametrize(("players", "share"), [(2, 0.95), (3, 0.9), (4, 0.85), (5, 0.85)])
@pytest.mark.parametrize("board", ["seed", "side-a"])
def test_it_beats_random_players_from_every_seat(board: str, players: int, share: float) -> None:
    for seat in range(players):
        agents = ["heuristic" if other == seat else "random" for other in range(players)]
        results = list(play_set(f"empire/{board}:players={players}", agents, games=GAMES, seed=1, workers=1))
        assert sum(result.scores[seat] for result in results) / GAMES > share


def test_compiled_sets_and_single_matches_play_the_same_games() -> None:
    game = fb.game("empire/side-b:players=3,bidding=true,tokens=true")
    agents = seat_agents(game, ["heuristic", "random", "heuristic"], 7)
    batch = play_batch(game, agents, 7, 0, 3)  # type: ignore[arg-type]
    for number in range(3):
        record = fb.play(game, ["heuristic", "random", "heuristic"], seed=7, number=number)
        assert record.scores == tuple(batch.scores[number])
        assert len(record.moves) == batch.moves[number]


def test_it_leaves_its_view_as_it_was() -> None:
    game = fb.game("empire/seed:players=3")
    agent = fb.agent("heuristic", game)
    match = game.new(seed=1)
    while not match.over:
        state = match.view(match.to_move).state.copy()
        before = state.tobytes()
        out = np.empty(game.most_actions, np.int64)
        action = agent.policy(game.table, agent.policy_params, state, match.to_move, out, agent.rng)  # type: ignore[attr-defined]
        assert state.tobytes() == before
        match.play(int(action))


def test_in_the_last_turn_it_takes_points_rather_than_coins() -> None:
    record = fb.play("empire/seed", ["heuristic"], seed=4)
    match = record.replay()
    assert sum(int(coins) for coins in match.state["coins"]) <= 14
