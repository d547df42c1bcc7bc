"""H6.2: a random Mr X against detectives who think."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS, PLAYERS, QUICK

PUBLISHED = {"plan1": (2, 7, 3, 5), "square1": (0, 14, 23, 2)}

EXPERIMENT = Experiment(
    id="H6.2",
    title="A random Mr X's wins against each kind of detectives",
    setup="12 rounds, reveals 3 6 9, 100 games.",
    full=100,
    quick=100,
    shrink=QUICK,
    cells=[
        Wins(f"{board}, detectives {name}", BOARDS[board], ["random", agent], theirs)
        for board, published in PUBLISHED.items()
        for (name, agent), theirs in zip(PLAYERS.items(), published, strict=True)
    ],
)
