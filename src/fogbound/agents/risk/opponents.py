"""Who the others are: whether a player sets up as the scripted one does, and whether all others hoard.

The set-up is public and has no dice, so it can be played again from what a seat saw of it, and the scripted player asked
at every move. It tells more than battles do: there nearly everybody attacks where the odds are good. Claims tell most;
armies are counted only where territories are dealt, since whoever piles them up may do so in the same place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk import evaluation, stranger
from fogbound.agents.risk.turn_plans import by_script, play
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, part, program
from fogbound.core.view import Seen, View
from fogbound.games.risk.table import CLAIM, NEUTRAL_SETUP, SEATS, SETUP, State, alive

LIKE_SCRIPT = 0.5  # share of the counted moves
RASH = "aggressive"  # the style that a stranger is taken to have
HOARDED, LEAST_HOARD = 0.95, 10  # the share of spare armies in one place that makes a hoarder, and their least number


class Others(NamedTuple):
    """What was seen of every seat in the set-up."""

    made: NDArray[np.int64]  # moves that count
    agreed: NDArray[np.int64]  # of them those that the scripted player would have made
    rash: stranger.Params


def nobody_known() -> Others:
    return Others(np.zeros(SEATS, np.int64), np.zeros(SEATS, np.int64), stranger.params_of(RASH))


def watch(view: View, script: evaluation.Params, others: Others, out: NDArray[np.int64]) -> tuple[Seen, ...]:
    """Count the moves of the set-up as far as this seat saw it; which they were."""
    others.made[:] = others.agreed[:] = 0
    seats = np.array([seen.seat for seen in view.history], np.int64)
    codes = np.array([seen.code for seen in view.history], np.int64)
    start = np.array([view.start], State)
    return view.history[: int(count_setup(view.game.table, script, others, start, seats, codes, out))]


@program
def count_setup(table, script, others, states, seats, codes, out):
    no_tape = np.zeros(0, np.int64)
    chance = Chance(np.zeros(4, np.uint64), no_tape, no_tape, np.zeros(3, np.int64))
    state = states[0]
    counted = state.phase
    if counted == SETUP and table.missions > 0:  # where armies go depends on a mission that nobody sees
        counted = CLAIM
    for i in range(seats.size):
        if state.phase > NEUTRAL_SETUP:
            return i
        if state.phase == counted:
            others.made[seats[i]] += 1
            others.agreed[seats[i]] += by_script(table, script, state, seats[i], out) == codes[i]
        play(table, state, codes[i], chance)
    return seats.size


@kernel
def is_stranger(others, seat):
    """Whether a player does not seem to be the scripted one; who has not moved yet may be."""
    return others.agreed[seat] + 1 < LIKE_SCRIPT * (others.made[seat] + 2)


@part
def rash_move(table, others, state, seat, out, rng):
    return stranger.choose(table, others.rash, state, seat, out, rng)


@part
def all_hoard(table, view, seat):
    """Whether every other player has a large stack, and there nearly all armies that his territories can spare."""
    for other in range(table.players):
        if other == seat or not alive(view, other):
            continue
        spare, largest = np.int64(0), np.int64(0)
        for territory in range(table.territories):
            if view.owner[territory] == other:
                armies = np.int64(view.armies[territory]) - 1
                spare += armies
                largest = max(largest, armies)
        if largest < LEAST_HOARD or largest < HOARDED * spare:
            return False
    return True
