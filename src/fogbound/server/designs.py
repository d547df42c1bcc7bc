"""Boards that visitors draw: checked, drawn, played on, and tried out for fairness. All in the workers, all bounded."""

from __future__ import annotations

import json
import re
from typing import Any

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.job import can_be_compiled
from fogbound.core.levels import levels
from fogbound.core.runner import play_set
from fogbound.core.seats import seat_agents
from fogbound.server.families import board_json

DESIGN_BYTES = 300_000
GAMES_AT_ONCE = 200  # of a trial
SLOW_GAMES_AT_ONCE = 12  # between players that are no compiled policies


def game_of(design: Any) -> Game:
    """The game on a board that somebody drew, as the JSON of a board file."""
    if not isinstance(design, dict) or not isinstance(design.get("game"), str):
        raise FogboundError('A board is one JSON object that says which game it is for, as in {"game": ...}.')
    if len(json.dumps(design)) > DESIGN_BYTES:
        raise FogboundError(f"A board can have {DESIGN_BYTES:,} bytes here.")
    game = registry.rebuild(design["game"], design)
    name = re.sub(r"[^\w-]+", "-", game.spec.partition("/")[2])[:40]
    game.spec = f"{game.family}/{name}.json"  # as a file's: its name says nothing about the board, its definition does
    return game


def checked(design: Any) -> dict[str, Any]:
    """What is wrong with a board, each mistake a line; or how it is drawn. Places are told as the editor knows them."""
    try:
        game = game_of(design)
    except BadFile as error:
        told = [f"{each.place}: {each.sentence}" if each.place else each.sentence for each in (error, *error.others)]
        return {"mistakes": told, "board": None}
    except FogboundError as error:
        return {"mistakes": [line for line in str(error).splitlines() if line.strip()], "board": None}
    return {"mistakes": [], "board": board_json(game)}


def trial(design: Any, strength: str, seed: int) -> dict[str, Any]:
    """Some games on a board between players of one strength: how often each side won."""
    game = game_of(design)
    ladder = {level.name: level.agent for level in levels(game)}
    if strength not in ladder:
        raise FogboundError(f"There is no level “{strength}”; the levels are {', '.join(ladder)}.")
    agents = [ladder[strength]]
    quick = can_be_compiled(seat_agents(game, agents))
    games = GAMES_AT_ONCE if quick else SLOW_GAMES_AT_ONCE
    results = list(play_set(game, agents, games, seed, workers=1))
    wins = [sum(result.scores[side] for result in results) for side in range(game.sides)]
    return {"games": games, "wins": wins, "sides": list(game.side_names), "moves": sum(each.moves for each in results)}
