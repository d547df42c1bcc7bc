"""H6.f3/f4: how the constant C of a tree search spreads its visits over the first moves."""

from collections.abc import Sequence

import fogbound.core.registry as registry
from fogbound.lab.experiment import PICTURE, Claim, Experiment, Line
from fogbound.lab.reproduce.shared.husa import BOARDS

CONSTANTS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 2.4, 3.2)
CHILDREN = 4


def spread() -> Sequence[Line]:
    """The most visited child's part of 1,000 iterations, where Mr X has four moves."""
    game = registry.game(BOARDS["plan1"])
    match = next(m for m in (game.new(seed) for seed in range(1000)) if len(m.legal()) == CHILDREN)
    lines = []
    for c in CONSTANTS:
        visits = registry.agent(f"mcts:worlds=one,iterations=1000,c={c}", game).choose(match.view(match.to_move)).visits
        share = 100 * max(visits.values()) / max(1, sum(visits.values()))
        lines.append(Line(f"C = {c}", share, share, share, None, "% of the visits", PICTURE))
    return lines


EXPERIMENT = Experiment(
    id="H6.f3/f4",
    title="Visits of the root's four children against C",
    setup="1,000 iterations from one position with four moves. The figures are curves.",
    exact=spread,
    uses=[(["mcts:worlds=one,iterations=1000,c=1"], BOARDS["plan1"])],
    claims=[
        Claim(
            "below 0.6 the search fixes on one move more than between 1.0 and 1.6",
            [f"C = {c}" for c in CONSTANTS],
            lambda f: min(f["C = 0.2"], f["C = 0.4"]) > max(f["C = 1.0"], f["C = 1.2"], f["C = 1.4"], f["C = 1.6"]),
        )
    ],
)
