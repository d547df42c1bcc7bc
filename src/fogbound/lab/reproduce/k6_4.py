"""K6.4: detective nets of three layouts."""

from fogbound.lab.reproduce.shared.hrklova import of_detectives

EXPERIMENT = of_detectives(
    "K6.4",
    "Detective nets' wins against random, alpha-beta and MCTS Mr X, by layout",
    nets={"of layout 1": "mix", "of layout 2": "layout-2", "of layout 3": "layout-3"},
    published={
        "random": (96.65, 93.94, 86.15),
        "alpha-beta": (27.5, 27.08, 9.2),
        "MCTS": (29.8, 23.07, 11.23),
    },
)
