"""The scripted player of Eight-Minute Empire, without any randomness.

It tries every card that it can pay for, uses the card's action greedily on its own view,
and takes the card whose points, goods, prospects and price together are worth most. Then it
plays the action step by step in the same way. All values are in points.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import (
    ACTING,
    AND,
    ARMIES,
    BID,
    BUILD,
    CHOOSING,
    CITY,
    DESTROY,
    DONE,
    KILL,
    KIND_SHIFT,
    MOVE,
    NOBODY,
    PLACE,
    SAIL,
    SET_NEUTRAL,
    SETTING,
    START,
    STARTING,
    STEP,
    TAKING,
    USE,
    WILD,
    X_SHIFT,
    can_do,
    goods_of,
    goods_points,
    legal,
)

FAR = 99
ENOUGH = 0.001  # less gain than this is none
NOTES = 16  # where in `out` the deeds tried are noted, so that they can be taken back


class HeuristicOptions(Options):
    coin: float = Field(0.35, ge=0, le=5, description="points that a coin is worth early in the game")
    army: float = Field(0.3, ge=0, le=5, description="points that a further army on the board is worth early in the game")


class Params(NamedTuple):
    coin: float
    army: float
    land_far: NDArray[np.int16]  # [from, to]: steps by land
    sail_far: NDArray[np.int16]  # [from, to]: steps by land and sea


class Heuristic(PolicyAgent):
    name = "heuristic"
    about = "takes the card that gains most at once, with an eye on goods and coins"
    options_model = HeuristicOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        options, game = self.options, self.game
        assert isinstance(options, HeuristicOptions) and isinstance(game, Empire)
        table = game.table
        return Params(options.coin, options.army, _far(table.land_start, table.land), _far(table.sail_start, table.sail))


def _far(starts: NDArray[np.int32], ends: NDArray[np.int16]) -> NDArray[np.int16]:
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


@kernel
def choose(table, params, view, seat, out, words):
    phase = view.phase
    if phase == ACTING:
        return _next_deed(table, params, view, seat)
    if phase == TAKING:
        return _best_card(table, params, view, seat, out)
    if phase == CHOOSING:
        return _best_choice(table, params, view, seat, out)
    if phase == SETTING:
        return SET_NEUTRAL << KIND_SHIFT | _backwater(table, params)
    if phase == STARTING:
        return START << KIND_SHIFT | seat
    return BID << KIND_SHIFT


@kernel
def _backwater(table, params):
    """The region farthest from the start: neutral armies there are in nobody's way."""
    found = 0
    for region in range(table.regions):
        if params.sail_far[table.start, region] > params.sail_far[table.start, found]:
            found = region
    return found


@kernel
def turns_left(table, view):
    """Turns that each player still has after this one."""
    return (table.turns - view.played - 1) // table.players


@kernel
def ahead(table, view):
    """How much of the game is still to come, from 1 down to 0 in the last round."""
    return turns_left(table, view) * table.players / table.turns


@kernel
def _best_card(table, params, view, seat, out):
    count = legal(table, view, out)
    best = -1e9
    found = out[0]
    for i in range(count):
        place = out[i]
        value = _card_value(table, params, view, seat, view.row[place], out) - _cost(table, params, view, seat, place)
        if value > best + ENOUGH:
            best = value
            found = place
    return found


@kernel
def _cost(table, params, view, seat, place):
    """What paying for a place costs in points: nothing for coins that can never be spent."""
    left = turns_left(table, view)
    price = np.int64(table.price[place])
    spare = max(0, view.coins[seat] - 2 * left)
    scarce = max(0, price - spare)
    return 0.01 * price + params.coin * scarce * min(1.0, 0.35 * left)


@kernel
def _card_value(table, params, view, seat, card, out):
    """Goods and the best use of the action, in points."""
    best = 0.0
    total = 0.0
    for deed in range(5):
        amount = np.int64(table.amount[card, deed])
        if amount > 0:
            gain = use_value(table, params, view, seat, deed, amount, out)
            best = max(best, gain)
            total += gain
    value = total if table.join[card] == AND else best
    return value + _goods_gain(table, view, seat, card)


@outlined
def _goods_gain(table, view, seat, card):
    good = table.good[card]
    before = _goods_value(table, view, seat)
    view.goods[seat, good] += table.goods[card]
    after = _goods_value(table, view, seat)
    view.goods[seat, good] -= table.goods[card]
    return after - before


