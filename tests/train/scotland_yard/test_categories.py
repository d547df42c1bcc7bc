"""Categories of stations: what is counted in a game, and that a learned file is read back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fogbound as fb
from fogbound.agents.scotland_yard.categories import category_weights
from fogbound.agents.scotland_yard.mcts import ScotlandYardMcts
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train.scotland_yard import categories


def test_categories_are_learned_from_games_and_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from fogbound.cli import look, scotland_yard  # noqa: F401  (each adds its commands)
    from fogbound.cli.app import app

    monkeypatch.chdir(tmp_path)
    arguments = ["scotland-yard/plan1", "--agents", "random", "--games", "20", "--file", "learned.json", "--workers", "1"]
    done = CliRunner().invoke(app, ["learn-categories", *arguments])
    assert done.exit_code == 0, done.output
    weights = category_weights("plan1", "learned.json")
    assert weights.shape == (9, 7) and (weights > 0).all()
    agent = fb.agent("mcts:categories=learned.json", "scotland-yard/plan1")
    assert isinstance(agent, ScotlandYardMcts) and agent.weights is weights


def test_counting_a_game_counts_one_station_a_guess() -> None:
    game = fb.game("scotland-yard/plan1")
    assert isinstance(game, ScotlandYard)
    record = fb.play(game, ["random"], seed=4)
    was_there, could = np.zeros((9, 7), np.int64), np.zeros((9, 7), np.int64)
    categories.count_record(game, record, was_there, could)
    match = record.replay()
    guesses = [n for n, move in enumerate(match.moves) if move.seat > 0 and not match.state_at(n)["shown"]]
    assert was_there.sum() == len(guesses)
    assert could.sum() == sum(len(game.possible(match.state_at(n))) for n in guesses)
    assert (was_there <= could).all()
