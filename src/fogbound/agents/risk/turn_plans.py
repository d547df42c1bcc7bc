"""Whole turns of Risk as plans: how they are made in a fixed order, and carried out move by move.

A plan is a row of numbers: the territory that gets the draft, a second one that gets half of it
(-1 none), the number of battles, then source and target of each. The first plan of all is to
play as the scripted player does (SCRIPTED in the place of the territory). With a move filter, only
drafts and battles that its nets like are planned, and its net fortifies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk.evaluation import NEXT_LOSS, SCALE, campaign, evaluate_territories, odds_of
from fogbound.agents.risk.heuristic import choose as scripted
from fogbound.agents.risk.move_filter import likes_attack, likes_draft
from fogbound.agents.risk.net import fortify_by_net
from fogbound.agents.risk.tactics import (
    careful_battle,
    most_armies_set,
    most_threatened,
    on_border,
    placeable,
    reinforce,
    total_threat,
)
from fogbound.core.compiled import kernel, part
from fogbound.core.hashing import GOLDEN, SPLIT_FIRST, SPLIT_SECOND, xorshift
from fogbound.games.risk.battle import movable
from fogbound.games.risk.rules import apply
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    DRAFT,
    END_ATTACK,
    MOVE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    STAY,
    encode,
    largest_step,
    room,
)

LONGEST = 16  # battles of a plan
FIRST, SECOND, COUNT, BATTLES = 0, 1, 2, 3
SCRIPTED = -2
VARIANTS = 6  # for each territory: all-out, draft only, one battle, bold, two fronts, only from here
ALL_OUT, ONLY_DRAFT, ONE_BATTLE, BOLD, TWO_FRONTS, ONLY_HERE = range(VARIANTS)
CAUTIOUS, DARING, SURE = 0.6, 0.4, 0.75  # chances of conquest from which a battle is planned
LEAST = 0.35  # and below which a planned battle is not begun
MANY_CARDS = 4


class TurnPlan:
    """How a plan lies in its row."""

    SIZE = BATTLES + 2 * LONGEST

    @staticmethod
    def battles(plan: NDArray[np.int16], start: int) -> list[int]:
        """The battles from the given one on, as moves."""
        pairs = [(int(plan[BATTLES + 2 * i]), int(plan[BATTLES + 2 * i + 1])) for i in range(start, int(plan[COUNT]))]
        return [int(encode(BATTLE, source, target, 1)) for source, target in pairs]


@part
def make_plan(table, params, nets, state, seat, number, plan, out):
    """Write the plan of this number; its key, which equal plans share, or 0 if there is no such plan.

    Territories come by the value of a campaign from there; after the first one's first variant
    the second one's, then the first one's second, and so on.
    """
    plan[FIRST], plan[SECOND], plan[COUNT] = SCRIPTED, -1, 0
    if number == 0:
        return np.uint64(2)
    rank, variant = _place_in_order(number - 1)
    evaluate_territories(table, params, state, seat, out)
    pool = np.int64(state.pool) if state.phase == DRAFT else 0
    first = _ranked_front(table, params, nets, state, seat, out, pool, rank)
    if first < 0:
        return np.uint64(0)
    plan[FIRST], plan[SECOND], plan[COUNT] = first, -1, 0
    if variant == ONLY_DRAFT:
        return _key(plan)
    armies = np.int64(state.armies[first]) + pool
    if variant == TWO_FRONTS:
        second = _ranked_front(table, params, nets, state, seat, out, pool, rank + 1)
        if second < 0 or pool < 2:
            return np.uint64(0)
        plan[SECOND] = second
        armies -= pool // 2
        there = np.int64(state.armies[second]) + pool // 2
        _walk(table, nets, state, seat, plan, out, np.int64(second), there, CAUTIOUS, LONGEST)
    least = DARING if variant == BOLD else CAUTIOUS
    most = 1 if variant == ONE_BATTLE else LONGEST
    _walk(table, nets, state, seat, plan, out, np.int64(first), armies, least, most)
    if variant in (ALL_OUT, BOLD):
        _elsewhere(table, nets, state, seat, plan, out)
    if plan[COUNT] == 0:
        return np.uint64(0)
    return _key(plan)


@part
def focus_plan(table, params, nets, state, seat, other, continent, rank, plan, out):
    """Write the campaign from the front of this rank against one player's territories or those of one continent (-1: any).

    Its key, or 0 if there is no such plan.
    """
    evaluate_territories(table, params, state, seat, out)
    for territory in range(table.territories):
        of_player = other < 0 or state.owner[territory] == other
        if not of_player or (continent >= 0 and params.continent_of[territory] != continent):
            out[territory] = 0
    pool = np.int64(state.pool) if state.phase == DRAFT else 0
    first = _ranked_front(table, params, nets, state, seat, out, pool, rank)
    if first < 0:
        return np.uint64(0)
    plan[FIRST], plan[SECOND], plan[COUNT] = first, -1, 0
    _walk(table, nets, state, seat, plan, out, np.int64(first), np.int64(state.armies[first]) + pool, DARING, LONGEST)
    return _key(plan) if plan[COUNT] > 0 else np.uint64(0)


@kernel
def _place_in_order(number):
    """Rank of the territory and variant, by diagonals."""
    diagonal = 0
    while number >= min(diagonal + 1, VARIANTS):
        number -= min(diagonal + 1, VARIANTS)
        diagonal += 1
    return diagonal - number, number


@kernel
def _key(plan):
    """The same for plans with the same placements and battles, in whatever order these are fought."""
    key = (np.uint64(plan[FIRST] + 1) << np.uint64(8) | np.uint64(plan[SECOND] + 1)) * GOLDEN
    for i in range(plan[COUNT]):
        pair = np.uint64(plan[BATTLES + 2 * i]) << np.uint64(8) | np.uint64(plan[BATTLES + 2 * i + 1])
        key += xorshift((pair + np.uint64(1)) * SPLIT_FIRST, 29) * SPLIT_SECOND
    return key | np.uint64(1)


@kernel
def _ranked_front(table, params, nets, state, seat, out, pool, rank):
    """The border territory of this rank by the campaign that it allows; ties by number. -1 if there is none."""
    size = table.territories
    base = 2 * size + 16  # what lies before is the value of territories
    for territory in range(size):
        out[base + territory] = -1
        passes = nets.filtered == 0 or state.phase != DRAFT or likes_draft(nets.move_filter, state, seat, territory)
        if passes and state.owner[territory] == seat and on_border(table, state, seat, territory):
            armies = np.int64(state.armies[territory]) + pool
            out[base + territory] = np.int64(SCALE * campaign(table, params, state, seat, out, territory, armies)[0])
    for _ in range(rank + 1):
        best, found = np.int64(-1), -1
        for territory in range(size):
            if out[base + territory] > best:
                best, found = out[base + territory], territory
        if found < 0:
            return -1
        out[base + found] = -1
    return found


@part
def _walk(table, nets, state, seat, plan, out, start, armies, least, most):
    """Battles of one stack from target to target, as long as the chance is good and there is something to gain."""
    here, left = start, armies
    for _ in range(most):
        best, target = 0.0, np.int64(-1)
        for i in range(table.link_start[here], table.link_start[here + 1]):
            near = np.int64(table.links[i])
            if state.owner[near] == seat or left < 2 or _is_target(plan, near):
                continue
            odds = odds_of(table.battles.conquest, left - 1, np.int64(state.armies[near]))
            if odds < least or odds * out[near] <= best:
                continue
            if nets.filtered == 0 or likes_attack(nets.move_filter, state, seat, here, near, left):
                best, target = odds * out[near], near
        if target < 0 or plan[COUNT] >= LONGEST:
            return
        count = plan[COUNT]
        plan[BATTLES + 2 * count], plan[BATTLES + 2 * count + 1] = here, target
        plan[COUNT] = count + 1
        left = np.int64(left - 1 - NEXT_LOSS * state.armies[target])
        here = target


@kernel
def _is_target(plan, territory):
    for i in range(plan[COUNT]):
        if plan[BATTLES + 2 * i + 1] == territory:
            return True
    return False


@kernel
def _elsewhere(table, nets, state, seat, plan, out):
    """Sure battles of the stacks that got nothing of the draft, in the order of the territories."""
    for territory in range(table.territories):
        drafted = territory == plan[FIRST] or territory == plan[SECOND]
        if state.owner[territory] == seat and state.armies[territory] > 3 and not drafted:
            armies = np.int64(state.armies[territory])
            _walk(table, nets, state, seat, plan, out, np.int64(territory), armies, SURE, LONGEST)


@part
def play(table, state, action, chance):
    apply(table, state, action, chance)


@part
def by_script(table, params, state, seat, out):
    """The scripted player's move; it draws nothing."""
    return scripted(table, params, state, seat, out, out)


