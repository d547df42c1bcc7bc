"""Tables over the network: playing, joining, watching, mistakes."""

from __future__ import annotations

import os
import time
import urllib.request
from pathlib import Path

import pytest
from sqlalchemy import update

from fogbound.core import registry
from fogbound.core.record import from_json
from fogbound.server.limits import Visitors
from fogbound.server.lobby import DAY, PLAYS, WAITS
from fogbound.server.storage import SeatRow, Storage, TableRow, live
from tests.server.running import Server, sqlite

PLAN1 = "scotland-yard/plan1"
YARD = "scotland-yard/plan1:detectives=1"


def test_games_boards_and_levels_are_told(server: Server) -> None:
    games = {game["name"]: game for game in server.get("/api/games")}
    assert {"beginner", "steady"} <= {level["name"] for level in games["scotland-yard"]["levels"]}
    board = server.get(f"/api/board?game={PLAN1}")
    assert len(board["drawing"]["stations"]) == 33
    assert board["side_names"] == ["Mr X", "Detectives"]


def test_a_whole_game_against_an_ai(server: Server) -> None:
    table, token = server.new_table(PLAN1, "steady", "me", "me", "me")
    client = server.client(table, token)
    while (seen := client.turn())["phase"] != "over":
        hidden = [move for move in seen["history"] if move["seat"] == 0][-1]["details"]["station"] is None
        assert (seen["view"]["stations"][0] is None) == hidden
        client.play(seen["legal"][0]["code"])
    assert "win" in seen["outcome"]
    assert seen["view"]["stations"][0] is not None
    record = from_json(server.get(f"/api/tables/{table}/record"))
    assert len(record.moves) == seen["version"]
    replay = server.get(f"/api/tables/{table}/replay?seat=1")
    assert len(replay["positions"]) == seen["version"] + 1
    assert replay["positions"][1]["view"]["stations"][0] is None
    assert server.get(f"/api/tables/{table}/replay")["positions"][1]["view"]["stations"][0] is not None


def test_a_game_that_is_over_at_its_start_is_told_so(server: Server) -> None:
    """Mr X in a corner, detectives on both ways out."""
    table, token = server.new_table("scotland-yard/grid3:detectives=2", "beginner", "me", "me", seed=51)
    seen = server.client(table, token).turn()
    assert (seen["phase"], seen["version"], seen["to_move"]) == ("over", 0, -1)
    assert "win" in seen["outcome"] and seen["view"]["stations"][0] is not None
    assert server.get(f"/api/tables/{table}/record")["moves"] == []


def test_two_people_meet_by_a_link_and_play(server: Server) -> None:
    table, ann = server.new_table(YARD, "me", "open")
    first = server.client(table, ann)
    first.receive()
    assert first.table["phase"] == "waiting"
    bob = server.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    second = server.client(table, bob)
    second.receive()
    assert second.table["mine"] == [1]
    second.send(type="ready")
    version = 0
    while True:
        for each in (first, second):
            while each.table["phase"] == "waiting" or each.table["version"] < version:
                each.receive()
        if first.table["phase"] == "over":
            break
        mover = first if first.table["to_move"] in first.table["mine"] else second
        mover.send(type="play", move=mover.table["legal"][0]["code"], version=version)
        version += 1
    assert first.table["phase"] == second.table["phase"] == "over"


def test_a_full_table_can_only_be_watched(server: Server) -> None:
    table, _ = server.new_table(YARD, "me", "steady")
    assert "no open seat" in server.post(f"/api/tables/{table}/join", {"nickname": "Eve"})["error"]


def test_a_move_cannot_be_played_twice_or_out_of_turn(server: Server) -> None:
    table, ann = server.new_table(YARD, "me", "open")
    bob = server.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    first, second = server.client(table, ann), server.client(table, bob)
    second.receive()
    second.send(type="ready")
    first.turn()
    code = first.table["legal"][0]["code"]
    second.send(type="play", move=code, version=0)
    assert "not your turn" in second.error()
    first.send(type="play", move=code, version=0)
    first.send(type="play", move=code, version=0)
    assert "moved on" in first.error()
    assert first.table["version"] == 1


