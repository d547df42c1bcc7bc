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

    def match(self) -> Match:
        """The position."""
        match = Match(registry.game(self.game), 0, start=self.start)
        for _seat, code, chance in self.moves:
            match.play(code, chance=tuple(chance))
        return match

    def json(self) -> dict[str, Any]:
        return asdict(self)


def moves_of(moves: Sequence[Move]) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    return tuple((move.seat, move.code, tuple(move.chance)) for move in moves)


def from_json(data: Mapping[str, Any]) -> Puzzle:
    moves = tuple((seat, code, tuple(chance)) for seat, code, chance in data["moves"])
    return Puzzle(**{**data, "start": tuple(data["start"]), "moves": moves})


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
