"""Board files: good ones give a board, bad ones one sentence with the place, and nothing ever a traceback."""

from __future__ import annotations

import copy
import json
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.core import jsonfile
from fogbound.core.errors import BadFile
from fogbound.games.scotland_yard.board import BOARDS, Board
from fogbound.games.scotland_yard.game import ScotlandYard

FOLDER = resources.files("fogbound.games.scotland_yard") / "boards"
SHIPPED = sorted(file.name for file in FOLDER.iterdir() if file.name.endswith(".json"))
SMALL = """{
 "game": "scotland-yard",
 "name": "harbour",
 "transports": [
  {"name": "taxi"},
  {"name": "ferry", "black_only": true}
 ],
 "starts": [1, 2, 3],
 "rules": {
  "detectives": 2,
  "rounds": 5,
  "reveals": [2, 4],
  "tickets": {
   "mr_x": {"taxi": 2, "black": 1, "double": 1},
   "detectives": {"taxi": 3}
  }
 },
 "stations": [
  {"station": 1, "links": {"taxi": [2]}},
  {"station": 2, "links": {"taxi": [1, 3]}},
  {"station": 3, "links": {"taxi": [2], "ferry": [4]}},
  {"station": 4, "links": {"ferry": [3]}}
 ]
}"""


def shipped_text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def read(text: str) -> Board:
    return BOARDS.check(jsonfile.parse(text, "my.json"))


def problem_of(text: str) -> BadFile:
    with pytest.raises(BadFile) as caught:
        read(text)
    check_sentence(caught.value, text)
    return caught.value


def changed(old: str, new: str, text: str = SMALL) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


def check_sentence(error: BadFile, text: str) -> None:
    """What every problem must have: the file, a line of it, and one printable sentence without programmers' words."""
    message = str(error)
    assert message.startswith("my.json, line ")
    assert error.line is not None and 1 <= error.line <= text.count("\n") + 1
    assert error.sentence.endswith(".") and len(error.sentence) > 10
    assert message.isprintable() and len(message) < 700
    for word in ("Input", "instance", "dictionary", "pydantic", "Error", "NoneType", "[type="):
        assert word not in error.sentence


# Each error by itself: the right line, the right place, and a sentence that names what is wrong.


def test_the_small_board_is_good() -> None:
    board = read(SMALL)
    assert board.numbers == [1, 2, 3, 4] and board.slots == 6
    assert board.tickets("mr_x") == {"taxi": 2, "black": 1, "double": 1}


