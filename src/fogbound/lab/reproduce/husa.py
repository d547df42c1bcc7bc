"""Husa 2022, Scotland Yard: random players, heuristics, tree search and supervised nets on two boards."""

from __future__ import annotations

from collections.abc import Sequence

from fogbound.core import registry
from fogbound.lab.reproduce.comparison import PICTURE, Claim, Experiment, Figures, Line, Wins

BOARDS = {board: f"scotland-yard/{board}:stuck_detectives=pass" for board in ("plan1", "square1")}
SEARCH = "mcts:worlds=one,iterations=5000,c=1.4"
PLAYERS = {
    "heuristic": "heuristic",
    "MCTS": SEARCH,
    "MCTS (heuristic)": f"{SEARCH},playout=heuristic",
    "net": "net:weights=husa",
}
EVERYONE = {"random": "random", **PLAYERS}
SETUP = "12 rounds, reveals 3 6 9, 100 games."
QUICK = {"iterations=5000": "iterations=500"}

# Random against random: how many detectives are a match for Mr X when nobody thinks?
BY_DETECTIVES = {"plan1": (68, 36, 21, 6), "square1": (66, 41, 24, 12)}
RANDOM_PLAYERS = Experiment(
    id="H6.1",
    title="Mr X's wins, random against random, with 1 to 4 detectives",
    setup=f"{SETUP} Detectives who are all stuck pass.",
    full=100,
    quick=20_000,
    cells=[
        Wins(f"{board}, {n} detectives", f"scotland-yard/{board}:detectives={n},stuck_detectives=pass", ["random"], theirs)
        for board, published in BY_DETECTIVES.items()
        for n, theirs in enumerate(published, 1)
    ],
)

# One side is random, the other thinks.
RANDOM_MR_X = {"plan1": (2, 7, 3, 5), "square1": (0, 14, 23, 2)}
RANDOM_DETECTIVES = {"plan1": (97, 65, 77, 98), "square1": (96, 86, 95, 96)}
AGAINST_RANDOM = [
    Experiment(
        id="H6.2",
        title="A random Mr X's wins against each kind of detectives",
        setup=SETUP,
        full=100,
        quick=100,
        shrink=QUICK,
        cells=[
            Wins(f"{board}, detectives {name}", BOARDS[board], ["random", agent], theirs)
            for board, published in RANDOM_MR_X.items()
            for (name, agent), theirs in zip(PLAYERS.items(), published, strict=True)
        ],
    ),
    Experiment(
        id="H6.3",
        title="Wins of each kind of Mr X against random detectives",
        setup=SETUP,
        full=100,
        quick=100,
        shrink=QUICK,
        cells=[
            Wins(f"{board}, Mr X {name}", BOARDS[board], [agent, "random"], theirs)
            for board, published in RANDOM_DETECTIVES.items()
            for (name, agent), theirs in zip(PLAYERS.items(), published, strict=True)
        ],
    ),
]

PEOPLE = Experiment(
    id="H6.4",
    title="A person's wins out of 10 against random, heuristic, MCTS, MCTS (heuristic), net",
    setup="As Mr X 10 5 8 9 6; as the detectives 10 6 9 9 7. Play with fogbound play scotland-yard/plan1.",
    needs=["people"],
)


def versus(board: str, mr_x: str, detectives: str) -> str:
    """The label of a figure for two kinds of players."""
    return f"{board}, Mr X {mr_x}, detectives {detectives}"


# Which of the heuristics' scores is best, on both sides and boards.
SCORES = ("nearest", "sum", "weighted")
TARGETS = ("nearest", "farthest", "conditional")
BY_SCORE = [versus(board, score, target) for board in BOARDS for score in SCORES for target in TARGETS]


def with_score(figures: Figures, board: str, score: str) -> float:
    """Mr X's wins with a score, over all detectives."""
    return sum(figures[versus(board, score, target)] for target in TARGETS)


def against_target(figures: Figures, board: str, target: str) -> float:
    """What all kinds of Mr X win against a target."""
    return sum(figures[versus(board, score, target)] for score in SCORES)


HEURISTICS = Experiment(
    id="H6.f1/f2",
    title="Mr X's wins by the heuristics' scores, 3 x 3 on both boards",
    setup="12 rounds, reveals 3 6 9; heuristic against heuristic. The figures are heat maps.",
    full=100,
    quick=2000,
    cells=[
        Wins(versus(board, score, target), spec, [f"heuristic:score={score}", f"heuristic:target={target}"])
        for board, spec in BOARDS.items()
        for score in SCORES
        for target in TARGETS
    ],
    claims=[
        Claim(
            "nearest and weighted beat sum for Mr X",
            BY_SCORE,
            lambda f: all(with_score(f, b, s) > with_score(f, b, "sum") for b in BOARDS for s in ("nearest", "weighted")),
        ),
        Claim(
            "nearest and conditional beat farthest for the detectives",
            BY_SCORE,
            lambda f: all(
                against_target(f, b, t) < against_target(f, b, "farthest")
                for b in BOARDS
                for t in ("nearest", "conditional")
            ),
        ),
    ],
)

# How the constant C of a tree search spreads its visits over the first moves.
CONSTANTS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 2.4, 3.2)
CHILDREN = 4


def spread() -> Sequence[Line]:
    """The most visited child's part of 1,000 iterations, where Mr X has four moves."""
    game = registry.game(BOARDS["plan1"])
    match = next(m for m in (game.new(seed) for seed in range(1000)) if len(m.legal()) == CHILDREN)
    lines = []
    for c in CONSTANTS:
        visits = registry.agent(f"mcts:worlds=one,iterations=1000,c={c}", game).choose(match.view(match.to_move)).visits
        share = 100 * max(visits.values()) / max(1, sum(visits.values()))
        lines.append(Line(f"C = {c}", share, share, share, None, "% of the visits", PICTURE))
    return lines


