"""Perfect play from any position: what both sides' plans say there, and what every move is worth.

Where everybody knows where Mr X is, the values of the positions decide. Elsewhere the stretch since
he was last seen is solved again from its root, and the plan is read off at the node that play has come to.
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
from fogbound.solve import positions as table_of
from fogbound.solve import sweeps as waves
from fogbound.solve.solver import FIRST_NODES, Solution, Starts, folding_of, list_starts, solve_root
from fogbound.solve.strategies import member_values, reaches
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, SHOWN_NODE
from fogbound.solve.sweeps import Desk

KEPT = 6  # solved stretches kept in memory


@dataclass(frozen=True)
class Advice:
    """What a perfect player does in a position."""

    chances: Mapping[int, float]
    """How often it plays each move."""
    values: Mapping[int, float]
    """How likely the detectives win after each move, when both sides go on as planned."""
    belief: Mapping[int, float]
    """How likely Mr X is at each station (its index), if he plays perfectly too."""
    value: float
    """How likely the detectives win from here."""


class Adviser:
    """Perfect play in one solved game."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.game = solution.game
        self.table = solution.game.table
        self._solved: dict[bytes, Desk] = {}
        self._starts: Starts | None = None

    def advise(self, view: View) -> Advice:
        """What to do in a position as its seat sees it."""
        state = view.state
        if state["shown"] or self.next_move_shows(state):
            if state["turn"] > 0 or self.next_move_shows(state):
                return self.open_advice(state)
            desk = self.solved(state, None)
            return self.node_advice(desk, 0, state)
        desk, node = self.locate(view)
        return self.node_advice(desk, node, state)

    def value_with(self, view: View, station: int) -> float:
        """How likely the detectives win from a position if Mr X is at this station, whoever knows it."""
        state = view.state.copy()
        state["station"][0] = station
        if state["shown"] or self.next_move_shows(state):
            return self.advise(View(view.game, 0 if state["turn"] == 0 else view.seat, state, view.history)).value
        desk, node = self.locate(view)
        members = desk.stretch.station[desk.stretch.first[node] : desk.stretch.first[node + 1]]
        (place,) = np.flatnonzero(members == station)
        return float(desk.work.value[FIRST_MEMBER + desk.stretch.first[node] + place])

    def next_move_shows(self, state: Any) -> bool:
        """Whether Mr X is to move and shows himself by it: then there is nothing to mix."""
        if state["turn"] != 0 or state["station"][0] < 0:
            return False
        closing = state["round"] > self.table.rounds and state["tickets"][0][DOUBLE] == 0
        return bool(closing or self.table.reveal[state["slot"] + 1])

    def bounds(self, state: Any) -> tuple[float, float]:
        """Bounds on the value of a position in which everybody knows where Mr X is, or the game is over."""
        if state["turn"] < 0:
            won = float(state["winner"] == DETECTIVES)
            return won, won
        i = self.place(state)
        if i < 0:
            raise FogboundError("This position cannot be reached from any start of the game that was solved.")
        return float(self.solution.positions.lower[i]), float(self.solution.positions.upper[i])

    def place(self, state: Any) -> int:
        """Where a position stands among the solved ones, or -1."""
        folded = state.copy()
        table_of.fold(self.table, self.solution.folding, folded)
        return int(table_of.find(self.table, self.solution.folding, self.solution.positions, folded))

    def open_advice(self, state: Any) -> Advice:
        """The best move where nothing is hidden after it; detectives go by the sure bound, Mr X by his."""
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

    def node_advice(self, desk: Desk, node: int, state: Any) -> Advice:
        """The plan of the side to move at a node of a solved stretch."""
        stretch = desk.stretch
        begin, end = int(stretch.first[node]), int(stretch.first[node + 1])
        stations = stretch.station[begin:end]
        belief = desk.work.reach[begin:end].copy()
        belief = belief / belief.sum() if belief.sum() > 0 else np.full(belief.size, 1 / belief.size)
        value = desk.work.value
        shown = dict(zip(stations.tolist(), belief.tolist(), strict=True))
        if stretch.kind[node] == DETECTIVE_NODE:
            actions = slice(int(stretch.action_first[node]), int(stretch.action_first[node + 1]))
            ends = stretch.target[stretch.edge_first[begin] : stretch.edge_first[end]].reshape(end - begin, -1)
            codes = stretch.action_code[actions].tolist()
            worth = belief @ value[ends]
            chances = desk.plans[1][actions]
            return Advice(
                dict(zip(codes, chances.tolist(), strict=True)),
                dict(zip(codes, worth.tolist(), strict=True)),
                shown,
                float(chances @ worth),
            )
        assert stretch.kind[node] != SHOWN_NODE
        member = begin + int(np.flatnonzero(stations == state["station"][0])[0])
        edges = slice(int(stretch.edge_first[member]), int(stretch.edge_first[member + 1]))
        codes, chances, worth = stretch.code[edges].tolist(), desk.plans[0][edges], value[stretch.target[edges]]
        return Advice(
            dict(zip(codes, chances.tolist(), strict=True)),
            dict(zip(codes, worth.tolist(), strict=True)),
            shown,
            float(chances @ worth),
        )

    def solved(self, root: Any, weights: NDArray[np.float64] | None) -> Desk:
        """The stretch from a root, solved; the last few are kept."""
        key = root.tobytes()
        if key not in self._solved:
            while len(self._solved) >= KEPT:
                del self._solved[next(iter(self._solved))]
            self._solved[key] = self._solve(root, weights)
        return self._solved[key]

    def _solve(self, root: Any, weights: NDArray[np.float64] | None) -> Desk:
        if weights is None:
            weights = np.zeros(self.table.stations)
            weights[root["station"][0]] = 1.0
        solution = self.solution
        # Bounds of a root are kept; a hidden start may use the whole tolerance.
        goal = solution.tolerance
        if root["shown"]:
            lower, upper = self.bounds(root)
            goal = max(upper - lower, 1e-9)
        desk, _, _ = solve_root(
            self.table, solution.folding, solution.positions, self._desk(FIRST_NODES), root, weights, goal, self._desk
        )
        reaches(desk.stretch, desk.work, desk.prior, desk.plans)
        member_values(desk.stretch, desk.work, desk.plans)
        return desk

    def _desk(self, nodes: int) -> Desk:
        return waves.desk(nodes, self.game.most_actions, self.table.stations)

    # From a view to a node: the root of the stretch, and the moves since.

    def locate(self, view: View) -> tuple[Desk, int]:
        """The solved stretch that a view is in, and its node there."""
        begin = self._root_index(view)
        path = view.history[begin:]
        for root, weights in self._roots(view, begin):
            desk = self.solved(root, weights)
            node = self._follow(desk, path)
            if node >= 0 and _public(desk.stretch.states[node]) == _public(view.state):
                return desk, node
        raise FogboundError("This position cannot be reached from any start of the game that was solved.")

    def _root_index(self, view: View) -> int:
        """How many moves had been made when Mr X was about to vanish, for the last time."""
        if view.state["last_seen"] < 0:
            return 0
        seen, moves = int(view.state["seen_slot"]), 0
        for index, each in enumerate(view.history):
            if each.seat == 0:
                moves += 1
                if moves == seen + 1:
                    return index
        raise AssertionError("Mr X has vanished without a move")

    def _roots(self, view: View, begin: int) -> Iterator[tuple[Any, NDArray[np.float64] | None]]:
        """States in which the stretch can have begun. Only where someone started can be unknown."""
        for stations in self._stations_at(view, begin):
            if view.state["last_seen"] < 0:
                yield from self._start_with(stations)
                continue
            root = self._open_root(view, begin, stations)
            if self.place(root) >= 0:
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
            self._starts = list_starts(self.game, folding_of(self.game, fold=False))
        places = self._starts.states["station"][:, 1 : self.table.detectives + 1]
        for i in np.flatnonzero((places == np.array(stations)).all(axis=1)):
            yield self._starts.states[i], self._starts.weights[i]

    def _open_root(self, view: View, begin: int, stations: tuple[int, ...]) -> Any:
        """The position just before Mr X vanished: today's, with the moves since taken back."""
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
        """Whether the move that showed Mr X was the first half of a double move."""
        return int(
            begin > 0 and view.history[begin - 1].seat == 0 and bool(view.history[begin - 1].code >> DOUBLE_SHIFT & 1)
        )

    def _follow(self, desk: Desk, path: tuple[Seen, ...]) -> int:
        """The node that a way of moves leads to, or -1."""
        stretch, node = desk.stretch, 0
        count = int(stretch.counts[0])
        for seen in path:
            code = seen.code
            if seen.seat == 0 and code != PASS:
                code |= HIDDEN
            fitting = np.flatnonzero((stretch.parent[:count] == node) & (stretch.seen[:count] == code))
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
    """What everybody knows of a state, for comparing."""
    fields = ("slot", "round", "turn", "second", "tickets", "occupied", "possible")
    return (*(state[name].tobytes() for name in fields), state["station"][1:].tobytes())


__all__ = ["Advice", "Adviser"]
