"""Positions and moves of Risk as numbers for learners; docs/guide/encodings.md says what is at which place.

Players are told from the viewer on: it comes first, then whoever sits after it, and so on; the neutral army last.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel, outlined
from fogbound.core.encoding import Encoding
from fogbound.games.risk.table import (
    ATTACK_MOVE,
    BATTLE,
    CLAIM_MOVE,
    END_ATTACK,
    EXCHANGE,
    FORTIFY_MOVE,
    MOVE,
    NEUTRAL,
    PLACE,
    STAY,
    STEPS,
    Table,
    a_of,
    b_of,
    bit,
    count_of,
    kind_of,
)

LARGEST_HAND = 11  # five cards, and six captured
EXCHANGES = 3 * LARGEST_HAND * (LARGEST_HAND - 1) * (LARGEST_HAND - 2) // 6
COUNTS = len(STEPS) + 1  # the handy numbers of armies, and all of them
DICE = 3
EACH = 5  # numbers about each player
GENERAL = 16
PHASES = 7


def encoding(table: Table) -> Encoding:
    """The encoding of a map."""
    size, players, links = table.territories, table.players, table.links.size
    actions = size + EXCHANGES + size * COUNTS + links * (DICE + len(STEPS)) + COUNTS + 2 + size * size * COUNTS + 1
    inputs = size * (players + 5) + 2 * (size + 2) + EACH * players + table.missions + GENERAL + PHASES + 2 * players
    return Encoding(actions, number, inputs, write)


@kernel
def slot(count):
    """The place of a number of armies: one of the handy numbers, or the last place, which means all of them."""
    for i in range(len(STEPS)):
        if STEPS[i] == count:
            return i
    return len(STEPS)


@kernel
def link_of(table, source, target):
    """The number of the link between two neighbours."""
    for i in range(table.link_start[source], table.link_start[source + 1]):
        if table.links[i] == target:
            return np.int64(i)
    return np.int64(-1)


@outlined
def number(table, code, rank):
    """Claims, exchanges as they are listed, armies placed, attacks, battles, armies that follow, stay, end of the
    attack, fortifying, end of the turn."""
    kind, a, b, count = kind_of(code), a_of(code), b_of(code), count_of(code)
    size, links = table.territories, table.links.size
    if kind == CLAIM_MOVE:
        return b
    first = np.int64(size)
    if kind == EXCHANGE:
        return first + rank
    first += EXCHANGES
    if kind == PLACE:
        return first + b * COUNTS + slot(count)
    first += size * COUNTS
    if kind == ATTACK_MOVE:
        return first + link_of(table, a, b) * DICE + count - 1
    first += links * DICE
    if kind == BATTLE:
        return first + link_of(table, a, b) * len(STEPS) + slot(count)
    first += links * len(STEPS)
    if kind == MOVE:
        return first + slot(count)
    first += COUNTS
    if kind == STAY:
        return first
    if kind == END_ATTACK:
        return first + 1
    first += 2
    if kind == FORTIFY_MOVE:
        return first + (a * size + b) * COUNTS + slot(count)
    return first + size * size * COUNTS


@kernel
def relative(table, seat, owner):
    """How many seats after the viewer an owner sits; a spectator looks from the first seat, the neutral army is last."""
    return table.players if owner == NEUTRAL else (owner - max(seat, 0)) % table.players


@kernel
def logarithm(number):
    return np.log1p(np.float64(number)) / 5


@outlined
def write(table, view, seat, out):
    place = _write_territories(table, view, seat, out)
    place = _write_cards(table, view, seat, out, place)
    for other in range(table.players):
        mine = place + relative(table, seat, other) * EACH
        out[mine] = view.cards[other] / 10
        out[mine + 1] = logarithm(view.stock[other])
        out[mine + 2] = view.old_cards[other] / 10
        out[mine + 3] = 1.0 if view.destroyer[other] >= 0 else 0.0
        out[mine + 4] = 1.0 if view.destroyer[other] == seat else 0.0
    place += EACH * table.players
    if table.missions and seat >= 0 and view.mission[seat] >= 0:
        out[place + view.mission[seat]] = 1.0
    place += table.missions
    _write_general(table, view, out, place)
    place += GENERAL
    out[place + view.phase] = 1.0
    place += PHASES
    if view.turn >= 0:
        out[place + relative(table, seat, view.turn)] = 1.0
    out[place + table.players + relative(table, seat, view.first)] = 1.0


@kernel
def _write_territories(table, view, seat, out):
    width = table.players + 5
    for territory in range(table.territories):
        place = territory * width
        if view.owner[territory] >= 0:
            out[place + relative(table, seat, view.owner[territory])] = 1.0
        place += table.players + 1
        out[place] = logarithm(view.armies[territory])
        out[place + 1] = 1.0 if view.received[territory >> 6] & bit(territory) else 0.0
        out[place + 2] = 1.0 if view.source == territory else 0.0
        out[place + 3] = 1.0 if view.target == territory else 0.0
    return table.territories * width


@kernel
def _write_cards(table, view, seat, out, place):
    """The cards in one's own hand, and those that were turned in."""
    cards = table.territories + 2
    for card in range(cards):
        if seat >= 0 and view.hand[seat, card >> 6] & bit(card):
            out[place + card] = 1.0
        if view.discard[card >> 6] & bit(card):
            out[place + cards + card] = 1.0
    return place + 2 * cards


@kernel
def _write_general(table, view, out, place):
    out[place] = logarithm(view.pool)
    out[place + 1] = logarithm(view.round)
    out[place + 2] = view.round / table.round_limit if table.round_limit > 0 else 0.0
    out[place + 3] = logarithm(view.sets)
    out[place + 4] = logarithm(view.losses[0])
    out[place + 5] = logarithm(view.losses[1])
    for i in range(5):
        out[place + 6 + i] = view.dice[i] / 6
    out[place + 11] = view.in_attack
    out[place + 12] = view.conquered
    out[place + 13] = view.bonus_taken
    out[place + 14] = 1.0 if view.turn < 0 else 0.0
    out[place + 15] = 1.0
