"""The compiled search behind `alphabeta:evaluation=belief`: against all stations where Mr X can be, not one guess.

The detectives search over beliefs, a probability for each station. A joint move catches the
share that it steps on; what is left is propagated over Mr X's next moves, less to where
a detective could reach him at once. Mr X in turn expects detectives who act on the public
state: the set of possible stations, not the station where he stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import lowest_bit
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.contract import Game
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    apply,
    has,
    legal,
    size,
    usable,
)

CATCH = 20.0  # points for catching all of the belief, times the turns left then plus one
BOLD = 0.2  # how likely Mr X goes next to a detective, beside a place that is safe
NEARER = 0.7  # how strongly Mr X thinks that a detective goes where most can be caught, and nearer on average
LOST = -100.0  # Mr X's value of being caught
BLACK_PRICE, DOUBLE_PRICE = 2.0, 8.0  # points that he pays for his rare tickets
# Plain numbers would be compiled as types of their own, and the cache cannot keep two of a recursive function.
ZERO, ONE = np.int64(0), np.int64(1)
UNSEEN = 1.5  # points for Mr X when twice as many stations are possible


class Workspace(NamedTuple):
    """The memory of a search, a row a ply."""

    states: NDArray[np.void]
    belief: NDArray[np.float64]  # [ply, station]
    scratch: NDArray[np.float64]  # [station]
    moves: NDArray[np.int64]
    rank: NDArray[np.float64]
    nodes: NDArray[np.int64]  # [searched so far]
    chance: Chance


class BeliefSettings(NamedTuple):
    """How to search."""

    turns: int  # how deep
    most_moves: int  # of one detective, the first in move ordering
    hops: NDArray[np.int16]


def make_workspace(game: Game, turns: int, stations: int) -> Workspace:
    plies = turns * (game.seats + 1) + 4
    no_tape = np.zeros(0, np.int64)
    return Workspace(
        np.zeros(plies, game.rules.state),
        np.zeros((plies, stations)),
        np.zeros(stations),
        np.zeros((plies, game.most_actions), np.int64),
        np.zeros((plies, game.most_actions)),
        np.zeros(1, np.int64),
        Chance(np.ones(4, np.uint64), no_tape, no_tape, np.zeros(3, np.int64)),
    )


@program
def propagate(table, state, belief, ticket):
    """Update a belief for a hidden move of Mr X by a ticket (-1: any that he can pay for), never onto a detective."""
    after = np.zeros(belief.size)
    _propagate(table, state, belief, after, ticket)
    belief[:] = after


@outlined
def _propagate(table, state, before, after, ticket):
    mask = usable(table, state) if ticket < 0 else ((1 << table.transports) - 1 if ticket == BLACK else 1 << ticket)
    everything = (1 << table.transports) - 1
    near0 = near1 = near2 = near3 = np.uint64(0)
    for seat in range(1, table.detectives + 1):
        here = state.station[seat]
        near0 |= table.reach[everything, here, 0]
        near1 |= table.reach[everything, here, 1]
        near2 |= table.reach[everything, here, 2]
        near3 |= table.reach[everything, here, 3]
    for station in range(table.stations):
        after[station] = 0.0
    for station in range(table.stations):
        if before[station] <= 0.0:
            continue
        total = 0.0
        for w in range(4):
            near = near0 if w == 0 else near1 if w == 1 else near2 if w == 2 else near3
            word = table.reach[mask, station, w] & ~state.occupied[w]
            while word:
                bit = word & (~word + np.uint64(1))
                word ^= bit
                total += BOLD if near & bit else 1.0
        for w in range(4):
            near = near0 if w == 0 else near1 if w == 1 else near2 if w == 2 else near3
            word = table.reach[mask, station, w] & ~state.occupied[w]
            while word:
                end = w * 64 + lowest_bit(word)
                bit = word & (~word + np.uint64(1))
                word ^= bit
                after[end] += before[station] * (BOLD if near & bit else 1.0) / total


@kernel
def _mean_distance(table, settings, state, belief):
    """The expected distance of the nearest detective plus that of the farthest."""
    total = 0.0
    for station in range(table.stations):
        if belief[station] > 0.0:
            nearest, farthest = 1 << 20, 0
            for seat in range(1, table.detectives + 1):
                d = np.int64(settings.hops[state.station[seat], station])
                nearest, farthest = min(nearest, d), max(farthest, d)
            total += belief[station] * (nearest + farthest)
    return total


@outlined
def _ordered_moves(table, settings, workspace, ply):
    """A detective's moves, those first that catch most and come nearest on average."""
    state, out = workspace.states[ply], workspace.moves[ply]
    count = legal(table, state, out)
    for i in range(count):
        value = 0.0
        if out[i] != PASS:
            end = out[i] & HIDDEN
            value = 20.0 * workspace.belief[ply, end]
            for station in range(table.stations):
                value -= workspace.belief[ply, station] * settings.hops[end, station]
        workspace.rank[ply, i] = value
    for i in range(1, count):
        action, value = out[i], workspace.rank[ply, i]
        j = i
        while j > 0 and workspace.rank[ply, j - 1] < value:
            out[j], workspace.rank[ply, j] = out[j - 1], workspace.rank[ply, j - 1]
            j -= 1
        out[j], workspace.rank[ply, j] = action, value
    return min(count, settings.most_moves)


