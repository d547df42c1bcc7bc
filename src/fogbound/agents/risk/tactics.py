"""What players of Risk look at on the map: borders, threats, idle stacks, sets of cards. All of them share these kernels.

Where two players judge differently on purpose, both ways are here, under names that say the difference.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel, outlined
from fogbound.games.risk.cards import list_exchanges, set_value
from fogbound.games.risk.rules import connected, may_leave
from fogbound.games.risk.table import (
    BATTLE,
    END_TURN,
    FORTIFY_MOVE,
    NEUTRAL,
    WILD,
    a_of,
    b_of,
    contains,
    count_of,
    encode,
    room,
)

STOP = 3  # a battle is broken off when so few armies are left that two dice would be rolled


# Borders and armies.


@kernel
def on_border(table, state, seat, territory):
    """Whether a territory is next to a foreign one."""
    near = (table.near[territory, 0] & ~state.land[seat, 0]) | (table.near[territory, 1] & ~state.land[seat, 1])
    return near != np.uint64(0)


@kernel
def largest_threat(table, state, seat, territory):
    """The largest stack of a player that can attack a territory: the armies that it can attack with."""
    largest = np.int64(0)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        near = table.links[i]
        owner = state.owner[near]
        if owner != seat and owner != NEUTRAL:
            largest = max(largest, np.int64(state.armies[near]) - 1)
    return largest


@kernel
def total_threat(table, state, seat, territory):
    """All foreign armies around a territory, and one for each territory they stand on; neutral armies do not count."""
    armies = np.int64(0)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        near = table.links[i]
        if state.owner[near] != seat:
            armies += 1 if state.owner[near] == NEUTRAL else 1 + np.int64(state.armies[near])
    return armies


@kernel
def most_threatened(table, state, seat):
    """The own territory with room for more armies that has the largest total threat."""
    best, found = np.int64(-1), np.int64(0)
    for territory in range(table.territories):
        if state.owner[territory] == seat and room(table, state, territory) > 0:
            threat = total_threat(table, state, seat, territory)
            if threat > best:
                best, found = threat, np.int64(territory)
    return found


@kernel
def free_armies(table, state, seat):
    """The armies that a seat can attack with this turn: those to place, and all but one on each territory."""
    total = np.float64(state.pool)
    for territory in range(table.territories):
        if state.owner[territory] == seat:
            total += state.armies[territory] - 1
    return total


@kernel
def armies_to_eliminate(table, state, owner):
    """What it takes to eliminate an owner: a match for every army, and one to leave on each territory."""
    total = 0.0
    for territory in range(table.territories):
        if state.owner[territory] == owner:
            total += state.armies[territory] + 1
    return total


# Moves.


@kernel
def placeable(table, state, territory):
    """How many of the armies to place a territory can take."""
    return min(np.int64(state.pool), np.int64(room(table, state, territory)))


@kernel
def careful_battle(state, source, target):
    """A battle that is broken off while there are still armies enough for another day."""
    return encode(BATTLE, source, target, STOP if state.armies[source] > STOP else 1)


@kernel
def may_fortify(table, state):
    """Whether a first fortifying move, or by the rules another one, can still be made."""
    return state.source < 0 or table.free_fortify != 0


@kernel
def idle_stack(table, state, seat):
    """The largest stack that may move and is next to no foreign territory: its size and place, or 1 and -1."""
    largest, source = np.int64(1), -1
    for territory in range(table.territories):
        larger = state.armies[territory] > largest
        if larger and may_leave(state, territory) and not on_border(table, state, seat, territory):
            largest, source = np.int64(state.armies[territory]), territory
    return largest, source


@outlined
def reinforce(table, state, seat):
    """The end of a turn: the largest idle stack goes to the connected border with most foreign armies against it."""
    done = encode(END_TURN, 0, 0, 0)
    if not may_fortify(table, state):
        return done
    largest, source = idle_stack(table, state, seat)
    if source < 0:
        return done
    reach0, reach1 = connected(table, state, source)
    best, target = np.int64(0), -1
    for territory in range(table.territories):
        if contains(reach0, reach1, territory) and territory != source and room(table, state, territory) > 0:
            value = total_threat(table, state, seat, territory)
            if value > best:
                best, target = value, territory
    if target < 0:
        return done
    return encode(FORTIFY_MOVE, source, target, min(largest - 1, np.int64(room(table, state, target))))


@outlined
def best_neutral(table, state, seat):
    """The neutral territory where one more army bars the opponent's way rather than one's own."""
    best, found = -1 << 40, 0
    for territory in range(table.territories):
        if state.owner[territory] != NEUTRAL or room(table, state, territory) <= 0:
            continue
        value = -state.armies[territory]
        for i in range(table.link_start[territory], table.link_start[territory + 1]):
            owner = state.owner[table.links[i]]
            if owner == seat:
                value -= 2 * state.armies[table.links[i]]
            elif owner != NEUTRAL:
                value += state.armies[table.links[i]]
        if value > best:
            best, found = value, territory
    return found


# Sets of cards.


@outlined
def most_armies_set(table, state, seat, out):
    """The first of the sets that bring most armies; -1 if there is no set."""
    count = list_exchanges(table, state, seat, out, 0)
    best, found = -1, np.int64(-1)
    for i in range(count):
        value = set_value(table, state.sets, a_of(out[i]), b_of(out[i]), count_of(out[i]) >> 2)
        if value > best:
            best, found = value, out[i]
    return found


@outlined
def thrifty_set(table, state, seat, out):
    """The best set where wild cards are better kept, and two armies are better placed on a border; -1 if there is none."""
    count = list_exchanges(table, state, seat, out, 0)
    best, found = -1e9, np.int64(-1)
    for i in range(count):
        a, b, c = a_of(out[i]), b_of(out[i]), count_of(out[i]) >> 2
        value = np.float64(set_value(table, state.sets, a, b, c))
        for place, card in enumerate((a, b, c)):
            if table.symbol[card] == WILD:
                value -= 1.5
            elif count_of(out[i]) & 3 == place + 1:
                value += 2.0 if on_border(table, state, seat, card) else 1.0
        if value > best:
            best, found = value, out[i]
    return found
