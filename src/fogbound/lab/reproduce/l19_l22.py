"""L19-L22: how long flat Monte Carlo thinks, by number of players."""

from fogbound.lab.experiment import Claim, Experiment, Seconds
from fogbound.lab.sets import SetResult

PUBLISHED = {2: 22, 3: 24, 4: 77, 5: 30}
TURNS = {2: 13, 3: 10, 4: 8, 5: 7}  # cards that each player takes


def rounds(turns: int) -> object:
    def count(played: SetResult) -> float:
        return played.games * turns * len(played.side_moves)

    return count


EXPERIMENT = Experiment(
    id="L19-L22",
    title="Seconds for one player's round, all players computed",
    setup="200 random games for each option. Their times are of another machine.",
    full=10,
    quick=2,
    cells=[
        Seconds(f"{players} players", f"empire/seed:players={players}", ["flat"], theirs, rounds(TURNS[players]))  # type: ignore[arg-type]
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
