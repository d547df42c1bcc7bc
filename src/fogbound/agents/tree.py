"""The compiled tree search: a pool of nodes, and one loop that plays iterations over any game's rules.

A node is reached by a sequence of actions, or of what one side saw of them; chance is drawn
anew in every iteration. All arrays are made before the search, so the loop never allocates:
its memory is bounded, and threads run it side by side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.chance import Chance
from fogbound.core.compiled import Kernel, kernel, outlined
from fogbound.core.contract import Game, Rules
from fogbound.core.rng import Rng, below, next64, spread, unit

NOWHERE = -1
ROOT = 0  # the node of the position that is thought about
ROOTS = 1024  # positions at the root, as the sides see them, that are told apart
HISTORY = 8192  # places for how well moves did anywhere in the search
LONGEST = 8192  # moves of an iteration that are remembered


class Pool(NamedTuple):
    """Nodes of the tree. A node's children are a list in ascending order of their codes."""

    code: NDArray[np.int64]  # the action that leads here, or what is seen of it
    first: NDArray[np.int32]  # first child
    following: NDArray[np.int32]  # next child of the same parent
    visits: NDArray[np.int32]
    available: NDArray[np.int32]  # how often it could be chosen
    value: NDArray[np.float64]  # [node, seat]: sum of results
    used: NDArray[np.int64]  # [nodes, entries in the list of roots]
    root_key: NDArray[np.uint64]
    root_node: NDArray[np.int32]


class Scratch(NamedTuple):
    """What one iteration works with."""

    world: NDArray[Any]
    world_words: NDArray[np.uint64]  # the same memory, to be hashed
    seen: NDArray[Any]
    seen_words: NDArray[np.uint64]
    out: NDArray[np.int64]  # legal actions
    here: NDArray[np.int32]  # the node in each tree
    path: NDArray[np.int32]  # nodes passed, of all trees
    side_score: NDArray[np.float64]
    result: NDArray[np.float64]  # of each seat
    played_seat: NDArray[np.int64]
    played: NDArray[np.int64]
    history_sum: NDArray[np.float64]
    history_count: NDArray[np.float64]
    no_tape: NDArray[np.int64]
    cursor: NDArray[np.int64]


class Plan(NamedTuple):
    """How to search."""

    seat: int  # who thinks
    trees: int  # one for all, or one a side
    fresh: int  # 1 if every iteration imagines a new world
    doubt: float  # share of the worlds as the opponents imagine them
    c: float
    choose_by_availability: int
    depth: int  # moves of a playout
    history: float  # weight of progressive history; 0 for none
    random_share: NDArray[np.float64]  # [seat]: how often a playout's move is random
    open_eyes: int  # 1 if the playouts' policy sees all of the imagined world
    side_of: NDArray[np.int64]
    observer: NDArray[np.int64]  # [side]: the seat through whose eyes the side sees


@dataclass(frozen=True)
class Pieces:
    """What a game may do in its own way; each is a kernel and gets `extra`, a NamedTuple of its own."""

    imagine: Kernel
    """imagine(table, extra, state, seat, rng)"""
    moves: Kernel
    """moves(table, extra, state, out) -> count: the legal actions worth looking at."""
    reward: Kernel
    """reward(table, extra, state, side_of, side_score, result): what an end, or a cut-off, is worth to each seat."""


class NoExtra(NamedTuple):
    nothing: int


def make_pool(nodes: int, seats: int) -> Pool:
    pool = Pool(
        code=np.empty(nodes, np.int64),
        first=np.empty(nodes, np.int32),
        following=np.empty(nodes, np.int32),
        visits=np.empty(nodes, np.int32),
        available=np.empty(nodes, np.int32),
        value=np.empty((nodes, seats)),
        used=np.zeros(2, np.int64),
        root_key=np.zeros(ROOTS, np.uint64),
        root_node=np.zeros(ROOTS, np.int32),
    )
    clear(pool)
    return pool