EXPLORATION = Experiment(
    id="H6.f3/f4",
    title="Visits of the root's four children against C",
    setup="1,000 iterations from one position with four moves. The figures are curves.",
    exact=spread,
    uses=[(["mcts:worlds=one,iterations=1000,c=1"], BOARDS["plan1"])],
    claims=[
        Claim(
            "below 0.6 the search fixes on one move more than between 1.0 and 1.6",
            [f"C = {c}" for c in CONSTANTS],
            lambda f: min(f["C = 0.2"], f["C = 0.4"]) > max(f["C = 1.0"], f["C = 1.2"], f["C = 1.4"], f["C = 1.6"]),
        )
    ],
)

# How long a tree search has to think.
SECONDS = {f"{seconds} s": seconds for seconds in (1, 2, 3, 4, 5)}
THINK_TIME = Experiment(
    id="H6.f5",
    title="Wins of an MCTS Mr X against think time",
    setup="plan1, 100 games against heuristic detectives. The figure is a curve. Run quickly, a second is a hundredth.",
    full=100,
    quick=60,
    shrink={"seconds=": "seconds=0.0"},
    cells=[
        Wins(label, BOARDS["plan1"], [f"mcts:worlds=one,c=1.4,seconds={seconds}", "heuristic"])
        for label, seconds in SECONDS.items()
    ],
    claims=[Claim("levels off at 4 to 5 s", list(SECONDS), lambda f: abs(f["5 s"] - f["4 s"]) <= 15)],
)

# Which inputs and how many layers a supervised net needs.
INPUTS = ("short", "middle", "long")
LAYERS = (1, 2, 3, 4)
ALIKE = 10  # percent points: so far apart, 100 games do not tell two players from each other


def net_label(board: str, role: str, kind: str, layers: int) -> str:
    return f"{board}, {role}, {kind}, {layers} layers"


def both_heuristic(board: str) -> str:
    return f"{board}, both heuristic"


def short_mr_x_is_alike(figures: Figures) -> bool:
    return all(abs(figures[net_label(b, "Mr X", "short", 4)] - figures[both_heuristic(b)]) <= ALIKE for b in BOARDS)


def short_detectives_are_weaker(figures: Figures) -> bool:
    """Mr X wins more against them than against the heuristic."""
    return all(figures[net_label(b, "detectives", "short", n)] > figures[both_heuristic(b)] for b in BOARDS for n in LAYERS)


def long_detectives_are_alike_or_better(figures: Figures) -> bool:
    limits = {board: figures[both_heuristic(board)] + ALIKE for board in BOARDS}
    return all(figures[net_label(b, "detectives", "long", n)] <= limits[b] for b in BOARDS for n in (3, 4))


NETS = Experiment(
    id="H6.f6-f9",
    title="Nets by kind of input and number of hidden layers, against the heuristic: Mr X's wins",
    setup="Both boards; the figures are bar charts. `middle` has no figure there.",
    full=100,
    quick=200,
    cells=[
        *(Wins(both_heuristic(board), spec, ["heuristic", "heuristic"]) for board, spec in BOARDS.items()),
        *(
            Wins(net_label(board, role, kind, layers), spec, agents)
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
            [*map(both_heuristic, BOARDS), *(net_label(b, "Mr X", "short", 4) for b in BOARDS)],
            short_mr_x_is_alike,
        ),
        Claim(
            "detectives with the short input are weaker than the heuristic",
            [
                name
                for b in BOARDS
                for name in (both_heuristic(b), *(net_label(b, "detectives", "short", n) for n in LAYERS))
            ],
            short_detectives_are_weaker,
        ),
        Claim(
            "detectives with the long input and 3 or 4 layers are as good as the heuristic or better",
            [*map(both_heuristic, BOARDS), *(net_label(b, "detectives", "long", n) for b in BOARDS for n in (3, 4))],
            long_detectives_are_alike_or_better,
        ),
    ],
)


def mean_wins(figures: Figures, board: str, mr_x: str) -> float:
    """Mr X's wins, averaged over all kinds of detectives."""
    return sum(figures[versus(board, mr_x, other)] for other in EVERYONE) / len(EVERYONE)


def heuristic_and_net_are_best(figures: Figures) -> bool:
    return all(
        min(mean_wins(figures, board, "heuristic"), mean_wins(figures, board, "net"))
        > max(mean_wins(figures, board, "MCTS"), mean_wins(figures, board, "random"))
        for board in BOARDS
    )


ROUND_ROBIN = Experiment(
    id="H6.f10/f11",
    title="Mr X's wins, every kind against every kind, on both boards",
    setup="Nearest and nearest, C = 1.4 with 5,000 iterations. The figures are heat maps.",
    full=100,
    quick=40,
    shrink=QUICK,
    cells=[
        Wins(versus(board, mr_x, detectives), spec, [EVERYONE[mr_x], EVERYONE[detectives]])
        for board, spec in BOARDS.items()
        for mr_x in EVERYONE
        for detectives in EVERYONE
    ],
    claims=[
        Claim(
            "heuristic and net are the best Mr X",
            [versus(board, a, b) for board in BOARDS for a in EVERYONE for b in EVERYONE],
            heuristic_and_net_are_best,
        )
    ],
)

EXPERIMENTS = [RANDOM_PLAYERS, *AGAINST_RANDOM, PEOPLE, HEURISTICS, EXPLORATION, THINK_TIME, NETS, ROUND_ROBIN]
