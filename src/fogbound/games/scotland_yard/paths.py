"""Path costs: between every two stations all ticket costs that no other cost beats.

From 13 to 46 it may take “3 taxi”, or “1 taxi and 1 tram”: neither is better than the
other, so both are kept, each with its first step. A cost is one 64-bit word, a byte a
transport, so that two costs are compared in one subtraction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, program
from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT, Table

_HIGH = np.uint64(0x8080808080808080)
UNREACHABLE = 127  # a byte holds no more; on a longer line of stations the far end counts as out of reach
MOST_COSTS = 100  # kept between two stations, the shortest first: only boards of many mixed transports have more


class Paths(NamedTuple):
    """Costs from `a` to `b`: entries start[a, b] to start[a, b] + labels[a, b], fewest moves first."""

    start: NDArray[np.int32]
    labels: NDArray[np.int16]
    cost: NDArray[np.uint64]  # a byte a transport
    moves: NDArray[np.int16]  # all tickets together
    step: NDArray[np.int16]  # the link to take first: destination | ticket << 9
    hops: NDArray[np.int16]  # [a, b]: fewest moves, whatever the tickets
    far: int  # more than any distance on this board


def find_paths(table: Table) -> Paths:
    """All Pareto-optimal costs between the stations of a board, by ordinary tickets."""
    parts = []
    starts = np.zeros((table.stations, table.stations), np.int32)
    counts = np.zeros((table.stations, table.stations), np.int16)
    total = 0
    for source in range(table.stations):
        ends, cost, moves, step = _from(table, source)
        order = np.lexsort((cost, moves, ends))
        parts.append((cost[order], moves[order], step[order]))
        counts[source] = np.bincount(ends, minlength=table.stations)
        starts[source] = total + np.concatenate(([0], np.cumsum(counts[source])[:-1]))
        total += ends.size
    cost, moves, step = (np.concatenate(column) for column in zip(*parts, strict=True))
    hops = np.full((table.stations, table.stations), UNREACHABLE, np.int16)
    hops[counts > 0] = moves[starts[counts > 0]]
    reached = hops[hops < UNREACHABLE]
    return Paths(starts, counts, cost, moves, step, hops, int(reached.max()) + 1)


@program
def _from(table, source):
    """Every undominated cost from one station, found in order of the number of moves."""
    room = 256
    ends = np.empty(room, np.int64)
    cost = np.empty(room, np.uint64)
    moves = np.empty(room, np.int16)
    step = np.empty(room, np.int16)
    following = np.empty(room, np.int32)  # the next label at the same station
    newest = np.full(table.stations, -1, np.int32)
    kept = np.zeros(table.stations, np.int32)
    ends[0], cost[0], moves[0], step[0], following[0] = source, 0, 0, -1, -1
    newest[source] = 0
    count, begin = 1, 0
    while begin < count and moves[begin] < UNREACHABLE - 1:
        level_end = count
        for label in range(begin, level_end):
            here = ends[label]
            for i in range(table.link_start[here], table.link_start[here + 1]):
                link = table.links[i]
                end = link & HIDDEN
                price = cost[label] + (np.uint64(1) << np.uint64(8 * (link >> TICKET_SHIFT)))
                first = link if label == 0 else step[label]
                twin = _dominating(newest, following, cost, end, price)
                if twin >= 0:
                    if cost[twin] == price and first < step[twin] and twin >= level_end:
                        step[twin] = first
                    continue
                if kept[end] == MOST_COSTS:
                    continue
                kept[end] += 1
                if count == room:
                    room *= 2
                    ends, cost = _grown(ends, room), _grown(cost, room)
                    moves, step, following = _grown(moves, room), _grown(step, room), _grown(following, room)
                ends[count], cost[count], moves[count], step[count] = end, price, moves[label] + 1, first
                following[count] = newest[end]
                newest[end] = count
                count += 1
        begin = level_end
    return ends[:count], cost[:count], moves[:count], step[:count]


@kernel
def _dominating(newest, following, cost, end, price):
    """A label at this station that costs no more of anything, or -1."""
    label = newest[end]
    while label >= 0:
        if affordable(cost[label], price):
            return label
        label = following[label]
    return -1


@program
def _grown(array, room):
    bigger = np.empty(room, array.dtype)
    for i in range(array.size):  # assigning slices would have Numba compile the text of its error
        bigger[i] = array[i]
    return bigger


@kernel
def affordable(cost, purse):
    """Whether a purse holds at least the cost in every transport (bytes up to 127)."""
    # Python hands a purse over as a signed number; mixed with unsigned ones it would be counted as a float.
    return ((np.uint64(purse) | _HIGH) - cost) & _HIGH == _HIGH


@kernel
def purse(table, tickets):
    """A seat's tickets as one word, a byte a transport."""
    word = np.uint64(0)
    for transport in range(table.transports):
        word |= np.uint64(min(tickets[transport], 127)) << np.uint64(8 * transport)
    return word


@kernel
def nearest_detective(table, paths, view, station, but):
    """Moves from a station to the nearest detective, whatever the tickets; the one in seat `but` is left out."""
    nearest = np.int64(paths.far)
    for seat in range(1, table.detectives + 1):
        if seat != but:
            nearest = min(nearest, np.int64(paths.hops[view.station[seat], station]))
    return nearest


@kernel
def distance(paths, a, b, purse_word):
    """Moves from a to b that this purse can pay for; `far` if it cannot."""
    start = paths.start[a, b]
    for i in range(start, start + paths.labels[a, b]):
        if affordable(paths.cost[i], purse_word):
            return np.int64(paths.moves[i])
    return np.int64(paths.far)
