"""The levels that tables are set up with, by their names, and who plays for people who are away."""

from __future__ import annotations

from fogbound.core.contract import Game
from fogbound.core.levels import levels

DEFAULT = "steady"

__all__ = ["agent_spec", "default_level", "levels", "stand_in_level"]


def default_level(game: Game) -> str:
    """The level that plays where nobody chose one."""
    names = [level.name for level in levels(game)]
    return DEFAULT if DEFAULT in names else names[len(names) // 2]


def stand_in_level(game: Game) -> str:
    """The level that plays for someone who left or ran out of time: the best there is."""
    return levels(game)[-1].name


def agent_spec(game: Game, name: str) -> str:
    """The agent behind a level's name (or an agent's spec as it is)."""
    for level in levels(game):
        if level.name == name:
            return level.agent
    return name
