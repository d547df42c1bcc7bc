"""Best responses to a policy that can be asked what it plays: compiled loops over the tree of a stretch.

A policy that draws is asked twice as often as needed, and its answers are kept in two halves.
The response is chosen by the first half and judged by the second, which knows nothing of the
choice: that judgement is fair, while what the response wins against the first half flatters it.
Positions keep both: `upper` is the value by the first half, `lower` by the second.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from fogbound.core.compiled import Kernel, kernel, outlined, program
from fogbound.games.scotland_yard.rules import DETECTIVES
from fogbound.solve.positions import enter, find
from fogbound.solve.subgame import (
    DETECTIVE_NODE,
    DONE,
    FIRST_MEMBER,
    MR_X_NODE,
    SHOWN_NODE,
    TABLE_FULL,
    UNKNOWN_POSITION,
    WON,
    look_up,
    moves,
    play,
    show,
    stand,
)


@kernel
def seed(rng, table, state, half):
    """The stream for one question: always the same one in the same position."""
    value = np.uint64(half + 1)
    for seat in range(table.detectives + 1):
        value = (value ^ np.uint64(state.station[seat] + 1)) * np.uint64(1099511628211)
    for w in range(4):
        value = (value ^ state.possible[w]) * np.uint64(1099511628211)
    value = (value ^ np.uint64(state.slot * 8 + state.turn)) * np.uint64(1099511628211)
    for k in range(4):
        value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9) + np.uint64(k)
        rng[k] = value | np.uint64(1)


@cache
def asker(policy: Kernel) -> tuple[Kernel, Kernel]:
    """Compiled questions to a policy: at every node of a tree that it can come to, and in an open position."""

    @outlined
    def answers(table, params, view, out, rng, half, queries, codes, shares, begin, end, drew):
        """How often the policy plays each of the codes; `view` has a spare copy behind it, which is spoilt.

        A policy that draws changes its stream, of which `rng` has a copy behind it.
        """
        for k in range(begin, end):
            shares[k] = 0.0 if queries else 1.0 / (end - begin)
        seed(rng[0], table, view[0], half)
        seed(rng[1], table, view[0], half)
        for _ in range(queries):
            view[1] = view[0]
            code = policy(table, params, view[1], view[0].turn, out, rng[0])
            for k in range(begin, end):
                if codes[k] == code:
                    shares[k] += 1.0 / queries
        for k in range(4):
            if rng[0, k] != rng[1, k]:
                drew[0] = True

    @program
    def ask(table, params, stretch, work, prior, edges, actions, mr_x, queries, halves, drew):
        """Fill the plans of one half or both, node by node; a node that is never come to is not asked about."""
        view, rng = np.zeros(2, stretch.states.dtype), np.zeros((2, 4), np.uint64)
        out = np.zeros(stretch.out.size, np.int64)
        for half in range(halves):
            begin_reach(stretch, work, prior, mr_x)
            for node in range(stretch.counts[0]):
                if mr_x and stretch.kind[node] != DETECTIVE_NODE:
                    for m in range(stretch.first[node], stretch.first[node + 1]):
                        begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
                        edges[half, begin:end] = 0.0
                        if work.reach[m] > 0.0:
                            view[0] = stretch.states[node]
                            view[0].station[0] = stretch.station[m]
                            answers(
                                table, params, view, out, rng, half, queries, stretch.code, edges[half], begin, end, drew
                            )
                elif not mr_x and stretch.kind[node] == DETECTIVE_NODE:
                    begin, end = stretch.action_first[node], stretch.action_first[node + 1]
                    actions[half, begin:end] = 0.0
                    if come_to(stretch, work, node):
                        view[0] = stretch.states[node]
                        view[0].station[0] = -1
                        codes = stretch.action_code
                        answers(table, params, view, out, rng, half, queries, codes, actions[half], begin, end, drew)
                pass_on(stretch, work, node, mr_x, edges[half], actions[half])

    @program
    def ask_open(table, params, states, indices, codes, shares, counts, queries, drew):
        """Both halves of the answers of detectives to move, where everybody knows where Mr X is: a row a position."""
        view, rng = np.zeros(2, states.dtype), np.zeros((2, 4), np.uint64)
        out = np.zeros(codes.shape[1], np.int64)
        for k in range(indices.size):
            view[0] = states[indices[k]]
            counts[k] = moves(table, view[0], codes[k])
            for half in range(2):
                answers(table, params, view, out, rng, half, queries, codes[k], shares[k, half], 0, counts[k], drew)

    return ask, ask_open


@outlined
def begin_reach(stretch, work, prior, mr_x):
    """Start at the root; a side that is not asked comes to every node that the other lets it."""
    work.reach[: stretch.counts[1]] = 0.0
    work.node_reach[: stretch.counts[0]] = 0.0
    work.node_reach[0] = 1.0
    for m in range(stretch.first[1]):
        work.reach[m] = prior[m]


@kernel
def come_to(stretch, work, node):
    if node > 0 and stretch.kind[stretch.parent[node]] == MR_X_NODE:
        work.node_reach[node] = work.node_reach[stretch.parent[node]]
    return work.node_reach[node] > 0.0


@outlined
def pass_on(stretch, work, node, mr_x, edge_plan, action_plan):
    """How likely the next nodes are, by the plan of the side that is asked."""
    come_to(stretch, work, node)
    if stretch.kind[node] == DETECTIVE_NODE:
        for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
            if stretch.action_child[a] >= 0:
                work.node_reach[stretch.action_child[a]] = work.node_reach[node] * (1.0 if mr_x else action_plan[a])
        if mr_x:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                    if stretch.target[e] >= FIRST_MEMBER:
                        work.reach[stretch.target[e] - FIRST_MEMBER] = work.reach[m]
    elif stretch.kind[node] == MR_X_NODE and mr_x:
        for m in range(stretch.first[node], stretch.first[node + 1]):
            for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                if stretch.target[e] >= FIRST_MEMBER:
                    work.reach[stretch.target[e] - FIRST_MEMBER] += work.reach[m] * edge_plan[e]


@program
def plans_reach(stretch, work, prior, edges, actions, mr_x):
    """Where either half of the answers leads, into work.reach and work.node_reach."""
    begin_reach(stretch, work, prior, mr_x)
    for node in range(stretch.counts[0]):
        if mr_x and stretch.kind[node] == MR_X_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                    if stretch.target[e] >= FIRST_MEMBER and (edges[0, e] > 0.0 or edges[1, e] > 0.0):
                        work.reach[stretch.target[e] - FIRST_MEMBER] += work.reach[m]
            come_to(stretch, work, node)
        elif not mr_x and stretch.kind[node] == DETECTIVE_NODE:
            come_to(stretch, work, node)
            for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
                if stretch.action_child[a] >= 0 and (actions[0, a] > 0.0 or actions[1, a] > 0.0):
                    work.node_reach[stretch.action_child[a]] = work.node_reach[node]
        else:
            pass_on(stretch, work, node, mr_x, edges[0], actions[0])


@kernel
def _wanted(stretch, work, edges, node, m, k, mr_x):
    """Whether a shown node's move can be made: Mr X's answers decide, or where the detectives' answers lead."""
    if not mr_x:
        return work.node_reach[node] > 0.0
    e = stretch.edge_first[m] + k
    return work.reach[m] > 0.0 and (edges[0, e] > 0.0 or edges[1, e] > 0.0)


