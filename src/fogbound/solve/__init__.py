"""Exact solutions of hidden-movement games: one player moves unseen and is revealed at times, as in Scotland Yard.

`fogbound.solve(game)` gives the value of a small game with proved bounds, and both sides' strategies;
`fogbound.solve.exploit(game, agent, side)` the best response to an agent. Between two reveals a game is a subgame,
solved by predictive CFR+; over the reveals the values are computed backwards. These trees know Mr X, his detectives
and their tickets. Any other game is solved through the contract alone, if its whole tree is small enough: `cfr`,
`best_response` and `exploitability` (tree.py) are for every game.

The package itself can be called. A function `fogbound.solve` beside a package `fogbound.solve` would be one name
for two things, and which one it meant would depend on what was imported first.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.solve.api import Solution, TooLarge, exploit, solve
from fogbound.solve.solver import is_hidden_movement
from fogbound.solve.tree import Equilibrium, best_response, cfr, exploitability

__all__ = ["Equilibrium", "Solution", "TooLarge", "best_response", "cfr", "exploit", "exploitability", "solve"]


class _Callable(ModuleType):
    def __call__(self, game: Game | str, *args: Any, **options: Any) -> Any:
        """The solution of a hidden-movement game, or the equilibrium of any other whose tree is small enough."""
        played = registry.game(game)
        return (solve if is_hidden_movement(played) else cfr)(played, *args, **options)


sys.modules[__name__].__class__ = _Callable
