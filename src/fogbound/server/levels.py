"""The levels that tables are set up with, by their names, and who plays for people who are away.

Besides the ladder of each game there are the programs that the operator allows (`fogbound serve --program`). Visitors
choose them by name; the command behind a name is nobody's business.
"""

from __future__ import annotations

import json
import os

from fogbound.core import levels as ladder
from fogbound.core.contract import Game
from fogbound.core.registry import Level

DEFAULT = "steady"
PROGRAMS = "FOGBOUND_PROGRAMS"  # names and commands; the thinkers' processes are told with their environment

__all__ = ["agent_spec", "default_level", "levels", "programs", "stand_in_level"]


def levels(game: Game) -> list[Level]:
    """The levels that a visitor can choose: the ladder, weakest first, then the programs."""
    return [*ladder.levels(game), *(Level(name, name, "a program", name) for name in programs())]


def programs() -> dict[str, str]:
    """The programs that may play here: names and commands."""
    found: dict[str, str] = json.loads(os.environ.get(PROGRAMS, "{}"))
    return found


def default_level(game: Game) -> str:
    """The level that plays where nobody chose one."""
    names = [level.name for level in ladder.levels(game)]
    return DEFAULT if DEFAULT in names else names[len(names) // 2]


def stand_in_level(game: Game) -> str:
    """The level that plays for someone who left or ran out of time: the best there is."""
    return ladder.levels(game)[-1].name


def agent_spec(game: Game, name: str) -> str:
    """The agent behind a level's name (or an agent's spec as it is)."""
    for level in ladder.levels(game):
        if level.name == name:
            return level.agent
    command = programs().get(name)
    return name if command is None else f"program:{command}"
