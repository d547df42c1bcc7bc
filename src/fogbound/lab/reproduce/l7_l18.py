"""L7-L18: people against flat Monte Carlo."""

from fogbound.lab.experiment import Experiment

EXPERIMENT = Experiment(
    id="L7-L18",
    title="12 games with people, of which the computer won 6",
    setup="Flat Monte Carlo with 200 games an option. Play with fogbound play empire/seed --against flat.",
    needs=["people"],
)
