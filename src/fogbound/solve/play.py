"""Perfect play from any position: the equilibrium strategy there, and the value of every move.

In a revealed position with a detective to move, the values of the next positions decide. Elsewhere the subgame since
Mr X was last seen is solved again from its root, and the strategy is read off at the node that the game is at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.core.view import Seen, View
from fogbound.games.scotland_yard.rules import (
    DETECTIVES,
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    PASS_TICKET,
    TICKET_SHIFT,
    UNLIMITED,
)
from fogbound.solve.layer_loops import Workspace, new_workspace
from fogbound.solve.positions import canonicalise, find
from fogbound.solve.solver import FIRST_NODES, Solution, Starts, canonical_form, list_starts, solve_root
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
        self._starts: Starts | None = None

    def advise(self, view: View) -> Advice:
        """What to do in a position, given what its seat sees."""
        state = view.state
        if state["shown"] or self.next_move_reveals(state):
            if state["turn"] > 0 or self.next_move_reveals(state):
                return self.revealed_advice(state)
            workspace = self.solved(state, None)
            return self.node_advice(workspace, 0, state)
        workspace, node = self.locate(view)
        return self.node_advice(workspace, node, state)

    def value_with(self, view: View, station: int) -> float:
        """The probability that the detectives win from a position in which Mr X is at this station."""
        state = view.state.copy()
        state["station"][0] = station
        if state["shown"] or self.next_move_reveals(state):
            return self.advise(View(view.game, 0 if state["turn"] == 0 else view.seat, state, view.history)).value
        workspace, node = self.locate(view)
        subgame = workspace.subgame
        members = subgame.station[subgame.first[node] : subgame.first[node + 1]]
        (rank,) = np.flatnonzero(members == station)
        return float(workspace.cfr.value[FIRST_MEMBER + subgame.first[node] + rank])

    def next_move_reveals(self, state: Any) -> bool:
        """Whether Mr X is to move and his move reveals him: then there is nothing to mix."""
        if state["turn"] != 0 or state["station"][0] < 0:
            return False
        closing = state["round"] > self.table.rounds and state["tickets"][0][DOUBLE] == 0
        return bool(closing or self.table.reveal[state["slot"] + 1])

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

    def solved(self, root: Any, weights: NDArray[np.float64] | None) -> Workspace:
        """The subgame from a root, solved; the last few are kept."""
        key = root.tobytes()
        if key not in self._solved:
            while len(self._solved) >= MAX_SOLVED:
                del self._solved[next(iter(self._solved))]
            self._solved[key] = self._solve(root, weights)
        return self._solved[key]

    def _solve(self, root: Any, weights: NDArray[np.float64] | None) -> Workspace:
        if weights is None:
            weights = np.zeros(self.table.stations)
            weights[root["station"][0]] = 1.0
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
        begin = self._root_index(view)
        path = view.history[begin:]
        for root, weights in self._roots(view, begin):
            workspace = self.solved(root, weights)
            node = self._follow(workspace, path)
            if node >= 0 and _public(workspace.subgame.states[node]) == _public(view.state):
                return workspace, node
        raise FogboundError(UNREACHABLE)

    def _root_index(self, view: View) -> int:
        """How many moves had been made before Mr X's first move since he was last seen."""
        if view.state["last_seen"] < 0:
            return 0
        seen, moves = int(view.state["seen_slot"]), 0
        for index, each in enumerate(view.history):
            if each.seat == 0:
                moves += 1
                if moves == seen + 1:
                    return index
        raise AssertionError("Mr X is out of sight without having moved")

    def _roots(self, view: View, begin: int) -> Iterator[tuple[Any, NDArray[np.float64] | None]]:
        """States in which the subgame can have begun; what can be unknown is only where somebody started."""
        for stations in self._stations_at(view, begin):
            if view.state["last_seen"] < 0:
                yield from self._start_with(stations)
                continue
            root = self._revealed_root(view, begin, stations)
            if self.index(root) >= 0:
                yield root, None

    def _stations_at(self, view: View, begin: int) -> Iterator[tuple[int, ...]]:
        """Where the detectives can have stood after `begin` moves."""
        choices = []
        for seat in range(1, self.table.detectives + 1):
            before = [each.code for each in view.history[:begin] if each.seat == seat and each.code != PASS]
            after = [each.code for each in view.history[begin:] if each.seat == seat and each.code != PASS]
            if before:
                choices.append([before[-1] & HIDDEN])
            elif after:
                choices.append(self._sources(after[0]))
            else:
                choices.append([int(view.state["station"][seat])])
        return (each for each in product(*choices) if len(set(each)) == len(each))

    def _sources(self, code: int) -> list[int]:
        """Where a detective can have come from by a move: all links go both ways."""
        here, ticket = code & HIDDEN, (code >> TICKET_SHIFT) & 15
        links = self.table.links[self.table.link_start[here] : self.table.link_start[here + 1]]
        return [int(link) & HIDDEN for link in links if int(link) >> TICKET_SHIFT == ticket]

    def _start_with(self, stations: tuple[int, ...]) -> Iterator[tuple[Any, NDArray[np.float64]]]:
        if self._starts is None:
            self._starts = list_starts(self.game, canonical_form(self.game, symmetric=False))
        places = self._starts.states["station"][:, 1 : self.table.detectives + 1]
        for i in np.flatnonzero((places == np.array(stations)).all(axis=1)):
            yield self._starts.states[i], self._starts.weights[i]

    def _revealed_root(self, view: View, begin: int, stations: tuple[int, ...]) -> Any:
        """The position in which Mr X was last seen: today's, with the moves since taken back."""
        state = view.state.copy()
        for each in view.history[begin:]:
            self._take_back(state, each)
        state["station"][0] = state["last_seen"]
        state["station"][1 : 1 + len(stations)] = stations
        state["turn"], state["shown"], state["slot"] = 0, 1, state["seen_slot"]
        state["second"] = self._owed(view, begin)
        state["occupied"][:], state["possible"][:] = _members(stations), _members((int(state["last_seen"]),))
        return state

    def _take_back(self, state: Any, seen: Seen) -> None:
        """Tickets and rounds as they were before a move."""
        ticket = (seen.code >> TICKET_SHIFT) & 15
        tickets = state["tickets"]
        if ticket != PASS_TICKET:
            _give(tickets, seen.seat, ticket, 1)
            if seen.seat > 0 and self.table.hand_over:
                _give(tickets, 0, ticket, -1)
        doubled = seen.code >> DOUBLE_SHIFT & 1
        if doubled:
            _give(tickets, 0, DOUBLE, 1)
        ends_round = seen.seat == 0 and not doubled if self.table.detectives_first else seen.seat == self.table.detectives
        if ends_round:
            state["round"] -= 1

    def _owed(self, view: View, begin: int) -> int:
        """Whether the move that revealed Mr X was the first of a double move."""
        return int(
            begin > 0 and view.history[begin - 1].seat == 0 and bool(view.history[begin - 1].code >> DOUBLE_SHIFT & 1)
        )

    def _follow(self, workspace: Workspace, path: tuple[Seen, ...]) -> int:
        """The node that a sequence of moves leads to, or -1."""
        subgame, node = workspace.subgame, 0
        count = int(subgame.counts[0])
        for seen in path:
            code = seen.code
            if seen.seat == 0 and code != PASS:
                code |= HIDDEN
            fitting = np.flatnonzero((subgame.parent[:count] == node) & (subgame.observed[:count] == code))
            if fitting.size != 1:
                return -1
            node = int(fitting[0])
        return node


def _give(tickets: Any, seat: int, ticket: int, count: int) -> None:
    if tickets[seat][ticket] != UNLIMITED:
        tickets[seat][ticket] += count


def _members(stations: tuple[int, ...]) -> NDArray[np.uint64]:
    words = [0, 0, 0, 0]
    for station in stations:
        words[station >> 6] |= 1 << (station & 63)
    return np.array(words, np.uint64)


def _public(state: Any) -> tuple[Any, ...]:
    """The public part of a state, for comparing."""
    fields = ("slot", "round", "turn", "second", "tickets", "occupied", "possible")
    return (*(state[name].tobytes() for name in fields), state["station"][1:].tobytes())


__all__ = ["Advice", "Adviser"]
