"""An agent of Eight-Minute Empire against a whole field: the scripted player, strangers, searches. From every seat in turn.

python benchmarks/empire_field.py net [--players 2,3,4,5] [--games 100] [--boards seed,side-a] [--field strangers] [--json]

Every opponent fills all other seats. Each cell plays game numbers 0 to N - 1 of one seed from each seat, so that cells of
one column are paired; a shared win counts in part, and intervals are Wilson's, 95%.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from time import process_time
from typing import Any

from fogbound.agents.empire.stranger import STYLES
from fogbound.core.runner import play_set
from fogbound.core.statistics import wilson

STRANGERS = [f"stranger:style={name}" for name in STYLES]
SCRIPTED = ["heuristic", "heuristic:coin=0.3,pace=1", "heuristic:coin=2,pace=4", "random"]
SEARCHES = ["flat", "flat:improved=true", "turns"]
FIELDS = {"scripted": SCRIPTED, "strangers": STRANGERS, "searches": SEARCHES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("agents", nargs="+", help="agents to measure, as in net maxn:seconds=1 heuristic")
    parser.add_argument("--players", default="2,3,4,5")
    parser.add_argument("--boards", default="seed", help="boards, as in seed,side-a,random-7 (random board number 7)")
    parser.add_argument(
        "--field", default="scripted,strangers,searches", help="parts of the field, or opponents after a semicolon"
    )
    parser.add_argument("--games", type=int, default=100, help="games from each seat")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print a JSON object a line")
    given = parser.parse_args()
    names, _, more = given.field.partition(";")
    field = [each for name in names.split(",") if name for each in FIELDS[name]] + [each for each in more.split(";") if each]
    for spec in specs(given.boards.split(","), [int(n) for n in given.players.split(",")]):
        for opponent in field:
            for agent in given.agents:
                row = cell(spec, agent, opponent, given.games, given.seed, given.workers)
                print(json.dumps(row) if given.json else line(row), flush=True)


def specs(boards: Sequence[str], players: Sequence[int]) -> Iterator[str]:
    for board in boards:
        name, _, number = board.partition("random-")
        for count in players:
            yield f"empire/random:seed={number},players={count}" if number else f"empire/{name}:players={count}"


def cell(spec: str, agent: str, opponent: str, games: int, seed: int, workers: int) -> dict[str, Any]:
    players = int(spec.rpartition("players=")[2])
    began, won = process_time(), 0.0
    for seat in range(players):
        agents = [opponent] * players
        agents[seat] = agent
        won += sum(result.scores[seat] for result in play_set(spec, agents, games, seed, workers=workers))
    count = games * players
    low, high = wilson(won, count)
    return {
        "game": spec,
        "agent": agent,
        "against": opponent,
        "games": count,
        "wins": won / count,
        "low": low,
        "high": high,
        "fair": 1 / players,
        "seconds": process_time() - began,
    }


def line(row: dict[str, Any]) -> str:
    share = f"{row['wins']:6.1%} ({row['low']:.1%} to {row['high']:.1%})"
    names = f"{row['game']:<32} {row['agent']:<28} against {row['against']:<32}"
    return f"{names} {share} of {row['games']}, fair {row['fair']:.0%}"


if __name__ == "__main__":
    main()
