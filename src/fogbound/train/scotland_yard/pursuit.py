"""The chase with everything seen and no tickets to count, solved exactly: how many moves Mr X has left.

It gives the labels of the preset `pursuit`: a detective who knows where Mr X is cannot do better.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, program
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN

NEVER = 255  # moves left where Mr X is never caught
MOST_POSITIONS = 200_000_000


def moves_left(game: ScotlandYard) -> NDArray[np.uint8]:
    """[seat to move, position]: the moves that Mr X still makes if both sides play best.

    A position is Mr X's station, then each detective's, as digits to the base of the number of stations.
    """
    table = game.table
    positions = table.stations ** (table.detectives + 1)
    if positions * (table.detectives + 1) > MOST_POSITIONS:
        raise FogboundError(f"{game.spec} has too many positions for solving the chase; use labels=distance.")
    left = np.full((table.detectives + 1, positions), NEVER, np.uint8)
    while _sweep(table, left):
        pass
    return left


@kernel
def is_free(place, station):
    """Whether no detective stands on a station."""
    for seat in range(1, place.size):
        if place[seat] == station:
            return False
    return True


@program
def _sweep(table, left):
    """Update every position from those it leads to; how many changed."""
    seats = left.shape[0]
    place = np.zeros(seats, np.int64)
    changed = 0
    for seat in range(seats - 1, -1, -1):
        weight = table.stations ** (seats - 1 - seat)
        for position in range(left.shape[1]):
            rest = position
            for piece in range(seats - 1, -1, -1):
                place[piece] = rest % table.stations
                rest //= table.stations
            if not _are_apart(place):
                continue
            if seat == 0:
                best = _flee(table, left[1], place, position, weight)
            else:
                best = _hunt(table, left[(seat + 1) % seats], place, seat, position, weight)
            if best != left[seat, position]:
                left[seat, position] = best
                changed += 1
    return changed


@kernel
def _are_apart(place):
    for i in range(place.size):
        for j in range(i):
            if place[i] == place[j]:
                return False
    return True


@kernel
def _flee(table, following, place, position, weight):
    here, best = place[0], 0
    for i in range(table.any_start[here], table.any_start[here + 1]):
        end = np.int64(table.any_links[i])
        if is_free(place, end):
            best = max(best, np.int64(following[position + (end - here) * weight]))
    return min(best + 1, NEVER)


@kernel
def _hunt(table, following, place, seat, position, weight):
    here, best = place[seat], NEVER + 1
    for i in range(table.link_start[here], table.link_start[here + 1]):
        end = np.int64(table.links[i] & HIDDEN)
        if end == place[0]:
            return 0
        if is_free(place, end):
            best = min(best, np.int64(following[position + (end - here) * weight]))
    return best if best <= NEVER else np.int64(following[position])
