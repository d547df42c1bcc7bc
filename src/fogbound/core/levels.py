"""The ladder of levels that people choose an opponent from: what the games share of it, and how strong each level is.

A game's own ladder stands in its `levels.py`. Ratings are measured by `benchmarks/levels.py`, which writes them into
the game's `ratings.json`, by board and agent: a level whose agent has changed since has no rating until it is measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.registry import Level

Ratings = Mapping[str, Mapping[str, int]]
"""For each board and number of seats, the rating of each agent."""

CHAMPION = Level(
    "champion", "Champion", "the strongest player there is for this game, in one second", "champion:seconds=1", seconds=1.0
)
BEGINNER = Level("beginner", "Beginner", "makes natural moves and does not think ahead, as in a first game", "careless")
ANY_GAME = (
    Level("beginner", "Beginner", "plays without a plan most of the time", "blunders:rate=0.8"),
    Level("casual", "Casual", "knows how to play, but every other move is hasty", "blunders:rate=0.4"),
    Level("steady", "Steady", "follows simple, sound rules and never changes its mind", "heuristic"),
    Level("thinker", "Thinker", "searches a thousand continuations before each move", "mcts:iterations=1000", 0.1),
    Level("master", "Master", "searches ten thousand continuations before each move", "mcts:iterations=10000", 0.5),
    CHAMPION,
)
NO_SCRIPT = (
    Level("beginner", "Beginner", "plays any legal move, without a plan", "random"),
    Level("steady", "Steady", "searches a hundred continuations before each move", "mcts:iterations=100", 0.05),
    *ANY_GAME[3:],
)


def levels(game: Game) -> list[Level]:
    """The levels of a game, weakest first."""
    own = registry.family(game.family).levels
    if isinstance(own, str):
        return list(registry.fetch(own)(game))
    return list(own or (ANY_GAME if "heuristic" in registry.agents(game) else NO_SCRIPT))


def rated(game: Game, ladder: Sequence[Level], file: Path) -> list[Level]:
    """Levels with the ratings that a file has of their agents in a game."""
    found = _read(file).get(rated_as(game), {})
    return [replace(level, rating=found.get(played_by(game, level))) for level in ladder]


def rated_as(game: Game) -> str:
    """What ratings are kept by: the board and the number of seats, whatever other rules are changed."""
    board = registry.split_options(game.spec.partition("/")[2])[0]
    return f"{board}, {game.seats} seats"


def played_by(game: Game, level: Level) -> str:
    """The agent that a rating belongs to: for the champion, whoever plays for it."""
    if level.agent != CHAMPION.agent:
        return level.agent
    budget = f"seconds={level.seconds:g}"
    return " / ".join(dict.fromkeys(registry.champion(game, side, budget) for side in range(game.sides)))


@cache
def _read(file: Path) -> Ratings:
    found: Ratings = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found
