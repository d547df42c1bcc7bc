"""A position that belongs to no table, as one seat sees it: of puzzles and lessons."""

from __future__ import annotations

from typing import Any

from fogbound.core.match import Match


def position_json(match: Match, seat: int) -> dict[str, Any]:
    """The same as a table sends its players, made through the seat's view alone."""
    game, view = match.game, match.view(seat)
    moves = [
        {"number": number, "seat": seen.seat, "text": game.describe(seen.code), "details": game.details(seen.code)}
        for number, seen in enumerate(view.history)
    ]
    return {
        "view": game.public(view.state),
        "version": len(moves),
        "to_move": view.to_move,
        "viewer_seat": seat,
        "expected": "" if view.over else game.expected(view.state),
        "legal": [{"code": each.code, "text": each.text, "details": game.details(each.code)} for each in view.legal()],
        "history": moves,
        "mine": [seat],
        "seats": [{"seat": number, "name": name} for number, name in enumerate(game.seat_names)],
        "phase": "over" if view.over else "playing",
    }
