"""The calls: solve a hidden-movement game, or load its solution; find the best response to an agent."""

from __future__ import annotations

from time import perf_counter

from fogbound.core.contract import Game
from fogbound.core.errors import BadOption
from fogbound.solve import estimate, store
from fogbound.solve.checkpoint import NO_CHECKPOINT
from fogbound.solve.exploit import Exploited, exploit
from fogbound.solve.solver import Progress, Solution, TooLarge, compute, quiet, solvable

DEFAULT_TOLERANCE = 1e-3


def solve(
    game: Game | str,
    tolerance: float = DEFAULT_TOLERANCE,
    progress: Progress = quiet,
    cache: bool = True,
    memory: float | None = None,
    hours: float = 2.0,
) -> Solution:
    """The value of a game between perfect players, proved to the tolerance.

    A game that would take more than `memory` (in GB) or `hours` is refused before it starts.
    """
    played = solvable(game)
    if not 1e-9 <= tolerance <= 1:
        raise BadOption(f"The tolerance must be from 1e-9 to 1, not {tolerance:g}.")
    began = perf_counter()
    found = store.load(played, tolerance) if cache else None
    if found is not None:
        found.seconds = perf_counter() - began
        return found
    limits = estimate.limits(memory, hours)
    estimate.refuse_if_too_large(played, limits)
    checkpoint = store.checkpoint(played, tolerance) if cache else NO_CHECKPOINT
    solution = compute(played, tolerance, progress, limits.positions, limits.nodes, checkpoint)
    solution.seconds = solution.solve_seconds = perf_counter() - began
    if cache:
        store.save(solution)
        checkpoint.clear()
    return solution


__all__ = ["Exploited", "Solution", "TooLarge", "exploit", "solvable", "solve"]
