"""V6.5: memory that the tree of a player of Risk needs."""

from collections.abc import Sequence
from typing import Any

from fogbound.core import registry
from fogbound.lab.experiment import Experiment, Line
from fogbound.lab.vasatko import GAME, PLAYERS, players

PUBLISHED = {"MCTS": 6000, "MCTS with nets": 8000}


def measured() -> Sequence[Line]:
    lines = []
    for name, agent in players():
        if name in PUBLISHED:
            searcher: Any = registry.agent(agent, GAME)
            ours = searcher.memory() / 1e6
            lines.append(Line(name, ours, ours, ours, PUBLISHED[name], "MB", "differs"))
    return lines


EXPERIMENT = Experiment(
    id="V6.5",
    title="Memory of the tree: MCTS 6 GB, MCTS with nets over 8 GB, nets none",
    setup="Map of 9 territories, 1,000 iterations. Ours is a pool of fixed size, the same for every map.",
    exact=measured,
    uses=[([PLAYERS[name]], GAME) for name in PUBLISHED],
)
