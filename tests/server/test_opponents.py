"""Any opponent within bounds, series with a tally, what a maker decides, reviews, puzzles and boards of one's own."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

import fogbound as fb
from fogbound.core.errors import FogboundError
from fogbound.core.puzzles import shipped
from fogbound.server import review as reviews
from fogbound.server.analysis import wait_until_solved
from fogbound.server.compiling import RULES, Compiling
from fogbound.server.opponents import offered, safe_agent
from fogbound.server.puzzles import position
from fogbound.server.review import review
from fogbound.server.thinking import Terms, Thinkers
from fogbound.server.warm import play_on
from tests.server.inside import in_a_loop
from tests.server.running import Server

SHORT = "scotland-yard/grid3:detectives=1,rounds=2"
BOARD = fb.game(SHORT)
TEXTS = Path(fb.__file__).parent / "web" / "texts"


def ended(message: dict[str, Any]) -> bool:
    return bool(message["type"] == "table" and message["phase"] == "over")


@pytest.mark.parametrize("family", ["scotland-yard", "risk", "empire"])
def test_every_offered_agent_and_option_is_described_in_every_language(family: str) -> None:
    agents = offered(fb.game(family))
    said = [each["about"] for agent in agents for each in (agent, *agent["options"])]
    keys = {"server." + re.sub(r"\d+", "{n}", text, count=1) for text in said}
    for language in ("cs", "sk"):
        files = [TEXTS / f"{name}{language}.json" for name in ("", f"{family}.")]
        known = {key for file in files for key in json.loads(file.read_text(encoding="utf-8"))}
        assert keys <= known, language


def test_every_offered_agent_has_its_options_as_controls() -> None:
    found = {agent["name"]: agent for agent in offered(BOARD)}
    assert "person" not in found
    assert {"alphabeta", "mcts", "random"} <= found.keys()
    assert "2020" in found["alphabeta"]["source"]
    options = {option["name"]: option for option in found["mcts"]["options"]}
    assert options["iterations"]["type"] == "integer" and options["iterations"]["optional"]
    assert options["choice"]["choices"] == ["visits", "value"] or "visits" in options["choice"]["choices"]


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ("mcts:iterations=1000000", "too much"),
        ("mcts:seconds=60", "too much"),
        ("mcts:seconds=1e9", "too much"),
        ("blunders:agent=mcts+iterations=1000000", "too much"),
        ("net:weights=/etc/passwd.safetensors", "cannot name files"),
        ("person", "cannot be seated"),
        ("blunders:agent=person", "cannot be seated"),
        ("os.system", "cannot be seated"),
        ("program:ls", "cannot be seated"),
        ("program:python bot.py", "cannot be seated"),
        ("blunders:agent=program:ls", "cannot be seated"),
        ("blunders:agent=os.system", "cannot name files or classes"),
        ("mcts:iteration=5", "iterations"),
        ("mcts:" + "c=1," * 200, "letters"),
    ],
)
def test_a_visitors_agent_is_bounded(spec: str, why: str) -> None:
    with pytest.raises(FogboundError, match=why):
        safe_agent(BOARD, spec)


@pytest.mark.parametrize(
    ("game", "specs"),
    [
        (
            "scotland-yard/plan1",
            ["mcts:worlds=one,c=1.4,iterations=5000,playout=heuristic", "net:weights=husa"],
        ),
        ("scotland-yard/grid5-2020", ["alphabeta:evaluation=v1", "qtable:weights=tulusak"]),
        ("scotland-yard/grid5", ["net:weights=hrklova-mr-x-mix", "net:weights=hrklova-detectives-mix"]),
        ("empire/seed", ["flat:playouts=200"]),
        ("risk/random:territories=9", ["net:weights=vasatko-simple-trained", "random:attack=0.87"]),
    ],
)
def test_the_players_of_the_theses_can_be_seated(game: str, specs: list[str]) -> None:
    """By their specs, and a net among the choices of the form."""
    played = fb.game(game)
    controls = {agent["name"]: {each["name"]: each for each in agent["options"]} for agent in offered(played)}
    for spec in specs:
        assert safe_agent(played, spec) == spec
        name, _, weights = spec.partition(":weights=")
        assert not weights or weights in controls[name]["weights"]["choices"]


def test_a_series_between_agents_is_tallied_with_sides_swapped(server: Server) -> None:
    seats = [{"kind": "agent", "level": "beginner"}, {"kind": "agent", "agent": "mcts:iterations=20"}]
    wish = {"game": SHORT, "seats": seats, "series": {"length": 2, "swap": True}, "name": "Cup"}
    made = server.post("/api/tables", wish)
    first, token = made["id"], made["token"]
    server.client(first).until(ended)
    assert server.post(f"/api/tables/{first}/next", {})["error"] == "Only a player can ask for a rematch."
    second = server.post(f"/api/tables/{first}/next", {}, token)["id"]
    server.client(second).until(ended)
    told = server.get(f"/api/tables/{second}/series")
    assert told["players"] == ["Beginner", "mcts:iterations=20"]
    assert told["kinds"] == ["agent", "agent"] and told["agents"][1] == "mcts:iterations=20"
    assert [game["sides"] for game in told["games"]] == [[0, 1], [1, 0]]
    assert sum(told["wins"]) + told["draws"] == 2
    for game in told["games"]:
        shown = server.get(f"/api/tables/{game['table']}")
        assert [game["scores"][who] for who in game["sides"]] == shown["scores"]
        assert shown["name"] == "Cup"
    assert "last game" in server.post(f"/api/tables/{second}/next", {}, token)["error"]


def test_an_agent_that_cannot_play_this_board_is_refused_before_the_game(server: Server) -> None:
    seats = [{"kind": "me"}, {"kind": "agent", "agent": "policy"}]
    refused = server.post("/api/tables", {"game": SHORT, "seats": seats})
    assert refused["status"] == 400


def test_the_maker_decides_whether_the_computer_may_be_asked(server: Server) -> None:
    table, token = server.new_table(SHORT, "me", "beginner", analysis=False)
    client = server.client(table, token)
    assert client.receive()["analysis"] is False
    client.send(type="analysis")
    assert "nobody may ask the computer" in client.error()
    assert server.get(f"/api/tables/{table}", token)["mine"] == [0]
    assert server.get(f"/api/tables/{table}")["mine"] == []
    assert "scores" not in server.get(f"/api/tables/{table}", token)


def test_an_analysis_by_an_agent_of_ones_choice_is_bounded(server: Server) -> None:
    table, token = server.new_table(SHORT, "me", "beginner")
    client = server.client(table, token)
    client.turn()
    for agent, why in (("mcts:seconds=60", "too much"), ("person", "cannot be seated"), ("policy", "cannot say anything")):
        client.send(type="analysis", agent=agent)
        assert why in client.error()
    client.send(type="analysis", agent="mcts:iterations=20")
    assert client.until(lambda m: m["type"] == "analysis")["by"] == "mcts:iterations=20"
    client.close()
    record = fb.play(SHORT, ["random"]).to_json()
    assert server.post("/api/analysis?move=0&agent=mcts:iterations=20", record)["by"] == "mcts:iterations=20"
    assert "too much" in server.post("/api/analysis?move=0&agent=mcts:seconds=60", record)["error"]


def test_a_review_comes_in_portions_that_make_up_the_whole_and_is_kept(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(reviews, "cache_folder", lambda: tmp_path)
    record = fb.play("scotland-yard/grid3:detectives=2,rounds=4", ["random"], seed=3)
    review(record, 0)  # has the board solved meanwhile
    wait_until_solved(record.game)
    whole = review(record, 0)
    assert whole["next"] is None
    with monkeypatch.context() as again:
        again.setattr(reviews, "judge", None)
        again.setattr(reviews, "SECONDS", 0.0)
        assert review(record, 0) == whole, "the second visit computes nothing"
    assert len(list(tmp_path.rglob("*.json"))) == 1
    next(tmp_path.rglob("*.json")).write_text("{damaged", "utf-8")
    monkeypatch.setattr(reviews, "SECONDS", 0.0)
    found, start = [], 0
    while start is not None:
        part = review(record, start)
        found, start = found + part["moves"], part["next"]
    assert [move["number"] for move in found] == [move["number"] for move in whole["moves"]]
    assert all(0.0 <= move["value"] <= 1.0 and move["exact"] == (move["by"] == "") for move in found)


def test_puzzles_show_what_their_seat_may_know_and_have_one_best_move() -> None:
    assert len(shipped()) >= 10
    for puzzle in shipped().values():
        match = puzzle.match()
        assert puzzle.best in match.game.legal(match.state)
        others = [value for code, value in puzzle.values.items() if not puzzle.is_right(int(code))]
        assert puzzle.values[str(puzzle.best)] == max(puzzle.values.values()) > max(others) + 0.03
    puzzle = next(each for each in shipped().values() if each.match().to_move > 0 and "scotland" in each.game)
    view = puzzle.match().view(puzzle.match().to_move)
    assert position(puzzle.id)["position"]["view"] == view.game.public(view.state)
    assert "best" not in str(position(puzzle.id))


def test_a_board_of_ones_own_is_checked_played_and_tried(server: Server) -> None:
    design = {**BOARD.definition(), "name": "../mine"}
    assert server.post("/api/check-board", design)["mistakes"] == []
    seats = [{"kind": "agent", "level": "beginner"}] * 2
    made = server.post("/api/tables", {"game": "x", "board": design, "seats": seats})
    server.client(made["id"]).until(ended)
    record = server.get(f"/api/tables/{made['id']}/record")
    assert record["definition"]["name"] == "../mine"
    tried = server.post("/api/balance", {"board": design, "strength": "beginner"})
    assert sum(tried["wins"]) == pytest.approx(tried["games"])
    broken = {**design, "stations": design["stations"][:-1]}
    assert server.post("/api/check-board", broken)["mistakes"][0].startswith("stations[5].links.walk[2]: there is")
    assert server.post("/api/check-board", {"game": "nothing"})["mistakes"]


def test_compiling_is_done_once_for_all_who_wait_and_told_to_them() -> None:
    asked: list[dict[str, Any]] = []

    class Slow(Thinkers):
        async def ask(self, task: str, given: Any, terms: Terms = Terms(), compiled: Any = None) -> Any:  # noqa: B008
            asked.append(given)
            compiled(5)
            await asyncio.sleep(0.05)

    async def work() -> None:
        compiling = Compiling(Slow(1))
        told: list[Any] = []
        compiling.ahead(BOARD, ["random"])
        first = compiling.agent(BOARD, "random", tell=lambda: told.append(compiling.of(BOARD.family, "random")))
        both = asyncio.gather(first, *(compiling.agent(BOARD, "random") for _ in range(3)))
        await asyncio.sleep(0.02)
        progress = compiling.of(BOARD.family, "random")
        assert progress is not None and progress["done"] == 5
        assert compiling.of(BOARD.family, RULES) is None
        await both
        assert compiling.of(BOARD.family, "random") is None

    in_a_loop(work)
    assert len(asked) == 1


def test_what_later_moves_of_a_level_need_is_compiled_by_the_last_worker_after_the_first() -> None:
    asked: list[tuple[str, str, int | None]] = []

    class Noted(Thinkers):
        async def ask(self, task: str, given: Any, terms: Terms = Terms(), compiled: Any = None) -> Any:  # noqa: B008
            asked.append((task, given["agent"], terms.place))

    async def work() -> None:
        compiling = Compiling(Noted(2))
        await compiling.agent(BOARD, "careless")
        await compiling.agent(BOARD, "random:")  # no level's: a visitor's agent costs no more than its moves
        await asyncio.sleep(0)

    in_a_loop(work)
    assert sorted(asked) == [("warm", "careless", None), ("warm", "random:", None), ("warm_later", "careless", 1)]
    play_on(BOARD, "careless")
