"""What a net is told about a position of Eight-Minute Empire at the end of a turn, by one seat, on any board.

Three parts: a row for every region, a row for every continent, and the numbers of the whole: points, coins,
goods, the open cards that stay in the row, and how much is still to come. The card that fills the row up is left
out, so that what is told does not depend on a draw. docs/guide/features.md lists the inputs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, part
from fogbound.games.empire.rules import (
    ARMIES,
    CITY,
    DESTROY,
    MOVE,
    NOBODY,
    PLACES,
    SAIL,
    TOKENS,
    WILD,
    goods_of,
    goods_points,
)

MOST = 64  # regions or continents
REGION = 29  # numbers about a region
CONTINENT = 17
OPEN = PLACES - 1  # places of the row that are told
OFFER = 12  # numbers about an open card
PLAYER = 24  # numbers about one player
HEAD = 17  # numbers before those about players
WHOLE = HEAD + 3 * PLAYER + 8 + OPEN * OFFER + 6
_ONE = np.float32(1.0)


class Told(NamedTuple):
    """Room for what is told, and for what is counted on the way."""

    regions: NDArray[np.float32]  # [region, number]
    continents: NDArray[np.float32]  # [continent, number]
    whole: NDArray[np.float32]
    points: NDArray[np.int64]  # [seat, source]: regions, continents, goods
    held: NDArray[np.int64]  # [region]: the colour that controls it, or NOBODY


def room() -> Told:
    return Told(
        np.zeros((MOST, REGION), np.float32),
        np.zeros((MOST, CONTINENT), np.float32),
        np.zeros(WHOLE, np.float32),
        np.zeros((5, 3), np.int64),
        np.zeros(MOST, np.int64),
    )


@part
def tell(table, state, seat, told):
    """Fill `told` with the position as `seat` sees it; a turn is over, the game is not."""
    _count_points(table, state, told)
    rival = _strongest(table, state, seat, told)
    left = np.float32((table.turns - state.played) / table.turns)
    for region in range(table.regions):
        _tell_region(table, state, seat, rival, left, region, told)
    for continent in range(table.continents):
        _tell_continent(table, state, seat, rival, left, continent, told)
    _tell_whole(table, state, seat, rival, left, told)


@part
def _count_points(table, state, told):
    told.points[:] = 0
    for region in range(table.regions):
        most, who = 0, NOBODY
        for colour in range(table.colours):
            pieces = state.armies[region, colour] + state.cities[region, colour]
            if pieces > most:
                most, who = pieces, colour
            elif pieces == most:
                who = NOBODY
        told.held[region] = who
        if 0 <= who < table.players:
            told.points[who, 0] += 1
    for continent in range(table.continents):
        most, who = 0, NOBODY
        for colour in range(table.colours):
            strength = _strength(table, state, told, continent, colour)
            if strength > most:
                most, who = strength, colour
            elif strength == most:
                who = NOBODY
        if 0 <= who < table.players:
            told.points[who, 1] += 1
    for player in range(table.players):
        told.points[player, 2] = goods_points(table, state, player)


@kernel
def _strength(table, state, told, continent, colour):
    """What counts for a colour on a continent: armies and cities, or controlled regions."""
    strength = 0
    for i in range(table.member_start[continent], table.member_start[continent + 1]):
        region = table.member[i]
        if table.by_regions:
            strength += told.held[region] == colour
        else:
            strength += state.armies[region, colour] + state.cities[region, colour]
    return strength


@kernel
def total(told, seat):
    return told.points[seat, 0] + told.points[seat, 1] + told.points[seat, 2]


@kernel
def _strongest(table, state, seat, told):
    """The opponent with most points, then most coins."""
    found, best = np.int64(0), np.int64(-1)
    for other in range(table.players):
        standing = total(told, other) * 128 + state.coins[other]
        if other != seat and standing > best:
            found, best = np.int64(other), np.int64(standing)
    return found


@part
def _tell_region(table, state, seat, rival, left, region, told):
    row = told.regions[region]
    row[:] = np.float32(0.0)
    mine = np.int64(state.armies[region, seat] + state.cities[region, seat])
    most = second = cities = np.int64(0)
    for colour in range(table.colours):
        if colour == seat:
            continue
        pieces = np.int64(state.armies[region, colour] + state.cities[region, colour])
        cities += state.cities[region, colour]
        if pieces > most:
            most, second = pieces, most
        elif pieces > second:
            second = pieces
    lead = mine - most
    row[0], row[1], row[2] = mine / 3, most / 3, second / 3
    if mine + most > 0:
        row[3 + min(max(lead, -3), 3) + 3] = _ONE  # 3 to 9
    else:
        row[10] = _ONE
    row[11], row[12] = state.cities[region, seat], cities
    armies = np.int64(state.armies[region, seat])
    row[13] = (min(armies, lead - 1) if lead > 0 else armies) / 3  # armies that can leave without losing it
    row[14 + (mine == 0)] = _ONE
    _tell_near(table, state, seat, region, row)
    row[21] = region == table.start or state.cities[region, seat] > 0
    row[23] = region == table.start
    if table.with_tokens:
        for token in range(TOKENS):
            row[24] += np.float32(0.5) * (state.token[token] == region)
    row[25] = told.held[region] == rival
    row[26] = left
    row[27] = table.players == 2
    row[28] = table.players / 5


@kernel
def _tell_near(table, state, seat, region, row):
    """Armies one step away, by land and by any way, own and others'; and whether an own base borders the region."""
    for i in range(table.land_start[region], table.land_start[region + 1]):
        near = np.int64(table.land[i])
        row[16] += state.armies[near, seat] * np.float32(0.25)
        row[18] += _others_at(table, state, seat, near) * np.float32(0.25)
        if near == table.start or state.cities[near, seat] > 0:
            row[22] = _ONE
    for i in range(table.sail_start[region], table.sail_start[region + 1]):
        near = np.int64(table.sail[i])
        row[17] += state.armies[near, seat] * np.float32(0.25)
        row[19] += _others_at(table, state, seat, near) * np.float32(0.25)
        row[20] += np.float32(0.1)


