"""Puzzles: positions of a game in which one move is clearly the best, with the proof, kept in a file beside the game.

A puzzle holds the moves that led to it and what they drew, so that it can be shown to a seat as it would see it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from importlib import resources
from typing import Any

from fogbound.core import registry
from fogbound.core.match import Match, Move

FORMAT = "fogbound puzzles 1"


@dataclass(frozen=True)
class Puzzle:
    """A position with one good move."""

    id: str
    game: str
    """The game's spec."""
    start: tuple[int, ...]
    moves: tuple[tuple[int, int, tuple[int, ...]], ...]
    """Seat, code and what was drawn, of each move before the position."""
    best: int
    values: Mapping[str, float]
    """The worth of the moves that were looked at, by their codes."""
    exact: bool
    """Whether the values are those of perfect play; otherwise they are those of a deep search."""
    iterations: int
    """Of the search, in two runs that agreed; 0 if the value is exact."""
    rating: int
    """The higher, the stronger the players who miss it."""
    right: tuple[int, ...] = ()
    """Other moves that count as the best one, such as the same attack by another way."""
    position: str = ""
    """Where it begins, as `match.position()` wrote it; none: at the start."""
    goal: Mapping[str, Any] | None = None
    """What is to be reached, where it is not to win the game: its name, facts, and the sentence in English."""
    by: str = ""
    """The spec of the agent that found the values; empty where they are exact."""

    def match(self) -> Match:
        """The position."""
        game = registry.game(self.game)
        match = game.at(self.position) if self.position else Match(game, 0, start=self.start)
        for _seat, code, chance in self.moves:
            match.play(code, chance=tuple(chance))
        return match

    def is_right(self, move: int) -> bool:
        """Whether a move is the best, or one that comes to the same."""
        return move == self.best or move in self.right

    def json(self) -> dict[str, Any]:
        return {
            name: value for name, value in asdict(self).items() if value or name not in ("right", "position", "goal", "by")
        }


@dataclass(frozen=True)
class Task:
    """A puzzle as a game's own search finds it: a position, what is to be reached, and the exact chance of every move."""

    match: Match
    goal: Mapping[str, Any]
    best: int
    right: tuple[int, ...]
    """The best move, and those that count as it."""
    values: Mapping[int, float]
    missed: float
    """The share of rules of thumb that do not find a right move."""


def moves_of(moves: Sequence[Move]) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    return tuple((move.seat, move.code, tuple(move.chance)) for move in moves)


def from_json(data: Mapping[str, Any]) -> Puzzle:
    moves = tuple((seat, code, tuple(chance)) for seat, code, chance in data["moves"])
    searched = "" if data["exact"] else f"mcts:iterations={data['iterations']}"  # by whom, before that was kept
    by, right = data.get("by", searched), tuple(data.get("right", ()))
    return Puzzle(**{**data, "start": tuple(data["start"]), "moves": moves, "right": right, "by": by})


@cache
def shipped() -> dict[str, Puzzle]:
    """All puzzles that come with the games, by their ids, the easiest first."""
    found: list[Puzzle] = []
    for name in registry.families():
        package = type(registry.game(name)).__module__
        file = resources.files(package.rpartition(".")[0]).joinpath("puzzles.json")
        if file.is_file():
            found += [from_json(each) for each in json.loads(file.read_text("utf-8"))["puzzles"]]
    return {puzzle.id: puzzle for puzzle in sorted(found, key=lambda each: (each.rating, each.id))}
