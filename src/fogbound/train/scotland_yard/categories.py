"""Learning on what categories of stations Mr X is found, from played games; `agents/scotland_yard` reads the result.

In every position where a detective has to guess, we count the categories of the stations where Mr X
could be, and the category of the station where he was.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fogbound.agents.scotland_yard.categories import NEAREST, SINCE, Counts, categories_of, possible_stations
from fogbound.core.record import Record
from fogbound.core.runner import play_set
from fogbound.games.scotland_yard.game import ScotlandYard


def learn(game: ScotlandYard, agents: Sequence[str], games: int, seed: int, workers: int | None) -> dict[str, Any]:
    """Play games and count: the board's entry in a categories file."""
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


def save(file: Path, board: str, entry: dict[str, Any]) -> None:
    """Write a board's entry into a categories file; the entries of other boards stay."""
    boards = json.loads(file.read_text(encoding="utf-8"))["boards"] if file.exists() else {}
    boards[board] = entry
    about = "counts by [moves to the nearest detective, 0 to 8][log slots since Mr X was seen, 0 to 6]"
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(entry)}" for name, entry in sorted(boards.items()))
    file.write_text(f'{{"about": "{about}",\n"boards": {{\n{lines}\n}}}}\n', encoding="utf-8")
