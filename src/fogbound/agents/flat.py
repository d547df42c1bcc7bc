"""Flat Monte Carlo for any game: random playouts after each option, and the option with the most points.

A win counts 3 points, a tie 1, a loss 0. Every playout starts from a new determinization.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from pydantic import Field

from fogbound.core.agent import Agent, Decision, GameT, Options
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, program
from fogbound.core.contract import Rules
from fogbound.core.rng import below
from fogbound.core.view import View

WIN, TIE = 3.0, 1.0
NONE = -1
Option = tuple[int, int]  # a move, and the move that is to follow it (NONE: any)


class FlatOptions(Options):
    playouts: int = Field(200, ge=1, description="random playouts for each option")
    longest: int = Field(2000, ge=10, description="moves after which a playout that has not ended counts as a tie")
    improved: bool = Field(
        False, description="Empire: “or” cards as two options and wild cards at their best (elsewhere nothing changes)"
    )


class Flat(Agent[FlatOptions, GameT]):
    name = "flat"
    about = "flat Monte Carlo: random playouts after each option, 3 points a win, 1 a tie"
    source = "Lukáš 2024: flat Monte Carlo for Eight-Minute Empire"
    options_model = FlatOptions

    def prepare(self) -> None:
        self._run = playouts(self.game.rules, self.settle())

    def settle(self) -> Kernel:
        """What is done at the end of a playout before it is scored."""
        return as_it_is

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        return self.judge(view, [(move, NONE) for move in moves])

    def judge(self, view: View, options: Sequence[Option]) -> Decision:
        """Play out every option; a move's value is that of the best option that begins with it."""
        points = np.zeros(len(options))
        firsts, seconds = (np.array(column, np.int64) for column in zip(*options, strict=True))
        game, n = self.game, self.options.playouts
        state = np.array([view.state], game.rules.state)
        sizes = game.sides, game.most_actions, self.options.longest
        side = game.side_of[view.seat]
        self._run(game.table, state, view.seat, side, firsts, seconds, n, points, *sizes, self.rng, self.imagination)
        order = np.argsort(-points, kind="stable")
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        for i in order:
            values.setdefault(int(firsts[i]), float(points[i]) / (WIN * n))
            visits[int(firsts[i])] = visits.get(int(firsts[i]), 0) + n
        best = options[int(order[0])]
        return Decision(best[0], values, visits, line=best if best[1] != NONE else best[:1])


@kernel
def as_it_is(table, state, rng):
    return


@cache
def _playouts(legal: Kernel, apply: Kernel, to_move: Kernel, score: Kernel, imagine: Kernel, settle: Kernel) -> Kernel:
    @program
    def run(table, view, seat, side, firsts, seconds, n, points, sides, most_actions, longest, rng, imagination):
        out = np.empty(most_actions, np.int64)
        scores = np.zeros(sides)
        no_tape = np.zeros(0, np.int64)
        chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
        worlds = np.empty(1, view.dtype)
        for i in range(firsts.size):
            for _ in range(n):
                worlds[0] = view[0]
                world = worlds[0]
                imagine(table, world, seat, imagination)
                made = 0
                while to_move(world) >= 0 and made < longest:
                    if made == 0:
                        action = firsts[i]
                    elif made == 1 and seconds[i] != NONE:
                        action = seconds[i]
                    else:
                        action = out[below(rng, legal(table, world, out))]
                    apply(table, world, action, chance)
                    made += 1
                if to_move(world) >= 0:
                    points[i] += TIE
                    continue
                settle(table, world, rng)
                score(table, world, scores)
                if scores[side] == 1.0:
                    points[i] += WIN
                elif scores[side] > 0.0:
                    points[i] += TIE

    return run


def playouts(rules: Rules, settle: Kernel) -> Kernel:
    """The compiled playouts of a game."""
    return _playouts(rules.legal, rules.apply, rules.to_move, rules.score, rules.imagine, settle)
