"""Saved games: exact, and when damaged, told where."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.core.record import from_json

RECORD = fb.play("scotland-yard/plan1", ["heuristic", "random"], seed=1)
DATA = RECORD.to_json()


def test_a_saved_game_is_loaded_as_it_was(tmp_path: Path) -> None:
    RECORD.save(tmp_path / "game.json")
    loaded = fb.load(tmp_path / "game.json")
    assert loaded.to_json() == DATA
    assert loaded.replay().state.tobytes() == RECORD.replay().state.tobytes()


def test_it_can_be_replayed_up_to_a_move() -> None:
    assert len(RECORD.replay(5).moves) == 5
    assert not RECORD.replay(5).over


def test_a_game_on_a_board_of_your_own_carries_the_board(tmp_path: Path) -> None:
    board = tmp_path / "mine.json"
    board.write_text(json.dumps(fb.game("scotland-yard/grid3:detectives=1").definition()))
    record = fb.play(f"scotland-yard/{board}", ["random"], seed=1)
    record.save(tmp_path / "game.json")
    board.unlink()
    assert fb.load(tmp_path / "game.json").replay().state.tobytes() == record.replay().state.tobytes()


def test_an_unfinished_game_can_be_saved(tmp_path: Path) -> None:
    match = fb.game("scotland-yard/plan1").new(seed=2)
    match.play(match.legal()[0])
    fb.Record.of(match).save(tmp_path / "game.json")
    assert fb.load(tmp_path / "game.json").scores is None


def damaged(change: Any) -> str:
    data = copy.deepcopy(DATA)
    change(data)
    with pytest.raises(fb.DamagedRecord) as error:
        from_json(data)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_the_move_where_a_record_breaks_is_told() -> None:
    number = len(DATA["moves"]) // 2
    assert f"at move {number + 1}" in damaged(lambda data: data["moves"][number].update(move="1 taxi"))
    assert f"at move {number + 1}" in damaged(lambda data: data["moves"][number].update(move="9999 taxi"))
    assert f"at move {number + 1}" in damaged(lambda data: data["moves"][number].update(move=7))
    assert f"at move {number + 1}" in damaged(lambda data: data["moves"][number].update(seat=9))
    assert f"at move {number + 1}" in damaged(
        lambda data: data["moves"][number].update(seat=(data["moves"][number]["seat"] + 1) % 4)
    )
    assert f"at move {number + 1}" in damaged(lambda data: data["moves"][number].update(chance=[3]))


def test_other_damage_is_told_too() -> None:
    assert "at its start" in damaged(lambda data: data.update(start=[99, 0, 0, 0]))
    assert "at its start" in damaged(lambda data: data.update(start=[0]))
    assert "at its end" in damaged(lambda data: data["moves"].pop())
    assert "another result" in damaged(lambda data: data["outcome"].update(scores=DATA["outcome"]["scores"][::-1]))
    assert "version 99" in damaged(lambda data: data.update(version=99))
    assert "another version of" in damaged(lambda data: data.update(board="0" * 16))
    assert "cannot be set up" in damaged(lambda data: data.update(game="chess/board"))
    assert "not a saved game" in damaged(lambda data: data.update(format="other"))


@pytest.mark.parametrize("text", ["", "{", "[1,2]", "null", "\x00", '{"format": "fogbound record"}', "[" * 5000])
def test_files_that_are_no_record_are_refused_in_words(tmp_path: Path, text: str) -> None:
    file = tmp_path / "game.json"
    file.write_text(text)
    with pytest.raises(fb.DamagedRecord):
        fb.load(file)


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(fb.FogboundError, match="Cannot read"):
        fb.load(tmp_path / "nothing.json")


def places(data: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inside = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [at, *(place for key, value in inside for place in places(value, (*at, key)))]


PLACES = [place for place in places(DATA) if place]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(place=st.sampled_from(PLACES), value=JSON, delete=st.booleans())
def test_any_damage_is_told_or_harmless(place: tuple[Any, ...], value: Any, delete: bool) -> None:
    data = copy.deepcopy(DATA)
    inside = data
    for key in place[:-1]:
        inside = inside[key]
    if delete:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    try:
        record = from_json(data)
    except fb.DamagedRecord:
        return
    assert record.replay().state.tobytes() == RECORD.replay().state.tobytes()
