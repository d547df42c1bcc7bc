"""T5.1: alpha-beta detectives with four evaluations against an alpha-beta Mr X."""

from fogbound.lab.experiment import Experiment, Wins, WonLength

WINS = {"v1": 92, "v2": 65, "v3": 74, "v4": 89}
LENGTHS = {"v1": 5.8, "v2": 6.4, "v3": 6.3, "v4": 6.7}
GAME = "scotland-yard/grid5-2020"
MOVES = 3  # a round: Mr X and two detectives


def agents(evaluation: str) -> list[str]:
    return ["alphabeta:evaluation=v4", f"alphabeta:evaluation={evaluation}"]


EXPERIMENT = Experiment(
    id="T5.1",
    title="Detectives' wins and the length of a won game, by evaluation",
    setup="5 x 5 grid, two detectives, Mr X with v4, 100 games.",
    full=100,
    quick=100,
    cells=[
        *(Wins(f"{v}, detectives' wins", GAME, agents(v), theirs, side=1) for v, theirs in WINS.items()),
        *(
            WonLength(f"{v}, length of a won game", GAME, agents(v), 1, MOVES, theirs, WINS[v])
            for v, theirs in LENGTHS.items()
        ),
    ],
)
