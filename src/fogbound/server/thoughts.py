"""What a server sends to its thinkers, as JSON: views, which hold what a seat knows, and records of finished games."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fogbound.core import registry
from fogbound.core.contract import Game, State
from fogbound.core.match import Move
from fogbound.core.record import Record
from fogbound.core.view import Seen, View

_definitions: WeakKeyDictionary[Game, str] = WeakKeyDictionary()


def game_json(game: Game) -> list[Any]:
    if game not in _definitions:
        _definitions[game] = json.dumps(game.definition())
    return [game.spec, _definitions[game], game.shipped]


def view_json(view: View) -> dict[str, Any]:
    return {
        "game": game_json(view.game),
        "seat": view.seat,
        "state": _bytes(view.state),
        "start": _bytes(view.start),
        "history": [[seen.seat, seen.code] for seen in view.history],
    }


def view_from(data: dict[str, Any]) -> View:
    game = _game(*data["game"])
    history = tuple(Seen(seat, code) for seat, code in data["history"])
    return View(game, data["seat"], _state(game, data["state"]), history, _state(game, data["start"]))


def _bytes(state: State) -> str:
    return b64encode(state.tobytes()).decode()


def _state(game: Game, text: str) -> State:
    state: State = np.frombuffer(b64decode(text), game.rules.state).copy()[0]
    return state


def saved_json(record: Record) -> dict[str, Any]:
    """A record as the server has it; what it lacks for a file takes as long as playing it again."""
    moves = [[move.seat, move.code, move.chance] for move in record.moves]
    game = game_json(record.game)
    return {"game": game, "agents": record.agents, "start": record.start, "moves": moves, "scores": record.scores}


def saved_from(data: dict[str, Any]) -> Record:
    moves = tuple(Move(seat, code, tuple(chance)) for seat, code, chance in data["moves"])
    agents, start, scores = (tuple(data[name]) for name in ("agents", "start", "scores"))
    return Record(_game(*data["game"]), 0, 0, agents, start, moves, scores)


def game_from(data: list[Any]) -> Game:
    return _game(*data)


@lru_cache(maxsize=64)
def _game(spec: str, definition: str, shipped: bool) -> Game:
    game = registry.rebuild(spec.partition("/")[0], json.loads(definition))
    game.spec, game.shipped = spec, shipped
    return game
