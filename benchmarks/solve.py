"""The tables of docs/results/solved.md, printed as Markdown.

python benchmarks/solve.py [rounds] [boards] [hunters] [habits] [play] [--tolerance 1e-3] [--minutes 10]

Every game is solved without the cache (kernels compiled before); one that would take longer than `--minutes`, by the
estimate, is left out and its row says so. growth.py solves grids of all sizes, exploit.py measures agents.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from itertools import product
from time import perf_counter

import fogbound as fb
from fogbound.agents.scotland_yard.perfect import adviser
from fogbound.core.statistics import wilson
from fogbound.games.scotland_yard.rules import HIDDEN
from fogbound.solve.api import Solution, TooLarge, solvable
from fogbound.solve.positions import states_of

ROUNDS = (3, 6, 9, 12, 15)
PLAN1 = (
    "rounds=1",
    "rounds=2",
    "rounds=3",
    "rounds=4",
    "detectives=2,rounds=3",
    "detectives=2,rounds=4",
    "detectives=1,rounds=6",
    "detectives=1,rounds=12",
)
AGENTS = ("random", "heuristic", "alphabeta:evaluation=v1", "alphabeta:evaluation=v4", "mcts:iterations=1000")


def solved(spec: str, options: argparse.Namespace) -> Solution | None:
    """A fresh solution, or None if it is too large."""
    try:
        return fb.solve(spec, options.tolerance, cache=False, hours=options.minutes / 60)
    except TooLarge as refusal:
        print(f"<!-- {refusal} -->", flush=True)
        return None


def row(*cells: object) -> None:
    print("| " + " | ".join(str(each) for each in cells) + " |", flush=True)


def head(*cells: object) -> None:
    row(*cells)
    print("|" + "---|" * len(cells))


def rounds(options: argparse.Namespace) -> None:
    """grid5 by its length."""
    head("rounds", "value", "lower", "upper", "subgames", "seconds")
    for count in ROUNDS:
        line(f"scotland-yard/grid5:rounds={count}", count, options)


def boards(options: argparse.Namespace) -> None:
    """Other boards, shortened to what fits."""
    head("game", "value", "lower", "upper", "subgames", "seconds")
    specs = ["scotland-yard/grid5-2020", *(f"scotland-yard/plan1:{each}" for each in PLAN1)]
    for spec in specs:
        line(spec, f"`{spec}`", options)


def line(spec: str, name: object, options: argparse.Namespace) -> None:
    found = solved(spec, options)
    if found is None:
        row(name, "too large", "", "", "", "")
        return
    row(
        name,
        f"{found.value:.4f}",
        f"{found.lower:.5f}",
        f"{found.upper:.5f}",
        f"{found.subgames:,}",
        f"{found.seconds:.1f}",
    )


def hunters(options: argparse.Namespace) -> None:
    """The value after the first reveal, by how many detectives are at an odd distance and by where Mr X is."""
    lengths, places = (6, 15), {4: "inside", 3: "at an edge", 2: "in a corner"}
    means = [_means(f"scotland-yard/grid5:rounds={count}", options.tolerance) for count in lengths]
    head("hunters", "Mr X seen", *(f"{count} rounds in all: mean value" for count in lengths))
    for number, (ways, place) in product(range(3), places.items()):
        row(("none", "one", "two")[number], place, *(f"{each[number, ways]:.4f}" for each in means))
    one = fb.solve("scotland-yard/grid5:detectives=1,rounds=15", options.tolerance)
    for number, found in sorted(_after_first_reveal(one).items()):
        print(
            f"\none detective, 15 rounds, {number[0]} hunters, Mr X with {number[1]} ways: {len(found)} positions,", end=""
        )
        print(f" of value {min(found):.4f} to {max(found):.4f}", end="")
    print()


def _means(spec: str, tolerance: float) -> dict[tuple[int, int], float]:
    found = _after_first_reveal(fb.solve(spec, tolerance))
    return {key: sum(each) / len(each) for key, each in found.items()}


def _after_first_reveal(solution: Solution) -> dict[tuple[int, int], list[float]]:
    """Values of the positions with the first detective to move, by the number of hunters and of Mr X's ways."""
    game, known = solution.game, solution.positions
    found: dict[tuple[int, int], list[float]] = {}
    states = states_of(game.table, solution.form, known.rows[: known.size[0]])
    for i, state in enumerate(states):
        if state["slot"] == game.board.reveals()[0] and state["turn"] == 1:
            here = int(state["station"][0])
            distances = [int(game.paths.hops[state["station"][seat], here]) for seat in range(1, game.seats)]
            ways = int(game.table.any_start[here + 1] - game.table.any_start[here])
            key = sum(each % 2 for each in distances), ways
            found.setdefault(key, []).append(0.5 * float(known.lower[i] + known.upper[i]))
    return found


