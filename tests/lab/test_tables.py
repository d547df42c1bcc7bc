"""Games as tables, figures about a game, and tuned options."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import fogbound as fb
from fogbound.cli import app as shell
from fogbound.cli import run, tune  # noqa: F401  (their commands)

GRID = "scotland-yard/grid5:rounds=6"


def test_simulated_games_are_a_table_that_can_be_checked_game_by_game() -> None:
    games = fb.simulate(GRID, ["heuristic", "random"], games=6, seed=3, workers=1)
    assert list(games["number"]) == list(range(6))
    for row in games.to_dict("records"):
        record = fb.play(GRID, ["heuristic", "random"], seed=3, number=row["number"])
        assert (row["score Mr X"], row["score Detectives"]) == record.scores
        assert row["moves"] == len(record.moves)
        assert row["winner"] == ("Mr X" if record.scores == (1, 0) else "Detectives")
        assert (row["agent Mr X"], row["agent Detectives"]) == ("heuristic", "random")


def test_moves_have_positions_and_features_if_they_are_asked_for() -> None:
    moves = fb.simulate(GRID, "random", games=2, seed=1, positions=True, features=True, workers=1)
    plain = fb.simulate(GRID, "random", games=2, seed=1, moves=True, workers=1)
    assert list(plain["code"]) == list(moves["code"])
    game = fb.game(GRID)
    for row in moves.iloc[::5].to_dict("records"):
        match = game.at(row["position"])
        view = match.view(row["seat"])
        assert row["legal"] == len(match.legal())
        assert np.array_equal(view.array(), row["features"])
        assert view.move(row["action"]).text == row["move"]


def test_a_stored_set_gives_the_same_table(tmp_path: Path) -> None:
    words = ["run", GRID, "--agents", "heuristic,random", "--games", "5", "--seed", "3", "--log", "none"]
    done = CliRunner().invoke(shell.app, [*words, "--workers", "1", "--out", str(tmp_path / "set")])
    assert done.exit_code == 0
    played = fb.simulate(GRID, ["heuristic", "random"], games=5, seed=3, workers=1)
    assert fb.lab.table(tmp_path / "set").equals(played)
    assert len(fb.lab.table(tmp_path / "set" / "results.sqlite", moves=True)) == played["moves"].sum()
    with pytest.raises(fb.FogboundError, match="no stored games"):
        fb.lab.table(tmp_path / "nothing")


def test_figures_about_a_game_add_up() -> None:
    found = fb.lab.metrics(GRID, "random", games=12, looks=3, playouts=4, workers=1)
    games = fb.simulate(GRID, "random", games=12, workers=1)
    assert found.length == pytest.approx(games["moves"].mean())
    assert found.sides["Mr X"][0] == pytest.approx(games["score Mr X"].mean())
    assert found.first_mover == pytest.approx(games["score Mr X"].mean() - 0.5)  # he always begins
    moves = fb.simulate(GRID, "random", games=12, moves=True, workers=1)
    assert found.forced == pytest.approx((moves["legal"] == 1).mean())
    assert found.branching == pytest.approx(moves["legal"][moves["legal"] > 1].mean())
    assert 0 <= found.drama <= 1 and 0 <= found.decided <= 1 and found.lead_changes <= 3


def test_tuning_finds_the_better_option_and_tests_it() -> None:
    """The more often it blunders the worse it plays: tuning has to bring the rate down."""
    words = ["tune", "scotland-yard/grid5", "--agent", "blunders:rate=0.9", "--vary", "rate=0.0..1.0", "--steps", "5"]
    done = CliRunner().invoke(shell.app, [*words, "--games", "12", "--most", "40", "--workers", "1", "--json"])
    found = json.loads(done.stdout)
    rate = float(found["agent"].partition("rate=")[2].partition(",")[0])
    assert rate < 0.9
    assert found["steps"][-1]["rate"] == rate
    assert found["verdict"] in ("better", "open") and found["test"]["share"] > 0.5
    with pytest.raises(fb.UnknownName, match="Did you mean “rate”"):
        fb.lab.tune(GRID, "blunders", {"rat": "0..1"})
    with pytest.raises(fb.BadOption, match="is not a range"):
        fb.lab.tune(GRID, "blunders", {"rate": "0.5"})
