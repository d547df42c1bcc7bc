"""Leduc poker's rules, compiled: six cards in three ranks, a chip to begin with, two rounds of betting.

A bet is two chips in the first round and four in the second; a round has two bets at most. Between the rounds a card
is laid open. A pair with it wins, otherwise the higher rank; equal ranks share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.core.contract import Rules
from fogbound.core.rng import below

FOLD, CALL, RAISE = 0, 1, 2
UNKNOWN, NOBODY = -1, -1
MOST_RAISES = 2
MOST_CHIPS = 13

State = np.dtype(
    [
        ("card", np.int8, 2),  # UNKNOWN when concealed; its rank is card // 2
        ("public", np.int8),  # UNKNOWN in the first round
        ("chips", np.int8, 2),  # what each player has put in
        ("round", np.int8),
        ("raises", np.int8),  # in this round
        ("called", np.int8),  # 1 if the other has checked in this round
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
    second = draw(chance, table.cards - 1)
    state.card[0] = first
    state.card[1] = second + (second >= first)
    state.public = UNKNOWN
    state.chips[0] = state.chips[1] = 1
    state.round = 0
    state.raises = state.called = 0
    state.turn = 0
    state.folded = NOBODY


@kernel
def legal(table, state, out):
    if state.turn == NOBODY:
        return 0
    count = 0
    if state.chips[1 - state.turn] > state.chips[state.turn]:
        out[count] = FOLD
        count += 1
    out[count] = CALL
    count += 1
    if state.raises < MOST_RAISES:
        out[count] = RAISE
        count += 1
    return count


@kernel
def apply(table, state, action, chance):
    seat = state.turn
    other = 1 - seat
    if action == FOLD:
        state.folded = seat
        state.turn = NOBODY
        return
    answers = state.chips[other] > state.chips[seat]
    state.chips[seat] = max(state.chips[0], state.chips[1])
    if action == RAISE:
        state.chips[seat] += 2 if state.round == 0 else 4
        state.raises += 1
        state.turn = other
    elif answers or state.called:
        _end_round(table, state, chance)
    else:
        state.called = 1
        state.turn = other


@kernel
def _end_round(table, state, chance):
    if state.round == 1:
        state.turn = NOBODY
        return
    state.round = 1
    state.raises = state.called = 0
    state.turn = 0
    state.public = _other_card(state.card[0], state.card[1], draw(chance, table.cards - 2))


@kernel
def _other_card(first, second, rank):
    """The card of this rank among those that are not held."""
    low, high = min(first, second), max(first, second)
    card = rank + (rank >= low)
    return card + (card >= high)


@kernel
def to_move(state):
    return state.turn


@kernel
def score(table, state, out):
    """An even result is 0.5; 13 chips won are 1."""
    won = 0.0
    if state.folded != NOBODY:
        won = min(state.chips[0], state.chips[1]) * (1.0 if state.folded == 1 else -1.0)
    else:
        mine, theirs = _strength(state, 0), _strength(state, 1)
        won = state.chips[0] * (1.0 if mine > theirs else -1.0 if mine < theirs else 0.0)
    out[0] = 0.5 + won / (2 * MOST_CHIPS)
    out[1] = 0.5 - won / (2 * MOST_CHIPS)


@kernel
def _strength(state, seat):
    rank = state.card[seat] // 2
    return rank + (100 if rank == state.public // 2 else 0)


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
    """An unknown card is any that is neither held nor open."""
    for hidden in range(2):
        if state.card[hidden] == UNKNOWN:
            held, open_card = state.card[1 - hidden], state.public
            known = (held != UNKNOWN) + (open_card != UNKNOWN)
            card = below(rng, table.cards - known)
            if known == 2:
                card = _other_card(held, open_card, card)
            elif known == 1:
                card += card >= max(held, open_card)
            state.card[hidden] = card


@kernel
def observe(table, state, action, seat):
    return action


RULES = Rules(State, reset, legal, apply, to_move, score, conceal, imagine, observe)
