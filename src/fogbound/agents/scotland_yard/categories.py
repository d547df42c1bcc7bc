"""What kinds of stations Mr X is found on: learned from games, kept in a file, used to guess where he is.

A station's category is how far the nearest detective is and how many log slots ago Mr X was
seen. From played games we count how often he could have been on a station of each category,
and how often he was.
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
from fogbound.core.errors import FogboundError
from fogbound.core.record import Record
from fogbound.core.runner import play_set
from fogbound.games.scotland_yard.game import ScotlandYard

NEAREST, SINCE = 8, 6  # distances and slots above these count as these
PRIOR = 20  # a category seen less often than this is drawn towards the average
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
    """The stations where Mr X can be, and the probability of each (equal without weights)."""
    stations = possible_stations(state)
    if weights is None or not stations:
        return stations, np.full(len(stations), 1 / max(1, len(stations)))
    nearest, since = categories_of(game, state, stations)
    shares = weights[nearest, since]
    return stations, shares / shares.sum()


def count_record(game: ScotlandYard, record: Record, was_there: Counts, could_be_there: Counts) -> None:
    """Count every position of a game in which a detective has to guess."""
    match = record.replay()
    for number, move in enumerate(match.moves):
        state = match.state_at(number)
        if move.seat == 0 or state["shown"]:
            continue
        stations = possible_stations(state)
        nearest, since = categories_of(game, state, stations)
        np.add.at(could_be_there[:, since], nearest, 1)
        was_there[nearest[stations.index(int(state["station"][0]))], since] += 1


def learn(game: ScotlandYard, agents: Sequence[str], games: int, seed: int, workers: int | None) -> dict[str, Any]:
    """Play games and count; the entry of the board in a file of categories."""
    was_there = np.zeros((NEAREST + 1, SINCE + 1), np.int64)
    could_be_there = np.zeros_like(was_there)
    for result in play_set(game, agents, games, seed=seed, workers=workers, keep_records=True):
        assert result.record is not None
        count_record(game, result.record, was_there, could_be_there)
    return {
        "command": f"fogbound learn-categories {game.spec} --agents {','.join(agents)} --games {games} --seed {seed}",
        "was_there": was_there.tolist(),
        "could_be_there": could_be_there.tolist(),
    }


def save(file: Path, board: str, entry: dict[str, Any]) -> None:
    """Put a board's entry into a file of categories, beside what is there."""
    boards = json.loads(file.read_text(encoding="utf-8"))["boards"] if file.exists() else {}
    boards[board] = entry
    about = "counts by [moves to the nearest detective, 0 to 8][log slots since Mr X was seen, 0 to 6]"
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(boards.items()))
    file.write_text(f'{{"about": "{about}",\n"boards": {{\n{lines}\n}}}}\n', encoding="utf-8")


@cache
def category_weights(board: str, file: str | None = None) -> NDArray[np.float64]:
    """How likely each category is to hold Mr X, as learned on this board, or on all boards together."""
    try:
        boards = json.loads(Path(file or SHIPPED).read_text(encoding="utf-8"))["boards"]
        chosen = [boards[board]] if board in boards else list(boards.values())
        was_there = np.sum([each["was_there"] for each in chosen], axis=0)
        could_be_there = np.sum([each["could_be_there"] for each in chosen], axis=0)
    except (OSError, ValueError, KeyError, TypeError):
        raise FogboundError(f"{file} is not a file of categories such as fogbound learn-categories makes.") from None
    return weights_from(was_there, could_be_there)


def weights_from(was_there: NDArray[Any], could_be_there: NDArray[Any]) -> NDArray[np.float64]:
    """Frequencies by category; where little was seen, drawn towards the average; never zero."""
    average = (was_there.sum() + 1) / (could_be_there.sum() + 1)
    weights: NDArray[np.float64] = (was_there + PRIOR * average) / (could_be_there + PRIOR)
    return weights
