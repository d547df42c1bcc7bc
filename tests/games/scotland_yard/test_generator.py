"""Generated boards: the same for the same seed, in one piece, drawn where they lie, with rules that suit their size."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.core.errors import BadOption, FogboundError
from fogbound.games.boardfile import connected
from fogbound.games.scotland_yard import generator
from fogbound.games.scotland_yard.board import BOARDS


@given(st.integers(8, 200), st.integers(0, 10**9))
@settings(max_examples=20, deadline=None)
def test_generated_boards_are_whole_and_drawn_apart(stations: int, seed: int) -> None:
    board = generator.generate(stations, seed)
    assert BOARDS.rebuild(board.definition()) == board  # so every check of board files holds
    taxi = [[end - 1 for end in station.links["taxi"]] for station in board.stations]
    assert connected(taxi.__getitem__, 0) == set(range(stations))
    places = np.array([(station.x, station.y) for station in board.stations], float)
    gaps = np.hypot(*(places[:, None] - places).transpose(2, 0, 1))
    assert gaps[~np.eye(stations, dtype=bool)].min() > 20  # stations have a hundred for each of them


@pytest.mark.parametrize(
    ("stations", "detectives", "rounds", "transports"),
    [
        (8, 1, 12, ["taxi"]),
        (16, 2, 12, ["taxi", "bus"]),
        (45, 3, 12, ["taxi", "bus"]),
        (72, 3, 18, ["taxi", "bus", "underground"]),
        (100, 4, 18, ["taxi", "bus", "underground", "ferry"]),
        (200, 5, 22, ["taxi", "bus", "underground", "ferry"]),
    ],
)
def test_a_larger_board_has_more_of_everything(stations: int, detectives: int, rounds: int, transports: list[str]) -> None:
    board = generator.generate(stations, 3)
    assert (board.rules.detectives, board.rules.rounds) == (detectives, rounds)
    assert [transport.name for transport in board.transports] == transports
    tickets = board.tickets("detectives").values()
    assert -1 in tickets or sum(tickets) == rounds


def test_a_seed_always_gives_the_same_board_and_another_seed_another() -> None:
    first = generator.generate(60, 5)
    generator.generate.cache_clear()
    assert generator.generate(60, 5) == first
    assert generator.generate(60, 6) != first


def test_the_board_of_a_seed_does_not_change_with_versions() -> None:
    board = generator.generate(8, 1)
    assert [station.links["taxi"] for station in board.stations] == [
        [2, 3, 6],
        [1, 3, 4],
        [1, 2, 4, 5, 6, 7],
        [2, 3, 5],
        [3, 4, 7, 8],
        [1, 3, 8],
        [3, 5, 8],
        [5, 6, 7],
    ]


def test_games_on_generated_boards_are_lost_for_neither_side() -> None:
    """From twenty stations on: of 100 games of scripted players nobody wins nearly all."""
    for stations in (20, 44, 60, 110, 200):
        sets = fb.play_set(f"scotland-yard/random:stations={stations},seed=4", ["heuristic", "heuristic"], games=100, seed=1)
        won = np.mean([result.scores[0] for result in sets])
        assert 0.1 < won < 0.9, stations


def test_what_cannot_be_generated_is_told_in_a_sentence() -> None:
    with pytest.raises(BadOption, match="“stations” is only for scotland-yard/random, not for scotland-yard/grid5"):
        BOARDS.load("grid5", {"stations": "20"})
    with pytest.raises(FogboundError, match="stations=7"):
        BOARDS.load("random", {"stations": "7"})
    with pytest.raises(FogboundError, match="seed=-1"):
        BOARDS.load("random", {"seed": "-1"})


def test_rules_can_be_changed_on_a_generated_board() -> None:
    board = BOARDS.load("random", {"stations": "50", "seed": "2", "detectives": "4", "rounds": "10"})
    assert (len(board.stations), board.rules.detectives, board.rules.rounds) == (50, 4, 10)
