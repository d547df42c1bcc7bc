"""Several server processes on one PostgreSQL: what one changes, all see; one that is killed is missed by nobody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import create_engine, text

import fogbound as fb
from fogbound.server import errands
from fogbound.server.limits import Shares
from fogbound.server.lobby import Lobby
from fogbound.server.neighbours import Neighbours
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.thinking import FREE, Terms, Thinkers
from tests.server.inside import in_a_loop
from tests.server.running import Server, free_port

GAME = "scotland-yard/plan1:detectives=1"
FAR = "scotland-yard/london:detectives=1"  # with seed 4 nobody is caught within six moves, whatever the agent does


@pytest.fixture(scope="module")
def shared(postgres: str) -> str:
    """A database for several servers."""
    with create_engine(f"{postgres}postgres", isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text("CREATE DATABASE many"))
    return f"{postgres}many"


@pytest.fixture(scope="module")
def two(shared: str) -> Iterator[tuple[Server, Server]]:
    servers = Server(shared, seeds_for_all=True), Server(shared, seeds_for_all=True)
    yield servers
    for each in servers:
        each.kill()


def two_people(two: tuple[Server, Server]) -> tuple[str, str, str, Any, Any]:
    """A game of two people who are connected to different processes."""
    here, there = two
    table, ann = here.new_table(GAME, "me", "open", seed=1)
    bob = there.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    first, second = here.client(table, ann), there.client(table, bob)
    second.receive()
    second.send(type="ready")
    first.turn()
    return table, ann, bob, first, second


def test_people_at_different_processes_play_one_game(two: tuple[Server, Server]) -> None:
    table, _, _, first, second = two_people(two)
    watcher = two[1].client(table)
    while (first.table["phase"], second.table["phase"]) != ("over", "over"):
        for each in (first, second):
            if each.table["phase"] == "playing" and each.table["to_move"] in each.table["mine"]:
                each.play(each.table["legal"][0]["code"])
                break
        version = max(first.table.get("version", 0), second.table.get("version", 0))
        for each in (first, second):
            while each.table["version"] < version:
                each.receive()
    assert first.table["outcome"] == second.table["outcome"]
    assert first.table["history"] == second.table["history"]
    watcher.until(lambda m: m["type"] == "table" and m["phase"] == "over")
    assert sum(json.loads(text)["type"] == "table" for text in watcher.received) <= 3  # the rest came as changes


def test_who_is_there_is_known_everywhere_and_talks_to_everybody(two: tuple[Server, Server]) -> None:
    first, second = two_people(two)[3:]
    if not first.table["seats"][1]["connected"]:  # it may have come with the turn
        first.until(lambda m: m["type"] == "table" and m["seats"][1]["connected"])
    second.send(type="chat", text="good luck")
    first.until(lambda m: m["type"] == "table" and m["chat"])
    second.close()
    first.until(lambda m: m["type"] == "table" and not m["seats"][1]["connected"])


def test_a_move_taken_back_elsewhere_is_gone_here(two: tuple[Server, Server]) -> None:
    here, there = two
    game = "risk/random:territories=8,players=2,neutral=false,deal=true,starting_armies=4"
    table, token = here.new_table(game, "me", "beginner", seed=1)
    client, watcher = here.client(table, token), there.client(table)
    client.turn()
    client.play(next(move for move in client.table["legal"] if move["details"]["kind"] == "place")["code"])
    watcher.until(lambda m: m["type"] == "table" and m["version"] == 1)
    client.send(type="undo", version=1)
    watcher.until(lambda m: m["type"] == "table" and m["version"] == 0)
    assert watcher.table["history"] == []


def test_when_a_process_is_killed_another_plays_on_and_no_move_is_lost(shared: str, two: tuple[Server, Server]) -> None:
    there = two[1]
    here = Server(shared, seeds_for_all=True)
    table, token = here.new_table(FAR, "me", "beginner", seed=4)
    client, watcher = here.client(table, token), there.client(table)
    client.turn()
    client.send(type="play", move=client.table["legal"][0]["code"], version=0, id="first")
    client.until(lambda m: m["type"] == "played")
    here.kill()
    watcher.until(lambda m: m["type"] == "table" and m["version"] >= 2)  # the agent has answered
    again = there.client(table, token)
    again.receive()
    assert again.table["history"][0]["seat"] == 0
    again.play(again.turn()["legal"][0]["code"])
    watcher.until(lambda m: m["type"] == "table" and m["version"] >= 4)


def test_an_address_has_one_share_of_all_processes(shared: str) -> None:
    async def work() -> None:
        lobbies = [Lobby(Storage(shared), Thinkers(1)) for _ in range(2)]
        here, there = (Neighbours(lobby, Shares(1)) for lobby in lobbies)
        here.start()
        there.start()
        await asyncio.sleep(0.5)  # both listen
        while here.shares.asked.take("ann"):
            pass
        async with asyncio.timeout(20):
            while there.shares.asked.peek("ann"):
                await asyncio.sleep(0.05)
        assert there.shares.asked.peek("bob")
        for each in (here, there):
            await each.close()
            each.lobby.close()

    in_a_loop(work)


def test_agents_play_on_when_a_lease_that_ran_out_is_renewed(shared: str) -> None:
    """The database was away for longer than a lease; nothing but its return says that it is the agents' turn."""

    async def work() -> None:
        woken = asyncio.Event()
        lobby = Lobby(Storage(shared), Thinkers(1))
        neighbours = Neighbours(lobby, Shares(1))
        lobby.storage.create(TableRow("lapsed", GAME, {}, {}, seats=[SeatRow(0)]))
        lobby.tables["lapsed"] = cast(Any, SimpleNamespace(viewers=[SimpleNamespace(token=None)], refresh=AsyncMock()))
        lobby.bots["lapsed"] = cast(Any, SimpleNamespace(wake=woken.set, close=lambda: None))
        neighbours._kept["lapsed"] = time.monotonic() - 1
        assert not neighbours.keeps("lapsed")
        neighbours.start()
        await asyncio.wait_for(woken.wait(), 20)
        assert neighbours.keeps("lapsed")
        await neighbours.close()
        lobby.close()

    in_a_loop(work)


