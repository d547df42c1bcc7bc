"""Strangers: players of Eight-Minute Empire with one temper each, to meet a champion with. Most are weaker than the script.

Each plays the turn that its own values praise most, or, now and then, any turn.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.empire import heuristic as scripted
from fogbound.agents.empire.plans import Plans, Style, find_plans, plans_for
from fogbound.core.agent import Options, PolicyAgent, agent_streams
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.rng import below, unit
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import ACTING, CHOOSING, TAKING

Name = Literal[
    "hoarder",
    "collector",
    "raider",
    "homebody",
    "settler",
    "spreader",
    "spender",
    "nearsighted",
    "massing",
    "clumsy",
    "idler",
]

_EVEN = Style(coin_later=0.9)
STYLES: Final[dict[Name, tuple[Style, float]]] = {
    "hoarder": (_EVEN._replace(coin=1.0, coin_later=3.0), 0.0),  # never pays if something is free
    "collector": (_EVEN._replace(goods=2.0, good_later=0.8, wild_later=1.2, region=0.3, continent=0.3, rival=0.0), 0.0),
    "raider": (_EVEN._replace(rival=3.0, near_later=0.5, tie_later=0.8), 0.0),  # would rather hurt than gain
    "homebody": (_EVEN._replace(presence=-0.9, safe_later=0.6), 0.0),  # stays together near the start
    "settler": (_EVEN._replace(city=1.5), 0.0),  # cities above all
    "spreader": (_EVEN._replace(presence=1.0, safe_later=-0.3), 0.0),  # an army in every region
    "spender": (_EVEN._replace(coin=0.0, coin_later=0.0), 0.0),  # takes what it likes best, until its coins are gone
    "nearsighted": (Style(1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.3, 0.0, 0.0), 0.0),  # points at once, no more
    "massing": (_EVEN._replace(safe_later=1.0, army_later=0.6), 0.0),  # large armies where it is already ahead
    "clumsy": (_EVEN, 0.35),  # a third of its turns are any turns
    "idler": (Style(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.1, 0.9, 0.0), 0.5),  # random, but for a habit of goods
}


class StrangerOptions(Options):
    style: Name = Field("nearsighted", description=f"its temper: {', '.join(STYLES)}")
    older = {"character": "style"}


class Params(NamedTuple):
    script: scripted.Params
    plans: Plans
    style: Style
    blunders: float
    tape: NDArray[np.int64]
    cursor: NDArray[np.int64]


class Stranger(PolicyAgent[StrangerOptions, Empire]):
    name = "stranger"
    about = "a simple player with one temper, to measure others against"
    options_model = StrangerOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        style, blunders = STYLES[self.options.style]
        script = scripted.Heuristic(self.game, scripted.HeuristicOptions(), *agent_streams(0, 0)).policy_params
        assert isinstance(script, scripted.Params)
        return Params(script, plans_for(self.game, 6, 8), style, blunders, np.zeros(0, np.int64), np.zeros(3, np.int64))


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase not in (TAKING, CHOOSING, ACTING):
        return scripted.set_up(table, params.script, view, seat)
    return _first_move(table, params, view, seat, rng)


@outlined
def _first_move(table, params, view, seat, rng):
    chance = Chance(rng, params.tape, params.tape, params.cursor)
    plans = params.plans
    count = find_plans(table, plans, params.style, view, seat, chance)
    if params.blunders > 0 and unit(rng) < params.blunders:
        return plans.path[below(rng, count), 0]
    best = 0
    for i in range(1, count):
        if plans.quick[i] > plans.quick[best]:
            best = i
    return plans.path[best, 0]
