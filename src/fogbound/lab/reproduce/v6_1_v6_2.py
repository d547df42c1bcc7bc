"""V6.1/V6.2: evolved nets against two random players, before and after training."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.reproduce.shared.vasatko import LARGE, RANDOM

# Wins out of 500.
PUBLISHED = {"simple, untrained": 424, "complex, untrained": 471, "simple, trained": 475, "complex, trained": 461}

EXPERIMENT = Experiment(
    id="V6.1/V6.2",
    title="Wins of five nets against two random players",
    setup="Three players, the map of 21 territories that the nets were evolved on, 500 games.",
    full=500,
    quick=500,
    cells=[
        Wins(name, LARGE, [f"net:weights=vasatko-{name.replace(', ', '-')}", RANDOM, RANDOM], wins / 5, of=500)
        for name, wins in PUBLISHED.items()
    ],
)
