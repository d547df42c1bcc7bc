"""The careless player of Eight-Minute Empire, as people play their first games.

He takes one of the cheap cards, whichever he fancies, and does with it whatever comes to mind; what it
brings in points he does not work out.
"""

from __future__ import annotations

from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import below
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import BID, BIDDING, DONE, KIND_SHIFT, START, STARTING, TAKING, legal

CHEAP = 1  # coins that he gives for a card without a thought


class Careless(PolicyAgent[Options, Empire]):
    name = "careless"
    about = "makes natural moves without thinking ahead, as in a first game"

    def compiled(self) -> Kernel:
        return choose


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase == BIDDING:
        return BID << KIND_SHIFT
    if view.phase == STARTING:
        return START << KIND_SHIFT | seat
    count = legal(table, view, out)
    if view.phase == TAKING:
        return out[below(rng, _cheap_ones(table, out, count))]
    kept = 0
    for i in range(count):  # he goes on as long as there is something to do
        if out[i] >> KIND_SHIFT != DONE:
            out[kept] = out[i]
            kept += 1
    return out[below(rng, kept)] if kept > 0 else DONE << KIND_SHIFT


@kernel
def _cheap_ones(table, out, count):
    """How many of the cards, which are listed from the cheapest, are cheap; the first one costs nothing."""
    cheap = 1
    while cheap < count and table.price[out[cheap]] <= CHEAP:
        cheap += 1
    return cheap
