"""A public tree that grows where the strategies lead.

A node is a public state, its members are Mr X's possible stations there, as in the solver's subgames; but nodes are
opened one at a time, the likeliest leaf first, with only the moves that the guide finds likely for a detective.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.resolve_oracle import consult, liking, worth
from fogbound.core.compiled import kernel, outlined, part, program
from fogbound.games.scotland_yard.rules import DETECTIVES, HIDDEN, PASS, TICKET_SHIFT, State, has, member, size
from fogbound.solve.subgame import (
    BROKEN,
    DETECTIVE_NODE,
    DONE,
    FIRST_MEMBER,
    LOST,
    NO_ROOM,
    REVEAL_NODE,
    WON,
    kind_of,
    moves,
    place_mr_x,
    play,
    target_at,
)

Floats = NDArray[np.float64]
UNLIKELY = 1e-9
SHARE = 0.02  # stations of Mr X less likely than this, at a node where he comes in sight, are not looked at
MOST_LEAVES = 16  # opened at a time
MOST_ACTIONS = 12  # of a detective, at one node
CHILDREN = 32  # what can be observed of a move of Mr X: a ticket, and whether it is doubled


class Tree(NamedTuple):
    """A growing tree, and room for a larger one. Nodes and members are in the order in which they were made."""

    states: NDArray[Any]  # [node]: the public state
    kind: NDArray[np.int8]  # [node]
    opened: NDArray[np.int8]  # [node]
    first: NDArray[np.int32]  # [node]: its first member; those of the next node follow
    parent: NDArray[np.int32]
    observed: NDArray[np.int32]
    action_first: NDArray[np.int32]  # [node]: a detective's first action; Mr X's first child
    action_count: NDArray[np.int32]
    trunk: NDArray[np.float32]  # [node, width]: what the guide makes of the state
    node_reach: Floats  # [node]: the detectives' reach
    wide_node_reach: Floats  # [node]: the same, half by the guide's moves: there the tree grows
    station: NDArray[np.int16]  # [member]
    edge_first: NDArray[np.int32]
    edge_count: NDArray[np.int32]
    reach: Floats  # [member]: Mr X's reach
    wide_reach: Floats  # [member]: the same, half by the guide's moves
    value: Floats  # [FIRST_MEMBER + member]
    target: NDArray[np.int32]  # [edge]: LOST, WON or FIRST_MEMBER + member
    code: NDArray[np.int32]  # [edge] of Mr X
    prior: Floats  # [edge]: how likely the guide finds it
    strategy: Floats
    strategy_sum: Floats  # the average strategy in the making
    lean: Floats  # by how much more than the guide's moves the strategy's are likely, in logarithms
    action_code: NDArray[np.int32]  # [action] of a detective
    action_child: NDArray[np.int32]  # the node it leads to, or -1
    action_prior: Floats
    action_strategy: Floats
    action_strategy_sum: Floats
    action_lean: Floats
    counts: NDArray[np.int64]  # nodes, members, edges, actions
    scratch: NDArray[Any]
    out: NDArray[np.int64]
    children: NDArray[np.int64]
    logits: Floats
    likely: NDArray[np.int64]  # a detective's moves that are looked at
    leaves: NDArray[np.int64]  # to be opened
    leaf_chance: Floats
    sums: Floats  # what they are worth


def new_tree(nodes: int, members: int, most_actions: int, width: int) -> Tree:
    """Room for so many public states, and so many stations of Mr X over all of them."""
    edges, actions = 8 * members, 6 * nodes
    return Tree(
        states=np.zeros(nodes, State),
        kind=np.zeros(nodes, np.int8),
        opened=np.zeros(nodes, np.int8),
        first=np.zeros(nodes + 1, np.int32),
        parent=np.zeros(nodes, np.int32),
        observed=np.zeros(nodes, np.int32),
        action_first=np.zeros(nodes, np.int32),
        action_count=np.zeros(nodes, np.int32),
        trunk=np.zeros((nodes, width), np.float32),
        node_reach=np.zeros(nodes),
        wide_node_reach=np.zeros(nodes),
        station=np.zeros(members, np.int16),
        edge_first=np.zeros(members, np.int32),
        edge_count=np.zeros(members, np.int32),
        reach=np.zeros(members),
        wide_reach=np.zeros(members),
        value=np.zeros(FIRST_MEMBER + members),
        target=np.zeros(edges, np.int32),
        code=np.zeros(edges, np.int32),
        prior=np.zeros(edges),
        strategy=np.zeros(edges),
        strategy_sum=np.zeros(edges),
        lean=np.zeros(edges),
        action_code=np.zeros(actions, np.int32),
        action_child=np.zeros(actions, np.int32),
        action_prior=np.zeros(actions),
        action_strategy=np.zeros(actions),
        action_strategy_sum=np.zeros(actions),
        action_lean=np.zeros(actions),
        counts=np.zeros(4, np.int64),
        scratch=np.zeros(1, State),
        out=np.zeros(most_actions, np.int64),
        children=np.zeros(CHILDREN, np.int64),
        logits=np.zeros(most_actions),
        likely=np.zeros(MOST_ACTIONS, np.int64),
        leaves=np.zeros(MOST_LEAVES, np.int64),
        leaf_chance=np.zeros(MOST_LEAVES),
        sums=np.zeros(MOST_ACTIONS),
    )


@outlined
def _ask(table, guide, tree, node):
    """The guide's opinion of a public state: it is kept, and gives each member its value."""
    consult(table, guide, tree.states[node], tree.trunk[node])
    for m in range(tree.first[node], tree.first[node + 1]):
        tree.value[FIRST_MEMBER + m] = worth(guide, tree.station[m])


