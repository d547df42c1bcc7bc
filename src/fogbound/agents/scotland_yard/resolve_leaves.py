"""What the leaves of a lookahead are worth: the detectives' probability of winning from a state with a known Mr X.

Where Mr X is in sight, or his next move shows him, that is the value of a revealed position, which depends on no belief:
exact from a solution, or an estimate. At the horizon of a tree that was cut off, where Mr X stays hidden, it is an
estimate for each of his stations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.mcts_hooks import ChaseParams, chase
from fogbound.core.compiled import program
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES, apply, conceal
from fogbound.solve.best_response import seed
from fogbound.solve.positions import Positions, enlarged, find_all, new_table
from fogbound.solve.solver import Solution, canonical_form
from fogbound.solve.subgame import (
    DONE,
    HORIZON_NODE,
    TABLE_FULL,
    Subgame,
    list_horizon,
    list_reveals,
    value_horizon,
    value_reveals,
)

Floats = NDArray[np.float64]


class Leaves(ABC):
    """Values for the leaves of any lookahead in one game."""

    def __init__(self, game: ScotlandYard) -> None:
        self.game = game
        self.form = canonical_form(game)

    @abstractmethod
    def values(self, states: NDArray[Any]) -> Floats:
        """The detectives' probability of winning from states in which Mr X's station is filled in."""

    def known(self, subgame: Subgame) -> Positions:
        """A table with the value of every revealed position that a tree leads to."""
        found = new_table(1 << 10)
        while TABLE_FULL in [listing(self.game.table, self.form, found, subgame) for listing in (list_reveals, list_horizon)]:
            found = enlarged(found, 4 * found.states.size)
        count = int(found.size[0])
        found.lower[:count] = found.upper[:count] = self.values(found.states[:count])
        return found

    def fill(self, subgame: Subgame) -> None:
        """Give all leaves of a tree their values."""
        known = self.known(subgame)
        for valuing in (value_reveals, value_horizon):
            if valuing(self.game.table, self.form, known, subgame) != DONE:
                raise AssertionError("a leaf leads to a position without a value")
        self._fill_hidden(subgame)

    def _fill_hidden(self, subgame: Subgame) -> None:
        count = int(subgame.counts[0])
        nodes = np.flatnonzero((subgame.kind[:count] == HORIZON_NODE) & (subgame.states["shown"][:count] == 0))
        if nodes.size:
            sizes = subgame.first[nodes + 1] - subgame.first[nodes]
            members = np.concatenate([np.arange(subgame.first[node], subgame.first[node + 1]) for node in nodes])
            states = np.repeat(subgame.states[nodes], sizes)
            states["station"][:, 0] = subgame.station[members]
            subgame.lower[members] = subgame.upper[members] = self.values(states)


class ExactLeaves(Leaves):
    """The values of a solved game; its trees have to go on to where Mr X is in sight."""

    def __init__(self, solution: Solution) -> None:
        super().__init__(solution.game)
        self.solution, self.form = solution, solution.form

    def values(self, states: NDArray[Any]) -> Floats:
        positions = self.solution.positions
        found = np.empty(states.size, np.int64)
        find_all(self.game.table, self.form, positions, states.copy(), found)
        assert (found >= 0).all(), "a position is not among the solved ones"
        return 0.5 * (positions.lower[found] + positions.upper[found])

    def known(self, subgame: Subgame) -> Positions:
        return self.solution.positions


class PlayoutLeaves(Leaves):
    """Estimates for any board: quick playouts in which everybody chases and flees."""

    def __init__(self, game: ScotlandYard, playouts: int) -> None:
        super().__init__(game)
        self.playouts = playouts

    def values(self, states: NDArray[Any]) -> Floats:
        out = np.empty(states.size)
        play_out(self.game.table, chase_params(self.game), states, self.game.most_actions, self.playouts, out)
        return out


@cache
def chase_params(game: ScotlandYard) -> ChaseParams:
    return ChaseParams(game.paths)


@program
def play_out(table, params, states, most_actions, playouts, values):
    """The share of playouts that the detectives win from each state; the seed belongs to the state."""
    play, rng = np.zeros(2, states.dtype), np.zeros(4, np.uint64)
    out = np.empty(most_actions, np.int64)
    for k in range(states.size):
        seed(rng, table, states[k], 0)
        wins = 0
        for _ in range(playouts):
            play[0] = states[k]
            while play[0].turn >= 0:
                play[1] = play[0]
                conceal(table, play[1], play[0].turn)
                apply(table, play[0], chase(table, params, play[1], play[0].turn, out, rng), 0)
            wins += play[0].winner == DETECTIVES
        values[k] = wins / playouts


__all__ = ["ExactLeaves", "Leaves", "PlayoutLeaves"]
