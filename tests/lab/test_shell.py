"""The lab in the shell, and on a Ray cluster."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.lab.executors import executor
from fogbound.server import thinking
from fogbound.server.thinking import Thinkers
from fogbound.server.thoughts import view_json
from fogbound.server.workers import OnRay
from tests.server.inside import in_a_loop

WIDE = {**os.environ, "COLUMNS": "160", "TERM": "dumb"}


def shell(*args: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "fogbound", *args]
    return subprocess.run(command, capture_output=True, text=True, env=WIDE, check=False, cwd=cwd)


def test_a_tournament_from_its_file_to_its_report(tmp_path: Path) -> None:
    text = 'boards = ["scotland-yard/plan1"]\nagents = ["random", "heuristic"]\ngames = 40\n'
    (tmp_path / "cup.toml").write_text(text, encoding="utf-8")
    done = shell("tournament", "cup.toml", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "heuristic" in done.stdout
    assert "Report: cup-results/report.html" in done.stdout
    assert "fogbound tournament cup.toml" in (tmp_path / "cup-results" / "report.html").read_text(encoding="utf-8")
    again = shell("tournament", "cup.toml", cwd=tmp_path)
    assert again.returncode == 2
    assert "go on with --resume" in again.stderr
    resumed = json.loads(shell("tournament", "cup.toml", "--resume", "--json", "--no-report", cwd=tmp_path).stdout)
    assert resumed["games"] == 40
    assert resumed["standings"][0]["player"] == "heuristic"


def test_a_wrong_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text('boards = ["scotland-yard/plan1"]\nagent = ["random"]\n', encoding="utf-8")
    done = shell("tournament", "cup.toml", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr.startswith("cup.toml, line 2, at agent: there is no such setting. Did you mean “agents”?")
    assert "Traceback" not in done.stderr


def test_reproductions_are_listed_and_run() -> None:
    listed = json.loads(shell("reproduce", "--json").stdout)
    assert {"H6.1", "K6.6"} <= {each["id"] for each in listed}
    told = shell("reproduce", "H6.1", "--games", "200").stdout
    assert "theirs" in told
    assert "Verdict:" in told


def test_balance_is_told_and_kept(tmp_path: Path) -> None:
    args = ("balance", "scotland-yard/plan1", "--vary", "detectives=1..2", "--games", "6", "--out", str(tmp_path / "b"))
    assert "fairest" in shell(*args).stdout
    assert (tmp_path / "b" / "balance.png").exists()
    assert json.loads(shell(*args, "--json").stdout)["fairest"]["settings"]["detectives"] in ("1", "2")
    assert "write it as detectives=1..5" in shell("balance", "scotland-yard/plan1", "--vary", "detectives").stderr


def test_without_ray_the_extra_to_install_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(fb.FogboundError, match=r"pip install 'fogbound\[ray\]'"):
        executor("ray")
    with pytest.raises(fb.UnknownName, match="There is no engine “rya”"):
        executor("rya")


def test_two_ray_nodes_of_which_one_dies_give_the_same_table_and_think(monkeypatch: pytest.MonkeyPatch) -> None:
    """One cluster for both: starting it takes longest."""
    pytest.importorskip("ray")
    from benchmarks.lab import ray_test, two_nodes

    monkeypatch.setattr(thinking, "GRACE", 0.1)
    with two_nodes() as kill:
        found = ray_test(300, kill)
        assert (found["nodes"], found["nodes at the end"]) == (2, 1)
        assert found["killed after"]
        assert found["same"]
        in_a_loop(_think_on_ray)


async def _think_on_ray() -> None:
    """A thought is answered, one that nobody needs any more costs its worker, and the next is answered by another."""
    view = fb.game("scotland-yard/grid3:detectives=1,rounds=3").new(seed=1).view(0)
    asked = {"view": view_json(view), "table": "t", "seed": 1}
    thinkers = Thinkers(1, OnRay())
    thinkers.start()
    try:
        first = await thinkers.ask("move", {**asked, "agent": "heuristic"})
        endless = asyncio.ensure_future(thinkers.ask("move", {**asked, "agent": "mcts:iterations=1000000000"}))
        await asyncio.sleep(1)
        endless.cancel()
        again = await thinkers.ask("move", {**asked, "agent": "heuristic"})
        assert first["action"] == again["action"] in view.game.legal(view.state)
        with pytest.raises(fb.FogboundError, match="There is no agent “nobody”"):
            await thinkers.ask("move", {**asked, "agent": "nobody"})
    finally:
        await thinkers.close()
