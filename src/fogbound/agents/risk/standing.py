"""What the value net of Risk is told about a position: some figures of every player, and some of the whole game.

All are shares, chances or logarithms, so that they mean the same on any map and with any number of
players. The position is one at the beginning of a turn; docs/guide/features.md lists the figures.
"""

from __future__ import annotations

import numpy as np

from fogbound.agents.risk.evaluation import aim_of, odds_of
from fogbound.core.bits import count_bits
from fogbound.core.compiled import kernel, part
from fogbound.games.risk.cards import is_set, next_card, set_value
from fogbound.games.risk.table import (
    CONTINENTS,
    DESTROY,
    FIRMLY,
    NEUTRAL,
    SEATS,
    alive,
    held,
    income,
    own_in,
    size_of,
)

FIGURES = 30  # of a player
GLOBALS = 9  # of the game
INPUTS = 3 * FIGURES + GLOBALS  # a player's, the mean and the largest of the others', the game's

# Where a player's figures lie; those below WORK are for counting before they are made into shares.
TERRITORIES, ARMIES, LOG_ARMIES, INCOME, LOG_INCOME, CARDS, HAS_SET, DRAFT_SHARE = range(8)
AT_BORDER, BORDERS, LARGEST, SECOND, EXPOSED, EXPOSED_LAND, BONUS, SAFE_BONUS = range(8, 16)
PROGRESS, NEAREST, IN_REACH, CARD_CHANCE, IN_DANGER, CAN_FINISH, MOVER_DANGER, PRIZE = range(16, 24)
TO_MOVE, WAIT, COMPACT, ENEMIES, PRESSURE, MISSION = range(24, 30)


@part
def stand(table, land, state, figures, game):
    """Fill figures[seat] and game; `land` knows each territory's continent and the gates."""
    figures[:] = np.float32(0.0)
    mover = np.int64(state.turn)
    _count_armies(table, state, figures)
    _drafts(table, state, mover, figures)
    _look_around(table, land, state, mover, figures)
    _continents(table, land, state, figures)
    _dangers(table, state, mover, figures)
    _shares(table, state, mover, figures, game)


@part
def _count_armies(table, state, figures):
    for territory in range(table.territories):
        owner = state.owner[territory]
        if owner < 0 or owner == NEUTRAL:
            continue
        of = figures[owner]
        armies = np.float32(state.armies[territory])
        of[TERRITORIES] += np.float32(1.0)
        of[ARMIES] += armies
        if armies > of[LARGEST]:
            of[SECOND] = of[LARGEST]
            of[LARGEST] = armies
        elif armies > of[SECOND]:
            of[SECOND] = armies


@part
def _drafts(table, state, mover, figures):
    """What each player can expect to place at the beginning of its next turn."""
    for seat in range(table.players):
        if not alive(state, seat):
            continue
        of = figures[seat]
        of[INCOME] = np.float32(income(table, state, seat))
        of[CARDS] = np.float32(state.cards[seat])
        of[DRAFT_SHARE] = np.float32(state.pool) if seat == mover else of[INCOME]
        if _has_set(table, state, seat):
            of[HAS_SET] = np.float32(1.0)
            of[DRAFT_SHARE] += np.float32(set_value(table, state.sets, 0, 1, 2))


@part
def _has_set(table, state, seat):
    if state.cards[seat] >= 5:
        return True
    a = next_card(state, seat, -1)
    while a >= 0:
        b = next_card(state, seat, a)
        while b >= 0:
            c = next_card(state, seat, b)
            while c >= 0:
                if is_set(table, a, b, c):
                    return True
                c = next_card(state, seat, c)
            b = next_card(state, seat, b)
        a = next_card(state, seat, a)
    return False


