"""A subgame: the game from a revealed position, with Mr X to move, to his next reveal, as a public tree.

A node is a public state; its members are the stations where Mr X can be: his information sets there. At a
detective's node all members share the actions; at Mr X's node each has its own. The tree is grown by the rules
themselves, so it holds for every option and ticket. Where Mr X's next move reveals him, nothing is left to hide:
he takes the move that leads to the lowest value.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.bits import count_bits
from fogbound.core.compiled import kernel, outlined, program
from fogbound.games.scotland_yard.rules import (
    DETECTIVES,
    DOUBLE,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    State,
    apply,
    has,
    legal,
    member,
    size,
)
from fogbound.solve.positions import canonicalise, find, insert

MR_X_NODE, DETECTIVE_NODE, REVEAL_NODE, HORIZON_NODE = range(4)  # from REVEAL_NODE on: leaves
DONE, NO_ROOM, UNKNOWN_POSITION, TABLE_FULL, BROKEN = range(5)  # how growing a tree ended
LOST, WON, FIRST_MEMBER = 0, 1, 2  # edges lead to the detectives' loss, their win, or a member
CODES = 1 << 14


class Subgame(NamedTuple):
    """A public tree, and room for a larger one. Members of a node and edges of a member lie side by side."""

    states: NDArray[Any]  # [node]: the public state (Mr X's station is filled in where it is needed)
    kind: NDArray[np.int8]  # [node]
    first: NDArray[np.int32]  # [node]: its first member
    parent: NDArray[np.int32]  # [node]
    observed: NDArray[np.int32]  # [node]: the move that led here, as the detectives observed it
    action_first: NDArray[np.int32]  # [node]: a detective's first action
    station: NDArray[np.int16]  # [member]
    edge_first: NDArray[np.int32]  # [member]
    lower: NDArray[np.float64]  # [member] of a reveal node: bounds on its value
    upper: NDArray[np.float64]
    target: NDArray[np.int32]  # [edge]: LOST, WON or FIRST_MEMBER + member
    code: NDArray[np.int32]  # [edge] of Mr X: his action
    action_code: NDArray[np.int32]  # [action] of a detective
    action_child: NDArray[np.int32]  # [action]: the node it leads to, or -1
    counts: NDArray[np.int64]  # nodes, members, edges, actions
    scratch: NDArray[Any]
    out: NDArray[np.int64]
    memo_node: NDArray[np.int64]  # [code]: the last reveal node at which it was looked up, plus 1
    memo_bounds: NDArray[np.float64]  # [code, bound]: the bounds that were found there


def new_subgame(nodes: int, most_actions: int) -> Subgame:
    """Room for a tree of this many nodes."""
    members, edges, actions = nodes * 8, nodes * 32, nodes * 2
    return Subgame(
        np.zeros(nodes, State),
        np.zeros(nodes, np.int8),
        np.zeros(nodes + 1, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes, np.int32),
        np.zeros(nodes + 1, np.int32),
        np.zeros(members, np.int16),
        np.zeros(members + 1, np.int32),
        np.zeros(members),
        np.zeros(members),
        np.zeros(edges, np.int32),
        np.zeros(edges, np.int32),
        np.zeros(actions, np.int32),
        np.zeros(actions, np.int32),
        np.zeros(4, np.int64),
        np.zeros(1, State),
        np.zeros(most_actions, np.int64),
        np.zeros(CODES, np.int64),
        np.zeros((CODES, 2)),
    )


@kernel
def rank_of(members, station):
    """How many members come before this station."""
    rank = 0
    for w in range(station >> 6):
        rank += count_bits(members[w])
    below = (np.uint64(1) << np.uint64(station & 63)) - np.uint64(1)
    return rank + count_bits(members[station >> 6] & below)


@outlined
def play(table, state, code):
    """Apply a move; outlined, because the rules would otherwise be compiled into every loop below."""
    apply(table, state, code, 0)  # moves in this family draw nothing


@outlined
def moves(table, state, out):
    """The legal moves, outlined for the same reason."""
    return legal(table, state, out)


@outlined
def to_canonical(table, form, state):
    """The canonical form of a revealed position, outlined for the same reason."""
    return canonicalise(table, form, state)


@kernel
def _outcome(state):
    return WON if state.winner == DETECTIVES else LOST


@kernel
def kind_of(table, state):
    if state.turn > 0:
        return DETECTIVE_NODE
    closing = state.round > table.rounds and state.tickets[0, DOUBLE] == 0
    if closing or table.reveal[state.slot + 1]:
        return REVEAL_NODE
    return MR_X_NODE


@outlined
def _add_node(table, subgame, parent, observed):
    """A node for the state in scratch; -1 when there is no room."""
    node, member_count = subgame.counts[0], subgame.counts[1]
    stations = size(subgame.scratch[0].possible)
    if node + 1 >= subgame.kind.size or member_count + stations >= subgame.station.size:
        return np.int64(-1)
    subgame.states[node] = subgame.scratch[0]
    subgame.kind[node] = kind_of(table, subgame.scratch[0])
    subgame.parent[node] = parent
    subgame.observed[node] = observed
    subgame.first[node] = member_count
    for rank in range(stations):
        subgame.station[member_count + rank] = member(subgame.scratch[0].possible, rank)
    subgame.counts[0] = node + 1
    subgame.counts[1] = member_count + stations
    subgame.first[node + 1] = member_count + stations
    return np.int64(node)


@kernel
def place_mr_x(subgame, node, station):
    """The state of this node with Mr X at a station, into scratch."""
    subgame.scratch[0] = subgame.states[node]
    subgame.scratch[0].station[0] = station


@kernel
def target_at(subgame, node, station):
    """The target of an edge to a station of this node."""
    return FIRST_MEMBER + subgame.first[node] + rank_of(subgame.states[node].possible, station)


@outlined
def _grow_detective(table, subgame, node):
    begin, end = subgame.first[node], subgame.first[node + 1]
    place_mr_x(subgame, node, subgame.station[begin])
    count = moves(table, subgame.scratch[0], subgame.out)
    edge, action = subgame.counts[2], subgame.counts[3]
    if edge + count * (end - begin) >= subgame.target.size or action + count >= subgame.action_code.size:
        return NO_ROOM
    subgame.action_first[node + 1] = action + count
    subgame.counts[2] = edge + count * (end - begin)
    subgame.counts[3] = action + count
    for m in range(begin, end):
        subgame.edge_first[m] = edge + (m - begin) * count
        subgame.edge_first[m + 1] = edge + (m - begin + 1) * count
    for a in range(count):
        code = subgame.out[a]
        child = np.int64(-1)
        for m in range(begin, end):
            place = edge + (m - begin) * count + a
            station = subgame.station[m]
            if child >= 0:
                alive = has(subgame.states[child].possible, station)
                subgame.target[place] = target_at(subgame, child, station) if alive else WON
                continue
            place_mr_x(subgame, node, station)
            play(table, subgame.scratch[0], code)
            if subgame.scratch[0].turn < 0:
                subgame.target[place] = _outcome(subgame.scratch[0])
                continue
            child = _add_node(table, subgame, node, code)
            if child < 0:
                return NO_ROOM
            subgame.target[place] = target_at(subgame, child, station)
        subgame.action_code[action + a] = code
        subgame.action_child[action + a] = child
    return DONE


@outlined
def _grow_mr_x(table, subgame, children, node):
    """Children differ by what the detectives observe: the ticket, and whether the move is doubled."""
    children[:] = -1
    subgame.action_first[node + 1] = subgame.counts[3]
    for m in range(subgame.first[node], subgame.first[node + 1]):
        station = subgame.station[m]
        place_mr_x(subgame, node, station)
        count = moves(table, subgame.scratch[0], subgame.out)
        edge = subgame.counts[2]
        if edge + count >= subgame.target.size:
            return NO_ROOM
        subgame.edge_first[m] = edge
        subgame.edge_first[m + 1] = edge + count
        subgame.counts[2] = edge + count
        for k in range(count):
            code = subgame.out[k]
            subgame.code[edge + k] = code
            there = station if code == PASS else code & HIDDEN
            child = children[code >> TICKET_SHIFT]
            if child >= 0 and has(subgame.states[child].possible, there):
                subgame.target[edge + k] = target_at(subgame, child, there)
                continue
            place_mr_x(subgame, node, station)
            play(table, subgame.scratch[0], code)
            if subgame.scratch[0].turn < 0:
                subgame.target[edge + k] = _outcome(subgame.scratch[0])
                continue
            if child >= 0:
                return BROKEN
            child = _add_node(table, subgame, node, code | HIDDEN if code != PASS else code)
            if child < 0:
                return NO_ROOM
            children[code >> TICKET_SHIFT] = child
            subgame.target[edge + k] = target_at(subgame, child, there)
    return DONE


@outlined
def look_up(table, form, known, subgame, code):
    """Bounds on the value of the position in scratch, into memo_bounds[code]."""
    state = subgame.scratch[0]
    if state.turn < 0:
        value = 1.0 if state.winner == DETECTIVES else 0.0
        subgame.memo_bounds[code, 0] = value
        subgame.memo_bounds[code, 1] = value
        return DONE
    to_canonical(table, form, state)
    i = find(table, form, known, state)
    if i < 0:
        return UNKNOWN_POSITION
    subgame.memo_bounds[code, 0] = known.lower[i]
    subgame.memo_bounds[code, 1] = known.upper[i]
    return DONE


@outlined
def _value_reveal_node(table, form, known, subgame, node):
    """Mr X's next move reveals him: he takes the move that leads to the lowest value."""
    for m in range(subgame.first[node], subgame.first[node + 1]):
        station = subgame.station[m]
        place_mr_x(subgame, node, station)
        count = moves(table, subgame.scratch[0], subgame.out)
        lower, upper = 1.0, 1.0
        for k in range(count):
            code = subgame.out[k]
            if subgame.memo_node[code] != node + 1 or code == PASS:
                place_mr_x(subgame, node, station)
                play(table, subgame.scratch[0], code)
                status = look_up(table, form, known, subgame, code)
                if status != DONE:
                    return status
                subgame.memo_node[code] = node + 1
            lower = min(lower, subgame.memo_bounds[code, 0])
            upper = min(upper, subgame.memo_bounds[code, 1])
            if upper <= 0.0:  # nothing is lower
                break
        subgame.lower[m] = lower
        subgame.upper[m] = upper
    return DONE