def test_an_illegal_move_is_told_and_nothing_happens(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    client = server.client(table, token)
    client.turn()
    assert client.play(10**6)["type"] == "error"
    client.send(type="ping")
    client.until(lambda m: m["type"] == "pong")
    assert client.table["version"] == 0


def test_bad_messages_get_an_answer_and_hurt_nobody(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    client, other = server.client(table, token), server.client(table)
    client.turn()
    for text in (
        "junk",
        "[]",
        "{}",
        '{"type": "fly"}',
        '{"type": "play"}',
        '{"type": "play", "move": -1, "version": 0}',
        "x" * 20000,
    ):
        client.socket.send(text)
        assert len(client.error()) > 5
    other.receive()
    assert other.table["phase"] == "playing"
    client.play(client.table["legal"][0]["code"])
    assert client.table["version"] >= 1


def test_too_many_messages_are_held_back(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    client = server.client(table, token)
    client.turn()
    for _ in range(80):
        client.send(type="ping")
    assert "Too many messages" in client.error()


def test_wrong_requests_are_told_in_a_sentence(server: Server) -> None:
    assert server.get("/api/tables/nothere1")["status"] == 404
    wrong = server.post("/api/tables", {"game": "scotland-yard/plan9", "seats": [{"kind": "me"}]})
    assert "Did you mean" in wrong["error"]
    assert "seats" in server.post("/api/tables", {"game": PLAN1, "seats": [{"kind": "me"}]})["error"]
    levels = server.post("/api/tables", {"game": YARD, "seats": [{"kind": "me"}, {"kind": "agent", "level": "god"}]})
    assert "the levels are" in levels["error"]
    files = server.post("/api/tables", {"game": "scotland-yard/../secret.json", "seats": [{"kind": "me"}]})
    assert "Only boards" in files["error"]
    assert server.post("/api/replay", {"format": "no"})["status"] == 400
    assert server.get(f"/api/board?game=scotland-yard/plan1:{'a' * 60}!")["status"] == 400
    table, _ = server.new_table(YARD, "me", "steady")
    assert server.get(f"/api/tables/{table}/record")["status"] == 403


@pytest.mark.parametrize("door", ["replay", "analysis"])
@pytest.mark.parametrize("board", ["/etc/hostname", "x:/etc/hostname", "PIPE"])
def test_a_record_from_outside_opens_no_file_of_the_server(server: Server, tmp_path: Path, door: str, board: str) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)  # reading it would wait for ever
    game = f"scotland-yard/{board.replace('PIPE', str(pipe))}"
    answer = server.post(f"/api/{door}", {"format": "fogbound record", "version": 1, "game": game, "board": ""})
    assert answer["status"] == 400 and "Only boards that come with a game" in answer["error"]


def test_reloading_loses_nothing_and_a_stranger_only_watches(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    client = server.client(table, token)
    client.turn()
    client.play(client.table["legal"][0]["code"])
    seen = client.turn()
    client.close()
    again = server.client(table, token)
    again.receive()
    assert again.table["history"] == seen["history"]
    assert again.table["mine"] == [0]
    stranger = server.client(table, "not the token")
    stranger.receive()
    assert stranger.table["mine"] == []
    assert stranger.table["legal"] == []
    assert stranger.table["view"]["stations"][0] is None


def test_nothing_that_was_seen_can_be_taken_back(server: Server) -> None:
    table, token = server.new_table(PLAN1, "steady", "me", "me", "me")
    client = server.client(table, token)
    client.turn()
    client.play(client.table["legal"][0]["code"])
    assert client.table["can_undo"] is False
    client.send(type="undo", version=client.table["version"])
    assert "cannot be taken back" in client.error()


def test_one_screen_shows_nothing_hidden_before_it_is_handed_over(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "me", hotseat=True)
    client = server.client(table, token)
    client.receive()
    assert client.table["hand_over"] == 0
    assert client.table["view"]["stations"][0] is None
    assert client.table["legal"] == []
    client.send(type="show", seat=0)
    client.turn()
    assert client.table["view"]["stations"][0] is not None
    client.play(client.table["legal"][0]["code"])
    assert client.table["hand_over"] == 1
    assert client.table["view"]["stations"][0] is None
    assert client.table["history"][0]["details"]["station"] is None


def test_a_rematch_swaps_the_sides(server: Server) -> None:
    table, token = server.new_table("scotland-yard/grid3:detectives=1,rounds=1", "me", "steady")
    client = server.client(table, token)
    while client.turn()["phase"] != "over":
        client.play(client.table["legal"][0]["code"])
    client.send(type="rematch")
    client.until(lambda m: m["type"] == "table" and m["next"])
    again = server.client(client.table["next"], token)
    again.receive()
    assert again.table["mine"] == [1]
    assert again.table["seats"][0]["kind"] == "agent"


def test_people_talk_and_spectators_too(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    client, watcher = server.client(table, token), server.client(table)
    client.send(type="chat", text="<b>hello</b>")
    client.until(lambda m: m["type"] == "table" and m["chat"])
    watcher.send(type="chat", text="good luck")
    client.until(lambda m: m["type"] == "table" and len(m["chat"]) == 2)
    assert [line["from"] for line in client.table["chat"]] == ["Ann", "someone watching"]


def test_the_lobby_lists_public_tables_only(server: Server) -> None:
    shown, _ = server.new_table(YARD, "me", "open", public=True)
    hidden, _ = server.new_table(YARD, "me", "open")
    listed = {table["id"] for table in server.get("/api/tables")}
    assert shown in listed
    assert hidden not in listed


def test_someone_who_leaves_is_replaced_by_an_agent(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady")
    watcher = server.client(table)
    assert server.post(f"/api/tables/{table}/leave", {}, token) == {"left": True}
    watcher.until(lambda m: m["type"] == "table" and m["version"] >= 3)  # it has moved twice
    assert watcher.table["seats"][0]["kind"] == "agent"


def test_a_clock_that_runs_out_makes_the_move(server: Server) -> None:
    table, token = server.new_table(YARD, "me", "steady", clock={"kind": "move", "seconds": 5})
    client = server.client(table, token)
    assert client.turn()["seats"][0]["clock"] <= 5
    client.until(lambda m: m["type"] == "table" and m["version"] >= 1)
    assert "time of Mr X was up" in client.until(lambda m: m["type"] == "notice")["text"]


def test_the_analysis_comes_from_what_the_seat_knows(server: Server) -> None:
    table, token = server.new_table(PLAN1, "steady", "me", "me", "me")
    client = server.client(table, token)
    client.turn()
    client.send(type="analysis")
    found = client.until(lambda m: m["type"] == "analysis")
    assert found["moves"][0]["code"] in [move["code"] for move in client.table["legal"]]


def test_armies_that_were_placed_can_be_taken_back_until_something_is_rolled(server: Server) -> None:
    table, token = server.new_table(
        "risk/random:territories=8,players=2,neutral=false,deal=true,starting_armies=4", "me", "beginner", seed=1
    )
    client = server.client(table, token)
    client.turn()
    place = next(move for move in client.table["legal"] if move["details"]["kind"] == "place")
    before = client.table["view"]
    client.play(place["code"])
    assert client.table["can_undo"]
    client.send(type="undo", version=client.table["version"])
    client.until(lambda m: m["type"] == "table" and m["version"] == 0)
    assert client.table["view"] == before
    while client.table["view"]["phase"] == "draft":
        client.play(next(m for m in client.table["legal"] if m["details"]["kind"] == "place")["code"])
    attack = [move for move in client.table["legal"] if move["details"]["kind"] == "attack"]
    assert attack
    client.play(attack[0]["code"])
    assert client.table["can_undo"] is False


def test_steps_of_an_empire_turn_can_be_taken_back(server: Server) -> None:
    table, token = server.new_table("empire/seed:players=2", "me", "beginner", seed=1)
    client = server.client(table, token)
    client.turn()
    before = client.table["view"]
    several = [card["actions"][0]["action"] == "armies" and card["actions"][0]["count"] > 1 for card in before["row"]]
    client.play(client.table["legal"][several.index(True)]["code"])
    assert client.table["can_undo"] is False  # the row was filled up
    while not (army := next((m for m in client.table["legal"] if m["details"]["kind"] == "army"), None)):
        client.play(next(m for m in client.table["legal"] if m["text"] == "use armies")["code"])
    start, before = client.table["version"], client.table["view"]
    client.play(army["code"])
    assert client.table["can_undo"]
    client.send(type="undo", version=client.table["version"])
    client.until(lambda m: m["type"] == "table" and m["version"] == start)
    assert client.table["view"] == before


def test_odds_are_told(server: Server) -> None:
    found = server.get("/api/odds?attackers=3&defenders=2")
    assert 0.6 < found["conquered"] < 0.7
    assert "error" in server.get("/api/odds?attackers=1000&defenders=2")


def test_whole_games_of_risk_and_empire_between_agents_are_watched_to_the_end(server: Server) -> None:
    for game in (
        "risk/random:territories=8,players=2,neutral=false,deal=true,round_limit=3",
        "empire/seed:players=2,turns=3",
    ):
        table, _ = server.new_table(game, "steady", "beginner")
        watcher = server.client(table)
        watcher.until(lambda m: m["type"] == "table" and m["phase"] == "over")
        assert watcher.table["outcome"]
        assert len(server.get(f"/api/tables/{table}/replay?seat=0")["positions"]) == watcher.table["version"] + 1


def test_who_asks_too_often_is_held_back() -> None:
    visitors = Visitors(rate=0.001, burst=3, most=2)
    assert [visitors.take("a") for _ in range(4)] == [True, True, True, False]
    assert visitors.take("b")
    assert visitors.take("c")  # the oldest address is forgotten, not everybody
    assert len(visitors.buckets) == 2


def test_pages_run_only_our_own_scripts(server: Server) -> None:
    with urllib.request.urlopen(f"{server.address}/table/anything") as answer:
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert b"<script>" not in answer.read()


def test_tables_at_which_nothing_happens_are_removed_after_a_while(tmp_path: Path) -> None:
    storage = Storage(sqlite(tmp_path))
    game, now = registry.game(YARD), time.time()
    for id, phase, age in (
        ("oldtable", "waiting", 8),
        ("newtable", "waiting", 6),
        ("oldgame", "playing", 61),
        ("game", "playing", 59),
    ):
        storage.create(TableRow(id, game.spec, dict(game.definition()), {}, phase, seats=[SeatRow(0), SeatRow(1)]))
        with storage.engine.begin() as connection:
            connection.execute(update(live).where(live.c.table_id == id).values(touched=now - age * DAY))
    storage.forget(now - WAITS, now - PLAYS)
    assert sorted(storage.unfinished()) == ["game", "newtable"]
    storage.close()
