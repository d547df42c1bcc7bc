"""What others call: solve a game, or load what was solved before; and what a best response wins against an agent."""

from __future__ import annotations

from time import perf_counter

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import BadOption, FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve import estimate, store
from fogbound.solve.exploit import Exploited, exploit
from fogbound.solve.layers import NOWHERE
from fogbound.solve.solver import Say, Solution, TooLarge, compute

DEFAULT_TOLERANCE = 1e-3


def quiet(what: str, done: int, total: int) -> None:
    """A progress report that goes nowhere."""


def solvable(game: Game | str) -> ScotlandYard:
    """The game, if it is of the family that can be solved."""
    played = registry.game(game)
    if not isinstance(played, ScotlandYard):
        raise FogboundError(f"{played.spec} cannot be solved: only games of the scotland-yard family can.")
    return played


def solve(
    game: Game | str,
    tolerance: float = DEFAULT_TOLERANCE,
    progress: Say = quiet,
    cache: bool = True,
    memory: float | None = None,
    hours: float = 2.0,
) -> Solution:
    """The value of a game between perfect players, proved to the tolerance.

    `memory` (in GB) and `hours` say how much it may take; a larger game is refused before it starts.
    """
    played = solvable(game)
    if not 1e-9 <= tolerance <= 1:
        raise BadOption(f"The tolerance {tolerance:g} cannot be: give a number from 1e-9 to 1.")
    began = perf_counter()
    found = store.load(played, tolerance) if cache else None
    if found is not None:
        found.seconds = perf_counter() - began
        return found
    limits = estimate.limits(memory, hours)
    estimate.refuse_if_too_large(played, tolerance, limits)
    layers = store.layers(played, tolerance) if cache else NOWHERE
    solution = compute(played, tolerance, progress, limits.positions, limits.nodes, layers)
    solution.seconds = solution.solve_seconds = perf_counter() - began
    if cache:
        store.save(solution)
        layers.clear()
    return solution


__all__ = ["Exploited", "Solution", "TooLarge", "exploit", "solvable", "solve"]
