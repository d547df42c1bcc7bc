"""The compiled tree search: a pool of nodes, and one loop that runs iterations over any game's rules.

A node stands for a sequence of actions, or of one side's observations of them (open loop: chance is
drawn anew in every iteration). All arrays are made before the search, so the loop never allocates:
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
from fogbound.core.hashing import FNV_START, GOLDEN, xorshift
from fogbound.core.rng import Rng, below, next64, spread, unit

NOWHERE = -1
ROOT = 0  # the node of the position that is searched
ROOTS = 1024  # root information sets, of all sides, that are told apart
HISTORY = 8192  # slots of the progressive-history table
LONGEST = 8192  # moves of an iteration that are remembered


class Pool(NamedTuple):
    """The nodes of all trees. A node's children are a linked list in ascending order of their codes."""

    code: NDArray[np.int64]  # the action that leads here, or the observation of it
    first: NDArray[np.int32]  # first child
    following: NDArray[np.int32]  # next child of the same parent
    visits: NDArray[np.int32]
    available: NDArray[np.int32]  # how often it was legal when its parent was visited
    value: NDArray[np.float64]  # [node, seat]: sum of results
    used: NDArray[np.int64]  # [nodes, roots]
    root_key: NDArray[np.uint64]  # hash of a root information set
    root_node: NDArray[np.int32]


class Workspace(NamedTuple):
    """The memory of one iteration."""

    world: NDArray[Any]  # the determinization that is played on
    seen: NDArray[Any]  # the same, as one seat may know it
    seen_bits: NDArray[np.uint64]  # the memory of `seen` as 64-bit integers, to be hashed
    out: NDArray[np.int64]  # legal actions
    here: NDArray[np.int32]  # the node in each tree
    path: NDArray[np.int32]  # nodes visited, of all trees
    side_score: NDArray[np.float64]
    result: NDArray[np.float64]  # of each seat
    played_seat: NDArray[np.int64]
    played: NDArray[np.int64]
    history_sum: NDArray[np.float64]
    history_count: NDArray[np.float64]
    no_tape: NDArray[np.int64]
    cursor: NDArray[np.int64]


class SearchSettings(NamedTuple):
    """How to search."""

    seat: int  # for whom
    trees: int  # one for all, or one a side
    resample: int  # 1 if every iteration searches a new determinization
    doubt: float  # share of the iterations that are determinized from an opponent's information set
    c: float  # exploration constant of UCT
    availability: int  # 1 if UCT counts how often a move was available instead of how often its parent was visited
    depth: int  # moves after which a playout is cut off
    history: float  # weight of progressive history; 0 for none
    random_share: NDArray[np.float64]  # [seat]: epsilon of the epsilon-greedy playouts; 1 for uniform ones
    playouts_see_all: int  # 1 if the playout policy sees the whole determinization, not only what its seat may know
    side_of: NDArray[np.int64]
    observer: NDArray[np.int64]  # [side]: the seat whose information the side has
    for_root: int  # 1 if the result of `seat` is maximised at every node, instead of the mover's


@dataclass(frozen=True)
class GameHooks:
    """What a game may do in its own way: three kernels, each given `data`, what the game says about the position."""

    imagine: Kernel
    """imagine(table, data, state, seat, rng): determinize a concealed state."""
    moves: Kernel
    """moves(table, data, state, out) -> count: the legal actions that pass the move filter."""
    reward: Kernel
    """reward(table, data, state, side_of, side_score, result): the value to each seat of a finished or cut-off playout."""


class NoHookData(NamedTuple):
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


