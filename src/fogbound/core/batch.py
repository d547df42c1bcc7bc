"""Many games at once in compiled code, for agents that are compiled policies.

Games advance side by side: each policy's driver plays all moves of its side in every
game of the batch, then the next side's driver goes on. So a driver is compiled once a
policy, not once a pairing. A policy sees a concealed copy only, exactly as a Python
agent does, and the same seeds give the same games as `Match` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.agent import PolicyAgent, choices_of
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, program
from fogbound.core.contract import Game, Rules
from fogbound.core.streams import root, spread


@dataclass(frozen=True)
class BatchResult:
    scores: NDArray[np.float64]  # a row a game, a column a side
    moves: NDArray[np.int64]  # a game
    states: NDArray[Any]  # how each game ended


def play_batch(
    game: Game, agents: Sequence[PolicyAgent], seed: int, first: int, count: int, starts: Sequence[Sequence[int]] = ()
) -> BatchResult:
    """Play games `first` to `first + count - 1` of a seed to their ends."""
    states = np.zeros(count, game.rules.state)
    chance_words = spread(root(seed, "game"), first, count)
    given = np.array(starts if len(starts) else np.zeros((0, 0)), np.int64)
    starter(game.rules.reset)(game.table, states, chance_words, given)
    side_of = np.array(game.side_of, np.int64)
    moves = np.zeros(count, np.int64)
    words = [spread(root(seed, choices_of(side)), first, count) for side in range(game.sides)]
    active = count
    while active:
        active = 0
        for side, agent in enumerate(agents):
            drive = driver(game.rules, agent.policy)
            args = (states, side_of, side, words[side], chance_words, moves, game.most_actions)
            active += drive(game.table, agent.policy_params, *args)
    scores = np.zeros((count, game.sides))
    scorer(game.rules.score)(game.table, states, scores)
    return BatchResult(scores, moves, states)


@cache
def starter(reset: Kernel) -> Kernel:
    """A compiled function that sets up every game of a batch."""

    @program
    def start(table, states, words, given):
        sizes = np.zeros(given.shape[1], np.int64)
        tape = np.zeros(given.shape[1], np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(states.size):
            cursor[0] = 0
            cursor[1] = given.shape[1]
            if given.shape[1] > 0:
                tape[:] = given[g]
            reset(table, states[g], Chance(words[g], tape, sizes, cursor))

    return start


@cache
def scorer(score: Kernel) -> Kernel:
    """A compiled function that scores every game of a batch."""

    @program
    def score_all(table, states, scores):
        for g in range(states.size):
            score(table, states[g], scores[g])

    return score_all


def driver(rules: Rules, policy: Kernel) -> Kernel:
    """A compiled function that plays all moves a side can make now, in every game of a batch."""
    return _driver(rules.to_move, rules.conceal, rules.apply, policy)


@cache
def _driver(to_move: Kernel, conceal: Kernel, apply: Kernel, policy: Kernel) -> Kernel:
    @program
    def drive(table, params, states, side_of, side, words, chance_words, moves, most_actions):
        out = np.empty(most_actions, np.int64)
        view = np.empty(1, states.dtype)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        active = 0
        for g in range(states.size):
            seat = to_move(states[g])
            while seat >= 0 and side_of[seat] == side:
                view[0] = states[g]
                conceal(table, view[0], seat)
                action = policy(table, params, view[0], seat, out, words[g])
                apply(table, states[g], action, Chance(chance_words[g], no_tape, no_tape, cursor))
                moves[g] += 1
                seat = to_move(states[g])
            if seat >= 0:
                active += 1
        return active

    return drive
