"""Figures: ratings that recover what is known, intervals that hold, pages that stand alone."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.lab import plots, ratings, report, sequential
from fogbound.lab.ratings import Meeting
from fogbound.lab.results import TABLES, Results
from fogbound.lab.sequential import Test as Sequential


@pytest.fixture(scope="module")
def results() -> Results:
    agents = {"dice": "random", "near": "heuristic", "far": "heuristic:target=farthest"}
    cup = {"boards": ["scotland-yard/plan1", "scotland-yard/square1"], "agents": agents, "games": 60, "name": "A <cup>"}
    return fb.lab.tournament(cup, workers=1)


def meeting(a: int, b: int, players: int, wins: float, seeds: int) -> Meeting:
    """Pairs of games in which a got this share of the points."""
    seats = np.zeros(players)
    seats[[a, b]] = 1
    outcomes = np.zeros((2, players))
    outcomes[0, a] = outcomes[1, b] = 2
    won = round(wins * seeds)
    return Meeting(seats, outcomes, np.array([won, seeds - won]), 2)


def test_elo_recovers_known_strengths() -> None:
    share = 1 / (1 + 10 ** (-100 / 400))
    far = 1 / (1 + 10 ** (-200 / 400))
    meetings = [meeting(0, 1, 3, share, 20_000), meeting(1, 2, 3, share, 20_000), meeting(0, 2, 3, far, 20_000)]
    found = ratings.elo(meetings, 3, bootstraps=50)
    assert [round(r.elo) for r in found] == pytest.approx([100, 0, -100], abs=2)
    assert all(r.low < r.elo < r.high and r.high - r.low < 10 for r in found)


def test_elo_of_a_clean_sweep_is_finite_and_uncertain() -> None:
    best, worst = ratings.elo([meeting(0, 1, 2, 1.0, 20)], 2)
    assert 200 < best.elo < 1000
    assert best.high - best.low > 20
    assert worst.elo == pytest.approx(-best.elo)


def test_elo_of_three_seats_is_luces_choice() -> None:
    outcomes = np.eye(3)
    found = ratings.elo([Meeting(np.ones(3), outcomes, np.array([6000, 3000, 1000]), 1)], 3, bootstraps=0)
    assert found[0].elo - found[1].elo == pytest.approx(400 * np.log10(2), abs=1)
    assert found[1].elo - found[2].elo == pytest.approx(400 * np.log10(3), abs=1)


def test_a_cycle_shares_the_nash_mix_and_the_weak_get_nothing() -> None:
    rock = np.array([[0.5, 0.0, 1.0, 1.0], [1.0, 0.5, 0.0, 1.0], [0.0, 1.0, 0.5, 1.0], [0.0, 0.0, 0.0, 0.5]])
    weights, margins = ratings.nash(rock)
    assert weights == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0], abs=0.01)
    assert margins[3] == pytest.approx(-0.5, abs=0.01)


def test_openskill_ranks_many_seats() -> None:
    rng = np.random.default_rng(1)
    scores = np.zeros((300, 3))
    scores[np.arange(300), rng.choice(3, 300, p=[0.6, 0.3, 0.1])] = 1
    skills = ratings.openskill([((0, 1, 2), scores)], 3)
    assert skills[0].mu > skills[1].mu > skills[2].mu
    assert skills[0].sigma < 8


@pytest.mark.parametrize(("elo", "verdict"), [(0, "elo0"), (60, "elo1")])
def test_the_sequential_test_is_seldom_wrong(elo: float, verdict: str) -> None:
    test = Sequential(0, 60, 0.05, 0.05)
    rng = np.random.default_rng(7)
    share = sequential.expected(elo)
    right = sum(sequential.decide(rng.binomial(2, share, 4000) / 2, test).verdict == verdict for _ in range(200))
    assert right >= 180


def test_tables_are_frames_and_figures_add_up(results: Results) -> None:
    frames = {name: results.frame(name) for name in TABLES}
    assert frames["standings"]["points"].sum() == results.count
    assert frames["sides"].groupby("board")["wins"].sum().tolist() == [180, 180]
    assert len(frames["cross_table"]) == 6
    assert len(results.all_games()) == results.count
    assert set(frames["standings"].columns) >= {"elo", "elo low", "elo high", "nash", "milliseconds a move"}
    with pytest.raises(fb.UnknownName):
        results.frame("standing")


def test_plots_are_figures(results: Results) -> None:
    for make in (plots.cross_table, plots.side_table, plots.ratings, plots.curves, plots.roles, plots.lengths):
        assert make(results).axes


def test_the_report_stands_alone(results: Results, tmp_path: Path) -> None:
    page = report.write(results, tmp_path)
    text = page.read_text(encoding="utf-8")
    assert "A &lt;cup&gt;" in text
    assert "<cup>" not in text
    assert text.count("<svg") >= 5
    fetched = [link for link in re.findall(r'(?:src|href)="([^"#]+)"', text) if not link.startswith("data:")]
    assert [link for link in fetched if not link.startswith("games/")] == []
    for link in set(fetched):
        assert fb.load(tmp_path / link).scores is not None
    assert f"fogbound replay {fetched[0]}" in text
    for word in ("seed", "versions", "machine", "command"):
        assert f"<dt>{word}</dt>" in text
    with (tmp_path / "tables" / "standings.csv").open(encoding="utf-8") as file:
        assert [row["player"] for row in csv.DictReader(file)] == [row["player"] for row in results.standings()]
    assert (tmp_path / "plots" / "strength.png").read_bytes()[1:4] == b"PNG"
    assert (tmp_path / "plots" / "strength.svg").exists()


def test_the_lab_is_fetched_only_when_asked_for() -> None:
    import subprocess
    import sys

    code = (
        "import sys, fogbound as fb; before = 'fogbound.lab' in sys.modules; fb.lab.duel; "
        "print(before, {'pandas', 'matplotlib', 'openskill', 'ray'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False set()"