def make_scratch(game: Game) -> Scratch:
    world, world_words = _record(game.rules)
    view, view_words = _record(game.rules)
    return Scratch(
        world=world,
        world_words=world_words,
        seen=view,
        seen_words=view_words,
        out=np.empty(game.most_actions, np.int64),
        here=np.zeros(game.sides, np.int32),
        path=np.zeros(LONGEST, np.int32),
        side_score=np.zeros(game.sides),
        result=np.zeros(game.seats),
        played_seat=np.zeros(LONGEST, np.int64),
        played=np.zeros(LONGEST, np.int64),
        history_sum=np.zeros(HISTORY),
        history_count=np.zeros(HISTORY),
        no_tape=np.zeros(0, np.int64),
        cursor=np.zeros(3, np.int64),
    )


def _record(rules: Rules) -> tuple[NDArray[Any], NDArray[np.uint64]]:
    """A state, and its memory as whole 64-bit integers."""
    size = rules.state.itemsize
    memory = np.zeros((size + 7) // 8, np.uint64)
    return memory.view(np.uint8)[:size].view(rules.state), memory


@outlined
def clear(pool):
    """An empty tree: a root that nothing is known about."""
    pool.used[0] = 0
    pool.used[1] = 0
    _new_node(pool, 0, NOWHERE)


@kernel
def _new_node(pool, code, following):
    node = pool.used[0]
    pool.used[0] = node + 1
    pool.code[node] = code
    pool.first[node] = NOWHERE
    pool.following[node] = following
    pool.visits[node] = 0
    pool.available[node] = 0
    for seat in range(pool.value.shape[1]):
        pool.value[node, seat] = 0.0
    return node


@outlined
def child_of(pool, node, code):
    """The child with this code, or NOWHERE."""
    child = pool.first[node]
    while child >= 0 and pool.code[child] < code:
        child = pool.following[child]
    return child if child >= 0 and pool.code[child] == code else np.int32(NOWHERE)


@outlined
def child_made(pool, node, code):
    """The child with this code, made if it is new; NOWHERE if there is no room."""
    before = np.int32(NOWHERE)
    child = pool.first[node]
    while child >= 0 and pool.code[child] < code:
        before = child
        child = pool.following[child]
    if child >= 0 and pool.code[child] == code:
        return child
    if pool.used[0] >= pool.code.size:
        return np.int32(NOWHERE)
    made = np.int32(_new_node(pool, code, child))
    if before >= 0:
        pool.following[before] = made
    else:
        pool.first[node] = made
    return made


@outlined
def keep_below(old, node, new):
    """Copy the tree below a node into an empty pool, the upper nodes first, until it is half full."""
    clear(new)
    origin = new.available  # holds where a node came from until its children have been copied
    _copy_figures(old, node, new, ROOT)
    origin[ROOT] = node
    at = 0
    while at < new.used[0]:
        source = origin[at]
        before = NOWHERE
        child = old.first[source]
        while child >= 0 and new.used[0] < new.code.size // 2:
            made = _new_node(new, old.code[child], NOWHERE)
            _copy_figures(old, child, new, made)
            origin[made] = child
            if before >= 0:
                new.following[before] = made
            else:
                new.first[at] = made
            before = made
            child = old.following[child]
        origin[at] = old.available[source]
        at += 1


@kernel
def _copy_figures(old, node, new, made):
    new.visits[made] = old.visits[node]
    for seat in range(new.value.shape[1]):
        new.value[made, seat] = old.value[node, seat]


@outlined
def select(pool, plan, scratch, node, count, seat, rng):
    """The move to try: one that was never tried, each equally likely, or the best by UCT."""
    out = scratch.out
    child = pool.first[node]
    room = pool.used[0] < pool.code.size
    parent_visits = np.log(max(1, pool.visits[node]))
    untried, pick = 0, NOWHERE
    best, best_pick = -1.0, NOWHERE
    for i in range(count):
        while child >= 0 and pool.code[child] < out[i]:
            child = pool.following[child]
        if child < 0 or pool.code[child] != out[i]:
            untried += 1
            if below(rng, untried) == 0:
                pick = i
            continue
        pool.available[child] += 1
        visits = max(1, pool.visits[child])
        chances = np.log(pool.available[child]) if plan.choose_by_availability else parent_visits
        mean = pool.value[child, seat] / visits
        bound = mean + plan.c * np.sqrt(chances / visits)
        if plan.history > 0.0:
            bound += plan.history * _history(scratch, seat, out[i]) / (visits * (1.0 - mean) + 1.0)
        if bound > best:
            best, best_pick = bound, i
    if untried > 0 and (room or best_pick < 0):
        return pick
    return best_pick


@kernel
def _place(seat, action):
    mixed = (np.uint64(action) * np.uint64(8) + np.uint64(seat)) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(51))


