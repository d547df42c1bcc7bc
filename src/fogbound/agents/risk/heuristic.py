"""A scripted player of Risk for any map.

Armies are placed, moved and sent to attack where the campaign they can fight has the highest value;
evaluation.py says how that is found, tactics.py holds what all players look at.
"""

from __future__ import annotations

import numpy as np
from pydantic import Field

from fogbound.agents.risk.evaluation import COURAGE, PATIENCE, Params, aim_of, campaign, evaluate_territories, params_of
from fogbound.agents.risk.tactics import (
    armies_to_eliminate,
    best_neutral,
    careful_battle,
    free_armies,
    idle_stack,
    largest_threat,
    may_fortify,
    on_border,
    placeable,
    thrifty_set,
)
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.bits import count_bits
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.games.risk.battle import movable
from fogbound.games.risk.cards import set_value
from fogbound.games.risk.game import Risk
from fogbound.games.risk.missions import fulfilled
from fogbound.games.risk.rules import connected
from fogbound.games.risk.table import (
    ATTACK,
    CLAIM,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FIRMLY,
    FORTIFY_MOVE,
    FREE,
    MOVE,
    MUST_EXCHANGE,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    SETUP,
    STAY,
    contains,
    encode,
    held,
    holds,
    largest_step,
    own_in,
    room,
    size_of,
)


class HeuristicOptions(Options):
    courage: float = Field(COURAGE, gt=0, lt=1, description="the chance of conquest below which it does not attack")
    patience: int = Field(PATIENCE, ge=3, le=5, description="cards in hand from which it turns in a set unasked")


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
    evaluate_territories(table, params, view, seat, out)
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


# Borders.


@kernel
def _guard(table, params, view, seat, territory):
    """Armies that should stand on a gate of a continent that is held; 1 elsewhere."""
    continent = params.continent_of[territory]
    if params.is_gate[territory] == 0 or not holds(table, view, seat, continent):
        return np.int64(1)
    return 2 + 2 * largest_threat(table, view, seat, territory) // 3


# The turn.


@kernel
def _exchange(table, params, view, seat, out):
    """The best set to turn in, or -1 to keep the cards."""
    must = view.cards[seat] >= MUST_EXCHANGE
    if view.cards[seat] < 3 or (view.in_attack and not must):
        return np.int64(-1)
    if not must and view.cards[seat] < params.patience and not _can_finish(table, view, seat):
        return np.int64(-1)
    return thrifty_set(table, view, seat, out)


@outlined
def _can_finish(table, view, seat):
    """Whether the armies for a set make someone who holds cards weak enough to be finished."""
    mine = free_armies(table, view, seat) + set_value(table, view.sets, 0, 1, 2)
    for other in range(table.players):
        if other != seat and view.cards[other] > 0 and armies_to_eliminate(table, view, other) < 0.8 * mine:
            return True
    return False


@outlined
def _best_front(table, params, view, seat, out, armies):
    """Where these armies add most to what can be achieved."""
    best, found = -1e9, -1
    for territory in range(table.territories):
        if view.owner[territory] != seat or room(table, view, territory) <= 0:
            continue
        now = np.int64(view.armies[territory])
        value = -1.0
        if on_border(table, view, seat, territory):
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
            bonus = np.float64(table.bonus[params.continent_of[territory]])
            if 0 < lack <= pool // 2 and bonus > best:
                best, gate, lack_there = bonus, territory, lack
    if gate >= 0:
        return encode(PLACE, 0, gate, largest_step(lack_there, placeable(table, view, gate)))
    front = _best_front(table, params, view, seat, out, pool)
    return encode(PLACE, 0, front, placeable(table, view, front))


@outlined
def _attack(table, params, view, seat, out):
    """The battle that begins the best campaign; none when no risk pays, or the mission is fulfilled."""
    mission = aim_of(table, view, seat)[1]
    if mission >= 0 and (fulfilled(table, view, seat) >> np.uint64(mission)) & np.uint64(1):
        return encode(END_TURN, 0, 0, 0)
    best, source, target = 0.0, -1, -1
    for territory in range(table.territories):
        if view.owner[territory] == seat and view.armies[territory] > 1 and on_border(table, view, seat, territory):
            value, first = campaign(table, params, view, seat, out, territory, np.int64(view.armies[territory]))
            if value > best:
                best, source, target = value, territory, first
    if source < 0:
        return encode(END_ATTACK, 0, 0, 0)
    return careful_battle(view, source, target)


@kernel
def _occupy(table, params, view, seat, out):
    """All armies follow to where more can be achieved; a gate keeps its guard."""
    source, target = view.source, view.target
    most = np.int64(movable(table, view))
    want = most
    if on_border(table, view, seat, source):
        stay = campaign(table, params, view, seat, out, source, np.int64(view.armies[source]))[0]
        go = campaign(table, params, view, seat, out, target, np.int64(view.armies[target]) + most)[0]
        keep = _guard(table, params, view, seat, source)
        if aim_of(table, view, seat)[0] == FIRMLY:
            keep = max(keep, np.int64(2))
        want = np.int64(view.armies[source]) - keep
        if stay > go or not on_border(table, view, seat, target):
            want = _guard(table, params, view, seat, target) - np.int64(view.armies[target])
    if want <= 0:
        return encode(STAY, 0, 0, 0)
    return encode(MOVE, 0, 0, largest_step(want, most))


@outlined
def _fortify(table, params, view, seat, out):
    """The largest idle stack goes to the connected border where it helps most."""
    done = encode(END_TURN, 0, 0, 0)
    if not may_fortify(table, view):
        return done
    largest, source = idle_stack(table, view, seat)
    if source < 0:
        return done
    reach0, reach1 = connected(table, view, source)
    best, target = 0.0, -1
    for territory in range(table.territories):
        reached = contains(reach0, reach1, territory)
        if not reached or not on_border(table, view, seat, territory) or room(table, view, territory) <= 0:
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
