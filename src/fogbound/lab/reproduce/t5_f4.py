"""T5.f4: a table of values for the two detectives, as published and with each proposal of the document."""

from fogbound.lab.experiment import Claim, Experiment, Figures, Wins

GAME = "scotland-yard/grid5-2020"
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


EXPERIMENT = Experiment(
    id="T5.f4",
    title="Q-tables for the joint detectives after 100,000 games, detectives' wins",
    setup="5 x 5 grid, 100,000 games of training against minimax. The figure is a curve. Shipped tables, made by "
    "`fogbound train qtable scotland-yard/grid5-2020 --preset NAME --set games=100000`, play here.",
    full=1000,
    quick=200,
    cells=[
        Wins(UNLEARNED, GAME, ["alphabeta:evaluation=v4", "random"], side=1),
        *(
            Wins(label, GAME, ["alphabeta:evaluation=v4", f"qtable:weights={name}"], side=1)
            for label, name in VERSIONS.items()
        ),
    ],
    claims=[Claim("the table did not learn", [UNLEARNED, "as published"], lambda f: not learned(f))],
)
