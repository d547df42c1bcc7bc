"""V6.7: MCTS, nets and both on a small map of Risk."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.reproduce.shared.vasatko import GUIDED, NETS, RANDOM, SEARCH, SMALL

GAME = f"{SMALL},cards=capped"

EXPERIMENT = Experiment(
    id="V6.7",
    title="MCTS, MCTS with nets and nets against each other, and against two random players",
    setup="Three players, map of 9 territories, 100 games, 1,000 iterations.",
    full=100,
    quick=30,
    shrink={"iterations=1000": "iterations=200"},
    cells=[
        Wins("MCTS against MCTS with nets and nets", GAME, [SEARCH, GUIDED, NETS], 45, side=0),
        Wins("MCTS with nets against MCTS and nets", GAME, [SEARCH, GUIDED, NETS], 35, side=1),
        Wins("nets against MCTS and MCTS with nets", GAME, [SEARCH, GUIDED, NETS], 20, side=2),
        Wins("MCTS against two random", GAME, [SEARCH, RANDOM, RANDOM], 96),
        Wins("MCTS with nets against two random", GAME, [GUIDED, RANDOM, RANDOM], 92),
    ],
)
