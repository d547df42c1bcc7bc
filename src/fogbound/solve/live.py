"""Exact values for a running game: from a stored solution, or solved in the background if that takes only seconds.

A value is computed from a view alone. Solving happens in a process of its own, so that nobody at a table waits for it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any

from fogbound.core.contract import Game, State
from fogbound.core.errors import FogboundError
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve import estimate, store
from fogbound.solve.api import DEFAULT_TOLERANCE
from fogbound.solve.play import Advice, Adviser
from fogbound.solve.solver import Solution

SECONDS = 10.0  # a game that takes longer, by the estimate, is not solved for an analysis
BYTES = 1e9
MAX_NODES = 1 << 12  # of a subgame: a larger one would keep an analysis waiting
FILE_BYTES = 32_000_000  # a larger stored solution is not loaded
MAX_LOADED = 4  # solutions in memory
PATIENCE = 300.0  # seconds after which solving is abandoned
WAITING = 8  # games that may wait to be solved
PROGRAM = """
import json, sys
from fogbound.core import registry
from fogbound.solve.api import solve
solve(registry.rebuild("scotland-yard", json.load(sys.stdin)))
"""

_lock = threading.Lock()
_advisers: dict[str, Adviser] = {}
_solving: dict[str, threading.Event] = {}
_hopeless: set[str] = set()
_one_at_a_time = threading.Lock()


def exact(view: View) -> dict[str, Any] | None:
    """The exact value of the position of a seat to move, from what it knows; None if it is unknown.

    While the game is being solved: `{"solving": True}`.
    """
    game = view.game
    if not isinstance(game, ScotlandYard) or view.over or view.to_move != view.seat:
        return None
    found = _adviser(game)
    if found is None and _key(game) in _solving:
        return {"solving": True}
    found = found or _adviser(game)  # it may have been solved just now
    if found is None:
        return None
    try:
        with _lock:
            advice = found.advise(view)
    except FogboundError:  # a position that the solved game cannot reach, as in a record made by hand
        return None
    return _told(game, view, advice, found)


def wait_until_solved(game: Game) -> None:
    """Wait as long as a game is being solved."""
    event = _solving.get(_key(game)) if isinstance(game, ScotlandYard) else None
    if event is not None:
        event.wait(PATIENCE)


def revealed(view: View, true_state: State) -> float | None:
    """The probability that the detectives win from where Mr X really is, to be told after the game."""
    game, station = view.game, int(true_state["station"][0])
    found = _adviser(game) if isinstance(game, ScotlandYard) and not view.over else None
    if found is None:
        return None
    try:
        with _lock:
            return _rounded(found.value_with(view, station))
    except FogboundError:
        return None


def _told(game: ScotlandYard, view: View, advice: Advice, adviser: Adviser) -> dict[str, Any]:
    ours = 1 if view.seat > 0 else 0
    order = sorted(advice.chances, key=lambda code: (-advice.chances[code], code))
    return {
        "value": _rounded(advice.value),
        "tolerance": adviser.solution.tolerance,
        "best": order[0],
        "moves": [
            {
                "code": code,
                "text": game.describe(code),
                "details": game.details(code),
                "value": _rounded(_for(ours, advice.values[code])),
                "share": _rounded(advice.chances[code]),
            }
            for code in order
        ],
        "belief": _belief(game, advice.belief) if ours else {},
    }


def _for(side: int, value: float) -> float:
    return value if side else 1 - value


def _belief(game: ScotlandYard, belief: Mapping[int, float]) -> dict[str, float]:
    return {str(game.numbers[station]): _rounded(chance) for station, chance in belief.items()}


def _rounded(value: float) -> float:
    return round(min(1.0, max(0.0, float(value))), 5)


def _key(game: ScotlandYard) -> str:
    return store.path(game).stem


def _adviser(game: ScotlandYard) -> Adviser | None:
    """Perfect play of a solved game; if it is not solved but small, solving begins."""
    key = _key(game)
    with _lock:
        if key in _advisers:
            return _advisers[key]
        if key in _solving or key in _hopeless:
            return None
        solution = _load(game)
        if solution is not None:
            while len(_advisers) >= MAX_LOADED:
                del _advisers[next(iter(_advisers))]
            _advisers[key] = Adviser(solution)
            return _advisers[key]
        if len(_solving) >= WAITING:
            return None
        if not _is_small(game):
            _hopeless.add(key)
            return None
        _solving[key] = threading.Event()
    threading.Thread(target=_solve, args=(game, key), daemon=True).start()
    return None


def _load(game: ScotlandYard) -> Solution | None:
    path = store.path(game)
    if not path.exists() or path.stat().st_size > FILE_BYTES:
        return None
    return store.load(game, DEFAULT_TOLERANCE)


def _is_small(game: ScotlandYard) -> bool:
    size = estimate.estimate(game, MAX_NODES)
    return size.seconds <= SECONDS and size.bytes <= BYTES


def _solve(game: ScotlandYard, key: str) -> None:
    """Solve a game in another process, which stores the solution on disk."""
    with _one_at_a_time:
        try:
            definition = json.dumps(game.definition())
            subprocess.run(
                [sys.executable, "-c", PROGRAM],
                input=definition.encode(),
                timeout=PATIENCE,
                check=False,
                capture_output=True,
            )
        except (OSError, subprocess.TimeoutExpired):
            pass
    with _lock:
        if not store.path(game).exists():
            _hopeless.add(key)
        _solving.pop(key).set()


__all__ = ["exact", "revealed", "wait_until_solved"]
