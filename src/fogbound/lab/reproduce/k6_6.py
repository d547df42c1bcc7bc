"""K6.6: everyone who played on the 5 x 5 grid against everyone else."""

from fogbound.lab.experiment import Experiment
from fogbound.lab.reproduce.shared.hrklova import ALPHABETA, GAMES, SEARCH, SETUP, detectives, mr_x, wins

# MCTS 2021 is a weaker search by another author, of whose settings nothing is known.
MR_X = {"DQN": mr_x("mix"), "MCTS 2022": SEARCH, "MCTS 2021": "mcts2021", "alpha-beta": ALPHABETA}
DETECTIVES = {**MR_X, "DQN": detectives("mix")}
PUBLISHED = {
    "DQN": (None, 39.88, 88.89, 33.79),
    "MCTS 2022": (62.05, None, 93.83, 66.02),
    "MCTS 2021": (25.11, 24.39, None, 17.86),
    "alpha-beta": (60.03, 87.39, 99.1, None),
}

EXPERIMENT = Experiment(
    id="K6.6",
    title="Detectives' wins, every kind against every kind of Mr X",
    setup=f"{SETUP} The settings of their searches are not given.",
    full=GAMES,
    quick=100,
    cells=[
        *(
            wins(f"{who} detectives, {other} Mr X", MR_X[other], DETECTIVES[who], theirs)
            for who, published in PUBLISHED.items()
            for other, theirs in zip(MR_X, published, strict=True)
            if theirs is not None
        ),
        wins("DQN detectives, random Mr X", "random", DETECTIVES["DQN"], 98.6),
    ],
)