def habits(options: argparse.Namespace) -> None:
    """What perfect detectives do in games between perfect players."""
    head(
        "rounds",
        "games",
        "detectives' wins",
        "decisions drawn by lot",
        "moves nearer to the likeliest station",
        "caught in a corner, at an edge, inside",
        "shut in",
    )
    for count in options.rounds or (6, 15):
        row(count, options.games, *_habits(f"scotland-yard/grid5:rounds={count}", options))


def _habits(spec: str, options: argparse.Namespace) -> list[str]:
    game = solvable(spec)
    play = adviser(game, options.tolerance)
    hops, ways = game.paths.hops, game.table.any_start
    decided = mixed = nearer = shut = 0
    places = {2: 0, 3: 0, 4: 0}
    for number in range(options.games):
        record = fb.play(game, ["perfect"], seed=11, number=number)
        match = record.replay(0)
        for move in record.moves:
            if move.seat > 0 and len(match.legal()) > 1:
                advice = play.advise(match.view(move.seat))
                likely = max(advice.belief, key=lambda station: advice.belief[station])
                here, there = int(match.state["station"][move.seat]), move.code & HIDDEN
                decided += 1
                mixed += max(advice.chances.values()) < 0.99
                nearer += int(hops[there, likely]) < int(hops[here, likely])
            match.play(move.code, chance=move.chance)
        if match.state["winner"] == 1:
            at = int(match.state["station"][0])
            places[int(ways[at + 1] - ways[at])] += 1
            shut += at not in match.state["station"][1 : game.seats].tolist()
    wins = sum(places.values())
    return [
        f"{wins / options.games:.3f}",
        f"{mixed / decided:.2f}",
        f"{nearer / decided:.2f}",
        ", ".join(f"{places[each] / max(1, wins):.2f}" for each in (2, 3, 4)),
        f"{shut / max(1, wins):.2f}",
    ]


def played(options: argparse.Namespace) -> None:
    """Agents against perfect players, by games: how often the detectives win."""
    head("agent", "rounds", "as Mr X against perfect detectives", "as detectives against a perfect Mr X")
    for count in options.rounds or (6, 15):
        for agent in ["perfect", *(options.agents.split(";") if options.agents else AGENTS)]:
            pairs = ([agent, "perfect"], ["perfect", agent])
            row(f"`{agent}`", count, *(_share(f"scotland-yard/grid5:rounds={count}", pair, options) for pair in pairs))


def _share(spec: str, pair: list[str], options: argparse.Namespace) -> str:
    wins = sum(each.scores[1] for each in fb.play_set(spec, pair, options.games, seed=6, workers=options.workers))
    low, high = wilson(wins, options.games)
    return f"{wins / options.games:.3f} ({low:.3f} to {high:.3f})"


TABLES: dict[str, Callable[[argparse.Namespace], None]] = {
    "rounds": rounds,
    "boards": boards,
    "hunters": hunters,
    "habits": habits,
    "play": played,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], help="which tables; all by default")
    parser.add_argument("--tolerance", type=float, default=1e-3)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--agents", help="for play: agents separated by semicolons")
    parser.add_argument("--games", type=int, default=200, help="for play: games of each pair")
    parser.add_argument("--workers", type=int, help="for play: processes")
    parser.add_argument("--rounds", type=int, nargs="*", help="for play: lengths of the game")
    options = parser.parse_args()
    began = perf_counter()
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4", cache=False)
    fb.solve("scotland-yard/grid3:detectives=1,rounds=4,show_start", cache=False)
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; compiled in {perf_counter() - began:.1f} s\n")
    for name in options.tables or TABLES:
        print(f"## {name}\n")
        TABLES[name](options)
        print(flush=True)


if __name__ == "__main__":
    main()
