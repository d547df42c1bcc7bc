"""What the computer thinks of a position, from what one seat knows of it."""

from __future__ import annotations

from typing import Any

from fogbound.core import registry
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.match import Match
from fogbound.core.registry import ExactValues
from fogbound.core.view import View

THINKERS = ("mcts:iterations=20000", "heuristic", "random")  # the first that can play the game


def thinker(game: Game) -> str:
    known = registry.agents(game)
    return next(spec for spec in THINKERS if spec.partition(":")[0] in known)


def exact_values(game: Game) -> ExactValues | None:
    """What tells exact values of a game, if its family brings that."""
    place = registry.family(game.family).exact
    return registry.fetch(place) if place else None


def wait_until_solved(game: Game) -> None:
    """Wait as long as a game is being solved."""
    exact = exact_values(game)
    if exact is not None:
        exact.wait_until_solved(game)


def analyse(view: View) -> dict[str, Any]:
    """Values and visits of the moves, the belief and the expected line; the view's seat is to move.

    On solved boards also the exact values, and then the best move is that of perfect play.
    """
    game = view.game
    if view.to_move != view.seat or view.over:
        return {"moves": [], "belief": {}, "line": [], "value": None, "by": None, "exact": None}
    exact = exact_values(game)
    if exact is not None:
        exact.exact(view)  # a board that is to be solved is being solved while the thinker thinks
    spec = thinker(game)
    decision = registry.agent(spec, game, side=game.side_of[view.seat]).choose(view)
    proved = None if exact is None else exact.exact(view)
    codes = sorted(decision.visits or decision.values, key=lambda code: -decision.visits.get(code, 0))
    moves = [
        {"code": code, "text": game.describe(code), "value": decision.values.get(code), "visits": decision.visits.get(code)}
        for code in codes or [decision.action]
    ]
    return {
        "by": spec,
        "best": proved["best"] if proved and "best" in proved else decision.action,
        "value": decision.values.get(decision.action),
        "moves": moves[:12],
        "belief": (proved or {}).get("belief") or dict(decision.belief),
        "line": [game.describe(code) for code in decision.line],
        "exact": proved,
    }


def analyse_replay(match: Match) -> dict[str, Any]:
    """The same of a record, as the seat that was to move; who has the record may also know what was hidden."""
    found = analyse(match.view(SPECTATOR if match.over else match.to_move))
    proved, exact = found["exact"], exact_values(match.game)
    if exact is not None and proved is not None and "value" in proved:
        proved["revealed"] = exact.revealed(match.view(match.to_move), match.state)
    return found
