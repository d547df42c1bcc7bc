"""The compiled search behind `alphabeta:evaluation=belief`: against all stations where Mr X can be, not one guess.

The detectives plan for a belief: how likely each station is. A joint move catches the
share of it that it steps on; what is left spreads over Mr X's next moves, less to where
a detective could reach him at once. Mr X in turn expects detectives who act on what they
know: the public possible set, not the station where he stands.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import lowest_bit
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.contract import Game
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    apply,
    has,
    legal,
    size,
    usable,
)

CATCH = 20.0  # points for the whole belief caught, times the turns left then and one
BOLD = 0.2  # how likely Mr X goes next to a detective, beside a place that is safe
NEARER = 0.7  # how strongly Mr X thinks that a detective goes where most can be caught, and nearer on average
LOST = -100.0  # what being caught is worth to Mr X
BLACK_PRICE, DOUBLE_PRICE = 2.0, 8.0  # what his rare tickets cost him
# Plain numbers would be compiled as types of their own, and the cache cannot keep two of a recursive function.
ZERO, ONE = np.int64(0), np.int64(1)
UNSEEN = 1.5  # what it is worth to Mr X that twice as many stations are possible


class Room(NamedTuple):
    """The memory of a search, a row a ply."""

    states: NDArray[np.void]
    belief: NDArray[np.float64]  # [ply, station]
    scratch: NDArray[np.float64]  # [station]
    moves: NDArray[np.int64]
    rank: NDArray[np.float64]
    spent: NDArray[np.int64]  # [nodes so far]
    chance: Chance


class Hunt(NamedTuple):
    turns: int  # how many turns to plan
    most_moves: int  # of one detective
    hops: NDArray[np.int16]


def room_for(game: Game, turns: int, stations: int) -> Room:
    plies = turns * (game.seats + 1) + 4
    no_tape = np.zeros(0, np.int64)
    return Room(
        np.zeros(plies, game.rules.state),
        np.zeros((plies, stations)),
        np.zeros(stations),
        np.zeros((plies, game.most_actions), np.int64),
        np.zeros((plies, game.most_actions)),
        np.zeros(1, np.int64),
        Chance(np.ones(4, np.uint64), no_tape, no_tape, np.zeros(3, np.int64)),
    )


@program
def spread(table, state, belief, ticket):
    """The belief after Mr X moved by a ticket (-1: any that he can pay for), never onto a detective."""
    after = np.zeros(belief.size)
    _spread(table, state, belief, after, ticket)
    belief[:] = after


@outlined
def _spread(table, state, before, after, ticket):
    mask = usable(table, state) if ticket < 0 else ((1 << table.transports) - 1 if ticket == BLACK else 1 << ticket)
    everything = (1 << table.transports) - 1
    near0 = near1 = near2 = near3 = np.uint64(0)
    for seat in range(1, table.detectives + 1):
        here = state.station[seat]
        near0 |= table.reach[everything, here, 0]
        near1 |= table.reach[everything, here, 1]
        near2 |= table.reach[everything, here, 2]
        near3 |= table.reach[everything, here, 3]
    for station in range(table.stations):
        after[station] = 0.0
    for station in range(table.stations):
        if before[station] <= 0.0:
            continue
        total = 0.0
        for w in range(4):
            near = near0 if w == 0 else near1 if w == 1 else near2 if w == 2 else near3
            word = table.reach[mask, station, w] & ~state.occupied[w]
            while word:
                bit = word & (~word + np.uint64(1))
                word ^= bit
                total += BOLD if near & bit else 1.0
        for w in range(4):
            near = near0 if w == 0 else near1 if w == 1 else near2 if w == 2 else near3
            word = table.reach[mask, station, w] & ~state.occupied[w]
            while word:
                end = w * 64 + lowest_bit(word)
                bit = word & (~word + np.uint64(1))
                word ^= bit
                after[end] += before[station] * (BOLD if near & bit else 1.0) / total


@kernel
def _apart(table, hunt, state, belief):
    """Average over the belief: distance of the nearest detective and of the farthest."""
    total = 0.0
    for station in range(table.stations):
        if belief[station] > 0.0:
            nearest, farthest = 1 << 20, 0
            for seat in range(1, table.detectives + 1):
                d = np.int64(hunt.hops[state.station[seat], station])
                nearest, farthest = min(nearest, d), max(farthest, d)
            total += belief[station] * (nearest + farthest)
    return total


@outlined
def _ordered(table, hunt, room, ply):
    """A detective's moves, those first that catch most and come nearest on average."""
    state, out = room.states[ply], room.moves[ply]
    count = legal(table, state, out)
    for i in range(count):
        value = 0.0
        if out[i] != PASS:
            end = out[i] & HIDDEN
            value = 20.0 * room.belief[ply, end]
            for station in range(table.stations):
                value -= room.belief[ply, station] * hunt.hops[end, station]
        room.rank[ply, i] = value
    for i in range(1, count):
        action, value = out[i], room.rank[ply, i]
        j = i
        while j > 0 and room.rank[ply, j - 1] < value:
            out[j], room.rank[ply, j] = out[j - 1], room.rank[ply, j - 1]
            j -= 1
        out[j], room.rank[ply, j] = action, value
    return min(count, hunt.most_moves)


