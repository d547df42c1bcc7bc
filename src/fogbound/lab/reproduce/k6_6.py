"""K6.6: everyone who played on the 5 x 5 grid against everyone else."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.hrklova import ALPHABETA, GAME, GAMES, SEARCH

# MCTS 2021 is a weaker search by another author, of whose settings nothing is known.
MR_X = {"DQN": "net:weights=hrklova-mr-x-mix", "MCTS 2022": SEARCH, "MCTS 2021": "mcts2021", "alpha-beta": ALPHABETA}
DETECTIVES = {**MR_X, "DQN": "net:weights=hrklova-detectives-layout-1"}
PUBLISHED = {
    "DQN": (None, 39.88, 88.89, 33.79),
    "MCTS 2022": (62.05, None, 93.83, 66.02),
    "MCTS 2021": (25.11, 24.39, None, 17.86),
    "alpha-beta": (60.03, 87.39, 99.1, None),
}

EXPERIMENT = Experiment(
    id="K6.6",
    title="Detectives' wins, every kind against every kind of Mr X",
    setup="5 x 5 grid, 10,000 games. The settings of their searches are not given.",
    full=GAMES,
    quick=200,
    cells=[
        *(
            Wins(f"{who} detectives, {other} Mr X", GAME, [MR_X[other], DETECTIVES[who]], theirs, GAMES, side=1)
            for who, published in PUBLISHED.items()
            for other, theirs in zip(MR_X, published, strict=True)
            if theirs is not None
        ),
        Wins("DQN detectives, random Mr X", GAME, ["random", DETECTIVES["DQN"]], 98.6, GAMES, side=1),
    ],
)
