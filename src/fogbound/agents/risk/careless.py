"""The careless player of Risk, as people play their first games.

He strengthens any border, attacks whoever is weaker next door, and turns cards in as soon as he can. Continents,
missions and the odds of a longer campaign do not cross his mind.
"""

from __future__ import annotations

import numpy as np

from fogbound.agents.risk.tactics import on_border, placeable, thrifty_set
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.rng import below
from fogbound.games.risk.battle import movable
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import legal
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    MOVE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    STAY,
    encode,
    room,
)

TIRED = 8  # one time in so many he has had enough of attacking


class Careless(PolicyAgent[Options, Risk]):
    name = "careless"
    about = "makes natural moves without thinking ahead, as in a first game"

    def compiled(self) -> Kernel:
        return choose


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase == DRAFT:
        return _draft(table, view, seat, out, rng)
    if view.phase == ATTACK:
        return _attack(table, view, seat, rng)
    if view.phase == OCCUPY:
        return _occupy(table, view, seat)
    if view.phase == FORTIFY:
        return encode(END_TURN, 0, 0, 0)
    return out[below(rng, legal(table, view, out))]


@outlined
def _draft(table, view, seat, out, rng):
    """A set of cards as soon as there is one; then all armies on any border."""
    if view.cards[seat] >= MUST_EXCHANGE or (view.cards[seat] >= 3 and view.in_attack == 0):
        exchange = thrifty_set(table, view, seat, out)
        if exchange >= 0:
            return exchange
    found, seen, has_border = np.int64(0), 0, False
    for territory in range(table.territories):
        if view.owner[territory] != seat or room(table, view, territory) <= 0:
            continue
        border = on_border(table, view, seat, territory)
        if border and not has_border:
            has_border, seen = True, 0
        if border or not has_border:
            seen += 1
            if below(rng, seen) == 0:
                found = np.int64(territory)
    return encode(PLACE, 0, found, placeable(table, view, found))


@outlined
def _attack(table, view, seat, rng):
    """Any neighbour who has fewer armies, to the last one; sometimes he stops though he could go on."""
    source, target, seen = np.int64(-1), np.int64(-1), 0
    for territory in range(table.territories):
        if view.owner[territory] != seat or view.armies[territory] < 3:
            continue
        for i in range(table.link_start[territory], table.link_start[territory + 1]):
            near = np.int64(table.links[i])
            if view.owner[near] != seat and view.armies[near] < view.armies[territory]:
                seen += 1
                if below(rng, seen) == 0:
                    source, target = np.int64(territory), near
    if source < 0 or below(rng, TIRED) == 0:
        return encode(END_ATTACK, 0, 0, 0)
    return encode(BATTLE, source, target, 1)


@kernel
def _occupy(table, view, seat):
    """All armies follow where there is something left to attack."""
    if on_border(table, view, seat, view.target):
        return encode(MOVE, 0, 0, np.int64(movable(table, view)))
    return encode(STAY, 0, 0, 0)
