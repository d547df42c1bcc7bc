"""H6.f1/f2: which of the heuristics' scores is best, on both sides and boards."""

from fogbound.lab.experiment import Claim, Experiment, Figures, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS

SCORES = ("nearest", "sum", "weighted")
TARGETS = ("nearest", "farthest", "conditional")


def label(board: str, score: str, target: str) -> str:
    return f"{board}, Mr X {score}, detectives {target}"


LABELS = [label(board, score, target) for board in BOARDS for score in SCORES for target in TARGETS]


def mr_x(figures: Figures, board: str, score: str) -> float:
    """Mr X's wins with a score, over all detectives."""
    return sum(figures[label(board, score, target)] for target in TARGETS)


def against(figures: Figures, board: str, target: str) -> float:
    """What all kinds of Mr X win against a target."""
    return sum(figures[label(board, score, target)] for score in SCORES)


EXPERIMENT = Experiment(
    id="H6.f1/f2",
    title="Mr X's wins by the heuristics' scores, 3 x 3 on both boards",
    setup="12 rounds, reveals 3 6 9; heuristic against heuristic. The figures are heat maps.",
    full=100,
    quick=2000,
    cells=[
        Wins(label(board, score, target), spec, [f"heuristic:score={score}", f"heuristic:target={target}"])
        for board, spec in BOARDS.items()
        for score in SCORES
        for target in TARGETS
    ],
    claims=[
        Claim(
            "nearest and weighted beat sum for Mr X",
            LABELS,
            lambda f: all(mr_x(f, b, s) > mr_x(f, b, "sum") for b in BOARDS for s in ("nearest", "weighted")),
        ),
        Claim(
            "nearest and conditional beat farthest for the detectives",
            LABELS,
            lambda f: all(against(f, b, t) < against(f, b, "farthest") for b in BOARDS for t in ("nearest", "conditional")),
        ),
    ],
)