@pytest.mark.parametrize(
    ("old", "new", "line", "place", "words"),
    [
        ('"station": 2,', '"station": 1,', 20, "stations[1].station", ["two stations with the number 1"]),
        (
            '"taxi": [1, 3]',
            '"taxi": [1, 3, 9]',
            20,
            "stations[1].links.taxi[2]",
            ["taxi link from 2 to 9, which does not exist"],
        ),
        (
            '"taxi": [1, 3]',
            '"taxi": [3]',
            19,
            "stations[0].links.taxi[0]",
            ["from 1 to 2 is one-sided", "no taxi link from 2 to 1"],
        ),
        ('"ferry": [4]', '"ferry": []', 22, "stations[3].links.ferry[0]", ["from 4 to 3", "no ferry link from 3 to 4"]),
        ("[1, 2, 3]", "[1, 2, 8]", 8, "starts[2]", ["the start 8 is not a station"]),
        ("[1, 2, 3]", "[1, 2, 2]", 8, "starts[2]", ["the start 2 is listed twice"]),
        ("[1, 2, 3]", "[1, 2]", 8, "starts", ["more pieces (Mr X and 2 detectives) than starts (2)"]),
        ("[2, 4]", "[2, 7]", 12, "rules.reveals[1]", ["the reveal 7 is beyond the last log slot, 6"]),
        ("[2, 4]", "[4, 2]", 12, "rules.reveals", ["ascending"]),
        ("[2, 4]", '"often"', 12, "rules.reveals", ["3+8+13", "every 3"]),
        ('{"taxi": 3}', '{"tram": 3}', 15, "rules.tickets.detectives.tram", ["no “tram” tickets", "ferry, taxi"]),
        ('{"taxi": 3}', '{"taxi": 1, "black": 1}', 15, "rules.tickets.detectives.black", ["no “black” tickets"]),
        (
            '{"taxi": 3}',
            '{"taxi": -3}',
            15,
            "rules.tickets.detectives.taxi",
            ["-3 is not a possible number of tickets", "0 to 999"],
        ),
        ('{"taxi": 3}', '{"taxi": 0}', 15, "rules.tickets.detectives", ["at least one ticket"]),
        ('{"taxi": 3}', '{"taxi": "many"}', 15, "rules.tickets.detectives.taxi", ["whole number, or 'unlimited'"]),
        ('"double": 1', '"double": "unlimited"', 14, "rules.tickets.mr_x.double", ["must be limited"]),
        ('"taxi": [2], "ferry"', '"bus": [2], "ferry"', 20, "stations[1].links.taxi[1]", ["no taxi link from 3 to 2"]),
        ('{"taxi": [2]}', '{"bus": [2]}', 19, "stations[0].links.bus", ["no transport “bus”", "ferry, taxi"]),
        ('{"taxi": [2]}', '{"taxi": [2, 2]}', 19, "stations[0].links.taxi[1]", ["from 1 to 2 is listed twice"]),
        ('{"taxi": [2]}', '{"taxi": [2, 1]}', 19, "stations[0].links.taxi[1]", ["taxi link from 1 to itself"]),
        ('{"taxi": [2]}', '["taxi", 2]', 19, "stations[0].links", ["should be an object"]),
        ('"station": 1,', '"station": "1",', 19, "stations[0].station", ["should be a whole number"]),
        ('"station": 1,', '"station": 0,', 19, "stations[0].station", ["at least 1"]),
        ('"station": 1, "links"', '"station": 1, "lnks"', 19, "stations[0].links", ["is missing"]),
        ('"station": 1,', '"station": 1, "x": 5,', 19, "stations[0]", ["x and y to every station"]),
        ('"station": 1,', '"station": 1, "colour": 5,', 19, "stations[0].colour", ["there is no key “colour” here"]),
        ('"rounds": 5', '"rounds": 0', 11, "rules.rounds", ["at least 1"]),
        ('"rounds": 5', '"round": 5', 11, "rules.round", ["there is no key “round” here, but there is “rounds”"]),
        ('"detectives": 2', '"detectives": 6', 10, "rules.detectives", ["at most 5"]),
        ('{"name": "taxi"}', '{"name": "Taxi"}', 5, "transports[0].name", ["small letters"]),
        ('{"name": "taxi"}', '{"name": "double"}', 5, "transports[0].name", ["“double” has a meaning of its own"]),
        ('{"name": "taxi"}', '{"name": "pass"}', 5, "transports[0].name", ["“pass” has a meaning of its own"]),
        ('{"name": "taxi"}', '{"name": "ferry"}', 6, "transports[1].name", ["two transports called “ferry”"]),
        ('{"name": "taxi"}', '{"name": "taxi", "black_only": true}', 4, "transports", ["not black_only"]),
        ('"game": "scotland-yard"', '"game": "chess"', 2, "game", ["'scotland-yard'"]),
        ('"name": "harbour"', '"name": "har\\nbour"', 3, "name", ["one line"]),
        ('"name": "harbour"', '"name": "a", "name": "b"', 3, "name", ["is given twice"]),
        ('"name": "harbour"', '"name": "a", "like": "plan2"', 3, "like", ["“plan2”", "“plan1”"]),
        (
            '"name": "harbour"',
            '"name": "a", "like": "plan1"',
            4,
            "transports",
            ["that is “like” another cannot have transports of its own"],
        ),
    ],
)
def test_a_mistake_is_told_with_its_line_and_place(old: str, new: str, line: int, place: str, words: list[str]) -> None:
    error = problem_of(changed(old, new))
    assert (error.line, error.place) == (line, place)
    for word in words:
        assert word in error.sentence


def test_a_disconnected_board_names_a_station_on_each_side() -> None:
    text = changed('"taxi": [1, 3]', '"taxi": [1]', changed('"taxi": [2], "ferry": [4]', '"ferry": [4]'))
    error = problem_of(text)
    assert (error.line, error.place) == (21, "stations[2]")
    assert error.sentence == "not everything is connected: station 3 cannot be reached from station 1."


