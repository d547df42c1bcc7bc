"""K6.2: Mr X nets by their number of hidden layers."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import DETECTIVES, GAME, GAMES

NETS = ("2-layers", "mix", "4-layers")
PUBLISHED = {
    "random": (22.04, 22.41, 21.76),
    "alpha-beta": (53.23, 61.83, 67.4),
    "MCTS": (80.89, 69.61, 68.01),
}

EXPERIMENT = Experiment(
    id="K6.2",
    title="Detectives' wins against Mr X nets with 2, 3, 4 hidden layers",
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
