"""V6.1/V6.2: evolved nets against two random players, before and after training."""

from fogbound.lab.experiment import Experiment, Wins

# Wins out of 500.
PUBLISHED = {"simple, untrained": 424, "complex, untrained": 471, "simple, trained": 475, "complex, trained": 461}
GAME = "risk/random:territories=21,players=3,seed=1"

EXPERIMENT = Experiment(
    id="V6.1/V6.2",
    title="Wins of five nets against two random players",
    setup="Three players, map of 21 territories, 500 games.",
    full=500,
    quick=200,
    cells=[
        Wins(name, GAME, [f"net:weights=vasatko-{name.replace(', ', '-')}", "random", "random"], wins / 5, of=500)
        for name, wins in PUBLISHED.items()
    ],
)
