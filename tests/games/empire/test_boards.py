"""Board files, random boards and options: what is right is played, what is wrong gets one clear sentence."""

from __future__ import annotations

import copy
import json
import random
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import fogbound as fb
from fogbound.core import jsonfile, registry
from fogbound.games.empire import tiles
from fogbound.games.empire.board import BOARDS
from tests.games.empire.variants import NO_MAP

SHIPPED = ["seed", "side-a", "side-b"]
MUTATIONS = 400


def text_of(name: str) -> str:
    return resources.files("fogbound.games.empire").joinpath(f"boards/{name}.json").read_text(encoding="utf-8")


def data_of(name: str) -> dict[str, Any]:
    return json.loads(text_of(name))


def refusal(data: Any) -> str:
    with pytest.raises(fb.BadFile) as refused:
        BOARDS.check(jsonfile.parse(json.dumps(data, indent=1), "mine.json"))
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "regions", "continents", "start"), [("seed", 15, 4, "C3"), ("side-a", 25, 4, "A12"), ("side-b", 23, 5, "B12")]
)
def test_the_shipped_boards_have_their_regions_and_continents(name: str, regions: int, continents: int, start: str) -> None:
    board = BOARDS.load(name, {})
    assert (len(board.regions), len(board.continents), board.start) == (regions, continents, start)
    assert len(board.token_spaces) == 5


def test_borders_and_sea_routes_of_the_printed_boards_are_complete() -> None:
    for name, land, sea in [("side-a", 30, 7), ("side-b", 29, 7)]:
        board = BOARDS.load(name, {})
        assert sum(len(region.land) for region in board.regions) == 2 * land
        assert sum(len(region.sea) for region in board.regions) == 2 * sea


def test_the_seeds_tiles_make_continents_of_connected_land() -> None:
    board = BOARDS.load("seed", {})
    inside = {name: [r.region for r in board.regions if r.continent == name] for name in board.continents}
    assert inside == {
        "1": ["B1", "C1", "B2", "C2", "C3", "C4", "C5", "D5"],
        "2": ["F1", "F2", "E3", "F3"],
        "3": ["A4", "A5"],
        "4": ["F5"],
    }


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_and_definitions_fit_the_schema(name: str) -> None:
    jsonschema.validate(data_of(name), BOARDS.schema())
    definition = BOARDS.load(name, {"players": "3", "tokens": "true"}).definition()
    jsonschema.validate(definition, BOARDS.schema())
    assert BOARDS.rebuild(definition) == BOARDS.load(name, {"players": "3", "tokens": "true"})


def test_a_board_file_is_played_and_its_records_replay_without_it(tmp_path: Path) -> None:
    record = fb.play(f"empire/{NO_MAP}:players=3,tokens=true", ["random"], seed=5)
    record.save(tmp_path / "game.json")
    assert fb.load(tmp_path / "game.json").scores == record.scores
    assert "definition" in record.to_json()


def test_a_file_like_a_shipped_board_changes_its_rules(tmp_path: Path) -> None:
    file = tmp_path / "four.json"
    file.write_text('{"game": "empire", "name": "four", "like": "side-b", "rules": {"players": 4, "tokens": true}}')
    game = fb.game(f"empire/{file}:coins=5")
    assert game.seats == 4 and len(game.public(game.new(seed=1).state)["regions"]) == 23
    assert game.new(seed=1).state["coins"][0] == 5


def test_random_boards_are_the_same_for_the_same_seed_and_differ_otherwise() -> None:
    first = [BOARDS.load("random", {"seed": str(seed)}).tiles for seed in range(12)]
    again = [BOARDS.load("random", {"seed": str(seed)}).tiles for seed in range(12)]
    assert first == again and len(set(first)) == 12
    assert first[5] == ("WWWGGG", "GWWSGG", "GGGGGW", "GWWWWG", "WWWWGW")  # a spec means the same board for ever


