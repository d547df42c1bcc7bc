"""The compiled hooks of the tree search for Scotland Yard: determinization, move filter, rewards and a playout policy."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.tree import GameHooks
from fogbound.core.compiled import kernel
from fogbound.core.rng import below, unit
from fogbound.games.scotland_yard.paths import Paths, nearest_detective
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE_SHIFT,
    HIDDEN,
    MR_X,
    PASS_TICKET,
    TICKET_SHIFT,
    legal,
    member,
    size,
)

FAR = 300  # more than any distance


class HookData(NamedTuple):
    """What the hooks need for one position."""

    places: NDArray[np.int16]  # stations where Mr X can be
    chances: NDArray[np.float64]  # cumulative probabilities of these
    known: int  # how many places there are
    coalition: float
    filter: int
    mixed: NDArray[np.uint64]  # stations with more than one transport


@kernel
def imagine(table, data, state, seat, rng):
    """Determinize: put Mr X on one of his possible stations, by their probabilities."""
    if state.station[0] >= 0:
        return
    drawn = unit(rng)
    low, high = 0, data.known - 1
    while low < high:
        middle = (low + high) >> 1
        if drawn < data.chances[middle]:
            high = middle
        else:
            low = middle + 1
    state.station[0] = data.places[low]


@kernel
def moves(table, data, state, out):
    """The legal moves; for Mr X without those that waste a ticket, unless nothing else is left."""
    count = legal(table, state, out)
    if data.filter == 0 or state.turn != 0:
        return count
    black, double = _black_hides(table, data, state), _is_near(table, state)
    if black and double:
        return count
    kept = 0
    for i in range(count):
        if (black or (out[i] >> TICKET_SHIFT) & 15 != BLACK) and (double or out[i] >> DOUBLE_SHIFT == 0):
            out[kept] = out[i]
            kept += 1
    return kept if kept > 0 else legal(table, state, out)


@kernel
def _black_hides(table, data, state):
    """Whether a black ticket can hide anything: not before Mr X was first seen, nor when he is shown
    right after, nor where one transport is all there is."""
    if state.last_seen < 0 or table.reveal[state.slot + 1]:
        return False
    for w in range(4):
        if state.possible[w] & data.mixed[w]:
            return True
    return False


@kernel
def _is_near(table, state):
    """Whether a detective stands one step from Mr X."""
    everything = (1 << table.transports) - 1
    for w in range(4):
        if table.reach[everything, state.station[0], w] & state.occupied[w]:
            return True
    return False


@kernel
def reward(table, data, state, side_of, side_score, result):
    """1 for the winners; a detective who did not make the catch himself gets a little less."""
    caught = state.winner == DETECTIVES
    catcher = False
    for seat in range(1, result.size):
        catcher = catcher or state.station[seat] == state.station[0]
    result[0] = 1.0 if state.winner == MR_X else (0.0 if caught else 0.5)
    for seat in range(1, result.size):
        result[seat] = 1.0 - result[0]
        if caught and catcher and state.station[seat] != state.station[0]:
            result[seat] -= data.coalition


class ChaseParams(NamedTuple):
    paths: Paths


@kernel
def chase(table, params, view, seat, out, rng):
    """A quick playout policy: Mr X goes where the nearest detective is farthest; a detective goes towards Mr X if he
    sees him, or else towards any station where he can be. Equally good moves are equally likely."""
    count = legal(table, view, out)
    target = np.int64(view.station[0])
    if target < 0:
        target = member(view.possible, below(rng, size(view.possible)))
    best, ties, pick = -1, 0, 0
    for i in range(count):
        station = out[i] & HIDDEN
        if out[i] >> DOUBLE_SHIFT:
            continue
        good = 0
        if (out[i] >> TICKET_SHIFT) & 15 != PASS_TICKET:
            good = (
                FAR - params.paths.hops[station, target]
                if seat > 0
                else nearest_detective(table, params.paths, view, station, 0)
            )
        if good > best:
            best, ties = good, 0
        if good == best:
            ties += 1
            if below(rng, ties) == 0:
                pick = i
    return out[pick]


HOOKS = GameHooks(imagine, moves, reward)
