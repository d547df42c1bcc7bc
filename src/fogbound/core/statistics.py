"""Intervals for win rates: a rate without one is an anecdote."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054


def wilson(wins: float, games: int, z: float = Z95) -> tuple[float, float]:
    """The 95% interval of a win rate (Wilson's score); draws may count as half a win."""
    if games == 0:
        return 0.0, 1.0
    rate = wins / games
    spread = z * sqrt(rate * (1 - rate) / games + z * z / (4 * games * games))
    centre, scale = rate + z * z / (2 * games), 1 + z * z / games
    low, high = (centre - spread) / scale, (centre + spread) / scale
    return max(0.0, min(rate, low)), min(1.0, max(rate, high))  # rounding must not leave the rate itself out
