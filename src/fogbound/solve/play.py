"""Perfect play from any position: the equilibrium strategy there, and the value of every move.

In a revealed position with a detective to move, the values of the next positions decide. Elsewhere the subgame since
Mr X was last seen is solved again from its root, and the strategy is read off at the node that the game is at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.core.view import View
from fogbound.games.scotland_yard.rules import DETECTIVES, DOUBLE, Table
from fogbound.solve.layer_loops import Workspace, new_workspace
from fogbound.solve.positions import canonicalise, find
from fogbound.solve.roots import public_root
from fogbound.solve.solver import FIRST_NODES, Solution, solve_root
from fogbound.solve.strategies import expected_values, reach
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, REVEAL_NODE

MAX_SOLVED = 6  # solved subgames kept in memory
UNREACHABLE = "This position cannot be reached from any start of the solved game."


@dataclass(frozen=True)
class Advice:
    """What a perfect player does in a position."""

    chances: Mapping[int, float]
    """Its strategy: the probability of each move."""
    values: Mapping[int, float]
    """The probability that the detectives win after each move, when both sides keep to their strategies."""
    belief: Mapping[int, float]
    """The probability of each station of Mr X (by index), if he plays perfectly too."""
    value: float
    """The probability that the detectives win from here."""


class Adviser:
    """Perfect play in one solved game."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.game = solution.game
        self.table = solution.game.table
        self._solved: dict[bytes, Workspace] = {}

    def advise(self, view: View) -> Advice:
        """What to do in a position, given what its seat sees."""
        state = view.state
        if state["shown"] or next_move_reveals(self.table, state):
            if state["turn"] > 0 or next_move_reveals(self.table, state):
                return self.revealed_advice(state)
            workspace = self.solved(state, public_root(view).weights)
            return self.node_advice(workspace, 0, state)
        workspace, node = self.locate(view)
        return self.node_advice(workspace, node, state)

    def value_with(self, view: View, station: int) -> float:
        """The probability that the detectives win from a position in which Mr X is at this station."""
        state = view.state.copy()
        state["station"][0] = station
        if state["shown"] or next_move_reveals(self.table, state):
            return self.advise(replace(view, seat=0 if state["turn"] == 0 else view.seat, state=state)).value
        workspace, node = self.locate(view)
        subgame = workspace.subgame
        members = subgame.station[subgame.first[node] : subgame.first[node + 1]]
        (rank,) = np.flatnonzero(members == station)
        return float(workspace.cfr.value[FIRST_MEMBER + subgame.first[node] + rank])

    def bounds(self, state: Any) -> tuple[float, float]:
        """Bounds on the value of a revealed position, or of one in which the game is over."""
        if state["turn"] < 0:
            won = float(state["winner"] == DETECTIVES)
            return won, won
        i = self.index(state)
        if i < 0:
            raise FogboundError(UNREACHABLE)
        return float(self.solution.positions.lower[i]), float(self.solution.positions.upper[i])

    def index(self, state: Any) -> int:
        """The index of a revealed position among the solved ones, or -1."""
        canonical = state.copy()
        canonicalise(self.table, self.solution.form, canonical)
        return int(find(self.table, self.solution.form, self.solution.positions, canonical))

    def revealed_advice(self, state: Any) -> Advice:
        """The best move where nothing is hidden after it: by its lower bound for detectives, its upper bound for Mr X."""
        bounds: dict[int, tuple[float, float]] = {}
        for code in self.game.legal(state):
            after = state.copy()
            self.game.rules.apply(self.table, after, code, 0)
            bounds[code] = self.bounds(after)
        values = {code: (low + high) / 2 for code, (low, high) in bounds.items()}
        if state["turn"] == 0:
            best = min(bounds, key=lambda code: bounds[code][1])
        else:
            best = max(bounds, key=lambda code: bounds[code][0])
        return Advice({code: float(code == best) for code in bounds}, values, {int(state["station"][0]): 1.0}, values[best])

    def node_advice(self, workspace: Workspace, node: int, state: Any) -> Advice:
        """The strategy of the side to move at a node of a solved subgame."""
        subgame = workspace.subgame
        begin, end = int(subgame.first[node]), int(subgame.first[node + 1])
        stations = subgame.station[begin:end]
        belief = workspace.cfr.reach[begin:end].copy()
        belief = belief / belief.sum() if belief.sum() > 0 else np.full(belief.size, 1 / belief.size)
        value = workspace.cfr.value
        believed = dict(zip(stations.tolist(), belief.tolist(), strict=True))
        if subgame.kind[node] == DETECTIVE_NODE:
            actions = slice(int(subgame.action_first[node]), int(subgame.action_first[node + 1]))
            targets = subgame.target[subgame.edge_first[begin] : subgame.edge_first[end]].reshape(end - begin, -1)
            codes = subgame.action_code[actions].tolist()
            values = belief @ value[targets]
            chances = workspace.strategies[1][actions]
            return Advice(
                dict(zip(codes, chances.tolist(), strict=True)),
                dict(zip(codes, values.tolist(), strict=True)),
                believed,
                float(chances @ values),
            )
        assert subgame.kind[node] != REVEAL_NODE
        member = begin + int(np.flatnonzero(stations == state["station"][0])[0])
        edges = slice(int(subgame.edge_first[member]), int(subgame.edge_first[member + 1]))
        codes, chances, values = subgame.code[edges].tolist(), workspace.strategies[0][edges], value[subgame.target[edges]]
        return Advice(
            dict(zip(codes, chances.tolist(), strict=True)),
            dict(zip(codes, values.tolist(), strict=True)),
            believed,
            float(chances @ values),
        )

    def solved(self, root: Any, weights: NDArray[np.float64]) -> Workspace:
        """The subgame from a root, solved; the last few are kept."""
        key = root.tobytes()
        if key not in self._solved:
            while len(self._solved) >= MAX_SOLVED:
                del self._solved[next(iter(self._solved))]
            self._solved[key] = self._solve(root, weights)
        return self._solved[key]

    def _solve(self, root: Any, weights: NDArray[np.float64]) -> Workspace:
        solution = self.solution
        # The bounds of a revealed root are kept; a hidden start may use the whole tolerance.
        tolerance = solution.tolerance
        if root["shown"]:
            lower, upper = self.bounds(root)
            tolerance = max(upper - lower, 1e-9)
        workspace, larger = self._workspace(FIRST_NODES), self._workspace
        workspace, _, _ = solve_root(
            self.table, solution.form, solution.positions, workspace, root, weights, tolerance, larger
        )
        reach(workspace.subgame, workspace.cfr, workspace.prior, workspace.strategies)
        expected_values(workspace.subgame, workspace.cfr, workspace.strategies)
        return workspace

    def _workspace(self, nodes: int) -> Workspace:
        return new_workspace(nodes, self.game.most_actions, self.table.stations)

    # From a view to a node: the root of the subgame, and the moves since.

    def locate(self, view: View) -> tuple[Workspace, int]:
        """The solved subgame that a view is in, and its node there."""
        root = public_root(view)
        if root.state["shown"] and self.index(root.state) < 0:
            raise FogboundError(UNREACHABLE)
        workspace = self.solved(root.state, root.weights)
        node = self._follow(workspace, root.path)
        if node < 0 or _public(workspace.subgame.states[node]) != _public(view.state):
            raise FogboundError(UNREACHABLE)
        return workspace, node

    def _follow(self, workspace: Workspace, path: tuple[int, ...]) -> int:
        """The node that a sequence of moves leads to, or -1."""
        subgame, node = workspace.subgame, 0
        count = int(subgame.counts[0])
        for code in path:
            fitting = np.flatnonzero((subgame.parent[:count] == node) & (subgame.observed[:count] == code))
            if fitting.size != 1:
                return -1
            node = int(fitting[0])
        return node


def next_move_reveals(table: Table, state: Any) -> bool:
    """Whether Mr X is to move and his move reveals him: then there is nothing to mix."""
    if state["turn"] != 0 or state["station"][0] < 0:
        return False
    closing = state["round"] > table.rounds and state["tickets"][0][DOUBLE] == 0
    return bool(closing or table.reveal[state["slot"] + 1])


def _public(state: Any) -> tuple[Any, ...]:
    """The public part of a state, for comparing."""
    fields = ("slot", "round", "turn", "second", "tickets", "occupied", "possible")
    return (*(state[name].tobytes() for name in fields), state["station"][1:].tobytes())


__all__ = ["Advice", "Adviser", "next_move_reveals"]
