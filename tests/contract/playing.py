"""Ways to get into positions that the contract tests share."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from random import Random

import fogbound as fb

MOST_MOVES = 400  # a random game may be long; a test need not see its end


@cache
def game(spec: str) -> fb.Game:
    return fb.game(spec)


def positions(spec: str, seeds: range, every: int = 1) -> Iterator[fb.Match]:
    """Positions of random matches that are not over, every so many moves. Each is still to be played on from."""
    for seed in seeds:
        rng = Random(seed)
        match = game(spec).new(seed=seed)
        for number in range(MOST_MOVES):
            if match.over:
                break
            if number % every == 0:
                yield match
            match.play(rng.choice(match.legal()))
