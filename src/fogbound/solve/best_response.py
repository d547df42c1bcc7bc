"""Best responses to a policy that is queried: compiled loops over the tree of a subgame.

A stochastic policy is queried twice over, and the answers form two independent splits. The response is chosen by the
training split and evaluated on the holdout split: that is an honest estimate, while what the response wins against
the training split flatters it. Positions keep both: `upper` is the value by the training split, `lower` by the holdout.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fogbound.core.compiled import Kernel, kernel, outlined, program
from fogbound.core.hashing import SPLIT_FIRST, absorb, xorshift
from fogbound.games.scotland_yard.rules import DETECTIVES
from fogbound.solve.positions import find, insert, restore
from fogbound.solve.subgame import (
    DETECTIVE_NODE,
    DONE,
    FIRST_MEMBER,
    MR_X_NODE,
    REVEAL_NODE,
    TABLE_FULL,
    UNKNOWN_POSITION,
    WON,
    look_up,
    moves,
    place_mr_x,
    play,
    to_canonical,
)

TRAINING, HOLDOUT = 0, 1  # the splits


@kernel
def seed(rng, table, state, split):
    """Seed the rng of a query: in the same position it is always the same."""
    value = np.uint64(split + 1)
    for seat in range(table.detectives + 1):
        value = absorb(value, state.station[seat] + 1)
    for w in range(4):
        value = absorb(value, state.possible[w])
    value = absorb(value, state.slot * 8 + state.turn)
    for k in range(4):
        value = xorshift(value, 29) * SPLIT_FIRST + np.uint64(k)
        rng[k] = value | np.uint64(1)


@cache
def sampled(policy: Kernel) -> Kernel:
    """How a policy's strategy in one position is estimated: it is queried, and its answers are counted."""

    @outlined
    def estimate(table, params, view, out, rng, split, queries, codes, strategy, begin, end, used_rng):
        """The policy's probability of each code. `view[1]` is a copy that the policy may spoil.

        `rng[1]` keeps the seeded state: if `rng[0]` differs in the end, the policy has drawn from it.
        """
        for k in range(begin, end):
            strategy[k] = 0.0 if queries else 1.0 / (end - begin)
        seed(rng[0], table, view[0], split)
        seed(rng[1], table, view[0], split)
        for _ in range(queries):
            view[1] = view[0]
            code = policy(table, params, view[1], view[0].turn, out, rng[0])
            for k in range(begin, end):
                if codes[k] == code:
                    strategy[k] += 1.0 / queries
        for k in range(4):
            if rng[0, k] != rng[1, k]:
                used_rng[0] = True

    return estimate


@cache
def told(mixture: Kernel) -> Kernel:
    """The same of a policy that says its strategy; the codes are its legal moves, in order."""

    @outlined
    def tell(table, params, view, out, rng, split, queries, codes, strategy, begin, end, used_rng):
        view[1] = view[0]
        mixture(table, params, view[1], view[0].turn, out, strategy, begin)

    return tell


@cache
def compile_queries(estimate: Kernel) -> tuple[Kernel, Kernel]:
    """Compiled queries of a policy: at every node of a subgame that it can reach, and in revealed positions."""

    @program
    def query_subgame(table, params, subgame, cfr, prior, edges, actions, mr_x, queries, splits, used_rng):
        """Fill the strategies of one split or both, node by node; nodes without reach are not queried."""
        view, rng = np.zeros(2, subgame.states.dtype), np.zeros((2, 4), np.uint64)
        out = np.zeros(subgame.out.size, np.int64)
        for split in range(splits):
            _begin_reach(subgame, cfr, prior)
            for node in range(subgame.counts[0]):
                if mr_x and subgame.kind[node] != DETECTIVE_NODE:
                    for m in range(subgame.first[node], subgame.first[node + 1]):
                        begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
                        edges[split, begin:end] = 0.0
                        if cfr.reach[m] > 0.0:
                            view[0] = subgame.states[node]
                            view[0].station[0] = subgame.station[m]
                            estimate(
                                table,
                                params,
                                view,
                                out,
                                rng,
                                split,
                                queries,
                                subgame.code,
                                edges[split],
                                begin,
                                end,
                                used_rng,
                            )
                elif not mr_x and subgame.kind[node] == DETECTIVE_NODE:
                    begin, end = subgame.action_first[node], subgame.action_first[node + 1]
                    actions[split, begin:end] = 0.0
                    if _reaches(subgame, cfr, node):
                        view[0] = subgame.states[node]
                        view[0].station[0] = -1
                        codes = subgame.action_code
                        estimate(table, params, view, out, rng, split, queries, codes, actions[split], begin, end, used_rng)
                _pass_reach(subgame, cfr, node, mr_x, edges[split], actions[split])

    @program
    def query_positions(table, params, states, indices, codes, strategy, counts, queries, used_rng):
        """Both splits of a detective's strategy in revealed positions, a row each."""
        view, rng = np.zeros(2, states.dtype), np.zeros((2, 4), np.uint64)
        out = np.zeros(codes.shape[1], np.int64)
        for k in range(indices.size):
            view[0] = states[indices[k]]
            counts[k] = moves(table, view[0], codes[k])
            for split in (TRAINING, HOLDOUT):
                estimate(table, params, view, out, rng, split, queries, codes[k], strategy[k, split], 0, counts[k], used_rng)

    return query_subgame, query_positions


