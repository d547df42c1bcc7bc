"""H6.3: a Mr X who thinks against random detectives."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS, PLAYERS, QUICK

PUBLISHED = {"plan1": (97, 65, 77, 98), "square1": (96, 86, 95, 96)}

EXPERIMENT = Experiment(
    id="H6.3",
    title="Wins of each kind of Mr X against random detectives",
    setup="12 rounds, reveals 3 6 9, 100 games.",
    full=100,
    quick=100,
    shrink=QUICK,
    cells=[
        Wins(f"{board}, Mr X {name}", BOARDS[board], [agent, "random"], theirs)
        for board, published in PUBLISHED.items()
        for (name, agent), theirs in zip(PLAYERS.items(), published, strict=True)
    ],
)
