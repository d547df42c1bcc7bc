"""V2.4/V2.5: whole battles."""

from collections.abc import Sequence
from importlib import import_module

from fogbound.lab.experiment import Experiment, Line

# A row for 1 to 10 defenders, a column for 1 to 10 attackers: conquered, in percent.
PUBLISHED = (
    (41.67, 75.42, 91.64, 97.15, 99.03, 99.67, 99.88, 99.96, 99.99, 100.00),
    (10.61, 36.27, 65.60, 78.55, 88.98, 93.40, 96.67, 98.03, 99.01, 99.42),
    (2.70, 20.61, 47.03, 64.16, 76.94, 85.69, 90.99, 94.68, 96.70, 98.11),
    (0.69, 9.13, 31.50, 47.65, 63.83, 74.49, 83.37, 88.78, 92.98, 95.39),
    (0.18, 4.91, 20.59, 35.86, 50.62, 63.77, 73.64, 81.84, 87.29, 91.63),
    (0.05, 2.14, 13.37, 25.25, 39.68, 52.07, 64.01, 72.96, 80.76, 86.11),
    (0.01, 1.13, 8.37, 18.15, 29.74, 42.33, 53.55, 64.29, 72.61, 79.98),
    (0.00, 0.49, 5.35, 12.34, 22.41, 32.95, 44.56, 54.73, 64.64, 72.40),
    (0.00, 0.26, 3.28, 8.62, 16.16, 25.78, 35.69, 46.40, 55.81, 65.01),
    (0.00, 0.11, 2.08, 5.72, 11.83, 19.34, 28.68, 37.99, 47.99, 56.76),
)


def battles() -> Sequence[Line]:
    battle = import_module("fogbound.games.risk.odds").battle
    lines = []
    for defenders, row in enumerate(PUBLISHED, 1):
        for attackers, theirs in enumerate(row, 1):
            ours = 100 * battle(attackers, defenders).conquered
            label = f"{attackers} against {defenders} armies"
            same = abs(ours - theirs) < 0.0101
            lines.append(Line(label, ours, ours, ours, theirs, "%", "agrees" if same else "differs"))
    return lines


EXPERIMENT = Experiment(
    id="V2.4/V2.5",
    title="Chances to conquer, for 1 to 10 attackers and defenders",
    setup="Worked out exactly. Theirs has two decimals, a few not quite rounded: one in the last place is let pass. "
    "Rounded strictly, 4 of the 100 differ (7 against 1, 1 against 6, 5 against 8, 8 against 8). "
    "Attackers are the armies that may attack.",
    exact=battles,
    uses=[((), "risk/classic")],
)
