"""What each technique of the tree search is worth in Scotland Yard at equal time.

    python benchmarks/equal_time.py --board plan1 --games 400 --workers 16
    python benchmarks/equal_time.py --board london --games 400 --workers 16 --only guess,categories

One player is the base: a new world every iteration, chases as playouts, no further technique. Every other
row changes one thing, and all face the same opponent from the same starts. A variant that takes longer for an
iteration gets fewer of them: first the time of an iteration is measured for each on one core, in the positions of
a few games of the scripted players, and the iterations are set so that all take the base's time for a move.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from cells import Cell, gain, milliseconds, play_cells, share

import fogbound as fb
from fogbound.core.executor import process_pool

BOARDS = {"plan1": "scotland-yard/plan1:detectives=2", "london": "scotland-yard/london:detectives=4"}
RIVAL = "mcts:iterations=1000,playout=chase,c=0.4"
BASE = {"c": "0.7", "playout": "chase"}
PROBES, REPEATS = 5, 3  # games whose positions are thought about to measure the time of an iteration; the best repeat counts
MR_X, DETECTIVES = 0, 1
SIDES = ("Mr X", "detectives")


@dataclass(frozen=True)
class Variant:
    """The base with one thing changed, for one side."""

    technique: str
    label: str
    side: int
    changes: tuple[tuple[str, str], ...] = ()
    boards: tuple[str, ...] = ("plan1", "london")

    def agent(self, iterations: int) -> str:
        options = {**BASE, **dict(self.changes), "iterations": str(iterations)}
        return "mcts:" + ",".join(f"{name}={value}" for name, value in options.items())


def variant(
    technique: str, label: str, sides: tuple[int, ...], boards: str = "plan1 london", **changes: str
) -> list[Variant]:
    return [Variant(technique, label, side, tuple(changes.items()), tuple(boards.split())) for side in sides]


BOTH = (DETECTIVES, MR_X)
# What is asked for most comes first: a run that is cut off has lost the least.
VARIANTS = [
    *variant("base", "infoset, chase, c = 0.7", BOTH),
    *variant("guess", "one guess a move", (DETECTIVES,), worlds="one"),
    *variant("categories", "categories on", (DETECTIVES,), categories="on"),
    *variant("coalition", "coalition reduction 0.1", (DETECTIVES,), coalition="0.1"),
    *variant("filter", "filtering on", (MR_X,), "london", filter="on"),
    *variant("playouts", "random playouts", BOTH, playout="random"),
    *variant("playouts", "heuristic playouts", BOTH, playout="heuristic"),
    *variant("observers", "observers", BOTH, worlds="observers"),
    *variant("coalition", "coalition reduction 0.3", (DETECTIVES,), coalition="0.3"),
    *variant("c", "c = 0.4", BOTH, c="0.4"),
    *variant("c", "c = 1.4", BOTH, c="1.4"),
    *variant("history", "progressive history 1", BOTH, history="1"),
    *variant("c", "c = 0.2", BOTH, c="0.2"),
    *variant("history", "progressive history 4", BOTH, history="4"),
]


def slower(board: str, variant: Variant, iterations: int) -> float:
    """How many times the base's time a variant takes for as many iterations; they are measured in turns on one core."""
    players = Variant("base", "", variant.side), variant
    for player in players:
        seconds_for(board, player, 10, 0)  # loads the compiled code
    best = [[float("inf")] * PROBES, [float("inf")] * PROBES]
    for number in range(PROBES):
        for _ in range(REPEATS):
            for player, times in zip(players, best, strict=True):
                times[number] = min(times[number], seconds_for(board, player, iterations, number))
    return sum(best[1]) / sum(best[0])


def seconds_for(board: str, variant: Variant, iterations: int, number: int) -> float:
    """Processor seconds a thought in one such game."""
    game = fb.game(BOARDS[board])
    match = game.new(99, number)
    scripted, thinker = fb.agent("heuristic", game), fb.agent(variant.agent(iterations), game)
    total, thoughts = 0.0, 0
    while not match.over:
        view = match.view(match.to_move)
        if game.side_of[view.seat] == variant.side and len(match.legal()) > 1:
            began = process_time()
            thinker.choose(view)
            total += process_time() - began
            thoughts += 1
        match.play(scripted.choose(view).action)
    return total / max(1, thoughts)


def budgets(board: str, variants: list[Variant], iterations: int, workers: int) -> Iterator[int]:
    """Iterations for each variant that take as long as the base's."""
    with process_pool(workers) as pool:
        asked = [pool.submit(slower, board, each, iterations) for each in variants]
        for each, future in zip(variants, asked, strict=True):
            yield iterations if each.technique == "base" else max(10, round(iterations / future.result()))


def tell(given: argparse.Namespace) -> None:
    only = set(given.only.split(",")) if given.only else {each.technique for each in VARIANTS}
    variants = [v for v in VARIANTS if given.board in v.boards and v.technique in only | {"base"}]
    counts = list(budgets(given.board, variants, given.iterations, given.workers))
    cells = []
    for each, count in zip(variants, counts, strict=True):
        agents = (RIVAL, each.agent(count)) if each.side == DETECTIVES else (each.agent(count), RIVAL)
        cells.append(Cell(each.label, BOARDS[given.board], agents))
    print(f"### {BOARDS[given.board]}, {given.games} games a row, seed {given.seed}\n")
    print("| side | | iterations | ms a move | wins | points more than the base |\n|---|---|--:|--:|---|---|", flush=True)
    base: dict[int, list[float]] = {}
    results = play_cells(cells, given.games, given.seed, given.workers)
    for each, count, played in zip(variants, counts, results, strict=True):
        won = played.scores(each.side)
        base.setdefault(each.side, won)
        more = "{:+.1f} ({:+.1f} to {:+.1f})".format(*gain(won, base[each.side])) if each.technique != "base" else ""
        time = milliseconds(played, each.side)
        print(f"| {SIDES[each.side]} | {each.label} | {count:,} | {time:.2f} | {share(won)} | {more} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--board", choices=BOARDS, default="plan1")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--iterations", type=int, default=1000, help="of the base, a move")
    parser.add_argument("--only", default="", help="techniques, with commas between, instead of all")
    tell(parser.parse_args())


if __name__ == "__main__":
    main()
