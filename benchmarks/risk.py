"""Risk: seconds a random game, beside the published ones, and how well the heuristic does against random players.

    python benchmarks/risk.py [--games 500] [--duels 1000]

Seconds are processor time of one core, so that other work on the machine does not count.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from time import process_time

import fogbound.catalogue  # noqa: F401
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import BatchResult, play_batch
from fogbound.core.statistics import wilson

# Vašátko 2018, tables 5.1 and 5.2: seconds for 500 games of three random players on the classic map.
PUBLISHED = {
    "growing": {0.78: 1160.1, 0.81: 801.0, 0.84: 788.4, 0.87: 722.8, 0.90: 942.1},
    "capped": {0.78: 54.02, 0.81: 37.76, 0.84: 23.63, 0.87: 18.81, 0.90: 15.76},
}
PUBLISHED_GAMES = 500


@dataclass(frozen=True)
class Played:
    result: BatchResult
    seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=500, help="random games for each speed")
    parser.add_argument("--duels", type=int, default=1000, help="games of the heuristic for each number of seats")
    given = parser.parse_args()
    print("three random players, classic map")
    print("cards    attack  one attack is   s/game   published  ratio  rounds  moves  ns/move")
    for cards, published in PUBLISHED.items():
        for p, theirs in published.items():
            speed(cards, p, "battle", theirs / PUBLISHED_GAMES, given.games)
    for p, theirs in PUBLISHED["capped"].items():
        speed("capped", p, "roll", theirs / PUBLISHED_GAMES, given.games)
    print("\none heuristic, all others random, each seat equally often, growing cards")
    print("players  game                                   wins     95% interval    rounds")
    for players in range(2, 7):
        duel(f"risk/classic:players={players}", players, given.duels)
    duel("risk/classic:players=2,neutral=false", 2, given.duels)
    duel("risk/classic:players=3,goal=missions", 3, given.duels)
    duel("risk/classic:players=5,goal=missions", 5, given.duels)
    duel("risk/random:territories=21,seed=5,players=3", 3, given.duels)
    duel("risk/random:territories=80,seed=5,players=4", 4, given.duels)


def play(spec: str, agents: list[str], games: int, seed: int = 0) -> Played:
    """Games in compiled code on one core; compiling is not counted."""
    game = registry.game(spec)
    seated = [registry.agent(agent, game) for agent in agents]
    policies = [agent for agent in seated if isinstance(agent, PolicyAgent)]
    play_batch(game, policies, seed, 0, 1)
    began = process_time()
    result = play_batch(game, policies, seed, 0, games)
    return Played(result, process_time() - began)


def speed(cards: str, p: float, attack: str, theirs: float, games: int) -> None:
    agent = f"random:attack={p}" + (",blitz=false" if attack == "roll" else "")
    played = play(f"risk/classic:players=3,cards={cards}", [agent] * 3, games)
    seconds, moves = played.seconds / games, played.result.moves
    rounds = played.result.states["round"].mean()
    print(
        f"{cards:8} {p:6.2f}  {attack:13} {seconds:8.5f}  {theirs:9.4f}  {theirs / seconds:5.0f}  {rounds:6.0f}"
        f" {moves.mean():6.0f}  {1e9 * played.seconds / moves.sum():7.0f}",
        flush=True,
    )


def duel(spec: str, players: int, games: int) -> None:
    wins, rounds, count = 0.0, 0.0, 0
    for seat in range(players):
        agents = ["random"] * players
        agents[seat] = "heuristic"
        share = games // players + (seat < games % players)
        result = play(spec, agents, share, seed=seat).result
        wins += result.scores[:, seat].sum()
        rounds += result.states["round"].sum()
        count += share
    low, high = wilson(wins, count)
    print(f"{players:7}  {spec:40} {wins / count:6.1%}  {low:6.1%} to {high:6.1%}  {rounds / count:6.1f}", flush=True)


if __name__ == "__main__":
    main()