@outlined
def _list_reveal_node(table, form, found, subgame, node):
    """The positions in which Mr X's next move can reveal him, into a table."""
    for m in range(subgame.first[node], subgame.first[node + 1]):
        station = subgame.station[m]
        place_mr_x(subgame, node, station)
        count = moves(table, subgame.scratch[0], subgame.out)
        for k in range(count):
            code = subgame.out[k]
            if subgame.memo_node[code] == node + 1 and code != PASS:
                continue
            subgame.memo_node[code] = node + 1
            place_mr_x(subgame, node, station)
            play(table, subgame.scratch[0], code)
            if subgame.scratch[0].turn >= 0:
                to_canonical(table, form, subgame.scratch[0])
                if not insert(table, form, found, subgame.scratch[0]):
                    return TABLE_FULL
    return DONE


@program
def start_tree(table, subgame, root):
    """Begin a tree with its root alone."""
    subgame.counts[:] = 0
    subgame.memo_node[:] = 0
    subgame.first[0] = 0
    subgame.action_first[0] = 0
    subgame.edge_first[0] = 0
    subgame.scratch[0] = root
    return DONE if _add_node(table, subgame, -1, -1) >= 0 else NO_ROOM


@outlined
def _grow_reveal_node(table, subgame, node, with_edges):
    """Nothing follows a reveal node; its members' moves are listed only on request."""
    subgame.action_first[node + 1] = subgame.counts[3]
    for m in range(subgame.first[node], subgame.first[node + 1]):
        edge, count = subgame.counts[2], 0
        if with_edges:
            place_mr_x(subgame, node, subgame.station[m])
            count = moves(table, subgame.scratch[0], subgame.out)
        if edge + count >= subgame.target.size:
            return NO_ROOM
        for k in range(count):
            subgame.code[edge + k] = subgame.out[k]
            subgame.target[edge + k] = LOST
        subgame.edge_first[m] = edge
        subgame.edge_first[m + 1] = edge + count
        subgame.counts[2] = edge + count
    return DONE


