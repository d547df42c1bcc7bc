"""The ladder of Eight-Minute Empire and its champions, by board and number of players."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fogbound.core.levels import CHAMPION, SCRIPTED, rated
from fogbound.core.registry import Level

if TYPE_CHECKING:
    from fogbound.games.empire.game import Empire

RATINGS = Path(__file__).with_name("ratings.json")

LADDER = (
    *SCRIPTED,
    Level("thinker", "Thinker", "plans its whole turn in a hundred ways", "turns:iterations=100", 0.02),
    Level("master", "Master", "plans its whole turn in a thousand ways", "turns:iterations=1000", 0.2),
    CHAMPION,
)


def levels(game: Empire) -> list[Level]:
    return rated(game, LADDER, RATINGS)


def champion(game: Empire, side: int) -> str:
    return "turns:{budget}"
