"""V2.6/V2.7: what the continents of the classic map are worth."""

from collections.abc import Sequence

import fogbound.core.registry as registry
from fogbound.lab.experiment import Experiment, Line

# Territories, border, bonus; armies for holding it, territories an army, armies and attackers a border territory.
PUBLISHED = {
    "europe": (7, 4, 5, 7.33, 0.95, 1.83, 1.5),
    "asia": (12, 5, 7, 11, 1.09, 2.2, 1.2),
    "australia": (4, 1, 2, 3.33, 1.2, 3.33, 1),
    "africa": (6, 3, 3, 5, 1.2, 1.67, 1.33),
    "south_america": (4, 2, 2, 3.33, 1.2, 1.67, 1),
    "north_america": (9, 3, 5, 8, 1.13, 2.67, 1),
}
FIGURES = ("territories", "border", "bonus", "armies", "territories an army", "armies a border", "attackers a border")


def continents() -> Sequence[Line]:
    board = registry.game("risk/classic").definition()
    borders = {entry["territory"]: set(entry["borders"]) for entry in board["territories"]}
    lines = []
    for entry in board["continents"]:
        published = PUBLISHED[entry["continent"]]
        land = set(entry["territories"])
        border = [name for name in land if borders[name] - land]
        outside = set().union(*(borders[name] - land for name in land))
        armies = len(land) / 3 + entry["bonus"]
        counted = (len(land), len(border), entry["bonus"], armies)
        ours = (*counted, len(land) / armies, armies / len(border), len(outside) / len(border))
        for name, mine, theirs in zip(FIGURES, ours, published, strict=True):
            verdict = "agrees" if abs(mine - theirs) < 0.0101 else "differs"
            lines.append(Line(f"{entry['name']}, {name}", mine, mine, mine, theirs, "", verdict))  # type: ignore[arg-type]
    return lines


EXPERIMENT = Experiment(
    id="V2.6/V2.7",
    title="Continents: size, border, bonus, and what follows from them",
    setup="Counted on the classic map.",
    exact=continents,
    uses=[((), "risk/classic")],
)
