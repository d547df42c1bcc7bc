"""Vašátko 2018, Risk: the odds of battles, the worth of continents, and how long random players take.

His nets are in vasatko_nets.py, his tree search is in vasatko_search.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.lab.reproduce.comparison import Claim, Experiment, Finding, Length, Line, Run, Seconds, Verdict

ODDS = "fogbound.games.risk.odds"


def worked_out(label: str, ours: float, theirs: float, unit: str, tolerance: float) -> Line:
    """A figure without chance: it agrees if it is as near to theirs as their rounding allows."""
    verdict: Verdict = "agrees" if abs(ours - theirs) < tolerance else "differs"
    return Line(label, ours, ours, ours, theirs, unit, verdict)


# One roll: attacking dice, defending dice, armies that the defender loses: the chance in percent.
ROLLS = {
    (1, 1, 1): 41.67, (2, 1, 1): 57.87, (3, 1, 1): 65.97, (1, 2, 1): 25.46,
    (2, 2, 2): 22.76, (2, 2, 0): 44.83, (2, 2, 1): 32.41,
    (3, 2, 2): 37.17, (3, 2, 0): 29.26, (3, 2, 1): 33.58,
}  # fmt: skip


def rolls() -> Sequence[Line]:
    roll = import_module(ODDS).roll
    lines = []
    for (attacking, defending, lost), theirs in ROLLS.items():
        label = f"{attacking} against {defending} dice, the defender loses {lost}"
        lines.append(worked_out(label, 100 * float(roll(attacking, defending)[lost]), theirs, "%", 0.0051))
    return lines


ONE_ROLL = Experiment(
    id="V2.2/V2.3",
    title="Chances of one roll",
    setup="Worked out exactly; theirs has two decimals.",
    exact=rolls,
    uses=[((), "risk/classic")],
)

# Whole battles: a row for 1 to 10 defenders, a column for 1 to 10 attackers: conquered, in percent.
BATTLES = (
    (41.67, 75.42, 91.64, 97.15, 99.03, 99.67, 99.88, 99.96, 99.99, 100.00),
    (10.61, 36.27, 65.60, 78.55, 88.98, 93.40, 96.67, 98.03, 99.01, 99.42),
    (2.70, 20.61, 47.03, 64.16, 76.94, 85.69, 90.99, 94.68, 96.70, 98.11),
    (0.69, 9.13, 31.50, 47.65, 63.83, 74.49, 83.37, 88.78, 92.98, 95.39),
    (0.18, 4.91, 20.59, 35.86, 50.62, 63.77, 73.64, 81.84, 87.29, 91.63),
    (0.05, 2.14, 13.37, 25.25, 39.68, 52.07, 64.01, 72.96, 80.76, 86.11),
    (0.01, 1.13, 8.37, 18.15, 29.74, 42.33, 53.55, 64.29, 72.61, 79.98),
    (0.00, 0.49, 5.35, 12.34, 22.41, 32.95, 44.56, 54.73, 64.64, 72.40),
    (0.00, 0.26, 3.28, 8.62, 16.16, 25.78, 35.69, 46.40, 55.81, 65.01),
    (0.00, 0.11, 2.08, 5.72, 11.83, 19.34, 28.68, 37.99, 47.99, 56.76),
)


def battles() -> Sequence[Line]:
    battle = import_module(ODDS).battle
    lines = []
    for defenders, row in enumerate(BATTLES, 1):
        for attackers, theirs in enumerate(row, 1):
            ours = 100 * battle(attackers, defenders).conquered
            lines.append(worked_out(f"{attackers} against {defenders} armies", ours, theirs, "%", 0.0101))
    return lines


WHOLE_BATTLES = Experiment(
    id="V2.4/V2.5",
    title="Chances to conquer, for 1 to 10 attackers and defenders",
    setup="Worked out exactly. Theirs has two decimals, a few not quite rounded: one in the last place is let pass. "
    "Rounded strictly, 4 of the 100 differ (7 against 1, 1 against 6, 5 against 8, 8 against 8). "
    "Attackers are the armies that may attack.",
    exact=battles,
    uses=[((), "risk/classic")],
)

# Territories, border, bonus; armies for holding it, territories an army, armies and attackers a border territory.
WORTH = {
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
        land = set(entry["territories"])
        border = [name for name in land if borders[name] - land]
        outside = set().union(*(borders[name] - land for name in land))
        armies = len(land) / 3 + entry["bonus"]
        counted = (len(land), len(border), entry["bonus"], armies)
        ours = (*counted, len(land) / armies, armies / len(border), len(outside) / len(border))
        for name, mine, theirs in zip(FIGURES, ours, WORTH[entry["continent"]], strict=True):
            lines.append(worked_out(f"{entry['name']}, {name}", mine, theirs, "", 0.0101))
    return lines


CONTINENTS = Experiment(
    id="V2.6/V2.7",
    title="Continents: size, border, bonus, and what follows from them",
    setup="Counted on the classic map.",
    exact=continents,
    uses=[((), "risk/classic")],
)

# Seconds a game of random players: by their probability to attack, with growing sets and with sets capped at 50.
CHANCES = (0.78, 0.79, 0.80, 0.81, 0.82, 0.83, 0.84, 0.85, 0.86, 0.87, 0.88, 0.89, 0.90)
SECONDS = {
    "growing": (2.32, 1.87, 1.83, 1.60, 1.77, 1.96, 1.58, 1.67, 1.56, 1.45, 1.51, 1.68, 1.88),
    "capped": (0.11, 0.12, 0.11, 0.08, 0.07, 0.05, 0.05, 0.04, 0.04, 0.04, 0.03, 0.03, 0.03),
}
COMPARED = (0.78, 0.81, 0.84, 0.87, 0.90)  # those whose lengths are compared
TOO_HIGH = 0.95  # higher than he went
LIMIT = 10_000  # rounds after which games are stopped that may not end
EVEN = 0.5  # the probability with which his games did not end
AS_WRITTEN = "blitz=false,counts=even"  # single rolls, and any number of armies


def timed(cards: str, chance: float) -> str:
    return f"{cards} sets, attacks with {chance:.2f}"


def length(cards: str, chance: float) -> str:
    return f"{timed(cards, chance)}: moves"


def random_game(cards: str) -> str:
    return f"risk/classic:players=3,cards={cards},round_limit={LIMIT}"


def random_player(chance: float) -> str:
    return f"random:{AS_WRITTEN},attack={chance:.2f}"


def endless(run: Run, cards: str) -> Sequence[Line]:
    """How many games are not over at the limit if attack and defence are equally likely."""
    games = run.games or (500 if run.full else 10)
    share = 100 * float((_rounds(cards, EVEN, run.seed, games) > LIMIT).mean())
    label = f"{timed(cards, EVEN)}: not over after {LIMIT:,} rounds"
    return [replace(worked_out(label, share, 100, "%", 0.5), games=games)]


def _rounds(cards: str, chance: float, seed: int, games: int) -> NDArray[np.int64]:
    game = registry.game(random_game(cards))
    agents = [registry.agent(random_player(chance), game) for _ in range(game.seats)]
    played = play_batch(game, [agent for agent in agents if isinstance(agent, PolicyAgent)], seed, 0, games)
    found: NDArray[np.int64] = played.states["round"].astype(np.int64)
    return found


MIDDLE = (0.81, 0.84, 0.87)  # where his games with growing sets were shortest, more or less
RANDOM_PLAYERS = Experiment(
    id="V5.1/V5.2",
    title="How long games of random players take who attack with a given probability",
    setup="three players, classic map, 500 games, in seconds of his machine; with 0.50 his games did not end.",
    reconstructed=f"a limit of {LIMIT:,} rounds, so that games are stopped that may never end; the means of growing sets "
    "are therefore a little too low.",
    full=500,
    quick=20,
    cells=[
        *(
            Seconds(timed(cards, chance), random_game(cards), [random_player(chance)], theirs)
            for cards, times in SECONDS.items()
            for chance, theirs in zip(CHANCES, times, strict=True)
        ),
        *(
            Length(length(cards, chance), random_game(cards), [random_player(chance)])
            for cards in SECONDS
            for chance in (*COMPARED, TOO_HIGH)
        ),
    ],
    measure=[partial(endless, cards=cards) for cards in SECONDS],
    uses=[([random_player(EVEN)], random_game("capped"))],
    claims=[
        Claim(
            "the more defensive the players, the longer a game",
            [length(cards, chance) for cards in SECONDS for chance in (0.78, 0.84, 0.90)],
            lambda f: (
                f[length("growing", 0.78)] > f[length("growing", 0.84)]
                and f[length("capped", 0.78)] > f[length("capped", 0.84)] > f[length("capped", 0.90)]
            ),
        ),
        Claim(
            "with growing sets too high a probability makes games longer again",
            [length("growing", chance) for chance in (*MIDDLE, 0.90, TOO_HIGH)],
            lambda f: (
                min(f[length("growing", chance)] for chance in MIDDLE)
                < f[length("growing", 0.90)]
                < f[length("growing", TOO_HIGH)]
            ),
        ),
        Claim(
            "capped sets make games much shorter",
            [length(cards, chance) for cards in SECONDS for chance in COMPARED],
            lambda f: all(f[length("growing", chance)] > 2 * f[length("capped", chance)] for chance in COMPARED),
        ),
    ],
    findings=[
        Finding(
            "Numbers of armies among the handy ones of a move, not any number evenly",
            "with growing sets none of 20 games each with 0.78, 0.87, 0.90 and 0.95 is over after 3,000 rounds; five "
            "with 0.90 took 2.3 million rounds each",
            "fogbound run risk/classic:players=3,round_limit=3000 --agents random:blitz=false,attack=0.9 --games 20",
        ),
        Finding(
            "Attacks that go on to their end, not one roll",
            "with handy numbers games end, but the more is attacked the sooner: 5,081 rounds with 0.78, 1,844 with 0.90",
            "fogbound run risk/classic:players=3 --agents random:attack=0.9 --games 500",
        ),
    ],
)

EXPERIMENTS = [ONE_ROLL, WHOLE_BATTLES, CONTINENTS, RANDOM_PLAYERS]