@outlined
def _play(table, hunt, room, ply, action, h):
    """A detective's move, made on ply + 1: points for what it catches, and at the end of a turn for what it leaves."""
    room.states[ply + 1] = room.states[ply]
    for station in range(table.stations):
        room.belief[ply + 1, station] = room.belief[ply, station]
    state = room.states[ply + 1]
    apply(table, state, action, room.chance)
    value = 0.0
    if action != PASS:
        end = action & HIDDEN
        value = CATCH * (hunt.turns - h + 2) * room.belief[ply, end]
        room.belief[ply + 1, end] = 0.0
    if state.turn == 0:
        _spread(table, state, room.belief[ply + 1], room.scratch, -1)
        for station in range(table.stations):
            room.belief[ply + 1, station] = room.scratch[station]
        value -= _apart(table, hunt, state, room.belief[ply + 1])
    return value


@outlined
def hunted(table, hunt, room, ply, h):
    """The most points that the detectives can make from here on."""
    state = room.states[ply]
    if state.turn == 0:  # Mr X has moved: the belief is spread already
        state.turn = 1
        h += 1
    if state.turn < 0 or h > hunt.turns:
        return 0.0
    room.spent[0] += 1
    best = -1e18
    for i in range(_ordered(table, hunt, room, ply)):
        value = _play(table, hunt, room, ply, room.moves[ply, i], h)
        best = max(best, value + hunted(table, hunt, room, ply + 1, h))
    return best


@program
def look(table, hunt, room, codes, values):
    """The value of each move of the detective to move in states[0], against belief[0]; the best comes first."""
    room.spent[0] = 0
    count = _ordered(table, hunt, room, ZERO)
    best = 0
    for i in range(count):
        codes[i] = room.moves[0, i]
        values[i] = _play(table, hunt, room, ZERO, codes[i], ONE) + hunted(table, hunt, room, ONE, ONE)
        if values[i] > values[best]:
            best = i
    codes[0], codes[best] = codes[best], codes[0]
    values[0], values[best] = values[best], values[0]
    return count


@program
def hide(table, hunt, room, codes, values):
    """The value of each move of Mr X in states[0]; the best comes first."""
    room.spent[0] = 0
    count = legal(table, room.states[0], room.moves[0])
    best = 0
    for i in range(count):
        codes[i] = room.moves[0, i]
        price = _depart(table, room, ZERO, codes[i])
        values[i] = outlook(table, hunt, room, ONE, np.int64(hunt.turns - 1)) - price
        if values[i] > values[best]:
            best = i
    codes[0], codes[best] = codes[best], codes[0]
    values[0], values[best] = values[best], values[0]
    return count


@outlined
def _depart(table, room, ply, action):
    """A move of Mr X, made on ply + 1 with what the detectives then know: what its tickets cost him."""
    room.states[ply + 1] = room.states[ply]
    state = room.states[ply + 1]
    apply(table, state, action, room.chance)
    likely = 1.0 / max(1, size(state.possible))
    for station in range(table.stations):
        room.belief[ply + 1, station] = likely if has(state.possible, station) else 0.0
    if action == PASS:
        return 0.0
    black, double = (action >> TICKET_SHIFT) & 15 == BLACK, action >> DOUBLE_SHIFT
    return (BLACK_PRICE if black else 0.0) + (DOUBLE_PRICE if double else 0.0)


@outlined
def outlook(table, hunt, room, ply, turns):
    """What a position is worth to Mr X: his best move, against the average of what detectives answer.

    Each answer is the more likely the better it looks to a detective who knows only the belief.
    """
    state = room.states[ply]
    room.spent[0] += 1
    if state.winner == DETECTIVES:
        return LOST
    if state.turn < 0:
        return -LOST
    if state.turn > 0:
        count = _ordered(table, hunt, room, ply)
        top = room.rank[ply, 0]
        total = value = 0.0
        for i in range(count):
            weight = np.exp(NEARER * (room.rank[ply, i] - top))
            _answer(table, room, ply, room.moves[ply, i])
            total += weight
            value += weight * outlook(table, hunt, room, ply + 1, turns)
        return value / total
    count = legal(table, state, room.moves[ply])
    best = -1e18
    for i in range(count):
        action = room.moves[ply, i]
        if _is_rare(action) and not (count <= 4 and action >> DOUBLE_SHIFT == 0):
            continue
        if turns <= 0 and state.second == 0:
            best = max(best, _refuge(table, hunt, state, action))
        else:
            price = _depart(table, room, ply, action)
            left = turns if state.second else turns - 1
            best = max(best, outlook(table, hunt, room, ply + 1, left) - price)
    return best if best > -1e17 else 0.0


@kernel
def _is_rare(action):
    """Whether a move takes a black ticket or begins a double move."""
    return action != PASS and (action >> DOUBLE_SHIFT != 0 or (action >> TICKET_SHIFT) & 15 == BLACK)


@outlined
def _answer(table, room, ply, action):
    """A detective's move, made on ply + 1: where he stands Mr X is not."""
    room.states[ply + 1] = room.states[ply]
    apply(table, room.states[ply + 1], action, room.chance)
    for station in range(table.stations):
        room.belief[ply + 1, station] = room.belief[ply, station]
    if action != PASS:
        room.belief[ply + 1, action & HIDDEN] = 0.0


@kernel
def _refuge(table, hunt, state, action):
    """How good a station is to be at: far from the nearest detective, with many others possible."""
    end = action & HIDDEN if action != PASS else state.station[0]
    if has(state.occupied, end):
        return LOST
    nearest, total = 1 << 20, 0
    for seat in range(1, table.detectives + 1):
        d = np.int64(hunt.hops[state.station[seat], end])
        nearest, total = min(nearest, d), total + d
    value = 3.0 * min(nearest, 4) + total / table.detectives + UNSEEN * np.log2(1.0 + size(state.possible))
    return value - (12.0 if nearest == 1 else 0.0) / max(1, size(state.possible))
