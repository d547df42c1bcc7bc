"""Hrkľová 2023, Scotland Yard: deep Q-networks for either side on the 5 x 5 grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fogbound.lab.reproduce.comparison import Experiment, Wins

GAME = "scotland-yard/grid5"
GAMES = 10_000
SETUP = "5 x 5 grid, 10,000 games."

# The document names its opponents, not their settings; these are the nearest that we have.
ALPHABETA = "alphabeta:evaluation=v4"
SEARCH = "mcts:worlds=one,iterations=500"
OPPONENTS = {"random": "random", "alpha-beta": ALPHABETA, "MCTS": SEARCH}

Published = Mapping[str, Sequence[float]]
"""By opponent: the detectives' wins in percent with each net."""


def mr_x(net: str) -> str:
    return f"net:weights=hrklova-mr-x-{net}"


def detectives(net: str) -> str:
    return f"net:weights=hrklova-detectives-{net}"


def of_mr_x(name: str, title: str, nets: Mapping[str, str], published: Published) -> Experiment:
    """Nets for Mr X, each against all kinds of detectives."""
    cells = [
        wins(f"{opponent} detectives, Mr X {label}", mr_x(net), OPPONENTS[opponent], theirs)
        for opponent, row in published.items()
        for (label, net), theirs in zip(nets.items(), row, strict=True)
    ]
    return Experiment(name, title, SETUP, cells, full=GAMES, quick=100)


def of_detectives(name: str, title: str, nets: Mapping[str, str], published: Published) -> Experiment:
    """Nets for the detectives, each against all kinds of Mr X."""
    cells = [
        wins(f"detectives {label}, {opponent} Mr X", OPPONENTS[opponent], detectives(net), theirs)
        for opponent, row in published.items()
        for (label, net), theirs in zip(nets.items(), row, strict=True)
    ]
    return Experiment(name, title, SETUP, cells, full=GAMES, quick=100)


def wins(label: str, fugitive: str, hunters: str, theirs: float) -> Wins:
    """A share of the detectives' wins."""
    return Wins(label, GAME, [fugitive, hunters], theirs, GAMES, side=1)


# MCTS 2021 is a weaker search by another author, of whose settings nothing is known.
MR_X = {"DQN": mr_x("mix"), "MCTS 2022": SEARCH, "MCTS 2021": "mcts2021", "alpha-beta": ALPHABETA}
DETECTIVES = {**MR_X, "DQN": detectives("mix")}
ROUND_ROBIN = {
    "DQN": (None, 39.88, 88.89, 33.79),
    "MCTS 2022": (62.05, None, 93.83, 66.02),
    "MCTS 2021": (25.11, 24.39, None, 17.86),
    "alpha-beta": (60.03, 87.39, 99.1, None),
}

EXPERIMENTS = [
    of_mr_x(
        "K6.1",
        "Detectives' wins against Mr X trained with alpha-beta, MCTS, or a mix",
        nets={"trained with alpha-beta": "alphabeta", "trained with MCTS": "mcts", "trained with a mix": "mix"},
        published={
            "random": (24.35, 23.09, 22.41),
            "alpha-beta": (52.96, 75.2, 61.83),
            "MCTS": (80.4, 69.05, 69.61),
        },
    ),
    of_mr_x(
        "K6.2",
        "Detectives' wins against Mr X nets with 2, 3, 4 hidden layers",
        nets={"with 2 layers": "alphabeta", "with 3 layers": "alphabeta-3-layers", "with 4 layers": "alphabeta-4-layers"},
        published={
            "random": (22.04, 22.41, 21.76),
            "alpha-beta": (53.23, 61.83, 67.4),
            "MCTS": (80.89, 69.61, 68.01),
        },
    ),
    of_mr_x(
        "K6.3",
        "Detectives' wins against Mr X nets with 2 and 3 hidden layers, trained with the mix",
        nets={"with 2 layers": "mix", "with 3 layers": "mix-3-layers"},
        published={
            "random": (17.36, 22.41),
            "alpha-beta": (60.83, 61.83),
            "MCTS": (62.05, 69.61),
        },
    ),
    of_detectives(
        "K6.4",
        "Detective nets' wins against random, alpha-beta and MCTS Mr X, by layout",
        nets={"of layout 1": "mix", "of layout 2": "layout-2", "of layout 3": "layout-3"},
        published={
            "random": (96.65, 93.94, 86.15),
            "alpha-beta": (27.5, 27.08, 9.2),
            "MCTS": (29.8, 23.07, 11.23),
        },
    ),
    of_detectives(
        "K6.5",
        "Detective nets' wins against random, alpha-beta and MCTS Mr X, by rewards",
        nets={"rewarded for any catch": "any-catch", "rewarded for taking part": "mix"},
        published={
            "random": (92.3, 96.31),
            "alpha-beta": (10.49, 21.13),
            "MCTS": (12.41, 18.78),
        },
    ),
    Experiment(
        id="K6.6",
        title="Detectives' wins, every kind against every kind of Mr X",
        setup=f"{SETUP} The settings of their searches are not given.",
        full=GAMES,
        quick=100,
        cells=[
            *(
                wins(f"{who} detectives, {other} Mr X", MR_X[other], DETECTIVES[who], theirs)
                for who, published in ROUND_ROBIN.items()
                for other, theirs in zip(MR_X, published, strict=True)
                if theirs is not None
            ),
            wins("DQN detectives, random Mr X", "random", DETECTIVES["DQN"], 98.6),
        ],
    ),
]
