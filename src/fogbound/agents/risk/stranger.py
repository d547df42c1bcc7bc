"""Simple players of Risk with one temper each: a varied field for others to be measured against.

A style is a row of habits: where armies are placed, what is attacked and how rashly, what follows into
a conquered territory, when cards are turned in. HELD_OUT names the styles that nothing is trained against.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from pydantic import Field

from fogbound.agents.risk import random as random_risk
from fogbound.agents.risk.evaluation import odds_of
from fogbound.agents.risk.tactics import (
    best_neutral,
    most_armies_set,
    on_border,
    placeable,
    reinforce,
    total_threat,
)
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.rng import unit
from fogbound.games.risk.battle import movable
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    CLAIM,
    CLAIM_MOVE,
    DRAFT,
    END_ATTACK,
    END_TURN,
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
    held,
    largest_step,
    own_in,
    room,
    size_of,
)

DEFEND, LARGEST, SPREAD, ANYWHERE, OPPORTUNITY = range(5)  # where armies are placed
WEAKEST, LEADER, STRAGGLER, CONTINENT, ANY, NEXT_SEAT = range(6)  # what is attacked
NONE_FOLLOW, HALF_FOLLOW, ALL_FOLLOW = range(3)
IN_THREES = 3  # cards from which a set is turned in at once


class Style(NamedTuple):
    """The habits of a player."""

    place: int
    attack: int
    least: float  # the chance of conquest below which it does not attack
    stack: int  # armies that a territory must have before it attacks
    one: int  # 1: one conquest a turn is enough
    follow: int
    cards: int  # in hand from which it turns in a set
    fortifies: int
    careless: float  # share of its moves that are made at random


STYLES = {
    "passive": Style(DEFEND, WEAKEST, 0.9, 4, 1, HALF_FOLLOW, MUST_EXCHANGE, 1, 0.0),
    "aggressive": Style(LARGEST, WEAKEST, 0.35, 2, 0, ALL_FOLLOW, IN_THREES, 0, 0.0),
    "hoarding": Style(LARGEST, WEAKEST, 0.8, 20, 0, ALL_FOLLOW, MUST_EXCHANGE, 1, 0.0),
    "spreading": Style(SPREAD, ANY, 0.6, 2, 0, HALF_FOLLOW, IN_THREES, 0, 0.0),
    "careless": Style(OPPORTUNITY, WEAKEST, 0.55, 2, 0, ALL_FOLLOW, IN_THREES, 1, 0.25),
    "finishing": Style(ANYWHERE, STRAGGLER, 0.55, 2, 0, ALL_FOLLOW, IN_THREES, 1, 0.1),
    "settling": Style(DEFEND, CONTINENT, 0.65, 3, 0, HALF_FOLLOW, IN_THREES, 1, 0.0),
    "envious": Style(OPPORTUNITY, LEADER, 0.5, 3, 0, ALL_FOLLOW, IN_THREES, 1, 0.0),
    "feuding": Style(OPPORTUNITY, NEXT_SEAT, 0.5, 2, 0, ALL_FOLLOW, IN_THREES, 1, 0.0),
    "collecting": Style(LARGEST, WEAKEST, 0.6, 3, 1, ALL_FOLLOW, IN_THREES, 1, 0.0),
    "cautious": Style(ANYWHERE, ANY, 0.75, 3, 0, HALF_FOLLOW, IN_THREES, 0, 0.0),
    "gambling": Style(ANYWHERE, ANY, 0.25, 2, 0, ALL_FOLLOW, IN_THREES, 0, 0.0),
}
HELD_OUT = ("envious", "feuding", "collecting", "cautious", "gambling")
TRAINED = tuple(name for name in STYLES if name not in HELD_OUT)
Name = Literal[
    "passive",
    "aggressive",
    "hoarding",
    "spreading",
    "careless",
    "finishing",
    "settling",
    "envious",
    "feuding",
    "collecting",
    "cautious",
    "gambling",
]
assert get_args(Name) == tuple(STYLES)


class StrangerOptions(Options):
    style: Name = Field("careless", description=f"its temper: {', '.join(STYLES)}")


class Params(NamedTuple):
    style: Style
    random: random_risk.Params  # where a stranger is careless


class Stranger(PolicyAgent[StrangerOptions, Risk]):
    name = "stranger"
    about = "a simple player with one temper, to measure others against"
    options_model = StrangerOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return params_of(self.options.style)


def params_of(style: str) -> Params:
    return Params(STYLES[style], random_risk.make_params(0.5, blitz=True))


@kernel
def choose(table, params, view, seat, out, rng):
    style = params.style
    if style.careless > 0.0 and unit(rng) < style.careless:
        return _at_random(table, params.random, view, seat, out, rng)
    if view.phase == CLAIM:
        return encode(CLAIM_MOVE, 0, _claim(table, style, view, seat, rng), 1)
    if view.phase == NEUTRAL_SETUP:
        return encode(PLACE, 0, best_neutral(table, view, seat), 1)
    if view.phase == SETUP:
        return encode(PLACE, 0, _place(table, style, view, seat, rng), 1)
    if view.phase == DRAFT:
        return _draft(table, style, view, seat, out, rng)
    if view.phase == ATTACK:
        return _attack(table, style, view, seat, rng)
    if view.phase == OCCUPY:
        return _occupy(table, style, view, seat)
    return reinforce(table, view, seat) if style.fortifies != 0 else encode(END_TURN, 0, 0, 0)


@outlined
def _at_random(table, params, view, seat, out, rng):
    return random_risk.choose(table, params, view, seat, out, rng)


@outlined
def _claim(table, style, view, seat, rng):
    """Any free territory; who settles continents goes on in the one where it has most."""
    best, found = -1.0, 0
    for territory in range(table.territories):
        if view.owner[territory] != FREE:
            continue
        value = unit(rng)
        if style.attack == CONTINENT:
            for continent in range(table.bonus.size):
                if contains(table.members[continent, 0], table.members[continent, 1], territory):
                    value += 3.0 * own_in(table, view, seat, continent) / size_of(table, continent)
        if value > best:
            best, found = value, territory
    return found


@outlined
def _place(table, style, view, seat, rng):
    """The territory that gets armies, by the player's habit; borders come before the inland."""
    best, found = -1e18, 0
    for territory in range(table.territories):
        if view.owner[territory] != seat or room(table, view, territory) <= 0:
            continue
        value = 0.5 * unit(rng)
        armies = np.float64(view.armies[territory])
        if not on_border(table, view, seat, territory):
            value -= 1e9
        elif style.place == DEFEND:
            value += total_threat(table, view, seat, territory) - armies
        elif style.place == LARGEST:
            value += armies
        elif style.place == SPREAD:
            value -= armies
        elif style.place == OPPORTUNITY:
            value += armies - _weakest_near(table, view, seat, territory)
        if value > best:
            best, found = value, territory
    return found


