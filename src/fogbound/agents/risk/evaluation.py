"""Evaluation of territories and campaigns in Risk, shared by the scripted player and the turn search.

Every foreign territory gets a value: what it adds to a continent, what it takes from an enemy who
holds one, how near it brings an enemy's end, what the secret mission wants. A stack is judged by
the campaign it can fight: a walk from target to target, each with the exact odds of conquest.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk.tactics import STOP, armies_to_eliminate, free_armies
from fogbound.core.compiled import kernel, outlined
from fogbound.games.risk.cards import set_value
from fogbound.games.risk.game import Risk
from fogbound.games.risk.odds import TABLE_SIZE
from fogbound.games.risk.table import (
    CONTINENTS,
    DESTROY,
    FIRMLY,
    FREE,
    MANY,
    NEUTRAL,
    SEATS,
    alive,
    bit,
    contains,
    held,
    holds,
    own_in,
    size_of,
)
from fogbound.games.tables import read_only

SCALE = 1000.0  # values are kept as whole thousandths in the list of moves, which is free until the move is chosen
LONGEST_CAMPAIGN = 12
COURAGE, PATIENCE = 0.6, 4  # the scripted player's: the least chance to attack with, and the cards it turns in unasked
FIRST_LOSS, NEXT_LOSS = 0.52, 0.85  # armies that beating the last defender, and each one before, costs three dice


class Params(NamedTuple):
    """What the evaluation needs to know of a map and of a player's temper."""

    courage: float
    patience: int
    continent_of: NDArray[np.int16]
    gates: NDArray[np.int16]  # [continent]: territories that border on another one
    is_gate: NDArray[np.int8]  # [territory]


def params_of(game: Risk, courage: float = COURAGE, patience: int = PATIENCE) -> Params:
    board = game.board
    gates = [board.gates(continent) for continent in range(len(board.continents))]
    is_gate = np.zeros(board.size, np.int8)
    for each in gates:
        is_gate[list(each)] = 1
    sizes = np.array([len(each) for each in gates], np.int16)
    made = Params(courage, patience, np.array(board.continent_of(), np.int16), sizes, is_gate)
    return read_only(made)


@outlined
def evaluate_territories(table, params, view, seat, out):
    """Write the value of every foreign territory into out[territory]."""
    size = table.territories
    for continent in range(table.bonus.size):
        out[size + continent] = np.int64(SCALE * _continent_value(table, params, view, seat, continent))
    kind, aim = aim_of(table, view, seat)
    for owner in range(SEATS + 1):
        out[2 * size + owner] = np.int64(SCALE * _elimination_value(table, view, seat, owner, kind, aim))
    general = 1.0
    if kind == MANY or (table.round_limit > 0 and view.round == table.round_limit):
        general = 2.0
    elif kind == FIRMLY:
        general = 1.6
    for territory in range(size):
        owner = view.owner[territory]
        if owner != seat and owner != FREE:
            continent = params.continent_of[territory]
            out[territory] = np.int64(SCALE * general) + out[size + continent] + out[2 * size + owner]
        else:
            out[territory] = 0


@kernel
def aim_of(table, view, seat):
    """The kind of this seat's mission and its number; -1 when there is none."""
    if table.missions == 0:
        return -1, -1
    mission = np.int64(view.mission[seat])
    kind = np.int64(table.mission_kind[mission])
    if kind == DESTROY and view.destroyer[table.mission_target[mission]] >= 0:
        kind = MANY
    return kind, mission


@kernel
def _continent_value(table, params, view, seat, continent):
    """The value of one more territory of a continent: the nearer to holding it, the more."""
    size = size_of(table, continent)
    own = own_in(table, view, seat, continent)
    bonus = np.float64(table.bonus[continent])
    share = (own + 1.0) / size
    value = 1.6 * bonus * share * share / max(1.0, params.gates[continent] ** 0.5)
    if own + 1 >= size:
        value += bonus
    for other in range(table.players):
        if other != seat and alive(view, other) and holds(table, view, other, continent):
            value += 1.2 * bonus
    if table.missions:
        value += _mission_value(table, view, seat, continent)
    return value


@kernel
def _mission_value(table, view, seat, continent):
    kind, mission = aim_of(table, view, seat)
    if kind != CONTINENTS:
        return 0.0
    named = 0
    for i in range(table.mission_continents.shape[1]):
        if table.mission_continents[mission, i] >= 0:
            named += 1
        if table.mission_continents[mission, i] == continent:
            return 4.0
    if table.mission_target[mission] > named:  # a third of one's choice
        return 2.0 * own_in(table, view, seat, continent) / size_of(table, continent)
    return 0.0


@kernel
def _elimination_value(table, view, seat, owner, kind, aim):
    """The value of a territory because losing it brings its owner nearer to elimination."""
    if owner in (seat, NEUTRAL) or owner >= table.players:
        return 0.0
    territories = held(view, owner)
    if territories == 0:
        return 0.0
    ease = min(1.0, max(0.0, free_armies(table, view, seat) / armies_to_eliminate(table, view, owner) - 0.8))
    card = max(1.5, set_value(table, view.sets, 0, 1, 2) / 4.0)
    value = ease * (3.0 + card * view.cards[owner]) / (territories**0.5)
    if kind == DESTROY and table.mission_target[aim] == owner:
        value += 4.0
    if table.neutral:
        value += 0.7  # only eliminating the opponent wins
    return value


@kernel
def odds_of(conquest, attackers, defenders):
    """The chance of conquest, stopping at two attackers; very large battles are scaled down to the tables."""
    stop = STOP - 1 if attackers >= STOP else 0
    over = attackers - stop
    if over > TABLE_SIZE or defenders > TABLE_SIZE:
        largest = max(over, defenders)
        over = max(1, over * TABLE_SIZE // largest)
        defenders = max(1, defenders * TABLE_SIZE // largest)
    return conquest[stop, over, defenders]


@kernel
def campaign(table, params, view, seat, out, start, armies):
    """What a stack can achieve from here: the sum of values on a greedy walk, and its first target."""
    lists = table.link_start, table.links, table.battles.conquest  # handing over the whole table would cost more
    full = armies >= table.army_limit  # waiting would not make the stack any stronger
    return _walk(lists, 0.0 if full else params.courage, params.courage, view, seat, out, start, armies)


@outlined
def _walk(lists, first_courage, courage, view, seat, out, start, armies):
    link_start, links, conquest = lists
    taken0 = taken1 = np.uint64(0)
    here, left = start, np.int64(armies)
    total, chance, first = 0.0, 1.0, -1
    for _ in range(LONGEST_CAMPAIGN):
        best, target, odds_there = 0.0, -1, 0.0
        for i in range(link_start[here], link_start[here + 1]):
            near = np.int64(links[i])
            if view.owner[near] == seat or contains(taken0, taken1, near) or left < 2:
                continue
            odds = odds_of(conquest, left - 1, np.int64(view.armies[near]))
            value = odds * out[near] / SCALE
            if odds >= (first_courage if first < 0 else courage) and value > best:
                best, target, odds_there = value, near, odds
        if target < 0:
            break
        total += chance * best
        chance *= odds_there
        if first < 0:
            first = target
        if target < 64:
            taken0 |= bit(target)
        else:
            taken1 |= bit(target)
        left = np.int64(left - 1 - FIRST_LOSS - NEXT_LOSS * (view.armies[target] - 1))
        here = target
    return total, first
