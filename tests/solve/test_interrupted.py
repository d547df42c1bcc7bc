"""Solutions and best responses that were interrupted go on where they stopped, and come to the same result."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.solve import layers, store
from fogbound.solve import queries as ask
from fogbound.solve import query_log as answers
from fogbound.solve.exploit import Exploited

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


ASKED = "scotland-yard/grid3:detectives=1,rounds=6"
DICE = "tests.solve.test_exploit.Dice"
KILLED_ASKING = """
import os, signal, sys
from pathlib import Path
import fogbound as fb
from fogbound.solve import query_log as answers, queries as ask
answers.cache_folder = lambda: Path(sys.argv[1])
answers.LONG = ask.TASTE = 0.0

def say(what, done, total):
    if what == sys.argv[4] and done >= 0.5 * total:
        os.kill(os.getpid(), signal.SIGKILL)

fb.solve.exploit(sys.argv[2], sys.argv[3], "mr-x", queries=3, progress=say, workers=1)
"""


@pytest.mark.parametrize("when", ["asking at all stretches", "asking at responses at the starts"])
def test_a_killed_questioning_goes_on_where_it_stopped(when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_ASKING, str(tmp_path), ASKED, DICE, when], check=False)
    assert done.returncode == -9
    whole, whole_count = asked_on(monkeypatch)
    monkeypatch.setattr(answers, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(answers, "LONG", 0.0)
    damaged = next(iter((tmp_path / "asked").iterdir()))
    damaged.write_bytes(damaged.read_bytes() + b"half a record")
    found, count = asked_on(monkeypatch)
    assert (found.low, found.high) == (whole.low, whole.high)
    assert 0 < count < 0.8 * whole_count
    assert not list((tmp_path / "asked").iterdir()), "when all is known nothing needs to stay"


def asked_on(monkeypatch: pytest.MonkeyPatch) -> tuple[Exploited, int]:
    """The best response, and at how many places the agent was asked."""
    places = 0
    answer = ask.answer

    def counted(questions: ask.Questions, roots: Sequence[ask.Root], is_open: bool) -> list[answers.Shares]:
        nonlocal places
        places += len(roots)
        return answer(questions, roots, is_open)

    with monkeypatch.context() as patch:
        patch.setattr(ask, "answer", counted)
        return fb.solve.exploit(ASKED, DICE, "mr-x", queries=3, workers=1), places


def test_what_nobody_came_back_for_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "cache_folder", lambda: tmp_path)
    old, new = tmp_path / "asked" / "old.answers", tmp_path / "asked" / "new.answers"
    old.parent.mkdir()
    old.touch()
    new.touch()
    os.utime(old, (0, 0))
    answers.Answers("some questions")
    assert new.exists() and not old.exists()
