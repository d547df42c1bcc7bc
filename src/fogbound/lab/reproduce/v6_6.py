"""V6.6: seconds that the players of Risk think in each phase of a turn."""

from collections.abc import Sequence

from fogbound.lab.experiment import Experiment, Line
from fogbound.lab.vasatko import GAME, PLAYERS, players, seconds

# Set-up, draft, attack, fortify.
PUBLISHED = {
    "MCTS": (0.74, 0.97, 0.0001, 0.00003),
    "MCTS with nets": (0.98, 3.30, 0.00016, 0.0001),
    "nets": (0.00021, 0.00029, 0.00053, 0.00039),
}


def timed() -> Sequence[Line]:
    return [line for name, agent in players() for line in seconds(name, agent, PUBLISHED[name])]


EXPERIMENT = Experiment(
    id="V6.6",
    title="Seconds for a decision in set-up, draft, attack, fortify",
    setup="Map of 9 territories, 1,000 iterations. Here a search plans the whole turn at the draft. "
    "Their times are of another machine.",
    exact=timed,
    uses=[([agent], GAME) for agent in PLAYERS.values()],
)