@pytest.mark.parametrize(
    ("width", "height", "land"), [(6, 5, 50), (2, 2, 50), (3, 3, 40), (16, 4, 90), (9, 7, 60), (4, 12, 20), (2, 16, 30)]
)
def test_random_boards_can_be_walked_and_sailed_from_end_to_end(width: int, height: int, land: int) -> None:
    for seed in range(6):
        options = {"seed": str(seed), "width": str(width), "height": str(height), "land": str(land)}
        board = BOARDS.load("random", options)
        assert len(board.tiles) == height and {len(row) for row in board.tiles} == {width}
        assert len(board.regions) == max(2, round(width * height * land / 100))
        assert sum(row.count("S") for row in board.tiles) == 1


def test_tokens_on_tiles_lie_far_apart() -> None:
    rows = data_of("seed")["tiles"]
    assert tiles.token_spaces(rows) == BOARDS.load("seed", {}).token_spaces
    assert "C3" in tiles.token_spaces(rows) and len(tiles.token_spaces(rows)) == 5
    listed = {**data_of("seed"), "tokens": ["F5", "A4"]}
    assert BOARDS.check(jsonfile.parse(json.dumps(listed), "mine.json")).token_spaces == ["A4", "F5"]


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (["WGS", "GG"], "line 6, at tiles[1]: this row has 2 tiles, the first row has 3."),
        (["WGS", "GxG"], "line 6, at tiles[1]: “x” in column 2 is not a tile; W is water, G is land, S is the start."),
        (["GGS", "GSG"], "line 6, at tiles[1]: column 2 is a second start region; a board has one S."),
        (["GGG"], "at tiles: there is no start region; one tile must be an S."),
        (["S"], "at tiles: a board has 2 to 64 regions, not 1."),
        (["SGWWG"], "at tiles[0]: the region E1 (column 5) cannot be reached from the start, not even by sea."),
        ([], "at tiles: a tile board has 1 to 16 rows of 1 to 16 tiles."),
        (["S" + "G" * 16], "at tiles: a tile board has 1 to 16 rows of 1 to 16 tiles."),
        (["S" + "G" * 15] + ["G" * 16] * 4, "at tiles: a board has 2 to 64 regions, not 80."),
    ],
)
def test_a_wrong_tile_board_is_told_with_row_and_column(rows: list[str], sentence: str) -> None:
    assert sentence in refusal({"game": "empire", "name": "mine", "tiles": rows})


def broken(change: Any) -> str:
    data = data_of("side-a")
    change(data)
    return refusal(data)


def test_a_wrong_region_board_is_told_with_line_and_place() -> None:
    regions = "regions"
    assert "one-sided: there is no border from “A2” to “A5”" in broken(lambda d: d[regions][4]["land"].append("A2"))
    assert "regions[1].sea[0]: the sea route from “A2” to “A8” is one-sided" in broken(lambda d: d[regions][7].pop("sea"))
    assert "“A99”, which does not exist" in broken(lambda d: d[regions][0]["land"].append("A99"))
    assert "there is a border from “A1” to itself" in broken(lambda d: d[regions][0]["land"].append("A1"))
    assert "to “A2” is listed twice" in broken(lambda d: d[regions][0]["land"].append("A2"))
    assert "there are two regions called a1" in broken(lambda d: d[regions][1].update(region="a1"))
    assert "give x and y to every region, or to none" in broken(lambda d: d[regions][3].pop("x"))
    assert "there is no start region" in broken(lambda d: d.pop("start"))
    assert "the start “B1” is not a region of this board" in broken(lambda d: d.update(start="B1"))
    assert "A1 and A2 already share a border" in broken(
        lambda d: [d[regions][0].update(sea=["A2"]), d[regions][1]["sea"].append("A1")]
    )
    assert "neutral armies are for two players, not for 3" in broken(
        lambda d: d.update(rules={"players": 3, "neutral": True})
    )
    assert "this file has both" in broken(lambda d: d.update(tiles=["SG"]))
    assert "a board with “regions” must not have “tokens”" in broken(lambda d: d.update(tokens=["A1"]))
    assert "this file has none of them" in broken(lambda d: d.pop("regions"))

    def strand(data: dict[str, Any]) -> None:
        data[regions][20]["land"], data[regions][20]["sea"] = [], []
        data[regions][21]["land"].remove("A21")
        data[regions][6].pop("sea")

    assert "regions[20]: not everything is connected: region “A21” cannot be reached from region “A12”." in broken(strand)

    def no_spaces(data: dict[str, Any]) -> None:
        for region in data[regions]:
            region.pop("token", None)
        data["rules"] = {"tokens": True}

    assert "there is nowhere to put goods tokens" in broken(no_spaces)


