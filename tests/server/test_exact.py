"""The exact value in the analysis: right, from what the seat knows alone, and only where a board is solved."""

from __future__ import annotations

from typing import Any

import pytest

import fogbound as fb
from fogbound.agents.scotland_yard.perfect import adviser
from fogbound.core.match import Match
from tests.server.running import Server
from tests.server.test_leaks import clean, stored

GAME = "scotland-yard/grid4:detectives=2,rounds=6"


def hidden_twins() -> tuple[Match, Match]:
    """Two games that differ only in where Mr X went, which the detectives have not seen."""
    game = fb.game(GAME)
    for seed in range(100):
        one, other = game.new(seed=seed), game.new(seed=seed)
        one.play(one.legal()[0])
        other.play(other.legal()[-1])
        if (
            one.view(1).state.tobytes() == other.view(1).state.tobytes()
            and one.state["station"][0] != other.state["station"][0]
        ):
            return one, other
    raise AssertionError("no such start")


def twins_at_mr_x() -> tuple[Match, Match]:
    """The same after the detectives' moves, none of which caught him."""
    one, other = hidden_twins()
    for _ in (1, 2):
        for move in one.legal():
            after = one.copy(), other.copy()
            for match in after:
                match.play(move)
            if not after[0].over and not after[1].over:
                one, other = after
                break
    return one, other


def analysed(server: Server, id: str, match: Match, seat: int, **asked: str) -> tuple[dict[str, Any], list[str]]:
    """The analysis of a game for the seat to move, once the board is solved; and all that was sent."""
    table = stored(server, id, match)
    for _ in range(5):
        client = server.client(table, f"token-{seat}")
        client.receive()
        client.send(type="analysis", **asked)
        found = client.until(lambda m: m["type"] == "analysis" and m["exact"] != {"solving": True})
        client.close()
        if found["exact"] is not None:
            return found, clean(client, id)
    raise AssertionError("there is no exact value")


def test_detectives_get_the_value_of_what_they_know(server: Server) -> None:
    match, _ = hidden_twins()
    found, _ = analysed(server, "exact-a", match, 1)
    advice = adviser(match.game, 1e-3).advise(match.view(1))  # type: ignore[arg-type]
    assert found["exact"]["value"] == pytest.approx(advice.value, abs=1e-4)
    assert {move["code"]: move["share"] for move in found["exact"]["moves"]} == pytest.approx(dict(advice.chances), abs=1e-4)
    assert found["best"] == max(advice.chances, key=lambda code: advice.chances[code])
    assert set(found["belief"]) == {str(station) for station in match.game.possible(match.state)}  # type: ignore[attr-defined]


def test_another_hidden_move_gives_detectives_the_same_analysis_byte_for_byte(server: Server) -> None:
    one, other = hidden_twins()
    analysed(server, "exact-b", one, 1)  # from here on it is solved
    for number, asked in enumerate(({}, {"agent": "mcts:iterations=300"})):
        tables = f"exact-c-{number}", f"exact-d-{number}"
        first, second = (analysed(server, id, match, 1, **asked) for id, match in zip(tables, (one, other), strict=True))
        assert [text.replace(tables[0], "TABLE") for text in first[1]] == [
            text.replace(tables[1], "TABLE") for text in second[1]
        ]
        assert "revealed" not in first[0]["exact"]
        assert first[0]["by"] == asked.get("agent", first[0]["by"])


def test_mr_x_gets_the_value_of_where_he_is(server: Server) -> None:
    values = []
    for number, match in enumerate(twins_at_mr_x()):
        found, _ = analysed(server, f"exact-e-{number}", match, 0)
        advice = adviser(match.game, 1e-3).advise(match.view(0))  # type: ignore[arg-type]
        assert found["exact"]["value"] == pytest.approx(advice.value, abs=1e-4)
        values.append([(move["code"], move["value"]) for move in found["exact"]["moves"]])
    assert values[0] != values[1]


def test_whoever_is_not_to_move_gets_nothing(server: Server) -> None:
    match, _ = hidden_twins()
    client = server.client(stored(server, "exact-f", match), "token-0")
    client.receive()
    client.send(type="analysis")
    assert client.until(lambda m: m["type"] == "analysis")["exact"] is None
    client.close()


def test_the_analysis_of_a_record_also_tells_what_was_hidden(server: Server) -> None:
    game = fb.game(GAME)
    record = fb.play(game, ["random"], seed=3)
    analysed(server, "exact-g", hidden_twins()[0], 1)
    at = next(n for n, move in enumerate(record.moves) if move.seat == 1)
    found = server.post(f"/api/analysis?move={at}", record.to_json())
    assert 0 <= found["exact"]["value"] <= 1
    assert 0 <= found["exact"]["revealed"] <= 1
    at_the_end = server.post(f"/api/analysis?move={len(record.moves)}", record.to_json())
    assert at_the_end["exact"] is None


def test_a_large_board_and_other_games_have_no_exact_value(server: Server) -> None:
    for spec in ("scotland-yard/plan1", "empire/seed:players=2,turns=2"):
        record = fb.play(spec, ["random"], seed=1)
        assert server.post("/api/analysis?move=0", record.to_json())["exact"] is None
