"""Sets of games: the same results for any number of workers, in compiled code or in Python."""

from __future__ import annotations

import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

import fogbound as fb
from fogbound.core.agent import agent_streams
from fogbound.core.runner import all_starts, fill
from fogbound.core.statistics import wilson

PLAN1 = "scotland-yard/plan1"


def outcome(results: object) -> dict[int, tuple[tuple[float, ...], int]]:
    return {result.number: (result.scores, result.moves) for result in results}  # type: ignore[attr-defined]


@pytest.mark.parametrize("keep", [False, True])
def test_the_number_of_workers_changes_nothing(keep: bool) -> None:
    agents = ["heuristic:score=weighted", "random"]
    one = outcome(fb.play_set(PLAN1, agents, 60, seed=4, workers=1, keep_records=keep))
    many = outcome(fb.play_set(PLAN1, agents, 60, seed=4, workers=3, keep_records=keep))
    assert one == many
    assert sorted(one) == list(range(60))


def test_kept_records_are_those_of_games_played_alone() -> None:
    for result in fb.play_set(PLAN1, ["heuristic", "random"], 10, seed=8, workers=1, keep_records=True):
        assert result.record is not None
        assert result.record.to_json() == fb.play(PLAN1, ["heuristic", "random"], seed=8, number=result.number).to_json()


def test_a_game_of_a_set_can_be_played_again_alone() -> None:
    results = {result.number: result for result in fb.play_set(PLAN1, ["random"], 20, seed=5, workers=1)}
    record = fb.play(PLAN1, ["random"], seed=5, number=13)
    assert (record.scores, len(record.moves)) == (results[13].scores, results[13].moves)


def test_games_that_are_done_are_left_out() -> None:
    whole = outcome(fb.play_set(PLAN1, ["random"], 50, seed=5, workers=1))
    rest = outcome(fb.play_set(PLAN1, ["random"], 50, seed=5, workers=2, done={0, 1, 7, 30, 49}))
    assert rest == {number: result for number, result in whole.items() if number not in {0, 1, 7, 30, 49}}


def test_every_start_is_played_once_and_deterministic_players_repeat_themselves() -> None:
    game = fb.game(PLAN1)
    starts = all_starts(game)
    first = outcome(fb.play_set(game, ["heuristic"], len(starts), seed=1, workers=1, starts=starts))
    second = outcome(fb.play_set(game, ["heuristic"], len(starts), seed=99, workers=2, starts=starts))
    assert first == second
    assert len(first) == 360


def test_too_many_starts_are_refused_in_words() -> None:
    with pytest.raises(fb.FogboundError, match="13,366,080 starts"):
        all_starts(fb.game("scotland-yard/london"))


def test_results_come_while_others_are_still_played() -> None:
    results = fb.play_set(PLAN1, ["random"], 100_000, workers=2)
    assert len(list(islice(results, 10))) == 10
    results.close()  # type: ignore[attr-defined]


def test_one_agent_fills_all_sides_and_a_wrong_number_is_refused() -> None:
    game = fb.game(PLAN1)
    assert fill(game, ["random"]) == ["random", "random"]
    with pytest.raises(fb.FogboundError, match="takes 2 agents"):
        fill(game, ["random", "random", "random"])


def test_wilson_intervals() -> None:
    low, high = wilson(68, 100)
    assert (round(low, 4), round(high, 4)) == (0.5834, 0.7633)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10)[0] == 0.0
    assert wilson(10, 10)[1] == pytest.approx(1.0)


class Last(fb.Agent):
    """Plays the last of the legal moves."""

    name = "last"
    about = "plays the last of the legal moves"

    def decide(self, view: fb.View) -> fb.Decision:
        return fb.Decision(view.legal()[-1].code)


def last(view: fb.View) -> fb.Action:
    """Plays the last of the legal moves."""
    return view.legal()[-1]


def test_agents_are_given_as_specs_classes_instances_or_functions() -> None:
    game = fb.game("scotland-yard/grid5:rounds=3")
    named = [result.scores for result in sorted_set(game, f"{__name__}.Last")]
    for agent in (Last, Last(game, fb.Options(), *agent_streams(0, 0)), last, lambda view: view.legal()[-1].code):
        assert [result.scores for result in sorted_set(game, agent)] == named
        assert fb.play(game, [agent, "random"], seed=3).scores == named[0]
    with pytest.raises(fb.FogboundError, match=r"An agent is a spec, a subclass of fogbound\.Agent, or a function"):
        fb.play(game, [3])  # type: ignore[list-item]


def sorted_set(game: fb.Game, agent: Any) -> list[Any]:
    return sorted(fb.play_set(game, [agent, "random"], 6, seed=3, workers=1), key=lambda result: result.number)


SCRIPT = """
import fogbound as fb

class Mine(fb.Agent):
    name, about = "mine", "plays the first of the legal moves"

    def decide(self, view):
        return fb.Decision(view.legal()[0].code)

def guess(view):
    return view.legal()[0]

game = fb.game("scotland-yard/grid5:rounds=3")
for agent in (Mine, guess):
    print(sum(result.scores[0] for result in fb.play_set(game, [agent, "random"], 6, seed=1, workers=2)))
print(fb.lab.duel(game, guess, "random", games=4, workers=2).games)
"""


def test_a_script_without_a_guard_plays_its_own_agents_on_all_cores(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, str(tmp_path / "script.py")], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    first, second, games = done.stdout.split()
    assert first == second and games == "4"


def test_a_number_with_a_fraction_is_no_move() -> None:
    match = fb.game("scotland-yard/grid5").new(seed=1)
    with pytest.raises(fb.IllegalMove, match=r"3\.5 is not a move: give an action, its code or its words"):
        match.play(3.5)  # type: ignore[arg-type]
