"""Solving a growing tree while it grows: magnetic mirror descent in every information set.

What is solved is the game on the tree in which both sides are drawn to the guide's moves, at the price of `pull` times the
Kullback-Leibler divergence from them. The first strategies are the guide's moves; each iteration goes a step from there
towards what the values ask for, and the averages are the solution. An iteration goes over the tree three times: values
and Mr X's new strategies, his reach by them, values and the detectives' new strategies.
"""

from __future__ import annotations

import numpy as np

from fogbound.agents.scotland_yard.resolve_search import RARE, deal
from fogbound.agents.scotland_yard.resolve_tree import MOST_LEAVES, grow
from fogbound.core.compiled import kernel, outlined, program
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER

CURIOUS = 0.5  # how much the guide's moves, beside the strategies, say where the tree grows
MANY, EACH = 200, 25  # after many iterations, each so many of them open one leaf more
STEP = 6.0  # how far the first iteration goes, in logarithms for a sure win; later ones go less far


@outlined
def mr_x_reach(tree, dealt, stray):
    """Mr X's reach at every node, and that by which the tree grows.

    He strays from his strategy by this share: then any move is as likely.
    """
    for m in range(tree.first[1]):
        tree.reach[m] = tree.wide_reach[m] = dealt[m]
    for node in range(tree.counts[0]):
        if tree.opened[node] == 0:
            continue
        if tree.kind[node] == DETECTIVE_NODE:
            _pass_on(tree, node)
            continue
        child = tree.action_first[node]
        for m in range(tree.first[child], tree.first[child + tree.action_count[node]]):
            tree.reach[m] = tree.wide_reach[m] = 0.0
        for m in range(tree.first[node], tree.first[node + 1]):
            _spread(tree, m, stray)


@kernel
def _pass_on(tree, node):
    """A detective's move tells only where Mr X is not."""
    for m in range(tree.first[node], tree.first[node + 1]):
        for e in range(tree.edge_first[m], tree.edge_first[m] + tree.edge_count[m]):
            if tree.target[e] >= FIRST_MEMBER:
                to = tree.target[e] - FIRST_MEMBER
                tree.reach[to], tree.wide_reach[to] = tree.reach[m], tree.wide_reach[m]


@kernel
def _spread(tree, m, stray):
    reach, wide = tree.reach[m], tree.wide_reach[m]
    for e in range(tree.edge_first[m], tree.edge_first[m] + tree.edge_count[m]):
        if tree.target[e] >= FIRST_MEMBER:
            to = tree.target[e] - FIRST_MEMBER
            tree.reach[to] += reach * ((1.0 - stray) * tree.strategy[e] + stray / tree.edge_count[m])
            tree.wide_reach[to] += wide * ((1.0 - CURIOUS) * tree.strategy[e] + CURIOUS * tree.prior[e])


@outlined
def _detectives_reach(tree):
    """The detectives' reach at every node, and that by which the tree grows."""
    tree.node_reach[0] = tree.wide_node_reach[0] = 1.0
    for node in range(tree.counts[0]):
        reach, wide = tree.node_reach[node], tree.wide_node_reach[node]
        first, end = tree.action_first[node], tree.action_first[node] + tree.action_count[node]
        if tree.kind[node] != DETECTIVE_NODE:
            for child in range(first, end):
                tree.node_reach[child], tree.wide_node_reach[child] = reach, wide
            continue
        for a in range(first, end):
            child = tree.action_child[a]
            if child >= 0:
                tree.node_reach[child] = reach * tree.action_strategy[a]
                own = (1.0 - CURIOUS) * tree.action_strategy[a] + CURIOUS * tree.action_prior[a]
                tree.wide_node_reach[child] = wide * own


@kernel
def _step(strategy, lean, prior, worth, first, count, step, pull):
    """A step of magnetic mirror descent: towards the moves that are worth most, and back to the guide's.

    Where each move is always worth the same, the strategy comes to the guide's moves times exp(worth / pull). The side
    that wants little takes steps below zero.
    """
    top = -np.inf
    for k in range(count):
        i = first + k
        lean[i] = (lean[i] + step * worth[k]) / (1.0 + abs(step) * pull)
        top = max(top, lean[i])
    total = 0.0
    for i in range(first, first + count):
        strategy[i] = prior[i] * np.exp(lean[i] - top)
        total += strategy[i]
    for i in range(first, first + count):
        strategy[i] /= total


@kernel
def _value_detective(tree, node):
    """What the node is worth to each member by the detective's strategy."""
    first, count = tree.action_first[node], tree.action_count[node]
    for m in range(tree.first[node], tree.first[node + 1]):
        expected = 0.0
        for k in range(count):
            expected += tree.action_strategy[first + k] * tree.value[tree.target[tree.edge_first[m] + k]]
        tree.value[FIRST_MEMBER + m] = expected


@kernel
def _value_mr_x(tree, node):
    """The same by Mr X's strategy; members that were not looked at keep the guide's value."""
    for m in range(tree.first[node], tree.first[node + 1]):
        first, count = tree.edge_first[m], tree.edge_count[m]
        expected = 0.0
        for e in range(first, first + count):
            expected += tree.strategy[e] * tree.value[tree.target[e]]
        if count > 0:
            tree.value[FIRST_MEMBER + m] = expected


