"""What the experiments of Hrkľová 2023 share: the board, the opponents, and the two shapes of her tables."""

from collections.abc import Mapping, Sequence

from fogbound.lab.experiment import Experiment, Wins

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
