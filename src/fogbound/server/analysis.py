"""What the computer thinks of a position, from what one seat knows of it."""

from __future__ import annotations

from typing import Any

from fogbound.core import registry
from fogbound.core.agent import Decision
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.match import Match
from fogbound.core.registry import ExactValues
from fogbound.core.view import View

BUDGET = "seconds=1"
BESIDE_EXACT = "mcts:iterations=5000"  # where perfect play is known, or soon will be, a quick search is enough


def exact_values(game: Game) -> ExactValues | None:
    """What tells exact values of a game, if its family brings that."""
    place = registry.family(game.family).exact
    return registry.fetch(place) if place else None


def wait_until_solved(game: Game) -> None:
    """Wait as long as a game is being solved."""
    exact = exact_values(game)
    if exact is not None:
        exact.wait_until_solved(game)


def analyse(view: View, agent: str | None = None) -> dict[str, Any]:
    """Values and visits of the moves, the belief and the expected line; the view's seat is to move.

    They are what the strongest player says, or an agent of one's choice. On solved boards there are also the exact
    values, and then the strongest player's best move is that of perfect play.
    """
    game = view.game
    if view.to_move != view.seat or view.over:
        return {"moves": [], "belief": {}, "line": [], "value": None, "by": None, "exact": None}
    exact = exact_values(game)
    known = None if exact is None else exact.exact(view)  # a board that is to be solved is solved while the agent thinks
    side = game.side_of[view.seat]
    spec = agent or (registry.champion(game, side, BUDGET) if known is None else BESIDE_EXACT)
    decision = registry.agent(spec, game, side=side).choose(view)
    proved = None if exact is None else exact.exact(view)
    perfect = proved if proved and agent is None else {}
    best = perfect.get("best", _best(decision))
    belief = perfect.get("belief") or dict(decision.belief)
    return {
        "by": spec,
        "best": best,
        "why": [reason.json() for reason in view.why(best, belief)],
        "value": decision.values.get(decision.action),
        "moves": _moves(game, decision)[:12],
        "belief": belief,
        "line": [game.describe(code) for code in decision.line],
        "line_details": [game.details(code) for code in decision.line],
        "exact": proved,
    }


def _best(decision: Decision) -> int:
    """The move to advise: of a player who mixes its moves, the likeliest."""
    return max(decision.chances, key=lambda code: decision.chances[code], default=decision.action)


def _moves(game: Game, decision: Decision) -> list[dict[str, Any]]:
    """What the agent says of each move, the ones that it likes best first."""
    values = decision.values if len(decision.values) > 1 else {}  # a value of the position says nothing about other moves
    liked = decision.visits or decision.chances or values or {decision.action: 1}
    return [
        {
            "code": code,
            "text": game.describe(code),
            "details": game.details(code),
            "value": values.get(code),
            "visits": decision.visits.get(code),
            "chance": decision.chances.get(code),
        }
        for code in sorted(liked, key=lambda code: -liked[code])
    ]


def analyse_replay(match: Match, agent: str | None = None) -> dict[str, Any]:
    """The same of a record, as the seat that was to move; who has the record may also know what was hidden."""
    found = analyse(match.view(SPECTATOR if match.over else match.to_move), agent)
    proved, exact = found["exact"], exact_values(match.game)
    if exact is not None and proved is not None and "value" in proved:
        proved["revealed"] = exact.revealed(match.view(match.to_move), match.state)
    return found
