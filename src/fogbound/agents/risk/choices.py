"""The choices that a net of Risk has: fewer and plainer than the legal moves, and each of them is one.

A choice is about a territory, in one of two ways, or about none:

| phase | first way | second way | about none |
|---|---|---|---|
| claim, set-up | take it, or place one army there | | |
| draft | place all armies there | place half of them there | turn in a set |
| attack | conquer it at any cost | attack it, but break off in time | end the attack |
| occupy | | | all follow, half, none |
| fortify | the largest idle stack goes there | the largest stack goes there | end the turn |

Battles are fought by the largest own stack beside the target.
"""

from __future__ import annotations

import numpy as np

from fogbound.agents.risk.tactics import STOP, may_fortify, on_border, placeable, thrifty_set
from fogbound.core.compiled import kernel, outlined, part
from fogbound.games.risk.battle import movable
from fogbound.games.risk.rules import connected, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    CLAIM,
    CLAIM_MOVE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY_MOVE,
    FREE,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    SETUP,
    STAY,
    contains,
    encode,
    largest_step,
    room,
)

MOST = 48  # territories of a map that the nets can play
WAYS = 2
END, TURN_IN, ALL_FOLLOW, HALF_FOLLOW, NONE_FOLLOW = range(5)
CHOICES = WAYS * MOST + 5
NOT_THERE = np.int64(-1)
MOST_HALVED = 100  # one move places at most 50 armies if it does not place all, so that halving more would take for ever


@part
def list_choices(table, state, seat, mask, out):
    """Mark every choice that there is; how many."""
    mask[:] = 0
    count = 0
    if state.phase != OCCUPY:
        for territory in range(table.territories):
            for way in range(WAYS):
                if _about(table, state, seat, territory, way) >= 0:
                    mask[way * MOST + territory] = 1
                    count += 1
    for choice in range(WAYS * MOST, CHOICES):
        if _about_none(table, state, seat, choice - WAYS * MOST, out) >= 0:
            mask[choice] = 1
            count += 1
    return count


@part
def move_of(table, state, seat, choice, out):
    """The move that a choice makes; -1 if there is no such choice now."""
    if choice >= WAYS * MOST:
        return _about_none(table, state, seat, choice - WAYS * MOST, out)
    if choice % MOST >= table.territories:
        return NOT_THERE
    return _about(table, state, seat, choice % MOST, choice // MOST)


@kernel
def _about(table, state, seat, territory, way):
    """The move that a choice about a territory makes."""
    phase = state.phase
    if phase == DRAFT:
        return _place(table, state, seat, territory, way)
    if phase == ATTACK:
        return _attack(table, state, seat, territory, way)
    if phase == CLAIM:
        return encode(CLAIM_MOVE, 0, territory, 1) if way == 0 and state.owner[territory] == FREE else NOT_THERE
    if phase in (SETUP, NEUTRAL_SETUP):
        owner = seat if phase == SETUP else NEUTRAL
        fits = way == 0 and state.owner[territory] == owner and room(table, state, territory) > 0
        return encode(PLACE, 0, territory, 1) if fits else NOT_THERE
    return NOT_THERE if phase == OCCUPY else _fortify(table, state, seat, territory, way)


@kernel
def _about_none(table, state, seat, choice, out):
    phase = state.phase
    if choice == END:
        if phase == ATTACK:
            return encode(END_ATTACK, 0, 0, 0)
        return encode(END_TURN, 0, 0, 0) if phase > OCCUPY else NOT_THERE
    if choice == TURN_IN:
        may = state.cards[seat] >= MUST_EXCHANGE or (state.cards[seat] >= 3 and state.in_attack == 0)
        return thrifty_set(table, state, seat, out) if phase == DRAFT and may else NOT_THERE
    if phase != OCCUPY:
        return NOT_THERE
    most = np.int64(movable(table, state))
    if choice == ALL_FOLLOW:
        return encode(MOVE, 0, 0, most)
    if choice == NONE_FOLLOW:
        return encode(STAY, 0, 0, 0)
    half = (np.int64(state.armies[state.source]) - np.int64(state.armies[state.target])) // 2
    return encode(MOVE, 0, 0, largest_step(half, most)) if 0 < half < min(most, MOST_HALVED) else NOT_THERE


@kernel
def _place(table, state, seat, territory, way):
    if state.owner[territory] != seat or state.cards[seat] >= MUST_EXCHANGE or room(table, state, territory) <= 0:
        return NOT_THERE
    most = placeable(table, state, territory)
    half = np.int64(state.pool) // 2
    if way == 0:
        return encode(PLACE, 0, territory, most)
    return encode(PLACE, 0, territory, largest_step(half, most)) if 0 < half < min(most, MOST_HALVED) else NOT_THERE


@kernel
def _attack(table, state, seat, territory, way):
    if state.owner[territory] == seat:
        return NOT_THERE
    source = strongest_beside(table, state, seat, territory)
    if source < 0:
        return NOT_THERE
    if way == 0:
        return encode(BATTLE, source, territory, 1)
    return encode(BATTLE, source, territory, STOP) if state.armies[source] > STOP else NOT_THERE


@kernel
def strongest_beside(table, state, seat, territory):
    """This seat's largest stack beside a territory that can attack; -1 if there is none."""
    largest, found = np.int64(1), np.int64(-1)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        near = np.int64(table.links[i])
        if state.owner[near] == seat and state.armies[near] > largest:
            largest, found = np.int64(state.armies[near]), near
    return found


@outlined
def _fortify(table, state, seat, territory, way):
    if state.owner[territory] != seat or room(table, state, territory) <= 0 or not may_fortify(table, state):
        return NOT_THERE
    reach0, reach1 = connected(table, state, territory)
    idle, any_stack = np.int64(-1), np.int64(-1)
    for source in range(table.territories):
        if source == territory or not contains(reach0, reach1, source) or not may_leave(state, source):
            continue
        if any_stack < 0 or state.armies[source] > state.armies[any_stack]:
            any_stack = np.int64(source)
        if not on_border(table, state, seat, source) and (idle < 0 or state.armies[source] > state.armies[idle]):
            idle = np.int64(source)
    source = idle if way == 0 else any_stack
    if source < 0 or (way == 1 and any_stack == idle):
        return NOT_THERE
    return encode(FORTIFY_MOVE, source, territory, min(np.int64(state.armies[source]) - 1, room(table, state, territory)))
