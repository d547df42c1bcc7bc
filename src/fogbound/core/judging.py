"""What each move of a position is worth to who has to move, from what he knows: exactly where a game is solved,
otherwise by the judge that the game names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.view import View

LEAST_VISITS = 20  # below that a value says nothing


@dataclass(frozen=True)
class Judgement:
    """The worth of moves: the expected result of the side to move, in [0, 1]."""

    best: int
    values: Mapping[int, float]
    """Only of moves about which something can be said."""
    by: str
    """The spec of the agent that found them; empty where they are exact."""

    @property
    def exact(self) -> bool:
        return not self.by

    @property
    def value(self) -> float | None:
        return self.values.get(self.best)

    def loss(self, code: int) -> float | None:
        """How much worse than the best a move is; None if nothing can be said."""
        best = self.value
        return None if best is None or code not in self.values else max(0.0, best - self.values[code])


def judge(view: View, effort: int = 1, seed: int = 0) -> Judgement | None:
    """The worth of the moves of the seat to move; None if it has no choice. A look of effort 5 is five times as long."""
    game = view.game
    if view.over or view.to_move != view.seat or len(game.legal(view.state)) < 2:
        return None
    return _exact(view) or _searched(view, effort, seed)


def _exact(view: View) -> Judgement | None:
    place = registry.family(view.game.family).exact
    known = registry.fetch(place).exact(view) if place else None
    if not known or "moves" not in known:
        return None
    values = {move["code"]: move["value"] for move in known["moves"]}
    return Judgement(known["best"], values, "")


def judge_of(game: Game, side: int, effort: int) -> str:
    """The spec of the agent that says what every move of a side is worth: the game's own, or plain search."""
    place = registry.family(game.family).judge
    own: str = registry.fetch(place)(game, side, effort) if place else _search(effort)
    return own


def _search(effort: int) -> str:
    return f"mcts:iterations={1500 * effort}"


def _searched(view: View, effort: int, seed: int) -> Judgement:
    """By the game's judge; by plain search where that one has nothing to say, as about a bid."""
    found = _by(judge_of(view.game, view.game.side_of[view.seat], effort), view, seed)
    return found if found.values else _by(_search(effort), view, seed)


def _by(spec: str, view: View, seed: int) -> Judgement:
    side = view.game.side_of[view.seat]
    decision = registry.agent(spec, view.game, seed, side).choose(view)
    visits = decision.visits  # of a value that was worked out and not sampled there are none
    sure = {code: value for code, value in decision.values.items() if visits.get(code, LEAST_VISITS) >= LEAST_VISITS}
    return Judgement(decision.action, sure, spec)
