"""Husa 2022, Scotland Yard: random players, heuristics, tree search and supervised nets on two boards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from fogbound.core import registry
from fogbound.core.match import Match
from fogbound.core.statistics import wilson
from fogbound.lab.reproduce.comparison import (
    PICTURE,
    Claim,
    Experiment,
    Figures,
    Finding,
    Line,
    Run,
    Variant,
    Wins,
    fisher,
    judged,
)
from fogbound.lab.reproduce.people import Played, on, won

BOARDS = {board: f"scotland-yard/{board}:stuck_detectives=pass" for board in ("plan1", "square1")}
SETUP = "12 rounds, reveals 3 6 9, 100 games."
TRAMS = "The trams of square1 are ours: its board is a picture in the document, of which only the starts are told."
QUICK = {"iterations=5000": "iterations=500"}


def players(search: str = "iterations=5000", scripted: str = "") -> dict[str, str]:
    """Those that think, with another budget or another tree for both searches, and other options for heuristic playouts."""
    mcts = f"mcts:worlds=one,c=1.4,{search}"
    playout = f"{mcts},playout=heuristic{scripted}"
    return {"heuristic": "heuristic", "MCTS": mcts, "MCTS (heuristic)": playout, "net": "net:weights=husa"}


PLAYERS = players()
EVERYONE = {"random": "random", **PLAYERS}
SEARCHES = ("MCTS", "MCTS (heuristic)")

# Random against random: how many detectives are a match for Mr X when nobody thinks?
BY_DETECTIVES = {"plan1": (68, 36, 21, 6), "square1": (66, 41, 24, 12)}
RANDOM_PLAYERS = Experiment(
    id="H6.1",
    title="Mr X's wins, random against random, with 1 to 4 detectives",
    setup=SETUP,
    full=100,
    quick=20_000,
    reconstructed=f"{TRAMS} Detectives who are all stuck pass.",
    cells=[
        Wins(f"{board}, {n} detectives", f"scotland-yard/{board}:detectives={n},stuck_detectives=pass", ["random"], theirs)
        for board, published in BY_DETECTIVES.items()
        for n, theirs in enumerate(published, 1)
    ],
)

# One side is random, the other thinks.
RANDOM_MR_X = {"plan1": (2, 7, 3, 5), "square1": (0, 14, 23, 2)}
RANDOM_DETECTIVES = {"plan1": (97, 65, 77, 98), "square1": (96, 86, 95, 96)}


def against_random(side: int, thinking: Mapping[str, str], only: Sequence[str] = tuple(PLAYERS)) -> list[Wins]:
    """Mr X's wins with one side thinking, 0 for Mr X and 1 for the detectives."""
    published = RANDOM_DETECTIVES if side == 0 else RANDOM_MR_X
    seat = "Mr X" if side == 0 else "detectives"
    return [
        Wins(f"{board}, {seat} {name}", BOARDS[board], [agent, "random"] if side == 0 else ["random", agent], theirs)
        for board, row in published.items()
        for (name, agent), theirs in zip(thinking.items(), row, strict=True)
        if name in only
    ]


NETS_TRIED = {"the net with the short input": "short-4", "the net with the middle input": "middle-4", "one layer": "long-1"}


def weaker_players(side: int) -> list[Variant]:
    """What could make his searches and nets weaker than ours."""
    tried = {
        "10 iterations a move": players("iterations=10"),
        "20 iterations a move": players("iterations=20"),
        "50 iterations a move": players("iterations=50"),
        "every node maximises the result of the root's player": players("iterations=5000,maximise=root"),
    }
    bare = players(scripted=",epsilon=0")
    return [
        *(Variant(cause, against_random(side, thinking, SEARCHES)) for cause, thinking in tried.items()),
        Variant("heuristic playouts without a random move", against_random(side, bare, ["MCTS (heuristic)"])),
        *(
            Variant(cause, against_random(side, {**PLAYERS, "net": f"net:weights=husa-{net}"}, ["net"]))
            for cause, net in NETS_TRIED.items()
        ),
    ]


