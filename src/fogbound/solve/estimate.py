"""How much memory and time a solution will take, before it starts; and what would fit instead."""

from __future__ import annotations

import math
import os
from dataclasses import dataclass
from random import Random
from typing import Any

from fogbound.core.errors import BadOption, FogboundError
from fogbound.games.scotland_yard import board as boards
from fogbound.games.scotland_yard.game import NAME, ScotlandYard
from fogbound.games.scotland_yard.rules import UNLIMITED
from fogbound.solve import sweeps as waves
from fogbound.solve.positions import Folding, room_for
from fogbound.solve.solver import FIRST_NODES, TooLarge, cores, folding_of
from fogbound.solve.subgame import DONE, grow, list_shown

BYTES_A_POSITION = 300
BYTES_A_NODE = 2300
SECONDS_AN_EDGE = 6e-7  # of a stretch, all iterations together, on one core
SECONDS_A_POSITION = 7e-6  # to find it and to give it its value, on one core, as most of that is done
WALKS = 4
MOST_SAMPLED = 1 << 18  # nodes of a sampled stretch; a larger one is too large
MOST_ADVISED = 1 << 14  # the same when looking for something smaller
EASY, EASY_STATIONS = f"{NAME}/grid5", 25  # a board that any machine solves


@dataclass(frozen=True)
class Limits:
    """What a solution may take."""

    bytes: float
    seconds: float

    @property
    def positions(self) -> int:
        return int(self.bytes / 2 / BYTES_A_POSITION / 2)  # a table is doubled when it is full

    @property
    def nodes(self) -> int:
        return int(self.bytes / 2 / BYTES_A_NODE / cores())


@dataclass(frozen=True)
class Estimate:
    """The size of a game as the solver sees it."""

    positions: float
    stretches: float
    nodes: float  # of the largest stretch that was sampled
    edges: float  # of all stretches together
    bytes: float
    seconds: float

    def fits(self, limits: Limits) -> bool:
        return self.bytes <= limits.bytes and self.seconds <= limits.seconds


def limits(memory: float | None, hours: float) -> Limits:
    if hours <= 0 or (memory is not None and memory <= 0):
        raise BadOption("What a solution may take must be more than nothing: give hours and GB of memory above 0.")
    given = memory * 1e9 if memory is not None else 0.6 * _free_memory()
    return Limits(given, hours * 3600)


def _free_memory() -> float:
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return 4e9


def estimate(game: ScotlandYard, most_nodes: int, folding: Folding | None = None) -> Estimate:
    """From a few random games: how many positions there are after each showing, and how large the stretches are."""
    folding = folding or folding_of(game)
    trees = _sample_trees(game, most_nodes, folding)
    folds = len(folding.maps)
    nodes = max(tree.nodes for each in trees.values() for tree in each)
    positions = stretches = edges = 0.0
    reached = game.count_starts() / folds  # stretches that can begin here: what the last ones lead to
    for slot in sorted(trees):
        hidden = slot == 0 and not game.table.show_start
        here = min(reached / (game.table.stations if hidden else 1), _positions(game, slot) / folds)
        edges += here * max(tree.edges for tree in trees[slot])
        stretches += here
        positions += here * (game.table.detectives + 1)
        reached = here * max(tree.leads_to for tree in trees[slot]) * _steps(game) ** game.table.detectives
    size = positions * BYTES_A_POSITION * 2 + nodes * 2 * BYTES_A_NODE * cores()
    return Estimate(
        positions, stretches, nodes, edges, size, edges * SECONDS_AN_EDGE / cores() + positions * SECONDS_A_POSITION
    )


def _steps(game: ScotlandYard) -> float:
    return game.table.links.size / game.table.stations


def _positions(game: ScotlandYard, slot: int) -> float:
    """How many places the pieces can have, times how many tickets they can have spent."""
    table, detectives = game.table, game.table.detectives
    count = float(math.perm(table.stations - 1, detectives) * table.stations)
    for role, pieces in ((0, 1), (1, detectives)):
        kinds = int(((table.tickets[role] > 0) & (table.tickets[role] != UNLIMITED)).sum())
        if kinds:
            count *= math.comb(slot + kinds - 1, kinds - 1) ** pieces
    return count


@dataclass(frozen=True)
class _Tree:
    """One stretch: its size, and how many positions it leads to."""

    nodes: float
    edges: float
    leads_to: float