@outlined
def _begin_reach(subgame, cfr, prior):
    """Reach at the root; the side that is not queried reaches every node that the other lets it."""
    cfr.reach[: subgame.counts[1]] = 0.0
    cfr.node_reach[: subgame.counts[0]] = 0.0
    cfr.node_reach[0] = 1.0
    for m in range(subgame.first[1]):
        cfr.reach[m] = prior[m]


@kernel
def _reaches(subgame, cfr, node):
    if node > 0 and subgame.kind[subgame.parent[node]] == MR_X_NODE:
        cfr.node_reach[node] = cfr.node_reach[subgame.parent[node]]
    return cfr.node_reach[node] > 0.0


@outlined
def _pass_reach(subgame, cfr, node, mr_x, edge_strategy, action_strategy):
    """The reach of the next nodes, by the strategy of the side that is queried."""
    _reaches(subgame, cfr, node)
    if subgame.kind[node] == DETECTIVE_NODE:
        for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
            if subgame.action_child[a] >= 0:
                cfr.node_reach[subgame.action_child[a]] = cfr.node_reach[node] * (1.0 if mr_x else action_strategy[a])
        if mr_x:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                    if subgame.target[e] >= FIRST_MEMBER:
                        cfr.reach[subgame.target[e] - FIRST_MEMBER] = cfr.reach[m]
    elif subgame.kind[node] == MR_X_NODE and mr_x:
        for m in range(subgame.first[node], subgame.first[node + 1]):
            for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                if subgame.target[e] >= FIRST_MEMBER:
                    cfr.reach[subgame.target[e] - FIRST_MEMBER] += cfr.reach[m] * edge_strategy[e]


@program
def policy_reach(subgame, cfr, prior, edges, actions, mr_x):
    """Where either split of the policy leads, into cfr.reach and cfr.node_reach."""
    _begin_reach(subgame, cfr, prior)
    for node in range(subgame.counts[0]):
        if mr_x and subgame.kind[node] == MR_X_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                    if subgame.target[e] >= FIRST_MEMBER and (edges[TRAINING, e] > 0.0 or edges[HOLDOUT, e] > 0.0):
                        cfr.reach[subgame.target[e] - FIRST_MEMBER] += cfr.reach[m]
            _reaches(subgame, cfr, node)
        elif not mr_x and subgame.kind[node] == DETECTIVE_NODE:
            _reaches(subgame, cfr, node)
            for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
                if subgame.action_child[a] >= 0 and (actions[TRAINING, a] > 0.0 or actions[HOLDOUT, a] > 0.0):
                    cfr.node_reach[subgame.action_child[a]] = cfr.node_reach[node]
        else:
            _pass_reach(subgame, cfr, node, mr_x, edges[0], actions[0])


@kernel
def _possible(subgame, cfr, edges, node, m, k, mr_x):
    """Whether a reveal node's move can occur: by Mr X's strategy, or by where the detectives' strategy leads."""
    if not mr_x:
        return cfr.node_reach[node] > 0.0
    e = subgame.edge_first[m] + k
    return cfr.reach[m] > 0.0 and (edges[TRAINING, e] > 0.0 or edges[HOLDOUT, e] > 0.0)


