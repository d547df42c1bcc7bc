"""K6.5: two systems of rewards for the detectives."""

from fogbound.lab.reproduce.shared.hrklova import of_detectives

EXPERIMENT = of_detectives(
    "K6.5",
    "Detective nets' wins against random, alpha-beta and MCTS Mr X, by rewards",
    nets={"rewarded for any catch": "any-catch", "rewarded for taking part": "mix"},
    published={
        "random": (92.3, 96.31),
        "alpha-beta": (10.49, 21.13),
        "MCTS": (12.41, 18.78),
    },
)
