"""A finished game, position by position, for whoever looks at it again."""

from __future__ import annotations

from typing import Any

from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.core.view import View


def replay(record: Record, seat: int | None = None) -> dict[str, Any]:
    """Every position and move: all revealed, or as one seat saw it at the time."""
    game = record.game
    match = record.replay(0)
    positions = [_position(match, seat)]
    for move in record.moves:
        match.play(move.code, chance=move.chance)
        positions.append(_position(match, seat))
    return {
        "spec": game.spec,
        "family": game.family,
        "seat_names": list(game.seat_names),
        "side_names": list(game.side_names),
        "side_of": list(game.side_of),
        "drawing": game.drawing(),
        "agents": list(record.agents),
        "positions": positions,
        "outcome": game.outcome(match.state) if match.over else None,
        "scores": list(match.scores()) if match.over else None,
    }


def _position(match: Match, seat: int | None) -> dict[str, Any]:
    view: View = match.revealed() if seat is None else match.view(seat)
    game = match.game
    last = view.history[-1] if view.history else None
    move = (
        None if last is None else {"seat": last.seat, "text": game.describe(last.code), "details": game.details(last.code)}
    )
    return {"view": game.public(view.state), "to_move": match.to_move, "move": move}
