"""Scotland Yard's figures: random players by the number of detectives, scripted players, and boards from a seed.

python benchmarks/scotland_yard.py [--games 10000]
"""

from __future__ import annotations

import argparse

import fogbound as fb
from fogbound.core.statistics import wilson

PUBLISHED = {"plan1": (68, 36, 21, 6), "square1": (66, 41, 24, 12)}  # Mr X's wins in 100 games
SIZES = (12, 20, 40, 60, 90, 120, 160, 200)  # stations of generated boards
ALIKE = {"careless": 1000, "heuristic": 1000, "mcts:preset=nijssen-winands,iterations=1000": 20}  # games a board
SEEDS = range(20)


def rate(wins: float, games: int) -> str:
    low, high = wilson(wins, games)
    return f"{100 * wins / games:.1f} ({100 * low:.1f} to {100 * high:.1f})"


def random_players(games: int) -> None:
    """Random against random: Mr X's wins by the number of detectives."""
    for stuck in ("lose", "pass"):
        print(f"\nMr X's wins in %, random against random, {games:,} games a cell, stuck_detectives={stuck}\n")
        print("| board | 1 detective | 2 | 3 | 4 |\n|---|---|---|---|---|")
        for board, published in PUBLISHED.items():
            cells = []
            for detectives in (1, 2, 3, 4):
                spec = f"scotland-yard/{board}:detectives={detectives},stuck_detectives={stuck}"
                wins = sum(result.scores[0] for result in fb.play_set(spec, ["random"], games, seed=1))
                cells.append(rate(wins, games))
            print(f"| {board} | {' | '.join(cells)} |")
            print(f"| {board}, published (100 games) | {' | '.join(map(str, published))} |")


def scripted_players() -> None:
    """The three scores of Mr X against the three targets of the detectives, from every placement."""
    for board in PUBLISHED:
        game = fb.game(f"scotland-yard/{board}")
        starts = fb.all_starts(game)
        print(f"\nMr X's wins out of {len(starts)} placements on {board}\n")
        print("| Mr X | detectives nearest | farthest | conditional |\n|---|---|---|---|")
        for score in ("nearest", "sum", "weighted"):
            cells = []
            for target in ("nearest", "farthest", "conditional"):
                agents = [f"heuristic:score={score}", f"heuristic:target={target}"]
                results = fb.play_set(game, agents, len(starts), starts=starts)
                wins = sum(int(result.scores[0]) for result in results)
                cells.append(f"{wins} ({100 * wins / len(starts):.1f}%)")
            print(f"| {score} | {' | '.join(cells)} |")


def generated_boards() -> None:
    """Are boards from a seed fair? Players who are alike, on boards of many sizes."""
    print(f"\nMr X's wins in % on generated boards, {len(SEEDS)} seeds a size: mean, least and most\n")
    print(f"| stations | {' | '.join(ALIKE)} |\n|---|{'---|' * len(ALIKE)}")
    for stations in SIZES:
        cells = []
        for agent, games in ALIKE.items():
            rates = []
            for seed in SEEDS:
                board = f"scotland-yard/random:stations={stations},seed={seed}"
                rates.append(sum(result.scores[0] for result in fb.play_set(board, [agent], games, seed=1)) / games)
            mean, least, most = (100 * each for each in (sum(rates) / len(rates), min(rates), max(rates)))
            cells.append(f"{mean:.1f} ({least:.0f} to {most:.0f})")
        print(f"| {stations} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    given = parser.parse_args()
    random_players(given.games)
    scripted_players()
    generated_boards()
