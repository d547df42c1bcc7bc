"""Random streams: reproducible, independent, even; and chance that can be written down and read back."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chisquare

import fogbound as fb
from fogbound.core.chance import draw, draw_unit, every_outcome, fits, results, rewind, taped, untaped
from fogbound.core.rng import below, next64, root, spread, stream, unit


def test_the_generator_is_xoshiro256_starstar() -> None:
    """The published algorithm, step by step in plain Python, from the same rng."""
    mask = (1 << 64) - 1
    rng = stream(7, "test")
    s = [int(word) for word in rng]

    def rotl(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & mask

    for _ in range(100):
        expected = rotl(s[1] * 5 & mask, 7) * 9 & mask
        t = s[1] << 17 & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        assert int(next64(rng)) == expected


def test_streams_are_reproducible_and_differ_by_seed_purpose_and_number() -> None:
    assert np.array_equal(stream(1, "game", 5), stream(1, "game", 5))
    others = [stream(1, "game", 5), stream(2, "game", 5), stream(1, "agent 0", 5), stream(1, "game", 6)]
    assert len({rng.tobytes() for rng in others}) == 4
    assert np.array_equal(spread(root(1, "game"), 4, 3)[1], stream(1, "game", 5))


@pytest.mark.parametrize("n", [2, 3, 6, 7, 100])
def test_whole_numbers_are_even(n: int) -> None:
    rng = stream(3, f"even {n}")
    counts = np.bincount([below(rng, n) for _ in range(20000)], minlength=n)
    assert counts.size == n
    assert chisquare(counts).pvalue > 1e-4


def test_unit_draws_lie_in_the_unit_interval() -> None:
    rng = stream(3, "unit")
    values = np.array([unit(rng) for _ in range(5000)])
    assert values.min() >= 0 and values.max() < 1
    assert abs(values.mean() - 0.5) < 0.02


def test_neighbouring_streams_are_not_correlated() -> None:
    first = np.array([unit(rng) for rng in spread(root(1, "a"), 0, 5000)])
    assert abs(np.corrcoef(first[:-1], first[1:])[0, 1]) < 0.05


def test_a_tape_gives_back_what_was_drawn() -> None:
    chance = taped(stream(1, "tape"))
    drawn = [int(draw(chance, n)) for n in (6, 52, 3)] + [float(draw_unit(chance))]
    tape = results(chance)
    other = taped(stream(2, "another"), tape)
    assert [int(draw(other, n)) for n in (6, 52, 3)] + [float(draw_unit(other))] == drawn
    assert fits(other)


def test_a_tape_with_an_impossible_result_does_not_fit() -> None:
    chance = taped(stream(1, "tape"), [6])
    assert draw(chance, 6) == 0
    assert not fits(chance)
    rewind(chance, [3, 3])
    draw(chance, 6)
    assert not fits(chance), "not all of it was used"


def test_chance_without_a_tape_draws_the_same() -> None:
    with_tape, without = taped(stream(1, "x")), untaped(stream(1, "x"))
    assert [int(draw(with_tape, 10)) for _ in range(50)] == [int(draw(without, 10)) for _ in range(50)]


def test_every_start_is_found_once() -> None:
    game = fb.game("scotland-yard/plan1")
    starts = list(every_outcome(game.rules.reset, game.table, game.blank()))
    assert len(starts) == len(set(starts)) == game.count_starts() == 360
    placements = {tuple(game.new(start=start).state["station"][:4].tolist()) for start in starts}
    assert len(placements) == 360
