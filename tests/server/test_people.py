"""People who share a screen, go away, come back, play again, and must not learn anything from the time an agent takes."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.server import lobby as lobbies
from fogbound.server import table as tables
from fogbound.server.bots import Bots
from fogbound.server.lobby import Lobby
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.table import GameTable, Refused, digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Watcher, in_a_loop
from tests.server.running import Server, sqlite
from tests.server.test_leaks import clean, stored

YARD = "scotland-yard/plan1:detectives=1"
SHORT = "scotland-yard/grid3:detectives=2,rounds=1"


def person(seat: int, name: str) -> SeatRow:
    return SeatRow(seat, "person", name, token=digest(name), ready=True)


def test_analysis_on_a_shared_screen_obeys_who_looks(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "me", hotseat=True)
    client = server.client(table, token)
    client.receive()
    for asked in ({}, {"agent": "random"}):
        client.send(type="analysis", **asked)
        assert client.until(lambda m: m["type"] == "analysis")["moves"] == []
    client.send(type="show", seat=0)
    client.until(lambda m: m["type"] == "table" and m["legal"])
    client.send(type="analysis")
    assert client.until(lambda m: m["type"] == "analysis")["moves"]
    client.play(client.table["legal"][0]["code"])
    client.send(type="analysis")
    assert client.until(lambda m: m["type"] == "analysis")["moves"] == []
    client.close()


def test_before_the_screen_is_handed_over_not_a_byte_depends_on_what_is_hidden(server: Server) -> None:
    """Two games that differ in where Mr X began, and in his first hidden move."""
    game = fb.game(YARD)
    one = game.new(seed=3)
    two = next(
        match
        for match in (game.new(seed=seed) for seed in range(200))
        if match.state["station"][0] != one.state["station"][0]
        and match.view(-1).state.tobytes() == one.view(-1).state.tobytes()
    )
    sent = []
    for number, match in enumerate((one, two)):
        id = stored(server, f"shared-{number}", match, shared=True)
        client = server.client(id, "token-0")
        client.receive()
        client.send(type="analysis")
        client.until(lambda m: m["type"] == "analysis")
        client.close()
        sent.append(clean(client, id))
    assert sent[0] == sent[1]


def test_a_forced_move_takes_as_long_as_others() -> None:
    bots = Bots.__new__(Bots)
    bots.delay, bots._paces = 0.6, defaultdict(list)
    bots.table = type("Table", (), {"game": registry.game(YARD)})()  # type: ignore[assignment]

    def takes(seconds: float, budget: float, forced: bool) -> float:
        thought = {"seconds": seconds, "budget": budget, "forced": forced}
        return round(seconds + bots._pause(0, thought), 6)

    assert takes(2.01, 2.0, False) == takes(0.0, 2.0, True) == 2.4  # by the time it was given
    bots._paces.clear()
    assert takes(0.001, 0.0, False) == takes(0.0, 0.0, True) == 0.6  # both are quick
    bots._paces.clear()
    assert takes(1.5, 0.0, False) == takes(0.0, 0.0, True) == 1.8  # like one of those before
    bots._paces.clear()
    assert takes(9.0, 0.0, False) == 9.0  # the first time, which does not count
    assert takes(1.5, 0.0, False) == takes(1.3, 0.0, False) == takes(0.7, 0.0, False) == takes(0.0, 0.0, True) == 1.8
    assert takes(1.9, 0.0, False) == takes(1.5, 0.0, False) == 2.4  # in whole steps, at the pace of the longest
    bots._paces.clear()
    assert takes(1.0, 1.0, False) == 1.2
    bots.delay = 0.0
    bots._paces.clear()
    assert takes(0.5, 0.0, False) == takes(0.5, 0.0, False) == takes(0.1, 0.0, False) == 0.5


def lobby_with(folder: Path, *rows: TableRow) -> Lobby:
    storage = Storage(sqlite(folder))
    for row in rows:
        storage.create(row)
    return Lobby(storage, Thinkers(1), bot_delay=0.0)


def yard(phase: str, *seats: SeatRow) -> TableRow:
    game = registry.game(SHORT)
    start = list(game.new(seed=1).start) if phase == "playing" else None
    return TableRow("yard", game.spec, dict(game.definition()), {}, phase, start, seats=list(seats))


async def finish(table: GameTable) -> None:
    while table.match is not None and not table.match.over:
        row = table.row.seats[table.match.to_move]
        await table.play(row.token, table.match.legal()[0].code, table.version)


def test_a_rematch_remembers_everybody_and_survives_a_restart(tmp_path: Path) -> None:
    async def work() -> Any:
        lobby = lobby_with(tmp_path, yard("playing", person(0, "Ann"), person(1, "Bob"), person(2, "Cem")))
        table = await lobby.find("yard")
        await finish(table)
        again = await lobby.rematch(table, digest("Bob"))
        assert (await lobby.rematch(table, digest("Ann"))).id == again.id
        other = Lobby(lobby.storage, Thinkers(1))  # as after a restart
        assert (await other.rematch(await other.find("yard"), digest("Cem"))).id == again.id
        seats = [(row.nickname, row.ready) for row in again.row.seats]
        everybody = [person(n, row.nickname) for n, row in enumerate(again.row.seats)]
        lobby.storage.create(replace(yard("playing", *everybody), id="third"))
        await finish(await lobby.find("third"))
        last = await lobby.rematch(await lobby.find("third"), digest("Ann"))
        lobby.close()
        return seats, [row.nickname for row in last.row.seats]

    seats, later = in_a_loop(work)
    assert seats == [("Bob", True), ("Cem", False), ("Ann", False)]
    assert later == ["Cem", "Ann", "Bob"]


def test_whoever_was_away_takes_his_seat_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "AWAY", 0.0)

    async def work() -> None:
        lobby = lobby_with(tmp_path, yard("playing", person(0, "Ann"), person(1, "Bob"), person(2, "Bob")))
        table = await lobby.find("yard")
        ann = Watcher("Ann")
        table.enter(ann)
        await table.take_over(ann.token, 1, None)
        assert [row.kind for row in table.row.seats] == ["person", "agent", "agent"]
        bob = Watcher("Bob")
        table.enter(bob)
        assert (bob.read(table)["mine"], table.held_for(bob.token)) == ([], [1, 2])
        with pytest.raises(Refused, match="No agent plays for you"):
            await table.reclaim(digest("someone else"))
        await table.reclaim(bob.token)
        assert bob.read(table)["mine"] == [1, 2]
        found = lobby.storage.load("yard")
        assert found is not None
        assert [(row.kind, row.nickname, row.level) for row in found.seats[1:]] == [("person", "Bob", None)] * 2
        await table.leave(str(bob.token))  # for good
        assert table.held_for(bob.token) == []
        lobby.close()

    in_a_loop(work)


def test_tables_that_nobody_looks_at_leave_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lobbies, "IDLE", 0.0)

    async def work() -> tuple[list[str], list[str]]:
        lobby = lobby_with(tmp_path, yard("playing", person(0, "Ann"), person(1, "Bob"), person(2, "Bob")))
        watcher = Watcher()
        table = await lobby.find("yard")
        table.enter(watcher)
        looking_after = asyncio.create_task(lobby.look_after())
        await asyncio.sleep(1.2)
        watched = list(lobby.tables)
        table.exit(watcher)
        await asyncio.sleep(1.2)
        looking_after.cancel()
        left = list(lobby.tables)
        assert (await lobby.find("yard")).phase == "playing"
        lobby.close()
        return watched, left

    assert in_a_loop(work) == (["yard"], [])


def test_agents_do_not_play_unwatched(tmp_path: Path) -> None:
    async def work() -> int:
        agents = [SeatRow(seat, "agent", "Steady", "steady", ready=True) for seat in range(3)]
        lobby = lobby_with(tmp_path, yard("playing", *agents))
        table = await lobby.find("yard")
        lobby.bots["yard"].wake()
        await asyncio.sleep(0)
        asked = len(lobby.thinkers.waiting)
        table.enter(Watcher())
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert len(lobby.thinkers.waiting) == 1
        lobby.close()
        return asked

    assert in_a_loop(work) == 0
