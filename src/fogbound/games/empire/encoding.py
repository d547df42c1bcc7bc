"""Positions and moves of Eight-Minute Empire as numbers for learners; docs/guide/encodings.md says what is where.

Players are told from the viewer on: it comes first, then whoever sits after it, and so on; neutral armies last.
"""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel
from fogbound.core.encoding import Encoding
from fogbound.games.empire.rules import (
    BID,
    BUILD,
    DONE,
    HIDDEN,
    KILL,
    KIND_SHIFT,
    LOW,
    NOT_YET,
    OVER,
    PLACE,
    PLACES,
    SEALED,
    SET_NEUTRAL,
    STEP,
    TOKENS,
    USE,
    WILD,
    X_SHIFT,
    Table,
)

DEEDS = 5
EACH = 11  # numbers about each player
PHASES = OVER + 1


def encoding(table: Table) -> Encoding:
    """The encoding of a board."""
    regions, cards = table.regions, table.good.size
    bids = table.coins + 1 if table.bidding else 0
    actions = PLACES + DEEDS + 1 + regions * (regions + 2 + table.colours)
    actions += (regions if table.neutral else 0) + bids + table.players
    inputs = regions * (2 * table.colours + WILD) + cards * (PLACES + 2 + table.players)
    inputs += EACH * table.players + DEEDS + PHASES + 2 * table.players + 1
    return Encoding(actions, number, inputs, write)


@kernel
def number(table, code, rank):
    """Cards, actions of an “or” card, done, steps, new armies, cities, kills, neutral armies, bids, who starts."""
    kind, x, y = code >> KIND_SHIFT, (code >> X_SHIFT) & LOW, code & LOW
    regions = table.regions
    if kind < USE:
        return y
    if kind == USE:
        return PLACES + y
    first = PLACES + DEEDS
    if kind == DONE:
        return first
    first += 1
    if kind == STEP:
        return first + x * regions + y
    first += regions * regions
    if kind == PLACE:
        return first + y
    first += regions
    if kind == BUILD:
        return first + y
    first += regions
    if kind == KILL:
        return first + x * table.colours + y
    first += regions * table.colours
    if kind == SET_NEUTRAL:
        return first + y
    first += regions if table.neutral > 0 else 0
    if kind == BID:
        return first + (code & SEALED)
    return first + (table.coins + 1 if table.bidding else 0) + y


@kernel
def relative(table, seat, colour):
    """How many seats after the viewer a colour sits; a spectator looks from the first seat, neutral armies are last."""
    return colour if colour >= table.players else (colour - max(seat, 0)) % table.players


@kernel
def write(table, view, seat, out):
    place = _write_regions(table, view, seat, out)
    place = _write_cards(table, view, seat, out, place)
    for other in range(table.players):
        _write_player(view, other, out, place + relative(table, seat, other) * EACH)
    place += EACH * table.players
    for deed in range(DEEDS):
        out[place + deed] = view.left[deed] / 4
    out[place + DEEDS + view.phase] = 1.0
    place += DEEDS + PHASES
    if view.turn >= 0:
        out[place + relative(table, seat, view.turn)] = 1.0
    if view.starter >= 0:
        out[place + table.players + relative(table, seat, view.starter)] = 1.0
    out[place + 2 * table.players] = view.played / table.turns


@kernel
def _write_regions(table, view, seat, out):
    width = 2 * table.colours + WILD
    for region in range(table.regions):
        for colour in range(table.colours):
            column = relative(table, seat, colour)
            out[region * width + column] = view.armies[region, colour] / 4
            out[region * width + table.colours + column] = view.cities[region, colour]
    for token in range(TOKENS):
        if view.token[token] >= 0:
            out[view.token[token] * width + 2 * table.colours + token // 2] += 0.5
    return table.regions * width


@kernel
def _write_cards(table, view, seat, out, place):
    """Each place of the row, the deck, the card in use, and the cards of every player."""
    cards = table.good.size
    for i in range(PLACES):
        if view.row[i] >= 0:
            out[place + i * cards + view.row[i]] = 1.0
    place += PLACES * cards
    for card in range(cards):
        out[place + card] = np.float32((view.deck >> np.uint64(card)) & np.uint64(1))
    place += cards
    if view.card >= 0:
        out[place + view.card] = 1.0
    place += cards
    for other in range(table.players):
        mine = place + relative(table, seat, other) * cards
        for card in range(cards):
            out[mine + card] = np.float32((view.taken[other] >> np.uint64(card)) & np.uint64(1))
    return place + table.players * cards


@kernel
def _write_player(view, other, out, place):
    out[place] = view.coins[other] / 10
    out[place + 1] = view.reserve[other] / 14
    out[place + 2] = view.cities_left[other] / 3
    bid = view.bid[other]
    out[place + 3] = -1.0 if bid == HIDDEN else 0.0 if bid == NOT_YET else (bid + 1) / 10
    out[place + 4] = 1.0 if bid != NOT_YET else 0.0
    for good in range(WILD + 1):
        out[place + 5 + good] = view.goods[other, good] / 4