@part
def _look_around(table, land, state, mover, figures):
    """Borders: who could take what from where it stands."""
    for territory in range(table.territories):
        owner = np.int64(state.owner[territory])
        if owner < 0 or owner == NEUTRAL:
            continue
        of = figures[owner]
        armies = np.int64(state.armies[territory])
        threat, around, foreign, weakest = np.int64(0), np.int64(0), 0, np.int64(1 << 30)
        for i in range(table.link_start[territory], table.link_start[territory + 1]):
            near = table.links[i]
            other = np.int64(state.owner[near])
            if other == owner:
                continue
            foreign += 1
            there = np.int64(state.armies[near])
            weakest = min(weakest, there)
            if other != NEUTRAL:
                of[ENEMIES] = np.float32(np.int64(of[ENEMIES]) | (1 << other))
                threat = max(threat, there - 1)
                around += there
        links = table.link_start[territory + 1] - table.link_start[territory]
        of[COMPACT] += np.float32((links - foreign) / max(1, links))
        if foreign == 0:
            continue
        of[BORDERS] += np.float32(1.0)
        of[AT_BORDER] += np.float32(armies)
        of[PRESSURE] += np.float32(around)
        if threat > 0:
            of[EXPOSED] += np.float32(odds_of(table.battles.conquest, threat, armies))
        if armies > 1:
            chance = odds_of(table.battles.conquest, armies - 1, weakest)
            of[CARD_CHANCE] = max(of[CARD_CHANCE], np.float32(chance))


@part
def _continents(table, land, state, figures):
    """What is held and how safely, what is nearly held, and what could be taken with the next draft."""
    for continent in range(table.bonus.size):
        size = size_of(table, continent)
        bonus = np.float32(table.bonus[continent])
        for seat in range(table.players):
            own = own_in(table, state, seat, continent)
            if own == 0:
                continue
            of = figures[seat]
            share = np.float32(own / size)
            if own == size:
                of[BONUS] += bonus
                of[SAFE_BONUS] += bonus * _safety(table, land, state, seat, continent)
                continue
            of[PROGRESS] += bonus * share * share
            of[NEAREST] = max(of[NEAREST], bonus * share)
            of[IN_REACH] = max(of[IN_REACH], bonus * _reach(table, land, state, seat, continent, of[DRAFT_SHARE]))


@part
def _safety(table, land, state, seat, continent):
    """The chance that every gate withstands the largest stack before it."""
    safe = 1.0
    for territory in range(table.territories):
        if land.continent_of[territory] != continent or land.is_gate[territory] == 0:
            continue
        threat = np.int64(0)
        for i in range(table.link_start[territory], table.link_start[territory + 1]):
            near = table.links[i]
            if state.owner[near] != seat and state.owner[near] != NEUTRAL:
                threat = max(threat, np.int64(state.armies[near]) - 1)
        if threat > 0:
            safe *= 1.0 - odds_of(table.battles.conquest, threat, np.int64(state.armies[territory]))
    return np.float32(safe)


@part
def _reach(table, land, state, seat, continent, draft):
    """The armies in a continent and in the next draft, beside what taking the rest of it needs; 1.5 at most."""
    mine, theirs = draft, np.float32(0.0)
    for territory in range(table.territories):
        if land.continent_of[territory] == continent:
            if state.owner[territory] == seat:
                mine += np.float32(state.armies[territory] - 1)
            else:
                theirs += np.float32(state.armies[territory] + 1)
    return min(np.float32(1.5), mine / theirs)


@part
def _dangers(table, state, mover, figures):
    """Who could finish whom: armies that can attack next turn, beside those that it takes."""
    for seat in range(table.players):
        if not alive(state, seat):
            continue
        of = figures[seat]
        needed = of[ARMIES] + of[TERRITORIES]
        for other in range(table.players):
            if other == seat or not alive(state, other):
                continue
            theirs = figures[other]
            power = theirs[ARMIES] - theirs[TERRITORIES] + theirs[DRAFT_SHARE]
            ease = min(np.float32(2.0), power / needed)
            of[IN_DANGER] = max(of[IN_DANGER], ease)
            theirs[CAN_FINISH] = max(theirs[CAN_FINISH], ease)
            theirs[PRIZE] = max(theirs[PRIZE], min(np.float32(1.0), ease) * of[CARDS])
            if other == mover:
                of[MOVER_DANGER] = ease
        if table.missions:
            of[MISSION] = np.float32(_mission(table, state, seat))


@part
def _mission(table, state, seat):
    """How much of its mission a seat has done."""
    kind, mission = aim_of(table, state, seat)
    if mission < 0:
        return 0.0
    if kind == DESTROY:
        return 1.0 - held(state, table.mission_target[mission]) / table.territories
    if kind == CONTINENTS:
        own, wanted = 0, 0
        for i in range(table.mission_continents.shape[1]):
            continent = table.mission_continents[mission, i]
            if continent >= 0:
                own += own_in(table, state, seat, continent)
                wanted += size_of(table, continent)
        return own / max(1, wanted)
    return min(1.0, held(state, seat) / max(1, table.hold_firmly if kind == FIRMLY else table.hold_many))


