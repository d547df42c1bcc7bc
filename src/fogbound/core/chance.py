"""Chance inside the rules: every die, card and start place is drawn through a tape.

The rules call `draw`. While a tape holds results they are read from it, so a replay
needs no generator; after its end they are drawn at random and written to it, so a
record can keep them. Search and training use a tape of length zero: nothing is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import Kernel, kernel
from fogbound.core.rng import Rng, below, unit

ROOM = 4096  # more than one move or one set-up ever draws
UNIT_STEPS = 9007199254740992  # draws from [0, 1) are kept as whole 2**-53 steps


class Chance(NamedTuple):
    rng: Rng
    drawn: NDArray[np.int64]  # the results, read or written
    sizes: NDArray[np.int64]  # out of how many each was drawn
    cursor: NDArray[np.int64]  # [next place on the tape, how many were given, 1 if one did not fit]


def untaped(rng: Rng) -> Chance:
    """Chance that keeps nothing."""
    return Chance(rng, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(3, np.int64))


def taped(rng: Rng, given: Sequence[int] = ()) -> Chance:
    """Chance that first gives out `given`, then draws, and keeps all of it."""
    chance = Chance(rng, np.zeros(ROOM, np.int64), np.zeros(ROOM, np.int64), np.zeros(3, np.int64))
    rewind(chance, given)
    return chance


def rewind(chance: Chance, given: Sequence[int] = ()) -> None:
    """Clear the tape for the next move, with results to give out."""
    chance.drawn[: len(given)] = given
    chance.cursor[:] = (0, len(given), 0)


def results(chance: Chance) -> tuple[int, ...]:
    """What was drawn since the tape was cleared."""
    return tuple(int(x) for x in chance.drawn[: chance.cursor[0]])


def fits(chance: Chance) -> bool:
    """Whether exactly the given results were used, and all of them were possible."""
    return bool(chance.cursor[0] == chance.cursor[1] and chance.cursor[2] == 0)


@kernel
def _given(chance, n):
    """The next result on the tape; one that is impossible is marked and read as 0."""
    result = chance.drawn[chance.cursor[0]]
    if result < 0 or result >= n:
        chance.cursor[2] = 1
        return np.int64(0)
    return result


@kernel
def draw(chance, n):
    """A whole number from 0 to n - 1: from the tape, or at random."""
    place = chance.cursor[0]
    if place < chance.cursor[1]:
        result = _given(chance, n)
    else:
        result = below(chance.rng, n)
    if place < chance.drawn.size:
        chance.drawn[place] = result
        chance.sizes[place] = n
        chance.cursor[0] = place + 1
    return result


@kernel
def draw_unit(chance):
    """A number in [0, 1): from the tape, or at random."""
    place = chance.cursor[0]
    if place < chance.cursor[1]:
        result = _given(chance, UNIT_STEPS)
    else:
        result = np.int64(unit(chance.rng) * UNIT_STEPS)
    if place < chance.drawn.size:
        chance.drawn[place] = result
        chance.sizes[place] = UNIT_STEPS
        chance.cursor[0] = place + 1
    return result / UNIT_STEPS


def every_outcome(reset: Kernel, table: NamedTuple, state: np.void) -> Iterator[tuple[int, ...]]:
    """All tapes that `reset` can draw, in ascending order."""
    chance = taped(np.ones(4, np.uint64))
    given: list[int] = []
    while True:
        rewind(chance, given)
        reset(table, state, chance)
        length = int(chance.cursor[0])
        if length > len(given):  # what came after was drawn at random: count it from zero
            given += [0] * (length - len(given))
            continue
        given = given[:length]
        yield tuple(given)
        while given and given[-1] + 1 == chance.sizes[len(given) - 1]:
            given.pop()
        if not given:
            return
        given[-1] += 1