@program
def grow(table, subgame, root, with_edges):
    """The whole tree of a subgame, its reveal nodes not yet valued."""
    status = start_tree(table, subgame, root)
    children = np.empty(32, np.int64)
    node = 0
    while status == DONE and node < subgame.counts[0]:
        if subgame.kind[node] == DETECTIVE_NODE:
            status = _grow_detective(table, subgame, node)
        elif subgame.kind[node] == MR_X_NODE:
            status = _grow_mr_x(table, subgame, children, node)
        else:
            status = _grow_reveal_node(table, subgame, node, with_edges)
        node += 1
    return status


@kernel
def _is_horizon(subgame, node, depth, most_depth, most_members):
    """Whether a tree with limits ends at a node: there Mr X is in sight again, or a limit is reached."""
    if node == 0 or subgame.kind[node] == REVEAL_NODE:
        return False
    in_sight = subgame.states[node].shown == 1 and subgame.kind[node] == MR_X_NODE
    return in_sight or depth >= most_depth or subgame.counts[1] >= most_members


@program
def grow_within(table, subgame, root, most_depth, most_members):
    """A tree with limits: so many moves deep, and no node expanded once there are so many members; level by level."""
    status = start_tree(table, subgame, root)
    children, depths = np.empty(32, np.int64), np.zeros(subgame.kind.size, np.int64)
    node = 0
    while status == DONE and node < subgame.counts[0]:
        if node > 0:
            depths[node] = depths[subgame.parent[node]] + 1
        if _is_horizon(subgame, node, depths[node], most_depth, most_members):
            subgame.kind[node] = HORIZON_NODE
        if subgame.kind[node] == DETECTIVE_NODE:
            status = _grow_detective(table, subgame, node)
        elif subgame.kind[node] == MR_X_NODE:
            status = _grow_mr_x(table, subgame, children, node)
        else:
            status = _grow_reveal_node(table, subgame, node, False)
        node += 1
    return status


