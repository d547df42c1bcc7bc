"""Revealed positions: public states in which Mr X's station is common knowledge. A subgame needs only their values.

They are kept in one hash table, each in its canonical form: of the positions that the symmetries of the board map to
each other one stands for all, and of those that differ only in tickets that nobody can spend any more. A position is
a row of small numbers, from which its state can be restored; a large table can lie in files instead of in memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.errors import FogboundError
from fogbound.core.hashing import GOLDEN, absorb, xorshift
from fogbound.games.scotland_yard.rules import DOUBLE, NOBODY, UNLIMITED, State, Table, add

ABSENT = -1
HEADER = 3  # numbers at the beginning of a row: slot, turn and second; round; the slot of the last reveal


class CanonicalForm(NamedTuple):
    """Which positions count as the same, and what a row says about one."""

    maps: NDArray[np.int16]  # [symmetry, station]
    tickets: NDArray[np.int16]  # [number]: seat * 16 + ticket, of those that can change
    spare: int  # 0 if tickets that nobody can spend any more are taken away


class Positions(NamedTuple):
    """Revealed positions with bounds on their values, in an open-addressing hash table."""

    rows: NDArray[np.uint16]  # [position, number]: the header, the stations by seat, the tickets
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    buckets: NDArray[np.int32]  # index of a position, or ABSENT; a power of two of them
    size: NDArray[np.int64]  # [0]: how many there are


def width(table: Table, form: CanonicalForm) -> int:
    """How many numbers say all about a position."""
    return HEADER + table.detectives + 1 + form.tickets.size


def new_table(numbers: int, capacity: int, folder: Path | None = None) -> Positions:
    """An empty table with room for this many positions of so many numbers each; in files, if there is a folder."""
    buckets = 1 << max(4, int(2 * capacity - 1).bit_length())
    return Positions(
        _array((capacity, numbers), np.uint16, 0, folder),
        _array((capacity,), np.float64, 0, folder),
        _array((capacity,), np.float64, 1, folder),
        _array((buckets,), np.int32, ABSENT, folder),
        np.zeros(1, np.int64),
    )


def _array(shape: tuple[int, ...], kind: type, value: int, folder: Path | None) -> NDArray[Any]:
    """An array in memory, or in a file without a name, which is gone when the array is."""
    if folder is None:
        return np.full(shape, value, kind) if value else np.zeros(shape, kind)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as file:
            if hasattr(os, "posix_fallocate"):  # a full disk shows now, and not when the array is written to
                os.posix_fallocate(file.fileno(), 0, int(np.prod(shape)) * np.dtype(kind).itemsize)
            made = np.memmap(file, kind, "w+", shape=shape)
    except OSError as error:
        raise FogboundError(f"The positions cannot be kept in {folder}: {error.strerror}.") from error
    if value:
        made[:] = value
    return made.view(np.ndarray)


def enlarged(positions: Positions, capacity: int, folder: Path | None = None) -> Positions:
    """The same positions with the same indices in a larger table."""
    larger = new_table(positions.rows.shape[1], capacity, folder)
    count = int(positions.size[0])
    larger.rows[:count] = positions.rows[:count]
    larger.lower[:count] = positions.lower[:count]
    larger.upper[:count] = positions.upper[:count]
    larger.size[0] = count
    _rehash(larger)
    return larger


def header(rows: NDArray[np.uint16]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """The slot, the turn and whether Mr X owes the second half of a double move, of each row."""
    first = rows[:, 0].astype(np.int64)
    return first >> 4, first >> 1 & 7, first & 1


@kernel
def _mixed(value):
    return xorshift(xorshift(value, 29) * GOLDEN, 32)


@kernel
def _row_digest(row):
    value = np.uint64(0)
    for k in range(row.size):
        value = absorb(value, np.int64(row[k]))
    return _mixed(value)


@kernel
def _first_bucket(positions, value):
    return np.int64(value >> np.uint64(20)) & (positions.buckets.size - 1)


@program
def _rehash(positions):
    mask = positions.buckets.size - 1
    for i in range(positions.size[0]):
        place = _first_bucket(positions, _row_digest(positions.rows[i]))
        while positions.buckets[place] >= 0:
            place = (place + 1) & mask
        positions.buckets[place] = i


@kernel
def _cut(state, seat, ticket, moves_left):
    if state.tickets[seat, ticket] != UNLIMITED:
        state.tickets[seat, ticket] = min(state.tickets[seat, ticket], moves_left)


@kernel
def cut_tickets(table, state):
    """Leave each seat no more tickets of a kind than the moves that it may still make: the rest changes nothing.

    What is handed over does not depend on what is left, so this holds for Mr X's growing stock too.
    """
    rounds_left = max(0, table.rounds - state.round + 1)
    _cut(state, 0, DOUBLE, rounds_left + 1)
    moved = state.turn > 0 and not table.detectives_first
    moves_left = rounds_left + table.closing_move + state.tickets[0, DOUBLE] - (1 if moved else 0)
    for ticket in range(DOUBLE):
        _cut(state, 0, ticket, moves_left)
    for seat in range(1, table.detectives + 1):
        for ticket in range(DOUBLE):
            _cut(state, seat, ticket, rounds_left - (1 if seat < state.turn else 0))


@kernel
def canonicalise(table, form, state):
    """Replace a revealed position by its canonical form: the least of its symmetric images, without spare tickets."""
    if not form.spare:
        cut_tickets(table, state)
    best = 0
    for g in range(1, form.maps.shape[0]):
        for seat in range(table.detectives + 1):
            difference = form.maps[g, state.station[seat]] - form.maps[best, state.station[seat]]
            if difference != 0:
                if difference < 0:
                    best = g
                break
    for seat in range(table.detectives + 1):
        state.station[seat] = form.maps[best, state.station[seat]]
    _place_pieces(table, state)
    return best


@kernel
def _place_pieces(table, state):
    """What follows from everybody's station when Mr X's is known."""
    state.occupied[:] = np.uint64(0)
    state.possible[:] = np.uint64(0)
    for seat in range(1, table.detectives + 1):
        add(state.occupied, state.station[seat])
    add(state.possible, state.station[0])
    state.last_seen = state.station[0]


@kernel
def _number(table, form, state, k):
    """The k-th number of a state's row."""
    if k == 0:
        return np.int64(state.slot) << 4 | np.int64(state.turn) << 1 | np.int64(state.second)
    if k == 1:
        return np.int64(state.round)
    if k == 2:
        return np.int64(state.seen_slot)
    if k <= HEADER + table.detectives:
        return np.int64(state.station[k - HEADER])
    ticket = form.tickets[k - HEADER - table.detectives - 1]
    return np.int64(state.tickets[ticket >> 4, ticket & 15])


