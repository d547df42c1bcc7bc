"""The compiled search behind `alphabeta` in Scotland Yard: both sides see everything, Mr X where he is assumed.

The detectives are one player whose joint move is made seat by seat, so all combinations
are searched. The value of a line is the sum of the evaluations of its nodes (twice the
points, to stay whole), positive for the detectives; so a position's value from here on
does not depend on the moves that led to it, and a transposition table can store it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.contract import Game
from fogbound.core.hashing import FNV_START, GOLDEN, SPLIT_FIRST, absorb, xorshift
from fogbound.core.rng import below
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    UNLIMITED,
    add,
    apply,
    has,
    legal,
)

V1, V2, V3, V4 = range(4)
CATCH = 50  # points for a catch, times the turns that are left then
EITHER = 2  # root_side where every move of a side begins a new ply
LEAST_TURNS = 3  # a catch in the first turn counts for two of these even where the search is shallower
BLACK_PRICE, DOUBLE_PRICE = 2, 20  # points that Mr X pays for his rare tickets
TABLE_BITS = 16
INFINITE = 1 << 40
ONE = np.int64(1)  # a plain 1 would be compiled as a type of its own, and the cache cannot keep two of a recursive function
EXACT, LOWER_BOUND, UPPER_BOUND = 1, 2, 3


class Workspace(NamedTuple):
    """The memory of a search: a row a ply, and the transposition table."""

    states: NDArray[np.void]
    moves: NDArray[np.int64]  # [ply, move]
    rank: NDArray[np.int64]  # [ply, move]: for move ordering
    keys: NDArray[np.uint64]  # the transposition table: hash,
    values: NDArray[np.int64]  # value,
    bounds: NDArray[np.int8]  # kind of bound that it is,
    best: NDArray[np.int64]  # and best move of a position
    nodes: NDArray[np.int64]  # [searched so far, limit, 1 when it was reached]
    chance: Chance  # drawn from only where equal moves are shuffled: the game has no dice


class AlphaBetaSettings(NamedTuple):
    """How to search."""

    evaluation: int
    turns: int  # the depth: how many turns of both sides, or plies
    root_side: int  # 0 Mr X, 1 the detectives: whose move begins a new turn; EITHER where plies are counted
    most_moves: int  # of one detective, the first in move ordering
    ticketed: int  # 1 if tickets run out on this board
    hops: NDArray[np.int16]
    reach: int  # a catch counts for CATCH times what h is below this
    shuffle: int  # 1 if the moves at the root are searched in random order, so that chance decides between equal ones


def make_workspace(game: Game, turns: int) -> Workspace:
    """Memory for searches of at most so many turns."""
    plies = turns * (game.seats + 1) + 2
    entries = 1 << TABLE_BITS
    no_tape = np.zeros(0, np.int64)
    return Workspace(
        np.zeros(plies, game.rules.state),
        np.zeros((plies, game.most_actions), np.int64),
        np.zeros((plies, game.most_actions), np.int64),
        np.zeros(entries, np.uint64),
        np.zeros(entries, np.int64),
        np.zeros(entries, np.int8),
        np.zeros(entries, np.int64),
        np.zeros(3, np.int64),
        Chance(np.ones(4, np.uint64), no_tape, no_tape, np.zeros(3, np.int64)),
    )


@kernel
def evaluate(table, hops, state, evaluation, h):
    """The evaluation, doubled, of a node at depth h in which Mr X is not caught."""
    x = state.station[0]
    nearest, farthest, total = 1 << 20, 0, 0
    for seat in range(1, table.detectives + 1):
        d = np.int64(hops[state.station[seat], x])
        nearest, farthest, total = min(nearest, d), max(farthest, d), total + d
    if evaluation == V1:
        return -2 * total * h
    if evaluation == V2:
        return -2 * nearest * h
    if evaluation == V3:
        return -2 * nearest
    return -2 * nearest - farthest


@kernel
def evaluate_catch(table, hops, state, settings, h, moved):
    """The evaluation, doubled, of a node in which Mr X is caught; detectives after seat `moved` still made their moves.

    Versions 2 to 4 also count how near the next detective is (the other one, where there are two).
    """
    points = (settings.reach - h) * CATCH
    if settings.evaluation == V1 or table.detectives == 1:
        return 2 * points
    x = state.station[0]
    first = second = 1 << 20
    for seat in range(1, table.detectives + 1):
        d = np.int64(hops[state.station[seat], x])
        if seat > moved:
            d = _after_move(table, hops, state, seat, x)
        if d < first:
            first, second = d, first
        elif d < second:
            second = d
    return 2 * points - 2 * second * (h if settings.evaluation == V2 else 1)


@kernel
def _after_move(table, hops, state, seat, x):
    """How near a detective comes with his move when the catch is already made."""
    here = state.station[seat]
    nearest = 1 << 20
    for i in range(table.link_start[here], table.link_start[here + 1]):
        link = table.links[i]
        end = link & HIDDEN
        if state.tickets[seat, link >> TICKET_SHIFT] > 0 and not has(state.occupied, end):
            nearest = min(nearest, np.int64(hops[end, x]))
    return nearest if nearest < 1 << 20 else np.int64(hops[here, x])


@outlined
def step(table, settings, state, action, chance, h):
    """Play a move: the evaluation of the new node, and the turn it lies in."""
    seat = state.turn
    price = _price(seat, action)
    apply(table, state, action, chance)
    state.possible[:] = np.uint64(0)  # the search knows where he is: a small set is quickly widened
    add(state.possible, state.station[0])
    following = state.turn
    if state.winner == DETECTIVES:
        value = evaluate_catch(table, settings.hops, state, settings, h, seat if seat > 0 else table.detectives)
        return np.int64(price + value), np.int64(h)
    if following > 0 and seat > 0:
        return np.int64(price), np.int64(h)  # the joint move is not complete
    if following == 0 and seat == 0:
        return np.int64(price), np.int64(h)  # the first half of a double move
    value = price + evaluate(table, settings.hops, state, settings.evaluation, h)
    begins = settings.root_side == EITHER or (following == 0) == (settings.root_side == 0)
    return np.int64(value), np.int64(h + 1 if begins else h)


@kernel
def _price(seat, action):
    if seat > 0 or action == PASS:
        return 0
    price = 0
    if (action >> TICKET_SHIFT) & 15 == BLACK:
        price += 2 * BLACK_PRICE
    if action >> DOUBLE_SHIFT:
        price += 2 * DOUBLE_PRICE
    return price


@outlined
def ordered_moves(table, settings, workspace, ply, h, at_root):
    """The moves to search, the most promising first; double moves only for Mr X at the root."""
    state, out, rank = workspace.states[ply], workspace.moves[ply], workspace.rank[ply]
    seat = state.turn
    count = legal(table, state, out)
    kept = 0
    for i in range(count):
        action = out[i]
        if seat == 0 and not _passes_filter(state, out, kept, action, at_root):
            continue
        out[kept] = action
        rank[kept] = _order(table, settings.hops, state, seat, action)
        kept += 1
    _sort(out, rank, kept)
    return min(kept, settings.most_moves) if seat > 0 else kept


@kernel
def _passes_filter(state, out, kept, action, at_root):
    """Move filter: no double moves below the root, and no black tickets where an ordinary one does the same."""
    if action >> DOUBLE_SHIFT and not at_root:
        return False
    if (action >> TICKET_SHIFT) & 15 != BLACK:
        return True
    for i in range(kept):
        if (out[i] ^ action) & HIDDEN == 0 and out[i] >> DOUBLE_SHIFT == action >> DOUBLE_SHIFT:
            return False
    return True


@kernel
def _order(table, hops, state, seat, action):
    """Move ordering: a detective wants to be near, Mr X to be far from the nearest of them."""
    if action == PASS:
        return 0
    end = action & HIDDEN
    if seat > 0:
        return -np.int64(hops[end, state.station[0]])
    nearest = 1 << 20
    for other in range(1, table.detectives + 1):
        nearest = min(nearest, np.int64(hops[state.station[other], end]))
    return 2 * nearest - (action >> DOUBLE_SHIFT)


@kernel
def _sort(out, rank, count):
    for i in range(1, count):
        action, value = out[i], rank[i]
        j = i
        while j > 0 and rank[j - 1] < value:
            out[j], rank[j] = out[j - 1], rank[j - 1]
            j -= 1
        out[j], rank[j] = action, value


@kernel
def _key(table, settings, state, h):
    value = FNV_START
    for seat in range(table.detectives + 1):
        value = absorb(value, state.station[seat])
        if settings.ticketed:
            for ticket in range(10):
                count = state.tickets[seat, ticket]
                if count != UNLIMITED:
                    value = absorb(value, count)
    rest = (
        state.turn
        | state.second << 4
        | h << 8
        | settings.turns << 16
        | np.int64(state.slot) << 24
        | np.int64(state.round) << 36
    )
    rest |= settings.root_side << 48 | settings.evaluation << 50 | np.int64(settings.most_moves) << 52
    value = xorshift((value ^ np.uint64(rest)) * GOLDEN, 32)
    return (value ^ np.uint64(settings.reach)) * SPLIT_FIRST | np.uint64(1)


@outlined
def search(table, settings, workspace, ply, h, alpha, beta):
    """The value of the rest of the line, exact if it lies between alpha and beta."""
    state = workspace.states[ply]
    seat = np.int64(state.turn)
    if seat < 0 or h > settings.turns:
        return np.int64(0)
    workspace.nodes[0] += 1
    if workspace.nodes[0] > workspace.nodes[1]:
        workspace.nodes[2] = 1
        return np.int64(0)
    key = _key(table, settings, state, h)
    place = np.int64(key >> np.uint64(64 - TABLE_BITS))
    first = np.int64(-1)
    if workspace.keys[place] == key:
        first, value, bound = workspace.best[place], workspace.values[place], workspace.bounds[place]
        if bound == EXACT or (bound == LOWER_BOUND and value >= beta) or (bound == UPPER_BOUND and value <= alpha):
            return value
    best_move, best, low, high = np.int64(-1), np.int64(-INFINITE if seat > 0 else INFINITE), alpha, beta
    count = ordered_moves(table, settings, workspace, ply, h, False)
    _move_first(workspace.moves[ply], count, first)
    for i in range(count):
        action = workspace.moves[ply, i]
        workspace.states[ply + 1] = state
        gain, following = step(table, settings, workspace.states[ply + 1], action, workspace.chance, h)
        value = gain + search(table, settings, workspace, ply + 1, following, low - gain, high - gain)
        if workspace.nodes[2]:
            return np.int64(0)
        if (seat > 0 and value > best) or (seat == 0 and value < best):
            best, best_move = value, action
            low, high = (max(low, best), high) if seat > 0 else (low, min(high, best))
            if low >= high:
                break
    workspace.keys[place], workspace.values[place], workspace.best[place] = key, best, best_move
    workspace.bounds[place] = UPPER_BOUND if best <= alpha else LOWER_BOUND if best >= beta else EXACT
    return best


@kernel
def _move_first(out, count, action):
    for i in range(count):
        if out[i] == action:
            for j in range(i, 0, -1):
                out[j] = out[j - 1]
            out[0] = action
            return


@kernel
def _shuffle(out, count, rng):
    for i in range(count - 1, 0, -1):
        j = below(rng, i + 1)
        out[i], out[j] = out[j], out[i]


@program
def search_root(table, settings, workspace, h, most_nodes, codes, values, exact_values):
    """Search every move of the position in states[0]: how many there are; -1 when the node limit was reached.

    With `exact_values` every move is searched with a full window, otherwise only the best value is exact.
    The best move comes first.
    """
    workspace.nodes[:] = (0, most_nodes, 0)
    seat = workspace.states[0].turn
    count = ordered_moves(table, settings, workspace, np.int64(0), h, True)
    if settings.shuffle:
        _shuffle(workspace.moves[0], count, workspace.chance.rng)
    best = -1
    low, high = np.int64(-INFINITE), np.int64(INFINITE)
    for i in range(count):
        action = workspace.moves[0, i]
        workspace.states[1] = workspace.states[0]
        gain, following = step(table, settings, workspace.states[1], action, workspace.chance, h)
        value = gain + search(table, settings, workspace, ONE, following, low - gain, high - gain)
        if workspace.nodes[2]:
            return -1
        codes[i], values[i] = action, value
        if best < 0 or (seat > 0 and value > values[best]) or (seat == 0 and value < values[best]):
            best = i
            if not exact_values:
                low, high = (max(low, value), high) if seat > 0 else (low, min(high, value))
    codes[0], codes[best] = codes[best], codes[0]
    values[0], values[best] = values[best], values[0]
    return count


@program
def principal_variation(table, settings, workspace, most_nodes, moves, seats, stations, codes, values):
    """The principal variation from states[0], by searching again along it: how many moves.

    stations[i] is where the mover of move i stood, so that a follower can tell whether it still applies.
    """
    length, h = 0, 1
    while length < moves.size and workspace.states[0].turn >= 0 and h <= settings.turns:
        count = search_root(table, settings, workspace, h, most_nodes, codes, values, False)
        if count <= 0:
            break
        seat = workspace.states[0].turn
        moves[length], seats[length], stations[length] = codes[0], seat, workspace.states[0].station[seat]
        _, h = step(table, settings, workspace.states[0], codes[0], workspace.chance, h)
        length += 1
    return length
