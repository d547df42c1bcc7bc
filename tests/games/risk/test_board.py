"""Maps: the classic one, generated ones, and everything that can be wrong with a file."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fogbound.core.errors import BadFile, FogboundError, UnknownName
from fogbound.games.boardfile import connected
from fogbound.games.risk import generator
from fogbound.games.risk.board import BOARDS, Board


def ring(count: int = 8) -> dict[str, Any]:
    """A map file: a ring of territories, half of them in each of two continents."""
    names = [f"t{i}" for i in range(count)]
    return {
        "game": "risk",
        "name": "ring",
        "territories": [
            {"territory": name, "name": name.upper(), "borders": [names[i - 1], names[(i + 1) % count]]}
            for i, name in enumerate(names)
        ],
        "continents": [
            {"continent": "west", "name": "West", "bonus": 2, "territories": names[: count // 2]},
            {"continent": "east", "name": "East", "bonus": 3, "territories": names[count // 2 :]},
        ],
    }


def load(folder: Path, data: Any) -> Board:
    path = folder / "map.json"
    path.write_text(json.dumps(data, indent=1), encoding="utf-8")
    return BOARDS.load(str(path), {})


def test_the_classic_map_has_42_territories_83_borders_and_6_continents() -> None:
    classic = BOARDS.load("classic", {})
    assert classic.size == 42
    assert sum(map(len, classic.neighbours)) == 2 * 83
    assert [continent.bonus for continent in classic.continents] == [5, 2, 5, 3, 7, 2]
    for deck in (classic.older, classic.modern):
        assert [deck.count(symbol) for symbol in range(3)] == [14, 14, 14]
    assert classic.older != classic.modern
    assert BOARDS.load("classic", {"deck": "older"}).symbols == classic.older


def test_the_classic_missions_name_their_continents() -> None:
    classic = BOARDS.load("classic", {})
    named = {tuple(classic.continents[c].id for c in mission.continents): mission.any_third for mission in classic.missions}
    assert named == {
        ("asia", "south_america"): False,
        ("asia", "africa"): False,
        ("north_america", "africa"): False,
        ("north_america", "australia"): False,
        ("europe", "south_america"): True,
        ("europe", "australia"): True,
    }
    assert (classic.hold_many, classic.hold_firmly) == (24, 18)


def test_starting_armies_are_the_printed_ones_on_42_territories_and_scale_with_the_map() -> None:
    armies = [BOARDS.load("classic", {"players": str(players)}).starting_armies for players in range(2, 7)]
    assert armies == [40, 35, 30, 25, 20]
    halved = BOARDS.load("random", {"territories": "21", "players": "4"})
    assert halved.starting_armies == 15
    assert BOARDS.load("classic", {"starting_armies": "99"}).starting_armies == 99


def test_the_neutral_army_comes_with_two_players_unless_it_is_sent_away() -> None:
    assert BOARDS.load("classic", {"players": "2"}).neutral
    assert not BOARDS.load("classic", {"players": "2", "neutral": "false"}).neutral
    assert not BOARDS.load("classic", {"players": "3"}).neutral


def test_a_map_is_rebuilt_from_its_definition_and_fits_the_schema() -> None:
    for name, options in (("classic", {"players": "5", "cards": "slow"}), ("random", {"territories": "30", "seed": "3"})):
        board = BOARDS.load(name, options)
        definition = json.loads(json.dumps(board.definition()))
        jsonschema.validate(definition, BOARDS.schema())
        assert BOARDS.rebuild(definition) == board


def test_all_shipped_maps_load_and_tell_about_themselves() -> None:
    assert set(BOARDS.shipped()) == {"classic", "random"}
    assert all(BOARDS.shipped().values())


def test_a_file_can_be_like_the_classic_map_with_other_rules(tmp_path: Path) -> None:
    board = load(tmp_path, {"game": "risk", "name": "mine", "like": "classic", "rules": {"players": 5}})
    assert board.name == "mine" and board.size == 42 and board.rules.players == 5


def test_a_plain_file_gets_symbols_in_equal_parts_and_places_to_draw(tmp_path: Path) -> None:
    board = load(tmp_path, ring(9))
    assert [board.symbols.count(symbol) for symbol in range(3)] == [3, 3, 3]
    assert len({(territory.x, territory.y) for territory in board.territories}) == 9


def bad(change: str, sentence: str) -> Any:
    return pytest.param(change, sentence, id=sentence[:40].replace(" ", "-"))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        bad(
            "t[3]['borders'].remove('t4')",
            "the border from “t4” to “t3” is one-sided: there is no border from “t3” to “t4”.",
        ),
        bad("t[0]['borders'].append('atlantis')", "there is a border from “t0” to “atlantis”, which does not exist."),
        bad("t[0]['borders'].append('t0')", "there is a border from “t0” to itself."),
        bad("t[0]['borders'].append('t1')", "the border from “t0” to “t1” is listed twice."),
        bad("t[1].update(territory='t0')", "there are two territories “t0”."),
        bad("t[1].update(name='t0')", "two territories are called “t0”."),
        bad("t[1].update(x=1.0)", "give x and y to every territory, or to none."),
        bad("t[1].update(older='infantry')", "give a symbol of the older deck to every territory, or to none."),
        bad("t[1].update(polygon=[[0.0, 1.0], [1.0, 1.0]])", "a polygon is a list of at least three points [x, y]."),
        bad("c[0]['territories'].append('t7')", "“t7” is listed in “east”, but it is already in “west”."),
        bad("c[0]['territories'].remove('t0')", "the territory “t0” belongs to no continent."),
        bad("c[0]['territories'].append('mu')", "the continent “west” lists “mu”, but there is no such territory."),
        bad("c[0].update(bonus=-1)", "the bonus of “west” is -1; it must not be negative."),
        bad("c.append(dict(continent='x', name='X', bonus=0, territories=[]))", "the continent “x” has no territories."),
        bad("c[1].update(continent='west')", "there are two continents “west”."),
        bad("c.clear()", "a map needs at least one continent."),
        bad("t.__delitem__(slice(5, None))", "a map has 6 to 120 territories, not 5."),
        bad("data.update(ring(122))", "a map has 6 to 120 territories, not 122."),
        bad("data.update(sea=[['t0', 't5']])", "a border across water is a pair of territories that border on each other."),
        bad("data.update(missions=[dict(continents=['mu'])])", "there is no continent “mu” on this map; it has west, east."),
        bad(
            "data.update(missions=[dict(continents=['west', 'east'], any_third=True)])",
            "this mission names every continent, so none is left to choose.",
        ),
        bad("data.update(rules=dict(players=7))", "at most 6"),
        bad("data.update(rules=dict(players=3, neutral=True))", "the neutral army is for two players, not for 3."),
        bad("data.update(rules=dict(players=2, goal='missions'))", "there are no missions in the game of two players"),
        bad("data.update(rules=dict(army_limit=1))", "with one army per territory nobody could attack"),
        bad("data.update(rules=dict(starting_armies=2))", "2 starting armies are too few for 8 territories; give 3"),
        bad("data.update(like='classic')", "a map that is “like” another cannot have territories of its own."),
        bad("data.update(game='chess')", "should be 'risk'"),
        bad("data.update(colour='red')", "there is no key “colour” here."),
    ],
)
def test_a_bad_map_file_is_answered_with_the_place_and_one_sentence(tmp_path: Path, change: str, sentence: str) -> None:
    data = ring()
    exec(change, {"data": data, "t": data["territories"], "c": data["continents"], "ring": ring})
    with pytest.raises(BadFile) as caught:
        load(tmp_path, data)
    assert sentence in str(caught.value)
    assert "map.json, line " in str(caught.value)


def test_a_disconnected_map_is_refused(tmp_path: Path) -> None:
    data, other = ring(6), ring(6)
    text = json.dumps(other).replace('"t', '"u').replace('"T', '"U').replace("uerritor", "territor")
    data["territories"] += json.loads(text)["territories"]
    data["continents"][0]["territories"] += [f"u{i}" for i in range(6)]
    with pytest.raises(BadFile, match="not everything is connected: territory “u0” cannot be reached from territory “t0”"):
        load(tmp_path, data)


def test_unknown_names_and_options_are_answered_with_what_exists() -> None:
    with pytest.raises(UnknownName, match="Did you mean “classic”"):
        BOARDS.load("clasic", {})
    with pytest.raises(UnknownName, match="Did you mean “players”"):
        BOARDS.load("classic", {"player": "3"})
    with pytest.raises(FogboundError, match="The option “territories” is only for risk/random, not for risk/classic"):
        BOARDS.load("classic", {"territories": "20"})
    with pytest.raises(FogboundError, match="A map of 8 territories cannot have 9 continents"):
        BOARDS.load("random", {"territories": "8", "continents": "9"})
    with pytest.raises(FogboundError, match="territories=5"):
        BOARDS.load("random", {"territories": "5"})


def test_the_bonus_formula_gives_the_printed_bonuses_of_the_classic_map() -> None:
    classic = BOARDS.load("classic", {})
    for continent in classic.continents:
        assert generator.bonus(list(continent.members), classic.neighbours) == continent.bonus


@given(st.integers(6, 120), st.integers(0, 120), st.integers(0, 10**9))
@settings(max_examples=20, deadline=None)
def test_generated_maps_are_whole_and_every_continent_is_connected(size: int, continents: int, seed: int) -> None:
    continents = min(continents, size)
    board = generator.generate(size, continents, seed)
    assert board.size == size
    assert len(board.continents) == (continents or max(2, round(size / 7)))
    assert BOARDS.rebuild(board.definition()) == board  # so every check of map files holds
    for continent in board.continents:
        inside = tuple(
            tuple(j for j in near if j in continent.members) if i in continent.members else ()
            for i, near in enumerate(board.neighbours)
        )
        assert connected(inside.__getitem__, continent.members[0]) == set(continent.members)
        assert continent.bonus >= 1
    assert sum(map(len, board.neighbours)) / 2 <= 3 * size - 6  # as any map that can be drawn without crossings


def test_the_polygons_of_a_generated_map_cover_an_island_without_overlap() -> None:
    board = BOARDS.load("random", {"territories": "24", "seed": "7"})
    points = np.stack(np.meshgrid(np.arange(5.0, 1000, 20), np.arange(5.0, 700, 20)), -1).reshape(-1, 2)
    layers = np.zeros(len(points), int)
    for territory in board.territories:
        assert territory.polygon is not None
        polygon = np.array(territory.polygon)
        assert generator.area(polygon) > 500
        layers += generator._inside(polygon, points)
    assert layers.max() == 1
    assert layers.mean() > 0.5


def test_a_seed_always_gives_the_same_map_and_another_seed_another() -> None:
    first = generator.generate(21, 4, 5)
    generator.generate.cache_clear()
    assert generator.generate(21, 4, 5) == first
    assert generator.generate(21, 4, 6) != first
    names = [territory.name for territory in first.territories] + [continent.name for continent in first.continents]
    assert len(set(names)) == 25


def test_the_map_of_a_seed_does_not_change_with_versions() -> None:
    board = generator.generate(6, 2, 1)
    assert [territory.name for territory in board.territories] == [
        "Sunlork",
        "Fubrund",
        "Zubilrn",
        "Sonilrn",
        "Valtenth",
        "Gupork",
    ]
    assert board.neighbours == ((1, 5), (0, 4, 5), (3, 4), (2, 5), (1, 2, 5), (0, 1, 3, 4))


def test_loading_never_changes_the_given_definition() -> None:
    definition = BOARDS.load("classic", {}).definition()
    before = copy.deepcopy(definition)
    BOARDS.rebuild(definition)
    assert definition == before