@program
def list_reached(table, folding, found, stretch, work, edges, mr_x):
    """The positions that Mr X can show himself in, into a table."""
    for node in range(stretch.counts[0]):
        if stretch.kind[node] != SHOWN_NODE:
            continue
        for m in range(stretch.first[node], stretch.first[node + 1]):
            begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
            for e in range(begin, end):
                if not _wanted(stretch, work, edges, node, m, e - begin, mr_x):
                    continue
                stand(stretch, node, stretch.station[m])
                play(table, stretch.scratch[0], stretch.code[e])
                if stretch.scratch[0].turn >= 0:
                    show(table, folding, stretch.scratch[0])
                    if not enter(table, folding, found, stretch.scratch[0]):
                        return TABLE_FULL
    return DONE


@program
def value_reached(table, folding, known, stretch, work, edges, mr_x):
    """Values of the shown nodes: by Mr X's answers, or of the move that is best for him."""
    for node in range(stretch.counts[0]):
        if stretch.kind[node] != SHOWN_NODE:
            continue
        for m in range(stretch.first[node], stretch.first[node + 1]):
            begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
            first, second = (0.0, 0.0) if mr_x else (2.0, 2.0)
            for e in range(begin, end):
                if not _wanted(stretch, work, edges, node, m, e - begin, mr_x):
                    continue
                stand(stretch, node, stretch.station[m])
                play(table, stretch.scratch[0], stretch.code[e])
                if look_up(table, folding, known, stretch, stretch.code[e]) != DONE:
                    return UNKNOWN_POSITION
                by_second, by_first = stretch.stamped[stretch.code[e], 0], stretch.stamped[stretch.code[e], 1]
                if mr_x:
                    first += edges[0, e] * by_first
                    second += edges[1, e] * by_second
                elif by_first < first:
                    first, second = by_first, by_second
            stretch.upper[m] = first
            stretch.lower[m] = second
    return DONE


