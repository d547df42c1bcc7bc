"""The scripted player of Eight-Minute Empire, without any randomness.

It tries every card that it can pay for, uses the card's action greedily on its own view,
and takes the card with the highest value: points, goods and prospects, less the price. Then it
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
    LOW,
    MOVE,
    NOBODY,
    PLACE,
    PLACES,
    SAIL,
    SET_NEUTRAL,
    SETTING,
    START,
    STARTING,
    STEP,
    TAKING,
    TOKENS,
    USE,
    WILD,
    X_SHIFT,
    goods_points,
    holder,
)

FAR = 99
# Values early in the game, beside the points at once; found by playing variations against each other.
FUTURE_ARMY = 0.1
FUTURE_CITY = 0.6
HOPE = 0.5  # part of the points that goods are on the way to
TOKEN = 0.4
ENOUGH = 0.001  # less gain than this is none
NOTES = 16  # where in `out` the deeds tried are noted, so that they can be taken back
NOTHING = DONE << KIND_SHIFT


class HeuristicOptions(Options):
    coin: float = Field(1.0, ge=0, le=5, description="the value of a coin in points, early in the game")
    pace: float = Field(2.5, ge=0, le=5, description="coins a turn that it keeps for the turns to come")


class Params(NamedTuple):
    coin: float
    pace: float
    land_far: NDArray[np.int16]  # [from, to]: steps by land
    sail_far: NDArray[np.int16]  # [from, to]: steps by land and sea


class Heuristic(PolicyAgent[HeuristicOptions, Empire]):
    name = "heuristic"
    about = "takes the card that gains most at once, with an eye on goods and coins"
    options_model = HeuristicOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        options, table = self.options, self.game.table
        return Params(
            options.coin,
            options.pace,
            steps_between(table.land_start, table.land),
            steps_between(table.sail_start, table.sail),
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


@kernel
def choose(table, params, view, seat, out, rng):
    phase = view.phase
    if phase == ACTING:
        return _next_deed(table, params, view, seat)
    if phase == TAKING:
        return _best_card(table, params, view, seat, out)
    if phase == CHOOSING:
        return _best_choice(table, params, view, seat, out)
    return set_up(table, params, view, seat)


@outlined
def set_up(table, params, view, seat):
    """Before the first card: nothing is bid, one starts oneself, neutral armies go out of the way."""
    if view.phase == SETTING:
        return SET_NEUTRAL << KIND_SHIFT | _backwater(table, params)
    if view.phase == STARTING:
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
def to_come(table, view):
    """How much of the game is still to come, from 1 down to 0 in the last round."""
    return turns_left(table, view) * table.players / table.turns


@kernel
def _best_card(table, params, view, seat, out):
    best = -1e9
    found = np.int64(0)
    for place in range(PLACES):
        if view.row[place] < 0 or table.price[place] > view.coins[seat]:
            continue
        gain, _ = use(table, params, view, seat, np.int64(view.row[place]), out)
        gain += _goods_gain(table, view, seat, view.row[place]) - _cost(table, params, view, seat, place)
        if gain > best + ENOUGH:
            best = gain
            found = np.int64(place)
    return found


@kernel
def _cost(table, params, view, seat, place):
    """What paying for a place costs in points: nearly nothing for coins that will not be needed."""
    left = turns_left(table, view)
    price = np.float64(table.price[place])
    spare = max(0.0, view.coins[seat] - params.pace * left)
    return 0.01 * price + params.coin * max(0.0, price - spare) * min(1.0, 0.35 * left)


@kernel
def _goods_gain(table, view, seat, card):
    gain = 0.0
    for sign in (-1, 1):  # after taking the card, less before
        if sign > 0:
            view.goods[seat, table.good[card]] += table.goods[card]
        gain += sign * _goods_value(table, view, seat)
    view.goods[seat, table.good[card]] -= table.goods[card]
    return gain


@outlined
def _goods_value(table, view, seat):
    """Points for goods, and part of the points that goods are on the way to."""
    value = np.float64(goods_points(table, view, seat))
    left = turns_left(table, view)
    if left == 0:
        return value
    for good in range(WILD):
        value += _hope(table, good, np.int64(view.goods[seat, good]), left)
    return value + 0.15 * view.goods[seat, WILD]


@kernel
def _hope(table, good, count, left):
    """Part of the next points of a good, the nearer the more."""
    for missing in range(1, 4):
        more = table.points[good, count + missing] - table.points[good, count]
        if more > 0:
            if missing > left:
                return 0.0
            return HOPE * more * count / (missing + count) * min(1.0, left / (2.0 * missing))
    return 0.0


@kernel
def _best_choice(table, params, view, seat, out):
    gain, deed = use(table, params, view, seat, np.int64(view.card), out)
    return USE << KIND_SHIFT | deed if gain > ENOUGH else NOTHING


@kernel
def _next_deed(table, params, view, seat):
    """The first step of the best deed that the card still allows, or done."""
    for deed in range(5):
        if view.left[deed] > 0:
            gain, action = best_deed(table, params, view, seat, deed, np.int64(view.left[deed]))
            if gain > ENOUGH:
                return _first_step(table, params, action, deed)
    return NOTHING


@kernel
def _first_step(table, params, action, deed):
    """An army's way of several steps begins with a step that brings it nearer."""
    if action >> KIND_SHIFT != STEP:
        return action
    a = (action >> X_SHIFT) & LOW
    b = action & LOW
    for i in range(table.sail_start[a], table.sail_start[a + 1]):
        end = np.int64(table.sail[i])
        if far(params, deed, a, end) == 1 and far(params, deed, end, b) < far(params, deed, a, b):
            return STEP << KIND_SHIFT | a << X_SHIFT | end
    return NOTHING


