"""War: attacks with dice, battles to the end, occupying what was conquered, destroying a player."""

from __future__ import annotations

import numpy as np

from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.games.risk.cards import capture_cards
from fogbound.games.risk.odds import blitz
from fogbound.games.risk.table import (
    ATTACK,
    CAPTURED_EXCHANGE,
    DRAFT,
    NEUTRAL,
    OCCUPY,
    alive,
    end_game,
    give,
    room,
)

ROLLS = (1, 6, 36, 216, 1296, 7776)  # in how many ways so many dice can fall


@kernel
def attack(table, state, source, target, dice, chance):
    """One roll: highest against highest, second against second; the defender wins ties."""
    defending = 2 if state.armies[target] >= 2 else 1
    rolled = draw(chance, ROLLS[dice + defending])
    first, second, third, rolled = _three(rolled, dice)
    defence, reserve, _, rolled = _three(rolled, defending)
    state.dice[0], state.dice[1], state.dice[2] = first, second, third
    state.dice[3], state.dice[4] = defence, reserve
    beaten = 1 if first > defence else 0
    pairs = 1
    if dice > 1 and defending > 1:
        beaten += 1 if second > reserve else 0
        pairs = 2
    _lose(table, state, source, target, pairs - beaten, beaten, dice)


@kernel
def _three(rolled, dice):
    """Up to three dice from a number, highest first and 0 for those that are missing; and what is left of it."""
    a = rolled % 6 + 1
    rolled //= 6
    b = c = np.int64(0)
    if dice > 1:
        b = rolled % 6 + 1
        rolled //= 6
    if dice > 2:
        c = rolled % 6 + 1
        rolled //= 6
    highest, lowest = max(a, b, c), min(a, b, c)
    return highest, a + b + c - highest - lowest, lowest, rolled


@kernel
def battle(table, state, source, target, stop, chance):
    """Roll with as many dice as can be, until conquered or down to `stop` armies or fewer."""
    attackers, defenders = state.armies[source] - 1, state.armies[target]
    state.dice[:] = 0
    attackers_left, defenders_left = blitz(table.battles, attackers, defenders, stop - 1, chance)
    # The roll that conquers costs no attacker, so its dice are told by those who are left.
    dice = min(3, attackers_left)
    _lose(table, state, source, target, attackers - attackers_left, defenders - defenders_left, dice)


@kernel
def _lose(table, state, source, target, lost, beaten, dice):
    state.source, state.target = source, target
    state.losses[0], state.losses[1] = lost, beaten
    state.armies[source] -= lost
    state.armies[target] -= beaten
    if state.armies[target] == 0:
        _conquer(table, state, source, target, dice)


@kernel
def _conquer(table, state, source, target, least):
    """As many armies as dice were rolled move in at once; more may follow."""
    seat, loser = state.turn, state.owner[target]
    give(state, target, seat)
    state.armies[source] -= least
    state.armies[target] = least
    state.conquered = 1
    if loser != NEUTRAL and not alive(state, loser):
        state.destroyer[loser] = seat
        capture_cards(state, seat, loser)
        if _only_survivor(table, state, seat):
            end_game(state, np.uint8(1) << np.uint8(seat))
            return
    state.phase = OCCUPY
    if movable(table, state) == 0:
        after_occupation(state)


@kernel
def _only_survivor(table, state, seat):
    for other in range(table.players):
        if other != seat and alive(state, other):
            return False
    return True


@kernel
def movable(table, state):
    """How many more armies can follow into the conquered territory."""
    return min(state.armies[state.source] - 1, room(table, state, state.target))


@kernel
def occupy(table, state, count):
    state.armies[state.source] -= count
    state.armies[state.target] += count
    if movable(table, state) == 0:
        after_occupation(state)


@kernel
def after_occupation(state):
    """With six cards or more, as only a capture gives, sets are turned in before the attack goes on."""
    state.phase = ATTACK
    if state.cards[state.turn] >= CAPTURED_EXCHANGE:
        state.phase = DRAFT
        state.in_attack = 1
        state.pool = 0
