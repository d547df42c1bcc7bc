"""How many sequences of moves there are from a fixed start, to every depth: a wrong rule shows here at once."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core import chance as chances
from fogbound.core.compiled import program
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.reference import ReferenceGame
from fogbound.games.scotland_yard.rules import RULES, apply, legal, to_move


@program
def count_sequences(table, states, codes, counts, tried, chance, depth):
    """Sequences of exactly `depth` moves from states[0]; games that end before do not count."""
    total, level = 0, 0
    counts[0], tried[0] = legal(table, states[0], codes[0]), 0
    while level >= 0:
        if tried[level] == counts[level]:
            level -= 1
            continue
        action = codes[level, tried[level]]
        tried[level] += 1
        if level + 1 == depth:
            total += 1
            continue
        states[level + 1] = states[level]
        apply(table, states[level + 1], action, chance)
        if to_move(states[level + 1]) >= 0:
            level += 1
            counts[level], tried[level] = legal(table, states[level], codes[level]), 0
    return total


def by_kernels(game: ScotlandYard, start: tuple[int, ...], depth: int) -> int:
    states = np.zeros(depth, RULES.state)
    states[0] = game.new(start=start).state
    codes = np.zeros((depth, game.most_actions), np.int64)
    counters = np.zeros((2, depth), np.int64)
    chance = chances.untaped(np.ones(4, np.uint64))
    return int(count_sequences(game.table, states, codes, counters[0], counters[1], chance, depth))


def by_reference(reference: ReferenceGame, depth: int) -> int:
    moves = reference.legal()
    if depth == 1:
        return len(moves)
    total = 0
    for words in moves:
        after = reference.copy()
        after.play_unchecked(words)
        total += by_reference(after, depth - 1)
    return total


# Game, the draws of its start, and the number of sequences of 1, 2, 3, ... moves.
TABLES: list[tuple[str, tuple[int, ...], list[int]]] = [
    ("london", (0, 0, 0, 0, 0, 0), [36, 300, 1206, 9564, 53310, 158214, 1122690, 16764981]),
    ("london", (17, 3, 5, 7, 9, 11), [16, 128, 784, 3640, 13440, 40320, 268800, 3322308]),
    ("london-modern", (0, 0, 0, 0, 0, 0), [16, 156, 1000, 4312, 33696, 171808, 1133808, 14194676]),
    ("london-modern:detectives=2", (12, 4, 9), [12, 108, 342, 3240, 40536, 272828, 1568160, 20116720]),
    ("plan1", (3, 1, 1, 0), [4, 8, 32, 160, 1000, 3201, 16555, 73626, 392702, 1302510, 5322501]),
    ("plan1:detectives=1", (0, 0), [5, 10, 48, 160, 767, 3056, 13836, 65090, 303370, 1500094, 6822634]),
    ("plan1-long", (0, 0, 0), [5, 10, 40, 192, 584, 3409, 16223, 58350, 265874, 1293049, 5480822]),
    ("square1", (2, 0, 0, 0), [6, 30, 56, 336, 1548, 5706, 14881, 66920, 307866, 1213253, 4037708]),
    ("grid5", (12, 0, 0), [4, 4, 12, 45, 105, 292, 1033, 2491, 7684, 26095, 76028, 229221, 747173, 2138352, 6801542]),
    ("grid5-2020", (0, 0, 0), [2, 3, 5, 17, 40, 107, 352, 949, 2482, 8007, 23738, 71543, 236299, 704922, 2067062, 6563571]),
]
# Games that are short enough to be counted to their ends: the last number is that of the longest games.
WHOLE_GAMES: list[tuple[str, tuple[int, ...], list[int]]] = [
    ("grid3:detectives=1,rounds=5", (0, 4), [2, 6, 15, 38, 72, 216, 530, 1348, 2552, 7656]),
    # Here Mr X and the detectives run out of tickets, so that they pass, or the game ends early.
    (
        "grid2:rounds=3,reveals=1,step_on_detective,hand_over,closing_move,stuck_detectives=pass,"
        "tickets.mr_x.walk=1,tickets.mr_x.black=1,tickets.mr_x.double=1,tickets.detectives.walk=2",
        (0, 2),
        [8, 16, 32, 64, 104, 176, 200, 104],
    ),
    (
        "plan1:detectives=2,tickets.mr_x.taxi=1,tickets.mr_x.tram=0,tickets.detectives.taxi=2,tickets.detectives.tram=0",
        (0, 0, 0),
        [3, 6, 24, 72, 165, 717, 2576],
    ),
]
AFFORDABLE = 30_000  # sequences that the reference can count in a moment (once, it counted up to 400,000 of each)


def loaded(name: str) -> ScotlandYard:
    game = fb.game(f"scotland-yard/{name}")
    assert isinstance(game, ScotlandYard)
    return game


@pytest.mark.parametrize(("name", "start", "counts"), TABLES + WHOLE_GAMES)
def test_the_kernels_find_as_many_sequences_as_the_table_says(name: str, start: tuple[int, ...], counts: list[int]) -> None:
    game = loaded(name)
    assert [by_kernels(game, start, depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize(("name", "start", "counts"), TABLES + WHOLE_GAMES)
def test_the_reference_finds_as_many_as_far_as_it_can_count(name: str, start: tuple[int, ...], counts: list[int]) -> None:
    reference = ReferenceGame(loaded(name).board, start)
    small = [count for count in counts if count <= AFFORDABLE]
    assert [by_reference(reference, depth) for depth in range(1, len(small) + 1)] == small


@pytest.mark.parametrize(("name", "start", "counts"), WHOLE_GAMES)
def test_no_game_is_longer_than_the_longest(name: str, start: tuple[int, ...], counts: list[int]) -> None:
    assert by_kernels(loaded(name), start, len(counts) + 1) == 0
