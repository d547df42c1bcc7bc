"""A game from an installed package on the server: told, drawn, played and asked like any other."""

from __future__ import annotations

import json
import os
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.cli.serve import allow_programs
from fogbound.server.levels import PROGRAMS
from tests.contract.specs import PROGRAM
from tests.installed import install, install_kuhn
from tests.server.running import Server, sqlite

DRAWN = """
from dataclasses import replace
from fogbound_kuhn.game import FAMILY as KUHN, Kuhn
from fogbound.core.registry import Level
class Drawn(Kuhn):
    family = "drawn"
FAMILY = replace(
    KUHN,
    name="drawn",
    game=Drawn,
    quick_start=None,
    title="Kuhn Poker with a drawing",
    levels=(Level("only", "Only", "plays any legal move", "random"),),
    page="drawn_kuhn:page/drawn.js",
    queries={"sum": "drawn_kuhn:add"},
)
def add(a: int, b: int) -> dict[str, int]:
    return {"sum": a + b}
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    site = tmp_path_factory.mktemp("site")
    page = site / "drawn_kuhn" / "page"
    page.mkdir(parents=True)
    (page.parent / "__init__.py").write_text(DRAWN)
    (page / "drawn.js").write_text("export default { Board: class {} };")
    (page / "drawn.css").write_text("p {}")
    install(site, "drawn-kuhn", "[fogbound.games]\ndrawn = drawn_kuhn:FAMILY\nbroken = no_such_module:FAMILY\n")
    allow_programs([f"Gambler={PROGRAM.removeprefix('program:')}"])
    running = Server(sqlite(tmp_path_factory.mktemp("server")), path=install_kuhn(site))
    del os.environ[PROGRAMS]
    yield running
    running.kill()


def test_it_is_told_with_the_others(server: Server) -> None:
    games = {game["name"]: game for game in server.get("/api/games")}
    assert list(games) == ["scotland-yard", "risk", "empire", "drawn", "kuhn"]  # the broken one is left out
    assert games["kuhn"]["module"] == "/js/games/plain.js"
    assert games["kuhn"]["quick_start"]["game"] == "kuhn/suit"
    usual = ["beginner", "casual", "steady", "thinker", "master", "champion"]
    assert [level["name"] for level in games["kuhn"]["levels"]] == [*usual, "Gambler"]
    assert games["drawn"]["module"] == "/games/drawn/drawn.js"
    assert [level["name"] for level in games["drawn"]["levels"]] == ["only", "Gambler"]
    assert games["drawn"]["default_level"] == "only"
    assert server.get("/api/games/kuhn") == games["kuhn"]
    assert "cannot be loaded" in server.get("/api/games/broken")["error"]


def test_its_own_files_are_served_and_nothing_else(server: Server) -> None:
    for name, kind in (("drawn.js", "javascript"), ("drawn.css", "css")):
        with urllib.request.urlopen(f"{server.address}/games/drawn/{name}") as answer:
            assert kind in answer.headers["content-type"]
    for path in ("/games/drawn/missing.js", "/games/drawn/%2e%2e/__init__.py", "/games/kuhn/game.py", "/games/risk/x.js"):
        assert server.get(path)["status"] == 404


def test_its_queries_are_answered(server: Server) -> None:
    assert server.get("/api/games/drawn/sum?a=2&b=3") == {"sum": 5}
    assert server.get("/api/sum?a=2&b=3") == {"sum": 5}
    assert server.get("/api/games/risk/odds?attackers=3&defenders=2") == server.get("/api/odds?attackers=3&defenders=2")
    assert server.get("/api/games/drawn/sum?a=2&b=x") == {
        "status": 400,
        "error": "b: should be a valid integer, unable to parse string as an integer.",
    }
    assert server.get("/api/games/drawn/product?a=2&b=3")["status"] == 404
    assert server.get("/api/product")["status"] == 404


def test_a_whole_game_is_played(server: Server) -> None:
    table, token = server.new_table("kuhn", "me", "steady")
    client = server.client(table, token)
    while client.turn()["phase"] != "over":
        assert client.table["view"]["players"][1]["card"] is None
        assert [move["text"] for move in client.table["legal"]] == ["pass", "bet"]
        client.play(client.table["legal"][0]["code"])
    assert "win" in client.table["outcome"]
    record = server.get(f"/api/tables/{table}/record")
    assert server.post("/api/replay", record)["positions"][-1]["view"]["players"][1]["card"] is not None
    assert server.post("/api/analysis?move=0", record)["exact"] is None
    client.close()


def test_a_program_plays_if_the_operator_allows_it_and_no_other(server: Server) -> None:
    """Visitors choose it by its name; they cannot start one of their own, and are not told its command."""
    assert "bot.py" not in json.dumps([server.get("/api/games"), server.get("/api/board?game=kuhn")])
    table, token = server.new_table("kuhn", "me", "Gambler")
    client = server.client(table, token)
    while client.turn()["phase"] != "over":
        client.play(client.table["legal"][0]["code"])
    assert client.table["seats"][1]["level"] == "Gambler" and "bot.py" not in json.dumps(client.table)
    client.close()
    seats = [{"kind": "me"}, {"kind": "agent", "level": "program:./my-bot"}]
    refused = server.post("/api/tables", {"game": "kuhn", "nickname": "Eve", "seats": seats})
    assert refused["status"] == 400 and "There is no level" in refused["error"]
    with pytest.raises(fb.FogboundError, match="write NAME=COMMAND"):
        allow_programs(["./my-bot"])


def test_someone_who_leaves_is_replaced_by_the_games_own_level(server: Server) -> None:
    table, token = server.new_table("drawn", "me", "open")
    other = server.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    client = server.client(table, other)
    client.send(type="ready")
    client.until(lambda m: m["type"] == "table" and m["phase"] == "playing")
    server.post(f"/api/tables/{table}/leave", {}, token)
    assert client.until(lambda m: m["seats"][0]["kind"] == "agent")["seats"][0]["level"] == "only"
    client.close()


def test_a_server_starts_though_the_game_of_a_table_is_gone(tmp_path: Path) -> None:
    path = install_kuhn(tmp_path / "site")
    first = Server(sqlite(tmp_path), path=path)
    table, token = first.new_table("kuhn", "me", "beginner")
    first.kill()
    without = Server(sqlite(tmp_path))
    assert "There is no game “kuhn”" in without.get(f"/api/tables/{table}")["error"]
    assert [game["name"] for game in without.get("/api/games")] == ["scotland-yard", "risk", "empire"]
    without.kill()
    again = Server(sqlite(tmp_path), path=path)
    client = again.client(table, token)
    assert [move["text"] for move in client.turn()["legal"]] == ["pass", "bet"]
    client.close()
    again.kill()