@outlined
def _move_and_score(table, settings, workspace, ply, action, h):
    """A detective's move, made on ply + 1: points for what it catches, and at the end of a turn the evaluation."""
    workspace.states[ply + 1] = workspace.states[ply]
    for station in range(table.stations):
        workspace.belief[ply + 1, station] = workspace.belief[ply, station]
    state = workspace.states[ply + 1]
    apply(table, state, action, workspace.chance)
    value = 0.0
    if action != PASS:
        end = action & HIDDEN
        value = CATCH * (settings.turns - h + 2) * workspace.belief[ply, end]
        workspace.belief[ply + 1, end] = 0.0
    if state.turn == 0:
        _propagate(table, state, workspace.belief[ply + 1], workspace.scratch, -1)
        for station in range(table.stations):
            workspace.belief[ply + 1, station] = workspace.scratch[station]
        value -= _mean_distance(table, settings, state, workspace.belief[ply + 1])
    return value


@outlined
def search_detectives(table, settings, workspace, ply, h):
    """The value of a position to the detectives, in points from here on."""
    state = workspace.states[ply]
    if state.turn == 0:  # the belief already includes Mr X's move
        state.turn = 1
        h += 1
    if state.turn < 0 or h > settings.turns:
        return 0.0
    workspace.nodes[0] += 1
    best = -1e18
    for i in range(_ordered_moves(table, settings, workspace, ply)):
        value = _move_and_score(table, settings, workspace, ply, workspace.moves[ply, i], h)
        best = max(best, value + search_detectives(table, settings, workspace, ply + 1, h))
    return best


@program
def search_root_detectives(table, settings, workspace, codes, values):
    """The value of each move of the detective to move in states[0], against belief[0]; the best comes first."""
    workspace.nodes[0] = 0
    count = _ordered_moves(table, settings, workspace, ZERO)
    best = 0
    for i in range(count):
        codes[i] = workspace.moves[0, i]
        gain = _move_and_score(table, settings, workspace, ZERO, codes[i], ONE)
        values[i] = gain + search_detectives(table, settings, workspace, ONE, ONE)
        if values[i] > values[best]:
            best = i
    codes[0], codes[best] = codes[best], codes[0]
    values[0], values[best] = values[best], values[0]
    return count


