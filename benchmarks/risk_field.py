"""How players of Risk fare against a whole field: one of them, and all other seats taken by one kind of opponent.

    python benchmarks/risk_field.py planner heuristic --games 300
    python benchmarks/risk_field.py planner:seconds=1 --opponents "heuristic;turns:iterations=1000" --players 6
    python benchmarks/risk_field.py policy --opponents turns:iterations=1000 --games 402 --out FOLDER  # kept

Each player sits on every seat equally often, with the same seeds; intervals are 95% (Wilson). Of the strangers, those
marked with * are never trained against. A tie shares the win.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from fogbound import catalogue  # noqa: F401  (makes the games known)
from fogbound.agents.risk.stranger import HELD_OUT, STYLES
from fogbound.core import registry
from fogbound.core.executor import Local
from fogbound.core.statistics import wilson
from fogbound.lab.sets import grow_sets

FIELD = ("random", "net", "heuristic", *(f"stranger:style={style}" for style in STYLES))


@dataclass(frozen=True)
class Cell:
    """One player against opponents of one kind."""

    game: str
    player: str
    opponent: str
    games: int
    rate: float
    low: float
    high: float


def measure(game: str, player: str, opponent: str, games: int, seed: int, engine: Local, folder: Path) -> Cell:
    """Play what is missing in the folder; from each seat as many games count as every seat has."""
    seats = registry.game(game).seats
    sets = [(game, [player if side == seat else opponent for side in range(seats)]) for seat in range(seats)]
    found = [result.in_order(seat) for seat, result in enumerate(grow_sets(folder, sets, -(-games // seats), seed, engine))]
    scores = np.array([each[: min(map(len, found))] for each in found])
    won, played = float(scores.sum()), scores.size
    return Cell(game, player, opponent, played, won / max(1, played), *wilson(won, played))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("player", nargs="+", help="agents to measure")
    parser.add_argument("--opponents", default=";".join(FIELD), help="kinds of opponents, separated by semicolons")
    parser.add_argument("--board", default="risk/classic", help="board, with options other than players")
    parser.add_argument("--players", type=int, default=3, help="number of seats")
    parser.add_argument("--rounds", type=int, default=200, help="round limit, for strangers who never finish")
    parser.add_argument("--games", type=int, default=300, help="games of a cell")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--workers", type=int, help="cores to use; all by default")
    parser.add_argument("--out", type=Path, help="the folder where games are kept, for later runs to add to")
    parser.add_argument("--json", action="store_true", help="one JSON object a line instead of a table")
    given = parser.parse_args()
    join = "," if ":" in given.board else ":"
    game = f"{given.board}{join}players={given.players},round_limit={given.rounds}"
    with TemporaryDirectory() as passing:
        tell(given, game, given.out or Path(passing))


def tell(given: argparse.Namespace, game: str, folder: Path) -> None:
    """A line for every player and kind of opponent."""
    for player in given.player:
        for opponent in given.opponents.split(";"):
            cell = measure(game, player, opponent, given.games, given.seed, Local(given.workers), folder)
            if given.json:
                print(json.dumps(asdict(cell)), flush=True)
                continue
            mark = "*" if opponent.removeprefix("stranger:style=") in HELD_OUT else " "
            low, rate, high = (100 * each for each in (cell.low, cell.rate, cell.high))
            print(
                f"{player:34} {opponent + mark:34} {rate:5.1f}%  {low:5.1f} to {high:5.1f}  {cell.games} games", flush=True
            )


if __name__ == "__main__":
    main()
