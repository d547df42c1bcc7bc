"""V5.1/V5.2: how long random players take for a game of Risk."""

from fogbound.lab.experiment import Claim, Experiment, Seconds

PUBLISHED = {
    ("growing", 0.78): 2.32,
    ("growing", 0.87): 1.45,
    ("capped", 0.78): 0.11,
    ("capped", 0.87): 0.04,
    ("capped", 0.90): 0.03,
}
LABELS = {key: f"{key[0]} cards, attacks with {key[1]}" for key in PUBLISHED}

EXPERIMENT = Experiment(
    id="V5.1/V5.2",
    title="Seconds a game of random players who attack with a given probability",
    setup="Three players, classic map, 500 games. Their times are of another machine; at 0.5 their games did not end.",
    full=500,
    quick=20,
    cells=[
        Seconds(LABELS[key], f"risk/classic:players=3,cards={key[0]}", [f"random:attack={key[1]}"], theirs)
        for key, theirs in PUBLISHED.items()
    ],
    claims=[
        Claim(
            "the more they attack, the sooner a game ends",
            list(LABELS.values()),
            lambda f: all(f[LABELS[cards, 0.78]] > f[LABELS[cards, 0.87]] for cards in ("growing", "capped")),
        ),
        Claim(
            "capped cards make games much shorter",
            list(LABELS.values()),
            lambda f: all(f[LABELS["growing", p]] > 2 * f[LABELS["capped", p]] for p in (0.78, 0.87)),
        ),
    ],
)