@program
def search_root_mr_x(table, settings, workspace, codes, values):
    """The value of each move of Mr X in states[0]; the best comes first."""
    workspace.nodes[0] = 0
    count = legal(table, workspace.states[0], workspace.moves[0])
    best = 0
    for i in range(count):
        codes[i] = workspace.moves[0, i]
        price = _move_mr_x(table, workspace, ZERO, codes[i])
        values[i] = search_mr_x(table, settings, workspace, ONE, np.int64(settings.turns - 1)) - price
        if values[i] > values[best]:
            best = i
    codes[0], codes[best] = codes[best], codes[0]
    values[0], values[best] = values[best], values[0]
    return count


@outlined
def _move_mr_x(table, workspace, ply, action):
    """A move of Mr X, made on ply + 1 with the detectives' uniform belief then: the price of its tickets."""
    workspace.states[ply + 1] = workspace.states[ply]
    state = workspace.states[ply + 1]
    apply(table, state, action, workspace.chance)
    likely = 1.0 / max(1, size(state.possible))
    for station in range(table.stations):
        workspace.belief[ply + 1, station] = likely if has(state.possible, station) else 0.0
    if action == PASS:
        return 0.0
    black, double = (action >> TICKET_SHIFT) & 15 == BLACK, action >> DOUBLE_SHIFT
    return (BLACK_PRICE if black else 0.0) + (DOUBLE_PRICE if double else 0.0)


@outlined
def search_mr_x(table, settings, workspace, ply, turns):
    """The value of a position to Mr X: his best move, against the expectation over the detectives' replies.

    They reply by a softmax over what each move promises a detective who knows only the belief.
    """
    state = workspace.states[ply]
    workspace.nodes[0] += 1
    if state.winner == DETECTIVES:
        return LOST
    if state.turn < 0:
        return -LOST
    if state.turn > 0:
        count = _ordered_moves(table, settings, workspace, ply)
        top = workspace.rank[ply, 0]
        total = value = 0.0
        for i in range(count):
            weight = np.exp(NEARER * (workspace.rank[ply, i] - top))
            _move_detective(table, workspace, ply, workspace.moves[ply, i])
            total += weight
            value += weight * search_mr_x(table, settings, workspace, ply + 1, turns)
        return value / total
    count = legal(table, state, workspace.moves[ply])
    best = -1e18
    for i in range(count):
        action = workspace.moves[ply, i]
        if _is_rare(action) and not (count <= 4 and action >> DOUBLE_SHIFT == 0):
            continue
        if turns <= 0 and state.second == 0:
            best = max(best, _evaluate_station(table, settings, state, action))
        else:
            price = _move_mr_x(table, workspace, ply, action)
            left = turns if state.second else turns - 1
            best = max(best, search_mr_x(table, settings, workspace, ply + 1, left) - price)
    return best if best > -1e17 else 0.0


@kernel
def _is_rare(action):
    """Whether a move takes a black ticket or begins a double move."""
    return action != PASS and (action >> DOUBLE_SHIFT != 0 or (action >> TICKET_SHIFT) & 15 == BLACK)


@outlined
def _move_detective(table, workspace, ply, action):
    """A detective's move, made on ply + 1: the belief loses the station where he stands."""
    workspace.states[ply + 1] = workspace.states[ply]
    apply(table, workspace.states[ply + 1], action, workspace.chance)
    for station in range(table.stations):
        workspace.belief[ply + 1, station] = workspace.belief[ply, station]
    if action != PASS:
        workspace.belief[ply + 1, action & HIDDEN] = 0.0


@kernel
def _evaluate_station(table, settings, state, action):
    """Evaluation of a move of Mr X: far from the nearest detective, with many other stations possible."""
    end = action & HIDDEN if action != PASS else state.station[0]
    if has(state.occupied, end):
        return LOST
    nearest, total = 1 << 20, 0
    for seat in range(1, table.detectives + 1):
        d = np.int64(settings.hops[state.station[seat], end])
        nearest, total = min(nearest, d), total + d
    value = 3.0 * min(nearest, 4) + total / table.detectives + UNSEEN * np.log2(1.0 + size(state.possible))
    return value - (12.0 if nearest == 1 else 0.0) / max(1, size(state.possible))
