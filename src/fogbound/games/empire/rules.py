"""The rules of Eight-Minute Empire, compiled: take a card, keep its goods, use its action.

Regions and cards are indices. A colour is a seat, or the number after the last seat for
the neutral armies of two players. An action is `kind << 12 | x << 6 | y`; each kind says
below what x and y are. The deck is a set of cards, never an order: a card is drawn when
it comes into the row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.core.contract import Rules
from fogbound.core.rng import below

# What a card can do.
MOVE, SAIL, ARMIES, CITY, DESTROY = range(5)
DEEDS = ("move", "sail", "armies", "city", "destroy")
SINGLE, OR, AND = range(3)
GOODS = ("food", "wood", "coal", "gems", "iron", "wild")
WILD = 5

# Kinds of actions: x and y.
TAKE = 0  # y: place in the row
USE = 1  # y: the action of an “or” card
DONE = 2  # stop using the card
STEP = 3  # x: from, y: to
PLACE = 4  # y: region of a new army
BUILD = 5  # y: region of a new city
KILL = 6  # x: region, y: colour of the army destroyed
SET_NEUTRAL = 7  # y: region
BID = 8  # x << 6 | y: coins
START = 9  # y: the seat that starts
KIND_SHIFT = 12
X_SHIFT = 6
LOW = 63
SEALED = 4095  # coins of a bid that is not known

# Phases.
BIDDING, STARTING, SETTING, TAKING, CHOOSING, ACTING = range(6)
OVER = 6

NOT_YET, HIDDEN = -1, -2  # bids
NOBODY = -1
PLACES = 6  # in the row
ARMIES_EACH = 14
CITIES_EACH = 3
START_ARMIES = 3
TOKENS = 10

State = np.dtype(
    [
        ("deck", np.uint64),  # cards that have not come out yet
        ("taken", np.uint64, 5),  # cards of each seat
        ("played", np.int16),  # turns finished, of all players together
        ("row", np.int8, PLACES),  # open cards from the left; -1 where none is left
        ("armies", np.int8, (64, 5)),  # [region, colour]
        ("cities", np.int8, (64, 5)),
        ("reserve", np.int8, 5),  # armies of each colour that are not on the board
        ("cities_left", np.int8, 5),
        ("coins", np.int8, 5),
        ("bid", np.int8, 5),
        ("goods", np.int8, (5, 6)),  # of each seat, from cards: five goods and wild ones
        ("token", np.int8, TOKENS),  # regions of the goods tokens, two of each good in turn; -1 without tokens
        ("left", np.int8, 5),  # how often each deed can still be done in this turn
        ("card", np.int8),  # the card in use; -1 when none is
        ("phase", np.int8),
        ("turn", np.int8),  # the seat to move; -1 when the game is over
        ("starter", np.int8),  # the seat that starts; -1 while it is not decided
        ("unused", np.int8, 3),  # always zero: without it the last bytes would be undefined
    ],
    align=True,
)


class Table(NamedTuple):
    """A board, the cards and the rules as arrays."""

    players: int
    colours: int  # players, and one more with neutral armies
    regions: int
    start: int
    coins: int
    turns: int  # of all players together
    bidding: int
    neutral: int  # neutral armies to place
    with_tokens: int
    by_regions: int  # 1 if controlled regions control a continent, 0 if armies and cities do
    wild_owned: int  # 1 if a wild card is only a good that its owner already has
    armies_before_regions: int  # 1 for the printed order of the tie-breaks
    deck: int  # the set of cards in the game
    price: NDArray[np.int8]  # [place]
    good: NDArray[np.int8]  # [card]
    goods: NDArray[np.int8]  # [card]: how many
    join: NDArray[np.int8]  # [card]: SINGLE, OR, AND
    amount: NDArray[np.int8]  # [card, deed]
    points: NDArray[np.int8]  # [good, how many]
    land_start: NDArray[np.int32]  # borders of region r: land_start[r] to land_start[r + 1]
    land: NDArray[np.int16]
    sail_start: NDArray[np.int32]  # the same for borders and sea routes together
    sail: NDArray[np.int16]
    continents: int
    continent: NDArray[np.int16]  # [region]
    member_start: NDArray[np.int32]  # regions of continent c: member_start[c] to member_start[c + 1]
    member: NDArray[np.int16]
    token_spaces: NDArray[np.int16]


@kernel
def reset(table, state, chance):
    state.deck = np.uint64(table.deck)
    state.taken[:] = np.uint64(0)
    state.row[:] = -1
    state.armies[:] = 0
    state.cities[:] = 0
    state.reserve[:] = 0
    state.cities_left[:] = 0
    state.coins[:] = 0
    state.bid[:] = NOT_YET
    state.goods[:] = 0
    state.token[:] = -1
    state.left[:] = 0
    state.card = -1
    state.starter = NOBODY
    state.unused[:] = 0
    state.played = 0
    for seat in range(table.players):
        state.armies[table.start, seat] = START_ARMIES
        state.reserve[seat] = ARMIES_EACH - START_ARMIES
        state.cities_left[seat] = CITIES_EACH
        state.coins[seat] = table.coins
    if table.neutral > 0:
        state.reserve[table.players] = table.neutral
    for place in range(PLACES):
        state.row[place] = _draw_card(state, chance)
    if table.with_tokens:
        _lay_tokens(table, state, chance)
    if table.bidding:
        state.phase = BIDDING
        state.turn = 0
    else:
        _begin(table, state, draw(chance, table.players))


@kernel
def _draw_card(state, chance):
    """A card that has not come out yet, each equally likely; -1 when there is none."""
    count = count_bits(state.deck)
    if count == 0:
        return -1
    word = state.deck
    for _ in range(draw(chance, count)):
        word &= word - np.uint64(1)
    card = lowest_bit(word)
    state.deck &= ~(np.uint64(1) << np.uint64(card))
    return card


@kernel
def redraw(state, chance):
    """Put the last card of the row back into the deck and draw another: to imagine how else it could have come."""
    if state.row[PLACES - 1] >= 0:
        state.deck |= np.uint64(1) << np.uint64(state.row[PLACES - 1])
        state.row[PLACES - 1] = _draw_card(state, chance)


@kernel
def _lay_tokens(table, state, chance):
    """Ten slots, dealt to the token spaces one after the other; each token gets a free slot."""
    used = 0
    for token in range(TOKENS):
        rank = draw(chance, TOKENS - token)
        for slot in range(TOKENS):
            if used >> slot & 1:
                continue
            if rank == 0:
                used |= 1 << slot
                state.token[token] = table.token_spaces[slot % table.token_spaces.size]
                break
            rank -= 1


@kernel
def _begin(table, state, seat):
    """It is known who starts: neutral armies are placed, or the first card is taken."""
    state.starter = seat
    state.turn = seat
    state.phase = SETTING if table.neutral > 0 else TAKING


@kernel
def legal(table, state, out):
    """Codes of the legal actions."""
    phase = state.phase
    if phase == ACTING:
        return _legal_deeds(table, state, out)
    if phase == TAKING:
        return _legal_cards(table, state, out)
    if phase == CHOOSING:
        return _legal_choices(table, state, out)
    if phase == SETTING:
        return _numbered(out, SET_NEUTRAL, table.regions)
    if phase == BIDDING:
        return _numbered(out, BID, state.coins[state.turn] + 1)
    if phase == STARTING:
        return _numbered(out, START, table.players)
    return 0


@kernel
def _numbered(out, kind, count):
    for number in range(count):
        out[number] = kind << KIND_SHIFT | number
    return count


@kernel
def _legal_cards(table, state, out):
    coins = state.coins[state.turn]
    count = 0
    for place in range(PLACES):
        if state.row[place] >= 0 and table.price[place] <= coins:
            out[count] = place
            count += 1
    return count


@kernel
def _legal_choices(table, state, out):
    """The actions of an “or” card that can be used at all, or none of them."""
    count = 0
    for deed in range(5):
        if table.amount[state.card, deed] > 0 and can_do(table, state, deed):
            out[count] = USE << KIND_SHIFT | deed
            count += 1
    out[count] = DONE << KIND_SHIFT
    return count + 1


@kernel
def _legal_deeds(table, state, out):
    seat = state.turn
    out[0] = DONE << KIND_SHIFT
    count = 1
    if state.left[SAIL] > 0:
        count = _legal_steps(table.sail_start, table.sail, table, state, out, count)
    elif state.left[MOVE] > 0:
        count = _legal_steps(table.land_start, table.land, table, state, out, count)
    if state.left[ARMIES] > 0 and state.reserve[seat] > 0:
        for region in range(table.regions):
            if region == table.start or state.cities[region, seat] > 0:
                out[count] = PLACE << KIND_SHIFT | region
                count += 1
    if state.left[CITY] > 0 and state.cities_left[seat] > 0:
        for region in range(table.regions):
            if state.armies[region, seat] > 0:
                out[count] = BUILD << KIND_SHIFT | region
                count += 1
    if state.left[DESTROY] > 0:
        for region in range(table.regions):
            for colour in range(table.colours):
                if colour != seat and state.armies[region, colour] > 0:
                    out[count] = KILL << KIND_SHIFT | region << X_SHIFT | colour
                    count += 1
    return count


@kernel
def _legal_steps(starts, ends, table, state, out, count):
    seat = state.turn
    for region in range(table.regions):
        if state.armies[region, seat] > 0:
            for i in range(starts[region], starts[region + 1]):
                out[count] = STEP << KIND_SHIFT | region << X_SHIFT | ends[i]
                count += 1
    return count


@kernel
def can_do(table, state, deed):
    """Whether the seat to move can do this deed at least once."""
    seat = state.turn
    if deed == ARMIES:
        return state.reserve[seat] > 0
    if deed == CITY:
        return state.cities_left[seat] > 0 and state.reserve[seat] < ARMIES_EACH
    if deed == DESTROY:
        return _other_armies(table, state, seat)
    for region in range(table.regions):
        if state.armies[region, seat] > 0:
            if table.land_start[region] < table.land_start[region + 1]:
                return True
            if deed == SAIL and table.sail_start[region] < table.sail_start[region + 1]:
                return True
    return False


@kernel
def _other_armies(table, state, seat):
    for colour in range(table.colours):
        most = ARMIES_EACH if colour < table.players else table.neutral
        if colour != seat and state.reserve[colour] < most:
            return True
    return False


@kernel
def apply(table, state, action, chance):
    kind = action >> KIND_SHIFT
    x = (action >> X_SHIFT) & LOW
    y = action & LOW
    seat = state.turn
    if kind == TAKE:
        _take(table, state, y, chance)
    elif kind == USE:
        state.left[y] = table.amount[state.card, y]
        state.phase = ACTING
    elif kind == DONE:
        _end_turn(table, state)
    elif kind == SET_NEUTRAL:
        _set_neutral(table, state, y)
    elif kind == BID:
        _bid(table, state, action & SEALED, chance)
    elif kind == START:
        _begin(table, state, y)
    else:
        if kind == STEP:
            state.armies[x, seat] -= 1
            state.armies[y, seat] += 1
            state.left[SAIL if state.left[SAIL] > 0 else MOVE] -= 1
        elif kind == PLACE:
            state.armies[y, seat] += 1
            state.reserve[seat] -= 1
            state.left[ARMIES] -= 1
        elif kind == BUILD:
            state.cities[y, seat] += 1
            state.cities_left[seat] -= 1
            state.left[CITY] -= 1
        else:
            state.armies[x, y] -= 1
            state.reserve[y] += 1
            state.left[DESTROY] -= 1
        _go_on(table, state)


@kernel
def _take(table, state, place, chance):
    seat = state.turn
    card = state.row[place]
    state.coins[seat] -= table.price[place]
    state.taken[seat] |= np.uint64(1) << np.uint64(card)
    state.goods[seat, table.good[card]] += table.goods[card]
    for i in range(place, PLACES - 1):
        state.row[i] = state.row[i + 1]
    state.row[PLACES - 1] = _draw_card(state, chance)
    state.card = card
    if table.join[card] == OR:
        _offer(table, state)
        return
    for deed in range(5):
        state.left[deed] = table.amount[card, deed]
    state.phase = ACTING
    _go_on(table, state)


@kernel
def _offer(table, state):
    """An “or” card: the player chooses, unless there is nothing to choose."""
    for deed in range(5):
        if table.amount[state.card, deed] > 0 and can_do(table, state, deed):
            state.phase = CHOOSING
            return
    _end_turn(table, state)


@kernel
def _go_on(table, state):
    """The turn ends by itself when nothing more can be done."""
    for deed in range(5):
        if state.left[deed] > 0 and can_do(table, state, deed):
            return
    _end_turn(table, state)


@kernel
def _end_turn(table, state):
    state.left[:] = 0
    state.card = -1
    state.played += 1
    if state.played >= table.turns:
        state.phase = OVER
        state.turn = NOBODY
        return
    state.phase = TAKING
    state.turn = (state.turn + 1) % table.players


@kernel
def _set_neutral(table, state, region):
    state.armies[region, table.players] += 1
    state.reserve[table.players] -= 1
    state.turn = (state.turn + 1) % table.players
    if state.reserve[table.players] == 0:
        state.phase = TAKING
        state.turn = state.starter


@kernel
def _bid(table, state, coins, chance):
    """The last bid opens all of them: the highest pays, and chooses who starts."""
    state.bid[state.turn] = coins
    if state.turn + 1 < table.players:
        state.turn += 1
        return
    highest = -1
    ties = 0
    for seat in range(table.players):
        if state.bid[seat] > highest:
            highest = state.bid[seat]
            ties = 0
        if state.bid[seat] == highest:
            ties += 1
    rank = draw(chance, ties) if ties > 1 else 0
    for seat in range(table.players):
        if state.bid[seat] == highest:
            if rank == 0:
                state.coins[seat] -= highest
                state.turn = seat
                state.phase = STARTING
                return
            rank -= 1


@kernel
def to_move(state):
    return np.int64(state.turn)


@kernel
def holder(table, state, region):
    """The colour that controls a region: more armies and cities than any other; a tie is nobody's."""
    most = 0
    who = NOBODY
    for colour in range(table.colours):
        pieces = state.armies[region, colour] + state.cities[region, colour]
        if pieces > most:
            most = pieces
            who = colour
        elif pieces == most:
            who = NOBODY
    return who


