"""A scripted player of Risk for any map.

Armies are placed, moved and sent to attack where the campaign they can fight is worth most;
what that is stands in risk_worth.py.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from fogbound.agents.risk.evaluation import STOP, Params, aim_of, appraise, campaign, params_of, strength_of
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.bits import count_bits
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.games.risk.cards import list_exchanges, set_value
from fogbound.games.risk.game import Risk
from fogbound.games.risk.missions import fulfilled
from fogbound.games.risk.rules import connected, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    CLAIM,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FIRMLY,
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
    WILD,
    a_of,
    b_of,
    bit,
    count_of,
    encode,
    held,
    holds,
    largest_step,
    own_in,
    room,
    size_of,
)


class HeuristicOptions(Options):
    courage: float = Field(0.6, gt=0, lt=1, description="the chance of conquest below which it does not attack")
    patience: int = Field(4, ge=3, le=5, description="cards in hand from which it turns in a set unasked")


class Heuristic(PolicyAgent[HeuristicOptions, Risk]):
    name = "heuristic"
    about = "takes and breaks continents, finishes the weak and plays its mission, by exact odds"
    options_model = HeuristicOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return params_of(self.game, self.options.courage, self.options.patience)


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase == CLAIM:
        return encode(0, 0, _best_claim(table, params, view, seat), 1)
    if view.phase == NEUTRAL_SETUP:
        return encode(PLACE, 0, best_neutral(table, view, seat), 1)
    if view.phase == DRAFT:
        exchange = _exchange(table, params, view, seat, out)
        if exchange >= 0:
            return exchange
    appraise(table, params, view, seat, out)
    if view.phase == SETUP:
        return encode(PLACE, 0, _best_front(table, params, view, seat, out, view.stock[seat]), 1)
    if view.phase == DRAFT:
        return _place(table, params, view, seat, out)
    if view.phase == ATTACK:
        return _attack(table, params, view, seat, out)
    if view.phase == OCCUPY:
        return _occupy(table, params, view, seat, out)
    return _fortify(table, params, view, seat, out)


# Set-up.


@outlined
def _best_claim(table, params, view, seat):
    """A free territory in a continent that pays, is easily held, and is not yet the others'."""
    best, found = -1e9, 0
    for territory in range(table.territories):
        if view.owner[territory] != FREE:
            continue
        continent = params.continent_of[territory]
        size = size_of(table, continent)
        own = own_in(table, view, seat, continent)
        others = 0
        for other in range(table.players):
            if other != seat:
                others += own_in(table, view, other, continent)
        friends = count_bits(table.near[territory, 0] & view.land[seat, 0])
        friends += count_bits(table.near[territory, 1] & view.land[seat, 1])
        ease = table.bonus[continent] / (size * max(1.0, params.gates[continent] ** 0.5))
        value = 2.0 * ease + (2.0 * own - 1.5 * others) / size + 0.15 * friends
        if value > best:
            best, found = value, territory
    return found


@outlined
def best_neutral(table, view, seat):
    """A neutral territory that bars the opponent's way rather than one's own."""
    best, found = -1 << 40, 0
    for territory in range(table.territories):
        if view.owner[territory] != NEUTRAL or room(table, view, territory) <= 0:
            continue
        value = -view.armies[territory]
        for i in range(table.link_start[territory], table.link_start[territory + 1]):
            owner = view.owner[table.links[i]]
            if owner == seat:
                value -= 2 * view.armies[table.links[i]]
            elif owner != NEUTRAL:
                value += view.armies[table.links[i]]
        if value > best:
            best, found = value, territory
    return found


# Borders.


@kernel
def _threat(table, view, seat, territory):
    """The largest foreign stack that can attack a territory."""
    largest = np.int64(0)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        near = table.links[i]
        owner = view.owner[near]
        if owner != seat and owner != NEUTRAL:
            largest = max(largest, np.int64(view.armies[near]) - 1)
    return largest


@kernel
def _foreign(table, view, seat, territory):
    """Whether a territory borders on a foreign one."""
    near = (table.near[territory, 0] & ~view.land[seat, 0]) | (table.near[territory, 1] & ~view.land[seat, 1])
    return near != np.uint64(0)


@kernel
def _guard(table, params, view, seat, territory):
    """Armies that should stand on a gate of a continent that is held; 1 elsewhere."""
    continent = params.continent_of[territory]
    if params.is_gate[territory] == 0 or not holds(table, view, seat, continent):
        return np.int64(1)
    return 2 + 2 * _threat(table, view, seat, territory) // 3


# The turn.


@kernel
def _exchange(table, params, view, seat, out):
    """The best set to turn in, or -1 to keep the cards."""
    must = view.cards[seat] >= MUST_EXCHANGE
    if view.cards[seat] < 3 or (view.in_attack and not must):
        return np.int64(-1)
    if not must and view.cards[seat] < params.patience and not _can_finish(table, view, seat):
        return np.int64(-1)
    return best_set(table, view, seat, out)


@outlined
def _can_finish(table, view, seat):
    """Whether the armies for a set make someone who holds cards weak enough to be finished."""
    mine = np.float64(view.pool) + set_value(table, view.sets, 0, 1, 2)
    for territory in range(table.territories):
        if view.owner[territory] == seat:
            mine += view.armies[territory] - 1
    for other in range(table.players):
        if other != seat and view.cards[other] > 0 and strength_of(table, view, other) < 0.8 * mine:
            return True
    return False


