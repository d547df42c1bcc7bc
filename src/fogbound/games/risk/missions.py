"""Secret missions: dealing them, when they are fulfilled, and guessing those of others."""

from __future__ import annotations

import numpy as np

from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.chance import draw
from fogbound.core.compiled import kernel, outlined
from fogbound.core.rng import below
from fogbound.games.risk.table import CONTINENTS, DESTROY, MANY, alive, held, holds

OFFSET_BITS = 6  # room for a mission's number


@kernel
def deal_missions(table, state, chance):
    """A mission for each player in the order of play, out of those that are left and not against himself."""
    taken = np.uint64(0)
    for k in range(table.players):
        seat = (state.first + k) % table.players
        choices = possible(table, seat) & ~taken
        mission = _ranked(choices, draw(chance, count_bits(choices)))
        state.mission[seat] = mission
        taken |= np.uint64(1) << np.uint64(mission)


@kernel
def possible(table, seat):
    """The missions that a seat can be dealt: none for absent colours, none against itself."""
    choices = np.uint64(0)
    for mission in range(table.missions):
        against = table.mission_target[mission]
        if table.mission_kind[mission] != DESTROY or (against < table.players and against != seat):
            choices |= np.uint64(1) << np.uint64(mission)
    return choices


@kernel
def _ranked(choices, rank):
    for _ in range(rank):
        choices &= choices - np.uint64(1)
    return lowest_bit(choices)


@outlined
def fulfilled(table, state, seat):
    """The set of all missions that a seat would have fulfilled now."""
    missions = np.uint64(0)
    for mission in range(table.missions):
        if _is_fulfilled(table, state, seat, mission):
            missions |= np.uint64(1) << np.uint64(mission)
    return missions


@kernel
def _is_fulfilled(table, state, seat, mission):
    kind = table.mission_kind[mission]
    if kind == DESTROY:
        return _destroyed(table, state, seat, table.mission_target[mission])
    if kind == CONTINENTS:
        return _holds_continents(table, state, seat, mission)
    if kind == MANY:
        return held(state, seat) >= table.hold_many
    return _held_firmly(state, seat) >= table.hold_firmly


@kernel
def _destroyed(table, state, seat, target):
    """A colour that someone else destroyed makes the mission one to hold many territories."""
    if target >= table.players or target == seat:
        return False
    by = state.destroyer[target]
    if by == seat or (by >= 0 and table.strict_missions):
        return True
    return by >= 0 and held(state, seat) >= table.hold_many


@kernel
def _holds_continents(table, state, seat, mission):
    for i in range(table.mission_continents.shape[1]):
        continent = table.mission_continents[mission, i]
        if continent >= 0 and not holds(table, state, seat, continent):
            return False
    count = 0
    for continent in range(table.bonus.size):
        if holds(table, state, seat, continent):
            count += 1
    return count >= table.mission_target[mission]


@kernel
def _held_firmly(state, seat):
    count = 0
    for w in range(2):
        word = state.land[seat, w]
        while word:
            if state.armies[w * 64 + lowest_bit(word)] >= 2:
                count += 1
            word &= word - np.uint64(1)
    return count


@outlined
def mission_winner(table, state):
    """At the end of a turn: the seat whose mission is fulfilled, his own first; -1 if nobody's is.

    What a seat has fulfilled without winning was not its mission: that is remembered.
    """
    winner = -1
    for k in range(table.players):
        seat = (state.turn + k) % table.players
        if alive(state, seat):
            missions = fulfilled(table, state, seat)
            state.ruled_out[seat] |= np.uint32(missions)
            if winner < 0 and (missions >> np.uint64(state.mission[seat])) & np.uint64(1):
                winner = seat
    return winner


@outlined
def imagine_missions(table, state, rng):
    """Give every seat without a known mission one that it can have, all different.

    Seats are tried in order, each from a random place in the list; where nothing is left
    for one, the seat before it takes its next. As the true missions fit, this finds some.
    """
    taken = np.uint64(0)
    hidden = 0  # a bit for each seat to be given one
    for seat in range(table.players):
        if state.mission[seat] >= 0:
            taken |= np.uint64(1) << np.uint64(state.mission[seat])
        else:
            hidden |= 1 << seat
    offsets = np.int64(0)
    tried = np.int64(0)
    for seat in range(table.players):
        offsets |= below(rng, table.missions) << (OFFSET_BITS * seat)
    seat = 0
    while seat < table.players:
        if (hidden >> seat) & 1 == 0:
            seat += 1
            continue
        allowed = possible(table, seat) & ~np.uint64(state.ruled_out[seat]) & ~taken
        at = (tried >> (OFFSET_BITS * seat)) & 63
        found = -1
        while at < table.missions and found < 0:
            mission = (((offsets >> (OFFSET_BITS * seat)) & 63) + at) % table.missions
            at += 1
            if (allowed >> np.uint64(mission)) & np.uint64(1):
                found = mission
        tried &= ~(np.int64(63) << (OFFSET_BITS * seat))
        if found >= 0:
            tried |= at << (OFFSET_BITS * seat)
            state.mission[seat] = found
            taken |= np.uint64(1) << np.uint64(found)
            seat += 1
            continue
        seat -= 1
        while seat >= 0 and (hidden >> seat) & 1 == 0:
            seat -= 1
        if seat < 0:
            return
        taken &= ~(np.uint64(1) << np.uint64(state.mission[seat]))
        state.mission[seat] = -1
