"""T5.f4: a table of values for the two detectives together."""

from fogbound.lab.experiment import Experiment, Wins

EXPERIMENT = Experiment(
    id="T5.f4",
    title="Q-table for the joint detectives, learning curve",
    setup="5 x 5 grid, 100,000 games of training against minimax. The figure is a curve; text: it did not learn.",
    full=100,
    quick=100,
    cells=[
        Wins(
            "after 100,000 games, detectives' wins",
            "scotland-yard/grid5-2020",
            ["alphabeta:evaluation=v4", "q:weights=tulusak"],
            side=1,
        )
    ],
)
