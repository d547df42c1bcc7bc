"""Lessons: fixed positions of a game, each with the moves that are right there, kept in a file beside the game.

What is asked for, and why it is right, the page says from its catalogues by the name of the step.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from fogbound.core import registry
from fogbound.core.match import Match

FORMAT = "fogbound lesson 1"


@dataclass(frozen=True)
class Step:
    """One position of a lesson."""

    name: str
    game: str
    """The game's spec."""
    right: tuple[str, ...]
    """The moves that are right, in words; the first is the one that is shown."""
    seed: int = 0
    """Of the match that leads to the position, and of what the right move draws."""
    moves: tuple[str, ...] = ()
    position: str = ""
    """Where the match begins, as `match.position()` wrote it; none: at the start of its seed."""

    def match(self) -> Match:
        """The position."""
        game = registry.game(self.game)
        match = game.at(self.position, self.seed) if self.position else game.new(self.seed)
        for move in self.moves:
            match.play(move)
        return match


@cache
def lesson(family: str) -> tuple[Step, ...]:
    """The steps of a game's lesson; none if it has no such file."""
    package = type(registry.game(family)).__module__.rpartition(".")[0]
    file = resources.files(package).joinpath("lesson.json")
    return tuple(map(_step, json.loads(file.read_text("utf-8"))["steps"])) if file.is_file() else ()


def _step(data: dict[str, Any]) -> Step:
    return Step(**{**data, "right": tuple(data["right"]), "moves": tuple(data.get("moves", ()))})