@kernel
def _history(scratch, seat, action):
    """How well a move did in all iterations, wherever it was played."""
    place = _place(seat, action)
    return scratch.history_sum[place] / max(1.0, scratch.history_count[place])


@outlined
def back_up(pool, plan, scratch, passed, played):
    """Give an iteration's result to all nodes that it passed."""
    for i in range(passed):
        node = scratch.path[i]
        pool.visits[node] += 1
        for seat in range(scratch.result.size):
            pool.value[node, seat] += scratch.result[seat]
    if plan.history > 0.0:
        for i in range(played):
            place = _place(scratch.played_seat[i], scratch.played[i])
            scratch.history_sum[place] += scratch.result[scratch.played_seat[i]]
            scratch.history_count[place] += 1.0


@kernel
def _hashed(memory, start):
    value = np.uint64(start) + np.uint64(0xCBF29CE484222325)
    for i in range(memory.size):
        value = (value ^ memory[i]) * np.uint64(0x9E3779B97F4A7C15)
        value ^= value >> np.uint64(29)
    return value


@outlined
def root_for(pool, key):
    """The root for a position as a side sees it; all that do not fit into the list share one."""
    count = pool.used[1]
    for i in range(count):
        if pool.root_key[i] == key:
            return pool.root_node[i]
    if count == ROOTS:
        return pool.root_node[ROOTS - 1]
    if pool.used[0] >= pool.code.size:
        return np.int32(NOWHERE)
    name_root(pool, key, _new_node(pool, 0, NOWHERE))
    return pool.root_node[count]


@outlined
def name_root(pool, key, node):
    pool.root_key[pool.used[1]] = key
    pool.root_node[pool.used[1]] = node
    pool.used[1] += 1


@kernel
def no_policy(table, params, view, seat, out, rng):
    return out[0]


@cache
def plain_pieces(imagine: Kernel, legal: Kernel, score: Kernel) -> Pieces:
    """A game as its rules have it; a playout that was cut off with no leader is shared by all."""

    @kernel
    def imagine_it(table, extra, state, seat, rng):
        imagine(table, state, seat, rng)

    @kernel
    def all_moves(table, extra, state, out):
        return legal(table, state, out)

    @kernel
    def result(table, extra, state, side_of, side_score, result):
        side_score[:] = 0.0
        score(table, state, side_score)
        total = 0.0
        for side in range(side_score.size):
            total += side_score[side]
        for seat in range(result.size):
            result[seat] = side_score[side_of[seat]] if total > 0.0 else 1.0 / side_score.size

    return Pieces(imagine_it, all_moves, result)


def searcher(rules: Rules, pieces: Pieces, policy: Kernel | None) -> Kernel:
    """The compiled search of a game, for playouts by a policy (None: at random)."""
    return _searcher(
        rules.apply, rules.to_move, rules.conceal, rules.observe, pieces.imagine, pieces.moves, pieces.reward,
        policy or no_policy,
    )  # fmt: skip


