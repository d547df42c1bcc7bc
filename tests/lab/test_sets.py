"""Sets of games that grow from run to run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from fogbound.core import registry
from fogbound.core.executor import Local
from fogbound.lab.sets import SetResult, grow_sets, play_sets, read_sets

PLAN1 = "scotland-yard/plan1"
SETS = [(PLAN1, ("heuristic", "random")), (PLAN1, ("random", "heuristic"))]


def test_a_set_grows_in_later_runs_and_is_the_same_as_one_played_at_once(tmp_path: Path) -> None:
    counts = []
    first = grow_sets(tmp_path, SETS[:1], 5, seed=3, engine=Local(1))
    grown = grow_sets(tmp_path, SETS, 12, seed=3, engine=Local(1), watch=lambda there, total: counts.append((there, total)))
    at_once = play_sets("at once", SETS, 12, seed=3, engine=Local(1))
    assert first[0].games == 5
    assert counts[-1] == (24, 24)
    for one, other in zip(grown, at_once, strict=True):
        assert one.agents == other.agents
        assert np.array_equal(one.scores, other.scores)
        assert one.side_moves == other.side_moves


def test_asking_for_fewer_games_plays_none_and_tells_what_is_there(tmp_path: Path) -> None:
    grow_sets(tmp_path, SETS[:1], 6, seed=3, engine=Local(1))
    one, other = grow_sets(tmp_path, SETS, 0, seed=3, engine=Local(1))
    assert (one.games, other.games) == (6, 0)
    assert [file.suffix for file in tmp_path.iterdir()].count(".sqlite") == 1


def test_games_are_paired_with_those_of_other_sets_only_up_to_the_first_that_is_missing(tmp_path: Path) -> None:
    whole = SetResult(
        PLAN1, SETS[0][1], np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), np.ones(3, int), (), (), np.arange(3)
    )
    broken = replace(whole, numbers=np.array([0, 2, 3]))
    assert whole.in_order(0).tolist() == [1.0, 0.0, 1.0]
    assert broken.in_order(0).tolist() == [1.0]
    assert grow_sets(tmp_path, SETS[:1], 4, seed=3, engine=Local(1))[0].in_order(1).size == 4


def test_what_is_there_is_read_without_playing_or_making_players(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page about thousands of sets takes seconds: a board is made once, and no agent is."""
    grown = grow_sets(tmp_path, SETS[:1], 6, seed=3, engine=Local(1))
    files = sorted(tmp_path.iterdir())
    made: list[str] = []
    game = registry.game
    monkeypatch.setattr(registry, "agent", None)
    monkeypatch.setattr(registry, "game", lambda spec: made.append(spec) or game(spec) if isinstance(spec, str) else spec)
    one, other = read_sets(tmp_path, SETS, seed=3)
    assert one and np.array_equal(one.scores, grown[0].scores) and other is None
    assert made == [PLAN1] and sorted(tmp_path.iterdir()) == files


def test_a_set_that_is_named_twice_is_played_once(tmp_path: Path) -> None:
    """As where a player is measured among others of his own kind, on every seat in turn."""
    game = SETS[0][0]
    counts: list[tuple[int, int]] = []
    alike = [(game, ["random", "random"]), (game, ["random"]), (game, ["heuristic", "random"])]
    first, again, other = grow_sets(tmp_path, alike, 4, 3, Local(1), lambda there, total: counts.append((there, total)))
    assert first is again and first.games == other.games == 4
    assert counts[-1] == (8, 8)