@pytest.mark.parametrize(
    ("starts", "place", "words"),
    [
        ({"mr_x": [1]}, "starts.detectives", "is missing"),
        ({"mr_x": [1], "detectives": [2, "x"]}, "starts.detectives[1]", "whole number"),
        ({"mr_x": [1], "detectives": [2, 7]}, "starts.detectives[1]", "7 is not a station"),
        ({"mr_x": [], "detectives": [2, 3]}, "starts", "no start for Mr X"),
        ({"mr_x": [1], "detectives": [2]}, "starts", "more pieces (2 detectives) than starts for them (1)"),
        ({"mr_x": [1, 2], "detectives": [2, 3]}, "starts", "Mr X may take one of them"),
        ("all", "starts", "'any'"),
    ],
)
def test_separate_starts_are_checked_each(starts: Any, place: str, words: str) -> None:
    error = problem_of(changed("[1, 2, 3]", json.dumps(starts)))
    assert (error.line, error.place) == (8, place)
    assert words in error.sentence


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", 1, "not JSON"),
        ("[]", 1, "one JSON object"),
        ('{\n "game": "scotland-yard"\n "name": "x"}', 3, "not JSON"),
        ('{\n "game": NaN}', 2, "NaN is not a number"),
        ('{\n\n "x": 1e999}', 3, "1e999 is not a number"),
        ('{\n\n "x": ' + "9" * 5000 + "}", 3, "is not a number that can be used"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('{"\\ud800": 1}', 1, "broken characters"),
    ],
)
def test_text_that_is_no_usable_json_is_told_with_its_line(text: str, line: int, words: str) -> None:
    error = problem_of(text)
    assert error.line == line and words in error.sentence


def test_a_file_that_cannot_be_read_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\x00")
    for name, words in [
        ("none.json", "no such file"),
        ("bytes.json", "not UTF-8 text"),
        ("", "cannot be read"),
        ("\0", "no such"),
    ]:
        with pytest.raises(BadFile, match=words):
            jsonfile.read(tmp_path / name)


def test_a_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "harbour.json"
    path.write_text(SMALL, encoding="utf-8-sig")
    assert fb.game(f"scotland-yard/{path}").seats == 3


# Anything at all, anywhere in a good file.

good_files = st.sampled_from([SMALL, shipped_text("plan1.json"), shipped_text("london-modern.json")])
words = st.sampled_from(
    ["taxi", "tram", "black", "double", "any", "unlimited", "detectives", "plan1", "none", "every 2", ""]
)
scalars = st.one_of(st.none(), st.booleans(), st.integers(-3, 300), st.integers(), st.floats(), words, st.text(max_size=6))
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=4)
)
often = settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))


def places_in(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place of a JSON value, the whole of it included."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here, *(place for key, each in inside for place in places_in(each, (*here, key)))]


def at(value: Any, place: tuple[Any, ...]) -> Any:
    for key in place:
        value = value[key]
    return value


def mutated(data: st.DataObject, value: Any) -> Any:
    """One change at a random place: a key or entry gone, doubled, renamed, or anything instead."""
    place = data.draw(st.sampled_from(places_in(value)))
    if not place:
        return data.draw(anything)
    parent, key = at(value, place[:-1]), place[-1]
    kind = data.draw(st.sampled_from(["replace", "delete", "double", "swap", "step"]))
    if kind == "delete":
        del parent[key]
    elif kind == "double" and isinstance(parent, list):
        parent.append(copy.deepcopy(parent[key]))
    elif kind == "double":
        parent[data.draw(words)] = copy.deepcopy(parent[key])
    elif kind == "swap":
        parent[key] = copy.deepcopy(at(value, data.draw(st.sampled_from(places_in(value)))))
    elif kind == "step" and type(parent[key]) is int:
        parent[key] += data.draw(st.sampled_from([-1, 1]))
    else:
        parent[key] = data.draw(anything)
    return value


def check_text(text: str) -> None:
    """Either a board that can be set up and played, or one sentence with a place."""
    try:
        board = read(text)
    except BadFile as error:
        check_sentence(error, text)
        return
    game = ScotlandYard(board, "scotland-yard/my.json", shipped=False)
    match = game.new(seed=1)
    assert match.over or match.legal()
    assert game.definition() == BOARDS.rebuild(game.definition()).definition()


@often
@given(good_files, st.integers(1, 3), st.data())
def test_a_mutated_file_gives_a_board_or_a_sentence(text: str, changes: int, data: st.DataObject) -> None:
    value = json.loads(text)
    for _ in range(changes):
        value = mutated(data, value)
    check_text(json.dumps(value, indent=data.draw(st.sampled_from([None, 1]))))


@often
@given(good_files, st.data())
def test_a_file_with_damaged_text_gives_a_board_or_a_sentence(text: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(text)))
    length = data.draw(st.sampled_from([0, 1, 3, len(text)]))  # the last cuts the file off
    check_text(text[:place] + data.draw(st.text(max_size=3)) + text[place + length :])


@often
@given(anything)
def test_any_json_at_all_gives_a_sentence(value: Any) -> None:
    problem_of(json.dumps(value))


# The published schema.


