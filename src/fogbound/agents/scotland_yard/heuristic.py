"""The scripted players of Scotland Yard, without any randomness.

Mr X goes where the detectives are far. Each detective goes for one of the stations
where Mr X can be. Where moves are equally good, a hash of the public position decides,
so that the same position always gets the same move.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from pydantic import Field

from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.bits import lowest_bit
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.hashing import FNV_START, SPLIT_FIRST, absorb, xorshift
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import Paths, distance, purse
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    TICKET_SHIFT,
    UNLIMITED,
    legal,
)

SCORES = ("nearest", "sum", "weighted")
TARGETS = ("nearest", "farthest", "conditional")
NEAREST, SUM = 0, 1
CONDITIONAL = 2
SAFE = 2  # a detective this many moves away cannot reach Mr X's station at once
WORST = -(1 << 40)


class HeuristicOptions(Options):
    score: Literal["nearest", "sum", "weighted"] = Field(
        "nearest",
        description="what Mr X wants to be large: distance of the nearest detective, "
        "the sum of distances, or a sum in which near detectives weigh more",
    )
    target: Literal["nearest", "farthest", "conditional"] = Field(
        "nearest",
        description="where a detective goes: to the nearest possible station, the farthest, "
        "or the farthest if he can pay for the way",
    )


class Params(NamedTuple):
    score: int
    target: int
    paths: Paths


class Heuristic(PolicyAgent[HeuristicOptions, ScotlandYard]):
    name = "heuristic"
    about = "plays by simple rules of distance, always the same in the same position"
    source = "Husa 2022: rules of distance"
    options_model = HeuristicOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return Params(SCORES.index(self.options.score), TARGETS.index(self.options.target), self.game.paths)


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    if seat == 0:
        return _mr_x(table, params, view, out, count)
    return _detective(table, params, view, seat, out, count)


@kernel
def _hash(table, view):
    """A number that depends on the detectives' stations, the log's length and the turn only."""
    value = FNV_START
    for seat in range(1, table.detectives + 1):
        value = absorb(value, view.station[seat])
    value = absorb(absorb(value, view.slot), view.turn)
    return xorshift(value, 29) * SPLIT_FIRST


@kernel
def _pick(table, view, out, ties):
    """One of the first `ties` actions in out, by hash."""
    return out[np.int64((_hash(table, view) >> np.uint64(33)) % np.uint64(ties))]


@kernel
def _mr_x(table, params, view, out, count):
    """The station with the best score; then the one with more ways out; then by hash.

    A double move is made only when every single move leaves a detective within reach, and
    a black ticket only when it hides something: on the move after a reveal.
    """
    singles = _singles(out, count)
    move, danger = _best(table, params, view, out, singles)
    if danger < SAFE and view.tickets[0, DOUBLE] > 0 and view.second == 0:
        move |= 1 << DOUBLE_SHIFT
    return move


@kernel
def _singles(out, count):
    """Keep the moves that are not the first half of a double move."""
    kept = 0
    for i in range(count):
        if out[i] >> DOUBLE_SHIFT == 0:
            out[kept] = out[i]
            kept += 1
    return kept


@kernel
def _best(table, params, view, out, count):
    """Mr X's best move, and how near the nearest detective would be."""
    hide = view.slot > 0 and view.shown == 1
    best, best_nearest, ties = WORST, 0, 0
    for i in range(count):
        station = out[i] & HIDDEN
        value, nearest = _value(table, params, view, station)
        is_black = out[i] >> TICKET_SHIFT == BLACK
        # The value decides, then the ways out, then whether the ticket suits the moment.
        rank = (value * 1024 + ways_out(table, view, out[i])) * 2 + (1 if is_black == hide else 0)
        if rank > best:
            best, best_nearest, ties = rank, nearest, 0
        if rank == best:
            out[ties] = out[i]
            ties += 1
    return _pick(table, view, out, ties), best_nearest


@kernel
def _value(table, params, view, station):
    """The score of a station for Mr X, and how near the nearest detective is."""
    nearest = params.paths.far
    total = 0
    for seat in range(1, table.detectives + 1):
        d = distance(params.paths, view.station[seat], station, purse(table, view.tickets[seat]))
        nearest = min(nearest, d)
        total += d if params.score == SUM else -(max(0, 6 - d) ** 2)
    return (nearest if params.score == NEAREST else total), nearest


@kernel
def ways_out(table, view, action):
    """Links from the destination that Mr X could pay for after this move."""
    station, paid = action & HIDDEN, action >> TICKET_SHIFT
    black_left = view.tickets[0, BLACK] - (1 if paid == BLACK else 0)
    if black_left > 0:
        return table.any_start[station + 1] - table.any_start[station]
    ways = 0
    for i in range(table.link_start[station], table.link_start[station + 1]):
        ticket = table.links[i] >> TICKET_SHIFT
        left = view.tickets[0, ticket]
        if ticket == paid and left != UNLIMITED:
            left -= 1
        ways += left > 0
    return ways


@kernel
def _detective(table, params, view, seat, out, count):
    """The step that brings this detective soonest to the station he goes for."""
    target = -1
    if params.target != NEAREST:
        target = _farthest(table, params, view, seat)
    best, ties = 1 << 40, 0
    for i in range(count):
        cost = _moves_after(table, params, view, seat, out[i], target)
        if cost < best:
            best, ties = cost, 0
        if cost == best:
            out[ties] = out[i]
            ties += 1
    return _pick(table, view, out, ties)


@kernel
def _farthest(table, params, view, seat):
    """The possible station with the longest way; -1 (the nearest instead) if it must be payable and is not."""
    here, tickets = view.station[seat], purse(table, view.tickets[seat])
    found, longest = -1, -1
    for w in range(4):
        word = view.possible[w]
        while word:
            station = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            if params.paths.hops[here, station] > longest:
                found, longest = station, params.paths.hops[here, station]
    if params.target == CONDITIONAL and distance(params.paths, here, found, tickets) >= params.paths.far:
        return -1
    return found


@kernel
def _moves_after(table, params, view, seat, action, target):
    """Moves still needed after this one, to the target or to the nearest possible station.

    A way that cannot be paid for to its end counts as longer than any that can.
    """
    station = action & HIDDEN
    ticket = action >> TICKET_SHIFT
    tickets = purse(table, view.tickets[seat])
    if view.tickets[seat, ticket] < 127:
        tickets -= np.uint64(1) << np.uint64(8 * ticket)
    if target >= 0:
        return _length(params.paths, station, target, tickets)
    best = 1 << 30
    for w in range(4):
        word = view.possible[w]
        while word:
            goal = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            best = min(best, _length(params.paths, station, goal, tickets))
    return best


@kernel
def _length(paths, a, b, tickets):
    payable = distance(paths, a, b, tickets)
    return payable if payable < paths.far else 1000 + paths.hops[a, b]
