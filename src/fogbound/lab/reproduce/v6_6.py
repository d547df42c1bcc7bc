"""V6.6: seconds that the players of Risk think in each phase of a turn."""

from fogbound.lab.experiment import Experiment

EXPERIMENT = Experiment(
    id="V6.6",
    title="Seconds for set-up, draft, attack, fortify",
    setup="MCTS .74 .97 .0001 .00003; with nets .98 3.30 .00016 .0001; nets .00021 .00029 .00053 .00039.",
    needs=["agent net"],
)