@part
def _add(table, guide, tree, parent, observed):
    """A node for the state in scratch; -1 when there is no room."""
    node, before = tree.counts[0], tree.counts[1]
    stations = size(tree.scratch[0].possible)
    if node + 1 >= tree.kind.size or before + stations >= tree.station.size:
        return np.int64(-1)
    if tree.scratch[0].shown == 0:
        tree.scratch[0].station[0] = -1
    tree.states[node] = tree.scratch[0]
    tree.kind[node] = kind_of(table, tree.scratch[0])
    tree.opened[node] = 0
    tree.parent[node] = parent
    tree.observed[node] = observed
    tree.action_count[node] = 0
    tree.node_reach[node] = tree.wide_node_reach[node] = 0.0
    tree.first[node] = before
    tree.first[node + 1] = before + stations
    tree.counts[0] = node + 1
    tree.counts[1] = before + stations
    for place in range(stations):
        m = before + place
        tree.station[m] = member(tree.scratch[0].possible, place)
        tree.edge_count[m] = 0
        tree.reach[m] = tree.wide_reach[m] = 0.0
    _ask(table, guide, tree, node)
    return np.int64(node)


@kernel
def softmax(logits, chances, first, count):
    """The probabilities of moves; none is quite impossible."""
    top = logits[0]
    for k in range(1, count):
        top = max(top, logits[k])
    total = 0.0
    for k in range(count):
        chances[first + k] = np.exp(np.float64(logits[k] - top)) + UNLIKELY
        total += chances[first + k]
    for k in range(first, first + count):
        chances[k] /= total


@outlined
def _moves(table, guide, tree, node, station):
    """The legal moves with Mr X at this station, into out, and how likely the guide finds them, into logits."""
    place_mr_x(tree, node, station)
    seat = tree.scratch[0].turn
    count = moves(table, tree.scratch[0], tree.out)
    here = tree.scratch[0].station[seat]
    for k in range(count):
        tree.logits[k] = liking(table, guide, tree.trunk[node], here, seat, tree.out[k])
    softmax(tree.logits, tree.logits, 0, count)
    return count


@kernel
def _keep_likely(tree, count, floor, most):
    """Only the moves with at least this probability, and always the likeliest; returns how many."""
    best = 0
    for k in range(1, count):
        if tree.logits[k] > tree.logits[best]:
            best = k
    kept, total = 0, 0.0
    for k in range(count):
        if (tree.logits[k] >= floor or k == best) and kept < most:
            tree.out[kept], tree.logits[kept] = tree.out[k], tree.logits[k]
            total += tree.logits[kept]
            kept += 1
    for k in range(kept):
        tree.logits[k] /= total
    return kept


