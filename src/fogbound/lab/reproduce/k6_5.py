"""K6.5: two systems of rewards for the detectives."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import DETECTIVES as OPPONENTS
from fogbound.lab.hrklova import GAME, GAMES

NETS = ("rewards-1", "rewards-2")
PUBLISHED = {
    "random": (92.3, 96.31),
    "alpha-beta": (10.49, 21.13),
    "MCTS": (12.41, 18.78),
}

EXPERIMENT = Experiment(
    id="K6.5",
    title="Detective nets' wins against random, alpha-beta and MCTS Mr X, by rewards",
    setup="5 x 5 grid, 10,000 games.",
    full=GAMES,
    quick=1000,
    cells=[
        Wins(
            f"{net} against {name} Mr X",
            GAME,
            [OPPONENTS[name], f"net:weights=hrklova-detectives-{net}"],
            theirs,
            GAMES,
            side=1,
        )
        for name, published in PUBLISHED.items()
        for net, theirs in zip(NETS, published, strict=True)
    ],
)
