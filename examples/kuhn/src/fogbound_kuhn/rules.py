"""Kuhn poker's rules, compiled: each player puts in a coin and gets one card of a small deck.

The first player passes or bets a second coin. A bet is answered by a bet (call) or a pass (fold); after a
pass the second player has the same choice. If nobody folds, the higher card wins the coins.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.core.contract import Rules
from fogbound.core.rng import below

PASS, BET = 0, 1
UNKNOWN, NOBODY = -1, -1

State = np.dtype(
    [
        ("card", np.int8, 2),  # UNKNOWN when concealed
        ("coins", np.int8, 2),  # what each player has put in
        ("turn", np.int8),  # the seat to move, NOBODY when the game is over
        ("folded", np.int8),  # the seat that folded, or NOBODY
    ],
    align=True,
)


class Table(NamedTuple):
    cards: int


@kernel
def reset(table, state, chance):
    first = draw(chance, table.cards)
    second = draw(chance, table.cards - 1)  # any card but the first
    state.card[0] = first
    state.card[1] = second + (second >= first)
    state.coins[0] = state.coins[1] = 1
    state.turn = 0
    state.folded = NOBODY


@kernel
def legal(table, state, out):
    if state.turn == NOBODY:
        return 0
    out[0], out[1] = PASS, BET
    return 2


@kernel
def apply(table, state, action, chance):
    seat = state.turn
    other = 1 - seat
    answers = state.coins[other] == 2
    if action == BET:
        state.coins[seat] = 2
    elif answers:
        state.folded = seat
    ends = answers or (action == PASS and seat == 1)
    state.turn = NOBODY if ends else other


@kernel
def to_move(state):
    return state.turn


@kernel
def score(table, state, out):
    """One coin won is three quarters of the stake, two coins all of it."""
    if state.folded != NOBODY:
        winner = 1 - state.folded
    else:
        winner = 0 if state.card[0] > state.card[1] else 1
    won = min(state.coins[0], state.coins[1])
    out[winner] = 0.5 + won / 4
    out[1 - winner] = 0.5 - won / 4


@kernel
def conceal(table, state, seat):
    """Cards are shown when the game ends without a fold."""
    if state.turn == NOBODY and state.folded == NOBODY:
        return
    for other in range(2):
        if other != seat:
            state.card[other] = UNKNOWN


@kernel
def imagine(table, state, seat, rng):
    """An unknown card is any that is not held."""
    for hidden in range(2):
        if state.card[hidden] == UNKNOWN:
            held = state.card[1 - hidden]
            card = below(rng, table.cards - (held != UNKNOWN))
            state.card[hidden] = card + (held != UNKNOWN and card >= held)


@kernel
def observe(table, state, action, seat):
    return action


RULES = Rules(State, reset, legal, apply, to_move, score, conceal, imagine, observe)
