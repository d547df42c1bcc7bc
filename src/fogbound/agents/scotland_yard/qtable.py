"""A table of learned moves for two detectives: looked up by their stations, where Mr X was last seen, and how long ago.

Positions that the board's symmetries turn into one another can share an entry. The table is
either for both detectives together, or one that each of them uses in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.rng import below
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN, UNLIMITED, legal
from fogbound.games.scotland_yard.symmetry import automorphisms

KIND = "qtable"
UNKNOWN = 255  # the move of a position that was never met


class Layout(NamedTuple):
    """How positions and moves are numbered."""

    stations: int
    waits: int  # how many different times since Mr X was seen
    degree: int  # most neighbours of a station
    shared: int  # 1: an entry is one detective's move; 0: it is both detectives' moves together
    near: NDArray[np.int16]  # [station, k]: its neighbours, -1 where there are fewer
    rank: NDArray[np.int16]  # [station, neighbour]: k; -1 if they are not linked
    turned: NDArray[np.int16]  # [symmetry, station]: where it goes; the last column stands for “never seen”


def layout(game: ScotlandYard, symmetry: bool, shared: bool) -> Layout:
    """The numbering for a board; a FogboundError says why a table would not do for it."""
    table = game.table
    if table.detectives != 2:
        raise FogboundError(f"A Q-table is for two detectives; {game.spec} has {table.detectives}.")
    if np.any(table.tickets[1][: table.transports] != UNLIMITED):
        raise FogboundError(f"A Q-table knows no tickets; {game.spec} counts the detectives' tickets.")
    neighbours = [_neighbours(table, station) for station in range(table.stations)]
    if min(len(each) for each in neighbours) < 2:
        raise FogboundError(f"On {game.spec} a detective can be shut in; a Q-table has no move for that.")
    degree = max(len(each) for each in neighbours)
    near = np.full((table.stations, degree), -1, np.int16)
    rank = np.full((table.stations, table.stations), -1, np.int16)
    for station, ends in enumerate(neighbours):
        near[station, : len(ends)] = ends
        rank[station, ends] = range(len(ends))
    reveals = [0, *game.board.reveals(), game.board.slots]
    waits = int(max(np.diff(reveals).max(), 1))
    turned = np.arange(table.stations, dtype=np.int16)[None]
    if symmetry:  # of the links whatever their transport: with unlimited tickets all are alike to a detective
        turned = automorphisms([dict.fromkeys(ends, 0) for ends in neighbours])
    unseen = np.full((len(turned), 1), table.stations, np.int16)
    turned = np.ascontiguousarray(np.hstack([turned, unseen]))
    return Layout(table.stations, waits, degree, int(shared), near, rank, turned)


def _neighbours(table: Any, station: int) -> list[int]:
    links = table.links[table.link_start[station] : table.link_start[station + 1]]
    return sorted({int(link) & HIDDEN for link in links})


def count_positions(plan: Layout) -> int:
    return (1 + plan.shared) * plan.waits * (plan.stations + 1) * plan.stations**2


@kernel
def find(plan, first, other, seen, wait, second):
    """The number of a position, and the symmetry that leads to it; with a shared table `first` is who moves."""
    best, turn = np.int64(1) << 60, 0
    for g in range(plan.turned.shape[0]):
        place = np.int64(plan.turned[g, seen])
        place = (place * plan.stations + plan.turned[g, first]) * plan.stations + plan.turned[g, other]
        if place < best:
            best, turn = place, g
    row = second * plan.waits + min(wait, plan.waits - 1)
    return row * (plan.stations + 1) * plan.stations**2 + best, turn


@kernel
def last_seen(plan, state):
    """Where Mr X was last seen; one past the last station if he never was."""
    return np.int64(state.last_seen) if state.last_seen >= 0 else np.int64(plan.stations)


@kernel
def step_code(plan, turn, station, end):
    """A detective's step as the number of a neighbour, on the turned board."""
    return np.int64(plan.rank[plan.turned[turn, station], plan.turned[turn, end]])


