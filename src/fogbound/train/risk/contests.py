"""Compiled games that give the fitness of five nets, against opponents of one kind.

All candidates of a generation play the same games (the same maps, seats and dice), so that
only their play makes a difference.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fogbound.agents.risk.net import choose
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, outlined, program
from fogbound.games.risk.rules import apply, conceal, reset
from fogbound.games.risk.table import State, held


@outlined
def _play(table, state, action, chance):
    apply(table, state, action, chance)


@outlined
def _mine(table, params, view, seat, out, rng):
    return choose(table, params, view, seat, out, rng)


@cache
def contest(policy: Kernel) -> Kernel:
    """A compiled function: games of the nets against players of this policy on all other seats."""

    @outlined
    def theirs_choose(table, params, view, seat, out, rng):
        return policy(table, params, view, seat, out, rng)

    @program
    def compete(table, mine, theirs, chance_rng, rng, first_seat, most_actions, wins, shares):
        """For each game: whether the nets won alone and in time, and their mean share of the territories after a round."""
        states = np.zeros(2, State)
        state, view = states[0], states[1]
        out = np.empty(most_actions, np.int64)
        no_tape, cursor = np.zeros(0, np.int64), np.zeros(3, np.int64)
        for game in range(wins.size):
            chance = Chance(chance_rng[game], no_tape, no_tape, cursor)
            reset(table, state, chance)
            own = (first_seat + game) % table.players
            before, total, rounds = 0, 0.0, 0
            while state.turn >= 0:
                seat = np.int64(state.turn)
                states[1] = states[0]
                conceal(table, view, seat)
                if seat == own:
                    action = _mine(table, mine, view, seat, out, rng[game])
                else:
                    action = theirs_choose(table, theirs, view, seat, out, rng[game])
                _play(table, state, action, chance)
                if state.round != before:
                    before = state.round
                    total += held(state, own) / table.territories
                    rounds += 1
            won = np.int64(state.winners) == np.int64(1) << own
            in_time = table.round_limit == 0 or state.round <= table.round_limit
            wins[game] = 1.0 if won and in_time else 0.0
            shares[game] = 1.0 if won else total / max(1, rounds)

    return compete