@program
def list_reached(table, form, found, subgame, cfr, edges, mr_x):
    """The positions in which the policy lets Mr X be revealed, into a table."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] != REVEAL_NODE:
            continue
        for m in range(subgame.first[node], subgame.first[node + 1]):
            begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
            for e in range(begin, end):
                if not _possible(subgame, cfr, edges, node, m, e - begin, mr_x):
                    continue
                place_mr_x(subgame, node, subgame.station[m])
                play(table, subgame.scratch[0], subgame.code[e])
                if subgame.scratch[0].turn >= 0:
                    to_canonical(table, form, subgame.scratch[0])
                    if not insert(table, form, found, subgame.scratch[0]):
                        return TABLE_FULL
    return DONE


@program
def value_reached(table, form, known, subgame, cfr, edges, mr_x):
    """Values of the reveal nodes: by Mr X's strategy, or of his best move."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] != REVEAL_NODE:
            continue
        for m in range(subgame.first[node], subgame.first[node + 1]):
            begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
            training, holdout = (0.0, 0.0) if mr_x else (2.0, 2.0)
            for e in range(begin, end):
                if not _possible(subgame, cfr, edges, node, m, e - begin, mr_x):
                    continue
                place_mr_x(subgame, node, subgame.station[m])
                play(table, subgame.scratch[0], subgame.code[e])
                if look_up(table, form, known, subgame, subgame.code[e]) != DONE:
                    return UNKNOWN_POSITION
                by_holdout, by_training = subgame.memo_bounds[subgame.code[e], 0], subgame.memo_bounds[subgame.code[e], 1]
                if mr_x:
                    training += edges[TRAINING, e] * by_training
                    holdout += edges[HOLDOUT, e] * by_holdout
                elif by_training < training:
                    training, holdout = by_training, by_holdout
            subgame.upper[m] = training
            subgame.lower[m] = holdout
    return DONE


@program
def respond_as_mr_x(subgame, prior, actions):
    """What Mr X's best response to the training split leaves the detectives: by that split, and by the holdout."""
    training = np.zeros(FIRST_MEMBER + subgame.counts[1])
    holdout = np.zeros(FIRST_MEMBER + subgame.counts[1])
    training[1] = holdout[1] = 1.0
    for node in range(subgame.counts[0] - 1, -1, -1):
        for m in range(subgame.first[node], subgame.first[node + 1]):
            begin, end = subgame.edge_first[m], subgame.edge_first[m + 1]
            if subgame.kind[node] == REVEAL_NODE:
                by_training, by_holdout = subgame.upper[m], subgame.lower[m]
            elif subgame.kind[node] == MR_X_NODE:
                by_training, by_holdout = 3.0, 3.0
                for e in range(begin, end):
                    if training[subgame.target[e]] < by_training:
                        by_training, by_holdout = training[subgame.target[e]], holdout[subgame.target[e]]
            else:
                by_training = by_holdout = 0.0
                a = subgame.action_first[node]
                for e in range(begin, end):
                    by_training += actions[TRAINING, a] * training[subgame.target[e]]
                    by_holdout += actions[HOLDOUT, a] * holdout[subgame.target[e]]
                    a += 1
            training[FIRST_MEMBER + m] = by_training
            holdout[FIRST_MEMBER + m] = by_holdout
    by_training = by_holdout = 0.0
    for m in range(subgame.first[1]):
        by_training += prior[m] * training[FIRST_MEMBER + m]
        by_holdout += prior[m] * holdout[FIRST_MEMBER + m]
    return by_training, by_holdout


@outlined
def _collect(subgame, prior, edges, split, reach, wins, node_wins):
    """Mr X's reach by one split of his strategy, and the detectives' wins on the way."""
    for m in range(subgame.first[1]):
        reach[m] = prior[m]
    for node in range(subgame.counts[0]):
        for m in range(subgame.first[node], subgame.first[node + 1]):
            a = subgame.action_first[node]
            for e in range(subgame.edge_first[m], subgame.edge_first[m + 1]):
                if subgame.kind[node] == REVEAL_NODE:
                    break
                share = reach[m] * (edges[split, e] if subgame.kind[node] == MR_X_NODE else 1.0)
                if subgame.target[e] >= FIRST_MEMBER:
                    reach[subgame.target[e] - FIRST_MEMBER] += share
                elif subgame.target[e] == WON:
                    if subgame.kind[node] == MR_X_NODE:
                        node_wins[node] += share
                    else:
                        wins[a] += share
                a += 1