def test_the_line_is_the_line_in_the_file(tmp_path: Path) -> None:
    text = text_of("side-a").replace('"land": ["A2", "A3", "A4"]', '"land": ["A2", "A3", "A9"]')
    file = tmp_path / "wrong.json"
    file.write_text(text)
    with pytest.raises(fb.BadFile, match=r"line 7, at regions\[0\]\.land\[2\]: the border from “A1” to “A9” is one-sided"):
        fb.game(f"empire/{file}")


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("empire/side-c", "There is no board “side-c” of empire. Did you mean “side-b”"),
        ("empire/seed:players=6", "players=6"),
        ("empire/seed:players=1", "players=1"),
        ("empire/seed:player=3", "Did you mean “players”"),
        ("empire/seed:wild=free", "wild=free"),
        ("empire/seed:neutral=true,players=3", "neutral armies are for two players"),
        ("empire/seed:turns=19", "cards for 18 turns each, not 19"),
        ("empire/seed:seed=3", "The option “seed” is only for empire/random, not for empire/seed"),
        ("empire/random:width=40", "width=40"),
        ("empire/random:width=16,height=16,land=90", "has 230 regions; a board has 2 to 64"),
        ("empire/nowhere.json", "there is no such file"),
    ],
)
def test_a_wrong_spec_gets_one_clear_sentence(spec: str, sentence: str) -> None:
    with pytest.raises(fb.FogboundError) as refused:
        fb.game(spec)
    assert sentence in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_damaged_board_file_is_refused_in_words_or_still_a_board(name: str) -> None:
    """Whatever is changed in a file, it is a sound board or BadFile; nothing else ever comes out."""
    chance = random.Random(name)
    refused = []
    for _ in range(MUTATIONS):
        data = mutated(chance, data_of(name))
        try:
            board = BOARDS.check(jsonfile.parse(json.dumps(data, indent=1), "mine.json"))
        except fb.BadFile as error:
            refused.append(str(error))
        else:
            assert BOARDS.rebuild(board.definition()) == board
    assert len(refused) > MUTATIONS // 3
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in refused)


def mutated(chance: random.Random, data: Any) -> Any:
    """The data with one place deleted, doubled or replaced by something else."""
    data = copy.deepcopy(data)
    places = [(parent, key) for parent, key in walk(data)]
    parent, key = chance.choice(places)
    kind = chance.randrange(4)
    if kind == 0:
        del parent[key]
    elif kind == 1 and isinstance(parent, list):
        parent.insert(key, copy.deepcopy(parent[key]))
    elif kind == 2:
        parent[key] = chance.choice([None, True, -1, 3.5, "", "Q", "A1", [], {}, ["A2"], {"x": 1}, "W" * 70, 10**30])
    else:
        other, place = chance.choice(places)
        parent[key] = copy.deepcopy(other[place])
    return data


def walk(data: Any) -> list[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    keys = data.keys() if isinstance(data, dict) else range(len(data)) if isinstance(data, list) else ()
    for key in list(keys):
        found.append((data, key))
        found.extend(walk(data[key]))
    return found


def test_every_option_has_a_line_of_description() -> None:
    fields = registry.family("empire").options.model_fields
    assert all(field.description for field in fields.values())
    assert set(registry.family("empire").boards()) == {*SHIPPED, "random"}
