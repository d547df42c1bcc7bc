"""Five nets as the filter of a search over Risk: only moves that a net likes are looked at, with its number of armies.

As Vašátko (2018) has it: a move passes if the first output is above the threshold; how many armies it uses
is the net's choice too, and not to attack or not to fortify can always be chosen.
"""

from __future__ import annotations

from math import inf, log
from typing import NamedTuple

import numpy as np

from fogbound.agents.risk.net import (
    OF_EXCHANGE,
    OF_SETUP,
    Params,
    Precision,
    attack_from,
    attack_of,
    drafted,
    fortified,
    fortify_from,
    liked_attack,
    liked_draft,
    liked_fortify,
    occupied,
    params_of,
    read,
    work_out,
)
from fogbound.agents.risk.tactics import may_fortify
from fogbound.core.compiled import kernel, outlined
from fogbound.games.risk.cards import list_exchanges
from fogbound.games.risk.features import for_exchange, for_setup
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import connected, legal, may_leave
from fogbound.games.risk.table import (
    ATTACK,
    CLAIM,
    CLAIM_MOVE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FREE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    SETUP,
    contains,
    encode,
    room,
)


class MoveFilter(NamedTuple):
    """The nets that judge moves, and what a move needs to pass."""

    params: Params
    least: float  # the first output that passes, as `work_out` gives it


def make_filter(game: Risk, weights: str, threshold: float, precision: Precision = "single") -> MoveFilter:
    params = params_of(game, read(weights), precision=precision)
    if precision == "double":
        return MoveFilter(params, threshold - 0.5)
    least = -inf if threshold <= 0 else inf if threshold >= 1 else log(threshold / (1 - threshold))
    return MoveFilter(params, least)


@outlined
def filtered_moves(table, filter_, state, out):
    """The legal moves that the nets let through, ascending; all legal ones where they would leave none."""
    seat = np.int64(state.turn)
    count = 0
    if state.phase == ATTACK:
        return _attacks(table, filter_, state, seat, out)
    if state.phase == FORTIFY:
        return _fortifying(table, filter_, state, seat, out)
    if state.phase == OCCUPY:
        out[0] = occupied(table, filter_.params, state, seat)
        return 1
    if state.phase == DRAFT:
        count = _drafts(table, filter_, state, seat, out)
    elif state.phase == CLAIM:
        count = _places(table, filter_, state, seat, FREE, CLAIM_MOVE, out)
    elif state.phase == SETUP:
        count = _places(table, filter_, state, seat, seat, PLACE, out)
    return count if count > 0 else legal(table, state, out)


@outlined
def _places(table, filter_, state, seat, owner, kind, out):
    count = 0
    for territory in range(table.territories):
        if state.owner[territory] == owner and room(table, state, territory) > 0:
            for_setup(filter_.params.lands, state, seat, territory, filter_.params.nets.inputs)
            if work_out(filter_.params.nets, OF_SETUP)[0] > filter_.least:
                out[count] = encode(kind, 0, territory, 1)
                count += 1
    return count


@outlined
def _drafts(table, filter_, state, seat, out):
    """Sets that must or may be turned in if the net likes to, and the liked territories."""
    if state.cards[seat] >= MUST_EXCHANGE:
        return list_exchanges(table, state, seat, out, 0)
    count = 0
    if state.cards[seat] >= 3 and state.in_attack == 0:
        for_exchange(filter_.params.lands, state, seat, filter_.params.nets.inputs)
        if work_out(filter_.params.nets, OF_EXCHANGE)[0] > filter_.least:
            count = list_exchanges(table, state, seat, out, 0)
    sets = count
    for territory in range(table.territories):
        if state.owner[territory] == seat and room(table, state, territory) > 0:
            value, part = liked_draft(filter_.params, state, seat, territory)
            if value > filter_.least:
                out[count] = encode(PLACE, 0, territory, drafted(table, filter_.params, state, territory, part))
                count += 1
    return count if count > sets else 0  # to turn in must not be the only choice where it is one


@outlined
def _attacks(table, filter_, state, seat, out):
    count = 0
    for source in range(table.territories):
        if state.owner[source] != seat or state.armies[source] < 2:
            continue
        attack_from(filter_.params, state, seat, source)
        for i in range(table.link_start[source], table.link_start[source + 1]):
            target = np.int64(table.links[i])
            if state.owner[target] != seat:
                value, part = liked_attack(filter_.params, state, seat, target)
                if value > filter_.least:
                    count = _insert(out, count, attack_of(filter_.params, state, source, target, part))
    out[count] = encode(END_ATTACK, 0, 0, 0)
    return count + 1


@kernel
def _insert(out, count, code):
    """Rolls come before battles, so codes are put in their place."""
    place = count
    while place > 0 and out[place - 1] > code:
        out[place] = out[place - 1]
        place -= 1
    out[place] = code
    return count + 1


@outlined
def _fortifying(table, filter_, state, seat, out):
    count = 0
    allowed = may_fortify(table, state)
    for source in range(table.territories):
        if not allowed or not may_leave(state, source):
            continue
        reach0, reach1 = connected(table, state, source)
        fortify_from(filter_.params, state, seat, source)
        for target in range(table.territories):
            if target != source and contains(reach0, reach1, target) and room(table, state, target) > 0:
                value, part = liked_fortify(filter_.params, state, seat, target)
                if value > filter_.least:
                    out[count] = fortified(table, filter_.params, state, source, target, part)
                    count += 1
    out[count] = encode(END_TURN, 0, 0, 0)
    return count + 1


@outlined
def likes_draft(filter_, state, seat, territory):
    return liked_draft(filter_.params, state, seat, territory)[0] > filter_.least


@outlined
def likes_attack(filter_, state, seat, source, target, armies):
    """Whether an attack passes that would be made with so many armies in the source."""
    before = state.armies[source]
    state.armies[source] = armies
    attack_from(filter_.params, state, seat, source)
    state.armies[source] = before
    return liked_attack(filter_.params, state, seat, target)[0] > filter_.least
