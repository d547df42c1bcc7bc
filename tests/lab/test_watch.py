"""Watching the lab: what a page is told of a tournament and of a training, and a game of a cell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fogbound.cli.watch import _found
from fogbound.core.errors import FogboundError
from fogbound.core.executor import Local
from fogbound.core.record import from_json
from fogbound.lab.tournament import load


def test_a_tournament_is_told_with_a_game_for_each_cell(tmp_path: Path) -> None:
    cup = {"boards": ["scotland-yard/grid3:detectives=1,rounds=2"], "agents": ["random", "heuristic"], "games": 8}
    made = load(cup)
    store = made.store(tmp_path / "results.sqlite", False)
    made.play(store, Local(1))
    store.close()
    told = _found(tmp_path).told()
    json.dumps(told, allow_nan=False)
    assert (told["games"], told["planned"]) == (8, 8)
    assert [row["player"] for row in told["standings"]] == ["heuristic", "random"]
    met = next(row for row in told["meetings"] if row["player"] == "random")
    record = from_json(_found(tmp_path).record(met["seating"], 1000))
    assert list(record.agents) == met["players"].split(" / ")


def test_a_training_is_told_by_its_curves(tmp_path: Path) -> None:
    (tmp_path / "curves.csv").write_text("done,seconds,loss\n1,0.5,0.7\n2,1.0,nan\n")
    told = _found(tmp_path).told()
    assert told["curve"] == [{"done": 1.0, "seconds": 0.5, "loss": 0.7}, {"done": 2.0, "seconds": 1.0, "loss": None}]
    with pytest.raises(FogboundError, match="neither a tournament"):
        _found(tmp_path / "none")
