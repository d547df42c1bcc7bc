"""K6.2: Mr X nets by their number of hidden layers, trained with alpha-beta."""

from fogbound.lab.reproduce.shared.hrklova import of_mr_x

EXPERIMENT = of_mr_x(
    "K6.2",
    "Detectives' wins against Mr X nets with 2, 3, 4 hidden layers",
    nets={"with 2 layers": "alphabeta", "with 3 layers": "alphabeta-3-layers", "with 4 layers": "alphabeta-4-layers"},
    published={
        "random": (22.04, 22.41, 21.76),
        "alpha-beta": (53.23, 61.83, 67.4),
        "MCTS": (80.89, 69.61, 68.01),
    },
)
