"""Revealed positions: public states in which Mr X's station is common knowledge. A subgame needs only their values.

They are kept in one hash table, each in its canonical form: of the positions that the
symmetries of the board map to each other, one stands for all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.hashing import GOLDEN, absorb, xorshift
from fogbound.games.scotland_yard.rules import State, add

ABSENT = -1


class CanonicalForm(NamedTuple):
    """Which positions count as the same."""

    maps: NDArray[np.int16]  # [symmetry, station]
    tickets: int  # 1 if some tickets are limited, so that they are part of a position


class Positions(NamedTuple):
    """Revealed positions with bounds on their values, in an open-addressing hash table."""

    states: NDArray[Any]
    digests: NDArray[np.uint64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    buckets: NDArray[np.int32]  # index of a position, or ABSENT; a power of two of them
    size: NDArray[np.int64]  # [0]: how many there are


def new_table(capacity: int) -> Positions:
    """An empty table with room for this many positions."""
    buckets = 1 << max(4, int(2 * capacity - 1).bit_length())
    return Positions(
        np.zeros(capacity, State),
        np.zeros(capacity, np.uint64),
        np.zeros(capacity),
        np.ones(capacity),
        np.full(buckets, ABSENT, np.int32),
        np.zeros(1, np.int64),
    )


def enlarged(positions: Positions, capacity: int) -> Positions:
    """The same positions with the same indices in a larger table."""
    larger = new_table(capacity)
    count = int(positions.size[0])
    for old, new in zip(positions[:4], larger[:4], strict=True):
        new[:count] = old[:count]
    larger.size[0] = count
    _rehash(larger)
    return larger


@program
def _rehash(positions):
    mask = positions.buckets.size - 1
    for i in range(positions.size[0]):
        place = np.int64(positions.digests[i] >> np.uint64(20)) & mask
        while positions.buckets[place] >= 0:
            place = (place + 1) & mask
        positions.buckets[place] = i


@kernel
def canonicalise(table, form, state):
    """Replace a revealed position by its canonical form: the least of its symmetric images."""
    best = 0
    for g in range(1, form.maps.shape[0]):
        for seat in range(table.detectives + 1):
            difference = form.maps[g, state.station[seat]] - form.maps[best, state.station[seat]]
            if difference != 0:
                if difference < 0:
                    best = g
                break
    state.occupied[:] = np.uint64(0)
    state.possible[:] = np.uint64(0)
    for seat in range(table.detectives + 1):
        state.station[seat] = form.maps[best, state.station[seat]]
        if seat > 0:
            add(state.occupied, state.station[seat])
    add(state.possible, state.station[0])
    state.last_seen = state.station[0]
    return best


@kernel
def digest(table, form, state):
    value = (np.uint64(state.slot) << np.uint64(8)) ^ (np.uint64(state.turn) << np.uint64(2)) ^ np.uint64(state.second)
    for seat in range(table.detectives + 1):
        value = absorb(value, state.station[seat])
    if form.tickets:
        for seat in range(table.detectives + 1):
            for ticket in range(10):
                value = absorb(value, state.tickets[seat, ticket])
    return xorshift(xorshift(value, 29) * GOLDEN, 32)


@kernel
def _same(table, form, a, b):
    if a.slot != b.slot or a.turn != b.turn or a.second != b.second:
        return False
    for seat in range(table.detectives + 1):
        if a.station[seat] != b.station[seat]:
            return False
    if form.tickets:
        for seat in range(table.detectives + 1):
            for ticket in range(10):
                if a.tickets[seat, ticket] != b.tickets[seat, ticket]:
                    return False
    return True


@kernel
def _bucket(table, form, positions, state, value):
    """The bucket of a canonical position with this digest, or the free one where it would go."""
    mask = positions.buckets.size - 1
    place = np.int64(value >> np.uint64(20)) & mask
    while positions.buckets[place] >= 0:
        i = positions.buckets[place]
        if positions.digests[i] == value and _same(table, form, positions.states[i], state):
            return place
        place = (place + 1) & mask
    return place


@outlined
def find(table, form, positions, state):
    """The index of a canonical position, or ABSENT."""
    return np.int64(positions.buckets[_bucket(table, form, positions, state, digest(table, form, state))])


@outlined
def insert(table, form, positions, state):
    """Add a canonical position if it is new; False when the table is full."""
    value = digest(table, form, state)
    place = _bucket(table, form, positions, state, value)
    if positions.buckets[place] >= 0:
        return True
    i = positions.size[0]
    if i == positions.states.size:
        return False
    positions.states[i] = state
    positions.digests[i] = value
    positions.buckets[place] = i
    positions.size[0] = i + 1
    return True


@program
def insert_all(table, form, positions, states):
    """Add canonical positions; how many were added before the table was full."""
    for i in range(states.size):
        if not insert(table, form, positions, states[i]):
            return i
    return states.size


@program
def find_all(table, form, positions, states, out):
    """The index of each position, or ABSENT; the states become canonical."""
    for i in range(states.size):
        canonicalise(table, form, states[i])
        out[i] = find(table, form, positions, states[i])
