"""The table of revealed positions: rows keep all of a state, spare tickets change nothing, files do as well as memory."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.solve import estimate, store
from fogbound.solve.api import solvable
from fogbound.solve.positions import canonicalise, cut_tickets, enlarged, find_all, insert_all, new_table, states_of, width
from fogbound.solve.solver import Solver, canonical_form, compute, quiet, start_form
from tests.solve.test_values import SMALL

TICKETED = [name for name in SMALL if "ticket" in name or "double" in name]


@pytest.mark.parametrize("spec", ["scotland-yard/grid4", "scotland-yard/plan1", "scotland-yard/london:detectives=5"])
def test_a_row_keeps_all_of_a_revealed_position(spec: str) -> None:
    game = solvable(spec)
    form, random, states = canonical_form(game), Random(3), []
    for seed in range(3):
        match = game.new(seed=seed)
        while not match.over:
            if match.state["shown"]:
                canonicalise(game.table, form, match.state)
                states.append(match.state.copy())
            match.play(random.choice(match.legal()))
    known = new_table(width(game.table, form), 1)
    begin = 0
    while (begin := begin + insert_all(game.table, form, known, np.array(states[begin:]))) < len(states):
        known = enlarged(known, 2 * known.lower.size)
    found = np.empty(len(states), np.int64)
    find_all(game.table, form, known, np.array(states), found)
    restored = states_of(game.table, form, known.rows[found])
    assert len(states) > 10 and all(a.tobytes() == b.tobytes() for a, b in zip(states, restored, strict=True))


@pytest.mark.parametrize("name", TICKETED)
def test_tickets_that_nobody_can_spend_do_not_change_the_bounds(name: str) -> None:
    game = solvable(SMALL[name])
    cut = Solver(game, 1e-4, 1, quiet, 10**6, 1 << 16)
    whole = Solver(game, 1e-4, 1, quiet, 10**6, 1 << 16)
    whole.form = canonical_form(game)
    whole.start_form = start_form(game, whole.form)
    assert cut.solve_all(cut.find_positions()) == whole.solve_all(whole.find_positions())
    assert cut.positions.size[0] <= whole.positions.size[0]


def test_games_with_and_without_spare_tickets_go_on_alike() -> None:
    game, random = solvable("scotland-yard/london:detectives=2,rounds=6"), Random(7)
    for seed in range(4):
        match = game.new(seed=seed)
        rich, poor = match.state.copy(), match.state.copy()
        while rich["turn"] >= 0:
            cut_tickets(game.table, poor)
            assert game.legal(rich) == game.legal(poor)
            code = random.choice(game.legal(rich))
            for state in (rich, poor):
                game.rules.apply(game.table, state, code, 0)
            assert all(rich[name].tolist() == poor[name].tolist() for name in ("turn", "winner", "possible", "station"))


def test_positions_in_files_have_the_same_bounds(tmp_path: Path) -> None:
    game = solvable("scotland-yard/grid4:rounds=6")
    there, here = (compute(game, 1e-3, quiet, 10**6, 1 << 16, folder=folder) for folder in (tmp_path / "files", None))
    assert (there.lower, there.upper) == (here.lower, here.upper)
    assert isinstance(there.positions.rows.base, np.memmap) and not isinstance(here.positions.rows.base, np.memmap)
    assert (tmp_path / "files").is_dir() and not list((tmp_path / "files").iterdir()), "the files have no names"


def test_a_game_too_large_for_the_memory_is_solved_in_the_folder_for_work_in_progress(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "cache_folder", lambda: tmp_path / "cache")
    monkeypatch.setattr(estimate, "BYTES_A_NODE", 1e-3)
    game = solvable("scotland-yard/grid4:rounds=9")
    size = estimate.estimate(game, 1 << 16)
    assert size.least_bytes < size.bytes
    memory = 0.5e-9 * (size.least_bytes + size.bytes)
    solution = fb.solve(game, memory=memory, scratch=tmp_path / "scratch")
    assert isinstance(solution.positions.rows.base, np.memmap)
    with pytest.raises(fb.FogboundError, match="MB of memory, "):
        fb.solve(game, memory=0.5e-9 * size.least_bytes, cache=False)
    (tmp_path / "file").touch()
    with pytest.raises(fb.FogboundError, match="is a file: give a folder"):
        fb.solve(game, cache=False, scratch=tmp_path / "file")
