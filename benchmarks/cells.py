"""Cells of a table: who plays whom. All cells are played by one executor, and each is told as soon as it is done.

Every cell plays game numbers 0 to N - 1 of one seed, so cells of a table are paired. Games are played one by
one, so that thinking can be timed: in processor time, which other work on the machine does not lengthen much.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import mean, pstdev

import numpy as np

from fogbound.core.executor import Local
from fogbound.core.job import Job, Played
from fogbound.core.record import Record
from fogbound.core.runner import results_of, set_of_games
from fogbound.core.statistics import Z95, wilson


@dataclass(frozen=True)
class Cell:
    """One line of a table: an agent a side, and what is told of it."""

    label: str
    game: str
    agents: tuple[str, ...]
    published: str = ""


@dataclass(frozen=True)
class Games:
    """All games of a cell, in the order of their numbers, in the jobs that they were played in."""

    jobs: list[tuple[Job, Played]]

    def scores(self, side: int) -> list[float]:
        return [float(score) for _, played in self.jobs for score in played.scores[:, side]]

    def seconds(self, side: int) -> np.ndarray:
        """Processor time that a side thought in each game; forced moves do not count."""
        return np.concatenate([played.processor_seconds[:, side] for _, played in self.jobs])

    def thoughts(self, side: int) -> np.ndarray:
        """How many moves that was."""
        return np.concatenate([played.thoughts[:, side] for _, played in self.jobs])

    def records(self) -> list[Record]:
        return [result.record for job, played in self.jobs for result in results_of(job, played, records=True)]


def play_cells(cells: Sequence[Cell], games: int, seed: int, workers: int) -> Iterator[Games]:
    """The games of each cell, in the order of the cells; jobs of all are handed out in turn, so no core waits."""
    chunk = max(1, min(8, games // (2 * workers)))
    waiting: dict[int, list[tuple[Job, Played]]] = {number: [] for number in range(len(cells))}
    told = 0
    for job, played in Local(workers).play(_jobs(cells, games, seed, chunk)):
        waiting[job.seating].append((job, played))
        while told < len(cells) and sum(each.count for each, _ in waiting[told]) == games:
            yield Games(sorted(waiting.pop(told), key=lambda pair: pair[0].first))
            told += 1


def _jobs(cells: Sequence[Cell], games: int, seed: int, chunk: int) -> Iterator[Job]:
    for number, cell in enumerate(cells):
        whole = replace(set_of_games(cell.game, cell.agents, games, seed), compiled=False, seating=number)
        yield from (whole.part(first, min(chunk, games - first)) for first in range(0, games, chunk))


def share(won: Sequence[float]) -> str:
    """Wins in percent with their interval."""
    low, high = wilson(sum(won), len(won))
    return f"{100 * mean(won):.1f}% ({100 * low:.0f} to {100 * high:.0f})"


def gain(won: Sequence[float], base: Sequence[float]) -> tuple[float, float, float]:
    """How many points more than the base, with the 95% interval of paired games."""
    each = [a - b for a, b in zip(won, base, strict=True)]
    spread = Z95 * pstdev(each) / sqrt(len(each))
    return 100 * mean(each), 100 * (mean(each) - spread), 100 * (mean(each) + spread)


def milliseconds(games: Games, side: int) -> float:
    """Processor time a thought: the median of the games, so that loading compiled code does not count."""
    each = np.sort(games.seconds(side) / np.maximum(1, games.thoughts(side)))
    return 1000 * float(each[len(each) // 2])
