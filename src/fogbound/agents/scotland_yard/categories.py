"""A belief over Mr X's stations by category, as learned from games (see `train/scotland_yard/categories.py`).

A station's category is how far the nearest detective is and how many log slots ago Mr X was
seen. A file holds how often he could have been on a station of each category, and how often he was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.core.contract import State
from fogbound.core.errors import BadFile, FogboundError
from fogbound.core.files import read_text
from fogbound.games.scotland_yard.game import ScotlandYard

NEAREST, SINCE = 8, 6  # distances and slots above these count as these
PRIOR = 20  # pseudo-counts of the average in every category
SHIPPED = Path(str(resources.files("fogbound.agents.scotland_yard"))) / "categories.json"

Counts = NDArray[np.int64]  # [nearest, since]


def possible_stations(state: State) -> list[int]:
    """Indices of the stations where Mr X can be."""
    bits = np.unpackbits(np.ascontiguousarray(state["possible"]).view(np.uint8), bitorder="little")
    return [int(place) for place in np.flatnonzero(bits)]


def categories_of(game: ScotlandYard, state: State, stations: Sequence[int]) -> tuple[Counts, int]:
    """Each station's distance to the nearest detective, and how long ago Mr X was seen."""
    detectives = state["station"][1 : game.seats].astype(np.int64)
    nearest = game.paths.hops[np.ix_(detectives, stations)].min(axis=0)
    since = int(state["slot"]) - int(state["seen_slot"])
    return np.minimum(nearest, NEAREST).astype(np.int64), min(since, SINCE)


def belief_over_stations(
    game: ScotlandYard, state: State, weights: NDArray[np.float64] | None
) -> tuple[list[int], NDArray[np.float64]]:
    """The stations where Mr X can be, and the probability of each (uniform without weights)."""
    stations = possible_stations(state)
    if weights is None or not stations:
        return stations, np.full(len(stations), 1 / max(1, len(stations)))
    nearest, since = categories_of(game, state, stations)
    shares = weights[nearest, since]
    return stations, shares / shares.sum()


@cache
def category_weights(board: str, file: str | None = None) -> NDArray[np.float64]:
    """How likely each category is to hold Mr X, as learned on this board, or on all boards together."""
    try:
        boards = json.loads(read_text(file or SHIPPED))["boards"]
        chosen = [boards[board]] if board in boards else list(boards.values())
        was_there = np.sum([each["was_there"] for each in chosen], axis=0)
        could_be_there = np.sum([each["could_be_there"] for each in chosen], axis=0)
    except (BadFile, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise FogboundError(f"{file} is not a categories file as `fogbound learn-categories` writes it.") from None
    return weights_from(was_there, could_be_there)


def weights_from(was_there: NDArray[Any], could_be_there: NDArray[Any]) -> NDArray[np.float64]:
    """Frequencies by category, smoothed towards the average; never zero."""
    average = (was_there.sum() + 1) / (could_be_there.sum() + 1)
    weights: NDArray[np.float64] = (was_there + PRIOR * average) / (could_be_there + PRIOR)
    return weights
