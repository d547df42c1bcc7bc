"""Replays: as much work for each move of a long game as of a short one, bounded, and never in the way of others."""

from __future__ import annotations

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.core.errors import FogboundError
from fogbound.core.view import Seen
from fogbound.server import limits
from fogbound.server.limits import Busy, Room
from fogbound.server.replays import from_stranger, replay, replay_bytes
from tests.server.inside import in_a_loop
from tests.server.running import Server

RECORD = fb.play("scotland-yard/plan1", ["heuristic", "random"], seed=1)


@pytest.mark.parametrize("seat", [None, 1, SPECTATOR])
def test_a_long_game_takes_no_more_for_each_move_than_a_short_one(monkeypatch: pytest.MonkeyPatch, seat: int | None) -> None:
    made = 0

    class Counted(Seen):
        def __init__(self, seat: int, code: int) -> None:
            nonlocal made
            made += 1
            super().__init__(seat, code)

    monkeypatch.setattr("fogbound.core.match.Seen", Counted)
    monkeypatch.setattr("fogbound.core.match.View", None)  # whose history is as long as the game
    assert len(replay(RECORD, seat)["positions"]) == len(RECORD.moves) + 1
    assert made <= (RECORD.game.seats + 2) * len(RECORD.moves)


def test_a_replay_shows_what_each_seat_saw() -> None:
    match = RECORD.replay(0)
    for seat in (None, 1, SPECTATOR):
        shown = json.loads(replay_bytes(RECORD, seat))["positions"]
        for number, position in enumerate(shown):
            match = RECORD.replay(number)
            view = match.revealed() if seat is None else match.view(seat)
            assert position["view"] == json.loads(json.dumps(match.game.public(view.state)))
            assert position["move"] is None if number == 0 else position["move"]["seat"] == view.history[-1].seat
            assert number == 0 or position["move"]["text"] == match.game.describe(view.history[-1].code)


def test_a_record_that_goes_on_for_ever_is_refused() -> None:
    data = RECORD.to_json()
    data["moves"] = [data["moves"][0]] * (limits.RECORD_MOVES + 1)
    with pytest.raises(FogboundError, match=r"10,001 moves; the page shows games of up to 10,000"):
        from_stranger(json.dumps(data).encode())


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 100_000, b'"\\ud800"', b"\x00"])
def test_a_body_that_is_no_record_is_refused_in_words(body: bytes) -> None:
    with pytest.raises(FogboundError) as error:
        from_stranger(body)
    assert "\n" not in str(error.value)


def test_heavy_work_has_so_many_places_and_a_share_for_each_visitor() -> None:
    async def visit() -> None:
        room, go_on = Room("replays", places=3, share=2), asyncio.Event()
        tasks = [asyncio.create_task(room.run(who, go_on.wait)) for who in ("ann", "ann", "bob")]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="Your last replays are still being made"):
            await room.run("ann", go_on.wait)
        with pytest.raises(Busy, match="for others now"):
            await room.run("bob", go_on.wait)
        tasks[2].cancel()  # who goes away leaves his place to others
        await asyncio.gather(tasks[2], return_exceptions=True)
        assert room.inside == {"ann": 2}
        go_on.set()
        assert await asyncio.gather(*tasks[:2], room.run("bob", go_on.wait)) == [True, True, True]
        assert not room.inside

    in_a_loop(visit)


def test_many_replays_at_once_are_made_or_refused_and_others_are_answered(server: Server) -> None:
    record = fb.play("risk/classic:players=3", ["random"], seed=2).to_json()  # some two thousand moves
    with ThreadPoolExecutor(8) as visitors:
        asked = [visitors.submit(server.post, "/api/replay", record) for _ in range(8)]
        for _ in range(20):
            assert isinstance(server.get("/api/tables"), list)
        answers = [each.result() for each in asked]
    made = [each for each in answers if "positions" in each]
    refused = [each for each in answers if "positions" not in each]
    assert made and refused
    assert all(len(each["positions"]) == len(record["moves"]) + 1 for each in made)
    assert {(each["status"], each["error"]) for each in refused} == {
        (503, "Your last replays are still being made; wait for them.")
    }
