"""H6.4: a person against every kind of player."""

from fogbound.lab.experiment import Experiment

EXPERIMENT = Experiment(
    id="H6.4",
    title="A person's wins out of 10 against random, heuristic, MCTS, MCTS (heuristic), net",
    setup="As Mr X 10 5 8 9 6; as the detectives 10 6 9 9 7. Play with fogbound play scotland-yard/plan1.",
    needs=["people"],
)