@kernel
def _weakest_near(table, view, seat, territory):
    least = np.int64(1 << 30)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        if view.owner[table.links[i]] != seat:
            least = min(least, np.int64(view.armies[table.links[i]]))
    return least


@kernel
def _draft(table, style, view, seat, out, rng):
    must = view.cards[seat] >= MUST_EXCHANGE
    if must or (view.cards[seat] >= style.cards and view.in_attack == 0):
        exchange = most_armies_set(table, view, seat, out)
        if exchange >= 0:
            return exchange
    territory = _place(table, style, view, seat, rng)
    most = placeable(table, view, territory)
    return encode(PLACE, 0, territory, 1 if style.place == SPREAD else most)


@outlined
def _attack(table, style, view, seat, rng):
    """The attack liked best among those whose chance is good enough."""
    if style.one and view.conquered:
        return encode(END_ATTACK, 0, 0, 0)
    wanted = _wanted_owner(table, style, view, seat)
    best, source, target = 0.0, -1, -1
    for here in range(table.territories):
        if view.owner[here] != seat or view.armies[here] < max(2, style.stack):
            continue
        for i in range(table.link_start[here], table.link_start[here + 1]):
            there = np.int64(table.links[i])
            if view.owner[there] == seat:
                continue
            odds = odds_of(table.battles.conquest, np.int64(view.armies[here]) - 1, np.int64(view.armies[there]))
            if odds < style.least:
                continue
            value = _liking(table, style, view, seat, there, wanted, odds) + 0.01 * unit(rng)
            if style.attack == ANY:
                value = unit(rng)
            if value > best:
                best, source, target = value, here, there
    if source < 0:
        return encode(END_ATTACK, 0, 0, 0)
    return encode(BATTLE, source, target, 1)


@kernel
def _wanted_owner(table, style, view, seat):
    """The player whom this one attacks first; -1 for nobody in particular."""
    best, found = -1, -1
    for k in range(1, table.players):
        other = (seat + k) % table.players
        size = held(view, other)
        if size == 0:
            continue
        if style.attack == NEXT_SEAT:
            return other
        value = -1
        if style.attack == LEADER:
            value = size
        elif style.attack == STRAGGLER:
            value = table.territories - size
        if value > best:
            best, found = value, other
    return found


@kernel
def _liking(table, style, view, seat, target, wanted, odds):
    """How much an attack is liked, above 0."""
    if style.attack == CONTINENT:
        best = 0.0
        for continent in range(table.bonus.size):
            if contains(table.members[continent, 0], table.members[continent, 1], target):
                best = max(best, own_in(table, view, seat, continent) / size_of(table, continent))
        return best * odds
    value = odds
    if view.owner[target] == wanted:
        value += 1.0
    elif view.owner[target] == NEUTRAL:
        value *= 0.5
    return value


@kernel
def _occupy(table, style, view, seat):
    most = np.int64(movable(table, view))
    inland = not on_border(table, view, seat, view.source)
    if style.follow == ALL_FOLLOW or inland:
        return encode(MOVE, 0, 0, most)
    want = (np.int64(view.armies[view.source]) - np.int64(view.armies[view.target])) // 2
    if style.follow == NONE_FOLLOW or want <= 0:
        return encode(STAY, 0, 0, 0)
    return encode(MOVE, 0, 0, largest_step(want, most))
