"""What is stored outlasts the server: on SQLite and on PostgreSQL, and after kill -9 in mid-game."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from fogbound.core import registry
from fogbound.server.storage import Change, Overtaken, SeatRow, Storage, TableRow
from tests.server.running import Server, sqlite


def row(id: str) -> TableRow:
    definition = dict(registry.game("scotland-yard/grid3:detectives=1").definition())
    seats = [SeatRow(0, "person", "Zoë", token="a" * 64, ready=True), SeatRow(1, "agent", "Steady", "steady", ready=True)]
    return TableRow(id, "scotland-yard/grid3:detectives=1", definition, {"public": True}, seats=seats)


def test_a_table_is_read_back_as_it_was_written(url: str) -> None:
    storage = Storage(url)
    storage.create(row("abcdefgh"))
    storage.change("abcdefgh", 0, 0, 0, Change(phase="playing", start=[3, 1]))
    storage.change("abcdefgh", 1, 0, 0, Change(move=(0, 2**40, [2**53 - 1, 0])))
    storage.change("abcdefgh", 2, 1, 0, Change(move=(1, 5, []), clock={"running": 0}))
    storage.change("abcdefgh", 3, 2, 0, Change(undo=True))
    storage.change("abcdefgh", 4, 1, 0, Change(line={"from": "Zoë", "text": "fog 🌫", "time": 1.5}))
    storage.close()
    storage = Storage(url)
    assert storage.unfinished() == ["abcdefgh"]
    found = storage.load("abcdefgh")
    assert found is not None
    assert (found.phase, found.start, found.moves) == ("playing", [3, 1], [(0, 2**40, [2**53 - 1, 0])])
    assert (found.revision, found.undone, found.said, found.clock) == (5, 1, 1, {"running": 0})
    assert found.seats == row("abcdefgh").seats
    assert found.chat == [{"from": "Zoë", "text": "fog 🌫", "time": 1.5}]
    storage.change("abcdefgh", 5, 1, 1, Change(move=(0, 7, []), phase="over"))
    assert storage.unfinished() == []
    storage.remove("abcdefgh")
    assert storage.load("abcdefgh") is None
    storage.close()


def test_whoever_comes_second_changes_nothing(url: str) -> None:
    storage = Storage(url)
    storage.create(row("twotimes"))
    storage.change("twotimes", 0, 0, 0, Change(phase="playing", start=[3, 1]))
    with pytest.raises(Overtaken):
        storage.change("twotimes", 0, 0, 0, Change(phase="over", seats=[], move=(0, 1, [])))
    found = storage.load("twotimes")
    assert found is not None
    assert (found.phase, found.moves, len(found.seats), found.revision) == ("playing", [], 2, 1)
    storage.remove("twotimes")
    storage.close()


def test_a_chat_keeps_its_newest_lines(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fogbound.server.storage.CHAT_KEPT", 5)
    storage = Storage(url)
    storage.create(row("chatting"))
    for number in range(8):
        storage.change("chatting", number, 0, number, Change(line={"from": "Eve", "text": str(number), "time": 1.0}))
    found = storage.load("chatting")
    assert found is not None
    assert [found.chat[0]["text"], found.chat[-1]["text"]] == ["3", "7"]
    assert found.said == 8
    storage.remove("chatting")
    storage.close()


def test_a_game_goes_on_after_kill_minus_nine(url: str) -> None:
    server = Server(url)
    try:
        table, token = server.new_table("scotland-yard/london:detectives=1", "me", "beginner", seed=4)
        client = server.client(table, token)
        for _ in range(3):
            client.turn()
            client.play(client.table["legal"][0]["code"])
        before = client.turn()
        server.kill()
        server.start()
        client = server.client(table, token)
        after = client.turn()
        assert after["history"][: len(before["history"])] == before["history"]
        assert after["view"]["stations"][0] == before["view"]["stations"][0]
        while client.turn()["phase"] != "over":
            client.play(client.table["legal"][0]["code"])
    finally:
        server.kill()


def test_agents_wait_for_someone_to_watch_also_after_a_restart(tmp_path: Path) -> None:
    server = Server(sqlite(tmp_path))
    try:
        table, _ = server.new_table("scotland-yard/plan1:detectives=1", "beginner", "beginner")
        time.sleep(0.5)
        assert server.get(f"/api/tables/{table}")["moves"] == 0
        server.kill()
        server.start()
        assert server.get(f"/api/tables/{table}")["moves"] == 0
        server.client(table).until(lambda m: m["type"] == "table" and m["phase"] == "over")
    finally:
        server.kill()
