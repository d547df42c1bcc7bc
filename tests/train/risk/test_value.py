"""Learning who wins at Risk: the net in training is the net in play, a resumed training is the same training."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.risk import value
from fogbound.agents.risk.evaluation import params_of
from fogbound.core.errors import FogboundError
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SEATS
from fogbound.train import methods, training
from fogbound.train.risk.value import JUDGED, PLANNER, SEARCH, LearnValue, ValueNet
from tests.agents.risk.test_standing import turns

GAME = "risk/classic:players=3"
SMALL: dict[str, Any] = {
    "layers": [12],
    "players": [3],
    "maps": 2,
    "chunks": 4,
    "warmup": 9,
    "batches": 2,
    "games": 1,
    "steps": 3,
    "batch": 32,
    "workers": 1,
    "trials": 1,
    "trial_games": 1,
    "field": [],
    "device": "cpu",
}


def learner(**options: Any) -> LearnValue:
    made = methods.learner("value", GAME, methods.options("value", **(SMALL | options)))
    assert isinstance(made, LearnValue)
    return made


def test_the_net_judges_in_play_as_it_does_in_training() -> None:
    torch.manual_seed(1)
    net = ValueNet([16, 8])
    judged = value.made_of([(each.weight.detach().numpy(), each.bias.detach().numpy()) for each in net.layers])  # type: ignore
    for match in turns("risk/classic:players=4,deal=true,round_limit=6"):
        game = match.game
        assert isinstance(game, Risk)
        value.judge(game.table, params_of(game, 0.6, 4), judged, match.state)
        living = torch.tensor([[bool((match.state["owner"] == seat).any()) for seat in range(SEATS)]])
        expected = net(torch.from_numpy(judged.figures)[None], torch.from_numpy(judged.game)[None], living).exp()
        np.testing.assert_allclose(judged.chances, expected[0].detach().numpy(), atol=1e-5)


def test_positions_come_with_the_results_of_their_games() -> None:
    learning = learner()
    learning.advance()
    rows = learning.rows[0]
    assert len(rows.game) > 50
    np.testing.assert_allclose(rows.result.sum(1), 1.0)
    assert (rows.result[~rows.living] == 0).all()  # who is out does not win


def test_a_resumed_training_is_the_same_training(tmp_path: Path) -> None:
    options = methods.options("value", **SMALL)
    whole = training.start("value", GAME, options, tmp_path / "whole")
    whole.run()
    part = training.start("value", GAME, options, tmp_path / "part")
    part.run(lambda work: setattr(work, "_stopping", work.learner.done == 2))
    assert training.resume(tmp_path / "part", "value", GAME).run()
    one, other = (nets.load(str(tmp_path / which / "latest.safetensors")).tensors for which in ("part", "whole"))
    assert all((one[name] == other[name]).all() for name in one)


def test_planners_and_turn_searches_play_along_after_the_warm_up(tmp_path: Path) -> None:
    small = {"warmup": 0, "iterations": 4, "search": 3, "rounds": 30, "older_every": 1, "players": [2]}
    learning = learner(**small, line_ups=[1, 0, 0, 0, 1])
    assert {SEARCH, JUDGED, PLANNER} <= {kind for _ in range(50) for kind in learning._line_up(2)}
    learning.advance()
    assert len(learning.older) == 1
    tensors, about = learning.weights()
    nets.save(tmp_path / "mine.safetensors", tensors, about)
    assert learner(start=str(tmp_path / "mine.safetensors")).weights()[0].keys() == tensors.keys()
    with pytest.raises(FogboundError, match="do not have the layers"):
        learner(start=str(tmp_path / "mine.safetensors"), layers=[5])
    assert fb.agent(f"planner:weights={tmp_path / 'mine.safetensors'}", GAME).name == "planner"
