"""Self-play for Empire: the two forms of the net agree, targets look ahead, and a run can be resumed and played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents.empire.value import of_tensors, value
from fogbound.games.empire.game import Empire
from fogbound.train.empire import selfplay
from fogbound.train.empire.games import LEARNER
from fogbound.train.empire.selfplay import Job, Net, Settings, Trainer
from tests.games.empire.test_features import positions

SMALL = "--tasks 2 --games 2 --boards 4 --buffer 2000 --batch 32 --hidden 4,4,8,8 --each 2 --width 2"


def test_the_net_that_learns_is_the_net_that_plays() -> None:
    torch.manual_seed(3)
    net = Net([8, 6, 16, 8])
    for game, state in positions("empire/side-b:players=3", 1):
        states = np.array([[state]])
        samples = selfplay.told(game, states, np.array([2]), np.zeros(1), np.zeros(1))
        found = torch.sigmoid(net(*samples.rows(slice(None), "cpu")[:4]).detach()[0, 0])
        assert value(game.table, of_tensors(net.tensors()), state, 2) == pytest.approx(float(found), abs=2e-3)


def test_targets_mix_the_result_with_what_the_net_says_later() -> None:
    target = torch.ones(1, 3, 2)
    later = torch.tensor([[[0.1, 0.1], [0.2, 0.2], [0.4, 0.4]]])
    selfplay.with_traces(target, later, 0.5)
    assert target[0, :, 0].tolist() == pytest.approx([0.5 * 0.7 + 0.5 * 0.2, 0.5 * 1 + 0.5 * 0.4, 1.0])


def test_games_end_with_results_that_add_up() -> None:
    game = fb.game("empire/seed:players=3")
    assert isinstance(game, Empire)
    net = Net([4, 4, 8, 8]).tensors()
    kinds = selfplay.seating(3, 6, np.random.default_rng(1))
    styles = tuple(selfplay.random_style(np.random.default_rng(2)) for _ in range(6))
    played = selfplay.play(Job(game, net, net, kinds, styles, np.full(5, 0.2), np.array([0.1, 0.01]), 1, 3, 3))
    assert played.scores.sum(1) == pytest.approx(1.0)
    learners = int((kinds[:, :3] == LEARNER).sum())
    assert len(played.samples.target) == learners * played.turns
    won = played.samples.target.view(learners, played.turns, 2)[:, 0, 0]
    assert float(won.sum()) == pytest.approx(played.scores[:, :3][kinds[:, :3] == LEARNER].sum())


def test_a_run_is_saved_resumed_and_played(tmp_path: Path) -> None:
    command = f"--minutes 0.002 {SMALL} --checkpoint {tmp_path / 'run'} --export {tmp_path / 'net.safetensors'}"
    selfplay.main(command.split())
    first = torch.load(tmp_path / "run" / "state.pt", weights_only=False)
    assert first["rounds"] >= 1
    trainer = Trainer(Settings(tasks=2, games=2, boards=4, buffer=2000, hidden="4,4,8,8"), tmp_path / "run")
    assert trainer.rounds == first["rounds"]
    assert all(np.array_equal(trainer.average[key], first["average"][key]) for key in first["average"])
    record = fb.play("empire/seed:players=2", [f"net:weights={tmp_path / 'net.safetensors'}", "random"])
    assert sum(record.scores) == 1
