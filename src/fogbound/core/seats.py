"""Who sits where: an agent for each side of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from fogbound.core import registry
from fogbound.core.agent import Agent, AgentLike
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError

T = TypeVar("T")


def fill(game: Game, agents: Sequence[T]) -> list[T]:
    """An agent for each side; one alone fills all."""
    if len(agents) == 1:
        return list(agents) * game.sides
    if len(agents) != game.sides:
        names = ", ".join(game.side_names)
        raise FogboundError(f"{game.spec} takes {game.sides} agents ({names}) or one for all, not {len(agents)}.")
    return list(agents)


def seat_agents(game: Game, agents: Sequence[AgentLike], seed: int = 0, number: int = 0) -> list[Agent]:
    """The agents of all sides, each with its own random streams."""
    return [registry.agent(spec, game, seed, side, number) for side, spec in enumerate(fill(game, agents))]
