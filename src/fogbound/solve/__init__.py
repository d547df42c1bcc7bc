"""Exact play for small hidden-movement games: `fogbound.solve(game)` gives the value with proof, and both sides' play.

The package can be called. A function `fogbound.solve` beside a package `fogbound.solve` would
be one name for two things, and which one it meant would depend on what was imported first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from fogbound.core.contract import Game
from fogbound.solve.api import Solution, TooLarge, exploit, solve

__all__ = ["Solution", "TooLarge", "exploit", "solve"]


class _Callable(ModuleType):
    def __call__(self, game: Game | str, *args: Any, **options: Any) -> Solution:
        return solve(game, *args, **options)


sys.modules[__name__].__class__ = _Callable
