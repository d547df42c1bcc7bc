"""How much memory, disk and time a solution will take, estimated before it starts, and which smaller games would fit.

Positions are kept in memory where they fit. Where they do not, they lie in files, and only those of the layer that is
being solved and of the one before it have to be in memory.
"""

from __future__ import annotations

import math
import os
import shutil
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from random import Random
from typing import Any

from fogbound.core.errors import BadOption, FogboundError
from fogbound.games.scotland_yard.board import BOARDS, NAME
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import DOUBLE, UNLIMITED
from fogbound.solve import layer_loops
from fogbound.solve.positions import CanonicalForm, new_table, width
from fogbound.solve.solver import FIRST_NODES, TooLarge, canonical_form, cores
from fogbound.solve.subgame import DONE, grow, list_reveals

BYTES_OF_BOUNDS = 16
BYTES_OF_BUCKETS = 12  # a position's share of them
BYTES_OF_INDICES = 16  # the lists of positions that a layer is worked off by
GROWTH = 2  # a table is doubled when it is full
BYTES_A_NODE = 2300
SECONDS_AN_EDGE = 6e-7  # of a subgame, all iterations together, on one core
SECONDS_A_POSITION = 7e-6  # to find it and to give it its value, mostly on one core
WALKS = 4
MAX_SAMPLED = 1 << 18  # nodes of a sampled subgame; a larger one is too large
MAX_ADVISED = 1 << 16  # the same when looking for a smaller game
EASY, EASY_STATIONS = f"{NAME}/grid5", 25  # a board that any machine solves


@dataclass(frozen=True)
class Limits:
    """What a solution may take."""

    bytes: float
    seconds: float
    disk: float = 0.0

    def positions(self, numbers: int, on_disk: bool = False) -> int:
        """The most positions of so many numbers each."""
        if on_disk:
            return int(min(self.disk / GROWTH / _table_bytes(numbers), self.bytes / 2 / BYTES_OF_INDICES))
        return int(self.bytes / 2 / (GROWTH * _table_bytes(numbers) + BYTES_OF_INDICES))

    @property
    def nodes(self) -> int:
        return int(self.bytes / 2 / BYTES_A_NODE / cores())


@dataclass(frozen=True)
class Estimate:
    """The size of a game as the solver sees it."""

    positions: float
    subgames: float
    nodes: float  # of the largest subgame that was sampled
    edges: float  # of all subgames together
    all_nodes: float  # likewise
    nodes_on_paths: float  # those that one side's own moves lead to, about: of each subgame the root of its number
    bytes: float  # of memory, with all positions in it
    seconds: float
    least_bytes: float  # of memory, with the positions in files
    disk: float  # bytes of those files

    def fits(self, limits: Limits) -> bool:
        on_disk = self.least_bytes <= limits.bytes and self.disk <= limits.disk
        return self.seconds <= limits.seconds and (self.bytes <= limits.bytes or on_disk)

    def on_disk(self, limits: Limits) -> bool:
        """Whether the positions have to lie in files."""
        return self.bytes > limits.bytes and limits.disk > 0


def limits(memory: float | None, hours: float, scratch: Path | None = None) -> Limits:
    """What a solution may take; without a folder for its files, nothing on disk."""
    if hours <= 0 or (memory is not None and memory <= 0):
        raise BadOption("The limits must be positive: give hours and GB of memory above 0.")
    given = memory * 1e9 if memory is not None else 0.6 * _free_memory()
    return Limits(given, hours * 3600, 0.8 * _free_disk(scratch) if scratch else 0.0)


def _free_disk(folder: Path) -> float:
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    return float(shutil.disk_usage(there).free)


def _table_bytes(numbers: int) -> int:
    return 2 * numbers + BYTES_OF_BOUNDS + BYTES_OF_BUCKETS


