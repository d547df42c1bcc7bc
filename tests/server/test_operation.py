"""Nothing stops silently: what fails is logged, tried again, and can be watched from outside."""

from __future__ import annotations

import asyncio
import json
import logging
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from fogbound.core import registry
from fogbound.server import metrics, supervision
from fogbound.server.lobby import Lobby
from fogbound.server.logs import JsonLines
from fogbound.server.storage import StorageTrouble
from fogbound.server.table import digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Unreliable, Watcher, in_a_loop, with_worker
from tests.server.running import Server, sqlite

GAME = "scotland-yard/grid3:detectives=1,rounds=2"


@pytest.fixture(autouse=True)
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE", 0.01)


def test_a_task_that_fails_is_logged_and_tried_again(caplog: pytest.LogCaptureFixture) -> None:
    tries = []

    async def work() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("no luck")

    async def running() -> None:
        await supervision.supervise("trying", work)

    in_a_loop(running)
    assert len(tries) == 3
    assert [record.getMessage().partition(";")[0] for record in caplog.records] == ["“trying” failed"] * 2


@pytest.mark.parametrize("fails", ["before", "after"])
def test_agents_play_on_when_the_database_is_back(tmp_path: Path, fails: str) -> None:
    async def work(thinkers: Thinkers) -> list[int]:
        storage = Unreliable(sqlite(tmp_path))
        lobby = Lobby(storage, thinkers, bot_delay=0.0)
        table, token = await lobby.create_own(registry.game(GAME), 0, "random", 1)
        watcher = Watcher(token)
        table.enter(watcher)
        assert table.match is not None
        await table.play(digest(token), table.match.legal()[0].code, 0)
        storage.fails = fails
        failures = metrics.STORAGE_ERRORS.value
        while metrics.STORAGE_ERRORS.value < failures + 1:
            await asyncio.sleep(0.01)
        storage.fails = ""
        await watcher.until(lambda: table.version == 2)
        stored = storage.load(table.id)
        lobby.close()
        assert stored is not None and table.match is not None
        return [code for _, code, _ in stored.moves] == [move.code for move in table.match.moves]

    assert with_worker(work)


@pytest.mark.parametrize("kind", ["move", "game"])
def test_clocks_go_on_when_the_database_is_back(tmp_path: Path, kind: str) -> None:
    async def work(thinkers: Thinkers) -> Any:
        storage = Unreliable(sqlite(tmp_path))
        lobby = Lobby(storage, thinkers, bot_delay=0.0)
        table, token = await lobby.create_own(registry.game(GAME), 0, "random", 1)
        table.row.settings["clock"] = {"kind": kind, "seconds": 5}
        table.clocks.kind, table.clocks.running, table.clocks.since = kind, 0, 1.0  # it ran out long ago
        watcher = Watcher(token)
        table.enter(watcher)
        storage.fails = "before"
        lobby.bots[table.id].look_at_clock()
        failures = metrics.STORAGE_ERRORS.value
        while metrics.STORAGE_ERRORS.value < failures + 1:
            await asyncio.sleep(0.01)
        storage.fails = ""
        await watcher.until(lambda: table.version >= 1)
        lobby.close()
        return table.row.seats[0].kind

    assert with_worker(work) == ("person" if kind == "move" else "agent")


def test_what_the_database_was_given_is_not_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    async def running() -> None:
        storage = Unreliable(sqlite(tmp_path))
        storage.fails = "before"
        with pytest.raises(StorageTrouble):
            await storage.run(storage.change, "secret table", 987654321, 0, 0, None)  # type: ignore[arg-type]
        storage.close()

    in_a_loop(running)
    assert "the disk is full" in caplog.text
    assert "987654321" not in caplog.text


def test_programs_can_read_the_log() -> None:
    record = logging.makeLogRecord({"name": "fogbound", "levelname": "ERROR", "msg": "table %s", "args": ("x",), "seat": 3})
    event = json.loads(JsonLines().format(record))
    assert (event["level"], event["logger"], event["message"], event["seat"]) == ("error", "fogbound", "table x", 3)
    assert event["time"].endswith("Z")


def test_the_metrics_of_all_processes_behind_a_port_are_told(tmp_path: Path) -> None:
    other = {"fogbound_moves_total": [["fogbound_moves_total", {}, 7]], "of_another_version": [["x", {}, 1]]}
    other["fogbound_thought_seconds"] = [["fogbound_thought_seconds_count", {"task": "move"}, 2]]
    (tmp_path / "1.json").write_text(json.dumps(other))
    lines = metrics.text(tmp_path / "0.json").splitlines()
    assert lines.count("# TYPE fogbound_moves_total counter") == 1
    assert 'fogbound_moves_total{process="1"} 7' in lines
    assert f'fogbound_moves_total{{process="0"}} {metrics.MOVES.value:g}' in lines
    assert 'fogbound_thought_seconds_count{process="1",task="move"} 2' in lines
    assert not any(line.startswith("x") for line in lines)


def test_operators_can_watch(server: Server) -> None:
    assert server.get("/api/health") == {"alive": True}
    ready = server.get("/api/ready")
    assert ready["database"] and ready["workers"]
    table, token = server.new_table(GAME, "me", "steady")
    client = server.client(table, token)
    client.turn()
    client.play(client.table["legal"][0]["code"])
    client.turn()
    with urllib.request.urlopen(f"{server.address}/api/metrics") as answer:
        text = answer.read().decode()
    client.close()
    values = dict(line.rsplit(" ", 1) for line in text.splitlines() if not line.startswith("#"))
    assert float(values["fogbound_moves_total"]) >= 2
    assert float(values["fogbound_workers"]) == 1
    assert float(values['fogbound_thought_seconds_count{task="move"}']) >= 1
    assert (
        values['fogbound_thought_seconds_bucket{task="move",le="+Inf"}']
        == values['fogbound_thought_seconds_count{task="move"}']
    )
    assert table not in text
