"""Tulušák 2020, Scotland Yard: alpha-beta with four evaluations, and tables of values for two detectives."""

from __future__ import annotations

from fogbound.lab.reproduce.comparison import Claim, Experiment, Figures, Wins, WonLength

GAME = "scotland-yard/grid5-2020"
MR_X = "alphabeta:evaluation=v4"
MOVES = 3  # a round: Mr X and two detectives

WINS = {"v1": 92, "v2": 65, "v3": 74, "v4": 89}
LENGTHS = {"v1": 5.8, "v2": 6.4, "v3": 6.3, "v4": 6.7}
EVALUATIONS = Experiment(
    id="T5.1",
    title="Detectives' wins and the length of a won game, by evaluation",
    setup="5 x 5 grid, two detectives, Mr X with v4, 100 games.",
    full=100,
    quick=100,
    cells=[
        *(
            Wins(f"{v}, detectives' wins", GAME, [MR_X, f"alphabeta:evaluation={v}"], theirs, side=1)
            for v, theirs in WINS.items()
        ),
        *(
            WonLength(f"{v}, length of a won game", GAME, [MR_X, f"alphabeta:evaluation={v}"], 1, MOVES, theirs, WINS[v])
            for v, theirs in LENGTHS.items()
        ),
    ],
)

# A table of values for the two detectives, as published and with each proposal of the document.
VERSIONS = {
    "as published": "tulusak",
    "symmetries folded": "tulusak-symmetry",
    "one shared table": "tulusak-shared",
    "reward at reveals": "tulusak-reveal",
    "all three": "tulusak-all",
}
UNLEARNED = "no table, any legal move"


def learned(figures: Figures) -> bool:
    """Whether a table that was made as published plays better than detectives who know nothing."""
    return figures["as published"] > 2 * figures[UNLEARNED]


TABLES = Experiment(
    id="T5.f4",
    title="Q-tables for the joint detectives after 100,000 games, detectives' wins",
    setup="5 x 5 grid, 100,000 games of training against minimax. The figure is a curve. Shipped tables, made by "
    "`fogbound train qtable scotland-yard/grid5-2020 --preset NAME --set games=100000`, play here.",
    full=1000,
    quick=200,
    cells=[
        Wins(UNLEARNED, GAME, [MR_X, "random"], side=1),
        *(Wins(label, GAME, [MR_X, f"qtable:weights={name}"], side=1) for label, name in VERSIONS.items()),
    ],
    claims=[Claim("the table did not learn", [UNLEARNED, "as published"], lambda f: not learned(f))],
)

EXPERIMENTS = [EVALUATIONS, TABLES]
