"""Solving a whole game of hidden movement, backwards from its last showing, with proof.

Positions in which everybody knows where Mr X is are found first, from the starts on. Then
they get their values, the last ones first: where a detective moves, the best of the next
positions; where Mr X moves, the value of the stretch up to his next showing. Every value
is a pair of bounds, and the bounds of a stretch are made with the bounds of the positions
that it leads to, so those of the whole game are proved too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import UNLIMITED
from fogbound.solve import positions as table_of
from fogbound.solve import sweeps as waves
from fogbound.solve import symmetry
from fogbound.solve.layers import NOWHERE, Layers
from fogbound.solve.positions import Folding, Positions
from fogbound.solve.regret import solve_stretch
from fogbound.solve.subgame import DONE, NO_ROOM, TABLE_FULL, grow, value_shown
from fogbound.solve.sweeps import Desk

Indices = NDArray[np.int64]
Say = Callable[[str, int, int], None]  # what is being done, how much is done, out of how much
MOST_ITERATIONS = 100_000
FIRST_NODES = 1 << 12
PORTION = 32  # stretches that a thread takes at a time


@dataclass
class Starts:
    """The starts that look different to the detectives."""

    states: NDArray[Any]
    weights: NDArray[np.float64]  # [start, station of Mr X]: how likely
    won: float  # how likely the game is won before it begins


@dataclass
class Solution:
    """The value of a game: how likely the detectives win when both sides play perfectly."""

    game: ScotlandYard
    lower: float
    upper: float
    tolerance: float
    seconds: float
    stretches: int
    positions: Positions
    folding: Folding
    solve_seconds: float = 0.0
    cached: bool = False

    @property
    def value(self) -> float:
        """The middle of the bounds."""
        return 0.5 * (self.lower + self.upper)


@dataclass
class Solver:
    """A game being solved."""

    game: ScotlandYard
    tolerance: float
    threads: int
    say: Say
    most_positions: int
    most_nodes: int
    layers: Layers = NOWHERE

    def __post_init__(self) -> None:
        self.table = self.game.table
        self.folding = folding_of(self.game)
        self.start_folding = start_folding_of(self.game, self.folding)
        self.positions = table_of.room_for(1 << 12)
        self.solved = 0
        self.known = 0  # stretches of the layer being solved that are known from an interrupted solution
        self.waves: dict[tuple[int, int], list[Indices]] = {}
        self.desks: SimpleQueue[Desk] = SimpleQueue()
        for _ in range(self.threads):
            self.desks.put(self.desk(FIRST_NODES))

    def desk(self, nodes: int) -> Desk:
        if nodes > self.most_nodes:
            raise TooLarge(f"a stretch between two showings has more than {nodes // 2:,} public positions")
        return waves.desk(nodes, self.game.most_actions, self.table.stations)

    # Finding the positions.

    def starts(self) -> Starts:
        return list_starts(self.game, self.start_folding)

    def find_all(self) -> Starts:
        starts = self.hidden = self.starts()
        found = self.layers.positions()
        if found is not None:
            self.add(found)
            return starts
        if self.table.show_start:
            self.add(starts.states)
        else:
            self.find_from(starts.states)
        done: set[tuple[int, int]] = set()
        while waiting := sorted(set(self.waves) - done):
            self.find_from_wave(*waiting[0])
            done.add(waiting[0])
        self.layers.keep_positions(self.positions.states[: self.positions.held[0]])
        return starts

    def find_from_wave(self, slot: int, order: int) -> None:
        indices = np.concatenate(self.waves[slot, order])
        mr_x = order == self.table.detectives
        self.find_from(self.positions.states, indices, mr_x, f"positions after {slot} moves of Mr X")

    def find_from(
        self, states: NDArray[Any], indices: Indices | None = None, mr_x: bool = True, what: str = "starts"
    ) -> None:
        if indices is None:
            indices = np.arange(states.size)
        step = self.find_stretches if mr_x else self.find_moves
        size = PORTION if mr_x else 4096
        portions = [indices[k : k + size] for k in range(0, indices.size, size)]

        def work(portion: Indices) -> NDArray[Any]:
            return self.found_from(step, states, portion)

        for number, new in enumerate(self.in_threads(work, portions)):
            self.say(f"finding {what}", min((number + 1) * size, indices.size), indices.size)
            self.add(new)

    def found_from(self, step: Any, states: NDArray[Any], portion: Indices) -> NDArray[Any]:
        """The positions that come after these, each once."""
        room, begin = table_of.room_for(1 << 14), 0
        desk = self.desks.get()
        try:
            while True:
                begin, status = step(desk, states, portion, room, begin)
                if status == DONE:
                    return room.states[: room.held[0]].copy()
                if status == NO_ROOM:
                    desk = self.desk(2 * desk.stretch.kind.size)
                elif status == TABLE_FULL:
                    room = table_of.grown(room, 2 * room.states.size)
                else:
                    raise AssertionError(f"the tree of a stretch is broken ({status})")
        finally:
            self.desks.put(desk)

    def find_stretches(self, desk: Desk, states: Any, portion: Indices, room: Positions, begin: int) -> tuple[int, int]:
        done: tuple[int, int] = waves.find_stretches(self.table, self.folding, states, portion, room, desk.stretch, begin)
        return done

    def find_moves(self, desk: Desk, states: Any, portion: Indices, room: Positions, begin: int) -> tuple[int, int]:
        done: tuple[int, int] = waves.find_moves(self.table, self.folding, states, portion, room, desk.stretch, begin)
        return done

    def add(self, new: NDArray[Any]) -> None:
        """Add folded positions to the table, and to the waves in which they will be solved."""
        before = int(self.positions.held[0])
        begin = 0
        while begin < new.size:
            begin += table_of.enter_all(self.table, self.folding, self.positions, new[begin:])
            if begin < new.size:
                self.positions = table_of.grown(self.positions, 2 * self.positions.states.size)
        after = int(self.positions.held[0])
        if after > self.most_positions:
            raise TooLarge(f"it has more than {self.most_positions:,} positions in which everybody knows where Mr X is")
        fresh = self.positions.states[before:after]
        slots, orders = fresh["slot"].astype(np.int64), fresh["turn"].astype(np.int64) - 1
        orders[orders < 0] = self.table.detectives
        for slot, order in {(int(s), int(o)) for s, o in zip(slots, orders, strict=True)}:
            inside = np.flatnonzero((slots == slot) & (orders == order)) + before
            self.waves.setdefault((slot, order), []).append(inside)

    # Giving them values.

    def solve_all(self, starts: Starts) -> tuple[float, float]:
        mr_x = self.table.detectives
        slots = sorted({slot for slot, order in self.waves if order == mr_x}, reverse=True)
        share = self.tolerance / (len(slots) + (0 if self.table.show_start else 1))
        total = self.stretches()
        for slot in sorted({slot for slot, _ in self.waves}, reverse=True):
            if not self.know_layer(slot):
                goal = share * (1 + slots.index(slot)) if slot in slots else 0.0
                self.solve_layer(slot, goal, total)
        return self.solve_starts(starts)

    def solve_layer(self, slot: int, goal: float, total: int) -> None:
        """All positions after so many moves of Mr X: first where he is to move, then the detectives, the last one first."""
        for order in sorted((order for at, order in self.waves if at == slot), reverse=True):
            indices = np.concatenate(self.waves[slot, order])
            if order == self.table.detectives:
                self.solve_wave(indices, goal, total)
            else:
                desk = self.desks.get()
                self.solve_moves(desk, indices)
                self.desks.put(desk)
        self.keep_layer(slot, 0, complete=True)

    def places(self, slot: int) -> Indices:
        """Where the positions of a layer stand, those with Mr X to move first."""
        orders = sorted((order for at, order in self.waves if at == slot), reverse=True)
        return np.concatenate([each for order in orders for each in self.waves[slot, order]])

    def keep_layer(self, slot: int, done: int, complete: bool) -> None:
        places = self.places(slot)
        self.layers.keep(slot, self.positions.lower[places], self.positions.upper[places], done, complete)

    def know_layer(self, slot: int) -> bool:
        """Take over what an interrupted solution knew of a layer; whether it was complete."""
        self.known = 0
        kept, places = self.layers.layer(slot), self.places(slot)
        if kept is None or kept[0].size != places.size:
            return False
        lower, upper, done, complete = kept
        self.positions.lower[places], self.positions.upper[places] = lower, upper
        self.known = done
        if complete:
            mr_x = self.waves.get((slot, self.table.detectives), [])
            self.solved += sum(each.size for each in mr_x)
        return complete

    def solve_moves(self, desk: Desk, indices: Indices) -> None:
        waves.solve_moves(self.table, self.folding, self.positions, indices, desk.stretch)

    def stretches(self) -> int:
        return sum(each.size for (_, order), all_ in self.waves.items() if order == self.table.detectives for each in all_)

    def solve_wave(self, indices: Indices, goal: float, total: int) -> None:
        known, slot = self.known, int(self.positions.states[indices[0]]["slot"])
        self.solved += known
        portions = [indices[k : k + PORTION] for k in range(known, indices.size, PORTION)]
        for done in self.in_threads(lambda portion: self.solve_portion(portion, goal), portions):
            self.solved += done
            known += done
            self.say("solving", self.solved, total)
            if self.layers.is_time():
                self.keep_layer(slot, known, complete=False)

    def solve_portion(self, portion: Indices, goal: float) -> int:
        begin, status, desk = 0, NO_ROOM, self.desks.get()
        try:
            while True:
                begin, status = waves.solve_stretches(
                    self.table, self.folding, self.positions, portion, *desk, goal, MOST_ITERATIONS, begin
                )
                if status == DONE:
                    return portion.size
                if status != NO_ROOM:
                    raise AssertionError(f"the tree of a stretch is broken ({status})")
                desk = self.desk(2 * desk.stretch.kind.size)
        finally:
            self.desks.put(desk)

    def solve_starts(self, starts: Starts) -> tuple[float, float]:
        """The value of the game: over all starts, as likely as they are."""
        if self.table.show_start:
            places = [int(table_of.find(self.table, self.folding, self.positions, state)) for state in starts.states]
            chances = starts.weights.sum(axis=1)
            lower = starts.won + float(chances @ self.positions.lower[places])
            return lower, starts.won + float(chances @ self.positions.upper[places])
        bounds = list(self.in_threads(lambda i: self.solve_start(starts, i), range(starts.states.size)))
        lower, upper = np.sum(bounds, axis=0)
        return starts.won + float(lower), starts.won + float(upper)

    def solve_start(self, starts: Starts, number: int) -> tuple[float, float]:
        weights = starts.weights[number]
        desk = self.desks.get()
        try:
            desk, lower, upper = solve_root(
                self.table, self.folding, self.positions, desk, starts.states[number], weights, self.tolerance, self.desk
            )
        finally:
            self.desks.put(desk)
        return float(weights.sum()) * lower, float(weights.sum()) * upper

    def in_threads(self, work: Callable[[Any], Any], portions: Any) -> Iterator[Any]:
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                yield from pool.map(work, portions)
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise


def solve_root(
    table: Any,
    folding: Folding,
    known: Positions,
    desk: Desk,
    state: Any,
    weights: NDArray[np.float64],
    goal: float,
    larger: Callable[[int], Desk],
) -> tuple[Desk, float, float]:
    """Solve one stretch from its root; the desk then holds its tree and both plans."""
    while (status := grow(table, desk.stretch, state, False)) == NO_ROOM:
        desk = larger(2 * desk.stretch.kind.size)
    if status == DONE:
        status = value_shown(table, folding, known, desk.stretch)
    if status != DONE:
        raise AssertionError(f"the tree of a stretch is broken ({status})")
    members = desk.stretch.station[: desk.stretch.first[1]]
    prior = weights[members]
    desk.prior[: members.size] = prior / prior.sum()
    lower, upper, _ = solve_stretch(desk.stretch, desk.work, desk.prior, desk.plans, goal, MOST_ITERATIONS)
    return desk, float(lower), float(upper)


class TooLarge(FogboundError):
    """A game that cannot be solved here."""


def folding_of(game: ScotlandYard, fold: bool = True) -> Folding:
    maps = symmetry.symmetries(game.table)
    counts = game.table.tickets
    counted = int(((counts > 0) & (counts != UNLIMITED)).any())
    return Folding(maps if fold else maps[:1].copy(), counted)


def start_folding_of(game: ScotlandYard, folding: Folding) -> Folding:
    """The symmetries under which the starts stay what they are."""
    kept = symmetry.keeping(folding.maps, game.table.mr_x_starts)
    kept &= symmetry.keeping(folding.maps, game.table.detective_starts)
    return folding._replace(maps=np.ascontiguousarray(folding.maps[kept]))


def list_starts(game: ScotlandYard, folding: Folding) -> Starts:
    """The starts of a game, those that look alike together."""
    room = 1 << 10
    while True:
        starts, weights = table_of.room_for(room), np.zeros((room, game.table.stations))
        won, fitted = waves.list_starts(game.table, folding, starts, weights)
        if fitted:
            count = int(starts.held[0])
            return Starts(starts.states[:count].copy(), weights[:count].copy(), float(won))
        room *= 4


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compute(
    game: ScotlandYard, tolerance: float, say: Say, most_positions: int, most_nodes: int, layers: Layers = NOWHERE
) -> Solution:
    """Solve a game from nothing, or from the layers that are known."""
    began = perf_counter()
    solver = Solver(game, tolerance, cores(), say, most_positions, most_nodes, layers)
    starts = solver.find_all()
    lower, upper = (min(1.0, max(0.0, bound)) for bound in solver.solve_all(starts))  # sums of many parts round
    took = perf_counter() - began
    return Solution(
        game, lower, upper, tolerance, took, solver.stretches(), solver.positions, solver.folding, solve_seconds=took
    )
