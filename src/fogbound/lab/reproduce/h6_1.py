"""H6.1: random against random. How many detectives are a match for Mr X when nobody thinks?"""

from fogbound.lab.experiment import Experiment, Wins

PUBLISHED = {"plan1": (68, 36, 21, 6), "square1": (66, 41, 24, 12)}

EXPERIMENT = Experiment(
    id="H6.1",
    title="Mr X's wins, random against random, with 1 to 4 detectives",
    setup="12 rounds, reveals 3 6 9, 100 games. Detectives who are all stuck pass.",
    full=100,
    quick=20_000,
    cells=[
        Wins(f"{board}, {n} detectives", f"scotland-yard/{board}:detectives={n},stuck_detectives=pass", ["random"], theirs)
        for board, published in PUBLISHED.items()
        for n, theirs in enumerate(published, 1)
    ],
)