@outlined
def _open_detective(table, guide, tree, node, floor):
    begin, end = tree.first[node], tree.first[node + 1]
    count = _moves(table, guide, tree, node, tree.station[begin])
    count = _keep_likely(tree, count, floor, MOST_ACTIONS)
    edge, action = tree.counts[2], tree.counts[3]
    if edge + count * (end - begin) >= tree.target.size or action + count >= tree.action_code.size:
        return NO_ROOM
    codes = tree.likely
    for a in range(count):
        codes[a] = tree.out[a]
        tree.action_prior[action + a] = tree.logits[a]
        tree.action_strategy[action + a] = tree.logits[a]
        tree.action_strategy_sum[action + a] = 0.0
        tree.action_lean[action + a] = 0.0
    for m in range(begin, end):
        tree.edge_first[m] = edge + (m - begin) * count
    for a in range(count):
        child = np.int64(-1)
        for m in range(begin, end):
            place, station = tree.edge_first[m] + a, tree.station[m]
            if child >= 0:
                tree.target[place] = target_at(tree, child, station) if has(tree.states[child].possible, station) else WON
                continue
            place_mr_x(tree, node, station)
            play(table, tree.scratch[0], codes[a])
            if tree.scratch[0].turn < 0:
                tree.target[place] = WON if tree.scratch[0].winner == DETECTIVES else LOST
                continue
            child = _add(table, guide, tree, node, codes[a])
            if child < 0:
                return NO_ROOM
            tree.target[place] = target_at(tree, child, station)
        tree.action_code[action + a] = codes[a]
        tree.action_child[action + a] = child
    tree.counts[2], tree.counts[3] = edge + count * (end - begin), action + count
    for m in range(begin, end):
        tree.edge_count[m] = count
    tree.action_first[node], tree.action_count[node] = action, count
    tree.opened[node] = 1
    return DONE


@kernel
def _add_edges(tree, edge, count):
    """The moves of one member, from the first edge that is free."""
    for k in range(count):
        tree.code[edge + k] = tree.out[k]
        tree.prior[edge + k] = tree.logits[k]
        tree.strategy[edge + k] = tree.logits[k]
        tree.strategy_sum[edge + k] = 0.0
        tree.lean[edge + k] = 0.0


@kernel
def _close_mr_x(tree, node, edge, child):
    """All moves are there, up to this edge; the children begin with the given one."""
    begin, end = tree.first[node], tree.first[node + 1]
    for m in range(begin, end):
        tree.edge_count[m] = (tree.edge_first[m + 1] if m + 1 < end else edge) - tree.edge_first[m]
    tree.counts[2] = edge
    tree.action_first[node], tree.action_count[node] = child, tree.counts[0] - child
    tree.opened[node] = 1
    return DONE


@outlined
def _open_mr_x(table, guide, tree, node):
    """Children differ by what the detectives observe: the ticket, and whether the move is doubled."""
    tree.children[:] = -1
    begin, end = tree.first[node], tree.first[node + 1]
    edge, child = tree.counts[2], tree.counts[0]
    for m in range(begin, end):
        station = tree.station[m]
        count = _moves(table, guide, tree, node, station)
        if edge + count >= tree.target.size:
            return NO_ROOM
        tree.edge_first[m] = edge
        _add_edges(tree, edge, count)
        for e in range(edge, edge + count):
            status = _lead(table, guide, tree, node, station, e)
            if status != DONE:
                return status
        edge += count
    return _close_mr_x(tree, node, edge, child)


@outlined
def _open_reveal(table, guide, tree, node, floor):
    """Where Mr X's next move shows him: a child for each move that is likely, from the stations where he is likely.

    Elsewhere the guide's value stays. His range is not needed here: once he was in sight, the past does not count.
    """
    begin, end = tree.first[node], tree.first[node + 1]
    edge, child, total = tree.counts[2], tree.counts[0], 0.0
    for m in range(begin, end):
        total += tree.wide_reach[m]
    for m in range(begin, end):
        tree.edge_first[m] = edge
        if tree.wide_reach[m] < SHARE * total:
            continue
        count = _moves(table, guide, tree, node, tree.station[m])
        count = _keep_likely(tree, count, floor, tree.out.size)
        if edge + count >= tree.target.size:
            return NO_ROOM
        _add_edges(tree, edge, count)
        for e in range(edge, edge + count):
            if not _show(table, guide, tree, node, tree.station[m], e, child):
                return NO_ROOM
        edge += count
    return _close_mr_x(tree, node, edge, child)