def other_detectives() -> list[Variant]:
    """What could make his scripted detectives and nets lose a game to a random Mr X."""
    targets = {target: {**PLAYERS, "heuristic": f"heuristic:target={target}"} for target in ("farthest", "conditional")}
    lost = [
        replace(cell, game=cell.game.replace("=pass", "=lose")) for cell in against_random(1, PLAYERS, ["heuristic", "net"])
    ]
    return [
        *(
            Variant(f"detectives with the target {t}", against_random(1, with_it, ["heuristic"]))
            for t, with_it in targets.items()
        ),
        Variant("Mr X wins where no detective can move", lost),
    ]


POSSIBLE = (
    "He stopped his searches by the clock, 5 s of Python on a laptop; how many iterations that was is not told.",
    "A mistake in his tree that no option here has.",
)
AGAINST_RANDOM = [
    Experiment(
        id="H6.2",
        title="A random Mr X's wins against each kind of detectives",
        setup=f"{SETUP} C = 1.4, 5 s a move, for which 5,000 iterations were the aim.",
        full=100,
        quick=200,
        shrink=QUICK,
        reconstructed=TRAMS,
        cells=against_random(1, PLAYERS),
        variants=[*weaker_players(1), *other_detectives()],
        possible=POSSIBLE,
    ),
    Experiment(
        id="H6.3",
        title="Wins of each kind of Mr X against random detectives",
        setup=f"{SETUP} C = 1.4, 5 s a move, for which 5,000 iterations were the aim.",
        full=100,
        quick=200,
        shrink=QUICK,
        reconstructed=TRAMS,
        cells=against_random(0, PLAYERS),
        variants=weaker_players(0),
        possible=POSSIBLE,
    ),
]

# A person against each kind of player.
PERSON_WINS = {"Mr X": (10, 5, 8, 9, 6), "detectives": (10, 6, 9, 9, 7)}
PERSON_BOARDS = ("scotland-yard/plan1", "scotland-yard/square1")  # of a person as Mr X, and as the detectives
OPPONENTS = ("random", "heuristic", "MCTS", "MCTS (heuristic)", "net")


def opponent_of(agent: str) -> str:
    """The kind of player of the document that an agent is."""
    name = agent.partition(":")[0]
    kind = {"mcts": "MCTS (heuristic)" if "playout=heuristic" in agent else "MCTS"}.get(name, name)
    return kind if kind in OPPONENTS else agent


def person_against(games: Sequence[Played]) -> Sequence[Line]:
    """A person's wins by side and opponent, with the rounds and seconds of a game."""
    lines = []
    for side, (seat, published) in enumerate(PERSON_WINS.items()):
        theirs = dict(zip(OPPONENTS, published, strict=True))
        mine = [game for game in on(games, PERSON_BOARDS[side]) if game.person_side == side and game.agent]
        for opponent in dict.fromkeys(opponent_of(game.agent) for game in mine):
            these = [game for game in mine if opponent_of(game.agent) == opponent]
            lines += _person_lines(f"a person as {seat} against {opponent}", these, theirs.get(opponent))
    return lines


def _person_lines(who: str, games: Sequence[Played], theirs: int | None) -> list[Line]:
    wins, count = sum(won(game, "person") for game in games), len(games)
    low, high = (100 * x for x in wilson(wins, count))
    share = None if theirs is None else 10.0 * theirs
    line = Line(f"{who}: wins", 100 * wins / count, low, high, share, "%", PICTURE, count)
    lines = [line if theirs is None else judged(line, fisher(wins, count, theirs, 10))]
    rounds = [float(game.rounds) for game in games if game.rounds is not None]
    for what, values in (("rounds", rounds), ("seconds", [game.seconds for game in games])):
        if values:
            mean = float(np.mean(values))
            lines.append(Line(f"{who}: {what} a game", mean, min(values), max(values), None, "", PICTURE, count))
    return lines


