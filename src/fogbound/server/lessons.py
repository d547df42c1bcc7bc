"""Lessons for the page: their positions as the learner sees them, the right moves, and what comes of them."""

from __future__ import annotations

from typing import Any

from fogbound.core.lessons import Step
from fogbound.core.lessons import lesson as steps_of
from fogbound.server.families import board_json
from fogbound.server.positions import position_json


def lesson(family: str) -> dict[str, Any]:
    """All steps of a game's lesson, and the boards that they are played on."""
    steps = steps_of(family)
    games = {step.game: step.match().game for step in steps}
    return {
        "boards": {spec: board_json(game) for spec, game in games.items()},
        "steps": [_step_json(step) for step in steps],
    }


def _step_json(step: Step) -> dict[str, Any]:
    match = step.match()
    seat = match.to_move
    before = position_json(match, seat)
    codes = [match.game.code(move) for move in step.right]
    match.play(codes[0])
    return {"name": step.name, "game": step.game, "right": codes, "position": before, "after": position_json(match, seat)}
