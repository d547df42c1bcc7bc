"""Puzzles for the page: a position as its seat sees it, and whether a move is the right one. Answers stay here."""

from __future__ import annotations

from typing import Any

from fogbound.core.errors import FogboundError
from fogbound.core.puzzles import Puzzle, shipped
from fogbound.server.families import board_json


def listed() -> list[dict[str, Any]]:
    """All puzzles, the easiest first, without their answers."""
    return [_head(puzzle) for puzzle in shipped().values()]


def _head(puzzle: Puzzle) -> dict[str, Any]:
    family = puzzle.game.partition("/")[0]
    return {"id": puzzle.id, "game": puzzle.game, "family": family, "rating": puzzle.rating, "exact": puzzle.exact}


def position(id: str) -> dict[str, Any]:
    """The position of a puzzle, through the eyes of the seat to move."""
    puzzle = _find(id)
    match = puzzle.match()
    game, view = match.game, match.view(match.to_move)
    moves = [
        {"number": number, "seat": seen.seat, "text": game.describe(seen.code), "details": game.details(seen.code)}
        for number, seen in enumerate(view.history)
    ]
    return {
        **_head(puzzle),
        "board": board_json(game),
        "position": {
            "view": game.public(view.state),
            "version": len(moves),
            "to_move": view.seat,
            "viewer_seat": view.seat,
            "expected": game.expected(view.state),
            "legal": [{"code": each.code, "text": each.text, "details": game.details(each.code)} for each in view.legal()],
            "history": moves,
            "mine": [view.seat],
            "seats": [{"seat": seat, "name": name} for seat, name in enumerate(game.seat_names)],
            "phase": "playing",
        },
    }


def answer(id: str, move: int) -> dict[str, Any]:
    """Whether a move is the right one, and what it and the best are worth."""
    puzzle = _find(id)
    match = puzzle.match()
    if move not in match.game.legal(match.view(match.to_move).state):
        raise FogboundError("That is no legal move of this puzzle.")
    return {
        "right": move == puzzle.best,
        "value": puzzle.values.get(str(move)),
        "best_value": puzzle.values.get(str(puzzle.best)),
        "best": match.game.describe(puzzle.best),
        "best_code": puzzle.best,
        "exact": puzzle.exact,
        "iterations": puzzle.iterations,
        "side": match.game.side_names[match.game.side_of[match.to_move]],
    }


def _find(id: str) -> Puzzle:
    found = shipped().get(id)
    if found is None:
        raise FogboundError("There is no such puzzle.")
    return found
