"""K6.4: detective nets of three layouts."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import DETECTIVES as OPPONENTS
from fogbound.lab.hrklova import GAME, GAMES

NETS = ("layout-1", "layout-2", "layout-3")
PUBLISHED = {
    "random": (96.65, 93.94, 86.15),
    "alpha-beta": (27.5, 27.08, 9.2),
    "MCTS": (29.8, 23.07, 11.23),
}

EXPERIMENT = Experiment(
    id="K6.4",
    title="Detective nets' wins against random, alpha-beta and MCTS Mr X, by layout",
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
