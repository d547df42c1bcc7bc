"""An agent made for Kuhn poker."""

from __future__ import annotations

from fogbound.core.agent import Agent, Decision
from fogbound.core.rng import below
from fogbound.core.view import View
from fogbound_kuhn.rules import BET, PASS

BLUFFS = 3  # one of so many of the worst cards is a bluff


class Heuristic(Agent):
    """Calls with the better half of the cards, bets with the best, and bluffs with some of the worst."""

    name = "heuristic"
    about = "bets with high cards, and bluffs now and then"

    def decide(self, view: View) -> Decision:
        strength = view.state["card"][view.seat] / (self.game.table.cards - 1)  # type: ignore[attr-defined]
        answers = view.state["coins"][1 - view.seat] == 2
        if answers:
            return Decision(BET if strength >= 0.5 else PASS)
        bluffs = strength < 0.2 and below(self.rng, BLUFFS) == 0
        return Decision(BET if strength > 0.7 or bluffs else PASS)
