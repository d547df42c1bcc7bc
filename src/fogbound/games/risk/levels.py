"""The ladder of Risk, its champions and its judge, by board and number of players."""

from __future__ import annotations

from pathlib import Path

from fogbound.core.levels import BEGINNER, CHAMPION, rated
from fogbound.core.registry import Level
from fogbound.games.risk.game import Risk

RATINGS = Path(__file__).with_name("ratings.json")

LADDER = (
    BEGINNER,
    Level("casual", "Casual", "knows what to aim at, but most moves are hasty", "blunders:rate=0.6"),
    Level("steady", "Steady", "plays soundly, with a hasty move now and then", "blunders:rate=0.25"),
    Level("thinker", "Thinker", "weighs continents, enemies and odds, and makes no slips", "heuristic"),
    Level("master", "Master", "plans its whole turn, and searches the replies", "turns:iterations=100", 0.01),
    CHAMPION,
)


def levels(game: Risk) -> list[Level]:
    return rated(game, LADDER, RATINGS)


def champion(game: Risk, side: int) -> str:
    """On other maps than the classic one a planned set-up was not seen to help (docs/results/learning-risk.md)."""
    setup = "" if game.board.name == "classic" else "setup=false,"
    return f"planner:search=risk-value-turns,{setup}{{budget}}"


def judge(game: Risk, side: int, effort: int) -> str:
    return f"planner:every,iterations={1000 * effort}"
