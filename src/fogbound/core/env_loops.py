"""The compiled loops of an environment: each goes once over all rows, and holds no GIL."""

from __future__ import annotations

from functools import cache

import numpy as np

from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, program
from fogbound.core.contract import Rules
from fogbound.core.encoding import Encoding
from fogbound.core.rng import begin


def acting(rules: Rules, encoding: Encoding) -> Kernel:
    """A compiled function that plays the learner's move in every row; a row with a negative one is given up."""
    return _acting(rules.legal, rules.apply, encoding.number)


@cache
def _acting(legal: Kernel, apply: Kernel, number: Kernel) -> Kernel:
    @program
    def act(table, states, chance_rng, actions, forfeits, most_actions):
        codes = np.empty(most_actions, np.int64)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(states.size):
            if actions[g] < 0:
                forfeits[g] = True
                continue
            count = legal(table, states[g], codes)
            for rank in range(count):
                if number(table, codes[rank], rank) == actions[g]:
                    apply(table, states[g], codes[rank], Chance(chance_rng[g], no_tape, no_tape, cursor))
                    break

    return act


def driving(rules: Rules, policy: Kernel) -> Kernel:
    """A compiled function that plays all moves that one opponent can make now."""
    return _driving(rules.to_move, rules.conceal, rules.apply, policy)


@cache
def _driving(to_move: Kernel, conceal: Kernel, apply: Kernel, policy: Kernel) -> Kernel:
    @program
    def drive(table, params, states, plays, side_of, who, rng, chance_rng, most_actions):
        out = np.empty(most_actions, np.int64)
        view = np.empty(1, states.dtype)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(states.size):
            seat = to_move(states[g])
            while seat >= 0 and plays[seat] == who:
                view[0] = states[g]
                conceal(table, view[0], seat)
                action = policy(table, params, view[0], seat, out, rng[side_of[seat], g])
                apply(table, states[g], action, Chance(chance_rng[g], no_tape, no_tape, cursor))
                seat = to_move(states[g])

    return drive


def settling(rules: Rules, encoding: Encoding) -> Kernel:
    """A compiled function that ends and begins matches, and counts the rows where an opponent is to move.

    A match that is over before the learner was asked anything is nobody's: the next one begins.
    """
    return _settling(rules.to_move, rules.reset, rules.score, rules.conceal, encoding.write)


@cache
def _settling(to_move: Kernel, reset: Kernel, score: Kernel, conceal: Kernel, write: Kernel) -> Kernel:
    @program
    def settle(
        table,
        states,
        blank,
        chance_rng,
        rng,
        bases,
        numbers,
        stride,
        seen,
        forfeits,
        plays,
        side_of,
        rewards,
        done,
        final,
        viewer,
        fresh,
    ):
        sides = bases.shape[0] - 1
        scores = np.empty(sides)
        view = np.empty(1, states.dtype)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        waiting = 0
        for g in range(states.size):
            seat = np.int64(-1) if fresh else to_move(states[g])
            while seat < 0 or forfeits[g]:
                if seen[g]:
                    if forfeits[g]:
                        scores[:] = 1.0 / max(1, sides - 1)
                        scores[side_of[seat]] = 0.0
                    else:
                        scores[:] = 0.0
                        score(table, states[g], scores)
                    for s in range(side_of.size):
                        rewards[g, s] = (scores[side_of[s]] * sides - 1.0) / max(1, sides - 1)
                    done[g] = True
                    if final.shape[0] > 0:
                        view[0] = states[g]
                        conceal(table, view[0], viewer)
                        final[g, :] = 0.0
                        write(table, view[0], viewer, final[g])
                forfeits[g] = False
                seen[g] = False
                numbers[g] += stride
                begin(chance_rng[g], bases[sides], numbers[g])
                for side in range(sides):
                    begin(rng[side, g], bases[side], numbers[g])
                states[g] = blank[0]
                reset(table, states[g], Chance(chance_rng[g], no_tape, no_tape, cursor))
                seat = to_move(states[g])
            if plays[seat] >= 0:
                waiting += 1
        return waiting

    return settle


def observing(rules: Rules, encoding: Encoding) -> Kernel:
    """A compiled function that tells the learner every row: what the seat to move sees, and its legal moves."""
    return _observing(rules.to_move, rules.legal, rules.conceal, encoding.number, encoding.write)


@cache
def _observing(to_move: Kernel, legal: Kernel, conceal: Kernel, number: Kernel, write: Kernel) -> Kernel:
    @program
    def observe(table, states, views, observations, mask, seats, seen, most_actions):
        codes = np.empty(most_actions, np.int64)
        for g in range(states.size):
            seat = to_move(states[g])
            views[g] = states[g]
            conceal(table, views[g], seat)
            observations[g, :] = 0.0
            write(table, views[g], seat, observations[g])
            mask[g, :] = False
            count = legal(table, views[g], codes)
            for rank in range(count):
                mask[g, number(table, codes[rank], rank)] = True
            seats[g] = seat
            seen[g] = True

    return observe
