"""K6.1: Mr X nets by the opponent they were trained with."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import DETECTIVES, GAME, GAMES

NETS = ("alphabeta", "mcts", "mix")
PUBLISHED = {
    "random": (24.35, 23.09, 22.41),
    "alpha-beta": (52.96, 75.2, 61.83),
    "MCTS": (80.4, 69.05, 69.61),
}

EXPERIMENT = Experiment(
    id="K6.1",
    title="Detectives' wins against Mr X trained with alpha-beta, MCTS, or a mix",
    setup="5 x 5 grid, 10,000 games.",
    full=GAMES,
    quick=1000,
    cells=[
        Wins(
            f"{name} detectives, Mr X {net}",
            GAME,
            [f"net:weights=hrklova-mr-x-{net}", DETECTIVES[name]],
            theirs,
            GAMES,
            side=1,
        )
        for name, published in PUBLISHED.items()
        for net, theirs in zip(NETS, published, strict=True)
    ],
)