@outlined
def restore(table, form, row, state):
    """The state that a row stands for."""
    state.slot = row[0] >> 4
    state.turn = row[0] >> 1 & 7
    state.second = row[0] & 1
    state.round = row[1]
    state.seen_slot = row[2]
    state.winner = NOBODY
    state.shown = 1
    state.station[:] = -1
    state.tickets[:] = 0
    for seat in range(table.detectives + 1):
        state.station[seat] = row[HEADER + seat]
        for ticket in range(10):
            state.tickets[seat, ticket] = table.tickets[min(seat, 1), ticket]
    for k in range(form.tickets.size):
        ticket = form.tickets[k]
        state.tickets[ticket >> 4, ticket & 15] = row[HEADER + table.detectives + 1 + k]
    _place_pieces(table, state)


@program
def restore_all(table, form, rows, states):
    for i in range(rows.shape[0]):
        restore(table, form, rows[i], states[i])


def states_of(table: Table, form: CanonicalForm, rows: NDArray[np.uint16]) -> NDArray[Any]:
    """The states that rows stand for."""
    states = np.zeros(len(rows), State)
    restore_all(table, form, rows, states)
    return states


@kernel
def _digest(table, form, state, numbers):
    value = np.uint64(0)
    for k in range(numbers):
        value = absorb(value, _number(table, form, state, k))
    return _mixed(value)


@kernel
def _is_row(table, form, state, row):
    for k in range(row.size):
        if _number(table, form, state, k) != row[k]:
            return False
    return True


@kernel
def _bucket(table, form, positions, state):
    """The bucket of a canonical position, or the free one where it would go."""
    mask = positions.buckets.size - 1
    place = _first_bucket(positions, _digest(table, form, state, positions.rows.shape[1]))
    while positions.buckets[place] >= 0:
        if _is_row(table, form, state, positions.rows[positions.buckets[place]]):
            return place
        place = (place + 1) & mask
    return place


@outlined
def find(table, form, positions, state):
    """The index of a canonical position, or ABSENT."""
    return np.int64(positions.buckets[_bucket(table, form, positions, state)])


@outlined
def insert(table, form, positions, state):
    """Add a canonical position if it is new; False when the table is full."""
    place = _bucket(table, form, positions, state)
    if positions.buckets[place] >= 0:
        return True
    i = positions.size[0]
    if i == positions.rows.shape[0]:
        return False
    for k in range(positions.rows.shape[1]):
        positions.rows[i, k] = _number(table, form, state, k)
    positions.buckets[place] = i
    positions.size[0] = i + 1
    return True


@kernel
def _row_bucket(positions, row):
    """The bucket of a row, or the free one where it would go."""
    mask = positions.buckets.size - 1
    place = _first_bucket(positions, _row_digest(row))
    while positions.buckets[place] >= 0:
        same = True
        for k in range(row.size):
            same &= positions.rows[positions.buckets[place], k] == row[k]
        if same:
            return place
        place = (place + 1) & mask
    return place


@program
def insert_rows(positions, rows):
    """Add rows; how many were added before the table was full."""
    for i in range(rows.shape[0]):
        place = _row_bucket(positions, rows[i])
        if positions.buckets[place] >= 0:
            continue
        last = positions.size[0]
        if last == positions.rows.shape[0]:
            return i
        positions.rows[last] = rows[i]
        positions.buckets[place] = last
        positions.size[0] = last + 1
    return rows.shape[0]


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