@program
def respond_as_mr_x(stretch, prior, actions):
    """What the best Mr X leaves the detectives: by the half that he was chosen by, and by the other."""
    first = np.zeros(FIRST_MEMBER + stretch.counts[1])
    second = np.zeros(FIRST_MEMBER + stretch.counts[1])
    first[1] = second[1] = 1.0
    for node in range(stretch.counts[0] - 1, -1, -1):
        for m in range(stretch.first[node], stretch.first[node + 1]):
            begin, end = stretch.edge_first[m], stretch.edge_first[m + 1]
            if stretch.kind[node] == SHOWN_NODE:
                by_first, by_second = stretch.upper[m], stretch.lower[m]
            elif stretch.kind[node] == MR_X_NODE:
                by_first, by_second = 3.0, 3.0
                for e in range(begin, end):
                    if first[stretch.target[e]] < by_first:
                        by_first, by_second = first[stretch.target[e]], second[stretch.target[e]]
            else:
                by_first = by_second = 0.0
                a = stretch.action_first[node]
                for e in range(begin, end):
                    by_first += actions[0, a] * first[stretch.target[e]]
                    by_second += actions[1, a] * second[stretch.target[e]]
                    a += 1
            first[FIRST_MEMBER + m] = by_first
            second[FIRST_MEMBER + m] = by_second
    by_first = by_second = 0.0
    for m in range(stretch.first[1]):
        by_first += prior[m] * first[FIRST_MEMBER + m]
        by_second += prior[m] * second[FIRST_MEMBER + m]
    return by_first, by_second


@outlined
def _collect(stretch, prior, edges, half, reach, wins, node_wins):
    """How likely Mr X is where by one half of his answers, and what is won on the way."""
    for m in range(stretch.first[1]):
        reach[m] = prior[m]
    for node in range(stretch.counts[0]):
        for m in range(stretch.first[node], stretch.first[node + 1]):
            a = stretch.action_first[node]
            for e in range(stretch.edge_first[m], stretch.edge_first[m + 1]):
                if stretch.kind[node] == SHOWN_NODE:
                    break
                share = reach[m] * (edges[half, e] if stretch.kind[node] == MR_X_NODE else 1.0)
                if stretch.target[e] >= FIRST_MEMBER:
                    reach[stretch.target[e] - FIRST_MEMBER] += share
                elif stretch.target[e] == WON:
                    if stretch.kind[node] == MR_X_NODE:
                        node_wins[node] += share
                    else:
                        wins[a] += share
                a += 1


