"""H6.f5: how long a tree search has to think."""

from fogbound.lab.experiment import Claim, Experiment, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS

SECONDS = (1, 2, 3, 4, 5)
LABELS = [f"{seconds} s" for seconds in SECONDS]

EXPERIMENT = Experiment(
    id="H6.f5",
    title="Wins of an MCTS Mr X against think time",
    setup="plan1, 100 games against heuristic detectives. The figure is a curve. Run quickly, a second is a hundredth.",
    full=100,
    quick=60,
    shrink={"seconds=": "seconds=0.0"},
    cells=[
        Wins(label, BOARDS["plan1"], [f"mcts:worlds=one,c=1.4,seconds={seconds}", "heuristic"])
        for label, seconds in zip(LABELS, SECONDS, strict=True)
    ],
    claims=[Claim("levels off at 4 to 5 s", LABELS, lambda f: abs(f["5 s"] - f["4 s"]) <= 15)],
)
