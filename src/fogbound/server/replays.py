"""Records from visitors, and games position by position for whoever looks at them again: bounded in size and time."""

from __future__ import annotations

import json
from typing import Any

from fogbound.core.errors import DamagedRecord, FogboundError
from fogbound.core.match import Match
from fogbound.core.record import Record, written
from fogbound.server.families import kept_drawing, safe_spec
from fogbound.server.limits import RECORD_MOVES


def from_stranger(body: bytes) -> Record:
    """A record that came over the network, not yet replayed: it must not name a file of the server, nor go on for ever."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        raise DamagedRecord("The body of the request is not JSON, or is nested too deeply.") from None
    if isinstance(data, dict) and isinstance(data.get("game"), str) and "definition" not in data:
        safe_spec(data["game"])
    if isinstance(data, dict) and isinstance(data.get("moves"), list):
        _check_length(len(data["moves"]))
    return written(data)


def _check_length(moves: int) -> None:
    if moves > RECORD_MOVES:
        raise FogboundError(
            f"This game has {moves:,} moves; the page shows games of up to {RECORD_MOVES:,}. "
            "`fogbound replay FILE --terminal` shows its record."
        )


def replay_bytes(record: Record, seat: int | None) -> bytes:
    """The replay as it goes out, so that nothing is left to do on the event loop."""
    _check_length(len(record.moves))
    return json.dumps(replay(record, seat), separators=(",", ":")).encode()


def replay(record: Record, seat: int | None = None) -> dict[str, Any]:
    """Every position and move: all revealed, or as one seat saw it at the time."""
    game = record.game
    if seat is not None and seat != -1:
        seat = game.seat(seat)
    positions = []
    for match in record.steps():
        positions.append(_position(match, seat))
    return {
        "spec": game.spec,
        "family": game.family,
        "seat_names": list(game.seat_names),
        "side_names": list(game.side_names),
        "side_of": list(game.side_of),
        "drawing": kept_drawing(game),
        "agents": list(record.agents),
        "positions": positions,
        "outcome": game.outcome(match.state) if match.over else None,
        "scores": list(match.scores()) if match.over else None,
    }


def _position(match: Match, seat: int | None) -> dict[str, Any]:
    game, last = match.game, match.last_seen(seat)
    state = match.state if seat is None else game.concealed(match.state, seat)
    move = (
        None if last is None else {"seat": last.seat, "text": game.describe(last.code), "details": game.details(last.code)}
    )
    return {"view": game.public(state), "to_move": match.to_move, "move": move}
