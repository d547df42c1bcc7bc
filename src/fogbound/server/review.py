"""A finished game looked at again: what each move was worth, and which would have been better. In portions, so that
nobody waits long and no one holds a worker for long."""

from __future__ import annotations

import hashlib
import inspect
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import fogbound
from fogbound.core.compiled import cache_folder, source_digest
from fogbound.core.files import keep_text
from fogbound.core.judging import Judgement, judge, judge_of
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.core.view import View
from fogbound.server.analysis import exact_values
from fogbound.server.families import kept_drawing
from fogbound.server.thoughts import saved_json

SECONDS = 4.0  # of a portion
LOOK, SECOND_LOOK = 1, 5  # effort
SLIP = {True: 0.05, False: 0.12}  # from which loss on a move is worth a word: exact, and by search
REVIEWS_KEPT = 1000  # the oldest make room
MOST_JUDGED = 150  # of a game's moves; of a longer one only some are looked at


def review(record: Record, start: int) -> dict[str, Any]:
    """What is to be said about the moves from one on, and where to go on (None at the end).

    What was found is kept on disk, so that whoever looks at the same game again sees it at once.
    """
    file = _file(record)
    known = _read(file)
    found, after = _lines(record, start, known)
    with suppress(OSError):
        if len(known) > len(_read(file)):
            keep_text(file, json.dumps(known), REVIEWS_KEPT)
    return _told(record, found, after)


def _lines(record: Record, start: int, known: dict[str, list[dict[str, Any]]]) -> tuple[list[dict[str, Any]], int | None]:
    """The lines from a move on, as far as they are known or the time goes, and the move to go on with."""
    until = time.monotonic() + SECONDS
    stride = max(1, -(-len(record.moves) // MOST_JUDGED))
    found: list[dict[str, Any]] = []
    for number, match in enumerate(record.steps()):
        if number < start or number % stride or match.over or number == len(record.moves):
            continue
        if str(number) not in known:
            if number > start and time.monotonic() > until:
                return found, number
            lines = _judged(match, number, record.moves[number].code)
            if _is_solving(match.view(match.to_move)):  # the exact value will be known another time
                found += lines
                continue
            known[str(number)] = lines
        found += known[str(number)]
    return found, None


def _file(record: Record) -> Path:
    """Where the review of a game is kept: of its rules and moves, by this edition of rules, review and judges."""
    saved = {**saved_json(record), "agents": None}
    game = record.game
    judges = [judge_of(game, side, 1) for side in range(game.sides)]
    edition = fogbound.__version__, source_digest(__file__), source_digest(inspect.getfile(type(game))), judges
    return cache_folder() / "reviews" / f"{hashlib.sha256(json.dumps([edition, saved]).encode()).hexdigest()[:32]}.json"


def _is_solving(view: View) -> bool:
    exact = exact_values(view.game)
    return exact is not None and exact.exact(view) == {"solving": True}


def _read(file: Path) -> dict[str, list[dict[str, Any]]]:
    with suppress(OSError, ValueError):
        return dict(json.loads(file.read_text("utf-8")))
    return {}


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
        "side_of": list(game.side_of),
        "drawing": kept_drawing(game),
        "scores": None if record.scores is None else list(record.scores),
    }


def _judged(match: Match, number: int, played: int) -> list[dict[str, Any]]:
    view = match.view(match.to_move)
    found = judge(view, LOOK)
    if found is None or found.value is None:
        return []
    loss = found.loss(played)
    if not found.exact and (loss is None or loss >= SLIP[False]):
        found = judge(view, SECOND_LOOK, seed=1) or found  # what is called a slip, or was hardly tried, is looked at twice
    return [_line(match, number, played, found)]


def _line(match: Match, number: int, played: int, found: Judgement) -> dict[str, Any]:
    game = match.game
    loss = found.loss(played)
    slip = loss is not None and loss >= SLIP[found.exact]
    words = {  # what the page needs to tell of the slip in the reader's language
        "played_details": game.details(played),
        "best_details": game.details(found.best),
        "view": game.public(match.view(match.to_move).state),
    }
    return {
        "number": number,
        "seat": match.to_move,
        "side": game.side_of[match.to_move],
        "value": _rounded(found.value),
        "played": game.describe(played),
        "played_value": _rounded(found.values.get(played)),
        "best": game.describe(found.best),
        "loss": _rounded(loss),
        "slip": slip,
        "exact": found.exact,
        "by": found.by,
        **(words if slip else {}),
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(float(value), 4)
