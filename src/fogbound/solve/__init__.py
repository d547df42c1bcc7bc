"""Exact solutions of hidden-movement games: one player moves unseen and is revealed at times, as in Scotland Yard.

`fogbound.solve(game)` gives the value of a small game with proved bounds, and both sides' strategies;
`fogbound.solve.exploit(game, agent, side)` the best response to an agent. Between two reveals a game is a subgame,
solved by predictive CFR+; over the reveals the values are computed backwards. Other games are refused: the trees
know Mr X, his detectives and their tickets.

The package itself can be called. A function `fogbound.solve` beside a package `fogbound.solve` would be one name
for two things, and which one it meant would depend on what was imported first.
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