@outlined
def _show(table, guide, tree, node, station, edge, first):
    """Where a move in sight leads; the children of the node begin with the first. False when there is no room."""
    code = tree.code[edge]
    for child in range(first, tree.counts[0]):
        if tree.observed[child] == code:
            tree.target[edge] = FIRST_MEMBER + tree.first[child]
            return True
    place_mr_x(tree, node, station)
    play(table, tree.scratch[0], np.int64(code))
    if tree.scratch[0].turn < 0:
        tree.target[edge] = WON if tree.scratch[0].winner == DETECTIVES else LOST
        return True
    child = _add(table, guide, tree, node, code)
    if child < 0:
        return False
    tree.target[edge] = FIRST_MEMBER + tree.first[child]
    return True


@outlined
def _lead(table, guide, tree, node, station, edge):
    """Where a move of Mr X leads."""
    code = np.int64(tree.code[edge])
    there = station if code == PASS else code & HIDDEN
    child = tree.children[code >> TICKET_SHIFT]
    if child >= 0 and has(tree.states[child].possible, there):
        tree.target[edge] = target_at(tree, child, there)
        return DONE
    place_mr_x(tree, node, station)
    play(table, tree.scratch[0], code)
    if tree.scratch[0].turn < 0:
        tree.target[edge] = WON if tree.scratch[0].winner == DETECTIVES else LOST
        return DONE
    if child >= 0:
        return BROKEN
    child = _add(table, guide, tree, node, code | HIDDEN if code != PASS else code)
    if child < 0:
        return NO_ROOM
    tree.children[code >> TICKET_SHIFT] = child
    tree.target[edge] = target_at(tree, child, there)
    return DONE


@part
def _open(table, guide, tree, node, floor):
    """Open a leaf. Where there is no room, the tree is left as it was."""
    nodes, members = tree.counts[0], tree.counts[1]
    edges, actions = tree.counts[2], tree.counts[3]
    if tree.kind[node] == DETECTIVE_NODE:
        status = _open_detective(table, guide, tree, node, floor)
    elif tree.kind[node] == REVEAL_NODE:
        status = _open_reveal(table, guide, tree, node, floor)
    else:
        status = _open_mr_x(table, guide, tree, node)
    if status != DONE:
        tree.counts[0], tree.counts[1] = nodes, members
        tree.counts[2], tree.counts[3] = edges, actions
    return status


@program
def begin(table, guide, tree, root, belief, floor):
    """A tree with its root opened."""
    tree.counts[:] = 0
    tree.first[0] = 0
    tree.value[0], tree.value[1] = 0.0, 1.0
    tree.scratch[0] = root
    if _add(table, guide, tree, -1, -1) < 0:
        return NO_ROOM
    for m in range(belief.size):
        tree.wide_reach[m] = belief[m]
    return _open(table, guide, tree, 0, floor)


@kernel
def _list_likeliest(tree, most):
    """The leaves that the strategies reach most often, into `leaves`, the likeliest first; returns how many."""
    count = 0
    for node in range(tree.counts[0]):
        if tree.opened[node] == 1:
            continue
        chance = 0.0
        for m in range(tree.first[node], tree.first[node + 1]):
            chance += tree.wide_reach[m]
        chance *= tree.wide_node_reach[node]
        place = count
        while place > 0 and tree.leaf_chance[place - 1] < chance:
            place -= 1
        if place == most or chance == 0.0:
            continue
        count = min(count + 1, most)
        for later in range(count - 1, place, -1):
            tree.leaves[later], tree.leaf_chance[later] = tree.leaves[later - 1], tree.leaf_chance[later - 1]
        tree.leaves[place], tree.leaf_chance[place] = node, chance
    return count


@outlined
def grow(table, guide, tree, leaves, floor):
    """Open the likeliest leaves; False when there is no room for more."""
    for k in range(_list_likeliest(tree, leaves)):
        if _open(table, guide, tree, tree.leaves[k], floor) != DONE:
            return False
    return True


__all__ = ["MOST_LEAVES", "Tree", "begin", "grow", "new_tree", "softmax"]