@kernel
def continent_holder(table, state, continent):
    """The colour that controls a continent, by armies and cities or by controlled regions."""
    most = 0
    who = NOBODY
    for colour in range(table.colours):
        strength = 0
        for i in range(table.member_start[continent], table.member_start[continent + 1]):
            region = table.member[i]
            if table.by_regions:
                strength += holder(table, state, region) == colour
            else:
                strength += state.armies[region, colour] + state.cities[region, colour]
        if strength > most:
            most = strength
            who = colour
        elif strength == most:
            who = NOBODY
    return who


@kernel
def regions_held(table, state, seat):
    count = 0
    for region in range(table.regions):
        count += holder(table, state, region) == seat
    return count


@kernel
def continents_held(table, state, seat):
    count = 0
    for continent in range(table.continents):
        count += continent_holder(table, state, continent) == seat
    return count


@kernel
def goods_of(table, state, seat, good):
    """How many of a good a seat has: from cards, and from the tokens of regions that it controls."""
    count = np.int64(state.goods[seat, good])
    if table.with_tokens and good != WILD:
        for token in range(2 * good, 2 * good + 2):
            count += holder(table, state, state.token[token]) == seat
    return count


@kernel
def goods_points(table, state, seat):
    """Points for goods, with the wild cards as the goods that give most.

    After each good, `best0` to `best3` are the most points that 0 to 3 wild cards can make so far.
    """
    wilds = np.int64(state.goods[seat, WILD])
    best0 = best1 = best2 = best3 = 0
    for good in range(WILD):
        count = goods_of(table, state, seat, good)
        none = np.int64(table.points[good, count])
        if wilds == 0 or (table.wild_owned and count == 0):
            best0, best1, best2, best3 = best0 + none, best1 + none, best2 + none, best3 + none
            continue
        one = np.int64(table.points[good, count + 1])
        two = np.int64(table.points[good, count + 2])
        three = np.int64(table.points[good, count + 3])
        best3 = max(max(best3 + none, best2 + one), max(best1 + two, best0 + three))
        best2 = max(best2 + none, max(best1 + one, best0 + two))
        best1 = max(best1 + none, best0 + one)
        best0 = best0 + none
    if wilds == 0:
        return best0
    if wilds == 1:
        return best1
    return best2 if wilds == 2 else best3


