"""Boards of all games are found, read and changed in the same way."""

from __future__ import annotations

import json
from typing import Any

import pytest

from fogbound.core import jsonfile
from fogbound.core.errors import BadFile, BadOption, FogboundError, UnknownName
from fogbound.games import boardfile
from fogbound.games.empire.board import BOARDS as EMPIRE
from fogbound.games.risk.board import BOARDS as RISK
from fogbound.games.scotland_yard.board import BOARDS as SCOTLAND_YARD

GAMES: list[Any] = [SCOTLAND_YARD, RISK, EMPIRE]
every_game = pytest.mark.parametrize("boards", GAMES, ids=lambda boards: boards.family)


def file(boards: Any, **more: Any) -> jsonfile.JsonFile:
    return jsonfile.parse(json.dumps({"game": boards.family, "name": "mine", **more}, indent=1), "mine.json")


def first_shipped(boards: Any) -> str:
    return next(name for name in boards.shipped() if name not in boards.generated)


@every_game
def test_every_shipped_board_loads_and_survives_being_written_and_read(boards: Any) -> None:
    for name, about in boards.shipped().items():
        if name not in boards.generated:
            board = boards.load(name, {})
            assert board.about == about and about
            assert boards.rebuild(board.definition()) == board


@every_game
def test_an_unknown_board_is_answered_with_those_that_exist(boards: Any) -> None:
    known = ", ".join(sorted([*boards.shipped(), "a file ending in .json"]))
    with pytest.raises(UnknownName) as caught:
        boards.load("atlantis", {})
    assert str(caught.value) == f"There is no {boards.noun} “atlantis” of {boards.family}. Available: {known}."


@every_game
def test_a_board_like_another_takes_from_it_what_it_does_not_give(boards: Any) -> None:
    name = first_shipped(boards)
    base, mine = boards.load(name, {}), boards.check(file(boards, like=name))
    assert mine.definition() == {**base.definition(), "name": "mine"}


@every_game
def test_a_board_like_another_cannot_change_its_shape(boards: Any) -> None:
    for key in boards.shape:
        given = "C3" if key == "start" else []
        with pytest.raises(BadFile, match=f"at {key}: a {boards.noun} that is “like” another cannot have {key} of its own"):
            boards.check(file(boards, like=first_shipped(boards), **{key: given}))


@every_game
def test_what_is_no_object_is_no_board(boards: Any) -> None:
    with pytest.raises(BadFile, match=f'a {boards.noun} file is one JSON object: {{"game": "{boards.family}", ...}}'):
        boards.check(jsonfile.parse("[]", "mine.json"))


@pytest.mark.parametrize("boards", [RISK, EMPIRE], ids=lambda boards: boards.family)
def test_an_option_of_the_generator_is_only_for_generated_boards(boards: Any) -> None:
    name = first_shipped(boards)
    with pytest.raises(
        BadOption, match=f"The option “seed” is only for {boards.family}/random, not for {boards.family}/{name}"
    ):
        boards.load(name, {"seed": "3"})
    assert boards.load("random", {"seed": "3"}) != boards.load("random", {"seed": "4"})


@pytest.mark.parametrize(
    ("boards", "options", "sentence"),
    [
        (SCOTLAND_YARD, {"reveals": "99"}, "the reveal 99 is beyond the last log slot, "),
        (RISK, {"army_limit": "1"}, "with one army per territory nobody could attack"),
        (EMPIRE, {"neutral": "true", "players": "3"}, "neutral armies are for two players, not for 3."),
    ],
)
def test_options_that_do_not_go_together_are_refused(boards: Any, options: dict[str, str], sentence: str) -> None:
    name = first_shipped(boards)
    with pytest.raises(FogboundError) as caught:
        boards.load(name, options)
    assert str(caught.value).startswith(f"{boards.family}/{name} cannot be played with these options: {sentence}")


def test_what_can_be_reached_is_found_through_any_number_of_links() -> None:
    links = {1: [2], 2: [1, 3], 3: [2], 4: [5], 5: [4]}
    assert boardfile.connected(links.__getitem__, 1) == {1, 2, 3}
    assert boardfile.connected(links.__getitem__, 5) == {4, 5}