PEOPLE = Experiment(
    id="H6.4",
    title="A person's wins out of 10 against random, heuristic, MCTS, MCTS (heuristic), net",
    setup="As Mr X on plan1 10 5 8 9 6; as the detectives on square1 10 6 9 9 7; 10 games each, about 5 s a move. Play "
    "series of 10 on the page against random, heuristic, mcts:worlds=one,c=1.4,iterations=5000 (with playout=heuristic) and "
    "net:weights=husa, save them, and give the files with --series.",
    needs=["people"],
    from_people=person_against,
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


EASIER = "Mr X does better on square1 than on plan1"
HEURISTICS = Experiment(
    id="H6.f1/f2",
    title="Mr X's wins by the heuristics' scores, 3 x 3 on both boards",
    setup=f"{SETUP} Heuristic against heuristic; the figures are heat maps.",
    full=100,
    quick=2000,
    reconstructed=TRAMS,
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
        Claim(
            EASIER,
            BY_SCORE,
            lambda f: sum(with_score(f, "square1", s) for s in SCORES) > sum(with_score(f, "plan1", s) for s in SCORES),
        ),
    ],
    findings=[
        Finding(
            "the trams of square1 are ours",
            "with other symmetric tram lines, drawn at random, Mr X does better than on plan1 (21.0%) on 14 of 20 boards: "
            "he wins 11.3 to 43.8%, with our trams 15.4%",
            "python benchmarks/square1_trams.py --boards 20 --games 100",
            [EASIER],
            explains=True,
        ),
    ],
)

# How the constant C of a tree search spreads its visits over the first moves.
CONSTANTS = (0.2, 0.4, 0.6, 0.8, 1.0, 1.2, 1.4, 1.6, 2.4, 3.2)
PLACED = {"plan1": (15, 1, 5, 22), "square1": (15, 2, 23, 34)}  # Mr X and the detectives
MOVERS = {"plan1": "Mr X", "square1": "the first detective"}
SEARCHED = 20  # times, of which the mean is told


def c_label(board: str, c: float) -> str:
    return f"{board}, {MOVERS[board]}, C = {c}"


def at_start(board: str) -> Match:
    """The position of the document: of Mr X on plan1, of the first detective on square1."""
    game = registry.game(BOARDS[board])
    matches = (game.new(1, 0, start) for start in game.starts())
    numbers = game.definition()["stations"]
    match = next(m for m in matches if tuple(numbers[i]["station"] for i in m.state["station"][:4]) == PLACED[board])
    if board == "square1":
        match.play(match.legal()[0])
    return match


def spread(run: Run) -> Sequence[Line]:
    """The most visited child's part of 1,000 iterations."""
    lines = []
    for board in BOARDS:
        match = at_start(board)
        for c in CONSTANTS:
            shares = []
            for seed in range(SEARCHED):
                agent = registry.agent(f"mcts:worlds=one,iterations=1000,c={c}", match.game, run.seed - 1 + seed)
                visits = agent.choose(match.view(match.to_move)).visits
                shares.append(100 * max(visits.values()) / max(1, sum(visits.values())))
            mean, reach = float(np.mean(shares)), 1.96 * float(np.std(shares)) / SEARCHED**0.5
            lines.append(Line(c_label(board, c), mean, mean - reach, mean + reach, None, "% of the visits", PICTURE))
    return lines


def fixes_below(figures: Figures, board: str) -> bool:
    low = min(figures[c_label(board, c)] for c in (0.2, 0.4))
    return low > max(figures[c_label(board, c)] for c in (1.0, 1.2, 1.4, 1.6))


EXPLORATION = Experiment(
    id="H6.f3/f4",
    title="Visits of the root's four children against C: Mr X on plan1, the first detective on square1",
    setup="1,000 iterations from one position each. The figures are curves.",
    measure=[spread],
    uses=[(["mcts:worlds=one,iterations=1000,c=1"], BOARDS["plan1"])],
    reconstructed=f"{TRAMS} The stations told for the two positions are those of the other board, and one is no start; "
    "here it is Mr X on 15 and detectives on 1, 5, 22 of plan1 and on 2, 23, 34 of square1. On our square1 the detective "
    f"has five moves, not four. Told is the mean of {SEARCHED} searches.",
    claims=[
        Claim(
            f"{board}: below 0.6 the search fixes on one move more than between 1.0 and 1.6",
            [c_label(board, c) for c in CONSTANTS],
            partial(fixes_below, board=board),
        )
        for board in BOARDS
    ],
)

# How long a tree search has to think.
SECONDS = (1, 2, 3, 4, 5)
SIDES = ("Mr X", "detectives")


def thinking(iterations: int) -> list[Wins]:
    """Wins of an MCTS player of either side against a random one, with so many iterations a second."""
    cells = []
    for side, who in enumerate(SIDES):
        for seconds in SECONDS:
            agents = ["random", "random"]
            agents[side] = f"mcts:worlds=one,c=1.4,iterations={iterations * seconds}"
            cells.append(Wins(f"MCTS {who}, {seconds} s", BOARDS["plan1"], agents, side=side))
    return cells


