"""Solving one subgame: predictive CFR+ over its public tree, with best responses that bound its value.

The value is the probability that the detectives win. Their strategy is a probability for each action of a node;
Mr X's is one for each edge of a member. What the detectives' average strategy wins against Mr X's best response is
a lower bound on the value, what Mr X's average strategy concedes to the detectives' best response an upper bound.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined, program
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, MR_X_NODE, REVEAL_NODE, WON

Floats = NDArray[np.float64]


class CfrState(NamedTuple):
    """What the iterations keep, beside the arrays of a subgame."""

    edge_strategy: Floats  # [edge] Mr X's current strategy
    edge_regret: Floats  # his cumulative regrets, never below 0
    edge_strategy_sum: Floats  # his strategies summed, each weighted by his reach: the average strategy in the making
    action_strategy: Floats  # [action] the same for the detectives
    action_regret: Floats
    action_strategy_sum: Floats
    action_value: Floats  # [action] the detectives' counterfactual value
    value: Floats  # [FIRST_MEMBER + member] its expected value
    reach: Floats  # [member] Mr X's reach probability
    node_reach: Floats  # [node] the detectives' reach probability
    node_value: Floats  # [node] the detectives' counterfactual value


def new_cfr_state(nodes: int, members: int, edges: int, actions: int) -> CfrState:
    sizes = (edges, edges, edges, actions, actions, actions, actions, FIRST_MEMBER + members, members, nodes, nodes)
    return CfrState._make(np.zeros(size) for size in sizes)


@kernel
def match_regrets(strategy, regret, begin, end):
    """Predictive regret matching: on entry `strategy` holds the prediction of the next regrets."""
    total = 0.0
    for k in range(begin, end):
        strategy[k] = max(regret[k] + strategy[k], 0.0)
        total += strategy[k]
    if total > 0.0:
        for k in range(begin, end):
            strategy[k] /= total
    else:
        for k in range(begin, end):
            strategy[k] = 1.0 / (end - begin)


@program
def start(subgame, cfr):
    """Both sides begin with the uniform strategy and no regrets."""
    nodes, members, edges, actions = subgame.counts[0], subgame.counts[1], subgame.counts[2], subgame.counts[3]
    for k in range(edges):
        cfr.edge_regret[k] = 0.0
        cfr.edge_strategy_sum[k] = 0.0
        cfr.edge_strategy[k] = 0.0
    for k in range(actions):
        cfr.action_regret[k] = 0.0
        cfr.action_strategy_sum[k] = 0.0
        cfr.action_strategy[k] = 0.0
    for node in range(nodes):
        if subgame.kind[node] == DETECTIVE_NODE:
            match_regrets(cfr.action_strategy, cfr.action_regret, subgame.action_first[node], subgame.action_first[node + 1])
        elif subgame.kind[node] == MR_X_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                match_regrets(cfr.edge_strategy, cfr.edge_regret, subgame.edge_first[m], subgame.edge_first[m + 1])
    cfr.value[0] = 0.0
    cfr.value[1] = 1.0
    for m in range(members):
        cfr.value[FIRST_MEMBER + m] = 0.5 * (subgame.lower[m] + subgame.upper[m])


@outlined
def detectives_reach(subgame, cfr, weight):
    """The reach of the detectives' current strategy; adds the strategy to their average."""
    cfr.node_reach[0] = 1.0
    for node in range(subgame.counts[0]):
        if node > 0 and subgame.kind[subgame.parent[node]] == MR_X_NODE:
            cfr.node_reach[node] = cfr.node_reach[subgame.parent[node]]
        if subgame.kind[node] == DETECTIVE_NODE:
            for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
                share = cfr.node_reach[node] * cfr.action_strategy[a]
                cfr.action_strategy_sum[a] += weight * share
                if subgame.action_child[a] >= 0:
                    cfr.node_reach[subgame.action_child[a]] = share