@kernel
def _improve_detective(tree, node, iteration, pull):
    """A new strategy for a detective: what his moves are worth is the average over Mr X's range."""
    first, count = tree.action_first[node], tree.action_count[node]
    worth, total = tree.sums, 0.0
    worth[:] = 0.0
    for m in range(tree.first[node], tree.first[node + 1]):
        expected, reach = 0.0, tree.reach[m]
        total += reach
        for k in range(count):
            value = tree.value[tree.target[tree.edge_first[m] + k]]
            expected += tree.action_strategy[first + k] * value
            worth[k] += reach * value
        tree.value[FIRST_MEMBER + m] = expected
    for a in range(first, first + count):
        tree.action_strategy_sum[a] += iteration * iteration * tree.node_reach[node] * tree.action_strategy[a]
    if total > 0.0:
        worth /= total
        step = STEP / np.sqrt(iteration)
        _step(tree.action_strategy, tree.action_lean, tree.action_prior, worth, first, count, step, pull)


@kernel
def _improve_mr_x(tree, node, iteration, pull):
    """A new strategy for each of Mr X's stations."""
    step = STEP / np.sqrt(iteration)
    for m in range(tree.first[node], tree.first[node + 1]):
        first, count = tree.edge_first[m], tree.edge_count[m]
        if count == 0:
            continue
        expected = 0.0
        for k in range(count):
            value = tree.value[tree.target[first + k]]
            expected += tree.strategy[first + k] * value
            tree.logits[k] = value
        tree.value[FIRST_MEMBER + m] = expected
        for e in range(first, first + count):
            tree.strategy_sum[e] += iteration * iteration * tree.reach[m] * tree.strategy[e]
        _step(tree.strategy, tree.lean, tree.prior, tree.logits, first, count, -step, pull)


@outlined
def _update_mr_x(tree, iteration, pull):
    """Values from the leaves to the root, and new strategies for Mr X."""
    for node in range(tree.counts[0] - 1, -1, -1):
        if tree.opened[node] == 0:
            continue
        if tree.kind[node] == DETECTIVE_NODE:
            _value_detective(tree, node)
        else:
            _improve_mr_x(tree, node, iteration, pull)


@outlined
def _update_detectives(tree, iteration, pull):
    """Values from the leaves to the root, and new strategies for the detectives."""
    for node in range(tree.counts[0] - 1, -1, -1):
        if tree.opened[node] == 0:
            continue
        if tree.kind[node] == DETECTIVE_NODE:
            _improve_detective(tree, node, iteration, pull)
        else:
            _value_mr_x(tree, node)


@outlined
def _settle(tree):
    """The value of every member under the strategies as they are."""
    for node in range(tree.counts[0] - 1, -1, -1):
        if tree.opened[node] == 0:
            continue
        if tree.kind[node] == DETECTIVE_NODE:
            _value_detective(tree, node)
        else:
            _value_mr_x(tree, node)


@kernel
def _average(strategy, strategy_sum, first, count):
    """The average strategy, without the moves that are hardly ever played."""
    total, left = 0.0, 0.0
    for k in range(first, first + count):
        total += strategy_sum[k]
    for k in range(first, first + count):
        chance = strategy_sum[k] / total if total > 0.0 else strategy[k]
        strategy[k] = chance if chance >= RARE else 0.0
        left += strategy[k]
    for k in range(first, first + count):
        strategy[k] /= left


@outlined
def _take_averages(tree):
    """The average strategies take the place of the current ones."""
    for node in range(tree.counts[0]):
        if tree.opened[node] == 0:
            continue
        if tree.kind[node] == DETECTIVE_NODE:
            _average(tree.action_strategy, tree.action_strategy_sum, tree.action_first[node], tree.action_count[node])
            continue
        for m in range(tree.first[node], tree.first[node + 1]):
            _average(tree.strategy, tree.strategy_sum, tree.edge_first[m], tree.edge_count[m])


@kernel
def _leaves(leaves, iteration):
    """How many leaves to open: as an iteration goes over the whole tree, more of them share one in a large tree."""
    return min(leaves + max(iteration - MANY, 0) // EACH, MOST_LEAVES)


@program
def search(table, guide, tree, gadget, done, count, leaves, pull, floor):
    """More iterations, after so many done; each opens some leaves, as long as there is room."""
    room = True
    if done == 0:
        mr_x_reach(tree, gadget.dealt, 0.0)
    for iteration in range(done + 1, done + count + 1):
        _detectives_reach(tree)
        if room:
            room = grow(table, guide, tree, _leaves(leaves, iteration), floor)
        _update_mr_x(tree, np.float64(iteration), pull)
        deal(tree, gadget)
        mr_x_reach(tree, gadget.dealt, 0.0)
        _update_detectives(tree, np.float64(iteration), pull)


@program
def finish(tree, belief, stray):
    """Values and Mr X's range by the average strategies."""
    _take_averages(tree)
    _settle(tree)
    _detectives_reach(tree)
    mr_x_reach(tree, belief, stray)


__all__ = ["finish", "search"]
