"""Solving one stretch: predictive CFR+ over its public tree, and best responses that prove how good the result is.

The value is the probability that the detectives win. Their plan is a probability for each
action of a node; Mr X's is one for each edge of a member. What the detectives' plan wins
against the best Mr X is a lower bound on the value, what Mr X's concedes to the best
detectives is an upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined, program
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, MR_X_NODE, SHOWN_NODE, WON

Floats = NDArray[np.float64]


class Work(NamedTuple):
    """Numbers that the iterations keep, beside the arrays of a stretch."""

    edge_now: Floats  # [edge] Mr X's current plan
    edge_regret: Floats
    edge_sum: Floats  # his average plan, weighted by how often he gets there
    action_now: Floats  # [action] the same for the detectives
    action_regret: Floats
    action_sum: Floats
    action_value: Floats  # [action] what it wins, weighted by where Mr X is
    value: Floats  # [FIRST_MEMBER + member]
    reach: Floats  # [member] how likely Mr X is there
    node_reach: Floats  # [node] how likely the detectives' moves lead there
    node_value: Floats  # [node]


def work_for(nodes: int, members: int, edges: int, actions: int) -> Work:
    sizes = (edges, edges, edges, actions, actions, actions, actions, FIRST_MEMBER + members, members, nodes, nodes)
    return Work._make(np.zeros(size) for size in sizes)


@kernel
def _match_regrets(now, regret, begin, end):
    """Play each move in proportion to its regret; here `now` holds the prediction of the next regret."""
    total = 0.0
    for k in range(begin, end):
        now[k] = max(regret[k] + now[k], 0.0)
        total += now[k]
    if total > 0.0:
        for k in range(begin, end):
            now[k] /= total
    else:
        for k in range(begin, end):
            now[k] = 1.0 / (end - begin)


@program
def start(stretch, work):
    """Both sides begin with all moves equally likely."""
    nodes, members, edges, actions = stretch.counts[0], stretch.counts[1], stretch.counts[2], stretch.counts[3]
    for k in range(edges):
        work.edge_regret[k] = 0.0
        work.edge_sum[k] = 0.0
        work.edge_now[k] = 0.0
    for k in range(actions):
        work.action_regret[k] = 0.0
        work.action_sum[k] = 0.0
        work.action_now[k] = 0.0
    for node in range(nodes):
        if stretch.kind[node] == DETECTIVE_NODE:
            _match_regrets(work.action_now, work.action_regret, stretch.action_first[node], stretch.action_first[node + 1])
        elif stretch.kind[node] == MR_X_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                _match_regrets(work.edge_now, work.edge_regret, stretch.edge_first[m], stretch.edge_first[m + 1])
    work.value[0] = 0.0
    work.value[1] = 1.0
    for m in range(members):
        work.value[FIRST_MEMBER + m] = 0.5 * (stretch.lower[m] + stretch.upper[m])


@outlined
def _detectives_reach(stretch, work, weight):
    """How likely the detectives' current plan leads to each node; adds it to their average plan."""
    work.node_reach[0] = 1.0
    for node in range(stretch.counts[0]):
        if node > 0 and stretch.kind[stretch.parent[node]] == MR_X_NODE:
            work.node_reach[node] = work.node_reach[stretch.parent[node]]
        if stretch.kind[node] == DETECTIVE_NODE:
            for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
                share = work.node_reach[node] * work.action_now[a]
                work.action_sum[a] += weight * share
                if stretch.action_child[a] >= 0:
                    work.node_reach[stretch.action_child[a]] = share


@kernel
def _mean(stretch, work, node, m):
    """A member's value under the detectives' current plan."""
    total = 0.0
    edge = stretch.edge_first[m]
    for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
        total += work.action_now[a] * work.value[stretch.target[edge]]
        edge += 1
    return total


@outlined
def _improve_mr_x(stretch, work):
    """One round of regrets for Mr X, from the ends of the tree to its root."""
    for node in range(stretch.counts[0] - 1, -1, -1):
        if stretch.kind[node] == DETECTIVE_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                work.value[FIRST_MEMBER + m] = _mean(stretch, work, node, m)
        elif stretch.kind[node] == MR_X_NODE:
            reach = work.node_reach[node]
            for m in range(stretch.first[node], stretch.first[node + 1]):
                begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
                total = 0.0
                for e in range(begin, end):
                    total += work.edge_now[e] * work.value[stretch.target[e]]
                for e in range(begin, end):
                    regret = reach * (total - work.value[stretch.target[e]])
                    work.edge_regret[e] = max(work.edge_regret[e] + regret, 0.0)
                    work.edge_now[e] = regret
                _match_regrets(work.edge_now, work.edge_regret, begin, end)
                work.value[FIRST_MEMBER + m] = total


@outlined
def spread_mr_x(stretch, work, prior, plan, weight):
    """How likely Mr X is where, by a plan of his; what that already wins or loses; adds it to his average plan."""
    for m in range(stretch.counts[1]):
        work.reach[m] = 0.0
    for m in range(stretch.first[1]):
        work.reach[m] = prior[m]
    for node in range(stretch.counts[0]):
        work.node_value[node] = 0.0
        begin, end = stretch.first[node], stretch.first[node + 1]
        if stretch.kind[node] == MR_X_NODE:
            for m in range(begin, end):
                for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                    share = work.reach[m] * plan[e]
                    work.edge_sum[e] += weight * share
                    if stretch.target[e] >= FIRST_MEMBER:
                        work.reach[stretch.target[e] - FIRST_MEMBER] += share
                    elif stretch.target[e] == WON:
                        work.node_value[node] += share
        elif stretch.kind[node] == DETECTIVE_NODE:
            for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
                work.action_value[a] = 0.0
            for m in range(begin, end):
                a = stretch.action_first[node]
                for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                    if stretch.target[e] >= FIRST_MEMBER:
                        work.reach[stretch.target[e] - FIRST_MEMBER] = work.reach[m]
                    elif stretch.target[e] == WON:
                        work.action_value[a] += work.reach[m]
                    a += 1


