"""What goes over the wire: the whole once, then what is new; each text made once; whoever does not read is let go."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.sync.client import connect

from fogbound.core import registry
from fogbound.server import socket as sockets
from fogbound.server.lobby import Lobby
from fogbound.server.storage import Storage
from fogbound.server.table import GameTable, digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Watcher, in_a_loop
from tests.server.running import Client, Server, sqlite

ARMIES = "risk/random:territories=8,players=2,neutral=false,deal=true,starting_armies=200"
YARD = "scotland-yard/plan1:detectives=1"


def hot_seat(folder: Path, game: str) -> tuple[GameTable, str, Storage]:
    storage = Storage(sqlite(folder))

    async def make() -> tuple[GameTable, str]:
        lobby = Lobby(storage, Thinkers(1))
        table, token = await lobby.create_own(registry.game(game), 0, "beginner", 1)
        table.row.seats[1].kind, table.row.seats[1].token = "person", digest(token)
        return table, digest(token)

    table, token = in_a_loop(make)
    return table, token, storage


def test_the_bytes_of_a_move_do_not_grow_with_the_game(tmp_path: Path) -> None:
    table, token, storage = hot_seat(tmp_path, ARMIES)

    async def work() -> list[int]:
        watcher, sizes = Watcher(), []
        table.enter(watcher)
        assert watcher.read(table)["type"] == "table"
        for version in range(120):
            assert table.match is not None
            await table.play(token, table.match.legal()[0].code, version)
            change = watcher.read(table)
            assert change["type"] == "change"
            assert [move["number"] for move in change["history"]["moves"]] == [version]
            assert "spec" not in change["set"]
            assert "armies" in change["view"] and "turned_in" not in change["view"]
            sizes.append(len(json.dumps(change)))
        return sizes

    sizes = in_a_loop(work)
    storage.close()
    assert max(sizes[100:]) < 1.2 * max(sizes[:20])


def test_changes_add_up_to_the_whole(tmp_path: Path) -> None:
    """A reader who skips messages, one who reads all, and one who comes anew know the same after any change."""
    table, token, storage = hot_seat(tmp_path, ARMIES.replace("200", "4"))

    async def work() -> None:
        always, seldom, undone = Reader(token), Reader(token), 0
        for reader in (always, seldom):
            table.enter(reader)
            reader.take(table)
        for step in range(30):
            assert table.match is not None
            if any(table._can_undo(seat) for seat in (0, 1)) and step % 3 == 2:
                await table.undo(token, table.version)
                undone += 1
            elif step % 7 == 5:
                await table.say(token, f"line {step}")
            else:
                await table.play(token, table.match.legal()[0].code, table.version)
            always.take(table)
            if step % 5 == 0:
                seldom.take(table)
                fresh = Reader(token)
                fresh.take(table)
                assert always.known == seldom.known == fresh.known
        assert undone > 3

    in_a_loop(work)
    storage.close()


class Reader(Watcher):
    """Puts together what it is sent, as the page does."""

    def __init__(self, token: str) -> None:
        super().__init__()
        self.token, self.shown, self.known = token, 0, {}

    def take(self, table: GameTable) -> None:
        text = table.news(self)
        if text is None:
            return
        message: dict[str, Any] = json.loads(text)
        self.known = message if message["type"] == "table" else Client.changed(self, message)  # type: ignore[arg-type]

    @property
    def table(self) -> dict[str, Any]:
        return self.known


def test_who_does_not_ask_for_changes_is_sent_the_whole_table(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    with connect(f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket") as bot:
        bot.send(json.dumps({"type": "hello", "token": token}))
        seen = json.loads(bot.recv(60))
        bot.send(json.dumps({"type": "play", "move": seen["legal"][0]["code"], "version": 0}))
        while not seen["legal"] or seen["version"] == 0:
            seen = json.loads(bot.recv(60))
            assert seen["type"] == "table"
        assert len(seen["history"]) == seen["version"] == 2


def test_all_who_see_the_same_are_sent_the_same_text(tmp_path: Path) -> None:
    table, token, storage = hot_seat(tmp_path, ARMIES)

    async def work() -> tuple[list[str | None], list[str | None]]:
        watchers = [Watcher() for _ in range(50)]
        for watcher in watchers:
            table.enter(watcher)
        first = [table.news(watcher) for watcher in watchers]
        assert table.match is not None
        await table.play(token, table.match.legal()[0].code, 0)
        return first, [table.news(watcher) for watcher in watchers]

    for texts in in_a_loop(work):
        assert len({id(text) for text in texts}) == 1
    storage.close()


def test_a_spectator_who_enters_disturbs_nobody(tmp_path: Path) -> None:
    table, _, storage = hot_seat(tmp_path, ARMIES)

    async def work() -> None:
        first = Watcher()
        table.enter(first)
        first.read(table)
        first.changed.clear()
        table.enter(Watcher())
        assert not first.changed.is_set()
        assert table.news(first) is None

    in_a_loop(work)
    storage.close()


def test_the_last_move_shows_everything_at_once(server: Server) -> None:
    table, token = server.new_table("scotland-yard/grid3:detectives=1,rounds=1", "me", "steady")
    client, watcher = server.client(table, token), server.client(table)
    while client.turn()["phase"] != "over":
        client.play(client.table["legal"][0]["code"])
    watcher.until(lambda m: m["type"] == "table" and m["phase"] == "over")
    assert watcher.table["history"] == client.table["history"]
    assert watcher.table["history"][0]["details"]["station"] is not None


def test_who_never_reads_stops_neither_the_table_nor_the_clocks(server: Server) -> None:
    """Its socket's buffers are small and filled with moves and lines of chat that it never takes."""
    table, token = server.new_table(YARD, "me", "steady", clock={"kind": "move", "seconds": 5})
    deaf = socket.create_connection(("127.0.0.1", server.port))
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
    key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
    head = f"GET /api/tables/{table}/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n{key}\r\n"
    hello = json.dumps({"type": "hello", "token": None}).encode()
    deaf.sendall(head.encode() + bytes([0x81, 0x80 | len(hello), 0, 0, 0, 0]) + hello)
    client = server.client(table, token)
    client.turn()
    for _ in range(40):
        client.send(type="chat", text="x" * 500)
    client.play(client.table["legal"][0]["code"])
    client.turn()
    client.until(lambda m: m["type"] == "table" and m["version"] >= 3)  # by the clock
    deaf.close()


