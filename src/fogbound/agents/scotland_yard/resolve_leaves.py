"""What the leaves of a lookahead are worth: the detectives' probability of winning from a state with a known Mr X.

Where Mr X is in sight, or his next move shows him, that is the value of a revealed position, which depends on no belief:
exact from a solution, or an estimate. At the horizon of a tree that was cut off, where Mr X stays hidden, it is an
estimate for each of his stations.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.mcts_hooks import ChaseParams, chase
from fogbound.core.compiled import program
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DETECTIVES, apply, conceal
from fogbound.solve.best_response import seed
from fogbound.solve.layer_loops import Workspace, new_workspace
from fogbound.solve.positions import Positions, enlarged, find_all, new_table, states_of, width
from fogbound.solve.solver import Solution, canonical_form, solve_root
from fogbound.solve.strategies import respond
from fogbound.solve.subgame import (
    DONE,
    FIRST_MEMBER,
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

    follows_belief: ClassVar[bool] = True
    """Whether the values of hidden leaves depend on the belief, so that they change while a lookahead is solved."""

    def __init__(self, game: ScotlandYard) -> None:
        self.game = game
        self.form = canonical_form(game)

    @abstractmethod
    def values(self, states: NDArray[Any]) -> Floats:
        """The detectives' probability of winning from states in which Mr X's station is filled in."""

    def known(self, subgame: Subgame) -> Positions:
        """A table with the value of every revealed position that a tree leads to."""
        found = new_table(width(self.game.table, self.form), 1 << 10)
        while TABLE_FULL in [
            listing(self.game.table, self.form, found, subgame) for listing in (list_reveals, list_horizon)
        ]:
            found = enlarged(found, 4 * found.lower.size)
        count = int(found.size[0])
        states = states_of(self.game.table, self.form, found.rows[:count])
        found.lower[:count] = found.upper[:count] = self.values(states)
        return found

    def fill(self, subgame: Subgame) -> None:
        """Give all leaves of a tree their values."""
        known = self.known(subgame)
        for valuing in (value_reveals, value_horizon):
            if valuing(self.game.table, self.form, known, subgame) != DONE:
                raise AssertionError("a leaf leads to a position without a value")

    def hidden_values(self, states: NDArray[Any], belief: Floats) -> Floats:
        """The same at public states in which Mr X is hidden, [state, station], when the belief there is so: how often
        the detectives win if both sides play well from there on, and Mr X turns out to be at the station.

        Where nothing better is known, that is the value as if he were seen there, whatever the belief."""
        values = np.zeros(belief.shape)
        rows, stations = np.nonzero(possible(states, belief.shape[1]))
        placed = states[rows]
        placed["station"][:, 0] = stations
        values[rows, stations] = self.values(placed)
        return values


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

    def hidden_values(self, states: NDArray[Any], belief: Floats) -> Floats:
        """What is left up to the next reveal is solved from each belief: exact, and slow."""
        values, workspace = np.zeros(belief.shape), self._workspace(1 << 10)
        for row in range(states.size):
            workspace, _, _ = solve_root(
                self.game.table,
                self.form,
                self.solution.positions,
                workspace,
                states[row],
                belief[row],
                self.solution.tolerance,
                self._workspace,
            )
            subgame = workspace.subgame
            found = np.empty(FIRST_MEMBER + int(subgame.counts[1]))
            respond(subgame, found, workspace.strategies[1])
            members = subgame.station[: subgame.first[1]]
            values[row, members] = found[FIRST_MEMBER : FIRST_MEMBER + members.size]
        return values

    def _workspace(self, nodes: int) -> Workspace:
        return new_workspace(nodes, self.game.most_actions, self.game.table.stations)


class PlayoutLeaves(Leaves):
    """Estimates for any board: quick playouts in which everybody chases and flees."""

    follows_belief = False

    def __init__(self, game: ScotlandYard, playouts: int) -> None:
        super().__init__(game)
        self.playouts = playouts

    def values(self, states: NDArray[Any]) -> Floats:
        out = np.empty(states.size)
        play_out(self.game.table, chase_params(self.game), states, self.game.most_actions, self.playouts, out)
        return out


def possible(states: NDArray[Any], stations: int) -> NDArray[np.bool_]:
    """Where Mr X can be, [state, station]."""
    words = states["possible"][:, np.arange(stations) >> 6]
    return (words >> (np.arange(stations) & 63).astype(np.uint64) & np.uint64(1)).astype(np.bool_)


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
