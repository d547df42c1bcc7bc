"""What a net of Risk is told: some figures of every territory, and some of the whole game, each a byte from 0 to 255.

Seats are counted from the one that decides, so a net plays every seat in the same way. Only what the seat may know is
told: of cards its own, and how many the others have. docs/guide/features.md lists the figures.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk.choices import MOST
from fogbound.agents.risk.evaluation import odds_of
from fogbound.agents.risk.tactics import on_border, thrifty_set
from fogbound.core.compiled import kernel, part
from fogbound.games.risk.cards import set_value
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import DRAFT, FREE, NEUTRAL, SEATS, alive, contains, held, income, own_in, size_of

# Of a territory.
OWNER = 0  # and seven more places: the seats from the decider on, the neutral army, nobody
LOG_ARMIES, ARMY_SHARE, FEW_ARMIES, IS_SOURCE, IS_TARGET, HAS_CARD, ODDS, ODDS_WITH_POOL = range(8, 16)
STACK_BESIDE, AROUND, BORDER, BONUS, CONTINENT_SIZE, OWN_SHARE, OWNERS_SHARE, RIVAL_SHARE, GATE, LINKS = range(16, 26)
FIGURES = 26

# Of the game: the phase in the first seven places, then these, then some of every seat.
POOL, POOL_SHARE, IN_ATTACK, CONQUERED, PLAYERS, LIVING, HAS_SET, NEXT_SET, LOG_NEXT_SET = range(7, 16)
ROUND, SIZE, STOCK, FREE_FORTIFY = range(16, 20)
SEAT = 20
ALIVE, SEAT_ARMIES, SEAT_LOG_ARMIES, SEAT_TERRITORIES, SEAT_INCOME, SEAT_CARDS = range(6)
OF_SEAT = 6
WHOLE = SEAT + SEATS * OF_SEAT

LOG_SCALE = 6.5  # of armies: exp(6.5) is about 660


class Land(NamedTuple):
    """What the figures need to know of a map besides its tables."""

    continent_of: NDArray[np.int16]
    is_gate: NDArray[np.int8]
    near: NDArray[np.float32]  # [MOST, MOST]: each neighbour's part of the mean over neighbours
    together: NDArray[np.float32]  # the same for the territories of a continent


def land_of(game: Risk) -> Land:
    board, table = game.board, game.table
    continent_of = np.array(board.continent_of(), np.int16)
    is_gate = np.zeros(board.size, np.int8)
    for continent in range(len(board.continents)):
        is_gate[list(board.gates(continent))] = 1
    near, together = np.zeros((MOST, MOST), np.float32), np.zeros((MOST, MOST), np.float32)
    for territory in range(board.size):
        links = table.links[table.link_start[territory] : table.link_start[territory + 1]]
        near[territory, links] = 1 / max(1, len(links))
        members = np.flatnonzero(continent_of == continent_of[territory])
        together[territory, members] = 1 / len(members)
    return Land(continent_of, is_gate, near, together)


@kernel
def _byte(share):
    return np.uint8(min(255.0, max(0.0, share * 255.0 + 0.5)))


@kernel
def _log(armies):
    return _byte(np.log1p(np.float64(armies)) / LOG_SCALE)


@part
def tell(table, land, state, seat, nodes, whole, armies_of, out):
    """Fill nodes[territory] and whole; `armies_of` is room for the armies of every seat, `out` for a list of moves."""
    nodes[:] = 0
    whole[:] = 0
    total = _count_armies(table, state, armies_of)
    _tell_game(table, state, seat, whole, armies_of, total, out)
    for territory in range(table.territories):
        _tell_territory(table, land, state, seat, territory, nodes[territory], total)
    if state.phase > DRAFT and state.source >= 0:
        nodes[state.source, IS_SOURCE] = 255
        nodes[state.target, IS_TARGET] = 255


@kernel
def _count_armies(table, state, armies_of):
    armies_of[:] = 0.0
    total = 1.0
    for territory in range(table.territories):
        owner = state.owner[territory]
        if owner >= 0:
            total += state.armies[territory]
            if owner < SEATS:
                armies_of[owner] += state.armies[territory]
    return total


@part
def _tell_game(table, state, seat, whole, armies_of, total, out):
    whole[state.phase] = 255
    whole[POOL] = _log(state.pool)
    whole[POOL_SHARE] = _byte(state.pool / total)
    whole[IN_ATTACK] = 255 * state.in_attack
    whole[CONQUERED] = 255 * state.conquered
    whole[PLAYERS] = _byte(table.players / SEATS)
    next_set = np.float64(set_value(table, state.sets, 0, 1, 2))
    whole[HAS_SET] = 255 if state.cards[seat] >= 3 and thrifty_set(table, state, seat, out) >= 0 else 0
    whole[NEXT_SET] = _byte(next_set / total)
    whole[LOG_NEXT_SET] = _log(next_set)
    whole[ROUND] = _byte(np.log1p(np.float64(state.round)) / 4.5)
    whole[SIZE] = _byte(table.territories / MOST)
    whole[STOCK] = _byte(state.stock[seat] / 40.0)
    whole[FREE_FORTIFY] = 255 if table.free_fortify else 0
    living, incomes = 0, 0.0
    for each in range(table.players):
        if alive(state, each):
            living += 1
            incomes += income(table, state, each)
    whole[LIVING] = _byte(living / SEATS)
    for ahead in range(table.players):
        each = (seat + ahead) % table.players
        place = SEAT + OF_SEAT * ahead
        if state.round > 0 and not alive(state, each):
            continue
        whole[place + ALIVE] = 255
        whole[place + SEAT_ARMIES] = _byte(armies_of[each] / total)
        whole[place + SEAT_LOG_ARMIES] = _log(armies_of[each])
        whole[place + SEAT_TERRITORIES] = _byte(held(state, each) / table.territories)
        whole[place + SEAT_INCOME] = _byte(income(table, state, each) / max(1.0, incomes))
        whole[place + SEAT_CARDS] = _byte(state.cards[each] / 6.0)


@kernel
def _tell_territory(table, land, state, seat, territory, node, total):
    owner = np.int64(state.owner[territory])
    armies = np.int64(state.armies[territory])
    continent = np.int64(land.continent_of[territory])
    size = size_of(table, continent)
    node[OWNER + _place_of(table, seat, owner)] = 255
    node[LOG_ARMIES] = _log(armies)
    node[ARMY_SHARE] = _byte(armies / total)
    node[FEW_ARMIES] = _byte(armies / 10.0)
    if contains(state.hand[seat, 0], state.hand[seat, 1], territory):
        node[HAS_CARD] = 255
    node[BONUS] = _byte(table.bonus[continent] / 10.0)
    node[CONTINENT_SIZE] = _byte(size / 14.0)
    node[OWN_SHARE] = _byte(own_in(table, state, seat, continent) / size)
    node[RIVAL_SHARE] = _byte(_rival_in(table, state, seat, continent) / size)
    node[GATE] = 255 if land.is_gate[territory] else 0
    node[LINKS] = _byte((table.link_start[territory + 1] - table.link_start[territory]) / 8.0)
    if owner == FREE:
        return
    node[OWNERS_SHARE] = _byte(own_in(table, state, owner, continent) / size)
    mine, theirs, around = np.int64(0), np.int64(0), np.int64(0)
    for i in range(table.link_start[territory], table.link_start[territory + 1]):
        near = np.int64(table.links[i])
        there = np.int64(state.armies[near])
        if state.owner[near] == owner or state.owner[near] == FREE:
            continue
        if state.owner[near] == seat:
            mine = max(mine, there)
        if state.owner[near] != NEUTRAL:
            theirs = max(theirs, there)
        around += there
    node[AROUND] = _log(around)
    if owner == seat:
        node[BORDER] = 255 if on_border(table, state, seat, territory) else 0
        node[STACK_BESIDE] = _log(theirs)
        node[ODDS] = _chance(table, theirs, armies)
    elif mine > 0:
        node[BORDER] = 255
        node[STACK_BESIDE] = _log(mine)
        node[ODDS] = _chance(table, mine, armies)
        node[ODDS_WITH_POOL] = _chance(table, mine + state.pool, armies)


@kernel
def _rival_in(table, state, seat, continent):
    """The most territories of a continent that one other player has."""
    most = 0
    for other in range(table.players):
        if other != seat:
            most = max(most, own_in(table, state, other, continent))
    return most


@kernel
def _place_of(table, seat, owner):
    """The place of an owner in the list: seats from the decider on, then the neutral army, then nobody."""
    if owner == FREE:
        return 7
    return 6 if owner == NEUTRAL else (owner - seat + table.players) % table.players


@kernel
def _chance(table, stack, armies):
    """Of conquest, by a stack that leaves one army behind."""
    return _byte(odds_of(table.battles.conquest, stack - 1, armies)) if stack > 1 else np.uint8(0)