@part
def _shares(table, state, mover, figures, game):
    """Make shares of the counts, and the figures of the whole game."""
    armies, incomes, neutral, bonus, living = np.float32(0.0), np.float32(0.0), np.float32(0.0), np.float32(0.0), 0
    for seat in range(table.players):
        armies += figures[seat, ARMIES]
        incomes += figures[seat, INCOME]
        living += alive(state, seat)
    armies += np.float32(state.pool)
    figures[mover, ARMIES] += np.float32(state.pool)
    for territory in range(table.territories):
        if state.owner[territory] == NEUTRAL:
            neutral += np.float32(state.armies[territory])
    for continent in range(table.bonus.size):
        bonus += np.float32(table.bonus[continent])
    bonus = max(bonus, np.float32(1.0))
    for seat in range(table.players):
        if alive(state, seat):
            _share(table, state, mover, seat, figures[seat], armies, incomes, bonus, living)
    next_set = set_value(table, state.sets, 0, 1, 2)
    game[0] = np.float32(living / SEATS)
    game[1] = np.float32(table.players / SEATS)
    game[2] = np.float32(np.log1p(np.float64(state.round)) / 4.0)
    game[3] = min(np.float32(2.0), np.float32(next_set) / armies)
    game[4] = np.float32(np.log(np.float64(armies) / table.territories) / 3.0)
    game[5] = np.float32(np.log(np.float64(table.territories)) / 5.0)
    game[6] = neutral / (neutral + armies)
    game[7] = np.float32(table.missions > 0)
    left = table.round_limit - state.round
    game[8] = np.float32(1.0 / (1.0 + left)) if table.round_limit > 0 else np.float32(0.0)


@part
def _share(table, state, mover, seat, of, armies, incomes, bonus, living):
    territories, own = of[TERRITORIES], of[ARMIES]
    of[LOG_ARMIES] = np.float32(np.log1p(np.float64(own)) / 5.0)
    of[LOG_INCOME] = np.float32(np.log1p(np.float64(of[INCOME])) / 4.0)
    of[PRESSURE] = min(np.float32(1.0), of[PRESSURE] / (np.float32(4.0) * max(of[AT_BORDER], np.float32(1.0))))
    of[AT_BORDER] /= own
    of[BORDERS] /= territories
    of[EXPOSED_LAND] = of[EXPOSED] / np.float32(table.territories)
    of[EXPOSED] /= territories
    of[COMPACT] /= territories
    of[TERRITORIES] = territories / np.float32(table.territories)
    of[ARMIES] = own / armies
    of[INCOME] /= incomes
    of[CARDS] /= np.float32(5.0)
    of[PRIZE] /= np.float32(5.0)
    of[DRAFT_SHARE] = min(np.float32(2.0), of[DRAFT_SHARE] / armies)
    of[LARGEST] /= armies
    of[SECOND] /= armies
    of[BONUS] /= bonus
    of[SAFE_BONUS] /= bonus
    of[PROGRESS] /= bonus
    of[NEAREST] /= bonus
    of[IN_REACH] /= bonus
    of[IN_DANGER] *= np.float32(0.5)
    of[CAN_FINISH] *= np.float32(0.5)
    of[MOVER_DANGER] *= np.float32(0.5)
    of[ENEMIES] = np.float32(count_bits(np.uint64(of[ENEMIES])) / (SEATS - 1))
    of[TO_MOVE] = np.float32(seat == mover)
    wait = 0
    for k in range(1, table.players):
        if (mover + k) % table.players == seat:
            break
        wait += alive(state, (mover + k) % table.players)
    of[WAIT] = np.float32(0.0) if seat == mover else np.float32((wait + 1) / living)


@kernel
def tell(table, state, seat, figures, game, inputs):
    """What the net is told to judge one player's chances."""
    for i in range(FIGURES):
        inputs[i] = figures[seat, i]
        total, largest, others = np.float32(0.0), np.float32(-1e9), 0
        for other in range(table.players):
            if other != seat and alive(state, other):
                total += figures[other, i]
                largest = max(largest, figures[other, i])
                others += 1
        inputs[FIGURES + i] = total / np.float32(max(1, others))
        inputs[2 * FIGURES + i] = largest if others > 0 else np.float32(0.0)
    for i in range(GLOBALS):
        inputs[3 * FIGURES + i] = game[i]