@outlined
def _improve_detectives(stretch, work):
    """One round of regrets for the detectives, once it is known how likely Mr X is where."""
    for node in range(stretch.counts[0] - 1, -1, -1):
        if stretch.kind[node] == DETECTIVE_NODE:
            begin, end = stretch.action_first[node], stretch.action_first[node + 1]
            total = 0.0
            for a in range(begin, end):
                if stretch.action_child[a] >= 0:
                    work.action_value[a] += work.node_value[stretch.action_child[a]]
                total += work.action_now[a] * work.action_value[a]
            for a in range(begin, end):
                regret = work.action_value[a] - total
                work.action_regret[a] = max(work.action_regret[a] + regret, 0.0)
                work.action_now[a] = regret
            _match_regrets(work.action_now, work.action_regret, begin, end)
            work.node_value[node] = total
        elif stretch.kind[node] == SHOWN_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                work.node_value[node] += work.reach[m] * work.value[FIRST_MEMBER + m]
        if node > 0 and stretch.kind[stretch.parent[node]] == MR_X_NODE:
            work.node_value[stretch.parent[node]] += work.node_value[node]


@outlined
def best_mr_x(stretch, value, plan):
    """What a plan of the detectives wins against the best Mr X, for each member."""
    value[0], value[1] = 0.0, 1.0
    for node in range(stretch.counts[0] - 1, -1, -1):
        for m in range(stretch.first[node], stretch.first[node + 1]):
            begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
            if stretch.kind[node] == SHOWN_NODE:
                value[FIRST_MEMBER + m] = stretch.lower[m]
            elif stretch.kind[node] == MR_X_NODE:
                least = 1.0
                for e in range(begin, end):
                    least = min(least, value[stretch.target[e]])
                value[FIRST_MEMBER + m] = least
            else:
                total = 0.0
                a = stretch.action_first[node]
                for e in range(begin, end):
                    total += plan[a] * value[stretch.target[e]]
                    a += 1
                value[FIRST_MEMBER + m] = total


@outlined
def best_detectives(stretch, work, prior, plan):
    """What a plan of Mr X concedes to the best detectives."""
    spread_mr_x(stretch, work, prior, plan, 0.0)
    for node in range(stretch.counts[0] - 1, -1, -1):
        if stretch.kind[node] == DETECTIVE_NODE:
            most = 0.0
            for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
                if stretch.action_child[a] >= 0:
                    work.action_value[a] += work.node_value[stretch.action_child[a]]
                most = max(most, work.action_value[a])
            work.node_value[node] = most
        elif stretch.kind[node] == SHOWN_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                work.node_value[node] += work.reach[m] * stretch.upper[m]
        if node > 0 and stretch.kind[stretch.parent[node]] == MR_X_NODE:
            work.node_value[stretch.parent[node]] += work.node_value[node]
    return work.node_value[0]


@kernel
def _share(total, now, out, begin, end):
    """An average plan from its sums; where it never gets to, the current plan."""
    whole = 0.0
    for k in range(begin, end):
        whole += total[k]
    for k in range(begin, end):
        out[k] = total[k] / whole if whole > 0.0 else now[k]


@outlined
def average(stretch, work, edge_plan, action_plan):
    """Both sides' average plans."""
    for node in range(stretch.counts[0]):
        if stretch.kind[node] == DETECTIVE_NODE:
            begin, end = stretch.action_first[node], stretch.action_first[node + 1]
            _share(work.action_sum, work.action_now, action_plan, begin, end)
        elif stretch.kind[node] == MR_X_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                _share(work.edge_sum, work.edge_now, edge_plan, stretch.edge_first[m], stretch.edge_first[m + 1])


@program
def solve_stretch(stretch, work, prior, plans, goal, most):
    """Iterate until the bounds are at most `goal` apart, or `most` times: lower bound, upper bound, iterations.

    `plans` takes the average plans: row 0 Mr X's edges, row 1 the detectives' actions.
    """
    start(stretch, work)
    values = np.empty(FIRST_MEMBER + stretch.counts[1])
    lower, upper, check = 0.0, 1.0, 4
    iteration = 0
    while iteration < most:
        iteration += 1
        weight = np.float64(iteration) * np.float64(iteration)
        _detectives_reach(stretch, work, weight)
        _improve_mr_x(stretch, work)
        spread_mr_x(stretch, work, prior, work.edge_now, weight)
        _improve_detectives(stretch, work)
        if iteration >= min(check, most):
            average(stretch, work, plans[0], plans[1])
            best_mr_x(stretch, values, plans[1])
            lower = 0.0
            for m in range(stretch.first[1]):
                lower += prior[m] * values[FIRST_MEMBER + m]
            upper = best_detectives(stretch, work, prior, plans[0])
            if upper - lower <= goal:
                break
            check = iteration + max(4, iteration // 4)
    return lower, upper, iteration