def test_serve_starts_several_processes_and_replaces_one_that_ends(shared: str) -> None:
    port = free_port()
    command = [sys.executable, "-m", "fogbound", "serve", "--port", str(port), "--workers", "2", "--thinkers", "1"]
    running = subprocess.Popen([*command, "--database", shared], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        first = children(running.pid, 2)
        os.kill(first[0], signal.SIGKILL)
        deadline = time.monotonic() + 60
        while set(children(running.pid, 2)) == set(first):
            assert time.monotonic() < deadline
            time.sleep(0.2)
    finally:
        running.terminate()
        running.wait()


def test_processes_that_cannot_serve_as_they_were_told_to_are_not_started_again(shared: str) -> None:
    command = [sys.executable, "-m", "fogbound", "serve", "--port", str(free_port()), "--workers", "2", "--proxy", "here"]
    done = subprocess.run([*command, "--database", shared], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 2
    told = done.stderr.count("“here” is no proxy's address")
    assert told in (1, 2)  # once each; the first one's end may stop the second before it says so


def children(parent: int, count: int) -> list[int]:
    for _ in range(600):
        found = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout.split()
        if len(found) == count:
            return [int(each) for each in found]
        time.sleep(0.1)
    raise AssertionError("the processes did not start")


def test_thinkers_elsewhere_think_for_a_server_without_any(shared: str) -> None:
    def start() -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "fogbound", "thinker", "--workers", "1", "--database", shared]
        return subprocess.Popen(command, stdout=subprocess.DEVNULL, start_new_session=True)

    server, thinker = Server(shared, thinkers=0), start()
    try:
        table, token = server.new_table(FAR, "me", "beginner", seed=4)
        client = server.client(table, token)
        client.turn()
        client.play(client.table["legal"][0]["code"])
        client.turn()
        thinker.kill()
        thinker.wait()
        client.play(client.table["legal"][0]["code"])
        thinker = start()
        assert client.turn()["version"] >= 4
        record = fb.play("scotland-yard/grid3:detectives=1,rounds=1", ["random"], seed=1).to_json()
        assert len(server.post("/api/replay", record)["positions"]) == len(record["moves"]) + 1
        assert server.post("/api/replay", {"format": "no"})["status"] == 400
    finally:
        thinker.kill()
        thinker.wait()
        server.kill()


def test_thinkers_elsewhere_leave_what_nobody_wants_any_more(shared: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(errands, "LEASE", 0.4)

    class Endless(Thinkers):
        begun, left = asyncio.Event(), asyncio.Event()

        def start(self) -> None:
            pass

        async def ask_text(self, task: str, given: bytes, terms: Terms = FREE) -> bytes:
            self.begun.set()
            try:
                await asyncio.sleep(1000)
            finally:
                self.left.set()
            return b""

    async def work() -> None:
        asking, thinking = Storage(shared), Storage(shared)
        runner = asyncio.ensure_future(errands.Runner(thinking, Endless(1)).run())
        wish = asyncio.ensure_future(errands.Errands(asking).ask("move", "{}", FREE))
        await asyncio.wait_for(Endless.begun.wait(), 20)
        wish.cancel()
        await asyncio.wait_for(Endless.left.wait(), 20)
        runner.cancel()
        await asyncio.gather(runner, wish, return_exceptions=True)
        asking.close()
        thinking.close()

    in_a_loop(work)


def test_sqlite_with_several_processes_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "fogbound", "serve", "--workers", "2"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "Several server processes need PostgreSQL" in done.stderr
    for command in (["serve", "--thinkers", "0"], ["thinker", "--database", "sqlite://"]):
        done = subprocess.run([sys.executable, "-m", "fogbound", *command], capture_output=True, text=True, check=False)
        assert done.returncode == 2 and "PostgreSQL" in done.stderr
