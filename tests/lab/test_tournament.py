"""Tournaments: who meets whom, results that depend on nothing but the seed, and going on after a kill."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from benchmarks.lab import kill_test
from fogbound.core.compiled import source_digest
from fogbound.core.executor import Local
from fogbound.lab import schedule
from fogbound.lab.results import Results
from fogbound.lab.settings import Player, Settings
from fogbound.lab.tournament import load

PLAN1 = "scotland-yard/plan1"
CUP: dict[str, Any] = {"boards": [PLAN1, "scotland-yard/grid5"], "agents": ["random", "heuristic"], "games": 60, "seed": 3}


class Thinker(fb.Agent):
    """An agent in plain Python: the first legal move that its stream likes."""

    name = "thinker"
    about = "plays in Python"

    def decide(self, view: fb.View) -> fb.Decision:
        legal = view.legal()
        self.rng[0] += np.uint64(1)
        return fb.Decision(legal[int(self.rng[0]) % len(legal)].code)


class Stumbler(fb.Agent):
    name = "stumbler"
    about = "fails"

    def decide(self, view: fb.View) -> fb.Decision:
        raise ZeroDivisionError("no idea")


THINKER = f"{__name__}.Thinker"


def table(results: Results) -> dict[tuple[int, int], tuple[Any, ...]]:
    return {
        (seating, int(number)): (tuple(scores), int(length))
        for seating, games in results.games.items()
        for number, scores, length in zip(games.numbers, games.scores, games.lengths, strict=True)
    }


def test_every_seed_is_played_in_every_seating() -> None:
    results = fb.lab.tournament(CUP, workers=1)
    assert results.count == results.total == 120
    assert {len(games.numbers) for games in results.games.values()} == {30}
    seatings = [seating.players for encounter in results.pairings for seating in encounter.seatings]
    assert seatings == [(0, 1), (1, 0), (0, 1), (1, 0)]


def groups(sides: int, players: int, **given: Any) -> list[tuple[int, ...]]:
    settings = Settings(boards=["x"], agents=["a"], **given)
    return list(schedule.groups(settings, [Player(str(i), str(i)) for i in range(players)], sides))


def test_a_round_robin_brings_everyone_together() -> None:
    assert groups(2, 3) == [(0, 1), (0, 2), (1, 2)]
    assert groups(3, 4) == [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]
    assert groups(3, 2) == [(0, 0, 1), (0, 1, 1)]
    assert groups(2, 2, self_play=True) == [(0, 1), (0, 0), (1, 1)]


def test_a_gauntlet_meets_only_the_field() -> None:
    settings = Settings(boards=["x"], agents=["a"], format="gauntlet", field=["b", "c"])
    players = [Player("a", "a"), Player("d", "d"), Player("b", "b", False), Player("c", "c", False)]
    assert list(schedule.groups(settings, players, 2)) == [(0, 2), (0, 3), (1, 2), (1, 3)]
    assert list(schedule.groups(settings, players, 3)) == [(0, 2, 3), (1, 2, 3)]


def test_many_players_are_seated_in_all_orders_or_in_rotations() -> None:
    assert len(schedule.seat_orders((0, 1, 2), "all")) == 6
    assert schedule.seat_orders((0, 0, 1), "all") == [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    assert schedule.seat_orders((0, 1, 2), "rotations") == [(0, 1, 2), (1, 2, 0), (2, 0, 1)]


def test_a_table_of_three_is_played_in_all_seatings_and_rated() -> None:
    cup = {"boards": ["empire/seed:players=3"], "agents": ["random", "heuristic"], "games": 12}
    results = fb.lab.tournament(cup, workers=1)
    assert [encounter.group for encounter in results.pairings] == [(0, 0, 1), (0, 1, 1)]
    assert results.count == 24
    best, other = results.standings()
    assert best["player"] == "heuristic"
    assert best["openskill"] > other["openskill"]
    assert results.record(4, 1).replay().over


def test_chunks_and_workers_change_nothing() -> None:
    made = load(CUP)
    tables = []
    for workers, most in ((1, 4096), (2, 7)):
        store = made.store(":memory:", resume=False)
        made.play(store, Local(workers), most=most)
        tables.append(table(Results(store)))
    assert tables[0] == tables[1]


def test_python_agents_play_in_processes_what_they_play_alone() -> None:
    cup = {"boards": [PLAN1], "agents": [THINKER, "random"], "games": 8}
    results = fb.lab.tournament(cup, workers=2)
    record = results.record(1, 2)
    again = fb.play(PLAN1, ["random", THINKER], seed=0, number=2)
    assert record.moves == again.moves
    assert all(row["milliseconds a move"] > 0 for row in results.times())


@pytest.mark.parametrize("board", [PLAN1, "scotland-yard/london"])
def test_every_game_is_kept_and_replays(board: str) -> None:
    results = fb.lab.tournament({"boards": [board], "agents": ["random", "heuristic"], "games": 300}, workers=1)
    for seating, number in ((0, 0), (1, 17), (0, 149)):
        record = results.record(seating, number)
        agents = [results.players[p].spec for p in results.pairings[0].seatings[seating].players]
        assert record.to_json() == fb.play(board, agents, seed=0, number=number).to_json()
        assert record.replay().over
    with pytest.raises(fb.FogboundError, match="is not in"):
        results.record(0, 150)


def test_an_agent_that_fails_is_named_with_the_game() -> None:
    with pytest.raises(
        fb.FogboundError, match=r"Stumbler.*failed in game 0 of scotland-yard/plan1.*ZeroDivisionError: no idea"
    ):
        fb.lab.tournament({"boards": [PLAN1], "agents": [f"{__name__}.Stumbler", "random"], "games": 2}, workers=1)


def test_an_interrupted_tournament_goes_on_where_it_stopped(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"

    def stop(there: int, total: int) -> None:
        if there > 40:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fb.lab.tournament(CUP, file, workers=1, watch=stop)
    before = Results.open(file)
    assert 0 < before.count < before.total
    kept = table(before)
    results = fb.lab.tournament(CUP, file, resume=True, workers=1)
    assert table(results) == table(fb.lab.tournament(CUP, workers=1))
    assert kept.items() <= table(results).items()
    assert len(results.store.runs()) == 2


def test_kills_at_random_moments_lose_and_repeat_nothing() -> None:
    found = kill_test(games=600, kills=3, seed=1)
    assert found["same"]
    assert found["games"] == 600


def test_a_results_file_is_never_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    fb.lab.tournament(CUP, file, workers=1).store.close()
    before = file.read_bytes()
    with pytest.raises(fb.FogboundError, match="already holds 120 of 120 games of this tournament; go on with --resume"):
        fb.lab.tournament(CUP, file, workers=1)
    with pytest.raises(fb.FogboundError, match="another tournament: “seed” is 3 there and 4 here"):
        fb.lab.tournament({**CUP, "seed": 4}, file, resume=True, workers=1)
    assert file.read_bytes() == before


def test_a_file_of_another_version_or_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    fb.lab.tournament(CUP, file, workers=1).store.close()
    for key, value, words in (
        ("fogbound", '"0.0.1"', "played with Fogbound 0.0.1"),
        ("format_version", "99", "version 99 of"),
    ):
        changed = tmp_path / f"{key}.sqlite"
        shutil.copy(file, changed)
        with sqlite3.connect(changed) as connection:
            connection.execute("UPDATE about SET value = ? WHERE key = ?", (value, key))
        with pytest.raises(fb.FogboundError, match=words):
            fb.lab.tournament(CUP, changed, resume=True, workers=1)
    other = tmp_path / "notes.sqlite"
    other.write_text("my notes")
    with pytest.raises(fb.FogboundError, match="not a results file of Fogbound; the file was left as it is"):
        fb.lab.tournament(CUP, other, resume=True, workers=1)
    assert other.read_text() == "my notes"


def test_two_processes_do_not_play_the_same_tournament(tmp_path: Path) -> None:
    file = tmp_path / "results.sqlite"
    made = load(CUP)
    first = made.store(file, resume=False)
    first.claim()
    second = made.store(file, resume=True)
    with pytest.raises(fb.FogboundError, match="Another process is playing"):
        made.play(second, Local(1))
    first.close()


def test_a_sequential_test_stops_early_and_alike_for_any_chunks() -> None:
    cup = {"boards": [PLAN1], "agents": ["heuristic", "random"], "games": 3000, "stop": "sprt", "elo1": 50}
    made = load(cup)
    verdicts = []
    for workers, most in ((1, 4096), (2, 5)):
        store = made.store(":memory:", resume=False)
        made.play(store, Local(workers), most=most)
        results = Results(store)
        assert results.count < 200
        verdicts.append((results.tests(), table(results)))
    assert verdicts[0] == verdicts[1]
    assert verdicts[0][0][0]["verdict"] == "at least 50 Elo"


def test_equal_agents_are_found_not_to_differ() -> None:
    duel = fb.lab.duel(PLAN1, "random", "random:", games=40_000, stop="sprt", elo0=0, elo1=40, workers=1)
    assert duel.results.tests()[0]["verdict"] == "at most 0 Elo"


def test_a_duel_tells_its_result() -> None:
    duel = fb.lab.duel(PLAN1, "heuristic", "random", games=200, workers=1)
    assert duel.games == 200
    assert sum(duel.wins.values()) == 200
    assert duel.interval[0] < duel.share < duel.interval[1]
    assert "heuristic as Mr X" in str(duel)
    assert list(duel.frame()["player"]) == ["heuristic", "heuristic", "random", "random"]
    assert len(duel.plot().axes) == 1
    alone = fb.lab.duel(PLAN1, "random", "random", games=50, workers=1)
    assert alone.games == 50


def test_games_of_two_versions_of_an_agent_are_never_mixed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
import fogbound as fb

class Mine(fb.Agent):
    name, about = "mine", "plays a move of a fixed number"

    def decide(self, view):
        return fb.Decision(view.legal()[{}].code)
"""
    agent, file = tmp_path / "versioned_agent.py", tmp_path / "results.sqlite"
    agent.write_text(source.format(0))
    monkeypatch.syspath_prepend(tmp_path)
    cup = {"boards": ["scotland-yard/grid5:rounds=3"], "agents": ["versioned_agent.Mine", "random"], "games": 2}
    fb.lab.tournament(cup, file, workers=1)
    fb.lab.tournament(cup, file, resume=True, workers=1)
    agent.write_text(source.format(-1))
    source_digest.cache_clear()
    with pytest.raises(fb.FogboundError, match=r"the code or a file of the agent “versioned_agent\.Mine” has changed since"):
        fb.lab.tournament(cup, file, resume=True, workers=1)


def test_a_damaged_results_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    damage = {
        "no-tournament": "DELETE FROM about WHERE key = 'tournament'",
        "no-json": "UPDATE encounters SET players = '[' ",
        "lost": "UPDATE seatings SET encounter = 99",
        "cut": "UPDATE portions SET scores = x'00'",
        "gone": "DROP TABLE portions",
    }
    for name, statement in damage.items():
        file = tmp_path / f"{name}.sqlite"
        settings = {
            "name": "cup",
            "boards": ["scotland-yard/grid3:detectives=1"],
            "agents": ["random", "heuristic"],
            "games": 2,
        }
        fb.lab.tournament(settings, file=file).store.close()
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(statement)
        with pytest.raises(fb.FogboundError, match=f"{name}.sqlite is damaged"):
            _ = Results.open(file).count
