"""What is not stored did not happen; what was stored happened, even if nobody was told."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from fogbound.core import registry
from fogbound.server.lobby import Lobby
from fogbound.server.messages import NewTable
from fogbound.server.storage import StorageTrouble
from fogbound.server.table import GameTable, Refused, digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Unreliable, Watcher, in_a_loop
from tests.server.running import sqlite

GAME = "scotland-yard/grid3:detectives=1,rounds=4"
ARMIES = "risk/random:territories=8,players=2,neutral=false,deal=true,starting_armies=4"
ANN, BOB = "ann's secret", "bob's secret"

Act = Callable[[GameTable], Awaitable[Any]]


def with_table(folder: Path, seats: list[dict[str, Any]], work: Callable[..., Awaitable[Any]], game: str = GAME) -> None:
    """Work with a table, its maker's token and the storage that can be made to fail."""

    async def running() -> None:
        storage = Unreliable(sqlite(folder))
        lobby = Lobby(storage, Thinkers(1), seeds_for_all=True)
        asked = NewTable.model_validate({"game": game, "seats": seats, "nickname": "Ann", "seed": 1})
        table, token = await lobby.create(asked)
        try:
            await work(table, digest(token), storage)
        finally:
            storage.close()

    in_a_loop(running)


def looks(table: GameTable) -> dict[str, Any]:
    return {**table.summary(), "version": table.version, "chat": table.row.chat}


ME, OPEN = {"kind": "me"}, {"kind": "open"}
ACTS: dict[str, Callable[[GameTable, str], Awaitable[Any]]] = {
    "join": lambda table, _: table.join(BOB, "Bob", None),
    "leave": lambda table, ann: table.leave(ann),
    "ready": lambda table, ann: table.set_ready(ann, False),
    "fill and start": lambda table, ann: table.start(ann, "steady"),
    "chat": lambda table, ann: table.say(ann, "hello"),
}


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("fails", ["before", "after"])
def test_a_change_that_could_not_be_stored_is_made_or_not_but_never_by_half(tmp_path: Path, act: str, fails: str) -> None:
    async def work(table: GameTable, ann: str, storage: Unreliable) -> None:
        before = looks(table)
        storage.fails = fails
        with pytest.raises(StorageTrouble):
            await ACTS[act](table, ann)
        assert looks(table) == before
        storage.fails = ""
        await table.refresh()
        stored = storage.load(table.id)
        assert stored is not None
        assert (table.row.seats, table.phase, table.row.chat) == (stored.seats, stored.phase, stored.chat)
        assert (looks(table) == before) == (fails == "before")

    with_table(tmp_path, [ME, OPEN], work)


@pytest.mark.parametrize("fails", ["before", "after"])
def test_a_move_whose_acknowledgement_was_lost_can_be_sent_again(tmp_path: Path, fails: str) -> None:
    async def work(table: GameTable, ann: str, storage: Unreliable) -> None:
        assert table.match is not None
        code = table.match.legal()[0].code
        storage.fails = fails
        with pytest.raises(StorageTrouble):
            await table.play(ann, code, 0, "one")
        assert table.version == 0
        storage.fails = ""
        assert await table.play(ann, code, 0, "one") == 1
        assert await table.play(ann, code, 0, "one") == 1
        assert [move.code for move in table.match.moves] == [code]
        with pytest.raises(Refused, match="moved on"):
            await table.play(ann, code, 0)

    with_table(tmp_path, [ME, {"kind": "agent", "level": "steady"}], work)


def test_an_undo_that_could_not_be_stored_changes_nothing(tmp_path: Path) -> None:
    async def work(table: GameTable, ann: str, storage: Unreliable) -> None:
        assert table.match is not None
        await table.play(ann, table.match.legal()[0].code, 0)
        storage.fails = "before"
        with pytest.raises(StorageTrouble):
            await table.undo(ann, 1)
        assert table.version == 1
        storage.fails = ""
        await table.undo(ann, 1)
        assert table.version == 0

    with_table(tmp_path, [ME, {"kind": "agent", "level": "beginner"}], work, ARMIES)


def test_what_another_process_did_meanwhile_is_seen_before_anything_else_happens(tmp_path: Path) -> None:
    async def work(table: GameTable, ann: str, storage: Unreliable) -> None:
        row = storage.load(table.id)
        assert row is not None
        other = GameTable(row, table.game, storage)
        watcher = Watcher()
        table.enter(watcher)
        watcher.read(table)
        await other.join(BOB, "Bob", None)
        with pytest.raises(Refused, match="no open seat"):
            await table.join("third", "Cem", None)
        await other.set_ready(digest(BOB), True)
        assert other.match is not None
        code = other.match.legal()[0].code
        await table.refresh()
        await table.play(ann, code, 0)
        with pytest.raises(Refused, match="moved on"):
            await other.play(ann, code, 0)
        assert other.match.moves == table.match.moves  # type: ignore[union-attr]
        assert watcher.read(table)["history"][0]["seat"] == 0

    with_table(tmp_path, [ME, OPEN], work)


def test_the_stored_game_is_the_same_after_all_of_this(tmp_path: Path) -> None:
    async def work(table: GameTable, ann: str, storage: Unreliable) -> None:
        for number in range(6):
            assert table.match is not None
            if table.phase == "over" or table.match.to_move not in table.seats_of(ann):
                break
            storage.fails = ("", "before", "after")[number % 3]
            code = table.match.legal()[-1].code
            for _ in (1, 2):
                try:
                    await table.play(ann, code, number, f"move {number}")
                    break
                except StorageTrouble:
                    storage.fails = ""
        stored = storage.load(table.id)
        assert stored is not None and table.match is not None
        assert [code for _, code, _ in stored.moves] == [move.code for move in table.match.moves]
        assert len(stored.moves) == 6

    with_table(tmp_path, [ME, ME], work)


def test_games_know_their_boards_again(tmp_path: Path) -> None:
    async def work(table: GameTable, _: str, storage: Unreliable) -> None:
        lobby = Lobby(storage, Thinkers(1))
        again = await lobby.find(table.id)
        assert again.game.definition() == registry.game(GAME).definition()
        assert again.game.shipped

    with_table(tmp_path, [ME, OPEN], work)
