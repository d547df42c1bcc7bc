"""Named strengths of the computer players, each saying what it is."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from fogbound.core import registry
from fogbound.core.contract import Game


@dataclass(frozen=True)
class Level:
    name: str
    title: str
    about: str
    agent: str

    def to_json(self) -> dict[str, str]:
        return asdict(self)


LEVELS = (
    Level("beginner", "Beginner", "plays any legal move, without a plan", "random"),
    Level("steady", "Steady", "follows simple, sound rules and never changes its mind", "heuristic"),
    Level("thinker", "Thinker", "searches a thousand continuations before each move", "mcts:iterations=1000"),
    Level("master", "Master", "searches for two seconds before each move", "mcts:seconds=2"),
)
DEFAULT = "steady"


def levels(game: Game) -> list[Level]:
    """The levels whose agents can play this game."""
    known = registry.agents(game)
    return [level for level in LEVELS if level.agent.partition(":")[0] in known]


def agent_spec(game: Game, name: str) -> str:
    """The agent behind a level's name (or an agent's spec as it is)."""
    for level in levels(game):
        if level.name == name:
            return level.agent
    return name
