"""Puzzles for the page: a position as its seat sees it, and whether a move is the right one. Answers stay here."""

from __future__ import annotations

from typing import Any

from fogbound.core.errors import FogboundError
from fogbound.core.puzzles import Puzzle, shipped
from fogbound.server.families import board_json
from fogbound.server.positions import position_json


def listed() -> list[dict[str, Any]]:
    """All puzzles, the easiest first, without their answers."""
    return [_head(puzzle) for puzzle in shipped().values()]


def _head(puzzle: Puzzle) -> dict[str, Any]:
    family = puzzle.game.partition("/")[0]
    return {
        "id": puzzle.id,
        "game": puzzle.game,
        "family": family,
        "rating": puzzle.rating,
        "exact": puzzle.exact,
        "goal": puzzle.goal,
    }


def position(id: str) -> dict[str, Any]:
    """The position of a puzzle, through the eyes of the seat to move."""
    puzzle = _find(id)
    match = puzzle.match()
    return {**_head(puzzle), "board": board_json(match.game), "position": position_json(match, match.to_move)}


def answer(id: str, move: int) -> dict[str, Any]:
    """Whether a move is the right one, and what it and the best are worth."""
    puzzle = _find(id)
    match = puzzle.match()
    if move not in match.game.legal(match.view(match.to_move).state):
        raise FogboundError("That is no legal move of this puzzle.")
    return {
        "right": puzzle.is_right(move),
        "value": puzzle.values.get(str(move)),
        "best_value": puzzle.values.get(str(puzzle.best)),
        "best": match.game.describe(puzzle.best),
        "best_code": puzzle.best,
        "exact": puzzle.exact,
        "iterations": puzzle.iterations,
        "by": puzzle.by,
        "side": match.game.side_names[match.game.side_of[match.to_move]],
    }


def _find(id: str) -> Puzzle:
    found = shipped().get(id)
    if found is None:
        raise FogboundError("There is no such puzzle.")
    return found
