"""The calls: solve a hidden-movement game, or load its solution; find the best response to an agent."""

from __future__ import annotations

from pathlib import Path
from time import perf_counter

from fogbound.core.contract import Game
from fogbound.core.errors import BadOption
from fogbound.solve import estimate, store
from fogbound.solve.checkpoint import NO_CHECKPOINT
from fogbound.solve.exploit import Exploited, exploit
from fogbound.solve.positions import width
from fogbound.solve.solver import Progress, Solution, TooLarge, canonical_form, compute, quiet, solvable

DEFAULT_TOLERANCE = 1e-3


def solve(
    game: Game | str,
    tolerance: float = DEFAULT_TOLERANCE,
    progress: Progress = quiet,
    cache: bool = True,
    memory: float | None = None,
    hours: float = 2.0,
    scratch: Path | str | None = None,
) -> Solution:
    """The value of a game between perfect players, proved to the tolerance.

    A game that would take more than `memory` (in GB) or `hours` is refused before it starts. `scratch` is the folder for
    work in progress: checkpoints, and the positions where they do not fit into the memory; the cache folder unless given.
    """
    played = solvable(game)
    if not 1e-9 <= tolerance <= 1:
        raise BadOption(f"The tolerance must be from 1e-9 to 1, not {tolerance:g}.")
    began = perf_counter()
    found = store.load(played, tolerance) if cache else None
    if found is not None:
        found.seconds = perf_counter() - began
        return found
    folder = store.scratch_folder(scratch)
    limits = estimate.limits(memory, hours, folder)
    on_disk = estimate.refuse_if_too_large(played, limits).on_disk(limits)
    most = limits.positions(width(played.table, canonical_form(played)), on_disk)
    checkpoint = store.checkpoint(played, tolerance, folder) if cache else NO_CHECKPOINT
    solution = compute(played, tolerance, progress, most, limits.nodes, checkpoint, folder if on_disk else None)
    solution.seconds = solution.solve_seconds = perf_counter() - began
    if cache:
        store.save(solution)
        checkpoint.clear()
    return solution


__all__ = ["Exploited", "Solution", "TooLarge", "exploit", "solvable", "solve"]
