"""Solved games on disk: the values of all positions, under the digest of the game and of the solver."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from pathlib import Path

import numpy as np

from fogbound.core.compiled import cache_folder, source_digest
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import State
from fogbound.solve import positions as table_of
from fogbound.solve import solver
from fogbound.solve.layers import Layers
from fogbound.solve.solver import Solution


def place(game: ScotlandYard) -> Path:
    """The file of a solved game; it changes with the game's definition and with the solver."""
    definition = {key: value for key, value in game.definition().items() if key not in ("name", "about")}
    text = json.dumps(definition, sort_keys=True) + source_digest(solver.__file__)
    return cache_folder() / "solved" / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.npz"


def layers(game: ScotlandYard, tolerance: float) -> Layers:
    """Where a solution in the making keeps what it knows."""
    return Layers(place(game).with_suffix(f".to-{tolerance:g}"))


def save(solution: Solution) -> None:
    """Keep a solution; a folder that cannot be written to is no error."""
    count = int(solution.positions.held[0])
    path = place(solution.game)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return
    with os.fdopen(handle, "wb") as file:
        np.savez_compressed(
            file,
            numbers=np.array([solution.lower, solution.upper, solution.tolerance, solution.solve_seconds]),
            stretches=solution.stretches,
            states=solution.positions.states[:count],
            lower=solution.positions.lower[:count],
            upper=solution.positions.upper[:count],
        )
    os.replace(name, path)


def load(game: ScotlandYard, tolerance: float) -> Solution | None:
    """A kept solution that is at least this exact."""
    path = place(game)
    if not path.exists():
        return None
    try:
        with np.load(path) as kept:
            lower, upper, kept_tolerance, seconds = kept["numbers"].tolist()
            if kept_tolerance > tolerance:
                return None
            kept_states, lowers, uppers, stretches = kept["states"], kept["lower"], kept["upper"], int(kept["stretches"])
    except (OSError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    states = np.zeros(kept_states.size, State)  # a file does not keep how a dtype is aligned
    for name in State.names or ():
        states[name] = kept_states[name]
    folding = solver.folding_of(game)
    known = table_of.room_for(max(16, states.size))
    table_of.enter_all(game.table, folding, known, states)
    known.lower[: states.size] = lowers
    known.upper[: states.size] = uppers
    return Solution(game, lower, upper, kept_tolerance, 0.0, stretches, known, folding, solve_seconds=seconds, cached=True)