@kernel
def standing(table, state, seat):
    """One number that is higher for whom is ahead: points, then the tie-breaks in their order."""
    armies = np.int64(ARMIES_EACH - state.reserve[seat])
    regions = regions_held(table, state, seat)
    first, second = regions, armies
    if table.armies_before_regions:
        first, second = armies, regions
    points = regions + continents_held(table, state, seat) + goods_points(table, state, seat)
    return ((points * 128 + state.coins[seat]) * 128 + first) * 128 + second


@kernel
def score(table, state, out):
    """1 for the winner; those who are still level after all tie-breaks share it."""
    best = np.int64(-1)
    winners = 0
    for seat in range(table.players):
        out[seat] = standing(table, state, seat)
        if out[seat] > best:
            best = np.int64(out[seat])
            winners = 0
        if out[seat] == best:
            winners += 1
    for seat in range(table.players):
        out[seat] = 1.0 / winners if out[seat] == best else 0.0


@kernel
def conceal(table, state, seat):
    """Others' bids are sealed until all have bid. Nothing else is hidden: the deck has no order yet."""
    if state.phase != BIDDING:
        return
    for other in range(table.players):
        if other != seat and state.bid[other] != NOT_YET:
            state.bid[other] = HIDDEN


@kernel
def imagine(table, state, seat, rng):
    """Any sealed bid is as likely as any other."""
    for other in range(table.players):
        if state.bid[other] == HIDDEN:
            state.bid[other] = below(rng, state.coins[other] + 1)


@kernel
def observe(table, state, action, seat):
    """Of another's bid one sees only that it was made, except of the last one: it opens them all."""
    if action >> KIND_SHIFT == BID and seat != state.turn and state.turn + 1 < table.players:
        return action | SEALED
    return action


RULES = Rules(State, reset, legal, apply, to_move, score, conceal, imagine, observe)