@kernel
def stepped(plan, turn, station, code):
    """Where a step of the turned board leads on the board as it lies; -1 if there is none."""
    for k in range(plan.degree):
        end = np.int64(plan.near[station, k])
        if end >= 0 and step_code(plan, turn, station, end) == code:
            return end
    return np.int64(-1)


class QTableOptions(Options):
    weights: str = Field("qtable", description="name of a table (one for the board comes first) or a .safetensors file")


class Params(NamedTuple):
    plan: Layout
    moves: NDArray[np.uint8]  # [position]: the best move, UNKNOWN where none was learned
    begun: NDArray[np.int64]  # the joint move in hand: both stations, the slot, the second one's end; empty: none is kept


class QTable(PolicyAgent[QTableOptions, ScotlandYard]):
    """Detectives who play a learned table; as Mr X, and where the table is empty, any legal move."""

    name = "qtable"
    about = "two detectives with a learned table of moves (as Mr X it plays any legal move)"
    source = "Tulušák 2020: tables of values learned for two detectives"
    options_model = QTableOptions

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        return {"weights": nets.names_of([KIND], game.definition()["name"])}

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        weights = nets.load(self.options.weights, self.game.board.name)
        if weights.about.get("kind") != KIND:
            raise FogboundError(f"The weights “{weights.name}” are not a Q-table.")
        with nets.understood(weights):
            plan = layout(self.game, weights.about["symmetry"] == "yes", weights.about["shared"] == "yes")
            moves = np.asarray(weights.tensors["moves"], np.uint8)
            if moves.size != count_positions(plan):
                raise FogboundError(
                    f"The table “{weights.name}” was learned on {weights.about['board']}, not on {self.game.spec}."
                )
            return Params(plan, moves, np.full(4, -1, np.int64))

    def params_without_memory(self) -> Params:
        assert isinstance(self.policy_params, Params)
        return self.policy_params._replace(begun=np.zeros(0, np.int64))


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    end = np.int64(-1)
    if seat > 0:
        if params.plan.shared:
            end = _own(params, view, seat)
        elif seat == 1:
            end = _begin_joint(params, view)
        else:
            end = _end_joint(params, view)
    for i in range(count):
        if end >= 0 and out[i] & HIDDEN == end:
            return out[i]
    return out[below(rng, count)]


@kernel
def _own(params, view, seat):
    plan = params.plan
    here, other = view.station[seat], view.station[3 - seat]
    position, turn = find(plan, here, other, last_seen(plan, view), view.slot - view.seen_slot, seat - 1)
    return stepped(plan, turn, here, np.int64(params.moves[position]))


@kernel
def _begin_joint(params, view):
    """The first detective's step; the second one's is kept for his turn."""
    plan = params.plan
    here, other = view.station[1], view.station[2]
    position, turn = find(plan, here, other, last_seen(plan, view), view.slot - view.seen_slot, 0)
    move = np.int64(params.moves[position])
    end = second = np.int64(-1)
    if move != UNKNOWN:
        end, second = stepped(plan, turn, here, move // plan.degree), stepped(plan, turn, other, move % plan.degree)
    if params.begun.size:
        params.begun[0], params.begun[1], params.begun[2], params.begun[3] = end, other, view.slot, second
    return end


@kernel
def _end_joint(params, view):
    """The second step of the joint move in hand; whoever takes over in between looks for one that led here."""
    plan, begun = params.plan, params.begun
    here, other = view.station[1], view.station[2]
    if begun.size and begun[0] == here and begun[1] == other and begun[2] == view.slot:
        return begun[3]
    for k in range(plan.degree):
        before = np.int64(plan.near[here, k])
        if before < 0 or before == other:
            continue
        position, turn = find(plan, before, other, last_seen(plan, view), view.slot - view.seen_slot, 0)
        move = np.int64(params.moves[position])
        if move != UNKNOWN and stepped(plan, turn, before, move // plan.degree) == here:
            return stepped(plan, turn, other, move % plan.degree)
    return np.int64(-1)
