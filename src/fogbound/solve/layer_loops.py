"""Compiled loops over a layer of revealed positions: finding those that follow, and giving each its bounds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, program
from fogbound.games.scotland_yard.rules import DETECTIVES, add, reset
from fogbound.solve.cfr import CfrState, new_cfr_state, solve_subgame
from fogbound.solve.positions import Positions, find, insert, restore
from fogbound.solve.subgame import (
    DONE,
    TABLE_FULL,
    UNKNOWN_POSITION,
    Subgame,
    grow,
    list_reveals,
    moves,
    new_subgame,
    play,
    to_canonical,
    value_reveals,
)

MAX_DRAWS = 8  # of a set-up: Mr X and at most five detectives


class Workspace(NamedTuple):
    """The arrays in which one thread solves one subgame after another."""

    subgame: Subgame
    cfr: CfrState
    strategies: Any  # [0]: over Mr X's edges; [1]: over the detectives' actions
    prior: Any  # [member of the root]: how likely Mr X is there


def new_workspace(nodes: int, most_actions: int, stations: int) -> Workspace:
    """A workspace for subgames of this many nodes."""
    subgame = new_subgame(nodes, most_actions)
    edges, actions = subgame.target.size, subgame.action_code.size
    return Workspace(
        subgame,
        new_cfr_state(nodes, subgame.station.size, edges, actions),
        (np.zeros(edges), np.zeros(actions)),
        np.ones(stations),
    )


@program
def expand_subgames(table, form, states, indices, found, subgame, begin):
    """The positions that subgames lead to; how many subgames are done, and the status of the last one."""
    for k in range(begin, indices.size):
        status = grow(table, subgame, states[indices[k]], False)
        if status == DONE:
            status = list_reveals(table, form, found, subgame)
        if status != DONE:
            return k, status
    return indices.size, DONE


@program
def expand_moves(table, form, states, indices, found, subgame, begin):
    """The same for positions with a detective to move."""
    scratch, out = subgame.scratch, np.empty(subgame.out.size, np.int64)
    for k in range(begin, indices.size):
        scratch[0] = states[indices[k]]
        count = moves(table, scratch[0], out)
        for a in range(count):
            scratch[0] = states[indices[k]]
            play(table, scratch[0], out[a])
            if scratch[0].turn >= 0:
                to_canonical(table, form, scratch[0])
                if not insert(table, form, found, scratch[0]):
                    return k, TABLE_FULL
    return indices.size, DONE


@program
def solve_subgames(table, form, positions, indices, subgame, cfr, strategies, prior, tolerance, max_iterations, begin):
    """Bounds of positions with Mr X to move; how many are done, and the status of the last one."""
    prior[0] = 1.0
    root = np.zeros(1, subgame.states.dtype)
    for k in range(begin, indices.size):
        i = indices[k]
        restore(table, form, positions.rows[i], root[0])
        status = grow(table, subgame, root[0], False)
        if status == DONE:
            status = value_reveals(table, form, positions, subgame)
        if status != DONE:
            return k, status
        lower, upper, _ = solve_subgame(subgame, cfr, prior, strategies, tolerance, max_iterations)
        positions.lower[i] = lower
        positions.upper[i] = upper
    return indices.size, DONE


@kernel
def _index(table, form, positions, state):
    """The index of a position: -1 if the detectives have won, -2 if they have lost, -3 if it is unknown."""
    if state.turn < 0:
        return -1 if state.winner == DETECTIVES else -2
    to_canonical(table, form, state)
    i = find(table, form, positions, state)
    return i if i >= 0 else -3


@program
def solve_moves(table, form, positions, indices, subgame):
    """Bounds of positions with a detective to move, who takes the move of the highest value."""
    scratch, out = subgame.scratch, np.empty(subgame.out.size, np.int64)
    state = np.zeros(1, scratch.dtype)
    for k in range(indices.size):
        i = indices[k]
        restore(table, form, positions.rows[i], state[0])
        count = moves(table, state[0], out)
        lower = upper = 0.0
        for a in range(count):
            scratch[0] = state[0]
            play(table, scratch[0], out[a])
            j = _index(table, form, positions, scratch[0])
            if j == -3:
                return k, UNKNOWN_POSITION
            lower = max(lower, positions.lower[j] if j >= 0 else 2.0 + j)
            upper = max(upper, positions.upper[j] if j >= 0 else 2.0 + j)
        positions.lower[i] = lower
        positions.upper[i] = upper
    return indices.size, DONE


@kernel
def _canonicalise_hidden(table, maps, state):
    """The canonical form of a start at which Mr X's station is hidden; returns the symmetry used."""
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
def list_starts(table, form, starts, states, weights):
    """Every public start with its probability, by Mr X's station: `weights[start, station]`.

    Returns the probability that the detectives have won at once, and whether the table had room for all starts.
    """
    state = np.zeros(1, states.dtype)
    rng = np.ones(4, np.uint64)
    tape = Chance(rng, np.zeros(MAX_DRAWS, np.int64), np.zeros(MAX_DRAWS, np.int64), np.zeros(3, np.int64))
    won, known = 0.0, 0
    while True:
        tape.cursor[0] = 0
        tape.cursor[1] = MAX_DRAWS
        reset(table, state[0], tape)
        draws = tape.cursor[0]
        chance = 1.0
        for k in range(draws):
            chance /= tape.sizes[k]
        if state[0].turn < 0:
            won += chance if state[0].winner == DETECTIVES else 0.0
        else:
            if table.show_start:
                to_canonical(table, form, state[0])
                here = state[0].station[0]
            else:
                here = form.maps[_canonicalise_hidden(table, form.maps, state[0]), state[0].station[0]]
                state[0].station[0] = 0
                state[0].possible[:] = np.uint64(0)
            if not insert(table, form, starts, state[0]):
                return won, False
            i = find(table, form, starts, state[0])
            if i == known:
                states[i] = state[0]
                known += 1
            weights[i, here] += chance
            add(states[i].possible, here)
        last = draws - 1
        while last >= 0 and tape.drawn[last] + 1 == tape.sizes[last]:
            tape.drawn[last] = 0
            last -= 1
        if last < 0:
            return won, True
        tape.drawn[last] += 1


__all__ = [
    "Positions",
    "Workspace",
    "expand_moves",
    "expand_subgames",
    "list_starts",
    "new_workspace",
    "solve_moves",
    "solve_subgames",
]