@cache
def _searcher(
    apply: Kernel,
    to_move: Kernel,
    conceal: Kernel,
    observe: Kernel,
    imagine: Kernel,
    moves: Kernel,
    reward: Kernel,
    policy: Kernel,
) -> Kernel:
    @outlined
    def key_of(table, scratch, plan, side):
        """The world as a side sees it, as one number."""
        scratch.seen[0] = scratch.world[0]
        conceal(table, scratch.seen[0], plan.observer[side])
        return _hashed(scratch.seen_words, side)

    @outlined
    def prepare(table, extra, pool, scratch, plan, root, iteration, imagination):
        """A world for this iteration, and the node in every tree that stands for what its side knows of it."""
        world = scratch.world
        thinker = plan.side_of[plan.seat]
        world[0] = root[0]
        if plan.fresh:
            imagine(table, extra, world[0], plan.seat, imagination)
        scratch.here[0] = ROOT
        if plan.trees == 1:
            return
        if iteration == 0 and pool.used[1] == 0:
            name_root(pool, key_of(table, scratch, plan, thinker), ROOT)
        doubted = iteration > 0 and unit(imagination) < plan.doubt
        if doubted:
            other = below(imagination, plan.trees - 1)
            other += other >= thinker
            conceal(table, world[0], plan.observer[other])
            imagine(table, extra, world[0], plan.observer[other], imagination)
        for side in range(plan.trees):
            if side == thinker and not doubted:
                scratch.here[side] = ROOT
            else:
                scratch.here[side] = root_for(pool, key_of(table, scratch, plan, side))

    @outlined
    def descend(table, pool, scratch, plan, action, seat, passed):
        """Follow a move in every tree, each by what its side sees of it; how many nodes were passed in all."""
        for tree in range(plan.trees):
            node = scratch.here[tree]
            if node < 0:
                continue
            code = action
            if plan.trees > 1 and tree != plan.side_of[seat]:
                code = observe(table, scratch.world[0], action, plan.observer[tree])
            node = child_made(pool, node, code)
            scratch.here[tree] = node
            if node >= 0 and passed < scratch.path.size:
                scratch.path[passed] = node
                passed += 1
        return passed

    @outlined
    def search(table, extra, params, pool, scratch, plan, root, iterations, rng, imagination):
        """Play iterations from a position, as the thinking seat knows it."""
        world, view, out = scratch.world, scratch.seen, scratch.out
        for iteration in range(iterations):
            prepare(table, extra, pool, scratch, plan, root, iteration, imagination)
            passed = played = steps = 0
            for tree in range(plan.trees):
                if scratch.here[tree] >= 0:
                    scratch.path[passed] = scratch.here[tree]
                    passed += 1
            in_tree = True
            seat = to_move(world[0])
            while seat >= 0:
                tree = plan.side_of[seat] if plan.trees > 1 else 0
                in_tree = in_tree and scratch.here[tree] >= 0
                if not in_tree:
                    if steps == plan.depth:
                        break
                    steps += 1
                if not in_tree and plan.random_share[seat] < 1.0 and unit(rng) >= plan.random_share[seat]:
                    view[0] = world[0]
                    if not plan.open_eyes:
                        conceal(table, view[0], seat)
                    action = policy(table, params, view[0], seat, out, rng)
                else:
                    count = moves(table, extra, world[0], out)
                    if in_tree:
                        node = scratch.here[tree]
                        action = out[select(pool, plan, scratch, node, count, seat, rng)]
                        known = pool.used[0]
                        passed = descend(table, pool, scratch, plan, action, seat, passed)
                        # A new node of the mover has no children yet: from here on it is a playout.
                        in_tree = scratch.here[tree] >= 0 and scratch.here[tree] < known
                    else:
                        action = out[below(rng, count)]
                if plan.history > 0.0 and played < scratch.played.size:
                    scratch.played_seat[played] = seat
                    scratch.played[played] = action
                    played += 1
                apply(table, world[0], action, Chance(rng, scratch.no_tape, scratch.no_tape, scratch.cursor))
                seat = to_move(world[0])
            reward(table, extra, world[0], plan.side_of, scratch.side_score, scratch.result)
            back_up(pool, plan, scratch, passed, played)

    return search


def random_rngs(rng: Rng, rows: int) -> NDArray[np.uint64]:
    """New streams, spread from the next draws of one."""
    base = np.array([next64(rng) for _ in range(4)], np.uint64)
    streams: NDArray[np.uint64] = spread(base, 0, rows)
    return streams
