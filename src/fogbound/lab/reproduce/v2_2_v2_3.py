"""V2.2/V2.3: one roll of the dice."""

from collections.abc import Sequence
from importlib import import_module

from fogbound.lab.experiment import Experiment, Line

# Attacking dice, defending dice, armies that the defender loses: the chance in percent.
PUBLISHED = {
    (1, 1, 1): 41.67, (2, 1, 1): 57.87, (3, 1, 1): 65.97, (1, 2, 1): 25.46,
    (2, 2, 2): 22.76, (2, 2, 0): 44.83, (2, 2, 1): 32.41,
    (3, 2, 2): 37.17, (3, 2, 0): 29.26, (3, 2, 1): 33.58,
}  # fmt: skip


def rolls() -> Sequence[Line]:
    roll = import_module("fogbound.games.risk.odds").roll
    lines = []
    for (attacking, defending, lost), theirs in PUBLISHED.items():
        ours = 100 * float(roll(attacking, defending)[lost])
        label = f"{attacking} against {defending} dice, the defender loses {lost}"
        same = abs(ours - theirs) < 0.0051
        lines.append(Line(label, ours, ours, ours, theirs, "%", "agrees" if same else "differs"))
    return lines


EXPERIMENT = Experiment(
    id="V2.2/V2.3",
    title="Chances of one roll",
    setup="Worked out exactly; theirs has two decimals.",
    exact=rolls,
    uses=[((), "risk/classic")],
)
