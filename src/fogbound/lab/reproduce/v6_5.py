"""V6.5: memory that the players of Risk need."""

from collections.abc import Sequence

from fogbound.lab.experiment import PICTURE, Claim, Experiment, Line
from fogbound.lab.vasatko import PLAYERS, SMALL, megabytes

PUBLISHED = {"MCTS": 6000.0, "MCTS with nets": 8000.0, "nets": 0.0}


def memory() -> Sequence[Line]:
    found = {name: megabytes(player) for name, player in PLAYERS.items()}
    return [Line(name, size, size, size, PUBLISHED[name], "MB", PICTURE) for name, size in found.items()]


EXPERIMENT = Experiment(
    id="V6.5",
    title="Memory: MCTS 6 GB, MCTS with nets over 8 GB, nets none",
    setup="Map of 9 territories, 1,000 iterations; all arrays that a player holds.",
    exact=memory,
    uses=[(list(PLAYERS.values()), SMALL)],
    claims=[
        Claim("the nets need next to nothing", ["nets"], lambda f: f["nets"] < 1),
        Claim("MCTS needs gigabytes", ["MCTS"], lambda f: f["MCTS"] > 1000),
    ],
)
