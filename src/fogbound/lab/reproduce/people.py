"""Games with people: series that were played on the page and saved as one file, read for the experiments that need people.

`GET /api/tables/ID/series` gives the file; the page offers it at the end of a series.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from fogbound.core import jsonfile

Kind = Literal["person", "agent"]
# What a document counts, and where a player's figures in the file have it.
WITHIN = {"points": ("points", "total"), "regions": ("points", "regions"), "coins": ("coins",), "armies": ("armies_left",)}
ARMIES = 14  # of a player in Eight-Minute Empire: the file has those that are left


class _Game(BaseModel):
    """One game of a series."""

    model_config = ConfigDict(extra="ignore")

    sides: list[int]
    scores: list[float]
    winner: int | None = None
    moves: int
    rounds: int | None = None
    seconds: float
    figures: list[dict[str, Any] | None] | None = None


class _Series(BaseModel):
    """A series as the server gives it."""

    model_config = ConfigDict(extra="ignore")

    game: str
    players: list[str]
    kinds: list[Kind]
    agents: list[str | None]
    games: list[_Game] = Field(min_length=1)


@dataclass(frozen=True)
class Played:
    """A finished game with people in it."""

    game: str
    kinds: tuple[Kind, ...]
    """Of each participant, in the order of the sides of the first game."""
    agents: tuple[str | None, ...]
    sides: tuple[int, ...]
    """The participant who played each side."""
    winner: int | None
    rounds: int | None
    seconds: float
    figures: tuple[dict[str, Any] | None, ...] = ()

    @property
    def agent(self) -> str:
        """The first agent in it."""
        return next((spec for spec in self.agents if spec), "")

    @property
    def person_side(self) -> int | None:
        """The side of the first person in it."""
        return next((side for side, who in enumerate(self.sides) if self.kinds[who] == "person"), None)

    def having(self, what: str, kind: Kind) -> list[float]:
        """What participants of a kind had in the end."""
        found = [each for who, each in enumerate(self.figures) if each and self.kinds[who] == kind]
        values = [_inside(each, WITHIN[what]) for each in found]
        return [ARMIES - value if what == "armies" else value for value in values if value is not None]


def _inside(figures: Any, path: Sequence[str]) -> float | None:
    for name in path:
        figures = figures.get(name) if isinstance(figures, dict) else None
    return float(figures) if isinstance(figures, int | float) else None


def won(game: Played, kind: Kind) -> bool:
    """Whether the game was won alone by a participant of a kind."""
    return game.winner is not None and game.kinds[game.winner] == kind


def on(games: Sequence[Played], board: str) -> list[Played]:
    """The games on a board such as scotland-yard/plan1, or of a whole family such as empire."""
    return [game for game in games if board in (game.game.partition(":")[0], game.game.partition("/")[0])]


def read(files: Sequence[Path]) -> list[Played]:
    """The games of saved series, in order."""
    played = []
    for file in files:
        read = jsonfile.read(file)
        series = read.validated(_Series, "a series of games, as /api/tables/ID/series gives it")
        count = len(series.players)
        for number, game in enumerate(series.games):
            named = [*game.sides, *([game.winner] if game.winner is not None else [])]
            if any(not 0 <= who < count for who in named) or len(series.kinds) != count or len(series.agents) != count:
                raise read.problem(["games", number], f"sides and winner are numbers of the {count} players, from 0 on.")
            figures = tuple(game.figures or ())
            agents = tuple(series.agents)
            who = (series.game, tuple(series.kinds), agents, tuple(game.sides), game.winner)
            played.append(Played(*who, game.rounds, game.seconds, figures))
    return played