@kernel
def far(params, deed, a, b):
    """Steps from a to b for a deed of moving."""
    return np.int64(params.sail_far[a, b] if deed == SAIL else params.land_far[a, b])


@outlined
def use(table, params, view, seat, card, out):
    """What a card's action gains when it is used greedily, and by which deed; the view is left as it was."""
    best = 0.0
    total = 0.0
    best_use = np.int64(0)
    for deed in range(5):
        left = np.int64(table.amount[card, deed])
        gain = 0.0
        done = 0
        while left > 0:
            more, action = best_deed(table, params, view, seat, deed, left)
            if more <= ENOUGH:
                break
            gain += more
            _do(view, seat, action, 1)
            out[NOTES + done] = action
            done += 1
            left -= far(params, deed, (action >> X_SHIFT) & LOW, action & LOW) if deed in (MOVE, SAIL) else 1
        while done > 0:
            done -= 1
            _do(view, seat, out[NOTES + done], -1)
        total += gain
        if gain > best:
            best = gain
            best_use = np.int64(deed)
    return total if table.join[card] == AND else best, best_use


@outlined
def _do(view, seat, action, sign):
    """Do a deed, or take it back."""
    kind = action >> KIND_SHIFT
    x = (action >> X_SHIFT) & LOW
    y = action & LOW
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
    """The gain and the code of the deed that gains most for each step that it takes.

    An army's whole way counts as one deed here, as far as the steps that are left go.
    """
    soon = to_come(table, view)
    best = 0.0
    best_gain = 0.0
    found = np.int64(NOTHING)
    for x in range(table.regions):
        for y in range(max(table.regions, table.colours)):
            action = _deed_at(table, params, view, seat, deed, left, x, y)
            if action < 0:
                continue
            gain = _prospect(view, seat, deed, soon)
            other = y if deed != DESTROY else x
            for sign in (-1, 1):  # the value of what changes: after, less before
                if sign > 0:
                    _do(view, seat, action, 1)
                gain += sign * _around(table, view, seat, soon, x, other)
            _do(view, seat, action, -1)
            steps = far(params, deed, x, y) if deed in (MOVE, SAIL) else 1
            if gain / steps > best + ENOUGH:
                best = gain / steps
                best_gain = gain
                found = action
    return best_gain, found


@kernel
def _deed_at(table, params, view, seat, deed, left, x, y):
    """The code of a deed with this x and y; -1 if there is none."""
    if deed == DESTROY:
        if y < table.colours and y != seat and view.armies[x, y] > 0:
            return KILL << KIND_SHIFT | x << X_SHIFT | y
        return -1
    if y >= table.regions:
        return -1
    if deed in (MOVE, SAIL):
        if view.armies[x, seat] > 0 and 0 < far(params, deed, x, y) <= left:
            return STEP << KIND_SHIFT | x << X_SHIFT | y
        return -1
    if x != y:
        return -1
    if deed == ARMIES and view.reserve[seat] > 0 and (x == table.start or view.cities[x, seat] > 0):
        return PLACE << KIND_SHIFT | x
    if deed == CITY and view.cities_left[seat] > 0 and view.armies[x, seat] > 0:
        return BUILD << KIND_SHIFT | x
    return -1


@kernel
def _prospect(view, seat, deed, soon):
    """The value of a new army or city beside the points at once."""
    if deed == ARMIES:
        return FUTURE_ARMY * soon
    if deed == CITY:
        return FUTURE_CITY * soon * min(1.0, view.reserve[seat] / 4.0)
    return 0.0


@outlined
def _around(table, view, seat, soon, a, b):
    """The value of two regions and of their continents."""
    value = 0.0
    for i in range(2):
        region = a if i == 0 else b
        if i == 0 or a != b:
            value += _region_value(table, view, seat, soon, region)
        if i == 0 or table.continent[a] != table.continent[b]:
            value += _continent_value(table, view, seat, soon, table.continent[region])
    return value


@kernel
def _region_value(table, view, seat, soon, region):
    mine = np.int64(0)
    most = np.int64(0)
    who = NOBODY
    for colour in range(table.colours):
        pieces = np.int64(view.armies[region, colour] + view.cities[region, colour])
        if colour == seat:
            mine = pieces
        elif pieces > most:
            most = pieces
            who = colour
        elif pieces == most:
            who = NOBODY
    return _majority(table.players, soon, mine, most, who) * (1.0 + TOKEN * _tokens(table, view, region))


@kernel
def _tokens(table, view, region):
    count = 0
    if table.with_tokens:
        for token in range(TOKENS):
            count += view.token[token] == region
    return count


@kernel
def _continent_value(table, view, seat, soon, continent):
    mine = np.int64(0)
    most = np.int64(0)
    who = NOBODY
    for colour in range(table.colours):
        strength = np.int64(0)
        for i in range(table.member_start[continent], table.member_start[continent + 1]):
            region = table.member[i]
            if table.by_regions:
                strength += holder(table, view, region) == colour
            else:
                strength += view.armies[region, colour] + view.cities[region, colour]
        if colour == seat:
            mine = strength
        elif strength > most:
            most = strength
            who = colour
        elif strength == most:
            who = NOBODY
    return _majority(table.players, soon, mine, most, who)


@outlined
def _majority(players, soon, mine, most, who):
    """A point for most pieces, a loss for a rival's; beside that some value for being near it, or safe."""
    lead = mine - most
    if lead > 0:
        return 1.0 + soon * 0.12 * min(lead - 1, 2)
    value = 0.0
    if mine > 0:
        value += soon * (0.25 if lead == 0 else 0.1 if lead == -1 else 0.05)
    if who != NOBODY and lead < 0 and who < players:
        value -= 1.0 / (players - 1)
    return value
