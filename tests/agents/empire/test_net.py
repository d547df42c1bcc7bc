"""The value net of Empire against plain NumPy, and the players that use it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.empire import value as values
from fogbound.agents.empire.maxn import Maxn
from fogbound.core.runner import play_set, seat_agents
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import TAKING
from tests.games.empire.test_features import Plain, positions


def relu(x: np.ndarray) -> np.ndarray:
    return np.maximum(x, 0)


@pytest.mark.parametrize("spec", ["empire/seed", "empire/side-b:players=4,tokens=true"])
def test_the_net_in_play_is_the_net_of_the_file(spec: str) -> None:
    tensors = nets.load("empire").tensors
    net = values.read("empire")

    def layer(name: str, x: np.ndarray) -> np.ndarray:
        return np.asarray(x @ tensors[f"{name}.weight"].T + tensors[f"{name}.bias"])

    for game, state in positions(spec, 1):
        plain = Plain(game, state, 1)
        regions = np.array([plain.region(region) for region in range(len(game.names))])
        continents = np.array([plain.continent(each) for each in range(game.table.continents)])
        pooled = [relu(layer(n, x)).sum(0) / 8 for n, x in (("region", regions), ("continent", continents))]
        hidden = relu(layer("second", relu(layer("first", np.concatenate([*pooled, plain.whole()])))))
        chance = 1 / (1 + np.exp(-layer("last", hidden)[0]))
        assert values.value(game.table, net, state, 1) == pytest.approx(chance, abs=1e-4)


def test_a_file_that_is_no_net_of_empire_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fb.FogboundError, match="not a net for Eight-Minute Empire"):
        values.read("risk-es")
    tensors = {**nets.load("empire").tensors, "region.weight": np.zeros((32, 3), np.float32)}
    nets.save(tmp_path / "other.safetensors", tensors, {"kind": values.KIND})
    with pytest.raises(fb.FogboundError, match="other inputs"):
        values.read(str(tmp_path / "other.safetensors"))


def last_turn(seed: int) -> fb.Match:
    """A match in which only the last player's turn is left."""
    game = fb.game("empire/seed:players=3")
    match = game.new(seed=seed)
    seated = seat_agents(game, ["heuristic"], seed)
    while match.state["played"] + 1 < game.table.turns:
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)
    return match


@pytest.mark.parametrize("agent", ["net", "maxn:iterations=10"])
def test_whoever_can_win_with_the_last_turn_does(agent: str) -> None:
    """If the scripted player wins with the last turn, the net does."""
    wins = {"heuristic": 0.0, agent: 0.0}
    for seed in range(12):
        for spec in wins:
            match = last_turn(seed)
            seat = match.to_move
            player = seat_agents(match.game, [spec], seed)[seat]
            while not match.over:
                match.play(player.choose(match.view(seat)).action)
            wins[spec] += match.game.scores(match.state)[seat]
    assert wins[agent] >= wins["heuristic"]


def test_the_search_follows_its_line_and_explains_it() -> None:
    game = fb.game("empire/seed:players=2")
    match = game.new(seed=4)
    agent = fb.agent("maxn:iterations=30", game)
    assert isinstance(agent, Maxn) and isinstance(game, Empire)
    seat = match.to_move
    first = agent.choose(match.view(seat))
    assert match.state["phase"] == TAKING and first.line[0] == first.action
    assert max(first.values, key=lambda move: first.values[move]) == first.action
    assert all(0 <= value <= 1 for value in first.values.values())
    for expected in first.line:
        assert agent.choose(match.view(seat)).action == expected
        match.play(expected)
    assert match.to_move != seat


def test_thinking_is_the_same_for_the_same_streams() -> None:
    games = [
        list(play_set("empire/seed:players=3", ["maxn:iterations=6", "net", "stranger:style=clumsy"], 1, 9, 1))
        for _ in range(2)
    ]
    assert games[0] == games[1]


def test_the_net_beats_the_scripted_player() -> None:
    results = list(play_set("empire/seed:players=2", ["net", "heuristic"], 60, 5, 1))
    assert sum(result.scores[0] for result in results) > 30
