"""V6.6: seconds that the players of Risk think in each phase of a turn."""

from collections.abc import Sequence

from fogbound.lab.experiment import PICTURE, Claim, Experiment, Line
from fogbound.lab.reproduce.shared.vasatko import PLAYERS, SMALL, seconds_by_phase

PUBLISHED = {
    "MCTS": (0.74, 0.97, 0.0001, 0.00003),
    "MCTS with nets": (0.98, 3.30, 0.00016, 0.0001),
    "nets": (0.00021, 0.00029, 0.00053, 0.00039),
}


def reactions() -> Sequence[Line]:
    lines = []
    for name, player in PLAYERS.items():
        for (phase, ours), theirs in zip(seconds_by_phase(player).items(), PUBLISHED[name], strict=True):
            lines.append(Line(f"{name}, {phase}", ours, ours, ours, theirs, "s", PICTURE))
    return lines


EXPERIMENT = Experiment(
    id="V6.6",
    title="Seconds for set-up, draft, attack, fortify",
    setup="Map of 9 territories, 1,000 iterations. Theirs plans a whole turn in the draft, ours thinks about every move.",
    exact=reactions,
    uses=[(list(PLAYERS.values()), SMALL)],
    claims=[
        Claim(
            "nets decide faster than a search",
            ["nets, draft", "MCTS, draft"],
            lambda f: f["nets, draft"] < f["MCTS, draft"] and f["nets, draft"] < f["MCTS with nets, draft"],
        ),
    ],
)
