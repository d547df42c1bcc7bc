"""H6.f10/f11: everyone against everyone."""

from fogbound.lab.experiment import Claim, Experiment, Figures, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS, PLAYERS, QUICK

EVERYONE = {"random": "random", **PLAYERS}


def label(board: str, mr_x: str, detectives: str) -> str:
    return f"{board}, Mr X {mr_x}, detectives {detectives}"


def mean(figures: Figures, board: str, mr_x: str) -> float:
    return sum(figures[label(board, mr_x, other)] for other in EVERYONE) / len(EVERYONE)


EXPERIMENT = Experiment(
    id="H6.f10/f11",
    title="Mr X's wins, every kind against every kind, on both boards",
    setup="Nearest and nearest, C = 1.4 with 5,000 iterations. The figures are heat maps.",
    full=100,
    quick=40,
    shrink=QUICK,
    cells=[
        Wins(label(board, mr_x, detectives), spec, [EVERYONE[mr_x], EVERYONE[detectives]])
        for board, spec in BOARDS.items()
        for mr_x in EVERYONE
        for detectives in EVERYONE
    ],
    claims=[
        Claim(
            "heuristic and net are the best Mr X",
            [label(board, a, b) for board in BOARDS for a in EVERYONE for b in EVERYONE],
            lambda f: all(
                min(mean(f, board, "heuristic"), mean(f, board, "net"))
                > max(mean(f, board, "MCTS"), mean(f, board, "random"))
                for board in BOARDS
            ),
        )
    ],
)