@kernel
def _others_at(table, state, seat, region):
    count = -np.int64(state.armies[region, seat])
    for player in range(table.players):
        count += state.armies[region, player]
    return count


@part
def _tell_continent(table, state, seat, rival, left, continent, told):
    row = told.continents[continent]
    row[:] = np.float32(0.0)
    mine = np.int64(_strength(table, state, told, continent, seat))
    most = second = np.int64(0)
    who = NOBODY
    for colour in range(table.colours):
        if colour == seat:
            continue
        strength = np.int64(_strength(table, state, told, continent, colour))
        if strength > most:
            most, second, who = strength, most, colour
        elif strength > second:
            second = strength
    lead = mine - most
    row[0], row[1], row[2] = mine / 5, most / 5, second / 5
    if mine + most > 0:
        row[3 + min(max(lead, -4), 4) + 4] = _ONE  # 3 to 11
    row[12] = (table.member_start[continent + 1] - table.member_start[continent]) / 5
    row[13] = left
    row[14] = table.players / 5
    row[15] = table.players == 2
    row[16] = who == rival and lead < 0 and second < most


@part
def _tell_whole(table, state, seat, rival, left, told):
    row = told.whole
    row[:] = np.float32(0.0)
    players = table.players
    wait = (seat - state.turn) % players  # turns of others before the seat's next one
    rest = table.turns - state.played
    own_left = (rest + players - 1 - wait) // players  # turns that the seat still has
    row[players - 2] = _ONE  # 0 to 3
    row[4], row[5] = left, own_left / 13
    if own_left < 4:
        row[6 + own_left] = _ONE  # 6 to 9
    row[10] = wait / 4
    row[11] = wait == 0
    row[12], row[13] = table.by_regions, table.with_tokens
    row[14], row[15] = table.wild_owned, table.neutral / 10
    row[16] = table.regions / 20
    following = np.int64(state.turn)
    if following == seat:
        following = np.int64((seat + 1) % players)
    place = HEAD
    for who in (seat, rival, following):
        _tell_player(table, state, who, own_left, told, row[place : place + PLAYER])
        place += PLAYER
    _tell_others(table, state, seat, rival, told, row[place : place + 8])
    place += 8
    for i in range(OPEN):
        if state.row[i] >= 0:
            _tell_offer(table, state, seat, rival, following, i, row[place : place + OFFER])
        place += OFFER
    _tell_goods_to_come(table, state, row[place:])