def levels_off(figures: Figures, who: str) -> bool:
    one, four, five = (figures[f"MCTS {who}, {seconds} s"] for seconds in (1, 4, 5))
    return one < four - 2 and five - four <= 5


THINK_TIME = Experiment(
    id="H6.f5",
    title="Wins of an MCTS player against a random one, by think time",
    setup="plan1, 100 games against a random opponent, 1 to 5 s a move. The figure is a curve; of which side is not told.",
    full=100,
    quick=200,
    reconstructed="A second is 1,000 iterations, since he aimed at 5,000 in 5 s.",
    cells=thinking(1000),
    claims=[
        Claim(
            f"MCTS {who}: wins grow with the time up to 4 s, and hardly from 4 to 5 s",
            [f"MCTS {who}, {seconds} s" for seconds in SECONDS],
            partial(levels_off, who=who),
        )
        for who in SIDES
    ],
    variants=[Variant(f"a second is {n} iterations", thinking(n)) for n in (5, 10, 20, 50, 200)],
    possible=POSSIBLE,
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
    setup="Both boards, 100 games; the figures are bar charts. `middle` has no figure there.",
    full=100,
    quick=400,
    reconstructed=f"{TRAMS} One training a net.",
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


def mean_catches(figures: Figures, board: str, detectives: str) -> float:
    """The detectives' wins, averaged over all kinds of Mr X."""
    return 100 - sum(figures[versus(board, other, detectives)] for other in EVERYONE) / len(EVERYONE)


def best_two(figures: Figures, mean: Callable[[Figures, str, str], float]) -> bool:
    """Whether heuristic and net are above both searches on both boards."""
    return all(
        min(mean(figures, board, name) for name in ("heuristic", "net"))
        > max(mean(figures, board, name) for name in (*SEARCHES, "random"))
        for board in BOARDS
    )


def random_is_worst(figures: Figures) -> bool:
    return all(
        mean(figures, board, "random") < min(mean(figures, board, name) for name in PLAYERS)
        for mean in (mean_wins, mean_catches)
        for board in BOARDS
    )


def searching(search: str) -> list[Wins]:
    """Those of all line-ups in which somebody searches, in another way."""
    return [cell for cell in everyone(players(search)) if any("mcts" in agent for agent in cell.agents)]


def everyone(thinking: Mapping[str, str]) -> list[Wins]:
    """Every kind of Mr X against every kind of detectives."""
    every = {"random": "random", **thinking}
    return [
        Wins(versus(board, mr_x, detectives), spec, [every[mr_x], every[detectives]])
        for board, spec in BOARDS.items()
        for mr_x in every
        for detectives in every
    ]


ALL_CELLS = [versus(board, a, b) for board in BOARDS for a in EVERYONE for b in EVERYONE]
ROUND_ROBIN = Experiment(
    id="H6.f10/f11",
    title="Mr X's wins, every kind against every kind, on both boards",
    setup=f"{SETUP} Nearest and nearest, C = 1.4 with 5 s, nets with the short input for Mr X and the long one for the "
    "detectives, 4 layers each. The figures are heat maps.",
    full=100,
    quick=100,
    shrink=QUICK,
    reconstructed=TRAMS,
    cells=everyone(PLAYERS),
    claims=[
        Claim("heuristic and net are the best Mr X", ALL_CELLS, partial(best_two, mean=mean_wins)),
        Claim("heuristic and net are the best detectives", ALL_CELLS, partial(best_two, mean=mean_catches)),
        Claim("random is the weakest on both sides", ALL_CELLS, random_is_worst),
    ],
    variants=[
        Variant("10 iterations a move", searching("iterations=10")),
        Variant("50 iterations a move", searching("iterations=50")),
        Variant(
            "every node maximises the result of the root's player, 500 iterations", searching("iterations=500,maximise=root")
        ),
    ],
    possible=POSSIBLE,
)

EXPERIMENTS = [RANDOM_PLAYERS, *AGAINST_RANDOM, PEOPLE, HEURISTICS, EXPLORATION, THINK_TIME, NETS, ROUND_ROBIN]
