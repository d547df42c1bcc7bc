"""Automatic layout: places for what a board gives none, stations or areas.

Stress majorisation: places are moved until their distances on paper are as close as
they can be to their distances in steps. It starts from the two leading axes of the
distance matrix, so the same board is always drawn the same way.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]


def lay_out(count: int, links: Iterable[tuple[int, int, float]], rounds: int = 200) -> list[tuple[float, float]]:
    """A place for each of some linked things, the closest two a unit apart; a link says how long it should be."""
    from scipy.sparse import csr_matrix  # most boards bring their places, and need not wait for this library
    from scipy.sparse.csgraph import shortest_path

    starts, ends, lengths = zip(*links, strict=True)
    graph = csr_matrix((lengths, (starts, ends)), shape=(count, count))
    steps = np.asarray(shortest_path(graph, directed=False), np.float64)
    points = _classical(steps)
    weights = 1.0 / np.maximum(steps, 1.0) ** 2
    np.fill_diagonal(weights, 0.0)
    for _ in range(rounds):
        points = _majorise(points, steps, weights)
    gaps = _gaps(points)
    closest = gaps[~np.eye(count, dtype=bool)].min()
    points = (points - points.min(axis=0)) / max(closest, 1e-9)
    return [(round(float(x), 4), round(float(y), 4)) for x, y in points]


def _classical(steps: Points) -> Points:
    n = len(steps)
    centre = np.eye(n) - 1.0 / n
    values, vectors = np.linalg.eigh(-0.5 * centre @ steps**2 @ centre)
    points = vectors[:, -2:][:, ::-1] * np.sqrt(np.maximum(values[-2:][::-1], 1e-9))
    # Two stations on one spot could never be pulled apart: nudge each by its own small amount.
    nudge = np.stack([np.cos(np.arange(n) * 2.4), np.sin(np.arange(n) * 2.4)], axis=1) * 1e-3
    return np.asarray(points + nudge)


def _majorise(points: Points, steps: Points, weights: Points) -> Points:
    gaps = np.maximum(_gaps(points), 1e-9)
    pull = weights * steps / gaps
    np.fill_diagonal(pull, 0.0)
    towards = weights @ points + points * pull.sum(axis=1, keepdims=True) - pull @ points
    return np.asarray(towards / weights.sum(axis=1, keepdims=True))


def _gaps(points: Points) -> Points:
    return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))