@part
def _tell_player(table, state, who, own_left, told, row):
    for source in range(3):
        row[source] = told.points[who, source] / 6
    row[3] = total(told, who) / 12
    row[4] = state.coins[who] / 10
    row[5] = min(np.float32(3.0), state.coins[who] / np.float32(own_left + 0.5)) / 2
    row[6] = state.reserve[who] / 10
    row[7] = state.cities_left[who] / 3
    for good in range(WILD):
        count = goods_of(table, state, who, good)
        now = table.points[good, count]
        row[8 + good] = count / 4
        row[13 + good] = (table.points[good, count + 1] - now) / 2
        row[18 + good] = (table.points[good, count + 2] - now) / 3
    row[23] = state.goods[who, WILD] / 2


@kernel
def _tell_others(table, state, seat, rival, told, row):
    """How the seat stands among all."""
    own = total(told, seat)
    lead = own - total(told, rival)
    row[0] = lead / 5
    row[1] = np.float32(min(max(lead, -2), 2)) / 2
    row[2] = (state.coins[seat] - state.coins[rival]) / 5
    rest = table.players - 1
    for other in range(table.players):
        if other == seat:
            continue
        row[3] += np.float32(total(told, other) > own) / rest
        row[4] += np.float32(total(told, other)) / (12 * rest)
        row[5] += np.float32(state.coins[other]) / (10 * rest)
        row[6] += np.float32(state.coins[other] > state.coins[seat]) / rest
        row[7] += np.float32(state.reserve[other]) / (10 * rest)


@part
def _tell_offer(table, state, seat, rival, following, place, row):
    card = state.row[place]
    price = table.price[place]
    row[0] = state.coins[seat] >= price
    row[1] = state.coins[following] >= price
    row[2] = goods_gain(table, state, seat, card) / 2
    row[3] = goods_gain(table, state, rival, card) / 2
    row[4] = row[3] if following == rival else goods_gain(table, state, following, card) / 2
    row[5] = table.amount[card, MOVE] / 4
    row[6] = table.amount[card, SAIL] / 3
    row[7] = table.amount[card, ARMIES] / 3
    row[8] = table.amount[card, CITY]
    row[9] = table.amount[card, DESTROY]
    row[10] = table.good[card] == WILD
    row[11] = table.goods[card] / 2


@part
def goods_gain(table, state, seat, card):
    """Points that the goods of a card would give a seat at once."""
    before = goods_points(table, state, seat)
    good = table.good[card]
    state.goods[seat, good] += table.goods[card]
    gain = goods_points(table, state, seat) - before
    state.goods[seat, good] -= table.goods[card]
    return gain


@kernel
def _tell_goods_to_come(table, state, row):
    """How much of each good is in the deck, the last place of the row included."""
    for card in range(42):
        if state.deck >> np.uint64(card) & np.uint64(1):
            row[table.good[card]] += table.goods[card] * np.float32(0.1)
    if state.row[OPEN] >= 0:
        row[table.good[state.row[OPEN]]] += table.goods[state.row[OPEN]] * np.float32(0.1)
