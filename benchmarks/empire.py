"""Eight-Minute Empire measured: speed beside the plain-Python reference, and how well the scripted player plays.

python benchmarks/empire.py [--games 1000] [--json]
"""

from __future__ import annotations

import argparse
import json
import random
from time import perf_counter, process_time
from typing import Any

import fogbound as fb
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.runner import play_set, seat_agents
from fogbound.core.statistics import wilson
from fogbound.games.empire.game import Empire
from fogbound.games.empire.reference import play_random

RANDOM_GAMES = 20_000
REFERENCE_SECONDS = 4.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000, help="games of each seating against random players")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    speeds = [speed(players) for players in (2, 3, 4, 5)]
    specs = [f"empire/{board}:players={n}" for board in ("seed", "side-a", "side-b") for n in (2, 3, 4, 5)]
    wins = [strength(spec, arguments.games) for spec in specs]
    if arguments.json:
        print(json.dumps({"speed": speeds, "heuristic": wins}))
        return
    print("Random games on empire/seed, one core (time of the process)")
    for row in speeds:
        ours = f"{row['games_per_second']:>9,.0f} games/s, {row['moves_per_second']:>11,.0f} moves/s"
        plain = f"{row['reference_games_per_second']:>5,.0f} games/s"
        print(f"  {row['players']} players: {ours}; plain Python {plain}; ratio {row['ratio']:,.0f}")
    print(f"heuristic against random players, {arguments.games} games from each seat, share of wins with 95% intervals")
    for row in wins:
        low, high = row["interval"]
        seats = " ".join(f"{100 * share:.1f}" for share in row["by_seat"])
        print(f"  {row['game']:<24} {100 * row['wins']:6.2f}% ({100 * low:.2f} to {100 * high:.2f}); by seat {seats}")


def speed(players: int) -> dict[str, Any]:
    """Random games a second: compiled, and in plain Python, in the same run."""
    game = fb.game(f"empire/seed:players={players}")
    assert isinstance(game, Empire)
    agents = [agent for agent in seat_agents(game, ["random"]) if isinstance(agent, PolicyAgent)]
    play_batch(game, agents, 0, 0, 100)  # compiles
    began, moves = process_time(), 0
    for first in range(0, RANDOM_GAMES, 1000):
        moves += int(play_batch(game, agents, 1, first, 1000).moves.sum())
    seconds = process_time() - began
    plain = reference_speed(game)
    return {
        "players": players,
        "games_per_second": RANDOM_GAMES / seconds,
        "moves_per_second": moves / seconds,
        "reference_games_per_second": plain,
        "ratio": RANDOM_GAMES / seconds / plain,
    }


def reference_speed(game: Empire) -> float:
    chance, games = random.Random(1), 0
    began, clock = process_time(), perf_counter()
    while perf_counter() - clock < REFERENCE_SECONDS:
        play_random(game.board, chance)
        games += 1
    return games / (process_time() - began)


def strength(spec: str, games: int) -> dict[str, Any]:
    """The scripted player from every seat against random players in all others; a shared win counts in part."""
    players = fb.game(spec).seats
    by_seat = []
    for seat in range(players):
        agents = ["heuristic" if other == seat else "random" for other in range(players)]
        results = play_set(spec, agents, games=games, seed=1)
        by_seat.append(sum(result.scores[seat] for result in results) / games)
    wins = sum(by_seat) / players
    return {
        "game": spec,
        "games": games * players,
        "wins": wins,
        "interval": wilson(wins * games * players, games * players),
        "by_seat": by_seat,
    }


if __name__ == "__main__":
    main()
