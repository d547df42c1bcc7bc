"""A stored table that is damaged is left alone and told of in the log; all others live."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from fogbound.core import registry
from fogbound.core.match import Match
from fogbound.server.lobby import Damaged, Lobby
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.table import digest
from fogbound.server.thinking import Thinkers
from tests.server.running import Server, sqlite

DAMAGE = {
    "broken-json": "UPDATE fogbound_tables SET definition = '{\"game\": ' WHERE id = :id",
    "no-json": "UPDATE fogbound_moves SET chance = 'fog' WHERE table_id = :id",
    "missing-seats": "DELETE FROM fogbound_seats WHERE table_id = :id AND seat = 1",
    "illegal-move": "UPDATE fogbound_moves SET code = 8 WHERE table_id = :id AND number = 0",
    "missing-move": "DELETE FROM fogbound_moves WHERE table_id = :id AND number = 1",
    "unknown-game": "UPDATE fogbound_tables SET spec = 'chess/board' WHERE id = :id",
    "no-start": "UPDATE fogbound_tables SET start = '[4000, 7]' WHERE id = :id",
    "start-no-list": "UPDATE fogbound_tables SET start = '\"fog\"' WHERE id = :id",
    "no-board": "UPDATE fogbound_tables SET definition = '[]' WHERE id = :id",
    "odd-settings": "UPDATE fogbound_tables SET settings = '[1]' WHERE id = :id",
}


def store(storage: Storage, id: str) -> Match:
    match = registry.game("scotland-yard/grid3:detectives=1").new(seed=4)
    seats = [SeatRow(seat, "person", f"P{seat}", token=digest(f"token-{seat}"), ready=True) for seat in (0, 1)]
    definition = dict(match.game.definition())
    storage.create(TableRow(id, match.game.spec, definition, {"public": True}, "playing", list(match.start), 1.0, seats))
    with storage.engine.begin() as connection:
        for number in range(3):
            move = match.play(match.legal()[0])
            values = {"id": id, "number": number, "seat": move.seat, "code": move.code}
            connection.execute(text("INSERT INTO fogbound_moves VALUES (:id, :number, :seat, :code, '[]')"), values)
    return match


@pytest.fixture
def damaged(tmp_path: Path) -> str:
    """A database in which every table but one is damaged."""
    url = sqlite(tmp_path)
    storage = Storage(url)
    store(storage, "sound")
    for id, damage in DAMAGE.items():
        store(storage, id)
        with storage.engine.begin() as connection:
            assert connection.execute(text(damage), {"id": id}).rowcount
    storage.close()
    return url


def test_a_server_starts_with_damaged_tables_and_the_others_live(damaged: str) -> None:
    server = Server(damaged)
    try:
        client = server.client("sound", "token-1")
        assert client.turn()["version"] == 3
        assert client.play(client.table["legal"][0]["code"])["version"] == 4
        for id in DAMAGE:
            told = server.get(f"/api/tables/{id}")
            assert told["status"] == 400 and "\n" not in told["error"], told
            assert id == "unknown-game" or told["error"].startswith("This table is damaged"), told
            assert server.client(id, "token-1").error() == told["error"]
        assert server.client("sound").receive()["version"] == 4
        client.close()
    finally:
        server.kill()


def test_what_is_damaged_is_told_to_the_log_and_to_nobody_else(damaged: str, caplog: pytest.LogCaptureFixture) -> None:
    async def open_all() -> None:
        lobby = Lobby(Storage(damaged), Thinkers(1))
        for id in DAMAGE.keys() - {"unknown-game"}:
            with pytest.raises(Damaged) as error:
                await lobby.find(id)
            assert str(error.value) == "This table is damaged and cannot be opened; the server's log says more."
        lobby.close()

    with caplog.at_level(logging.ERROR), ThreadPoolExecutor(1) as other:
        other.submit(lambda: asyncio.run(open_all())).result()
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == len(DAMAGE) - 1
    assert any("illegal-move is damaged and is left alone: IllegalMove" in line for line in told)
