"""What is stored outlasts the server: on SQLite and on PostgreSQL, and after kill -9 in mid-game."""

from __future__ import annotations

import time
from pathlib import Path

from fogbound.core import registry
from fogbound.server.storage import SeatRow, Storage, TableRow
from tests.server.running import Server, sqlite


def row(id: str) -> TableRow:
    definition = dict(registry.game("scotland-yard/grid3:detectives=1").definition())
    seats = [SeatRow(0, "person", "Zoë", token="a" * 64, ready=True), SeatRow(1, "agent", "Steady", "steady", ready=True)]
    return TableRow(id, "scotland-yard/grid3:detectives=1", definition, {"public": True}, seats=seats)


def test_a_table_is_read_back_as_it_was_written(url: str) -> None:
    storage = Storage(url)
    storage.create(row("abcdefgh"))
    storage.set_phase("abcdefgh", "playing", [3, 1])
    storage.add_move("abcdefgh", 0, 0, 2**40, [2**53 - 1, 0], over=False)
    storage.add_move("abcdefgh", 1, 1, 5, [], over=False)
    storage.drop_move("abcdefgh", 1)
    storage.add_chat("abcdefgh", 0, {"from": "Zoë", "text": "fog 🌫", "time": 1.5})
    storage.close()
    storage = Storage(url)
    assert storage.unfinished() == ["abcdefgh"]
    found = storage.load("abcdefgh")
    assert found is not None
    assert (found.phase, found.start, found.moves) == ("playing", [3, 1], [(0, 2**40, [2**53 - 1, 0])])
    assert found.seats == row("abcdefgh").seats
    assert found.chat == [{"from": "Zoë", "text": "fog 🌫", "time": 1.5}]
    storage.add_move("abcdefgh", 1, 0, 7, [], over=True)
    assert storage.unfinished() == []
    storage.remove("abcdefgh")
    assert storage.load("abcdefgh") is None
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


def test_agents_play_on_after_a_restart_with_nobody_watching(tmp_path: Path) -> None:
    server = Server(sqlite(tmp_path), bot_delay=0.05)
    try:
        table, _ = server.new_table("scotland-yard/plan1:detectives=1", "beginner", "beginner")
        time.sleep(0.4)
        server.kill()
        server.start()
        for _ in range(300):
            if server.get(f"/api/tables/{table}")["phase"] == "over":
                return
            time.sleep(0.1)
        raise AssertionError("the game did not go on")
    finally:
        server.kill()
