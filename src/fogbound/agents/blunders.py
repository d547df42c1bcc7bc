"""A player who blunders: now and then a hasty move is played instead of the one that another agent would make.

A blunder is not nonsense. It comes from the game's `careless` player, who makes moves that look natural and
thinks no further; only a game that brings none falls back on random moves.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from pydantic import Field

from fogbound.core import registry
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.contract import Game
from fogbound.core.errors import BadOption
from fogbound.core.rng import unit

CARELESS = "careless"


class BlundersOptions(Options):
    agent: str = Field("heuristic", description="who plays otherwise; its options are joined by +")
    rate: float = Field(0.3, ge=0, le=1, description="the share of moves that are blunders")


class BlundersParams(NamedTuple):
    rate: float
    usual: NamedTuple
    careless: NamedTuple


class Blunders(PolicyAgent[BlundersOptions]):
    name = "blunders"
    about = "plays as another agent does, but makes some of the moves without thinking"
    options_model = BlundersOptions

    def prepare(self) -> None:
        self._usual = self._policy(self.options.agent.replace("+", ","))
        self._careless = self._policy(careless_agent(self.game))
        super().prepare()

    def _policy(self, spec: str) -> PolicyAgent:
        found = registry.agent(spec, self.game)
        if not isinstance(found, PolicyAgent):
            raise BadOption(f"“agent={spec}” does not work: blunders need a compiled policy, such as heuristic or policy.")
        return found

    def compiled(self) -> Kernel:
        return mixture(self._usual.policy, self._careless.policy)

    def params(self) -> BlundersParams:
        return BlundersParams(self.options.rate, self._usual.policy_params, self._careless.policy_params)


def careless_agent(game: Game) -> str:
    """Who makes the blunders in a game."""
    return CARELESS if CARELESS in registry.agents(game) else "random"


@cache
def mixture(usual: Kernel, careless: Kernel) -> Kernel:
    """The policy that plays either of two."""

    @kernel
    def choose(table, params, view, seat, out, rng):
        if unit(rng) < params.rate:
            return careless(table, params.careless, view, seat, out, rng)
        return usual(table, params.usual, view, seat, out, rng)

    return choose
