"""Solutions and best responses that were interrupted resume where they stopped, and come to the same result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.solve import checkpoint, queries, query_log, store
from fogbound.solve.exploit import Exploited

GAME = "scotland-yard/grid4:rounds=12"
KILLED = """
import os, signal, sys
from pathlib import Path
import fogbound as fb
from fogbound.solve import checkpoint, store
store.cache_folder = lambda: Path(sys.argv[1])
checkpoint.SHORT = checkpoint.INTERVAL = 0.0

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


def test_a_killed_solution_resumes_where_it_stopped(interrupted: Path) -> None:
    solution, reports = solve_on()
    assert not any(what.startswith("finding") for what, _, _ in reports), "the positions are known"
    _, done, total = reports[0]
    assert done > 0.5 * total and reports[-1][1] == total
    whole = fb.solve(GAME, cache=False)
    assert (solution.lower, solution.upper) == (whole.lower, whole.upper)
    assert not interrupted.exists(), "a complete solution needs no checkpoint"
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
    monkeypatch.setattr(checkpoint, "SHORT", 1e9)
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4")
    assert [path.suffix for path in (tmp_path / "solved").iterdir()] == [".npz"]


QUERIED = "scotland-yard/grid3:detectives=1,rounds=6"
DICE = "tests.solve.test_exploit.Dice"
KILLED_QUERIES = """
import os, signal, sys
from pathlib import Path
import fogbound as fb
from fogbound.solve import queries, query_log
query_log.cache_folder = lambda: Path(sys.argv[1])
query_log.SHORT = queries.PROBE_SECONDS = 0.0

def say(what, done, total):
    if what == sys.argv[4] and done >= 0.5 * total:
        os.kill(os.getpid(), signal.SIGKILL)

fb.solve.exploit(sys.argv[2], sys.argv[3], "mr-x", queries=3, progress=say, workers=1)
"""


@pytest.mark.parametrize("when", ["querying at all subgames", "querying at responses at the starts"])
def test_killed_queries_resume_where_they_stopped(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_QUERIES, str(tmp_path), QUERIED, DICE, when], check=False)
    assert done.returncode == -9
    whole, whole_count = query_on(monkeypatch)
    monkeypatch.setattr(query_log, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(query_log, "SHORT", 0.0)
    damaged = next(iter((tmp_path / "queries").iterdir()))
    damaged.write_bytes(damaged.read_bytes() + b"half a record")
    found, count = query_on(monkeypatch)
    assert (found.low, found.high) == (whole.low, whole.high)
    assert 0 < count < 0.8 * whole_count
    assert not list((tmp_path / "queries").iterdir()), "when all is known nothing needs to stay"


def query_on(monkeypatch: pytest.MonkeyPatch) -> tuple[Exploited, int]:
    """The best response, and at how many roots the agent was queried."""
    count = 0
    run_queries = queries.run_queries

    def counted(
        settings: queries.QuerySettings, roots: Sequence[queries.Root], revealed: bool
    ) -> list[query_log.SparseStrategy]:
        nonlocal count
        count += len(roots)
        return run_queries(settings, roots, revealed)

    with monkeypatch.context() as patch:
        patch.setattr(queries, "run_queries", counted)
        return fb.solve.exploit(QUERIED, DICE, "mr-x", queries=3, workers=1), count


def test_what_nobody_came_back_for_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query_log, "cache_folder", lambda: tmp_path)
    old, new = tmp_path / "queries" / "old.log", tmp_path / "queries" / "new.log"
    old.parent.mkdir()
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    query_log.QueryLog("some queries")
    assert new.exists() and not old.exists()
