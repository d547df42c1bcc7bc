"""Lukáš 2024, Eight-Minute Empire: flat Monte Carlo against people, and how long it thinks."""

from __future__ import annotations

from collections.abc import Callable

from fogbound.lab.reproduce.comparison import Claim, Experiment, Seconds
from fogbound.lab.sets import SetResult

PEOPLE = Experiment(
    id="L7-L18",
    title="12 games with people, of which the computer won 6",
    setup="Flat Monte Carlo with 200 games an option. Play with fogbound play empire/seed --against flat.",
    needs=["people"],
)

PUBLISHED = {2: 22, 3: 24, 4: 77, 5: 30}
TURNS = {2: 13, 3: 10, 4: 8, 5: 7}  # cards that each player takes


def rounds(turns: int) -> Callable[[SetResult], float]:
    """Counts the rounds of all players, each with so many turns a game."""
    return lambda played: played.games * turns * len(played.side_moves)


TIMES = Experiment(
    id="L19-L22",
    title="Seconds for one player's round, all players computed",
    setup="200 random games for each option. Their times are of another machine.",
    full=10,
    quick=2,
    cells=[
        Seconds(f"{players} players", f"empire/seed:players={players}", ["flat"], theirs, rounds(TURNS[players]))
        for players, theirs in PUBLISHED.items()
    ],
    claims=[
        Claim(
            "a round takes longest with four players",
            [f"{players} players" for players in PUBLISHED],
            lambda f: f["4 players"] >= max(f["2 players"], f["3 players"], f["5 players"]),
        )
    ],
)

EXPERIMENTS = [PEOPLE, TIMES]
