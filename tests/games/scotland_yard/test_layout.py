"""A board without places is laid out: every station somewhere of its own, always the same."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import combinations

import pytest

import fogbound as fb
from fogbound.games.scotland_yard.game import ScotlandYard
from tests.games.scotland_yard.random_boards import random_game


def without_places(name: str) -> ScotlandYard:
    game = fb.game(f"scotland-yard/{name}")
    assert isinstance(game, ScotlandYard)
    stations = tuple(station.model_copy(update={"x": None, "y": None}) for station in game.board.stations)
    return ScotlandYard(replace(game.board, stations=stations), game.spec, shipped=False)


GAMES = {name: without_places(name) for name in ("grid2", "grid5", "plan1", "london")}
GAMES |= {f"random {number}": random_game(number) for number in range(25)}


@pytest.mark.parametrize("name", GAMES)
def test_every_station_has_a_place_of_its_own(name: str) -> None:
    places = GAMES[name].places
    assert len(places) == len(GAMES[name].numbers)
    assert all(math.isfinite(x) and math.isfinite(y) for x, y in places)
    assert min(math.dist(a, b) for a, b in combinations(places, 2)) > 0.5
    assert min(x for x, _ in places) == min(y for _, y in places) == 0


@pytest.mark.parametrize("name", ["plan1", "grid5", "random 3"])
def test_the_same_board_is_always_laid_out_the_same_way(name: str) -> None:
    game = GAMES[name]
    again = ScotlandYard(game.board, game.spec, shipped=False)
    assert again.places == game.places


def test_neighbours_are_drawn_nearer_than_strangers() -> None:
    game = without_places("grid5")
    place = dict(zip(game.numbers, game.places, strict=True))
    linked = {(s.station, end) for s in game.board.stations for ends in s.links.values() for end in ends}
    near = [math.dist(place[a], place[b]) for a, b in combinations(game.numbers, 2) if (a, b) in linked]
    far = [math.dist(place[a], place[b]) for a, b in combinations(game.numbers, 2) if (a, b) not in linked]
    assert sum(near) / len(near) < 0.6 * sum(far) / len(far)


def test_places_in_the_file_are_kept() -> None:
    game = fb.game("scotland-yard/plan1")
    assert isinstance(game, ScotlandYard)
    assert game.places[0] == (652.0, 413.0)
