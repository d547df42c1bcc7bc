"""The trials by fire in short: a few inputs for every reader, a few pairs for every channel."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from fogbound.server.table import GameTable
from tests.fire import restarts
from tests.fire.fuzz import TARGETS, trouble
from tests.fire.leaks import GAMES, differences
from tests.fire.mutate import damaged
from tests.server.running import sqlite

SLOW = ("toml", "store", "weights-dqn", "weights-supervised", "weights-qtable", "weights-risk")  # to compile first


@pytest.mark.parametrize("name", [name for name in TARGETS if name not in SLOW])
def test_what_strangers_write_is_read_or_refused_in_one_sentence(name: str) -> None:
    target = TARGETS[name]
    seeds = target.seeds()
    for number in range(60):
        found = trouble(target, damaged(seeds, Random(f"short {name} {number}")))
        assert found is None, f"input {number}: {found}"


@pytest.mark.parametrize("game", [GAMES[0], GAMES[3], GAMES[5]])
def test_nobody_sees_what_is_hidden(game: str) -> None:
    pairs = 0
    for number in range(4):
        made, found, _ = differences(game, number)
        assert not found, found
        pairs += made
    assert pairs > 0


def test_a_leak_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def telling(table: GameTable) -> dict[str, Any]:
        return {"hidden": table.match.state.tobytes().hex() if table.match else ""}

    monkeypatch.setattr(GameTable, "summary", telling)
    pairs, found, _ = differences(GAMES[0], 1)
    assert len(found) == 3 * pairs  # the change, the table and the summary


def test_no_acknowledged_move_is_lost_when_the_server_is_killed(tmp_path: Path) -> None:
    acknowledged, missing, _ = restarts.run(sqlite(tmp_path), kills=1)
    assert acknowledged and not missing
