"""The turns that a seat of Eight-Minute Empire can play: every card is followed to the ends of the turn that look best.

A march of several steps is one deed here, as on the board. Positions on the way, and the ends, are compared by a quick
evaluation whose weights are the player's style; equal positions that are reached in another order are met once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined
from fogbound.core.hashing import FNV_START, GOLDEN, absorb, xorshift
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import (
    ACTING,
    KIND_SHIFT,
    MOVE,
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
FAR = 99


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
    """Turns that were found, a row each, and room to find them."""

    path: NDArray[np.int64]  # [plan, move]
    length: NDArray[np.int64]
    quick: NDArray[np.float64]  # by the quick evaluation at the end of the turn
    end: NDArray[np.void]  # the position at the end of the turn
    kept: NDArray[np.void]  # positions on the way: those being followed
    kept_path: NDArray[np.int64]
    kept_length: NDArray[np.int64]
    next: NDArray[np.void]  # and those that come next
    next_path: NDArray[np.int64]
    next_length: NDArray[np.int64]
    next_value: NDArray[np.float64]
    trial: NDArray[np.void]
    trial_path: NDArray[np.int64]
    first: NDArray[np.int64]
    out: NDArray[np.int64]
    seen: NDArray[np.uint64]
    land_far: NDArray[np.int16]  # [from, to]: steps by land
    sail_far: NDArray[np.int16]
    each: int  # plans kept for each first move


def plans_for(game: Empire, each: int, width: int) -> Plans:
    """Room for `each` plans a first move, with `width` positions followed at a time."""
    rows = each * 8
    table = game.table

    def paths(count: int) -> NDArray[np.int64]:
        return np.zeros((count, LONGEST), np.int64)

    return Plans(
        paths(rows),
        np.zeros(rows, np.int64),
        np.zeros(rows),
        np.zeros(rows, State),
        np.zeros(width, State),
        paths(width),
        np.zeros(width, np.int64),
        np.zeros(width, State),
        paths(width),
        np.zeros(width, np.int64),
        np.zeros(width),
        np.zeros(1, State),
        np.zeros(LONGEST, np.int64),
        np.zeros(game.most_actions, np.int64),
        np.zeros(game.most_actions, np.int64),
        np.zeros(1 << SEEN_BITS, np.uint64),
        steps_between(table.land_start, table.land),
        steps_between(table.sail_start, table.sail),
        each,
    )


def steps_between(starts: NDArray[np.int32], ends: NDArray[np.int16]) -> NDArray[np.int16]:
    """Steps between all regions; FAR where no way leads."""
    regions = len(starts) - 1
    far = np.full((regions, regions), FAR, np.int16)
    for region in range(regions):
        far[region, region] = 0
        waiting = [region]
        for here in waiting:
            for end in ends[starts[here] : starts[here + 1]]:
                if far[region, end] == FAR:
                    far[region, end] = far[region, here] + 1
                    waiting.append(int(end))
    far.setflags(write=False)
    return far


@outlined
def _legal(table, state, out):
    return legal(table, state, out)


@outlined
def _apply(table, state, action, chance):
    apply(table, state, action, chance)


@outlined
def find_plans(table, plans, style, view, seat, chance):
    """Fill `plans` with the most promising turns from here on, the best few of each card: how many."""
    if view.phase != TAKING:
        plans.kept[0] = view
        plans.kept_length[0] = 0
        return _follow_to_the_end(table, plans, style, seat, 0, view.played, chance)
    count = 0
    for f in range(_legal(table, view, plans.first)):
        plans.trial[0] = view
        plans.trial_path[0] = plans.first[f]
        _apply(table, plans.trial[0], plans.first[f], chance)
        if plans.trial[0].played > view.played:
            count = _keep_end(table, plans, style, seat, count, count, 1)
            continue
        plans.kept[0] = plans.trial[0]
        plans.kept_path[0, 0] = plans.first[f]
        plans.kept_length[0] = 1
        count = _follow_to_the_end(table, plans, style, seat, count, view.played, chance)
    return count


@outlined
def _follow_to_the_end(table, plans, style, seat, base, begun, chance):
    """Deed after deed from the one position that is kept, until all that are followed have ended: how many plans."""
    plans.seen[:] = np.uint64(0)
    count = base
    width = 1
    while width > 0:
        width, count = _follow(table, plans, style, seat, base, count, width, begun, chance)
    return count


@outlined
def _follow(table, plans, style, seat, base, count, width, begun, chance):
    """One more deed for each position that is followed: how many positions come next, how many plans there are."""
    coming = 0
    for k in range(width):
        here = plans.kept[k]
        length = plans.kept_length[k]
        moves = _legal(table, here, plans.out)
        for m in range(moves):
            action = plans.out[m]
            if action >> KIND_SHIFT == STEP:
                continue
            plans.trial[0] = here
            _copy(plans.kept_path[k], plans.trial_path, length)
            plans.trial_path[length] = action
            _apply(table, plans.trial[0], action, chance)
            coming, count = _meet(table, plans, style, seat, base, count, coming, length + 1, begun)
        if here.phase == ACTING and length < LONGEST - 8:
            coming, count = _march(table, plans, style, seat, base, count, coming, k, begun, chance)
    for k in range(coming):
        plans.kept[k] = plans.next[k]
        plans.kept_length[k] = plans.next_length[k]
        _copy(plans.next_path[k], plans.kept_path[k], plans.next_length[k])
    return coming, count


@outlined
def _march(table, plans, style, seat, base, count, coming, k, begun, chance):
    """All ways that one army can go with the steps that are left."""
    here = plans.kept[k]
    by_sea = here.left[SAIL] > 0
    steps = np.int64(here.left[SAIL] if by_sea else here.left[MOVE])
    if steps == 0:
        return coming, count
    far = plans.sail_far if by_sea else plans.land_far
    for a in range(table.regions):
        if here.armies[a, seat] == 0:
            continue
        for b in range(table.regions):
            if not 0 < far[a, b] <= steps:
                continue
            plans.trial[0] = here
            length = plans.kept_length[k]
            _copy(plans.kept_path[k], plans.trial_path, length)
            at = a
            while at != b:
                to = _nearer(table, far, at, b)
                action = np.int64(STEP << KIND_SHIFT | at << X_SHIFT | to)
                _apply(table, plans.trial[0], action, chance)
                plans.trial_path[length] = action
                length += 1
                at = to
            coming, count = _meet(table, plans, style, seat, base, count, coming, length, begun)
    return coming, count


@kernel
def _nearer(table, far, a, b):
    """The first region after a on a shortest way to b."""
    for i in range(table.sail_start[a], table.sail_start[a + 1]):
        end = np.int64(table.sail[i])
        if far[a, end] == 1 and far[end, b] < far[a, b]:
            return end
    return b


@outlined
def _meet(table, plans, style, seat, base, count, coming, length, begun):
    """Put the trial where it belongs: nowhere if it was met, among the plans at the end of a turn, or among those next."""
    trial = plans.trial[0]
    key = _hash(table, trial) | np.uint64(1)
    place = np.int64(key >> np.uint64(64 - SEEN_BITS))
    if plans.seen[place] == key:
        return coming, count
    plans.seen[place] = key
    if trial.played > begun:
        return coming, _keep_end(table, plans, style, seat, base, count, length)
    value = quick_value(table, style, trial, seat)
    slot = coming
    if coming == plans.next_value.size:
        slot = _worst(plans.next_value, 0, coming)
        if value <= plans.next_value[slot]:
            return coming, count
        coming -= 1
    plans.next[slot] = trial
    plans.next_value[slot] = value
    plans.next_length[slot] = length
    _copy(plans.trial_path, plans.next_path[slot], length)
    return coming + 1, count


@outlined
def _keep_end(table, plans, style, seat, base, count, length):
    """Keep the best plans of one first move: the new number of plans."""
    value = quick_value(table, style, plans.trial[0], seat)
    row = count
    if count - base == plans.each:
        row = _worst(plans.quick, base, count)
        if value <= plans.quick[row]:
            return count
        count -= 1
    plans.end[row] = plans.trial[0]
    plans.quick[row] = value
    plans.length[row] = length
    _copy(plans.trial_path, plans.path[row], length)
    return count + 1


@kernel
def _worst(values, first, last):
    worst = first
    for i in range(first + 1, last):
        if values[i] < values[worst]:
            worst = i
    return worst


@kernel
def _copy(source, target, length):
    for i in range(length):
        target[i] = source[i]


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


@outlined
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