@pytest.mark.parametrize("text", ["not json", '{"type": "hello", "token": 1}', "[" * 5000])
def test_a_bad_greeting_is_answered(server: Server, text: str) -> None:
    table, _ = server.new_table(YARD, "me", "steady")
    with connect(f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket") as raw:
        raw.send(text)
        assert "first message" in json.loads(raw.recv(30))["error"]


def test_a_connection_that_takes_nothing_is_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockets, "PATIENCE", 0.05)
    table, _, storage = hot_seat(tmp_path, YARD)

    class Stuck:
        client = None

        async def accept(self) -> None:
            pass

        async def receive_text(self) -> str:
            return '{"type": "hello", "token": null}'

        async def receive(self) -> dict[str, str]:
            await asyncio.sleep(1000)
            return {}

        async def send_text(self, _text: str) -> None:
            await asyncio.sleep(1000)

    async def work() -> None:
        lobby = Lobby(storage, Thinkers(1))
        connection = sockets.Connection(Stuck(), lobby)  # type: ignore[arg-type]
        await asyncio.wait_for(connection.serve(table.id), 60)
        assert connection.table is not None
        assert connection.table.viewers == set()

    in_a_loop(work)
    storage.close()


def test_who_leaves_while_something_is_sent_is_let_go() -> None:
    async def work() -> None:
        class Leaving:
            client = None

            async def send_text(self, _text: str) -> None:
                sending.cancel()  # the very moment at which the last text is taken

        table: Any = SimpleNamespace(version=0, audience=lambda _viewer: None)
        connection = sockets.Connection(Leaving(), None)  # type: ignore[arg-type]
        connection.tell({"type": "pong"})
        sending = asyncio.create_task(connection._send(table))
        done, _ = await asyncio.wait({sending}, timeout=5)
        assert sending in done and sending.cancelled()

    in_a_loop(work)
