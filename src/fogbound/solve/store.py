"""Solved games on disk: the values of all positions, under the digest of the game and of the solver."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
import zlib
from contextlib import suppress
from math import inf
from pathlib import Path

import numpy as np

from fogbound.core.compiled import cache_folder, source_digest
from fogbound.core.errors import BadOption
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve import solver
from fogbound.solve.checkpoint import Checkpoint
from fogbound.solve.positions import insert_rows, new_table
from fogbound.solve.solver import Solution

DAMAGED = (EOFError, KeyError, IndexError, ValueError, zipfile.BadZipFile, zlib.error)


def path(game: ScotlandYard) -> Path:
    """The file of a solved game; it changes with the game's definition and with the solver."""
    definition = {key: value for key, value in game.definition().items() if key not in ("name", "about")}
    text = json.dumps(definition, sort_keys=True) + source_digest(solver.__file__)
    return cache_folder() / "solved" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npz"


def scratch_folder(chosen: Path | str | None = None) -> Path:
    """Where work in progress is kept."""
    folder = Path(chosen) if chosen else cache_folder() / "solved"
    if folder.exists() and not folder.is_dir():
        raise BadOption(f"{folder} is a file: give a folder for work in progress.")
    return folder


def checkpoint(game: ScotlandYard, tolerance: float, scratch: Path) -> Checkpoint:
    """The checkpoint of a solution in progress."""
    return Checkpoint(scratch / f"{path(game).stem}.to-{tolerance:g}")


def save(solution: Solution) -> None:
    """Save a solution, if the cache folder can be written to and another process has not left a finer one there."""
    count = int(solution.positions.size[0])
    file_path = path(solution.game)
    if _tolerance(file_path) <= solution.tolerance:
        return
    try:
        file_path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=file_path.parent, suffix=".part")
    except OSError:
        return
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file,
            numbers=np.array([solution.lower, solution.upper, solution.tolerance, solution.solve_seconds]),
            subgames=solution.subgames,
            rows=solution.positions.rows[:count],
            lower=solution.positions.lower[:count],
            upper=solution.positions.upper[:count],
        )
    os.replace(part, file_path)


def _tolerance(file_path: Path) -> float:
    """How far apart the bounds of a stored solution may be; infinity where there is none."""
    try:
        with np.load(file_path) as saved:
            return float(saved["numbers"][2])
    except (OSError, *DAMAGED):
        return inf


def load(game: ScotlandYard, tolerance: float) -> Solution | None:
    """A stored solution with bounds at most this far apart."""
    file_path = path(game)
    try:
        with np.load(file_path) as saved:
            lower, upper, saved_tolerance, seconds = saved["numbers"].tolist()
            if saved_tolerance > tolerance:
                return None
            rows, lowers, uppers, subgames = saved["rows"], saved["lower"], saved["upper"], int(saved["subgames"])
    except OSError:  # it is not there, or cannot be read now
        return None
    except DAMAGED:
        with suppress(OSError):
            file_path.unlink()  # so that it is saved anew
        return None
    form = solver.canonical_form(game, spare=False)
    known = new_table(rows.shape[1], max(16, len(rows)))
    insert_rows(known, rows)
    known.lower[: len(rows)] = lowers
    known.upper[: len(rows)] = uppers
    return Solution(game, lower, upper, saved_tolerance, 0.0, subgames, known, form, solve_seconds=seconds, cached=True)
