"""The ladder of Eight-Minute Empire, its champions and its judge, by board and number of players."""

from __future__ import annotations

from pathlib import Path

from fogbound.core.levels import BEGINNER, CHAMPION, rated
from fogbound.core.registry import Level
from fogbound.games.empire.game import Empire

RATINGS = Path(__file__).with_name("ratings.json")

LADDER = (
    BEGINNER,
    Level("casual", "Casual", "knows what cards are worth, but most moves are hasty", "blunders:rate=0.6"),
    Level("steady", "Steady", "plays soundly, with a hasty move now and then", "blunders:rate=0.25"),
    Level("thinker", "Thinker", "works out what each card brings, and makes no slips", "heuristic"),
    Level("master", "Master", "plays what a net has learned, with a rare hasty move", "blunders:agent=net,rate=0.05", 0.01),
    CHAMPION,
)


def levels(game: Empire) -> list[Level]:
    return rated(game, LADDER, RATINGS)


def champion(game: Empire, side: int) -> str:
    return "maxn:{budget}"


def judge(game: Empire, side: int, effort: int) -> str:
    return f"maxn:every,candidates=3,iterations={40 * effort}"
