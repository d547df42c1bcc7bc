"""Simple players of Scotland Yard with one temper each: a varied field for others to be measured against.

A style is a row of likings, of Mr X and of a detective. Each move is worth the sum of what is liked about it, and the
best is made, drawn where several are equally good. Nothing in this house is trained against these players.
"""

from __future__ import annotations

from typing import Literal, NamedTuple, get_args

import numpy as np
from pydantic import Field

from fogbound.agents.scotland_yard.heuristic import ways_out
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.bits import lowest_bit
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import below, unit
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import Paths, nearest_detective
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE_SHIFT, HIDDEN, TICKET_SHIFT, has, legal

TIE = 1e-3  # what chance adds at most: less than any liking


class Fugitive(NamedTuple):
    """What Mr X likes."""

    far: float = 1.0  # each move that the nearest detective is away,
    minds: int = 4  # up to so many
    away: float = 0.0  # each move from where he was last seen
    room: float = 0.0  # each way out of the station
    fast: float = 0.0  # each step from the commonest transport to the rarest
    black: float = -0.5  # a black ticket
    double: float = -2.0  # a double move


class Hunter(NamedTuple):
    """What a detective likes."""

    near: float = 1.0  # each move less to the nearest station where Mr X can be
    pounce: float = 0.0  # to step where Mr X can be
    seen: float = 0.0  # each move less to where Mr X was last seen
    apart: float = 0.0  # each move that the nearest colleague is away
    room: float = 0.0  # as Mr X
    fast: float = 0.0  # as Mr X


class Style(NamedTuple):
    """The habits of a player on either side."""

    fugitive: Fugitive
    hunter: Hunter
    careless: float = 0.0  # share of the moves that are made at random


STYLES = {
    # Strolls, and minds only what is close; waits for Mr X to come by.
    "passive": Style(Fugitive(minds=2, away=-0.5, fast=-1.0), Hunter(near=0.2, apart=0.3, fast=-1.0)),
    # Slips past the detectives; runs at whatever is nearest.
    "aggressive": Style(Fugitive(minds=2, away=1.0, fast=0.5), Hunter(pounce=2.0)),
    # Saves the good tickets for later, and later never comes.
    "hoarding": Style(Fugitive(fast=-2.0, black=-9.0, double=-9.0), Hunter(fast=-2.0)),
    # Uses them at once.
    "spending": Style(Fugitive(fast=0.5, black=9.0, double=9.0), Hunter(fast=2.0)),
    # All to where he was last seen; far away from there.
    "herding": Style(Fugitive(far=0.2, away=1.0), Hunter(near=0.2, seen=1.0, apart=-0.3)),
    # Crossroads above all.
    "guarding": Style(Fugitive(minds=2, room=0.5), Hunter(near=0.3, apart=0.5, room=0.3)),
    # Hides where few ways lead; spreads out over the whole board.
    "cornered": Style(Fugitive(room=-0.7), Hunter(near=0.3, apart=1.5)),
    # Any move, but for one good habit: not beside a detective; onto a station where Mr X can be.
    "watchful": Style(Fugitive(far=9.0, minds=2, black=0.0, double=0.0), Hunter(near=0.0, pounce=9.0)),
    # Sensible, but for every third move.
    "forgetful": Style(Fugitive(room=0.1, away=0.3), Hunter(pounce=0.5, apart=0.2), careless=0.33),
}
Name = Literal["passive", "aggressive", "hoarding", "spending", "herding", "guarding", "cornered", "watchful", "forgetful"]
assert get_args(Name) == tuple(STYLES)


class StrangerOptions(Options):
    style: Name = Field("forgetful", description=f"its temper: {', '.join(STYLES)}")


class Params(NamedTuple):
    style: Style
    paths: Paths


class Stranger(PolicyAgent[StrangerOptions, ScotlandYard]):
    name = "stranger"
    about = "a simple player with one temper, to measure others against"
    options_model = StrangerOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return Params(STYLES[self.options.style], self.game.paths)


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    if params.style.careless > 0.0 and unit(rng) < params.style.careless:
        return out[below(rng, count)]
    best, found = -np.inf, out[0]
    for i in range(count):
        liked = _as_mr_x(table, params, view, out[i]) if seat == 0 else _as_detective(table, params, view, seat, out[i])
        liked += TIE * unit(rng)
        if liked > best:
            best, found = liked, out[i]
    return found


@kernel
def _as_mr_x(table, params, view, action):
    likes = params.style.fugitive
    station, ticket = action & HIDDEN, (action >> TICKET_SHIFT) & 15
    liked = likes.far * min(likes.minds, nearest_detective(table, params.paths, view, station, 0))
    if view.last_seen >= 0:
        liked += likes.away * params.paths.hops[view.last_seen, station]
    liked += likes.room * ways_out(table, view, action & (HIDDEN | 15 << TICKET_SHIFT))
    liked += likes.black if ticket == BLACK else likes.fast * ticket
    return liked + likes.double * (action >> DOUBLE_SHIFT)


@kernel
def _as_detective(table, params, view, seat, action):
    likes = params.style.hunter
    station, ticket = action & HIDDEN, action >> TICKET_SHIFT
    liked = likes.fast * ticket - likes.near * _nearest_possible(params, view, station)
    if has(view.possible, station):
        liked += likes.pounce
    if view.last_seen >= 0:
        liked -= likes.seen * params.paths.hops[station, view.last_seen]
    if table.detectives > 1:
        liked += likes.apart * nearest_detective(table, params.paths, view, station, seat)
    return liked + likes.room * (table.link_start[station + 1] - table.link_start[station])


@kernel
def _nearest_possible(params, view, station):
    """Moves to the nearest station where Mr X can be."""
    nearest = np.int64(params.paths.far)
    for w in range(4):
        word = view.possible[w]
        while word:
            nearest = min(nearest, np.int64(params.paths.hops[station, w * 64 + lowest_bit(word)]))
            word &= word - np.uint64(1)
    return nearest