@kernel
def _goods_value(table, view, seat):
    """Points for goods, and part of the points that goods are on the way to."""
    value = np.float64(goods_points(table, view, seat))
    left = turns_left(table, view)
    if left == 0:
        return value
    hope = 0.0
    for good in range(WILD):
        count = goods_of(table, view, seat, good)
        hope += _hope(table, good, count, left)
    return value + hope + 0.15 * min(view.goods[seat, WILD], left)


@kernel
def _hope(table, good, count, left):
    """Part of the next points of a good, the nearer the more."""
    now = table.worth[good, count]
    for missing in range(1, 4):
        more = table.worth[good, count + missing] - now
        if more > 0:
            if missing > left or count == 0:
                return 0.0
            return 0.6 * more * (1.0 - missing / (missing + count)) * min(1.0, left / (2.0 * missing))
    return 0.0


@kernel
def _best_choice(table, params, view, seat, out):
    best = ENOUGH
    found = DONE << KIND_SHIFT
    for deed in range(5):
        amount = np.int64(table.amount[view.card, deed])
        if amount > 0 and can_do(table, view, deed):
            gain = use_value(table, params, view, seat, deed, amount, out)
            if gain > best:
                best = gain
                found = USE << KIND_SHIFT | deed
    return found


@kernel
def _next_deed(table, params, view, seat):
    """The first step of the best deed that the card still allows, or done."""
    for deed in range(5):
        if view.left[deed] > 0:
            gain, action = best_deed(table, params, view, seat, deed, np.int64(view.left[deed]))
            if gain > ENOUGH:
                return _first_step(table, params, action, deed)
    return DONE << KIND_SHIFT


@kernel
def _first_step(table, params, action, deed):
    """An army's way of several steps begins with a step that brings it nearer."""
    if action >> KIND_SHIFT != STEP:
        return action
    a = (action >> X_SHIFT) & 63
    b = action & 63
    if deed == SAIL:
        return _nearer(table.sail_start, table.sail, params.sail_far, a, b)
    return _nearer(table.land_start, table.land, params.land_far, a, b)


@kernel
def _nearer(starts, ends, far, a, b):
    for i in range(starts[a], starts[a + 1]):
        if far[ends[i], b] < far[a, b]:
            return STEP << KIND_SHIFT | a << X_SHIFT | np.int64(ends[i])
    return DONE << KIND_SHIFT


@outlined
def use_value(table, params, view, seat, deed, amount, out):
    """What a deed gains when it is done greedily as often as allowed; the view is left as it was."""
    total = 0.0
    left = amount
    done = 0
    while left > 0:
        gain, action = best_deed(table, params, view, seat, deed, left)
        if gain <= ENOUGH:
            break
        total += gain
        _do(view, seat, action, 1)
        out[NOTES + done] = action
        done += 1
        left -= _length(params, action, deed)
    while done > 0:
        done -= 1
        _do(view, seat, out[NOTES + done], -1)
    return total


@kernel
def _length(params, action, deed):
    if action >> KIND_SHIFT != STEP:
        return np.int64(1)
    a = (action >> X_SHIFT) & 63
    b = action & 63
    return np.int64(params.sail_far[a, b] if deed == SAIL else params.land_far[a, b])


@kernel
def _do(view, seat, action, sign):
    """Do a deed, or take it back."""
    kind = action >> KIND_SHIFT
    x = (action >> X_SHIFT) & 63
    y = action & 63
    if kind == STEP:
        view.armies[x, seat] -= sign
        view.armies[y, seat] += sign
    elif kind == PLACE:
        view.armies[y, seat] += sign
        view.reserve[seat] -= sign
    elif kind == BUILD:
        view.cities[y, seat] += sign
        view.cities_left[seat] -= sign
    else:
        view.armies[x, y] -= sign
        view.reserve[y] += sign


@outlined
def best_deed(table, params, view, seat, deed, left):
    """The deed that gains most (for each step of it), with its gain."""
    if deed == MOVE or deed == SAIL:
        return _best_way(table, params, view, seat, deed, left)
    best = 0.0
    found = DONE << KIND_SHIFT
    for region in range(table.regions):
        for colour in range(table.colours):
            action = _deed_at(table, view, seat, deed, region, colour)
            if action < 0:
                continue
            gain = _gain(table, params, view, seat, action, region, region)
            if deed == ARMIES:
                gain += params.army * ahead(table, view)
            if deed == CITY:
                gain += 0.5 * ahead(table, view) * min(1.0, view.reserve[seat] / 4.0)
            if gain > best + ENOUGH:
                best = gain
                found = action
    return best, found