@pytest.mark.parametrize("name", SHIPPED)
def test_the_schema_accepts_every_shipped_file(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(BOARDS.schema())
    jsonschema.validate(json.loads(shipped_text(name)), BOARDS.schema())


@pytest.mark.parametrize("name", ["london", "plan1-long", "grid4"])
def test_the_schema_accepts_a_board_written_out_in_full(name: str) -> None:
    jsonschema.validate(BOARDS.load(name, {}).definition(), BOARDS.schema())


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"game": "scotland-yard"', '"game": "risk"'),
        ('"name": "harbour",', ""),
        ('"station": 2,', '"station": "2",'),
        ('"station": 2,', ""),
        ('"station": 2,', '"station": 2, "colour": 1,'),
        ('"rounds": 5', '"rounds": 0'),
        ('"detectives": 2', '"detectives": 6'),
        ('"rounds": 5', '"first": "nobody"'),
        ('{"taxi": 3}', '{"taxi": "many"}'),
        ('{"name": "taxi"}', '{"name": "Taxi"}'),
        ("[1, 2, 3]", '"all"'),
    ],
)
def test_the_schema_refuses_wrong_files(old: str, new: str) -> None:
    text = changed(old, new)
    problem_of(text)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(json.loads(text), BOARDS.schema())


# Boards that are like another.


def like(base: str, **more: Any) -> Board:
    return read(json.dumps({"game": "scotland-yard", "name": "mine", "like": base, **more}))


def test_a_board_like_another_takes_over_what_it_does_not_say() -> None:
    mine, plan1 = like("plan1", rules={"rounds": 9}), BOARDS.load("plan1", {})
    assert mine.rules == plan1.rules.model_copy(update={"rounds": 9})
    assert (mine.name, mine.stations, mine.mr_x_starts) == ("mine", plan1.stations, plan1.mr_x_starts)


def test_a_board_like_another_can_change_the_tickets_of_one_side_only() -> None:
    mine = like("plan1", rules={"tickets": {"mr_x": {"taxi": 5}}})
    assert mine.tickets("mr_x") == {"taxi": 5}
    assert mine.tickets("detectives") == {"taxi": 8, "tram": 4}


def test_a_board_like_another_with_fewer_rounds_loses_the_reveals_beyond_them() -> None:
    assert like("london", rules={"rounds": 10}).reveals() == [3, 8]
    assert BOARDS.load("london", {"rounds": "10"}).reveals() == [3, 8]
    assert BOARDS.load("london", {"tickets.mr_x.double": "0"}).reveals() == [3, 8, 13, 18]


def test_a_board_like_another_can_have_its_own_starts() -> None:
    mine = like("grid5", starts={"mr_x": [13], "detectives": [1, 25]})
    assert (mine.mr_x_starts, mine.detective_starts) == ((13,), (1, 25))


@pytest.mark.parametrize(
    ("more", "place", "words"),
    [
        ({"rules": {"reveals": [14]}}, "rules.reveals[0]", "beyond the last log slot, 13"),
        ({"stations": []}, "stations", "cannot have stations of its own"),
        ({"starts": [1, 2]}, "starts", "more pieces"),
        ({"starts": [1, 99]}, "starts[1]", "99 is not a station"),
    ],
)
def test_a_mistake_in_a_board_like_another_is_told_too(more: dict[str, Any], place: str, words: str) -> None:
    error = problem_of(json.dumps({"game": "scotland-yard", "name": "mine", "like": "plan1", **more}, indent=1))
    assert error.place == place and words in error.sentence


def test_too_many_detectives_on_inherited_starts_are_told_where_they_stand() -> None:
    text = '{"game": "scotland-yard",\n "name": "mine",\n "like": "grid2",\n "rules": {\n  "detectives": 4\n }}'
    error = problem_of(text)
    assert (error.line, error.place) == (5, "rules.detectives")
    assert "more pieces (Mr X and 4 detectives) than starts (4)" in error.sentence


@pytest.mark.parametrize("name", ["grid1", "grid17", "grid05", "x" * 300, "gridx", "../plan1", "\0"])
def test_a_board_that_does_not_exist_is_told_with_what_exists(name: str) -> None:
    with pytest.raises(fb.FogboundError) as caught:
        fb.game(f"scotland-yard/{name}")
    assert "no" in str(caught.value)


@pytest.mark.parametrize("name", [name.removesuffix(".json") for name in SHIPPED] + ["grid2", "grid16"])
def test_a_shipped_board_is_the_same_after_being_written_and_read(name: str) -> None:
    board = BOARDS.load(name, {})
    again = BOARDS.rebuild(json.loads(json.dumps(board.definition())))
    assert again == board
