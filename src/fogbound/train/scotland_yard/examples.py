"""Labelled training examples for supervised nets: numbered placements of the pieces, with a value for each move.

Everything is seen and tickets are not counted. Values come from distances, as in Husa 2022, or from
the solved chase of `pursuit`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, program
from fogbound.games.scotland_yard.features import write_placement
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN
from fogbound.train.scotland_yard.pursuit import is_free, moves_left

DISTANCE, PURSUIT = 0, 1
LABELS = ("distance", "pursuit")
NO_MOVE = np.float32(-1.0)
DISCOUNT = 0.8  # of a catch, for every move that Mr X makes before it
# Mr X is hidden most of the time, so his moves left are not all that counts: being far away and having ways out do too.
# A detective farther than FAR counts as that far, more moves left than MANY as so many.
FAR, MANY, EACH = 6, 10, 0.3
SCALE = 15.0  # keeps his values about between 0 and 1


class Labeller(NamedTuple):
    kind: int
    hops: NDArray[np.int16]
    left: NDArray[np.uint8]  # [seat to move, position]: Mr X's moves left, for the kind PURSUIT


def labeller(game: ScotlandYard, kind: str) -> Labeller:
    left = moves_left(game) if kind == "pursuit" else np.zeros((1, 1), np.uint8)
    return Labeller(LABELS.index(kind), game.paths.hops, left)


def count_placements(stations: int, detectives: int) -> int:
    """All ways of putting Mr X and the detectives on different stations."""
    count = 1
    for piece in range(detectives + 1):
        count *= stations - piece
    return count


@kernel
def place_pieces(number, stations, place):
    """The stations of a placement's pieces by its number: each digit counts the stations still free."""
    for piece in range(place.size):
        free = stations - piece
        digit = number % free
        number //= free
        for station in range(stations):
            if _is_taken(place, piece, station):
                continue
            if digit == 0:
                place[piece] = station
                break
            digit -= 1


@kernel
def _is_taken(place, pieces, station):
    for piece in range(pieces):
        if place[piece] == station:
            return True
    return False


@program
def write_examples(table, labeller, numbers, seat, coding, inputs, values):
    """Write placements as the mover sees them, and the value of each station to him; NO_MOVE where he cannot go.

    Seat 0 is Mr X; seat -1 stands for each detective in turn.
    """
    place = np.zeros(table.detectives + 1, np.int64)
    for i in range(numbers.size):
        place_pieces(numbers[i], table.stations, place)
        mover = seat if seat >= 0 else 1 + (numbers[i] + i) % table.detectives
        write_placement(inputs[i], coding, table.stations, table.detectives, place, mover, place[0])
        values[i, :] = NO_MOVE
        if mover == 0:
            _values_for_mr_x(table, labeller, place, values[i])
        else:
            _values_for_detective(table, labeller, place, mover, values[i])
        if labeller.kind == DISTANCE:
            _mark_best(values[i])


@kernel
def _mark_best(values):
    """1 for the best moves, 0 for the others."""
    best = NO_MOVE
    for station in range(values.size):
        best = max(best, values[station])
    for station in range(values.size):
        if values[station] != NO_MOVE:
            values[station] = np.float32(1.0 if values[station] == best else 0.0)


@kernel
def _values_for_mr_x(table, labeller, place, values):
    """Far from the nearest detective, then with many ways out; or with many moves left, far from all, with ways out."""
    here = place[0]
    for i in range(table.any_start[here], table.any_start[here + 1]):
        end = np.int64(table.any_links[i])
        if not is_free(place, end):
            if labeller.kind == PURSUIT:
                values[end] = np.float32(0.0)  # where he may step on a detective at all, he is caught
            continue
        nearest, total = 1 << 20, 0
        for seat in range(1, place.size):
            away = np.int64(labeller.hops[place[seat], end])
            nearest, total = min(nearest, away), total + min(away, FAR)
        ways = np.int64(table.any_start[end + 1] - table.any_start[end])
        if labeller.kind == DISTANCE:
            values[end] = np.float32(nearest * 64 + ways)
        else:
            left = np.int64(labeller.left[1, _position(table.stations, place, 0, end)])
            values[end] = np.float32((min(left, MANY) + EACH * (total + ways)) / SCALE)


@kernel
def _values_for_detective(table, labeller, place, mover, values):
    """Close to Mr X; or with few moves left to him."""
    here = place[mover]
    for i in range(table.link_start[here], table.link_start[here + 1]):
        end = np.int64(table.links[i] & HIDDEN)
        if not is_free(place, end):
            continue
        if labeller.kind == DISTANCE:
            values[end] = np.float32(1000 - labeller.hops[end, place[0]])
        elif end == place[0]:
            values[end] = np.float32(1.0)
        else:
            left = labeller.left[(mover + 1) % place.size, _position(table.stations, place, mover, end)]
            values[end] = np.float32(DISCOUNT**left)


@kernel
def _position(stations, place, mover, end):
    position = 0
    for piece in range(place.size):
        position = position * stations + (end if piece == mover else place[piece])
    return position
