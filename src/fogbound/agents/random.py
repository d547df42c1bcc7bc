"""The random player: every legal move is equally likely."""

from __future__ import annotations

from functools import cache

from fogbound.core.agent import PolicyAgent
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import below


class Random(PolicyAgent):
    name = "random"
    about = "plays any legal move, each equally likely"

    def compiled(self) -> Kernel:
        return uniform(self.game.rules.legal)


@cache
def uniform(legal: Kernel) -> Kernel:
    """The policy for a game with these legal moves."""

    @kernel
    def choose(table, params, view, seat, out, rng):
        return out[below(rng, legal(table, view, out))]

    return choose
