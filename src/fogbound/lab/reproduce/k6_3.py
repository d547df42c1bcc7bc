"""K6.3: Mr X nets retrained with the mix."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import DETECTIVES, GAME, GAMES

NETS = ("retrained", "mix")
PUBLISHED = {
    "random": (17.36, 22.41),
    "alpha-beta": (60.83, 61.83),
    "MCTS": (62.05, 69.61),
}

EXPERIMENT = Experiment(
    id="K6.3",
    title="Detectives' wins against Mr X nets retrained and trained with the mix",
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