@program
def respond_as_detectives(stretch, prior, edges, choice):
    """What the best detectives win: by the half that they were chosen by, and by the other; their action at each node."""
    nodes, members, actions = stretch.counts[0], stretch.counts[1], stretch.counts[3]
    reach, wins, worth = np.zeros((2, members)), np.zeros((2, actions)), np.zeros((2, nodes))
    for half in range(2):
        _collect(stretch, prior, edges, half, reach[half], wins[half], worth[half])
    for node in range(nodes - 1, -1, -1):
        if stretch.kind[node] == SHOWN_NODE:
            for m in range(stretch.first[node], stretch.first[node + 1]):
                worth[0, node] += reach[0, m] * stretch.upper[m]
                worth[1, node] += reach[1, m] * stretch.lower[m]
        elif stretch.kind[node] == DETECTIVE_NODE:
            best = -1.0
            for a in range(stretch.action_first[node], stretch.action_first[node + 1]):
                child = stretch.action_child[a]
                by_first = wins[0, a] + (worth[0, child] if child >= 0 else 0.0)
                if by_first > best:
                    best = by_first
                    choice[node] = a
                    worth[0, node] = by_first
                    worth[1, node] = wins[1, a] + (worth[1, child] if child >= 0 else 0.0)
        if node > 0 and stretch.kind[stretch.parent[node]] == MR_X_NODE:
            worth[0, stretch.parent[node]] += worth[0, node]
            worth[1, stretch.parent[node]] += worth[1, node]
    return worth[0, 0], worth[1, 0]


@program
def list_moves(table, states, indices, codes, shares, counts):
    """The legal moves of open positions, a row each; every one of them is wanted."""
    for k in range(indices.size):
        counts[k] = moves(table, states[indices[k]], codes[k])
        shares[k] = 1.0


@program
def find_answers(table, folding, found, states, indices, codes, shares, counts, scratch):
    """The open positions that wanted moves lead to."""
    for i in range(indices.size):
        for k in range(counts[i]):
            if shares[i, 0, k] > 0.0 or shares[i, 1, k] > 0.0:
                scratch[0] = states[indices[i]]
                play(table, scratch[0], codes[i, k])
                if scratch[0].turn >= 0:
                    show(table, folding, scratch[0])
                    if not enter(table, folding, found, scratch[0]):
                        return TABLE_FULL
    return DONE


@program
def value_moves(table, folding, known, indices, codes, shares, counts, asked, scratch):
    """Values of open positions with a detective to move: by his answers, or of the best move."""
    for i in range(indices.size):
        first = second = 0.0
        best = -1.0
        for k in range(counts[i]):
            if shares[i, 0, k] == 0.0 and shares[i, 1, k] == 0.0:
                continue
            scratch[0] = known.states[indices[i]]
            play(table, scratch[0], codes[i, k])
            by_first = by_second = 1.0 if scratch[0].winner == DETECTIVES else 0.0
            if scratch[0].turn >= 0:
                show(table, folding, scratch[0])
                j = find(table, folding, known, scratch[0])
                if j < 0:
                    return UNKNOWN_POSITION
                by_first, by_second = known.upper[j], known.lower[j]
            if asked:
                first += shares[i, 0, k] * by_first
                second += shares[i, 1, k] * by_second
            elif by_first > best:
                best = first = by_first
                second = by_second
        known.upper[indices[i]] = first
        known.lower[indices[i]] = second
    return DONE


@program
def start_reach(stretch, work, prior, mr_x):
    """begin_reach, for callers in Python."""
    begin_reach(stretch, work, prior, mr_x)


@program
def pass_reach(stretch, work, node, mr_x, edge_plan, action_plan):
    """pass_on, for callers in Python."""
    pass_on(stretch, work, node, mr_x, edge_plan, action_plan)
