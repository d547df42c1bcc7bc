"""H6.f6-f9: which inputs and how many layers a supervised net needs."""

from fogbound.lab.experiment import Experiment, Wins
from fogbound.lab.husa import BOARDS

INPUTS = ("short", "middle", "long")
LAYERS = (1, 2, 3, 4)

EXPERIMENT = Experiment(
    id="H6.f6-f9",
    title="Nets by kind of input and number of hidden layers, against the heuristic",
    setup="plan1; the figures are bar charts. Text: Mr X is as good as the heuristic with short and 4 layers, "
    "the detectives need long and 3 to 4.",
    full=100,
    quick=100,
    cells=[
        Wins(f"{role}, {kind}, {layers} layers", BOARDS["plan1"], agents)
        for kind in INPUTS
        for layers in LAYERS
        for role, agents in (
            ("Mr X", [f"net:weights=husa-{kind}-{layers}", "heuristic"]),
            ("detectives", ["heuristic", f"net:weights=husa-{kind}-{layers}"]),
        )
    ],
)