@program
def value_reveals(table, form, known, subgame):
    """Give the reveal nodes of a grown tree their bounds, from positions with known values."""
    status = DONE
    subgame.memo_node[:] = 0
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == REVEAL_NODE and status == DONE:
            status = _value_reveal_node(table, form, known, subgame, node)
    return status


@outlined
def _in_sight(table, form, subgame, node):
    """The position of a horizon node at which Mr X is in sight, in canonical form, into scratch."""
    place_mr_x(subgame, node, subgame.station[subgame.first[node]])
    to_canonical(table, form, subgame.scratch[0])


@program
def value_horizon(table, form, known, subgame):
    """Give the horizon nodes at which Mr X is in sight their bounds, from positions with known values."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == HORIZON_NODE and subgame.states[node].shown == 1:
            _in_sight(table, form, subgame, node)
            i = find(table, form, known, subgame.scratch[0])
            if i < 0:
                return UNKNOWN_POSITION
            subgame.lower[subgame.first[node]] = known.lower[i]
            subgame.upper[subgame.first[node]] = known.upper[i]
    return DONE


@program
def list_horizon(table, form, found, subgame):
    """Insert the positions of those horizon nodes into a table."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == HORIZON_NODE and subgame.states[node].shown == 1:
            _in_sight(table, form, subgame, node)
            if not insert(table, form, found, subgame.scratch[0]):
                return TABLE_FULL
    return DONE


@program
def list_reveals(table, form, found, subgame):
    """Insert the positions that a grown tree leads to into a table."""
    status = DONE
    subgame.memo_node[:] = 0
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == REVEAL_NODE and status == DONE:
            status = _list_reveal_node(table, form, found, subgame, node)
    return status
