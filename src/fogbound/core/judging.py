"""What each move of a position is worth to who has to move, from what he knows: exactly where a game is solved,
otherwise by search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fogbound.core import registry
from fogbound.core.view import View

LEAST_VISITS = 20  # below that a value says nothing


@dataclass(frozen=True)
class Judgement:
    """The worth of moves: the expected result of the side to move, in [0, 1]."""

    best: int
    values: Mapping[int, float]
    """Only of moves about which something can be said."""
    exact: bool

    @property
    def value(self) -> float | None:
        return self.values.get(self.best)

    def loss(self, code: int) -> float | None:
        """How much worse than the best a move is; None if nothing can be said."""
        best = self.value
        return None if best is None or code not in self.values else max(0.0, best - self.values[code])


def judge(view: View, iterations: int, seed: int = 0) -> Judgement | None:
    """The worth of the moves of the seat to move; None if it has no choice."""
    game = view.game
    if view.over or view.to_move != view.seat or len(game.legal(view.state)) < 2:
        return None
    return _exact(view) or _searched(view, iterations, seed)


def _exact(view: View) -> Judgement | None:
    place = registry.family(view.game.family).exact
    known = registry.fetch(place).exact(view) if place else None
    if not known or "moves" not in known:
        return None
    values = {move["code"]: move["value"] for move in known["moves"]}
    return Judgement(known["best"], values, True)


def _searched(view: View, iterations: int, seed: int) -> Judgement:
    side = view.game.side_of[view.seat]
    decision = registry.agent(f"mcts:iterations={iterations}", view.game, seed, side).choose(view)
    sure = {code: value for code, value in decision.values.items() if decision.visits.get(code, 0) >= LEAST_VISITS}
    return Judgement(decision.action, sure, False)