@part
def act(table, params, nets, state, seat, plan, cursor, out):
    """The next move of the plan; cursor[0] is the battle that is due, cursor[1] is 1 once the second place got its share."""
    phase = state.phase
    if plan[FIRST] == SCRIPTED:
        return by_script(table, params, state, seat, out)
    if phase == DRAFT:
        return _draft(table, state, seat, plan, cursor, out)
    if phase == ATTACK:
        return _attack(table, state, seat, plan, cursor)
    if phase == OCCUPY:
        return _occupy(table, state, seat, plan, cursor)
    if nets.filtered:
        return fortify_by_net(table, nets.move_filter.params, state, seat, out)
    return reinforce(table, state, seat)


@kernel
def _draft(table, state, seat, plan, cursor, out):
    must = state.cards[seat] >= MUST_EXCHANGE
    if must or (state.cards[seat] >= MANY_CARDS and state.in_attack == 0):
        exchange = most_armies_set(table, state, seat, out)
        if exchange >= 0:
            return exchange
    first, second = np.int64(plan[FIRST]), np.int64(plan[SECOND])
    if second >= 0 and cursor[1] == 0 and state.owner[second] == seat and room(table, state, second) > 0:
        cursor[1] = 1
        return _placed(table, state, second, max(1, state.pool // 2))
    if state.owner[first] == seat and room(table, state, first) > 0:
        return _placed(table, state, first, state.pool)
    return _placed(table, state, most_threatened(table, state, seat), state.pool)


@kernel
def _placed(table, state, territory, want):
    return encode(PLACE, 0, territory, largest_step(np.int64(want), placeable(table, state, territory)))


@kernel
def _attack(table, state, seat, plan, cursor):
    """The next battle that can still be fought with some chance; then the attack is over."""
    while cursor[0] < plan[COUNT]:
        source = np.int64(plan[BATTLES + 2 * cursor[0]])
        target = np.int64(plan[BATTLES + 2 * cursor[0] + 1])
        cursor[0] += 1
        if state.owner[source] != seat or state.owner[target] == seat or state.armies[source] < 2:
            continue
        if odds_of(table.battles.conquest, np.int64(state.armies[source]) - 1, np.int64(state.armies[target])) >= LEAST:
            return careful_battle(state, source, target)
    return encode(END_ATTACK, 0, 0, 0)


@kernel
def _occupy(table, state, seat, plan, cursor):
    """Armies go along with the plan: on with its next battle, or to where more foreign armies stand."""
    source, target = np.int64(state.source), np.int64(state.target)
    most = np.int64(movable(table, state))
    going = cursor[0] < plan[COUNT] and plan[BATTLES + 2 * cursor[0]] == target
    staying = cursor[0] < plan[COUNT] and plan[BATTLES + 2 * cursor[0]] == source
    if staying:
        return encode(STAY, 0, 0, 0)
    if going or not on_border(table, state, seat, source):
        return encode(MOVE, 0, 0, most)
    here, there = total_threat(table, state, seat, source), total_threat(table, state, seat, target)
    if there == 0:
        return encode(STAY, 0, 0, 0)
    total = np.int64(state.armies[source] + state.armies[target])
    want = total * there // (here + there) - np.int64(state.armies[target])
    if want <= 0:
        return encode(STAY, 0, 0, 0)
    return encode(MOVE, 0, 0, largest_step(want, most))
