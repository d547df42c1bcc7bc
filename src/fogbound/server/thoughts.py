"""Views on their way between a server and its thinkers: what a seat knows, as JSON, and nothing else."""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.view import Seen, View

_definitions: WeakKeyDictionary[Game, str] = WeakKeyDictionary()


def view_json(view: View) -> dict[str, Any]:
    game = view.game
    if game not in _definitions:
        _definitions[game] = json.dumps(game.definition())
    return {
        "game": [game.spec, _definitions[game], game.shipped],
        "seat": view.seat,
        "state": b64encode(view.state.tobytes()).decode(),
        "history": [[seen.seat, seen.code] for seen in view.history],
    }


def view_from(data: dict[str, Any]) -> View:
    game = _game(*data["game"])
    state = np.frombuffer(b64decode(data["state"]), game.rules.state).copy()[0]
    return View(game, data["seat"], state, tuple(Seen(seat, code) for seat, code in data["history"]))


@lru_cache(maxsize=64)
def _game(spec: str, definition: str, shipped: bool) -> Game:
    game = registry.rebuild(spec.partition("/")[0], json.loads(definition))
    game.spec, game.shipped = spec, shipped
    return game