@kernel
def _expected(subgame, cfr, node, m):
    """A member's expected value under the detectives' current strategy."""
    total = 0.0
    edge = subgame.edge_first[m]
    for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
        total += cfr.action_strategy[a] * cfr.value[subgame.target[edge]]
        edge += 1
    return total


@outlined
def update_mr_x(subgame, cfr):
    """Update Mr X's regrets and current strategy, from the leaves to the root."""
    for node in range(subgame.counts[0] - 1, -1, -1):
        if subgame.kind[node] == DETECTIVE_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                cfr.value[FIRST_MEMBER + m] = _expected(subgame, cfr, node, m)
        elif subgame.kind[node] == MR_X_NODE:
            reach = cfr.node_reach[node]
            for m in range(subgame.first[node], subgame.first[node + 1]):
                begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
                total = 0.0
                for e in range(begin, end):
                    total += cfr.edge_strategy[e] * cfr.value[subgame.target[e]]
                for e in range(begin, end):
                    regret = reach * (total - cfr.value[subgame.target[e]])
                    cfr.edge_regret[e] = max(cfr.edge_regret[e] + regret, 0.0)
                    cfr.edge_strategy[e] = regret
                match_regrets(cfr.edge_strategy, cfr.edge_regret, begin, end)
                cfr.value[FIRST_MEMBER + m] = total


@outlined
def mr_x_reach(subgame, cfr, prior, strategy, weight):
    """The reach of a strategy of Mr X, and the detectives' wins on the way; adds the strategy to his average."""
    for m in range(subgame.counts[1]):
        cfr.reach[m] = 0.0
    for m in range(subgame.first[1]):
        cfr.reach[m] = prior[m]
    for node in range(subgame.counts[0]):
        cfr.node_value[node] = 0.0
        begin, end = subgame.first[node], subgame.first[node + 1]
        if subgame.kind[node] == MR_X_NODE:
            for m in range(begin, end):
                for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                    share = cfr.reach[m] * strategy[e]
                    cfr.edge_strategy_sum[e] += weight * share
                    if subgame.target[e] >= FIRST_MEMBER:
                        cfr.reach[subgame.target[e] - FIRST_MEMBER] += share
                    elif subgame.target[e] == WON:
                        cfr.node_value[node] += share
        elif subgame.kind[node] == DETECTIVE_NODE:
            for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
                cfr.action_value[a] = 0.0
            for m in range(begin, end):
                a = subgame.action_first[node]
                for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                    if subgame.target[e] >= FIRST_MEMBER:
                        cfr.reach[subgame.target[e] - FIRST_MEMBER] = cfr.reach[m]
                    elif subgame.target[e] == WON:
                        cfr.action_value[a] += cfr.reach[m]
                    a += 1


@outlined
def update_detectives(subgame, cfr):
    """Update the detectives' regrets and current strategy, given Mr X's reach."""
    for node in range(subgame.counts[0] - 1, -1, -1):
        if subgame.kind[node] == DETECTIVE_NODE:
            begin, end = subgame.action_first[node], subgame.action_first[node + 1]
            total = 0.0
            for a in range(begin, end):
                if subgame.action_child[a] >= 0:
                    cfr.action_value[a] += cfr.node_value[subgame.action_child[a]]
                total += cfr.action_strategy[a] * cfr.action_value[a]
            for a in range(begin, end):
                regret = cfr.action_value[a] - total
                cfr.action_regret[a] = max(cfr.action_regret[a] + regret, 0.0)
                cfr.action_strategy[a] = regret
            match_regrets(cfr.action_strategy, cfr.action_regret, begin, end)
            cfr.node_value[node] = total
        elif subgame.kind[node] >= REVEAL_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                cfr.node_value[node] += cfr.reach[m] * cfr.value[FIRST_MEMBER + m]
        if node > 0 and subgame.kind[subgame.parent[node]] == MR_X_NODE:
            cfr.node_value[subgame.parent[node]] += cfr.node_value[node]


