"""How a player of Scotland Yard fares against strangers on both sides, beside the scripted player in the same games.

    python benchmarks/scotland_yard_field.py scotland-yard/plan1 champion --games 4000
    python benchmarks/scotland_yard_field.py scotland-yard/london:detectives=4 champion --games 200 --out FOLDER  # kept
    python benchmarks/scotland_yard_field.py scotland-yard/london policy --opponents "random;careless" --beside mcts

Intervals are 95% (Wilson); *ahead* is how many points more the player wins than the other, with the interval of paired
games. Nothing was trained against the strangers.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from cells import gain, share

from fogbound import catalogue  # noqa: F401  (makes the games known)
from fogbound.agents.scotland_yard.stranger import STYLES
from fogbound.core import registry
from fogbound.core.executor import Local
from fogbound.lab.sets import grow_sets

SIDES = ("mr-x", "detectives")
FIELD = ("random", "careless", *(f"stranger:style={style}" for style in STYLES))


def who(agent: str, game: str, side: int) -> str:
    """For the champion, the agent that it asks: compiled ones play thousands of games a second."""
    return registry.champion(registry.game(game), side, "seconds=1") if agent == "champion" else agent


def tell(given: argparse.Namespace, folder: Path) -> None:
    sides = [number for number, name in enumerate(SIDES) if given.side in (name, None)]
    print(f"{given.game}, {given.games} games a cell, seed {given.seed}\n")
    print(f"| against | {' | '.join(f'as {SIDES[side]} | `{given.beside}` there | ahead' for side in sides)} |")
    print("|---" * (1 + 3 * len(sides)) + "|", flush=True)
    for opponent in given.opponents.split(";"):
        row = [f"`{opponent}`"]
        for side in sides:
            players = who(given.agent, given.game, side), given.beside
            sets = [(given.game, (each, opponent) if side == 0 else (opponent, each)) for each in players]
            found = grow_sets(folder, sets, given.games, given.seed, Local(given.workers))
            won, other = (each.in_order(side).tolist()[: given.games] for each in found)
            row += [share(won), share(other), "{:+.1f} ({:+.1f} to {:+.1f})".format(*gain(won, other))]
        print(f"| {' | '.join(row)} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("agent")
    parser.add_argument("--beside", default="heuristic", help="who plays the same games, to be compared with")
    parser.add_argument("--opponents", default=";".join(FIELD), help="separated by semicolons")
    parser.add_argument("--games", type=int, default=400)
    parser.add_argument("--side", choices=SIDES, help="one side only; both by default")
    parser.add_argument("--seed", type=int, default=15)
    parser.add_argument("--workers", type=int, help="cores to use; all by default")
    parser.add_argument("--out", type=Path, help="the folder where games are kept, for later runs to add to")
    given = parser.parse_args()
    with TemporaryDirectory() as passing:
        tell(given, given.out or Path(passing))


if __name__ == "__main__":
    main()