@outlined
def best_set(table, view, seat, out):
    """The set worth most; wild cards are kept, and two armies go to a border."""
    count = list_exchanges(table, view, seat, out, 0)
    best, found = -1e9, np.int64(-1)
    for i in range(count):
        a, b, c = a_of(out[i]), b_of(out[i]), count_of(out[i]) >> 2
        value = np.float64(set_value(table, view.sets, a, b, c))
        for place, card in enumerate((a, b, c)):
            if table.symbol[card] == WILD:
                value -= 1.5
            elif count_of(out[i]) & 3 == place + 1:
                value += 2.0 if _foreign(table, view, seat, card) else 1.0
        if value > best:
            best, found = value, out[i]
    return found


@outlined
def _best_front(table, params, view, seat, out, armies):
    """Where these armies add most to what can be achieved."""
    best, found = -1e9, -1
    for territory in range(table.territories):
        if view.owner[territory] != seat or room(table, view, territory) <= 0:
            continue
        now = np.int64(view.armies[territory])
        value = -1.0
        if _foreign(table, view, seat, territory):
            value = campaign(table, params, view, seat, out, territory, now + armies)[0]
            value -= campaign(table, params, view, seat, out, territory, now)[0]
            value += 1e-3 * now
        if value > best:
            best, found = value, territory
    return found


@kernel
def _place(table, params, view, seat, out):
    """First what the gates lack, if that can be afforded; all the rest where it achieves most."""
    pool = np.int64(view.pool)
    if aim_of(table, view, seat)[0] == FIRMLY and held(view, seat) >= table.hold_firmly:
        for territory in range(table.territories):
            if view.owner[territory] == seat and view.armies[territory] == 1:
                return encode(PLACE, 0, territory, 1)
    best, gate, lack_there = 0.0, -1, np.int64(0)
    for territory in range(table.territories):
        if view.owner[territory] == seat and params.is_gate[territory] and room(table, view, territory) > 0:
            lack = _guard(table, params, view, seat, territory) - view.armies[territory]
            worth = np.float64(table.bonus[params.continent_of[territory]])
            if 0 < lack <= pool // 2 and worth > best:
                best, gate, lack_there = worth, territory, lack
    if gate >= 0:
        most = min(pool, np.int64(room(table, view, gate)))
        return encode(PLACE, 0, gate, largest_step(lack_there, most))
    front = _best_front(table, params, view, seat, out, pool)
    return encode(PLACE, 0, front, min(pool, np.int64(room(table, view, front))))


@outlined
def _attack(table, params, view, seat, out):
    """The battle that begins the best campaign; none when nothing is worth its risk, or the mission is fulfilled."""
    mission = aim_of(table, view, seat)[1]
    if mission >= 0 and (fulfilled(table, view, seat) >> np.uint64(mission)) & np.uint64(1):
        return encode(END_TURN, 0, 0, 0)
    best, source, target = 0.0, -1, -1
    for territory in range(table.territories):
        if view.owner[territory] == seat and view.armies[territory] > 1 and _foreign(table, view, seat, territory):
            value, first = campaign(table, params, view, seat, out, territory, np.int64(view.armies[territory]))
            if value > best:
                best, source, target = value, territory, first
    if source < 0:
        return encode(END_ATTACK, 0, 0, 0)
    return encode(BATTLE, source, target, STOP if view.armies[source] > STOP else 1)


@kernel
def _occupy(table, params, view, seat, out):
    """All armies follow to where more can be achieved; a gate keeps its guard."""
    source, target = view.source, view.target
    most = min(np.int64(view.armies[source]) - 1, np.int64(room(table, view, target)))
    want = most
    if _foreign(table, view, seat, source):
        stay = campaign(table, params, view, seat, out, source, np.int64(view.armies[source]))[0]
        go = campaign(table, params, view, seat, out, target, np.int64(view.armies[target]) + most)[0]
        keep = _guard(table, params, view, seat, source)
        if aim_of(table, view, seat)[0] == FIRMLY:
            keep = max(keep, np.int64(2))
        want = np.int64(view.armies[source]) - keep
        if stay > go or not _foreign(table, view, seat, target):
            want = _guard(table, params, view, seat, target) - np.int64(view.armies[target])
    if want <= 0:
        return encode(STAY, 0, 0, 0)
    return encode(MOVE, 0, 0, largest_step(want, most))


@outlined
def _fortify(table, params, view, seat, out):
    """The largest idle stack goes to the connected border where it helps most."""
    done = encode(END_TURN, 0, 0, 0)
    if view.source >= 0 and table.free_fortify == 0:
        return done
    largest, source = np.int64(1), -1
    for territory in range(table.territories):
        if may_leave(view, territory) and not _foreign(table, view, seat, territory) and view.armies[territory] > largest:
            largest, source = np.int64(view.armies[territory]), territory
    if source < 0:
        return done
    reach0, reach1 = connected(table, view, source)
    best, target = 0.0, -1
    for territory in range(table.territories):
        reached = (reach0 if territory < 64 else reach1) & bit(territory)
        if not reached or not _foreign(table, view, seat, territory) or room(table, view, territory) <= 0:
            continue
        now = np.int64(view.armies[territory])
        value = 0.1 + campaign(table, params, view, seat, out, territory, now + largest - 1)[0]
        lack = _guard(table, params, view, seat, territory) - now
        if lack > 0:
            value += min(1.0, (largest - 1.0) / lack) * table.bonus[params.continent_of[territory]]
        if value > best:
            best, target = value, territory
    if target < 0:
        return done
    return encode(FORTIFY_MOVE, source, target, min(largest - 1, np.int64(room(table, view, target))))