@program
def respond_as_detectives(subgame, prior, edges, choice):
    """What the detectives' best response to the training split wins: by that split, and by the holdout.

    `choice` takes its action at each node.
    """
    nodes, members, actions = subgame.counts[0], subgame.counts[1], subgame.counts[3]
    reach, wins, value = np.zeros((2, members)), np.zeros((2, actions)), np.zeros((2, nodes))
    for split in (TRAINING, HOLDOUT):
        _collect(subgame, prior, edges, split, reach[split], wins[split], value[split])
    for node in range(nodes - 1, -1, -1):
        if subgame.kind[node] == REVEAL_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                value[TRAINING, node] += reach[TRAINING, m] * subgame.upper[m]
                value[HOLDOUT, node] += reach[HOLDOUT, m] * subgame.lower[m]
        elif subgame.kind[node] == DETECTIVE_NODE:
            best = -1.0
            for a in range(subgame.action_first[node], subgame.action_first[node + 1]):
                child = subgame.action_child[a]
                by_training = wins[TRAINING, a] + (value[TRAINING, child] if child >= 0 else 0.0)
                if by_training > best:
                    best = by_training
                    choice[node] = a
                    value[TRAINING, node] = by_training
                    value[HOLDOUT, node] = wins[HOLDOUT, a] + (value[HOLDOUT, child] if child >= 0 else 0.0)
        if node > 0 and subgame.kind[subgame.parent[node]] == MR_X_NODE:
            value[TRAINING, subgame.parent[node]] += value[TRAINING, node]
            value[HOLDOUT, subgame.parent[node]] += value[HOLDOUT, node]
    return value[TRAINING, 0], value[HOLDOUT, 0]


@program
def list_moves(table, states, indices, codes, strategy, counts):
    """The legal moves of revealed positions, a row each; all of them are possible."""
    for k in range(indices.size):
        counts[k] = moves(table, states[indices[k]], codes[k])
        strategy[k] = 1.0


@program
def expand_moves(table, form, found, states, indices, codes, strategy, counts, scratch):
    """The revealed positions that possible moves lead to."""
    for i in range(indices.size):
        for k in range(counts[i]):
            if strategy[i, TRAINING, k] > 0.0 or strategy[i, HOLDOUT, k] > 0.0:
                scratch[0] = states[indices[i]]
                play(table, scratch[0], codes[i, k])
                if scratch[0].turn >= 0:
                    to_canonical(table, form, scratch[0])
                    if not insert(table, form, found, scratch[0]):
                        return TABLE_FULL
    return DONE


@program
def value_moves(table, form, known, indices, codes, strategy, counts, queried, scratch):
    """Values of revealed positions with a detective to move: by his strategy, or of his best move."""
    for i in range(indices.size):
        training = holdout = 0.0
        best = -1.0
        for k in range(counts[i]):
            if strategy[i, TRAINING, k] == 0.0 and strategy[i, HOLDOUT, k] == 0.0:
                continue
            restore(table, form, known.rows[indices[i]], scratch[0])
            play(table, scratch[0], codes[i, k])
            by_training = by_holdout = 1.0 if scratch[0].winner == DETECTIVES else 0.0
            if scratch[0].turn >= 0:
                to_canonical(table, form, scratch[0])
                j = find(table, form, known, scratch[0])
                if j < 0:
                    return UNKNOWN_POSITION
                by_training, by_holdout = known.upper[j], known.lower[j]
            if queried:
                training += strategy[i, TRAINING, k] * by_training
                holdout += strategy[i, HOLDOUT, k] * by_holdout
            elif by_training > best:
                best = training = by_training
                holdout = by_holdout
        known.upper[indices[i]] = training
        known.lower[indices[i]] = holdout
    return DONE
