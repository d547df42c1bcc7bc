"""Tulušák 2020, Scotland Yard: alpha-beta with four evaluations, people who learn it, and tables for two detectives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from fogbound.core.statistics import wilson
from fogbound.lab.reproduce import trainings
from fogbound.lab.reproduce.comparison import (
    PICTURE,
    Cell,
    Claim,
    Experiment,
    Figures,
    Finding,
    Line,
    Run,
    Variant,
    Wins,
    WonLength,
)
from fogbound.lab.reproduce.people import Played, on, won

GAME = "scotland-yard/grid5-2020"
MR_X = "alphabeta:evaluation=v4"
MOVES = 3  # a round: Mr X and two detectives

# The four evaluations against the last of them.
WINS = {"v1": 92, "v2": 65, "v3": 74, "v4": 89}
LENGTHS = {"v1": 5.8, "v2": 6.4, "v3": 6.3, "v4": 6.7}


def evaluations(options: str = "") -> list[Cell]:
    """The table of the document, with both sides searching in another way."""
    agents = {v: [f"{MR_X}{options}", f"alphabeta:evaluation={v}{options}"] for v in WINS}
    return [
        *(Wins(f"{v}, detectives' wins", GAME, agents[v], theirs, side=1) for v, theirs in WINS.items()),
        *(
            WonLength(f"{v}, length of a won game", GAME, agents[v], 1, MOVES, theirs, WINS[v])
            for v, theirs in LENGTHS.items()
        ),
    ]


EVALUATIONS = Experiment(
    id="T5.1",
    title="Detectives' wins and the length of a won game, by evaluation",
    setup="5 x 5 grid, two detectives, Mr X with v4, 100 games from random starts.",
    full=100,
    quick=1000,
    cells=evaluations(),
    reconstructed="Whether his depth of 3 and his factors h count turns of both sides or plies, and which of equally good "
    "moves is played, is not said. Here it is turns and the first move; the others are tried below.",
    variants=[
        Variant("Any of equally good moves instead of the first", evaluations(",ties=random")),
        Variant("h counts plies, six of them to the next reveal", evaluations(",plies=true,depth=6")),
        Variant("the same, and a catch after the third ply is a loss", evaluations(",plies=true,depth=6,reach=3")),
        Variant("h and the depth of 3 count plies", evaluations(",plies=true")),
        Variant("h and the depth of 3 count plies, and any of equally good moves", evaluations(",plies=true,ties=random")),
    ],
)

# People who played Mr X against the detectives.
FIRST = 20  # games after which they had learned how


def wins_of_people(games: Sequence[Played]) -> Sequence[Line]:
    """The learning curve of a person: wins in each ten games, and after the first twenty."""
    results = np.array([won(game, "person") for game in on(games, GAME) if game.person_side == 0])
    blocks = [(f"games {i + 1} to {i + len(results[i : i + 10])}", results[i : i + 10]) for i in range(0, len(results), 10)]
    blocks += [("after the first 20 games", results[FIRST:])] if len(results) > FIRST else []
    lines = []
    for label, block in blocks:
        low, high = wilson(int(block.sum()), len(block))
        theirs = 90.0 if label.startswith("after") else None
        share = 100 * float(block.mean())
        lines.append(Line(f"a person's wins, {label}", share, 100 * low, 100 * high, theirs, "%", PICTURE, len(block)))
    return lines


PEOPLE = Experiment(
    id="T5.2",
    title="A person's wins as Mr X against evaluation v1, game by game",
    setup="Four people lost their first 10 to 20 games and won about 90% from the 20th game on; against v2 they learned to "
    "win after about 20 games too. Play a series of 30 or more as Mr X on scotland-yard/grid5-2020 against "
    "alphabeta:evaluation=v1, save it, and give the file with --series.",
    needs=["people"],
    from_people=wins_of_people,
)

# A table of values for the two detectives, as published and with each proposal of the document.
VERSIONS = {
    "as published": "tulusak",
    "symmetries folded": "tulusak-symmetry",
    "one shared table": "tulusak-shared",
    "reward at reveals": "tulusak-reveal",
    "all three": "tulusak-all",
}
UNLEARNED = "no table, any legal move"
WAYS = {  # how moves are explored while a table learns
    "epsilon from 1 to 0.02": "",
    "a steady epsilon of 0.5": "--set epsilon=0.5 --set last_epsilon=0.5",
    "random until the values sum to 1": "--set explore_below=1 --set epsilon=0.02",
    "the same, learning rate 0.1": "--set explore_below=1 --set epsilon=0.02 --set alpha=0.1 --set last_alpha=0.1",
}
OWN = list(WAYS)[-1]
GAMES = 100_000
ITSELF = "wins of the table, playing its best moves"


def learning(run: Run, way: str) -> Sequence[Line]:
    """What the games look like while a table learns: how long they are at first and at last, and what it knows."""
    train = f"qtable {GAME} --set games={GAMES} --set trials=1 --seed {run.seed} {WAYS[way]}"
    curve, trials = trainings.curves(train)
    lines = []
    for part, row in (("first", curve[0]), ("last", curve[-1])):
        for figure, unit in (("turns a game", ""), ("wins while learning", "%"), ("learned moves a game", "")):
            value = float(row[figure]) * (100 if unit else 1)
            lines.append(Line(f"{way}: {figure}, {part} tenth", value, value, value, None, unit, PICTURE, GAMES // 10))
    trial = next(row for row in trials if row["opponent"] == MR_X)
    share, low, high = (100 * float(trial[key]) for key in ("rate", "low", "high"))
    return [*lines, Line(f"{way}: {ITSELF}", share, low, high, None, "%", PICTURE, int(trial["games"]))]


def while_learning(way: str, part: str) -> str:
    return f"{way}: turns a game, {part} tenth"


def learned(figures: Figures) -> bool:
    """Whether a table that was made as published plays better than detectives who know nothing."""
    return figures["as published"] > 2 * figures[UNLEARNED]


NOT_LEARNED = "the table did not learn"
TABLES = Experiment(
    id="T5.f4",
    title="Q-tables for the joint detectives after 100,000 games, detectives' wins",
    setup="5 x 5 grid, 100,000 games of training against minimax; the figure shows the length of each game while it learns, "
    "and learned moves were used 2 to 4 times a game. Shipped tables, made by "
    "`fogbound train qtable scotland-yard/grid5-2020 --preset NAME --set games=100000`, play here.",
    full=100,
    quick=1000,
    cells=[
        Wins(UNLEARNED, GAME, [MR_X, "random"], side=1),
        *(Wins(label, GAME, [MR_X, f"qtable:weights={name}"], side=1) for label, name in VERSIONS.items()),
    ],
    measure=[partial(learning, way=way) for way in WAYS],
    uses=[([MR_X, "random"], GAME)],
    reconstructed="His learning rate, discount, rewards and epsilon, and the sum at which his own replacement of epsilon "
    "begins to use what was learned, are not given.",
    claims=[
        Claim(
            "with his replacement of epsilon (and a steady learning rate) games do not get shorter while it learns",
            [while_learning(OWN, "first"), while_learning(OWN, "last")],
            lambda f: f[while_learning(OWN, "last")] > 0.8 * f[while_learning(OWN, "first")],
        ),
        Claim(NOT_LEARNED, [UNLEARNED, "as published"], lambda f: not learned(f)),
    ],
    findings=[
        Finding(
            "he judged a table by the games that it played while it learned, most of whose moves were random",
            "exploring as he did, with a learning rate of 0.1, games stay at 17 of 20 turns and 21% are won meanwhile; "
            "the same table, playing its best moves, then wins 92.5% (89.5 to 94.7)",
            "fogbound train qtable scotland-yard/grid5-2020 --set games=100000 --set trials=1 --set explore_below=1 "
            "--set epsilon=0.02 --set alpha=0.1 --set last_alpha=0.1 --seed 1",
            [NOT_LEARNED],
            explains=True,
        ),
    ],
)

EXPERIMENTS = [EVALUATIONS, PEOPLE, TABLES]
