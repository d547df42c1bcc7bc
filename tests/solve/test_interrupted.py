"""A solution that was interrupted goes on where it stopped, and comes to the same result."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.solve import layers, store

GAME = "scotland-yard/grid4:rounds=12"
KILLED = """
import os, signal, sys
from pathlib import Path
import fogbound as fb
from fogbound.solve import layers, store
store.cache_folder = lambda: Path(sys.argv[1])
layers.LONG = layers.OFTEN = 0.0

def say(what, done, total):
    if what == "solving" and done >= 0.6 * total:
        os.kill(os.getpid(), signal.SIGKILL)

fb.solve(sys.argv[2], progress=say)
"""


@pytest.fixture
def interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a solution whose process was killed when it had solved more than half."""
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), GAME], check=False)
    assert done.returncode == -9
    (folder,) = (tmp_path / "solved").glob("*.to-*")
    return folder


def solve_on() -> tuple[fb.solve.Solution, list[tuple[str, int, int]]]:
    reports: list[tuple[str, int, int]] = []
    return fb.solve(GAME, progress=lambda *report: reports.append(report)), reports


def test_a_killed_solution_goes_on_where_it_stopped(interrupted: Path) -> None:
    solution, reports = solve_on()
    assert not any(what.startswith("finding") for what, _, _ in reports), "the positions are known"
    _, done, total = reports[0]
    assert done > 0.5 * total and reports[-1][1] == total
    whole = fb.solve(GAME, cache=False)
    assert (solution.lower, solution.upper) == (whole.lower, whole.upper)
    assert not interrupted.exists(), "a complete solution needs no layers"
    assert fb.solve(GAME).cached


def test_a_damaged_layer_is_solved_again(interrupted: Path) -> None:
    for file in interrupted.glob("layer-*.npz"):
        file.write_bytes(b"nonsense")
    solution, reports = solve_on()
    assert reports[0][1] < 0.5 * reports[0][2]
    whole = fb.solve(GAME, cache=False)
    assert (solution.lower, solution.upper) == (whole.lower, whole.upper)


def test_a_short_solution_leaves_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(layers, "LONG", 1e9)
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4")
    assert [path.suffix for path in (tmp_path / "solved").iterdir()] == [".npz"]
