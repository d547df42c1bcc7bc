"""What the solver promises besides the value: bounds, cache, refusals, canonical forms, the shell."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

import fogbound as fb
from fogbound.cli import solve as _commands  # noqa: F401  (adds the commands)
from fogbound.cli.app import app
from fogbound.solve import estimate, store
from fogbound.solve.positions import CanonicalForm
from fogbound.solve.solver import Solver, canonical_form, compute, start_form

GRID3 = "scotland-yard/grid3:detectives=1,rounds=4"


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "spec", [GRID3, "scotland-yard/grid4:rounds=4,reveals=2", "scotland-yard/grid3:rounds=4,show_start"]
)
def test_canonical_forms_do_not_change_the_value(spec: str) -> None:
    game = fb.game(spec)
    canonical = fb.solve(game, 1e-4, cache=False)
    flat = Solver(game, 1e-4, 1, lambda *_: None, 10**6, 1 << 16)
    flat.form = canonical_form(game, symmetric=False)
    flat.start_form = start_form(game, flat.form)
    lower, upper = flat.solve_all(flat.find_positions())
    assert isinstance(flat.form, CanonicalForm) and len(flat.form.maps) == 1
    assert max(lower, canonical.lower) <= min(upper, canonical.upper) + 1e-12


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-5])
def test_the_bounds_are_as_close_as_asked_and_agree_with_each_other(tolerance: float) -> None:
    solution = fb.solve(GRID3, tolerance, cache=False)
    exact = fb.solve(GRID3, 1e-6, cache=False)
    assert solution.upper - solution.lower <= tolerance
    assert solution.lower <= exact.upper and exact.lower <= solution.upper


def test_any_number_of_threads_gives_the_same_value() -> None:
    game = fb.game("scotland-yard/grid4:rounds=4")
    bounds = set()
    for threads in (1, 3):
        solver = Solver(game, 1e-3, threads, lambda *_: None, 10**6, 1 << 16)
        bounds.add(solver.solve_all(solver.find_positions()))
    assert len(bounds) == 1


def test_more_rounds_help_the_detectives_and_so_does_another_detective() -> None:
    values = [fb.solve(f"scotland-yard/grid4:detectives=1,rounds={count}").value for count in (2, 4, 6)]
    assert values == sorted(values)
    assert fb.solve("scotland-yard/grid4:detectives=2,rounds=4").value > values[1]


def test_a_solved_game_is_kept(empty_cache: Path) -> None:
    first = fb.solve(GRID3)
    second = fb.solve(GRID3)
    assert not first.cached and second.cached
    assert (first.lower, first.upper) == (second.lower, second.upper)
    assert not fb.solve(GRID3, tolerance=1e-4).cached, "a kept solution that is too rough does not count"
    assert fb.solve(GRID3, tolerance=1e-2).cached


def test_a_rougher_solution_does_not_take_the_place_of_a_finer_one(empty_cache: Path) -> None:
    """Another process may have been quicker, and asked for more."""
    rough = fb.solve(GRID3, tolerance=1e-2)
    fine = fb.solve(GRID3, tolerance=1e-5)
    store.save(rough)
    kept = fb.solve(GRID3, tolerance=1e-2)
    assert kept.cached and (kept.lower, kept.upper) == (fine.lower, fine.upper)


@pytest.mark.parametrize("damage", ["all", "end", "middle", "nothing left"])
def test_a_damaged_file_is_solved_again(empty_cache: Path, damage: str) -> None:
    fb.solve(GRID3)
    (file,) = (empty_cache / "solved").iterdir()
    whole = file.read_bytes()
    middle = len(whole) // 2
    file.write_bytes(
        {
            "all": b"nonsense",
            "end": whole[:-100],
            "middle": whole[: middle - 50] + b"?" * 100 + whole[middle + 50 :],
            "nothing left": b"",
        }[damage]
    )
    assert not fb.solve(GRID3).cached
    assert fb.solve(GRID3).cached


def test_a_file_that_cannot_be_read_just_now_is_kept(empty_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fb.solve(GRID3)

    def busy(_path: Path) -> None:
        raise OSError("too many open files")

    with monkeypatch.context() as now:
        now.setattr(store.np, "load", busy)
        assert store.load(fb.game(GRID3), 1e-3) is None
    assert fb.solve(GRID3).cached


def test_a_game_that_is_too_large_is_refused_with_what_would_fit() -> None:
    with pytest.raises(fb.FogboundError, match="What would fit: rounds="):
        fb.solve("scotland-yard/grid6:detectives=3,rounds=15", memory=0.5, hours=0.01)


def test_the_estimate_is_of_the_right_order() -> None:
    game = fb.game("scotland-yard/grid4:rounds=6")
    solution = compute(game, 1e-3, lambda *_: None, 10**6, 1 << 16)
    positions = estimate.estimate(game, 1 << 16).positions
    assert 0.2 < positions / int(solution.positions.size[0]) < 5


def test_the_estimate_for_an_agent_that_is_queried_everywhere_counts_all_mirror_images() -> None:
    game = fb.game("scotland-yard/grid4:rounds=6")
    flat = canonical_form(game, symmetric=False)
    solver = Solver(game, 1e-3, 1, lambda *_: None, 10**6, 1 << 16)
    solver.form, solver.start_form = flat, start_form(game, flat)
    solver.find_positions()
    images = estimate.estimate(game, 1 << 16, flat).positions
    assert 0.2 < images / int(solver.positions.size[0]) < 5
    assert images > 5 * estimate.estimate(game, 1 << 16).positions


def test_an_agent_that_would_take_too_long_is_refused() -> None:
    with pytest.raises(fb.FogboundError, match="Querying this agent all over"):
        fb.solve.exploit("scotland-yard/grid5", "mcts:iterations=2000", "mr-x", hours=0.05)


def test_large_games_are_refused_and_so_is_a_tolerance_that_makes_no_sense() -> None:
    with pytest.raises(fb.FogboundError, match="The tolerance must be from 1e-9 to 1, not 0"):
        fb.solve(GRID3, tolerance=0)
    with pytest.raises(fb.FogboundError, match="risk/classic has 3 sides"):
        fb.solve("risk/classic")
    with pytest.raises(fb.FogboundError, match="risk/classic cannot be solved: the solver is for hidden-movement games"):
        fb.solve.exploit("risk/classic", "random", 0)


def test_the_shell_prints_the_value_as_json() -> None:
    done = CliRunner().invoke(app, ["solve", GRID3, "--json"])
    printed = json.loads(done.stdout)
    assert printed["lower"] <= printed["value"] <= printed["upper"]
    assert printed["seconds"] >= 0
    assert printed["subgames"] == printed["stretches"] > 0


def test_the_shell_tells_people_the_value_and_the_proof() -> None:
    done = CliRunner().invoke(app, ["solve", GRID3])
    assert "0.38" in done.stdout and "proved" in done.stdout


def test_the_shell_measures_an_agent_against_its_best_response() -> None:
    done = CliRunner().invoke(app, ["exploit", GRID3, "--agent", "random", "--side", "mr-x", "--json"])
    printed = json.loads(done.stdout)
    assert printed["side"] == "Mr X" and printed["exact"]
    assert printed["exploitability"] == pytest.approx(printed["value"] - printed["perfect"])
