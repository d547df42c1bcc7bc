"""Compiled loops over many positions: finding those that a game can come to, and giving each its value."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, program
from fogbound.games.scotland_yard.rules import DETECTIVES, add, reset
from fogbound.solve.positions import Positions, enter, find
from fogbound.solve.regret import Work, solve_stretch, work_for
from fogbound.solve.subgame import (
    DONE,
    TABLE_FULL,
    UNKNOWN_POSITION,
    Stretch,
    grow,
    list_shown,
    moves,
    play,
    room,
    show,
    value_shown,
)

MOST_DRAWS = 8  # of a set-up: Mr X and at most five detectives


class Desk(NamedTuple):
    """Room for one thread to work on one stretch after another."""

    stretch: Stretch
    work: Work
    plans: Any  # [0]: a plan of Mr X's edges; [1]: of the detectives' actions
    prior: Any


def desk(nodes: int, most_actions: int, stations: int) -> Desk:
    """Room for stretches of this many nodes."""
    stretch = room(nodes, most_actions)
    edges, actions = stretch.target.size, stretch.action_code.size
    return Desk(
        stretch,
        work_for(nodes, stretch.station.size, edges, actions),
        (np.zeros(edges), np.zeros(actions)),
        np.ones(stations),
    )


@program
def find_stretches(table, folding, states, indices, found, stretch, begin):
    """The positions that stretches lead to; how many stretches are done, and why it stopped."""
    for k in range(begin, indices.size):
        status = grow(table, stretch, states[indices[k]], False)
        if status == DONE:
            status = list_shown(table, folding, found, stretch)
        if status != DONE:
            return k, status
    return indices.size, DONE


@program
def find_moves(table, folding, states, indices, found, stretch, begin):
    """The same where a detective moves and everybody knows where Mr X is."""
    scratch, out = stretch.scratch, np.empty(stretch.out.size, np.int64)
    for k in range(begin, indices.size):
        scratch[0] = states[indices[k]]
        count = moves(table, scratch[0], out)
        for a in range(count):
            scratch[0] = states[indices[k]]
            play(table, scratch[0], out[a])
            if scratch[0].turn >= 0:
                show(table, folding, scratch[0])
                if not enter(table, folding, found, scratch[0]):
                    return k, TABLE_FULL
    return indices.size, DONE


@program
def solve_stretches(table, folding, positions, indices, stretch, work, plans, prior, goal, most, begin):
    """Give positions where Mr X is to move their bounds; how many are done, and why it stopped."""
    prior[0] = 1.0
    for k in range(begin, indices.size):
        i = indices[k]
        status = grow(table, stretch, positions.states[i], False)
        if status == DONE:
            status = value_shown(table, folding, positions, stretch)
        if status != DONE:
            return k, status
        lower, upper, _ = solve_stretch(stretch, work, prior, plans, goal, most)
        positions.lower[i] = lower
        positions.upper[i] = upper
    return indices.size, DONE


@kernel
def _worth(table, folding, positions, state):
    """The place of a position in the table: -1 if the detectives have won, -2 if they have lost, -3 if unknown."""
    if state.turn < 0:
        return -1 if state.winner == DETECTIVES else -2
    show(table, folding, state)
    i = find(table, folding, positions, state)
    return i if i >= 0 else -3


@program
def solve_moves(table, folding, positions, indices, stretch):
    """The same where a detective moves and knows where Mr X is: he takes the best move."""
    scratch, out = stretch.scratch, np.empty(stretch.out.size, np.int64)
    for k in range(indices.size):
        i = indices[k]
        scratch[0] = positions.states[i]
        count = moves(table, scratch[0], out)
        lower = upper = 0.0
        for a in range(count):
            scratch[0] = positions.states[i]
            play(table, scratch[0], out[a])
            j = _worth(table, folding, positions, scratch[0])
            if j == -3:
                return k, UNKNOWN_POSITION
            lower = max(lower, positions.lower[j] if j >= 0 else 2.0 + j)
            upper = max(upper, positions.upper[j] if j >= 0 else 2.0 + j)
        positions.lower[i] = lower
        positions.upper[i] = upper
    return indices.size, DONE


@kernel
def _fold_hidden(table, maps, state):
    """The same as fold where Mr X's station is not part of the position; gives the symmetry used."""
    best = 0
    for g in range(1, maps.shape[0]):
        for seat in range(1, table.detectives + 1):
            difference = maps[g, state.station[seat]] - maps[best, state.station[seat]]
            if difference != 0:
                if difference < 0:
                    best = g
                break
    state.occupied[:] = np.uint64(0)
    for seat in range(1, table.detectives + 1):
        state.station[seat] = maps[best, state.station[seat]]
        add(state.occupied, state.station[seat])
    return best


@program
def list_starts(table, folding, starts, weights):
    """Every start with its probability, those that look alike together.

    Weights: a row a position, a column a station of Mr X. Gives the probability that the
    detectives have won at once, and whether there was room for all.
    """
    state = np.zeros(1, starts.states.dtype)
    rng = np.ones(4, np.uint64)
    tape = Chance(rng, np.zeros(MOST_DRAWS, np.int64), np.zeros(MOST_DRAWS, np.int64), np.zeros(3, np.int64))
    won = 0.0
    while True:
        tape.cursor[0] = 0
        tape.cursor[1] = MOST_DRAWS
        reset(table, state[0], tape)
        draws = tape.cursor[0]
        chance = 1.0
        for k in range(draws):
            chance /= tape.sizes[k]
        if state[0].turn < 0:
            won += chance if state[0].winner == DETECTIVES else 0.0
        else:
            if table.show_start:
                show(table, folding, state[0])
                here = state[0].station[0]
            else:
                here = folding.maps[_fold_hidden(table, folding.maps, state[0]), state[0].station[0]]
                state[0].station[0] = 0
                state[0].possible[:] = np.uint64(0)
            if not enter(table, folding, starts, state[0]):
                return won, False
            i = find(table, folding, starts, state[0])
            weights[i, here] += chance
            add(starts.states[i].possible, here)
        last = draws - 1
        while last >= 0 and tape.drawn[last] + 1 == tape.sizes[last]:
            tape.drawn[last] = 0
            last -= 1
        if last < 0:
            return won, True
        tape.drawn[last] += 1


__all__ = [
    "Desk",
    "Positions",
    "desk",
    "find_moves",
    "find_stretches",
    "list_starts",
    "solve_moves",
    "solve_stretches",
]