@kernel
def _deed_at(table, view, seat, deed, region, colour):
    """The action that does this deed in a region, to a colour; -1 if there is none."""
    if deed == DESTROY:
        if colour != seat and view.armies[region, colour] > 0:
            return KILL << KIND_SHIFT | region << X_SHIFT | colour
        return -1
    if colour != seat:
        return -1
    if deed == ARMIES and view.reserve[seat] > 0 and (region == table.start or view.cities[region, seat] > 0):
        return PLACE << KIND_SHIFT | region
    if deed == CITY and view.cities_left[seat] > 0 and view.armies[region, seat] > 0:
        return BUILD << KIND_SHIFT | region
    return -1


@kernel
def _best_way(table, params, view, seat, deed, left):
    """One army's way to another region: the best gain a step."""
    best = 0.0
    best_gain = 0.0
    found = DONE << KIND_SHIFT
    for a in range(table.regions):
        if view.armies[a, seat] == 0:
            continue
        for b in range(table.regions):
            steps = params.sail_far[a, b] if deed == SAIL else params.land_far[a, b]
            if steps == 0 or steps > left:
                continue
            action = STEP << KIND_SHIFT | a << X_SHIFT | b
            gain = _gain(table, params, view, seat, action, a, b)
            if gain / steps > best + ENOUGH:
                best = gain / steps
                best_gain = gain
                found = action
    return best_gain, found


@kernel
def _gain(table, params, view, seat, action, a, b):
    """What a deed in regions a and b changes, for this seat."""
    before = _around(table, view, seat, a, b)
    _do(view, seat, action, 1)
    after = _around(table, view, seat, a, b)
    _do(view, seat, action, -1)
    return after - before


@outlined
def _around(table, view, seat, a, b):
    """The worth of two regions and of their continents."""
    value = _region_value(table, view, seat, a) + _continent_value(table, view, seat, table.continent[a])
    if a != b:
        value += _region_value(table, view, seat, b)
        if table.continent[a] != table.continent[b]:
            value += _continent_value(table, view, seat, table.continent[b])
    return value


@kernel
def _region_value(table, view, seat, region):
    mine = np.int64(view.armies[region, seat] + view.cities[region, seat])
    most = 0
    who = NOBODY
    for colour in range(table.colours):
        if colour != seat:
            pieces = np.int64(view.armies[region, colour] + view.cities[region, colour])
            if pieces > most:
                most = pieces
                who = colour
            elif pieces == most:
                who = NOBODY
    value = _majority(table, view, mine, most, who)
    if table.with_tokens:
        for token in range(10):
            if view.token[token] == region:
                value += 0.4 * _majority(table, view, mine, most, who)
    return value


@kernel
def _continent_value(table, view, seat, continent):
    mine = 0
    most = 0
    who = NOBODY
    for colour in range(table.colours):
        strength = 0
        for i in range(table.member_start[continent], table.member_start[continent + 1]):
            region = table.member[i]
            if table.by_regions:
                strength += _holds(table, view, region, colour)
            else:
                strength += view.armies[region, colour] + view.cities[region, colour]
        if colour == seat:
            mine = strength
        elif strength > most:
            most = strength
            who = colour
        elif strength == most:
            who = NOBODY
    return _majority(table, view, mine, most, who)


@kernel
def _holds(table, view, region, colour):
    own = view.armies[region, colour] + view.cities[region, colour]
    if own == 0:
        return False
    for other in range(table.colours):
        if other != colour and view.armies[region, other] + view.cities[region, other] >= own:
            return False
    return True


@kernel
def _majority(table, view, mine, most, who):
    """A point for most pieces, a loss for a rival's; beside that some worth of being near it, or safe."""
    soon = ahead(table, view)
    lead = mine - most
    if lead > 0:
        return 1.0 + soon * 0.12 * min(lead - 1, 2)
    value = 0.0
    if mine > 0:
        value += soon * (0.25 if lead == 0 else 0.1 if lead == -1 else 0.05)
    if who != NOBODY and lead < 0 and who < table.players:
        value -= 1.0 / (table.players - 1)
    return value
