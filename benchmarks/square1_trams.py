"""How much Husa's figures on `square1` depend on its trams, which are not published: other tram lines, drawn at random.

    python benchmarks/square1_trams.py --boards 40

Each board keeps the 36 stations, taxis, starts, tickets and rules, and has 6 to 24 tram links between stations two or three
steps apart, symmetric about the centre as the document says. Mr X's wins, heuristic against heuristic, all nine pairs of
scores and targets, against those on `plan1`.
"""

from __future__ import annotations

import argparse
from itertools import combinations
from random import Random
from typing import Any

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.runner import play_set

SCORES, TARGETS = ("nearest", "sum", "weighted"), ("nearest", "farthest", "conditional")
SIDE = 6


def with_trams(board: dict[str, Any], rng: Random) -> dict[str, Any]:
    """The board with other trams."""
    last = SIDE * SIDE + 1
    apart = [(a, b) for a, b in combinations(range(1, last), 2) if 2 <= steps(a, b) <= 3]
    wanted, links = rng.randrange(6, 25), set[tuple[int, int]]()
    while len(links) < wanted:
        a, b = rng.choice(apart)
        links |= {(a, b), (last - b, last - a)}
    stations = []
    for station in board["stations"]:
        here = station["station"]
        trams = sorted({b for a, b in links if a == here} | {a for a, b in links if b == here})
        near = {"taxi": station["links"]["taxi"], **({"tram": trams} if trams else {})}
        stations.append({**station, "links": near})
    return {**board, "stations": stations}


def steps(a: int, b: int) -> int:
    (y, x), (w, v) = divmod(a - 1, SIDE), divmod(b - 1, SIDE)
    return abs(y - w) + abs(x - v)


def mr_x_wins(game: Game, games: int) -> float:
    """Mr X's wins in percent over all scores and targets."""
    agents = [[f"heuristic:score={score}", f"heuristic:target={target}"] for score in SCORES for target in TARGETS]
    results = [result.scores[0] for each in agents for result in play_set(game, each, games, 1)]
    return 100 * sum(results) / len(results)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--boards", type=int, default=40)
    asked.add_argument("--games", type=int, default=360, help="for each pair of score and target")
    asked.add_argument("--seed", type=int, default=1)
    given = asked.parse_args()
    plan1, square1 = (registry.game(f"scotland-yard/{name}:stuck_detectives=pass") for name in ("plan1", "square1"))
    there, ours = mr_x_wins(plan1, given.games), mr_x_wins(square1, given.games)
    print(f"plan1 {there:.1f}%, our square1 {ours:.1f}%")
    rng, found = Random(given.seed), []
    for _ in range(given.boards):
        found.append(mr_x_wins(registry.rebuild("scotland-yard", with_trams(square1.definition(), rng)), given.games))
        print(f"{found[-1]:.1f}", end=" ", flush=True)
    better = sum(wins > there for wins in found)
    print(f"\nMr X does better than on plan1 on {better} of {len(found)} boards; {min(found):.1f} to {max(found):.1f}%.")


if __name__ == "__main__":
    main()
