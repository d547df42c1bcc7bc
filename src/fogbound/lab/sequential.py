"""The sequential test: stop as soon as the games say clearly enough who is better.

A generalised sequential probability ratio test on whole seeds. A seed is played once in
each seating, so the results of one seed are not independent; the sum of the first
player's scores over a seed is. With its mean m and variance v over n seeds, the
log-likelihood ratio of "elo1 better" to "elo0 better" is close to
n (s1 - s0) (2m - s0 - s1) / 2v, where s0 and s1 are the scores that the two Elo
differences predict. For pairs this is the pentanomial test of chess engine testing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Verdict = Literal["elo0", "elo1", "open"]
FLOOR = 1e-3  # each possible result counts as seen this often beforehand, so that the variance is never zero
FEWEST = 8  # seeds before the test may decide


@dataclass(frozen=True)
class Test:
    """The settings of a sequential test."""

    elo0: float
    elo1: float
    alpha: float
    beta: float

    @property
    def bounds(self) -> tuple[float, float]:
        """Below the first accept elo0, above the second elo1."""
        return log(self.beta / (1 - self.alpha)), log((1 - self.beta) / self.alpha)


@dataclass(frozen=True)
class Decision:
    verdict: Verdict
    seeds: int
    """How many seeds the verdict took, or how many there are while it is open."""
    ratio: float
    """The log-likelihood ratio there."""


def expected(elo: float) -> float:
    """The score that an Elo difference predicts."""
    return float(1 / (1 + 10 ** (-elo / 400)))


def ratios(scores: NDArray[np.float64], test: Test) -> NDArray[np.float64]:
    """The log-likelihood ratio after each seed; `scores` are means over a seed's seatings, in [0, 1]."""
    seeds = np.arange(1, len(scores) + 1)
    prior = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    weight = seeds + FLOOR * len(prior)
    mean = (np.cumsum(scores) + FLOOR * prior.sum()) / weight
    square = (np.cumsum(scores**2) + FLOOR * (prior**2).sum()) / weight
    s0, s1 = expected(test.elo0), expected(test.elo1)
    ratio: NDArray[np.float64] = seeds * (s1 - s0) * (2 * mean - s0 - s1) / (2 * (square - mean**2))
    return ratio


def decide(scores: NDArray[np.float64], test: Test) -> Decision:
    """The verdict after the first seed that crosses a bound: it does not depend on when later games arrive."""
    if not len(scores):
        return Decision("open", 0, 0.0)
    path = ratios(scores, test)
    lower, upper = test.bounds
    crossed = np.flatnonzero((path <= lower) | (path >= upper))
    crossed = crossed[crossed >= FEWEST - 1]
    if not len(crossed):
        return Decision("open", len(scores), float(path[-1]))
    at = int(crossed[0])
    return Decision("elo1" if path[at] >= upper else "elo0", at + 1, float(path[at]))
