"""The player of Eight-Minute Empire that trusts its net: it plays the turn after which the net likes the position best."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.empire import heuristic as scripted
from fogbound.agents.empire.plans import Plans, Style, find_plans, plans_for
from fogbound.agents.empire.value import Value, end_value, read
from fogbound.core.agent import Options, PolicyAgent, agent_streams
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, part
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import ACTING, CHOOSING, TAKING

EACH, WIDTH = 12, 12  # plans kept for each card, and positions followed at a time


class NetOptions(Options):
    weights: str = Field("empire", description="a shipped net or a .safetensors file")


class Params(NamedTuple):
    script: scripted.Params  # for bids, the start and neutral armies
    plans: Plans
    style: Style
    net: Value
    tape: NDArray[np.int64]
    cursor: NDArray[np.int64]


def params_for(game: Empire, weights: str, each: int = EACH, width: int = WIDTH) -> Params:
    script = scripted.Heuristic(game, scripted.HeuristicOptions(), *agent_streams(0, 0)).policy_params
    assert isinstance(script, scripted.Params)
    plans = plans_for(game, each, width)
    return Params(script, plans, Style(), read(weights), np.zeros(0, np.int64), np.zeros(3, np.int64))


class Net(PolicyAgent[NetOptions, Empire]):
    name = "net"
    about = "plays the turn after which a learned value is highest"
    options_model = NetOptions

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        return params_for(self.game, self.options.weights)


@kernel
def choose(table, params, view, seat, out, rng):
    if view.phase not in (TAKING, CHOOSING, ACTING):
        return scripted.set_up(table, params.script, view, seat)
    return params.plans.path[best_turn(table, params, view, seat, rng), 0]


@part
def best_turn(table, params, view, seat, rng):
    """The plan after which the net likes the position best; it stays in `params.plans`."""
    chance = Chance(rng, params.tape, params.tape, params.cursor)
    count = find_plans(table, params.plans, params.style, view, seat, chance)
    best = np.int64(0)
    most = -1.0
    for i in range(count):
        worth = end_value(table, params.net, params.plans.state[i], seat)
        if worth > most:
            best, most = np.int64(i), worth
    return best
