"""A finished game looked at again: what each move was worth, and which would have been better. In portions, so that
nobody waits long and no one holds a worker for long."""

from __future__ import annotations

import time
from typing import Any

from fogbound.core.judging import Judgement, judge
from fogbound.core.match import Match
from fogbound.core.record import Record

SECONDS = 4.0  # of a portion
ITERATIONS, MORE_ITERATIONS = 1500, 8000
SLIP = {True: 0.05, False: 0.12}  # from which loss on a move is worth a word: exact, and by search
MOST_JUDGED = 150  # of a game's moves; of a longer one only some are looked at


def review(record: Record, start: int) -> dict[str, Any]:
    """What is to be said about the moves from one on, and where to go on (None at the end)."""
    until = time.monotonic() + SECONDS
    stride = -(-len(record.moves) // MOST_JUDGED)
    found: list[dict[str, Any]] = []
    for number, match in enumerate(record.steps()):
        if number < start or number % stride or match.over:
            continue
        if number > start and time.monotonic() > until:
            return _told(record, found, number)
        found += _judged(match, number, record.moves[number].code) if number < len(record.moves) else []
    return _told(record, found, None)


def _told(record: Record, found: list[dict[str, Any]], after: int | None) -> dict[str, Any]:
    game = record.game
    return {
        "moves": found,
        "next": after,
        "whole": len(record.moves),
        "spec": game.spec,
        "family": game.family,
        "side_names": list(game.side_names),
        "seat_names": list(game.seat_names),
        "scores": None if record.scores is None else list(record.scores),
    }


def _judged(match: Match, number: int, played: int) -> list[dict[str, Any]]:
    view = match.view(match.to_move)
    found = judge(view, ITERATIONS)
    if found is None or found.value is None:
        return []
    if not found.exact and (found.loss(played) or 0.0) >= SLIP[False]:
        found = judge(view, MORE_ITERATIONS, seed=1) or found  # what is called a slip is looked at twice
    return [_line(match, number, played, found)]


def _line(match: Match, number: int, played: int, found: Judgement) -> dict[str, Any]:
    game = match.game
    loss = found.loss(played)
    return {
        "number": number,
        "seat": match.to_move,
        "side": game.side_of[match.to_move],
        "value": _rounded(found.value),
        "played": game.describe(played),
        "played_value": _rounded(found.values.get(played)),
        "best": game.describe(found.best),
        "loss": _rounded(loss),
        "slip": loss is not None and loss >= SLIP[found.exact],
        "exact": found.exact,
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
