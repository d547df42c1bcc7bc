"""Vašátko 2018, Risk: the odds of battles, the worth of continents, and random, searching and evolved players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from fogbound.core import registry
from fogbound.core.agent import Agent
from fogbound.core.contract import Game
from fogbound.core.runner import play_out, seat_agents
from fogbound.lab.reproduce.comparison import PICTURE, Claim, Experiment, Line, Seconds, Verdict, Wins

ODDS = "fogbound.games.risk.odds"
SMALL = "risk/random:territories=9,players=3"
LARGE = "risk/random:territories=21,players=3,cards=capped"  # the map that the shipped nets were evolved on
RANDOM = "random:blitz=false"  # his random player rolls once at a time
SEARCH = "mcts:iterations=1000"
GUIDED = "mcts:iterations=1000,guide=vasatko-complex-trained"
NETS = "net:weights=vasatko-simple-trained"
PLAYERS = {"MCTS": SEARCH, "MCTS with nets": GUIDED, "nets": NETS}
PHASES = {"set-up": (0, 1), "draft": (3,), "attack": (4, 5), "fortify": (6,)}


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

# How long random players take for a game: seconds by cards and probability to attack.
SECONDS = {
    ("growing", 0.78): 2.32,
    ("growing", 0.87): 1.45,
    ("capped", 0.78): 0.11,
    ("capped", 0.87): 0.04,
    ("capped", 0.90): 0.03,
}
TIMED = {key: f"{key[0]} cards, attacks with {key[1]}" for key in SECONDS}
RANDOM_PLAYERS = Experiment(
    id="V5.1/V5.2",
    title="Seconds a game of random players who attack with a given probability",
    setup="Three players, classic map, 500 games. Their times are of another machine; at 0.5 their games did not end.",
    full=500,
    quick=20,
    cells=[
        Seconds(TIMED[key], f"risk/classic:players=3,cards={key[0]}", [f"random:attack={key[1]}"], theirs)
        for key, theirs in SECONDS.items()
    ],
    claims=[
        Claim(
            "the more they attack, the sooner a game ends",
            list(TIMED.values()),
            lambda f: all(f[TIMED[cards, 0.78]] > f[TIMED[cards, 0.87]] for cards in ("growing", "capped")),
        ),
        Claim(
            "capped cards make games much shorter",
            list(TIMED.values()),
            lambda f: all(f[TIMED["growing", p]] > 2 * f[TIMED["capped", p]] for p in (0.78, 0.87)),
        ),
    ],
)

# Evolved nets against two random players, before and after training: wins out of 500.
EVOLVED = {"simple, untrained": 424, "complex, untrained": 471, "simple, trained": 475, "complex, trained": 461}
EVOLVED_NETS = Experiment(
    id="V6.1/V6.2",
    title="Wins of five nets against two random players",
    setup="Three players, the map of 21 territories that the nets were evolved on, 500 games.",
    full=500,
    quick=500,
    cells=[
        Wins(name, LARGE, [f"net:weights=vasatko-{name.replace(', ', '-')}", RANDOM, RANDOM], wins / 5, of=500)
        for name, wins in EVOLVED.items()
    ],
)

# Memory that the players need.
MEGABYTES = {"MCTS": 6000.0, "MCTS with nets": 8000.0, "nets": 0.0}
LITTLE = 1.0  # megabytes that are told as no gigabytes


def memory() -> Sequence[Line]:
    lines = []
    for name, player in PLAYERS.items():
        ours, theirs = megabytes(player), MEGABYTES[name]
        same = max(ours, LITTLE) > theirs / 2 and ours < max(2 * theirs, LITTLE)
        lines.append(Line(name, ours, ours, ours, theirs, "MB", "agrees" if same else "differs"))
    return lines


def megabytes(player: str) -> float:
    """Memory of all arrays that a player holds after a decision."""
    game = registry.game(SMALL)
    agent = registry.agent(player, game)
    match = game.new(1)
    agent.choose(match.view(match.to_move))
    return sum(_arrays(vars(agent), set())) / 1e6


def _arrays(value: Any, seen: set[int]) -> list[int]:
    if id(value) in seen or isinstance(value, Game):
        return []
    seen.add(id(value))
    if isinstance(value, np.ndarray):
        return [value.nbytes]
    if isinstance(value, dict):
        return [size for each in value.values() for size in _arrays(each, seen)]
    if isinstance(value, tuple | list):
        return [size for each in value for size in _arrays(each, seen)]
    if hasattr(value, "__dataclass_fields__"):
        return [size for name in value.__dataclass_fields__ for size in _arrays(getattr(value, name), seen)]
    return []


MEMORY = Experiment(
    id="V6.5",
    title="Memory: MCTS 6 GB, MCTS with nets over 8 GB, nets none",
    setup="Map of 9 territories, 1,000 iterations; all arrays that a player holds.",
    exact=memory,
    uses=[(list(PLAYERS.values()), SMALL)],
)

# Seconds that the players think in each phase of a turn.
REACTIONS = {
    "MCTS": (0.74, 0.97, 0.0001, 0.00003),
    "MCTS with nets": (0.98, 3.30, 0.00016, 0.0001),
    "nets": (0.00021, 0.00029, 0.00053, 0.00039),
}


def reactions() -> Sequence[Line]:
    lines = []
    for name, player in PLAYERS.items():
        for (phase, ours), theirs in zip(seconds_by_phase(player).items(), REACTIONS[name], strict=True):
            lines.append(Line(f"{name}, {phase}", ours, ours, ours, theirs, "s", PICTURE))
    return lines


def seconds_by_phase(player: str, seed: int = 1) -> Mapping[str, float]:
    """Mean seconds of a decision in each phase of one game against two random players."""
    game = registry.game(SMALL)
    seated = seat_agents(game, [player, RANDOM, RANDOM], seed)
    spent: dict[str, list[float]] = {name: [] for name in PHASES}

    class Timed:
        """The player with a clock."""

        def choose(self, view: Any) -> Any:
            decision = seated[0].choose(view)
            phase = int(view.state["phase"])
            for name, numbers in PHASES.items():
                if phase in numbers:
                    spent[name].append(decision.seconds)
            return decision

    _warm_up(game, seated[0])
    timed: Any = Timed()
    play_out(game.new(seed), [timed, *seated[1:]])
    return {name: float(np.mean(seconds)) if seconds else 0.0 for name, seconds in spent.items()}


def _warm_up(game: Game, agent: Agent) -> None:
    """Compiling is not thinking."""
    match = game.new(99)
    for other in seat_agents(game, [RANDOM], 99):
        other.choose(match.view(match.to_move))
    agent.choose(match.view(match.to_move))


REACTION_TIMES = Experiment(
    id="V6.6",
    title="Seconds for set-up, draft, attack, fortify",
    setup="Map of 9 territories, 1,000 iterations. Theirs plans a whole turn in the draft, ours thinks about every move.",
    exact=reactions,
    uses=[(list(PLAYERS.values()), SMALL)],
    claims=[
        Claim(
            "nets decide faster than a search",
            ["nets, draft", "MCTS, draft"],
            lambda f: f["nets, draft"] < f["MCTS, draft"] and f["nets, draft"] < f["MCTS with nets, draft"],
        ),
    ],
)

# MCTS, nets and both on a small map.
CAPPED = f"{SMALL},cards=capped"
SEARCH_AND_NETS = Experiment(
    id="V6.7",
    title="MCTS, MCTS with nets and nets against each other, and against two random players",
    setup="Three players, map of 9 territories, 100 games, 1,000 iterations.",
    full=100,
    quick=30,
    shrink={"iterations=1000": "iterations=200"},
    cells=[
        Wins("MCTS against MCTS with nets and nets", CAPPED, [SEARCH, GUIDED, NETS], 45, side=0),
        Wins("MCTS with nets against MCTS and nets", CAPPED, [SEARCH, GUIDED, NETS], 35, side=1),
        Wins("nets against MCTS and MCTS with nets", CAPPED, [SEARCH, GUIDED, NETS], 20, side=2),
        Wins("MCTS against two random", CAPPED, [SEARCH, RANDOM, RANDOM], 96),
        Wins("MCTS with nets against two random", CAPPED, [GUIDED, RANDOM, RANDOM], 92),
    ],
)

EXPERIMENTS = [
    ONE_ROLL,
    WHOLE_BATTLES,
    CONTINENTS,
    RANDOM_PLAYERS,
    EVOLVED_NETS,
    MEMORY,
    REACTION_TIMES,
    SEARCH_AND_NETS,
]
