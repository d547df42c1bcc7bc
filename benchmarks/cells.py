"""Cells of a table: who plays whom, on one pool of processes for all of them, each cell told as soon as it is done.

Every cell plays game numbers 0 to N - 1 of one seed, so cells of a table are paired. Thinking is
timed in processor time, which other work on the machine does not lengthen much.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from math import sqrt
from statistics import mean, pstdev
from time import process_time

import fogbound as fb
from fogbound.core.runner import seat_agents
from fogbound.core.statistics import Z95, wilson


@dataclass(frozen=True)
class Cell:
    """One line of a table: an agent a side, and what is told of it."""

    label: str
    game: str
    agents: tuple[str, ...]
    published: str = ""


@dataclass(frozen=True)
class Played:
    """One game: its result, and for each side how long it thought about how many moves (forced ones do not count)."""

    scores: tuple[float, ...]
    seconds: tuple[float, ...]
    thoughts: tuple[int, ...]


def play_numbers(cell: Cell, seed: int, first: int, count: int) -> list[Played]:
    return [play_one(cell, seed, number) for number in range(first, first + count)]


def play_one(cell: Cell, seed: int, number: int) -> Played:
    game = fb.game(cell.game)
    match = game.new(seed, number)
    seated = seat_agents(game, cell.agents, seed, number)
    seconds, thoughts = [0.0] * game.sides, [0] * game.sides
    while not match.over:
        seat = match.to_move
        side = game.side_of[seat]
        view = match.view(seat)
        began = process_time()
        action = seated[side].choose(view).action
        if len(match.legal()) > 1:
            seconds[side] += process_time() - began
            thoughts[side] += 1
        match.play(action)
    return Played(match.scores(), tuple(seconds), tuple(thoughts))


@contextmanager
def pool_of(workers: int) -> Iterator[Executor]:
    """Processes for all cells of a run: starting them and loading compiled code takes seconds."""
    pool: Executor
    if workers == 1:
        pool = ThreadPoolExecutor(1)
    else:
        pool = ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def play_cells(pool: Executor, workers: int, cells: Sequence[Cell], games: int, seed: int) -> Iterator[list[Played]]:
    """The games of each cell, in the order of the cells; all are in the pool's hands at once, so no core waits."""
    portion = max(1, min(8, games // (2 * workers)))
    asked: list[list[Future[list[Played]]]] = [
        [pool.submit(play_numbers, cell, seed, first, min(portion, games - first)) for first in range(0, games, portion)]
        for cell in cells
    ]
    for futures in asked:
        yield [played for future in futures for played in future.result()]


def wins(played: Sequence[Played], side: int) -> list[float]:
    return [each.scores[side] for each in played]


def share(won: Sequence[float]) -> str:
    """Wins in percent with their interval."""
    low, high = wilson(sum(won), len(won))
    return f"{100 * mean(won):.1f}% ({100 * low:.0f} to {100 * high:.0f})"


def gain(won: Sequence[float], base: Sequence[float]) -> tuple[float, float, float]:
    """How many points more than the base, with the 95% interval of paired games."""
    each = [a - b for a, b in zip(won, base, strict=True)]
    spread = Z95 * pstdev(each) / sqrt(len(each))
    return 100 * mean(each), 100 * (mean(each) - spread), 100 * (mean(each) + spread)


def milliseconds(played: Sequence[Played], side: int) -> float:
    """Processor time a thought: the median of the games, so that loading compiled code does not count."""
    each = sorted(one.seconds[side] / max(1, one.thoughts[side]) for one in played)
    return 1000 * each[len(each) // 2]
