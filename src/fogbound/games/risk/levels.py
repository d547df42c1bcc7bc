"""The ladder of Risk, its champions and its judge, by board and number of players."""

from __future__ import annotations

from pathlib import Path

from fogbound.core.levels import BEGINNER, CHAMPION, rated
from fogbound.core.registry import Level
from fogbound.games.risk.game import Risk

RATINGS = Path(__file__).with_name("ratings.json")

MOST = 48  # territories that the net can play
LONG = 100  # rounds after which hardly a game is still played

LADDER = (
    BEGINNER,
    Level("casual", "Casual", "knows what to aim at, but most moves are hasty", "blunders:rate=0.6"),
    Level("steady", "Steady", "plays soundly, with a hasty move now and then", "blunders:rate=0.25"),
    Level("thinker", "Thinker", "weighs continents, enemies and odds, and makes no slips", "heuristic"),
)
SEARCH = Level("master", "Master", "plans its whole turn, and searches the replies", "turns:iterations=100", 0.01)
DUEL, TABLE = (  # with two players, and with more
    Level(
        "master",
        "Master",
        "plays what a net has learned, with a hasty move now and then",
        f"blunders:agent=policy,rate={rate}",
    )
    for rate in (0.15, 0.1)
)


def levels(game: Risk) -> list[Level]:
    net = DUEL if game.seats == 2 else TABLE
    return rated(game, (*LADDER, net if is_known(game) else SEARCH, CHAMPION), RATINGS)


def champion(game: Risk, side: int) -> str:
    """The net of self-play where it knows the rules; the planner elsewhere (docs/results/learning-risk.md)."""
    return "policy" if is_known(game) else "planner:search=risk-value-turns,{budget}"


def is_known(game: Risk) -> bool:
    """Whether the net knows such games, whatever sets are worth: no missions, no end in sight, and not too large a map."""
    table = game.table
    endless = table.round_limit == 0 or table.round_limit >= LONG
    return table.territories <= MOST and table.missions == 0 and endless


def judge(game: Risk, side: int, effort: int) -> str:
    return f"planner:every,iterations={1000 * effort}"
