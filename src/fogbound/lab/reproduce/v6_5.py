"""V6.5: memory that the players of Risk need."""

from collections.abc import Sequence

from fogbound.lab.experiment import Experiment, Line
from fogbound.lab.reproduce.shared.vasatko import PLAYERS, SMALL, megabytes

PUBLISHED = {"MCTS": 6000.0, "MCTS with nets": 8000.0, "nets": 0.0}
LITTLE = 1.0  # megabytes that are told as no gigabytes


def memory() -> Sequence[Line]:
    lines = []
    for name, player in PLAYERS.items():
        ours, theirs = megabytes(player), PUBLISHED[name]
        same = max(ours, LITTLE) > theirs / 2 and ours < max(2 * theirs, LITTLE)
        lines.append(Line(name, ours, ours, ours, theirs, "MB", "agrees" if same else "differs"))
    return lines


EXPERIMENT = Experiment(
    id="V6.5",
    title="Memory: MCTS 6 GB, MCTS with nets over 8 GB, nets none",
    setup="Map of 9 territories, 1,000 iterations; all arrays that a player holds.",
    exact=memory,
    uses=[(list(PLAYERS.values()), SMALL)],
)