def _free_memory() -> float:
    try:
        return float(os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    except (ValueError, OSError, AttributeError):
        return 4e9


def estimate(game: ScotlandYard, max_nodes: int, form: CanonicalForm | None = None) -> Estimate:
    """From a few random games: how many positions there are after each reveal, and how large the subgames are."""
    form = form or canonical_form(game, spare=False)
    trees = _sample_trees(game, max_nodes, form)
    images = len(form.maps)  # that share one canonical form
    nodes = max(tree.nodes for each in trees.values() for tree in each)
    subgames = edges = all_nodes = on_paths = 0.0
    layers = [0.0]
    reached = game.count_starts() / images  # subgames that can begin here: what the last ones lead to
    for slot in sorted(trees):
        hidden = slot == 0 and not game.table.show_start
        here = min(reached / (game.table.stations if hidden else 1), _positions(game, slot, form) / images)
        edges += here * max(tree.edges for tree in trees[slot])
        subgames += here
        all_nodes += here * max(tree.nodes for tree in trees[slot])
        on_paths += here * max(tree.nodes for tree in trees[slot]) ** 0.5
        layers.append(here * (game.table.detectives + 1))
        reached = here * max(tree.leads_to for tree in trees[slot]) * _steps(game) ** game.table.detectives
    positions, row = sum(layers), _table_bytes(width(game.table, form))
    fixed = nodes * 2 * BYTES_A_NODE * cores() + positions * BYTES_OF_INDICES
    return Estimate(
        positions=positions,
        subgames=subgames,
        nodes=nodes,
        edges=edges,
        all_nodes=all_nodes,
        nodes_on_paths=on_paths,
        bytes=fixed + positions * row * GROWTH,
        seconds=edges * SECONDS_AN_EDGE / cores() + positions * SECONDS_A_POSITION,
        least_bytes=fixed + max(a + b for a, b in pairwise(layers)) * row,
        disk=positions * row * GROWTH,
    )


def _steps(game: ScotlandYard) -> float:
    return game.table.links.size / game.table.stations


def _positions(game: ScotlandYard, slot: int, form: CanonicalForm) -> float:
    """How many ways there are to place the pieces, times how many to have tickets left."""
    table, detectives = game.table, game.table.detectives
    count = float(math.perm(table.stations - 1, detectives) * table.stations)
    left = math.inf if form.spare else max(0, table.rounds - slot)
    for role, pieces in ((0, 1), (1, detectives)):
        given = [int(each) for each in table.tickets[role] if 0 < each != UNLIMITED]
        if given and role == 0:
            most = left + table.closing_move + int(table.tickets[0, DOUBLE])
            count *= min(math.comb(slot + len(given) - 1, len(given) - 1), (most + 1) ** len(given))
        elif given:
            count *= len(_stocks(given, slot, left)) ** pieces
    return count


def _stocks(given: list[int], moves: int, left: float) -> set[tuple[float, ...]]:
    """The tickets that can be left after so many moves, those cut off that cannot be spent any more."""
    spent = (each for each in product(*(range(min(count, moves) + 1) for count in given)) if sum(each) == moves)
    return {tuple(min(count - used, left) for count, used in zip(given, each, strict=True)) for each in spent} or {()}


@dataclass(frozen=True)
class _Tree:
    """One subgame: its size, and how many positions it leads to."""

    nodes: float
    edges: float
    leads_to: float


def _sample_trees(game: ScotlandYard, max_nodes: int, form: CanonicalForm) -> dict[int, list[_Tree]]:
    """For each slot after which a subgame can begin, a few of them."""
    trees: dict[int, list[_Tree]] = {}
    for walk in range(WALKS):
        match, random = game.new(seed=walk), Random(walk)
        while not match.over:
            state = match.state
            if not match.moves or (state["turn"] == 0 and state["shown"]):
                tree = _tree(game, state, max_nodes, form)
                trees.setdefault(int(state["slot"]), []).append(tree)
                if math.isinf(tree.nodes):
                    return trees
            match.play(random.choice(match.legal()))
    return trees or {0: [_Tree(1.0, 1.0, 0.0)]}


def _tree(game: ScotlandYard, state: Any, max_nodes: int, form: CanonicalForm) -> _Tree:
    nodes = FIRST_NODES
    while nodes <= max_nodes:
        workspace = layer_loops.new_workspace(nodes, game.most_actions, game.table.stations)
        if grow(game.table, workspace.subgame, state, False) == DONE:
            found = new_table(width(game.table, form), 1 << 16)
            list_reveals(game.table, form, found, workspace.subgame)
            count = workspace.subgame.counts
            return _Tree(float(count[0]), float(count[2] + count[1]), float(found.size[0]))
        nodes *= 4
    return _Tree(math.inf, math.inf, math.inf)


def refuse_if_too_large(game: ScotlandYard, limits: Limits, form: CanonicalForm | None = None) -> Estimate:
    """The size of a game; raises TooLarge, with what would fit, if it cannot be solved within the limits."""
    form = form or canonical_form(game, spare=False)
    found = estimate(game, min(limits.nodes, MAX_SAMPLED), form)
    if found.fits(limits):
        return found
    options = what_fits(game, limits, form)
    if options:
        advice = f"What would fit: {', or '.join(options)}."
    elif game.table.stations > EASY_STATIONS:
        advice = f"A smaller board would fit, such as {EASY}."
    else:
        advice = "Allow more hours or memory."
    raise TooLarge(f"{game.spec} is too large to solve here: it would take {in_words(found, limits)}. {advice}")


def refuse_if_too_slow(game: ScotlandYard, size: Estimate, limits: Limits, seconds: float) -> None:
    """Raises TooLarge if querying an agent all over a game takes too long."""
    total = size.seconds + seconds
    if total > limits.seconds:
        raise TooLarge(
            f"Querying this agent all over {game.spec} would take about {_duration(total)} "
            f"(allowed: {_duration(limits.seconds)}). Try fewer rounds, fewer queries, or a faster agent."
        )


def in_words(found: Estimate, limits: Limits) -> str:
    if math.isinf(found.bytes):
        return f"more than the {limits.bytes / 1e9:.1f} GB allowed, for a single subgame between two reveals"
    if found.on_disk(limits):
        return (
            f"about {_memory(found.least_bytes)} of memory, {_memory(found.disk)} of disk and {_duration(found.seconds)} "
            f"(allowed: {_memory(limits.bytes)}, {_memory(limits.disk)} and {_duration(limits.seconds)})"
        )
    return (
        f"about {_memory(found.bytes)} of memory and {_duration(found.seconds)} "
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


def what_fits(game: ScotlandYard, limits: Limits, form: CanonicalForm) -> list[str]:
    """Smaller games of the same board that can be solved: fewer rounds, more reveals, fewer detectives."""
    rules = game.board.rules
    shorter = {rules.rounds * k // 6 for k in range(1, 6)} | set(range(1, min(5, rules.rounds)))
    tries = [[("rounds", str(n)) for n in sorted(shorter - {0}, reverse=True)]]
    tries.append([("reveals", f"every {n}") for n in (3, 2, 1)])
    tries.append([("detectives", str(n)) for n in range(rules.detectives - 1, 0, -1)])
    fitting = []
    for options in tries:
        for key, value in options:
            if _fits(game, {key: value}, limits, form):
                fitting.append(f"{key}={value}")
                break
    return fitting


def _fits(game: ScotlandYard, options: dict[str, str], limits: Limits, form: CanonicalForm) -> bool:
    try:
        smaller = ScotlandYard(BOARDS.with_options(game.board, options), f"{NAME}/{game.board.name}", shipped=False)
        return estimate(smaller, min(limits.nodes, MAX_ADVISED), form).fits(limits)
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
