"""Solving a whole game of hidden movement by backward induction over its revealed positions, with proved bounds.

The revealed positions are found first, from the starts on. Then they get their values, the last ones first: where a
detective is to move, the best of the next positions; where Mr X is to move, the value of the subgame up to his next
reveal. Every value is a pair of bounds, and the bounds of a subgame are computed from those of the positions that it
leads to, so the bounds of the whole game are proved too.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from queue import SimpleQueue
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DOUBLE, UNLIMITED, State, Table
from fogbound.games.scotland_yard.symmetry import keeping_starts, symmetries
from fogbound.solve import layer_loops
from fogbound.solve.cfr import solve_subgame
from fogbound.solve.checkpoint import NO_CHECKPOINT, Checkpoint
from fogbound.solve.layer_loops import Workspace
from fogbound.solve.positions import (
    CanonicalForm,
    Positions,
    enlarged,
    find,
    header,
    insert_all,
    insert_rows,
    new_table,
    states_of,
    width,
)
from fogbound.solve.subgame import DONE, NO_ROOM, TABLE_FULL, grow, value_reveals

Indices = NDArray[np.int64]
Progress = Callable[[str, int, int], None]  # what is being done, how much is done, out of how much
MAX_ITERATIONS = 100_000
FIRST_NODES = 1 << 12
CHUNK = 32  # subgames that a thread takes at a time


def quiet(what: str, done: int, total: int) -> None:
    """A progress report that goes nowhere."""


def is_hidden_movement(game: Game) -> bool:
    """Whether a game is of the family that these trees are made for."""
    return isinstance(game, ScotlandYard)


def solvable(game: Game | str) -> ScotlandYard:
    """The game, if it is of the family that can be solved."""
    played = registry.game(game)
    if not isinstance(played, ScotlandYard):
        family = "the solver is for hidden-movement games, which are those of the scotland-yard family"
        raise FogboundError(f"{played.spec} cannot be solved: {family}.")
    return played


@dataclass
class Starts:
    """The public starts: those that the detectives can tell apart."""

    states: NDArray[Any]
    weights: NDArray[np.float64]  # [start, station of Mr X]: their joint probability
    won: float  # the probability that the detectives have won before the first move


@dataclass
class Solution:
    """The value of a game: the probability that the detectives win when both sides play perfectly."""

    game: ScotlandYard
    lower: float
    upper: float
    tolerance: float
    seconds: float
    subgames: int
    positions: Positions
    form: CanonicalForm
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
    progress: Progress
    max_positions: int
    max_nodes: int
    checkpoint: Checkpoint = NO_CHECKPOINT
    folder: Path | None = None  # for the table of positions, if it is too large for the memory

    def __post_init__(self) -> None:
        self.table = self.game.table
        self.form = canonical_form(self.game, spare=False)
        self.start_form = start_form(self.game, self.form)
        self.positions = self.new_table(1 << 12, self.folder)
        self.solved = 0
        self.resumed = 0  # subgames of the current layer that a checkpoint had
        # A sublayer: the positions of a layer with the same seat to move, by slot and order (Mr X comes last).
        self.sublayers: dict[tuple[int, int], list[Indices]] = {}
        self.workspaces: SimpleQueue[Workspace] = SimpleQueue()
        for _ in range(self.threads):
            self.workspaces.put(self.workspace(FIRST_NODES))

    def new_table(self, capacity: int, folder: Path | None = None) -> Positions:
        return new_table(width(self.table, self.form), capacity, folder)

    def states_at(self, indices: Indices) -> NDArray[Any]:
        """Positions as states."""
        return states_of(self.table, self.form, self.positions.rows[indices])

    def workspace(self, nodes: int) -> Workspace:
        if nodes > self.max_nodes:
            reason = f"a subgame between two reveals has more than {nodes // 2:,} public states"
            raise TooLarge(f"{self.game.spec} is too large to solve here: {reason}.")
        return layer_loops.new_workspace(nodes, self.game.most_actions, self.table.stations)

    # Finding the positions.

    def starts(self) -> Starts:
        return list_starts(self.game, self.start_form)

    def find_positions(self) -> Starts:
        starts = self.public_starts = self.starts()
        found = self.checkpoint.load_positions()
        if found is not None:
            self.add(found)
            return starts
        if self.table.show_start:
            self.add(self.rows_of(starts.states))
        else:
            self.expand(starts.states, np.arange(starts.states.size))
        done: set[tuple[int, int]] = set()
        while waiting := sorted(set(self.sublayers) - done):
            self.expand_sublayer(*waiting[0])
            done.add(waiting[0])
        self.checkpoint.save_positions(self.positions.rows[: self.positions.size[0]])
        return starts

    def expand_sublayer(self, slot: int, order: int) -> None:
        indices = np.concatenate(self.sublayers[slot, order])
        mr_x = order == self.table.detectives
        self.expand(None, indices, mr_x, f"positions after {slot} moves of Mr X")

    def rows_of(self, states: NDArray[Any]) -> NDArray[np.uint16]:
        """Canonical positions as rows."""
        found = self.new_table(max(1, states.size))
        insert_all(self.table, self.form, found, states)
        return found.rows[: found.size[0]]

    def expand(self, states: NDArray[Any] | None, indices: Indices, mr_x: bool = True, what: str = "starts") -> None:
        """Add the positions that follow some states, or some of the positions, with Mr X or a detective to move."""
        step = self.expand_subgames if mr_x else self.expand_moves
        size = CHUNK if mr_x else 4096
        chunks = [indices[k : k + size] for k in range(0, indices.size, size)]

        def successors(chunk: Indices) -> NDArray[np.uint16]:
            if states is None:
                return self.successors(step, self.states_at(chunk), np.arange(chunk.size))
            return self.successors(step, states, chunk)

        for number, new in enumerate(self.in_threads(successors, chunks)):
            self.progress(f"finding {what}", min((number + 1) * size, indices.size), indices.size)
            self.add(new)

    def successors(self, step: Any, states: NDArray[Any], chunk: Indices) -> NDArray[np.uint16]:
        """The positions that follow a chunk, each once."""
        found, begin = self.new_table(1 << 14), 0
        workspace = self.workspaces.get()
        try:
            while True:
                begin, status = step(workspace, states, chunk, found, begin)
                if status == DONE:
                    return found.rows[: found.size[0]].copy()
                if status == NO_ROOM:
                    workspace = self.workspace(2 * workspace.subgame.kind.size)
                elif status == TABLE_FULL:
                    found = enlarged(found, 2 * found.lower.size)
                else:
                    raise AssertionError(f"the tree of a subgame is broken ({status})")
        finally:
            self.workspaces.put(workspace)

    def expand_subgames(
        self, workspace: Workspace, states: Any, chunk: Indices, found: Positions, begin: int
    ) -> tuple[int, int]:
        if not self.table.reveal[states["slot"][chunk[0]] + 1 :].any():  # he is not revealed again
            return chunk.size, DONE
        done: tuple[int, int] = layer_loops.expand_subgames(
            self.table, self.form, states, chunk, found, workspace.subgame, begin
        )
        return done

    def expand_moves(
        self, workspace: Workspace, states: Any, chunk: Indices, found: Positions, begin: int
    ) -> tuple[int, int]:
        done: tuple[int, int] = layer_loops.expand_moves(
            self.table, self.form, states, chunk, found, workspace.subgame, begin
        )
        return done

    def add(self, new: NDArray[np.uint16]) -> None:
        """Add canonical positions to the table and to their sublayers."""
        before = int(self.positions.size[0])
        begin = 0
        while begin < len(new):
            begin += insert_rows(self.positions, new[begin:])
            if begin < len(new):
                self.positions = enlarged(self.positions, 2 * self.positions.lower.size, self.folder)
        after = int(self.positions.size[0])
        if after > self.max_positions:
            reason = f"there are more than {self.max_positions:,} positions in which everybody knows where Mr X is"
            raise TooLarge(f"{self.game.spec} is too large to solve here: {reason}.")
        slots, turns, _ = header(self.positions.rows[before:after])
        orders = turns - 1
        orders[orders < 0] = self.table.detectives
        for slot, order in {(int(s), int(o)) for s, o in zip(slots, orders, strict=True)}:
            inside = np.flatnonzero((slots == slot) & (orders == order)) + before
            self.sublayers.setdefault((slot, order), []).append(inside)

    # Giving them values.

    def solve_all(self, starts: Starts) -> tuple[float, float]:
        """Bounds on the value of the game. The tolerance is shared out evenly over the reveals."""
        mr_x = self.table.detectives
        slots = sorted({slot for slot, order in self.sublayers if order == mr_x}, reverse=True)
        share = self.tolerance / (len(slots) + (0 if self.table.show_start else 1))
        total = self.count_subgames()
        for slot in sorted({slot for slot, _ in self.sublayers}, reverse=True):
            if not self.resume_layer(slot):
                tolerance = share * (1 + slots.index(slot)) if slot in slots else 0.0
                self.solve_layer(slot, tolerance, total)
        return self.solve_starts(starts)

    def solve_layer(self, slot: int, tolerance: float, total: int) -> None:
        """All positions after so many moves of Mr X: first with him to move, then the detectives, the last one first."""
        for order in sorted((order for at, order in self.sublayers if at == slot), reverse=True):
            indices = np.concatenate(self.sublayers[slot, order])
            if order == self.table.detectives:
                self.solve_sublayer(indices, tolerance, total)
            else:
                workspace = self.workspaces.get()
                self.solve_moves(workspace, indices)
                self.workspaces.put(workspace)
        self.save_layer(slot, 0, complete=True)

    def layer(self, slot: int) -> Indices:
        """The positions of a layer, those with Mr X to move first."""
        orders = sorted((order for at, order in self.sublayers if at == slot), reverse=True)
        return np.concatenate([each for order in orders for each in self.sublayers[slot, order]])

    def save_layer(self, slot: int, solved: int, complete: bool) -> None:
        layer = self.layer(slot)
        self.checkpoint.save_layer(slot, self.positions.lower[layer], self.positions.upper[layer], solved, complete)

    def resume_layer(self, slot: int) -> bool:
        """Take the bounds of a layer from the checkpoint; whether they are complete."""
        self.resumed = 0
        saved, layer = self.checkpoint.load_layer(slot), self.layer(slot)
        if saved is None or saved[0].size != layer.size:
            return False
        self.positions.lower[layer], self.positions.upper[layer], self.resumed, complete = saved
        if complete:
            mr_x = self.sublayers.get((slot, self.table.detectives), [])
            self.solved += sum(each.size for each in mr_x)
        return complete

    def solve_moves(self, workspace: Workspace, indices: Indices) -> None:
        layer_loops.solve_moves(self.table, self.form, self.positions, indices, workspace.subgame)

    def count_subgames(self) -> int:
        mr_x = self.table.detectives
        return sum(each.size for (_, order), parts in self.sublayers.items() if order == mr_x for each in parts)

    def solve_sublayer(self, indices: Indices, tolerance: float, total: int) -> None:
        """The positions of a layer with Mr X to move, a subgame each."""
        solved, slot = self.resumed, int(header(self.positions.rows[indices[:1]])[0][0])
        self.solved += solved
        chunks = [indices[k : k + CHUNK] for k in range(solved, indices.size, CHUNK)]
        for done in self.in_threads(lambda chunk: self.solve_chunk(chunk, tolerance), chunks):
            self.solved += done
            solved += done
            self.progress("solving", self.solved, total)
            if self.checkpoint.is_due():
                self.save_layer(slot, solved, complete=False)

    def solve_chunk(self, chunk: Indices, tolerance: float) -> int:
        begin, status, workspace = 0, NO_ROOM, self.workspaces.get()
        try:
            while True:
                begin, status = layer_loops.solve_subgames(
                    self.table, self.form, self.positions, chunk, *workspace, tolerance, MAX_ITERATIONS, begin
                )
                if status == DONE:
                    return chunk.size
                if status != NO_ROOM:
                    raise AssertionError(f"the tree of a subgame is broken ({status})")
                workspace = self.workspace(2 * workspace.subgame.kind.size)
        finally:
            self.workspaces.put(workspace)

    def solve_starts(self, starts: Starts) -> tuple[float, float]:
        """The value of the game: the expectation over all starts."""
        if self.table.show_start:
            indices = [int(find(self.table, self.form, self.positions, state)) for state in starts.states]
            chances = starts.weights.sum(axis=1)
            lower = starts.won + float(chances @ self.positions.lower[indices])
            return lower, starts.won + float(chances @ self.positions.upper[indices])
        bounds = list(self.in_threads(lambda i: self.solve_start(starts, i), range(starts.states.size)))
        lower, upper = np.sum(bounds, axis=0)
        return starts.won + float(lower), starts.won + float(upper)

    def solve_start(self, starts: Starts, number: int) -> tuple[float, float]:
        """Bounds of a hidden start, times its probability."""
        weights = starts.weights[number]
        workspace = self.workspaces.get()
        try:
            workspace, lower, upper = solve_root(
                self.table,
                self.form,
                self.positions,
                workspace,
                starts.states[number],
                weights,
                self.tolerance,
                self.workspace,
            )
        finally:
            self.workspaces.put(workspace)
        return float(weights.sum()) * lower, float(weights.sum()) * upper

    def in_threads(self, work: Callable[[Any], Any], chunks: Any) -> Iterator[Any]:
        with ThreadPoolExecutor(self.threads) as pool:
            try:
                yield from pool.map(work, chunks)
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise


def solve_root(
    table: Any,
    form: CanonicalForm,
    known: Positions,
    workspace: Workspace,
    state: Any,
    weights: NDArray[np.float64],
    tolerance: float,
    larger: Callable[[int], Workspace],
) -> tuple[Workspace, float, float]:
    """Solve one subgame from its root; the workspace then holds its tree and both average strategies."""
    while (status := grow(table, workspace.subgame, state, False)) == NO_ROOM:
        workspace = larger(2 * workspace.subgame.kind.size)
    subgame = workspace.subgame
    if status == DONE:
        status = value_reveals(table, form, known, subgame)
    if status != DONE:
        raise AssertionError(f"the tree of a subgame is broken ({status})")
    members = subgame.station[: subgame.first[1]]
    prior = weights[members]
    workspace.prior[: members.size] = prior / prior.sum()
    lower, upper, _ = solve_subgame(subgame, workspace.cfr, workspace.prior, workspace.strategies, tolerance, MAX_ITERATIONS)
    return workspace, float(lower), float(upper)


class TooLarge(FogboundError):
    """A game that cannot be solved here."""


def canonical_form(game: ScotlandYard, symmetric: bool = True, spare: bool = True) -> CanonicalForm:
    """The canonical form of a game's positions: under all symmetries of the board, or the identity alone.

    Perfect play does not mind tickets that cannot be spent any more; an agent may, so they are spared unless told.
    """
    maps = symmetries(game.table)
    return CanonicalForm(maps if symmetric else maps[:1].copy(), _changing_tickets(game.table), int(spare))


def _changing_tickets(table: Table) -> NDArray[np.int16]:
    """The tickets whose number can change: limited ones, of those who have some or are handed some."""
    changing = []
    for seat, ticket in product(range(table.detectives + 1), range(DOUBLE + 1)):
        given, handed = table.tickets[min(seat, 1), ticket], seat == 0 and table.hand_over and table.tickets[1, ticket] > 0
        if given != UNLIMITED and (given > 0 or handed):
            changing.append(seat << 4 | ticket)
    return np.array(changing, np.int16)


def start_form(game: ScotlandYard, form: CanonicalForm) -> CanonicalForm:
    """The canonical form of the starts: under those symmetries that map the starts onto themselves."""
    return form._replace(maps=keeping_starts(form.maps, game.table))


def list_starts(game: ScotlandYard, form: CanonicalForm) -> Starts:
    """The public starts of a game."""
    capacity = 1 << 10
    while True:
        starts, states = new_table(width(game.table, form), capacity), np.zeros(capacity, State)
        weights = np.zeros((capacity, game.table.stations))
        won, fitted = layer_loops.list_starts(game.table, form, starts, states, weights)
        if fitted:
            count = int(starts.size[0])
            return Starts(states[:count].copy(), weights[:count].copy(), float(won))
        capacity *= 4


def cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def compute(
    game: ScotlandYard,
    tolerance: float,
    progress: Progress,
    max_positions: int,
    max_nodes: int,
    checkpoint: Checkpoint = NO_CHECKPOINT,
    folder: Path | None = None,
) -> Solution:
    """Solve a game from its starts, or from a checkpoint."""
    began = perf_counter()
    solver = Solver(game, tolerance, cores(), progress, max_positions, max_nodes, checkpoint, folder)
    starts = solver.find_positions()
    lower, upper = (min(1.0, max(0.0, bound)) for bound in solver.solve_all(starts))  # sums of many parts round
    took = perf_counter() - began
    return Solution(
        game, lower, upper, tolerance, took, solver.count_subgames(), solver.positions, solver.form, solve_seconds=took
    )
