"""What the rules of Risk work on: the state of a game, the tables of a map, and the codes of moves.

Territories are indices into the map's list, seats 0 to 5 are players, owner 6 is the
neutral army. A card is the index of its territory; the two wild cards come after the
last one. Sets of territories or cards are two 64-bit words, a bit each.

A move is `kind << 36 | a << 28 | b << 20 | count`. For EXCHANGE, a, b and `count >> 2`
are the cards, and `count & 3` says which of them (from 1) gets two armies placed on its
territory, 0 for none.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.compiled import kernel
from fogbound.games.risk.odds import BlitzTables

MOST_TERRITORIES = 128
SEATS = 6
NEUTRAL = 6
FREE = -1
WILD = 3  # the symbol of a wild card; 0 to 2 are infantry, cavalry and artillery
NO_LIMIT = 250_000  # more armies than this never stand on one territory, so that a battle fits on a tape
STEPS = (1, 2, 3, 5, 10, 20, 50)  # how many armies one action moves or places, besides all of them

CLAIM, SETUP, NEUTRAL_SETUP, DRAFT, ATTACK, OCCUPY, FORTIFY = range(7)  # phases

# Kinds of moves.
CLAIM_MOVE, EXCHANGE, PLACE, ATTACK_MOVE, BATTLE, MOVE, STAY, END_ATTACK, FORTIFY_MOVE, END_TURN = range(10)
KIND_SHIFT, A_SHIFT, B_SHIFT = 36, 28, 20
COUNT_MASK, PLACE_MASK = (1 << B_SHIFT) - 1, 255

GROWING, SLOW, FIXED, CAPPED = range(4)  # values of card sets
CARD_CAP = 50
MUST_EXCHANGE = 5  # cards in hand that force an exchange in the draft
CAPTURED_EXCHANGE = 6  # cards in hand that force exchanges after a capture
DESTROY, CONTINENTS, MANY, FIRMLY = range(4)  # kinds of missions

State = np.dtype(
    [
        ("land", np.uint64, (7, 2)),  # the territories of each owner
        ("hand", np.uint64, (SEATS, 2)),  # the cards of each seat; empty where concealed
        ("discard", np.uint64, 2),  # cards turned in, all known
        ("old", np.uint64, 2),  # cards that were in hands at the last reshuffle, and are still
        ("received", np.uint64, 2),  # territories that were fortified this turn
        ("armies", np.int32, MOST_TERRITORIES),
        ("stock", np.int32, SEATS),  # armies left to set up
        ("pool", np.int32),  # armies that must be placed now
        ("round", np.int32),  # from 1; 0 during the set-up
        ("sets", np.int32),  # sets turned in by anyone
        ("losses", np.int32, 2),  # of the attacker and the defender in the last attack or battle
        ("ruled_out", np.uint32, SEATS),  # missions that a seat has fulfilled without winning: not its own
        ("cards", np.int16, SEATS),  # number of cards of each seat
        ("old_cards", np.int16, SEATS),  # how many of them it held at the last reshuffle
        ("source", np.int16),  # of the last attack, or of this turn's fortifying; -1 none
        ("target", np.int16),
        ("owner", np.int8, MOST_TERRITORIES),
        ("mission", np.int8, SEATS),  # -1 none, or concealed
        ("destroyer", np.int8, SEATS),  # who destroyed a seat; -1 nobody
        ("dice", np.int8, 5),  # of the last attack: up to three of the attacker, then up to two of the defender; 0 none
        ("turn", np.int8),  # the seat to move; -1 when the game is over
        ("first", np.int8),  # the seat that began
        ("phase", np.int8),
        ("in_attack", np.int8),  # 1 while armies for captured cards are placed
        ("conquered", np.int8),  # 1 if a territory was conquered this turn
        ("bonus_taken", np.int8),  # 1 if the two armies for a card's territory were placed this turn
        ("winners", np.uint8),  # a bit a seat, when the game is over
    ],
    align=True,
)


class Table(NamedTuple):
    """A map and its rules as arrays."""

    territories: int
    players: int
    neutral: int
    deal: int
    free_fortify: int
    army_limit: int
    round_limit: int  # 0: none
    starting_armies: int
    card_values: int
    missions: int  # how many; 0 when the goal is domination
    strict_missions: int
    hold_many: int
    hold_firmly: int
    link_start: NDArray[np.int16]  # neighbours of t: link_start[t] to link_start[t + 1]
    links: NDArray[np.int16]  # ascending for each territory
    near: NDArray[np.uint64]  # [territory, word]: its neighbours as a set
    members: NDArray[np.uint64]  # [continent, word]
    bonus: NDArray[np.int32]  # [continent]
    symbol: NDArray[np.int8]  # [card]
    deck: NDArray[np.uint64]  # [word]: all cards
    mission_kind: NDArray[np.int8]
    mission_target: NDArray[np.int8]  # the seat to destroy, or how many continents are needed
    mission_continents: NDArray[np.int16]  # [mission, up to five], -1 where there is none
    battles: BlitzTables


@kernel
def bit(number):
    return np.uint64(1) << np.uint64(number & 63)


@kernel
def held(state, seat):
    """How many territories an owner has."""
    return count_bits(state.land[seat, 0]) + count_bits(state.land[seat, 1])


@kernel
def alive(state, seat):
    return state.land[seat, 0] | state.land[seat, 1] != np.uint64(0)


@kernel
def ranked(first, second, rank):
    """The member of this rank, counted from 0, of a set given as two words."""
    base = 0
    inside = count_bits(first)
    word = first
    if rank >= inside:
        rank -= inside
        word = second
        base = 64
    for _ in range(rank):
        word &= word - np.uint64(1)
    return base + lowest_bit(word)


@kernel
def contains(first, second, member):
    """Whether a set given as two words has this member."""
    return (first if member < 64 else second) & bit(member) != np.uint64(0)


@kernel
def give(state, territory, seat):
    """Make a seat the owner of a territory."""
    before = state.owner[territory]
    if before >= 0:
        state.land[before, territory >> 6] &= ~bit(territory)
    state.land[seat, territory >> 6] |= bit(territory)
    state.owner[territory] = seat


@kernel
def room(table, state, territory):
    """How many more armies may stand on a territory."""
    return table.army_limit - state.armies[territory]


@kernel
def has_room(table, state, seat):
    """Whether any territory of an owner can take one more army."""
    for w in range(2):
        word = state.land[seat, w]
        while word:
            if room(table, state, w * 64 + lowest_bit(word)) > 0:
                return True
            word &= word - np.uint64(1)
    return False


@kernel
def holds(table, state, seat, continent):
    return (table.members[continent, 0] & ~state.land[seat, 0]) | (
        table.members[continent, 1] & ~state.land[seat, 1]
    ) == np.uint64(0)


@kernel
def with_bonuses(table, state, seat, armies):
    """A number of armies, and the bonus of every continent that an owner holds."""
    for continent in range(table.bonus.size):
        if holds(table, state, seat, continent):
            armies += table.bonus[continent]
    return armies


@kernel
def income(table, state, seat):
    """The armies that a turn begins with, before cards."""
    return with_bonuses(table, state, seat, max(3, held(state, seat) // 3))


@kernel
def size_of(table, continent):
    """How many territories a continent has; like `own_in`, of a table or of anything else with `members`."""
    return count_bits(table.members[continent, 0]) + count_bits(table.members[continent, 1])


@kernel
def own_in(table, state, seat, continent):
    """How many territories of a continent an owner has."""
    return count_bits(table.members[continent, 0] & state.land[seat, 0]) + count_bits(
        table.members[continent, 1] & state.land[seat, 1]
    )


@kernel
def encode(kind, a, b, count):
    return np.int64(kind) << KIND_SHIFT | np.int64(a) << A_SHIFT | np.int64(b) << B_SHIFT | np.int64(count)


@kernel
def kind_of(action):
    return action >> KIND_SHIFT


@kernel
def a_of(action):
    return (action >> A_SHIFT) & PLACE_MASK


@kernel
def b_of(action):
    return (action >> B_SHIFT) & PLACE_MASK


@kernel
def count_of(action):
    return action & COUNT_MASK


@kernel
def list_counts(out, count, base, most):
    """The codes that move some of `most` armies: a few handy numbers, and all of them."""
    for step in STEPS:
        if step < most:
            out[count] = base | step
            count += 1
    if most > 0:
        out[count] = base | most
        count += 1
    return count


@kernel
def end_game(state, winners):
    state.winners = winners
    state.turn = -1


@kernel
def largest_step(want, most):
    """The largest number of armies not above `want` that one move can place or move; `most` always can."""
    if want >= most:
        return np.int64(most)
    best = np.int64(1)
    for step in STEPS:
        if step <= want:
            best = np.int64(step)
    return best
