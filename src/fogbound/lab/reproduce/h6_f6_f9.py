"""H6.f6-f9: which inputs and how many layers a supervised net needs."""

from fogbound.lab.experiment import Claim, Experiment, Figures, Wins
from fogbound.lab.reproduce.shared.husa import BOARDS

INPUTS = ("short", "middle", "long")
LAYERS = (1, 2, 3, 4)
HEURISTIC = "both heuristic"
ALIKE = 10  # percent points: so far apart, 100 games do not tell two players from each other


def label(board: str, role: str, kind: str, layers: int) -> str:
    return f"{board}, {role}, {kind}, {layers} layers"


def reference(board: str) -> str:
    return f"{board}, {HEURISTIC}"


def short_mr_x_is_alike(figures: Figures) -> bool:
    return all(abs(figures[label(b, "Mr X", "short", 4)] - figures[reference(b)]) <= ALIKE for b in BOARDS)


def short_detectives_are_weaker(figures: Figures) -> bool:
    """Mr X wins more against them than against the heuristic."""
    return all(figures[label(b, "detectives", "short", n)] > figures[reference(b)] for b in BOARDS for n in LAYERS)


def long_detectives_are_alike_or_better(figures: Figures) -> bool:
    return all(figures[label(b, "detectives", "long", n)] <= figures[reference(b)] + ALIKE for b in BOARDS for n in (3, 4))


EXPERIMENT = Experiment(
    id="H6.f6-f9",
    title="Nets by kind of input and number of hidden layers, against the heuristic: Mr X's wins",
    setup="Both boards; the figures are bar charts. `middle` has no figure there.",
    full=100,
    quick=200,
    cells=[
        *(Wins(reference(board), spec, ["heuristic", "heuristic"]) for board, spec in BOARDS.items()),
        *(
            Wins(label(board, role, kind, layers), spec, agents)
            for board, spec in BOARDS.items()
            for kind in INPUTS
            for layers in LAYERS
            for role, agents in (
                ("Mr X", [f"net:weights=husa-{kind}-{layers}", "heuristic"]),
                ("detectives", ["heuristic", f"net:weights=husa-{kind}-{layers}"]),
            )
        ),
    ],
    claims=[
        Claim(
            "Mr X is as good as the heuristic with the short input and 4 layers",
            [name for b in BOARDS for name in (reference(b), label(b, "Mr X", "short", 4))],
            short_mr_x_is_alike,
        ),
        Claim(
            "detectives with the short input are weaker than the heuristic",
            [name for b in BOARDS for name in (reference(b), *(label(b, "detectives", "short", n) for n in LAYERS))],
            short_detectives_are_weaker,
        ),
        Claim(
            "detectives with the long input and 3 or 4 layers are as good as the heuristic or better",
            [name for b in BOARDS for name in (reference(b), *(label(b, "detectives", "long", n) for n in (3, 4)))],
            long_detectives_are_alike_or_better,
        ),
    ],
)
