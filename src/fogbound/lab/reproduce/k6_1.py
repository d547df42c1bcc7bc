"""K6.1: Mr X nets by the opponent they were trained with."""

from fogbound.lab.reproduce.shared.hrklova import of_mr_x

EXPERIMENT = of_mr_x(
    "K6.1",
    "Detectives' wins against Mr X trained with alpha-beta, MCTS, or a mix",
    nets={"trained with alpha-beta": "alphabeta", "trained with MCTS": "mcts", "trained with a mix": "mix"},
    published={
        "random": (24.35, 23.09, 22.41),
        "alpha-beta": (52.96, 75.2, 61.83),
        "MCTS": (80.4, 69.05, 69.61),
    },
)
