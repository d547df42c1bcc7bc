"""K6.3: Mr X nets with two and three hidden layers once more, now trained with the mix."""

from fogbound.lab.reproduce.shared.hrklova import of_mr_x

EXPERIMENT = of_mr_x(
    "K6.3",
    "Detectives' wins against Mr X nets with 2 and 3 hidden layers, trained with the mix",
    nets={"with 2 layers": "mix", "with 3 layers": "mix-3-layers"},
    published={
        "random": (17.36, 22.41),
        "alpha-beta": (60.83, 61.83),
        "MCTS": (62.05, 69.61),
    },
)
