"""Mixed strategies of nets in compiled code: weights from logits, and a move drawn by them."""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel
from fogbound.core.rng import unit


@kernel
def soften(logits, count, temperature, floor):
    """Put each move's weight into the place of its logit; returns the number of the likeliest, and the sum.

    The likeliest weighs 1; what weighs less than `floor` is left out. A temperature of 0 leaves the likeliest alone.
    """
    best = 0
    for i in range(1, count):
        if logits[i] > logits[best]:
            best = i
    top, total = logits[best], 0.0
    for i in range(count):
        if temperature == 0:
            weight = 1.0 if i == best else 0.0
        else:
            weight = np.exp((logits[i] - top) / temperature)
        logits[i] = weight if weight >= floor else 0.0
        total += logits[i]
    return best, total


@kernel
def draw(weights, count, best, total, rng):
    """The number of a move, drawn by weight."""
    left = unit(rng) * total
    for i in range(count):
        left -= weights[i]
        if left < 0:
            return i
    return best
