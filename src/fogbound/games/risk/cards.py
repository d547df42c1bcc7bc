"""Cards: what makes a set and its value, turning in, drawing, capturing, and guessing unseen hands.

The deck has no order: a card is drawn from those that are neither in a hand nor turned
in. So there is nothing about undrawn cards that could be found out.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.chance import draw
from fogbound.core.compiled import kernel, outlined
from fogbound.core.rng import below
from fogbound.games.risk.table import (
    A_SHIFT,
    B_SHIFT,
    CAPPED,
    CARD_CAP,
    EXCHANGE,
    FIXED,
    KIND_SHIFT,
    SLOW,
    WILD,
    a_of,
    b_of,
    bit,
    count_of,
    ranked,
    room,
)

FIXED_VALUES = (4, 6, 8)  # three infantry, cavalry, artillery
ONE_OF_EACH = 10
ALL = np.uint64(0xFFFFFFFFFFFFFFFF)


@kernel
def is_set(table, a, b, c):
    """Three of one symbol, one of each, or any two with a wild card."""
    x, y, z = table.symbol[a], table.symbol[b], table.symbol[c]
    if x == WILD or y == WILD or z == WILD:
        return True
    return (x == y and y == z) or (x != y and y != z and x != z)


@kernel
def set_value(table, sets, a, b, c):
    """Armies for a set, when `sets` were turned in before it."""
    if table.card_values == FIXED:
        return _fixed_value(table, a, b, c)
    if table.card_values == SLOW:
        return 4 + sets
    value = 4 + 2 * sets if sets < 5 else 15 + 5 * (sets - 5)
    if table.card_values == CAPPED:
        return min(value, CARD_CAP)
    return value


@kernel
def _fixed_value(table, a, b, c):
    """By the symbols; a wild card counts as what gives the set its highest value."""
    seen, kinds = 0, 0
    symbol = 0
    for card in (a, b, c):
        if table.symbol[card] != WILD:
            symbol = table.symbol[card]
            if (seen >> symbol) & 1 == 0:
                seen |= 1 << symbol
                kinds += 1
    wilds = 0
    for card in (a, b, c):
        if table.symbol[card] == WILD:
            wilds += 1
    if kinds + wilds == 3:
        return ONE_OF_EACH
    return FIXED_VALUES[symbol]


@kernel
def next_card(state, seat, card):
    """The first card of a hand after this one; -1 if it was the last."""
    start = card + 1
    w = start >> 6
    if w > 1:
        return -1
    word = state.hand[seat, w] & (ALL << np.uint64(start & 63))
    if word == np.uint64(0) and w == 0:
        w = 1
        word = state.hand[seat, 1]
    return w * 64 + lowest_bit(word) if word else -1


@outlined
def list_exchanges(table, state, seat, out, count):
    """Every set in hand, with each choice of the territory that gets two armies."""
    a = next_card(state, seat, -1)
    while a >= 0:
        b = next_card(state, seat, a)
        while b >= 0:
            c = next_card(state, seat, b)
            while c >= 0:
                if is_set(table, a, b, c):
                    count = _list_exchange(table, state, seat, a, b, c, out, count)
                c = next_card(state, seat, c)
            b = next_card(state, seat, b)
        a = next_card(state, seat, a)
    return count


@kernel
def _list_exchange(table, state, seat, a, b, c, out, count):
    base = np.int64(EXCHANGE) << KIND_SHIFT | a << A_SHIFT | b << B_SHIFT | c << 2
    before = count
    if state.bonus_taken == 0:
        for place, card in enumerate((a, b, c)):
            if card < table.territories and state.owner[card] == seat:
                out[count] = base | (place + 1)
                count += 1
    if count == before:
        out[count] = base
        count += 1
    return count


@outlined
def exchange(table, state, action):
    """Turn in a set: armies to place, and two on the territory of one of the cards."""
    seat = state.turn
    a, b, c = a_of(action), b_of(action), count_of(action) >> 2
    chosen = count_of(action) & 3
    for card in (a, b, c):
        state.hand[seat, card >> 6] &= ~bit(card)
        state.discard[card >> 6] |= bit(card)
        if state.old[card >> 6] & bit(card):
            state.old[card >> 6] &= ~bit(card)
            state.old_cards[seat] -= 1
    state.cards[seat] -= 3
    state.pool += set_value(table, state.sets, a, b, c)
    state.sets += 1
    if chosen:
        card = a if chosen == 1 else b if chosen == 2 else c
        state.armies[card] += min(2, room(table, state, card))
        state.bonus_taken = 1


@kernel
def draw_card(table, state, seat, chance):
    """One card of the deck; an empty deck is made anew of the cards turned in."""
    first = table.deck[0] & ~state.discard[0]
    second = table.deck[1] & ~state.discard[1]
    for each in range(table.players):
        first &= ~state.hand[each, 0]
        second &= ~state.hand[each, 1]
    count = count_bits(first) + count_bits(second)
    if count == 0:
        first, second = state.discard[0], state.discard[1]
        count = count_bits(first) + count_bits(second)
        _reshuffle(table, state)
    if count == 0:
        return
    card = ranked(first, second, draw(chance, count))
    state.hand[seat, card >> 6] |= bit(card)
    state.cards[seat] += 1


@kernel
def _reshuffle(table, state):
    """Everybody sees now which cards are in hands: all that were not turned in."""
    for w in range(2):
        state.old[w] = table.deck[w] & ~state.discard[w]
        state.discard[w] = np.uint64(0)
    for seat in range(table.players):
        state.old_cards[seat] = state.cards[seat]


@kernel
def capture_cards(state, seat, loser):
    for w in range(2):
        state.hand[seat, w] |= state.hand[loser, w]
        state.hand[loser, w] = np.uint64(0)
    state.cards[seat] += state.cards[loser]
    state.old_cards[seat] += state.old_cards[loser]
    state.cards[loser] = 0
    state.old_cards[loser] = 0


@kernel
def imagine_hands(table, state, viewer, rng):
    """Deal every hand that is not known from the cards that can be in it, each as likely.

    Cards that were in hands at the last reshuffle still are; all others were drawn since.
    """
    old0, old1 = state.old[0], state.old[1]
    fresh0 = table.deck[0] & ~state.discard[0] & ~old0
    fresh1 = table.deck[1] & ~state.discard[1] & ~old1
    for seat in range(table.players):
        old0 &= ~state.hand[seat, 0]
        old1 &= ~state.hand[seat, 1]
        fresh0 &= ~state.hand[seat, 0]
        fresh1 &= ~state.hand[seat, 1]
    for seat in range(table.players):
        known = count_bits(state.hand[seat, 0]) + count_bits(state.hand[seat, 1])
        if seat == viewer or known == state.cards[seat]:
            continue
        for i in range(state.cards[seat]):
            if i < state.old_cards[seat]:
                card = ranked(old0, old1, below(rng, count_bits(old0) + count_bits(old1)))
            else:
                card = ranked(fresh0, fresh1, below(rng, count_bits(fresh0) + count_bits(fresh1)))
            state.hand[seat, card >> 6] |= bit(card)
            old0 &= ~state.hand[seat, 0]
            old1 &= ~state.hand[seat, 1]
            fresh0 &= ~state.hand[seat, 0]
            fresh1 &= ~state.hand[seat, 1]
