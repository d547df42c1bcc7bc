"""The turns that a seat of Eight-Minute Empire can play: every card is followed to the ends of the turn that look best.

A march of several steps is one deed here, as on the board. Positions on the way, and the ends, are compared by a quick
evaluation whose weights are the player's style; equal positions that are reached in another order are met once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.empire.heuristic import steps_between
from fogbound.core.compiled import kernel, part
from fogbound.core.hashing import FNV_START, GOLDEN, absorb, xorshift
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import (
    ACTING,
    KIND_SHIFT,
    LOW,
    MOVE,
    PLACES,
    SAIL,
    STEP,
    TAKING,
    WILD,
    X_SHIFT,
    State,
    apply,
    goods_points,
    legal,
)

LONGEST = 16  # moves of one turn
SEEN_BITS = 12


class Style(NamedTuple):
    """What a player values, in points; those that end in `_later` fade towards the end of the game."""

    region: float = 1.0
    continent: float = 1.0
    safe_later: float = 0.15  # each piece of lead beyond the first, at most two
    tie_later: float = 0.3
    near_later: float = 0.1  # one piece behind
    rival: float = 1.0  # a majority of another, shared among the others
    goods: float = 1.0
    good_later: float = 0.15  # each good, at most three of a kind
    wild_later: float = 0.3
    coin: float = 0.02
    coin_later: float = 0.25
    army_later: float = 0.15  # each army on the board
    city: float = 0.0
    presence: float = 0.0  # each region with an army or city


class Plans(NamedTuple):
    """Turns that were found, a row each; the rows after `most` are room to find them.

    Few arrays and few functions on purpose: every one of them is compiled again into all that call it.
    """

    state: NDArray[np.void]  # [row]: the position at the end of the turn
    path: NDArray[np.int64]  # [row, move]
    length: NDArray[np.int64]
    quick: NDArray[np.float64]  # by the quick evaluation
    codes: NDArray[np.int64]  # [2, action]
    seen: NDArray[np.uint64]
    far: NDArray[np.int16]  # [by sea, from, to]: steps
    most: int  # plans in all
    each: int  # plans kept for each card
    width: int  # positions followed at a time


def plans_for(game: Empire, each: int, width: int) -> Plans:
    """Room for `each` plans a card, with `width` positions followed at a time."""
    table, most = game.table, each * PLACES
    rows = most + 2 * width + 1
    far = np.stack([steps_between(table.land_start, table.land), steps_between(table.sail_start, table.sail)])
    far.setflags(write=False)
    return Plans(
        np.zeros(rows, State),
        np.zeros((rows, LONGEST), np.int64),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        np.zeros((2, game.most_actions + table.regions**2), np.int64),
        np.zeros(1 << SEEN_BITS, np.uint64),
        far,
        most,
        each,
        width,
    )


@part
def _legal(table, state, out):
    return legal(table, state, out)


@part
def _apply(table, state, action, chance):
    apply(table, state, action, chance)


@part
def find_plans(table, plans, style, view, seat, chance):
    """Fill `plans` with the most promising turns from here on, the best few of each card: how many."""
    kept, coming_first, trial = plans.most, plans.most + plans.width, plans.most + 2 * plans.width
    state, path, length = plans.state, plans.path, plans.length
    taking = view.phase == TAKING
    cards = _legal(table, view, plans.codes[0]) if taking else 1
    begun = np.int64(view.played)
    count = np.int64(0)  # one type for each number: otherwise all below is compiled once for every mixture of types
    for c in range(cards):
        base = count
        plans.seen[:] = np.uint64(0)
        state[kept] = view
        length[kept] = 0
        if taking:
            path[kept, 0] = plans.codes[0, c]
            length[kept] = 1
            _apply(table, state[kept], plans.codes[0, c], chance)
        following = 1
        if state[kept].played > begun:
            _copy(plans, kept, trial)
            _, count = _meet(table, plans, style, seat, base, count, np.int64(0), begun)
            following = 0
        while following > 0:
            coming = np.int64(0)
            for k in range(kept, kept + following):
                deeds = _deeds(table, plans, state[k], seat)
                for d in range(deeds):
                    _copy(plans, k, trial)
                    _do(table, plans, trial, plans.codes[1, d], chance)
                    coming, count = _meet(table, plans, style, seat, base, count, coming, begun)
            for k in range(coming):
                _copy(plans, coming_first + k, kept + k)
            following = coming
    return count


@kernel
def _deeds(table, plans, here, seat):
    """What can be done next, into `plans.codes[1]`: the legal actions, but a march of one army to any region in reach."""
    out = plans.codes[1]
    count = np.int64(0)
    for i in range(_legal(table, here, out)):
        if out[i] >> KIND_SHIFT != STEP:
            out[count] = out[i]
            count += 1
    by_sea = np.int64(here.left[SAIL] > 0)
    steps = here.left[SAIL] if by_sea else here.left[MOVE]
    if here.phase != ACTING or steps == 0:
        return count
    for a in range(table.regions):
        if here.armies[a, seat] == 0:
            continue
        for b in range(table.regions):
            if 0 < plans.far[by_sea, a, b] <= steps:
                out[count] = STEP << KIND_SHIFT | a << X_SHIFT | b
                count += 1
    return count


@kernel
def _do(table, plans, row, code, chance):
    """Do a deed in the position of a row, a march step by step."""
    march = code >> KIND_SHIFT == STEP
    at = (code >> X_SHIFT) & LOW
    goal = code & LOW
    by_sea = np.int64(plans.state[row].left[SAIL] > 0)
    while True:
        to = goal
        if march:
            to = _nearer(table, plans.far[by_sea], at, goal)
            code = np.int64(STEP << KIND_SHIFT | at << X_SHIFT | to)
        _apply(table, plans.state[row], code, chance)
        plans.path[row, plans.length[row]] = code
        plans.length[row] += 1
        at = to
        if to == goal:
            return


@kernel
def _nearer(table, far, a, b):
    """The first region after a on a shortest way to b."""
    for i in range(table.sail_start[a], table.sail_start[a + 1]):
        end = np.int64(table.sail[i])
        if far[a, end] == 1 and far[end, b] < far[a, b]:
            return end
    return np.int64(b)


@part
def _meet(table, plans, style, seat, base, count, coming, begun):
    """Put the trial where it belongs: nowhere if it was met, among the plans if the turn is over, or among those to follow.

    Returns how many come next, and how many plans there are.
    """
    trial = plans.most + 2 * plans.width
    state = plans.state[trial]
    key = _hash(table, state) | np.uint64(1)
    place = np.int64(key >> np.uint64(64 - SEEN_BITS))
    if plans.seen[place] == key:
        return coming, count
    plans.seen[place] = key
    plans.quick[trial] = quick_value(table, style, state, seat)
    over = state.played > begun
    first = base if over else plans.most + plans.width
    here = count - base if over else coming
    room = plans.each if over else plans.width
    row = first + here
    if here == room:
        row = first
        for i in range(first + 1, first + here):
            if plans.quick[i] < plans.quick[row]:
                row = i
        if plans.quick[trial] <= plans.quick[row]:
            return coming, count
        here -= 1
    _copy(plans, trial, row)
    return (coming, base + here + 1) if over else (here + 1, count)


@kernel
def _copy(plans, source, target):
    plans.state[target] = plans.state[source]
    plans.quick[target] = plans.quick[source]
    plans.length[target] = plans.length[source]
    for i in range(plans.length[source]):
        plans.path[target, i] = plans.path[source, i]


@kernel
def _hash(table, state):
    """A number for what a turn has done so far, whatever the order it was done in."""
    value = FNV_START
    for region in range(table.regions):
        for colour in range(table.colours):
            value = absorb(value, np.int64(state.armies[region, colour]) << 8 | np.int64(state.cities[region, colour]))
    for deed in range(5):
        value = absorb(value, state.left[deed])
    return xorshift((value ^ np.uint64(state.played << 4 | state.phase)) * GOLDEN, 29)


@part
def quick_value(table, style, state, seat):
    """How good a position looks: points, majorities that are near or safe, goods, coins, against the others."""
    left = (table.turns - state.played) / table.turns
    value = style.goods * goods_points(table, state, seat)
    for good in range(WILD):
        value += style.good_later * left * min(np.int64(state.goods[seat, good]), 3)
    value += style.wild_later * left * state.goods[seat, WILD] + (style.coin + style.coin_later * left) * state.coins[seat]
    value -= style.army_later * left * state.reserve[seat] + style.city * state.cities_left[seat]
    for region in range(table.regions):
        value += _region_value(table, style, state, seat, region, left)
    for continent in range(table.continents):
        value += _continent_value(table, style, state, seat, continent, left)
    return value


@kernel
def _region_value(table, style, state, seat, region, left):
    mine = most = 0
    for colour in range(table.colours):
        pieces = state.armies[region, colour] + state.cities[region, colour]
        if colour == seat:
            mine = pieces
        else:
            most = max(most, pieces)
    value = _majority(table, style, mine, most, style.region, left)
    return value + style.presence if mine > 0 else value


@kernel
def _continent_value(table, style, state, seat, continent, left):
    mine = most = 0
    for colour in range(table.colours):
        pieces = 0
        for i in range(table.member_start[continent], table.member_start[continent + 1]):
            pieces += state.armies[table.member[i], colour] + state.cities[table.member[i], colour]
        if colour == seat:
            mine = pieces
        else:
            most = max(most, pieces)
    return _majority(table, style, mine, most, style.continent, left)


@kernel
def _majority(table, style, mine, most, worth, left):
    lead = mine - most
    if lead > 0:
        return worth + style.safe_later * left * min(lead - 1, 2)
    if lead == 0:
        return style.tie_later * left if mine > 0 else 0.0
    return (style.near_later * left if mine > 0 and lead == -1 else 0.0) - style.rival / (table.players - 1)
