"""The careless player of Scotland Yard, as people play their first games.

Mr X only sees to it that nobody can catch him at once, and forgets even that now and then. A detective runs to
where Mr X was last seen, and strolls about when he is there. Nobody counts tickets or rounds.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import below
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import Paths, nearest_detective
from fogbound.games.scotland_yard.rules import DOUBLE_SHIFT, HIDDEN, legal

DANGER = 1  # a detective so near could make the catch
FORGETFUL = 3  # one time in so many a player does not look at the board at all


class Params(NamedTuple):
    paths: Paths


class Careless(PolicyAgent[Options, ScotlandYard]):
    name = "careless"
    about = "makes natural moves without thinking ahead, as in a first game"

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return Params(self.game.paths)


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    if below(rng, FORGETFUL) == 0:
        return out[below(rng, count)]
    if seat == 0:
        return out[below(rng, _safe_ones(table, params, view, out, count))]
    target = np.int64(view.last_seen)
    if target < 0 or target == view.station[seat]:
        return out[below(rng, count)]
    return out[below(rng, _nearest_ones(params, out, count, target))]


@kernel
def _safe_ones(table, params, view, out, count):
    """Put the single moves to stations with no detective beside them first: how many; all moves, if there are none."""
    kept = 0
    for i in range(count):
        if out[i] >> DOUBLE_SHIFT == 0 and nearest_detective(table, params.paths, view, out[i] & HIDDEN, 0) > DANGER:
            out[i], out[kept] = out[kept], out[i]
            kept += 1
    return kept if kept > 0 else count


@kernel
def _nearest_ones(params, out, count, target):
    """Put the moves that lead nearest to a station first: how many."""
    best, kept = 1 << 30, 0
    for i in range(count):
        far = np.int64(params.paths.hops[out[i] & HIDDEN, target])
        if far < best:
            best, kept = far, 0
        if far == best:
            out[i], out[kept] = out[kept], out[i]
            kept += 1
    return kept
