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
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.agent import PolicyAgent, choices_of
from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, program
from fogbound.core.contract import Game, Rules
from fogbound.core.rng import root, spread

ROOM = 256  # moves of a game that a log has room for at first
NO_LOG = np.zeros((1, 0), np.int64)


@dataclass(frozen=True)
class BatchResult:
    scores: NDArray[np.float64]  # a row a game, a column a side
    moves: NDArray[np.int64]  # a game
    states: NDArray[Any]  # how each game ended
    codes: NDArray[np.int64]  # every move of every game, one game after another; empty unless asked for
    side_moves: tuple[int, ...]  # moves that each side made in all games
    side_seconds: tuple[float, ...]  # and how long that took


def play_batch(
    game: Game,
    agents: Sequence[PolicyAgent],
    seed: int,
    first: int,
    count: int,
    starts: Sequence[Sequence[int]] = (),
    keep_moves: bool = False,
) -> BatchResult:
    """Play games `first` to `first + count - 1` of a seed to their ends."""
    states = np.zeros(count, game.rules.state)
    chance_rng = spread(root(seed, "game"), first, count)
    given = np.array(starts if len(starts) else np.zeros((0, 0)), np.int64)
    starter(game.rules.reset)(game.table, states, chance_rng, given)
    side_of = np.array(game.side_of, np.int64)
    moves = np.zeros(count, np.int64)
    rng = [spread(root(seed, choices_of(side)), first, count) for side in range(game.sides)]
    log = np.empty((count, ROOM), np.int64) if keep_moves else NO_LOG
    side_moves, side_seconds, played = [0] * game.sides, [0.0] * game.sides, 0
    active = count
    while active:
        active = 0
        for side, agent in enumerate(agents):
            drive = driver(game.rules, agent.policy)
            args = (states, side_of, side, rng[side], chance_rng, moves, log, game.most_actions)
            began = perf_counter()
            active += drive(game.table, agent.policy_params, *args)
            side_seconds[side] += perf_counter() - began
            before, played = played, int(moves.sum())
            side_moves[side] += played - before
        if keep_moves and moves.max() == log.shape[1]:
            log = np.concatenate([log, np.empty_like(log)], axis=1)
    scores = np.zeros((count, game.sides))
    scorer(game.rules.score)(game.table, states, scores)
    codes = gather(log, moves) if keep_moves else NO_LOG[0]
    return BatchResult(scores, moves, states, codes, tuple(side_moves), tuple(side_seconds))


@program
def gather(log, moves):
    """The rows of a log, each as far as it was written, one after another."""
    codes = np.empty(moves.sum(), np.int64)
    place = 0
    for g in range(moves.size):
        codes[place : place + moves[g]] = log[g, : moves[g]]
        place += moves[g]
    return codes


@cache
def starter(reset: Kernel) -> Kernel:
    """A compiled function that sets up every game of a batch."""

    @program
    def start(table, states, rng, given):
        sizes = np.zeros(given.shape[1], np.int64)
        tape = np.zeros(given.shape[1], np.int64)
        cursor = np.zeros(3, np.int64)
        for g in range(states.size):
            cursor[0] = 0
            cursor[1] = given.shape[1]
            if given.shape[1] > 0:
                tape[:] = given[g]
            reset(table, states[g], Chance(rng[g], tape, sizes, cursor))

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
    """A compiled function that plays all moves a side can make now, in every game of a batch.

    It stops where a game's row of the log is full; a log without columns keeps nothing.
    """
    return _driver(rules.to_move, rules.conceal, rules.apply, policy)


@cache
def _driver(to_move: Kernel, conceal: Kernel, apply: Kernel, policy: Kernel) -> Kernel:
    @program
    def drive(table, params, states, side_of, side, rng, chance_rng, moves, log, most_actions):
        room = log.shape[1]
        out = np.empty(most_actions, np.int64)
        view = np.empty(1, states.dtype)
        no_tape = np.zeros(0, np.int64)
        cursor = np.zeros(3, np.int64)
        active = 0
        for g in range(states.size):
            seat = to_move(states[g])
            while seat >= 0 and side_of[seat] == side and (room == 0 or moves[g] < room):
                view[0] = states[g]
                conceal(table, view[0], seat)
                action = policy(table, params, view[0], seat, out, rng[g])
                apply(table, states[g], action, Chance(chance_rng[g], no_tape, no_tape, cursor))
                if room > 0:
                    log[g, moves[g]] = action
                moves[g] += 1
                seat = to_move(states[g])
            if seat >= 0:
                active += 1
        return active

    return drive
