"""Named strengths of the computer players, each saying what it is."""

from __future__ import annotations

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.registry import Level

LEVELS = (
    Level("beginner", "Beginner", "plays any legal move, without a plan", "random"),
    Level("steady", "Steady", "follows simple, sound rules and never changes its mind", "heuristic"),
    Level("thinker", "Thinker", "searches a thousand continuations before each move", "mcts:iterations=1000"),
    Level("master", "Master", "searches for two seconds before each move", "mcts:seconds=2"),
)
DEFAULT = "steady"


def levels(game: Game) -> list[Level]:
    """The game's own levels, or those of the usual ones whose agents can play it."""
    own = registry.family(game.family).levels
    known = registry.agents(game)
    return list(own) or [level for level in LEVELS if level.agent.partition(":")[0] in known]


def default_level(game: Game) -> str:
    """The level that plays where nobody chose one."""
    names = [level.name for level in levels(game)]
    return DEFAULT if DEFAULT in names else names[len(names) // 2]


def agent_spec(game: Game, name: str) -> str:
    """The agent behind a level's name (or an agent's spec as it is)."""
    for level in levels(game):
        if level.name == name:
            return level.agent
    return name
