"""Open positions: those in which everybody knows where Mr X is. Their values are all that a stretch needs to know.

They are kept in one table, found by a hash; positions that a symmetry of the board maps
to each other are one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined, program
from fogbound.games.scotland_yard.rules import State, add

NOWHERE = -1
_PRIME = np.uint64(1099511628211)
_MIX = np.uint64(0x9E3779B97F4A7C15)


class Folding(NamedTuple):
    """What makes two positions the same."""

    maps: NDArray[np.int16]  # [symmetry, station]
    counted: int  # 1 if some tickets are limited, so that they are part of a position


class Positions(NamedTuple):
    """Open positions with bounds on their values, found by hash."""

    states: NDArray[Any]
    digests: NDArray[np.uint64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    slots: NDArray[np.int32]  # index of a position, or -1; a power of two of them
    held: NDArray[np.int64]  # [0]: how many there are


def room_for(most: int) -> Positions:
    """An empty table with room for this many positions."""
    slots = 1 << max(4, int(2 * most - 1).bit_length())
    return Positions(
        np.zeros(most, State),
        np.zeros(most, np.uint64),
        np.zeros(most),
        np.ones(most),
        np.full(slots, NOWHERE, np.int32),
        np.zeros(1, np.int64),
    )


def grown(positions: Positions, most: int) -> Positions:
    """The same positions at the same places in a larger table."""
    larger = room_for(most)
    count = int(positions.held[0])
    for old, new in zip(positions[:4], larger[:4], strict=True):
        new[:count] = old[:count]
    larger.held[0] = count
    _rehash(larger)
    return larger


@program
def _rehash(positions):
    mask = positions.slots.size - 1
    for i in range(positions.held[0]):
        place = np.int64(positions.digests[i] >> np.uint64(20)) & mask
        while positions.slots[place] >= 0:
            place = (place + 1) & mask
        positions.slots[place] = i


@kernel
def fold(table, folding, state):
    """Turn an open position into the one that stands for all of its mirror images."""
    best = 0
    for g in range(1, folding.maps.shape[0]):
        for seat in range(table.detectives + 1):
            difference = folding.maps[g, state.station[seat]] - folding.maps[best, state.station[seat]]
            if difference != 0:
                if difference < 0:
                    best = g
                break
    state.occupied[:] = np.uint64(0)
    state.possible[:] = np.uint64(0)
    for seat in range(table.detectives + 1):
        state.station[seat] = folding.maps[best, state.station[seat]]
        if seat > 0:
            add(state.occupied, state.station[seat])
    add(state.possible, state.station[0])
    state.last_seen = state.station[0]
    return best


@kernel
def digest(table, folding, state):
    value = (np.uint64(state.slot) << np.uint64(8)) ^ (np.uint64(state.turn) << np.uint64(2)) ^ np.uint64(state.second)
    for seat in range(table.detectives + 1):
        value = (value ^ np.uint64(state.station[seat])) * _PRIME
    if folding.counted:
        for seat in range(table.detectives + 1):
            for ticket in range(10):
                value = (value ^ np.uint64(state.tickets[seat, ticket])) * _PRIME
    value ^= value >> np.uint64(29)
    value *= _MIX
    return value ^ (value >> np.uint64(32))


@kernel
def _same(table, folding, a, b):
    if a.slot != b.slot or a.turn != b.turn or a.second != b.second:
        return False
    for seat in range(table.detectives + 1):
        if a.station[seat] != b.station[seat]:
            return False
    if folding.counted:
        for seat in range(table.detectives + 1):
            for ticket in range(10):
                if a.tickets[seat, ticket] != b.tickets[seat, ticket]:
                    return False
    return True


@kernel
def _slot(table, folding, positions, state, value):
    """The slot of a folded position with this digest, or the free one where it would go."""
    mask = positions.slots.size - 1
    place = np.int64(value >> np.uint64(20)) & mask
    while positions.slots[place] >= 0:
        i = positions.slots[place]
        if positions.digests[i] == value and _same(table, folding, positions.states[i], state):
            return place
        place = (place + 1) & mask
    return place


@outlined
def find(table, folding, positions, state):
    """The index of a folded position, or NOWHERE."""
    return np.int64(positions.slots[_slot(table, folding, positions, state, digest(table, folding, state))])


@outlined
def enter(table, folding, positions, state):
    """Add a folded position if it is new; False when there is no room left."""
    value = digest(table, folding, state)
    place = _slot(table, folding, positions, state, value)
    if positions.slots[place] >= 0:
        return True
    i = positions.held[0]
    if i == positions.states.size:
        return False
    positions.states[i] = state
    positions.digests[i] = value
    positions.slots[place] = i
    positions.held[0] = i + 1
    return True


@program
def enter_all(table, folding, positions, states):
    """Add positions that are folded already; how many found room."""
    for i in range(states.size):
        if not enter(table, folding, positions, states[i]):
            return i
    return states.size