def _sample_trees(game: ScotlandYard, most_nodes: int, folding: Folding) -> dict[int, list[_Tree]]:
    """For each slot after which a stretch can begin, a few of them."""
    trees: dict[int, list[_Tree]] = {}
    for walk in range(WALKS):
        match, random = game.new(seed=walk), Random(walk)
        while not match.over:
            state = match.state
            if not match.moves or (state["turn"] == 0 and state["shown"]):
                tree = _tree(game, state, most_nodes, folding)
                trees.setdefault(int(state["slot"]), []).append(tree)
                if math.isinf(tree.nodes):
                    return trees
            match.play(random.choice(match.legal()))
    return trees or {0: [_Tree(1.0, 1.0, 0.0)]}


def _tree(game: ScotlandYard, state: Any, most_nodes: int, folding: Folding) -> _Tree:
    nodes = FIRST_NODES
    while nodes <= most_nodes:
        desk = waves.desk(nodes, game.most_actions, game.table.stations)
        if grow(game.table, desk.stretch, state, False) == DONE:
            found = room_for(1 << 16)
            list_shown(game.table, folding, found, desk.stretch)
            count = desk.stretch.counts
            return _Tree(float(count[0]), float(count[2] + count[1]), float(found.held[0]))
        nodes *= 4
    return _Tree(math.inf, math.inf, math.inf)


def refuse_if_too_large(game: ScotlandYard, tolerance: float, limits: Limits, folding: Folding | None = None) -> Estimate:
    """TooLarge, with what would fit, if a game cannot be solved within the limits; folded as given, or as far as it goes."""
    folding = folding or folding_of(game)
    found = estimate(game, min(limits.nodes, MOST_SAMPLED), folding)
    if found.fits(limits):
        return found
    options = what_fits(game, limits, folding)
    if options:
        advice = f"What would fit: {', or '.join(options)}."
    elif game.table.stations > EASY_STATIONS:
        advice = f"A smaller board would fit, such as {EASY}."
    else:
        advice = "Allow more hours or memory."
    raise TooLarge(f"{game.spec} is too large to solve here: it would take {in_words(found, limits)}. {advice}")


def refuse_if_too_slow(game: ScotlandYard, size: Estimate, limits: Limits, seconds: float) -> None:
    """TooLarge if the questions to an agent take so long that it cannot be asked all over a game."""
    whole = size.seconds + seconds
    if whole > limits.seconds:
        raise TooLarge(
            f"To ask this agent all over {game.spec} would take about {_duration(whole)} "
            f"(allowed: {_duration(limits.seconds)}): take a game of fewer rounds, fewer questions, or a faster agent."
        )


def in_words(found: Estimate, limits: Limits) -> str:
    if math.isinf(found.bytes):
        return f"more than the {limits.bytes / 1e9:.1f} GB allowed, for a single stretch between two showings of Mr X"
    return (
        f"about {_memory(found.bytes)} and {_duration(found.seconds)} "
        f"(allowed: {_memory(limits.bytes)} and {_duration(limits.seconds)})"
    )


def _memory(size: float) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{math.ceil(size / 1e6)} MB"


def _duration(seconds: float) -> str:
    if seconds < 1.5:
        return "1 second"
    if seconds < 120:
        return f"{round(seconds)} seconds"
    return f"{round(seconds / 60)} minutes" if seconds < 7200 else f"{seconds / 3600:.1f} hours"


def what_fits(game: ScotlandYard, limits: Limits, folding: Folding) -> list[str]:
    """Smaller games of the same board that can be solved: fewer rounds, more showings, fewer detectives."""
    rules = game.board.rules
    shorter = {rules.rounds * k // 6 for k in range(1, 6)} | set(range(1, min(5, rules.rounds)))
    tries = [[("rounds", str(n)) for n in sorted(shorter - {0}, reverse=True)]]
    tries.append([("reveals", f"every {n}") for n in (3, 2, 1)])
    tries.append([("detectives", str(n)) for n in range(rules.detectives - 1, 0, -1)])
    fitting = []
    for options in tries:
        for key, value in options:
            if _fits(game, {key: value}, limits, folding):
                fitting.append(f"{key}={value}")
                break
    return fitting


def _fits(game: ScotlandYard, options: dict[str, str], limits: Limits, folding: Folding) -> bool:
    try:
        smaller = ScotlandYard(boards.with_options(game.board, options), f"{NAME}/{game.board.name}", shipped=False)
        return estimate(smaller, min(limits.nodes, MOST_ADVISED), folding).fits(limits)
    except FogboundError:
        return False


__all__ = [
    "Estimate",
    "Limits",
    "TooLarge",
    "estimate",
    "in_words",
    "limits",
    "refuse_if_too_large",
    "refuse_if_too_slow",
    "what_fits",
]