@outlined
def mr_x_best_response(subgame, value, strategy):
    """What a strategy of the detectives wins against Mr X's best response, for each member."""
    value[0], value[1] = 0.0, 1.0
    for node in range(subgame.counts[0] - 1, -1, -1):
        for m in range(subgame.first[node], subgame.first[node + 1]):
            begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
            if subgame.kind[node] >= REVEAL_NODE:
                value[FIRST_MEMBER + m] = subgame.lower[m]
            elif subgame.kind[node] == MR_X_NODE:
                least = 1.0
                for e in range(begin, end):
                    least = min(least, value[subgame.target[e]])
                value[FIRST_MEMBER + m] = least
            else:
                total = 0.0
                a = subgame.action_first[node]
                for e in range(begin, end):
                    total += strategy[a] * value[subgame.target[e]]
                    a += 1
                value[FIRST_MEMBER + m] = total


@outlined
def detectives_best_response(subgame, cfr, prior, strategy):
    """What a strategy of Mr X concedes to the detectives' best response."""
    mr_x_reach(subgame, cfr, prior, strategy, 0.0)
    for node in range(subgame.counts[0] - 1, -1, -1):
        if subgame.kind[node] == DETECTIVE_NODE:
            most = 0.0
            for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
                if subgame.action_child[a] >= 0:
                    cfr.action_value[a] += cfr.node_value[subgame.action_child[a]]
                most = max(most, cfr.action_value[a])
            cfr.node_value[node] = most
        elif subgame.kind[node] >= REVEAL_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                cfr.node_value[node] += cfr.reach[m] * subgame.upper[m]
        if node > 0 and subgame.kind[subgame.parent[node]] == MR_X_NODE:
            cfr.node_value[subgame.parent[node]] += cfr.node_value[node]
    return cfr.node_value[0]


@kernel
def _normalise(strategy_sum, current, out, begin, end):
    """The average strategy of one information set; where it has no reach, the current strategy."""
    total = 0.0
    for k in range(begin, end):
        total += strategy_sum[k]
    for k in range(begin, end):
        out[k] = strategy_sum[k] / total if total > 0.0 else current[k]


@outlined
def average_strategies(subgame, cfr, edge_average, action_average):
    """Both sides' average strategies."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == DETECTIVE_NODE:
            begin, end = subgame.action_first[node], subgame.action_first[node + 1]
            _normalise(cfr.action_strategy_sum, cfr.action_strategy, action_average, begin, end)
        elif subgame.kind[node] == MR_X_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
                _normalise(cfr.edge_strategy_sum, cfr.edge_strategy, edge_average, begin, end)


@program
def solve_subgame(subgame, cfr, prior, strategies, tolerance, max_iterations):
    """Iterate until the bounds are close enough: lower bound, upper bound, number of iterations.

    `strategies` takes the average strategies: [0] over Mr X's edges, [1] over the detectives' actions.
    """
    start(subgame, cfr)
    values = np.empty(FIRST_MEMBER + subgame.counts[1])
    lower, upper, check = 0.0, 1.0, 4
    iteration = 0
    while iteration < max_iterations:
        iteration += 1
        weight = np.float64(iteration) * np.float64(iteration)
        detectives_reach(subgame, cfr, weight)
        update_mr_x(subgame, cfr)
        mr_x_reach(subgame, cfr, prior, cfr.edge_strategy, weight)
        update_detectives(subgame, cfr)
        if iteration >= min(check, max_iterations):
            average_strategies(subgame, cfr, strategies[0], strategies[1])
            mr_x_best_response(subgame, values, strategies[1])
            lower = 0.0
            for m in range(subgame.first[1]):
                lower += prior[m] * values[FIRST_MEMBER + m]
            upper = detectives_best_response(subgame, cfr, prior, strategies[0])
            if upper - lower <= tolerance:
                break
            check = iteration + max(4, iteration // 4)
    return lower, upper, iteration
