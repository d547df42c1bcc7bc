"""A player who blunders: now and then a hasty move is played instead of the one that another agent would make.

A blunder is not nonsense. It comes from the game's `careless` player, who makes moves that look natural and
thinks no further; only a game that brings none falls back on random moves.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from pydantic import Field

from fogbound.core import registry
from fogbound.core.agent import Agent, Decision, Options, PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.contract import Game
from fogbound.core.rng import Rng, unit
from fogbound.core.view import View

CARELESS = "careless"


class BlundersOptions(Options):
    agent: str = Field("heuristic", description="who plays otherwise; its options are joined by +")
    rate: float = Field(0.3, ge=0, le=1, description="the share of moves that are blunders")


class Blunders(Agent[BlundersOptions]):
    name = "blunders"
    about = "plays as another agent does, but makes some of the moves without thinking"
    options_model = BlundersOptions

    def __new__(cls, game: Game, options: BlundersOptions, rng: Rng, imagination: Rng) -> Blunders:
        """Where the other agent is a compiled policy, so is this one."""
        other = registry.agent_class(registry.split_options(options.agent)[0], game)
        return super().__new__(CompiledBlunders if issubclass(other, PolicyAgent) else cls)

    def prepare(self) -> None:
        specs = self.options.agent.replace("+", ","), careless_agent(self.game)
        made = [registry.agent_with_streams(spec, self.game, self.rng, self.imagination) for spec in specs]
        self.usual, self.careless = made

    def decide(self, view: View) -> Decision:
        return (self.careless if unit(self.rng) < self.options.rate else self.usual).decide(view)


class BlundersParams(NamedTuple):
    rate: float
    usual: NamedTuple
    careless: NamedTuple


class CompiledBlunders(Blunders, PolicyAgent[BlundersOptions]):
    """The same as one compiled function."""

    def prepare(self) -> None:
        Blunders.prepare(self)
        PolicyAgent.prepare(self)

    def decide(self, view: View) -> Decision:
        return PolicyAgent.decide(self, view)

    def compiled(self) -> Kernel:
        assert isinstance(self.usual, PolicyAgent)
        assert isinstance(self.careless, PolicyAgent)
        return mixture(self.usual.policy, self.careless.policy)

    def params(self) -> BlundersParams:
        assert isinstance(self.usual, PolicyAgent)
        assert isinstance(self.careless, PolicyAgent)
        return BlundersParams(self.options.rate, self.usual.policy_params, self.careless.policy_params)


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
