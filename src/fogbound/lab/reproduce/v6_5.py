"""V6.5: memory that the players of Risk need."""

from fogbound.lab.experiment import Experiment

EXPERIMENT = Experiment(
    id="V6.5",
    title="Memory: MCTS 6 GB, MCTS with nets over 8 GB, nets none",
    setup="Map of 9 territories, 1,000 iterations.",
    needs=["agent net"],
)
