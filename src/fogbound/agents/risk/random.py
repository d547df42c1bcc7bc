"""The random player of Risk, who attacks with a given probability.

Choosing uniformly among all legal moves hardly ever ends a game: armies pile up faster than they
fight. So, as Vašátko (2018) did, each time an attack is possible the player first decides whether
to attack at all; everything else is drawn at random. A number of armies is drawn among those that one
move can have; his player draws any number evenly (`counts=even`), which takes several moves here.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk.tactics import may_fortify, placeable
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.bits import count_bits, lowest_bit
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.rng import below, unit
from fogbound.games.risk.battle import movable
from fogbound.games.risk.cards import list_exchanges
from fogbound.games.risk.rules import connected, legal, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    ATTACK_MOVE,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FORTIFY_MOVE,
    MOVE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    STAY,
    STEPS,
    bit,
    contains,
    encode,
    held,
    income,
    largest_step,
    ranked,
    room,
)


class RandomOptions(Options):
    attack: float = Field(0.9, ge=0, lt=1, description="probability to attack each time that an attack is possible")
    blitz: bool = Field(True, description="an attack goes on to its end; otherwise it is one roll of any number of dice")
    counts: Literal["listed", "even"] = Field(
        "listed", description="numbers of armies: those that one move can have, or any number with even chances"
    )


LISTED, IN_PARTS, AT_ONCE = range(3)


class Params(NamedTuple):
    attack: float
    blitz: int
    counts: int  # LISTED; or any number, IN_PARTS as the rules want it, or AT_ONCE where nobody checks
    rest: NDArray[np.int64]  # of a move that is made in parts: kind, armies left, armies there now, round, seat, from, to


def make_params(attack: float, blitz: bool, counts: int = LISTED) -> Params:
    return Params(attack, int(blitz), counts, np.full(7, -1, np.int64))


class RandomRisk(PolicyAgent[RandomOptions]):
    name = "random"
    about = "attacks with a given probability, and does everything else at random"
    options_model = RandomOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        counts = IN_PARTS if self.options.counts == "even" else LISTED
        return make_params(self.options.attack, self.options.blitz, counts)


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase == ATTACK:
        return _attack(table, params, view, seat, rng)
    if view.phase == OCCUPY:
        return _occupy(table, params, view, seat, rng)
    if view.phase == DRAFT:
        return _draft(table, params, view, seat, out, rng)
    if view.phase == FORTIFY:
        return _fortify(table, params, view, seat, out, rng)
    return out[below(rng, legal(table, view, out))]


@kernel
def _left(params, view, seat, kind, there):
    """Armies left of a move that is made in parts; -1 if there is none."""
    rest = params.rest
    same = rest[0] == kind and rest[2] == there and rest[3] == view.round and rest[4] == seat
    return rest[1] if same and params.counts != LISTED else np.int64(-1)


@kernel
def _part(params, view, seat, kind, left, most, there):
    """How many of the armies left the next move takes; the rest is remembered."""
    count = np.int64(left) if params.counts == AT_ONCE else largest_step(np.int64(left), np.int64(most))
    rest = params.rest
    rest[0], rest[1], rest[2], rest[3], rest[4] = kind, left - count, there - count, view.round, seat
    return count


@kernel
def _draft(table, params, view, seat, out, rng):
    """A set is turned in when it must be, or with even chances before anything is placed."""
    left = _left(params, view, seat, PLACE, view.pool)
    if left > 0:
        territory = params.rest[6]
        most = placeable(table, view, territory)
        return encode(PLACE, 0, territory, _part(params, view, seat, PLACE, left, most, view.pool))
    must = view.cards[seat] >= MUST_EXCHANGE
    if must or (view.cards[seat] >= 3 and view.in_attack == 0 and view.pool == income(table, view, seat)):
        count = list_exchanges(table, view, seat, out, 0)
        if must or (count > 0 and below(rng, 2) == 0):
            return out[below(rng, count)]
    territory = ranked(view.land[seat, 0], view.land[seat, 1], below(rng, held(view, seat)))
    while room(table, view, territory) <= 0:
        territory = ranked(view.land[seat, 0], view.land[seat, 1], below(rng, held(view, seat)))
    most = placeable(table, view, territory)
    if params.counts == LISTED:
        return encode(PLACE, 0, territory, _any_count(most, below(rng, _counts(most))))
    params.rest[6] = territory
    return encode(PLACE, 0, territory, _part(params, view, seat, PLACE, 1 + below(rng, most), most, view.pool))


@kernel
def _attack(table, params, view, seat, rng):
    """Any territory that can attack, then any of its targets, then any number of dice."""
    if unit(rng) >= params.attack:
        return encode(END_ATTACK, 0, 0, 0)
    first = _attackers(table, view, seat, 0)
    second = _attackers(table, view, seat, 1) if table.territories > 64 else np.uint64(0)
    sources = count_bits(first) + count_bits(second)
    if sources == 0:
        return encode(END_ATTACK, 0, 0, 0)
    source = ranked(first, second, below(rng, sources))
    near0 = table.near[source, 0] & ~view.land[seat, 0]
    near1 = table.near[source, 1] & ~view.land[seat, 1]
    target = ranked(near0, near1, below(rng, count_bits(near0) + count_bits(near1)))
    if params.blitz:
        return encode(BATTLE, source, target, 1)
    return encode(ATTACK_MOVE, source, target, 1 + below(rng, min(3, view.armies[source] - 1)))


@kernel
def _attackers(table, view, seat, word):
    """The territories that can attack, as one of the two words of a set."""
    others0, others1 = ~view.land[seat, 0], ~view.land[seat, 1]
    found = np.uint64(0)
    left = view.land[seat, word]
    while left:
        place = lowest_bit(left)
        left &= left - np.uint64(1)
        source = 64 * word + place
        foreign = (table.near[source, 0] & others0) | (table.near[source, 1] & others1)
        can = (view.armies[source] > 1) & (foreign != np.uint64(0))  # no branch here: nobody could predict it
        found |= np.uint64(can) << np.uint64(place)
    return found


@kernel
def _occupy(table, params, view, seat, rng):
    """Any number of armies that the rules list, or no more; or any number at all."""
    most = np.int64(movable(table, view))
    if params.counts != LISTED:
        left = _left(params, view, seat, MOVE, most)
        if left < 0:
            left = np.int64(below(rng, most + 1))
        count = _part(params, view, seat, MOVE, left, most, most) if left > 0 else np.int64(0)
        return encode(MOVE, 0, 0, count) if count > 0 else encode(STAY, 0, 0, 0)
    count = _counts(most)
    chosen = below(rng, count + 1)
    return encode(STAY, 0, 0, 0) if chosen == count else encode(MOVE, 0, 0, _any_count(most, chosen))


@kernel
def _counts(most):
    """How many numbers of armies the rules list when `most` can be moved."""
    count = 1
    for step in STEPS:
        count += step < most
    return count


@kernel
def _any_count(most, chosen):
    """The number of armies that is listed at this place."""
    return np.int64(STEPS[chosen]) if chosen < _counts(most) - 1 else most


@outlined
def _fortify(table, params, view, seat, out, rng):
    """With even chances no move; otherwise any two connected territories and any number of armies."""
    done = encode(END_TURN, 0, 0, 0)
    if params.counts != LISTED and view.source >= 0:
        return _fortify_on(params, view, seat)
    if below(rng, 2) == 0 or not may_fortify(table, view):
        return done
    first, second = np.uint64(0), np.uint64(0)
    sources = 0
    for source in range(table.territories):
        if may_leave(view, source):
            sources += 1
            if source < 64:
                first |= bit(source)
            else:
                second |= bit(source)
    if sources == 0:
        return done
    source = ranked(first, second, below(rng, sources))
    reach0, reach1 = connected(table, view, source)
    targets = 0
    for target in range(table.territories):
        if contains(reach0, reach1, target) and target != source:
            out[targets] = target
            targets += 1
    if targets == 0:
        return done
    target = out[below(rng, targets)]
    most = min(np.int64(view.armies[source]) - 1, np.int64(room(table, view, target)))
    if most <= 0:
        return done
    if params.counts == LISTED:
        return encode(FORTIFY_MOVE, source, target, _any_count(most, below(rng, _counts(most))))
    params.rest[5], params.rest[6] = source, target
    there = np.int64(view.armies[source])
    return encode(FORTIFY_MOVE, source, target, _part(params, view, seat, FORTIFY_MOVE, 1 + below(rng, most), most, there))


@kernel
def _fortify_on(params, view, seat):
    """The rest of a move that is made in parts, or the end of the turn."""
    source, there = params.rest[5], np.int64(view.armies[view.source])
    left = _left(params, view, seat, FORTIFY_MOVE, there)
    if left <= 0 or source != view.source:
        return encode(END_TURN, 0, 0, 0)
    return encode(FORTIFY_MOVE, source, params.rest[6], _part(params, view, seat, FORTIFY_MOVE, left, there - 1, there))
