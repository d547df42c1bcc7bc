"""Flat Monte Carlo in Eight-Minute Empire, as it was first played and improved.

Plain, a random game ends with each wild card as a good drawn by lot, and an “or” card is
judged apart from the action it will be used for. Improved, wild cards count as what is
best, and such a card is one option for each of its actions, which is then remembered.
"""

from __future__ import annotations

import numpy as np

from fogbound.agents.flat import NONE, Flat, Option, as_it_is
from fogbound.core.agent import Decision
from fogbound.core.chance import untaped
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import below
from fogbound.core.view import View
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import CHOOSING, DONE, KIND_SHIFT, TAKING, WILD, goods_of


class FlatEmpire(Flat[Empire]):
    def prepare(self) -> None:
        super().prepare()
        self._then: Option | None = None  # the history's length when the second half of an option is due, and it
        self._blank_chance = untaped(np.ones(4, np.uint64))

    def settle(self) -> Kernel:
        return as_it_is if self.options.improved else wilds_by_lot

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if not self.options.improved or len(moves) == 1:
            return super().decide(view)
        if self._then and self._then[0] == len(view.history) and self._then[1] in moves:
            return Decision(self._then[1], line=(self._then[1],))
        if view.state["phase"] != TAKING:
            return super().decide(view)
        options = [option for move in moves for option in self._uses(view, move)]
        if len(options) == 1:
            return Decision(moves[0], line=(moves[0],))
        decision = self.judge(view, options)
        self._then = (len(view.history) + 1, decision.line[1]) if len(decision.line) > 1 else None
        return decision

    def _uses(self, view: View, move: int) -> list[Option]:
        """The options that begin with a card: one for each action of an “or” card that can be used."""
        after = view.state.copy()
        self.game.rules.apply(self.game.table, after, move, self._blank_chance)
        if after["phase"] != CHOOSING or after["turn"] != view.seat:
            return [(move, NONE)]
        return [(move, use) for use in self.game.legal(after) if use != DONE << KIND_SHIFT]


@kernel
def wilds_by_lot(table, state, rng):
    """Make every wild card a good drawn by lot, out of those that the rules allow."""
    for seat in range(table.players):
        while state.goods[seat, WILD] > 0:
            state.goods[seat, WILD] -= 1
            allowed = 0
            for good in range(WILD):
                allowed += not table.wild_owned or goods_of(table, state, seat, good) > 0
            if allowed == 0:
                continue
            rank = below(rng, allowed)
            for good in range(WILD):
                if not table.wild_owned or goods_of(table, state, seat, good) > 0:
                    if rank == 0:
                        state.goods[seat, good] += 1
                        break
                    rank -= 1