def make_workspace(game: Game) -> Workspace:
    world, _ = _record(game.rules)
    seen, seen_bits = _record(game.rules)
    return Workspace(
        world=world,
        seen=seen,
        seen_bits=seen_bits,
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
    """An empty tree: a root without visits."""
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
def child_or_new(pool, node, code):
    """The child with this code, added if it is new; NOWHERE if the pool is full."""
    before = np.int32(NOWHERE)
    child = pool.first[node]
    while child >= 0 and pool.code[child] < code:
        before = child
        child = pool.following[child]
    if child >= 0 and pool.code[child] == code:
        return child
    if pool.used[0] >= pool.code.size:
        return np.int32(NOWHERE)
    added = np.int32(_new_node(pool, code, child))
    if before >= 0:
        pool.following[before] = added
    else:
        pool.first[node] = added
    return added


@outlined
def copy_subtree(old, node, new):
    """Copy the subtree of a node into an empty pool, breadth first, until it is half full."""
    clear(new)
    origin = new.available  # holds where a node came from until its children have been copied
    _copy_statistics(old, node, new, ROOT)
    origin[ROOT] = node
    at = 0
    while at < new.used[0]:
        source = origin[at]
        before = NOWHERE
        child = old.first[source]
        while child >= 0 and new.used[0] < new.code.size // 2:
            copy = _new_node(new, old.code[child], NOWHERE)
            _copy_statistics(old, child, new, copy)
            origin[copy] = child
            if before >= 0:
                new.following[before] = copy
            else:
                new.first[at] = copy
            before = copy
            child = old.following[child]
        origin[at] = old.available[source]
        at += 1


@kernel
def _copy_statistics(old, node, new, copy):
    new.visits[copy] = old.visits[node]
    for seat in range(new.value.shape[1]):
        new.value[copy, seat] = old.value[node, seat]


@outlined
def select(pool, settings, workspace, node, count, seat, rng):
    """The move to search: an untried one, each equally likely, or the one with the highest upper confidence bound."""
    out = workspace.out
    child = pool.first[node]
    has_space = pool.used[0] < pool.code.size
    log_parent_visits = np.log(max(1, pool.visits[node]))
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
        log_trials = np.log(pool.available[child]) if settings.availability else log_parent_visits
        mean = pool.value[child, settings.seat if settings.for_root else seat] / visits
        bound = mean + settings.c * np.sqrt(log_trials / visits)
        if settings.history > 0.0:
            bound += settings.history * _history(workspace, seat, out[i]) / (visits * (1.0 - mean) + 1.0)
        if bound > best:
            best, best_pick = bound, i
    if untried > 0 and (has_space or best_pick < 0):
        return pick
    return best_pick


@kernel
def _history_slot(seat, action):
    mixed = (np.uint64(action) * np.uint64(8) + np.uint64(seat)) * GOLDEN
    return np.int64(mixed >> np.uint64(51))


@kernel
def _history(workspace, seat, action):
    """Progressive history: the mean result of a move over all iterations, wherever it was played."""
    slot = _history_slot(seat, action)
    return workspace.history_sum[slot] / max(1.0, workspace.history_count[slot])


@outlined
def back_up(pool, settings, workspace, visited, played):
    """Add an iteration's result to all nodes that it visited."""
    for i in range(visited):
        node = workspace.path[i]
        pool.visits[node] += 1
        for seat in range(workspace.result.size):
            pool.value[node, seat] += workspace.result[seat]
    if settings.history > 0.0:
        for i in range(played):
            slot = _history_slot(workspace.played_seat[i], workspace.played[i])
            workspace.history_sum[slot] += workspace.result[workspace.played_seat[i]]
            workspace.history_count[slot] += 1.0


@kernel
def _hash(memory, start):
    value = np.uint64(start) + FNV_START
    for i in range(memory.size):
        value = xorshift((value ^ memory[i]) * GOLDEN, 29)
    return value


@outlined
def root_for(pool, key):
    """The root of an information set by its key; those beyond ROOTS share one."""
    count = pool.used[1]
    for i in range(count):
        if pool.root_key[i] == key:
            return pool.root_node[i]
    if count == ROOTS:
        return pool.root_node[ROOTS - 1]
    if pool.used[0] >= pool.code.size:
        return np.int32(NOWHERE)
    register_root(pool, key, _new_node(pool, 0, NOWHERE))
    return pool.root_node[count]


@outlined
def register_root(pool, key, node):
    pool.root_key[pool.used[1]] = key
    pool.root_node[pool.used[1]] = node
    pool.used[1] += 1


@kernel
def no_policy(table, params, view, seat, out, rng):
    return out[0]


@cache
def default_hooks(imagine: Kernel, legal: Kernel, score: Kernel) -> GameHooks:
    """Hooks that follow the game's rules; a playout that is cut off without a leader counts as shared by all."""

    @kernel
    def determinize(table, data, state, seat, rng):
        imagine(table, state, seat, rng)

    @kernel
    def all_moves(table, data, state, out):
        return legal(table, state, out)

    @kernel
    def score_of_side(table, data, state, side_of, side_score, result):
        side_score[:] = 0.0
        score(table, state, side_score)
        total = 0.0
        for side in range(side_score.size):
            total += side_score[side]
        for seat in range(result.size):
            result[seat] = side_score[side_of[seat]] if total > 0.0 else 1.0 / side_score.size

    return GameHooks(determinize, all_moves, score_of_side)


def searcher(rules: Rules, hooks: GameHooks, policy: Kernel | None) -> Kernel:
    """The compiled search of a game with playouts by a policy (None: uniformly random)."""
    return _searcher(
        rules.apply, rules.to_move, rules.conceal, rules.observe, hooks.imagine, hooks.moves, hooks.reward,
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
    def observation_key(table, workspace, settings, side):
        """A hash of the side's information set in this world."""
        workspace.seen[0] = workspace.world[0]
        conceal(table, workspace.seen[0], settings.observer[side])
        return _hash(workspace.seen_bits, side)

    @outlined
    def prepare(table, data, pool, workspace, settings, root, iteration, imagination):
        """Determinize the root for this iteration, and find the root node of every side's information set."""
        world = workspace.world
        own_side = settings.side_of[settings.seat]
        world[0] = root[0]
        if settings.resample:
            imagine(table, data, world[0], settings.seat, imagination)
        workspace.here[0] = ROOT
        if settings.trees == 1:
            return
        if iteration == 0 and pool.used[1] == 0:
            register_root(pool, observation_key(table, workspace, settings, own_side), ROOT)
        doubted = iteration > 0 and unit(imagination) < settings.doubt
        if doubted:
            other = below(imagination, settings.trees - 1)
            other += other >= own_side
            conceal(table, world[0], settings.observer[other])
            imagine(table, data, world[0], settings.observer[other], imagination)
        for side in range(settings.trees):
            if side == own_side and not doubted:
                workspace.here[side] = ROOT
            else:
                workspace.here[side] = root_for(pool, observation_key(table, workspace, settings, side))

    @outlined
    def descend(table, pool, workspace, settings, action, seat, visited):
        """Follow a move in every tree by its side's observation of it; how many nodes were visited in all."""
        for tree in range(settings.trees):
            node = workspace.here[tree]
            if node < 0:
                continue
            code = action
            if settings.trees > 1 and tree != settings.side_of[seat]:
                code = observe(table, workspace.world[0], action, settings.observer[tree])
            node = child_or_new(pool, node, code)
            workspace.here[tree] = node
            if node >= 0 and visited < workspace.path.size:
                workspace.path[visited] = node
                visited += 1
        return visited

    @outlined
    def search(table, data, params, pool, workspace, settings, root, iterations, rng, imagination):
        """Run iterations from a concealed root state."""
        world, view, out = workspace.world, workspace.seen, workspace.out
        for iteration in range(iterations):
            prepare(table, data, pool, workspace, settings, root, iteration, imagination)
            visited = played = steps = 0
            for tree in range(settings.trees):
                if workspace.here[tree] >= 0:
                    workspace.path[visited] = workspace.here[tree]
                    visited += 1
            in_tree = True
            seat = to_move(world[0])
            while seat >= 0:
                tree = settings.side_of[seat] if settings.trees > 1 else 0
                in_tree = in_tree and workspace.here[tree] >= 0
                if not in_tree:
                    if steps == settings.depth:
                        break
                    steps += 1
                if not in_tree and settings.random_share[seat] < 1.0 and unit(rng) >= settings.random_share[seat]:
                    view[0] = world[0]
                    if not settings.playouts_see_all:
                        conceal(table, view[0], seat)
                    action = policy(table, params, view[0], seat, out, rng)
                else:
                    count = moves(table, data, world[0], out)
                    if in_tree:
                        node = workspace.here[tree]
                        action = out[select(pool, settings, workspace, node, count, seat, rng)]
                        known = pool.used[0]
                        visited = descend(table, pool, workspace, settings, action, seat, visited)
                        # A new node has no children yet: from here on it is a playout.
                        in_tree = workspace.here[tree] >= 0 and workspace.here[tree] < known
                    else:
                        action = out[below(rng, count)]
                if settings.history > 0.0 and played < workspace.played.size:
                    workspace.played_seat[played] = seat
                    workspace.played[played] = action
                    played += 1
                apply(table, world[0], action, Chance(rng, workspace.no_tape, workspace.no_tape, workspace.cursor))
                seat = to_move(world[0])
            reward(table, data, world[0], settings.side_of, workspace.side_score, workspace.result)
            back_up(pool, settings, workspace, visited, played)

    return search


def new_rngs(rng: Rng, rows: int) -> NDArray[np.uint64]:
    """New streams, spread from the next draws of one."""
    base = np.array([next64(rng) for _ in range(4)], np.uint64)
    streams: NDArray[np.uint64] = spread(base, 0, rows)
    return streams
