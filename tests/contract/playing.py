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
    """Positions of random matches that are not over; later ones lie farther apart. Each is still to be played on from."""
    for seed in seeds:
        rng = Random(seed)
        match = game(spec).new(seed=seed)
        following, step, shown = 0, every, 0
        for number in range(MOST_MOVES):
            if match.over:
                break
            if number == following:
                yield match
                shown += 1
                step *= 2 if shown % 12 == 0 else 1
                following += step
            match.play(rng.choice(game(spec).legal(match.state)))
