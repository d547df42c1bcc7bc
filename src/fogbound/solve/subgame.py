"""A stretch: the game from an open position, with Mr X to move, to his next showing, as a public tree.

A node is what everybody knows; its members are the stations where Mr X can be. At a
detective's node all members share the moves; at Mr X's node each has its own. The tree is
grown by the rules themselves, so it holds for every option and ticket. Where Mr X's next
move shows him, nothing is left to hide: he takes the move that leads to the lowest value.
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
from fogbound.solve.positions import enter, find, fold

MR_X_NODE, DETECTIVE_NODE, SHOWN_NODE = 0, 1, 2
DONE, NO_ROOM, UNKNOWN_POSITION, TABLE_FULL, BROKEN = range(5)  # how growing a tree ended
LOST, WON, FIRST_MEMBER = 0, 1, 2  # edges lead to the detectives' loss, their win, or a member
CODES = 1 << 14


class Stretch(NamedTuple):
    """A public tree, and room for a larger one. Members of a node and edges of a member lie side by side."""

    states: NDArray[Any]  # [node]: what is public (Mr X's station is filled in where it is needed)
    kind: NDArray[np.int8]  # [node]
    first: NDArray[np.int32]  # [node]: its first member
    parent: NDArray[np.int32]  # [node]
    seen: NDArray[np.int32]  # [node]: the move that led here, as the detectives saw it
    action_first: NDArray[np.int32]  # [node]: a detective's first action
    station: NDArray[np.int16]  # [member]
    edge_first: NDArray[np.int32]  # [member]
    lower: NDArray[np.float64]  # [member] of a shown node: bounds on its value
    upper: NDArray[np.float64]
    target: NDArray[np.int32]  # [edge]: LOST, WON or FIRST_MEMBER + member
    code: NDArray[np.int32]  # [edge] of Mr X: his action
    action_code: NDArray[np.int32]  # [action] of a detective
    action_child: NDArray[np.int32]  # [action]: the node it leads to, or -1
    counts: NDArray[np.int64]  # nodes, members, edges, actions
    scratch: NDArray[Any]
    out: NDArray[np.int64]
    stamp: NDArray[np.int64]  # [code]: the last node that valued it
    stamped: NDArray[np.float64]  # [code, bound]


def room(nodes: int, most_actions: int) -> Stretch:
    """Room for a tree of this many nodes."""
    members, edges, actions = nodes * 8, nodes * 32, nodes * 2
    return Stretch(
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
def _rank(members, station):
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
def show(table, folding, state):
    """Fold an open position, outlined for the same reason."""
    return fold(table, folding, state)


@kernel
def _outcome(state):
    return WON if state.winner == DETECTIVES else LOST


@kernel
def _kind(table, state):
    if state.turn > 0:
        return DETECTIVE_NODE
    closing = state.round > table.rounds and state.tickets[0, DOUBLE] == 0
    if closing or table.reveal[state.slot + 1]:
        return SHOWN_NODE
    return MR_X_NODE


@outlined
def _add_node(table, stretch, parent, seen):
    """A node for the state in scratch; -1 when there is no room."""
    node, member_count = stretch.counts[0], stretch.counts[1]
    stations = size(stretch.scratch[0].possible)
    if node + 1 >= stretch.kind.size or member_count + stations >= stretch.station.size:
        return np.int64(-1)
    stretch.states[node] = stretch.scratch[0]
    stretch.kind[node] = _kind(table, stretch.scratch[0])
    stretch.parent[node] = parent
    stretch.seen[node] = seen
    stretch.first[node] = member_count
    for rank in range(stations):
        stretch.station[member_count + rank] = member(stretch.scratch[0].possible, rank)
    stretch.counts[0] = node + 1
    stretch.counts[1] = member_count + stations
    stretch.first[node + 1] = member_count + stations
    return np.int64(node)


@kernel
def stand(stretch, node, station):
    """Mr X at a station of this node, in scratch."""
    stretch.scratch[0] = stretch.states[node]
    stretch.scratch[0].station[0] = station


@kernel
def _into(stretch, node, station):
    """The edge's end at a station of this node."""
    return FIRST_MEMBER + stretch.first[node] + _rank(stretch.states[node].possible, station)


@outlined
def _grow_detective(table, stretch, node):
    begin, end = stretch.first[node], stretch.first[node + 1]
    stand(stretch, node, stretch.station[begin])
    count = moves(table, stretch.scratch[0], stretch.out)
    edge, action = stretch.counts[2], stretch.counts[3]
    if edge + count * (end - begin) >= stretch.target.size or action + count >= stretch.action_code.size:
        return NO_ROOM
    stretch.action_first[node + 1] = action + count
    stretch.counts[2] = edge + count * (end - begin)
    stretch.counts[3] = action + count
    for m in range(begin, end):
        stretch.edge_first[m] = edge + (m - begin) * count
        stretch.edge_first[m + 1] = edge + (m - begin + 1) * count
    for a in range(count):
        code = stretch.out[a]
        child = np.int64(-1)
        for m in range(begin, end):
            place = edge + (m - begin) * count + a
            station = stretch.station[m]
            if child >= 0:
                alive = has(stretch.states[child].possible, station)
                stretch.target[place] = _into(stretch, child, station) if alive else WON
                continue
            stand(stretch, node, station)
            play(table, stretch.scratch[0], code)
            if stretch.scratch[0].turn < 0:
                stretch.target[place] = _outcome(stretch.scratch[0])
                continue
            child = _add_node(table, stretch, node, code)
            if child < 0:
                return NO_ROOM
            stretch.target[place] = _into(stretch, child, station)
        stretch.action_code[action + a] = code
        stretch.action_child[action + a] = child
    return DONE


@outlined
def _grow_mr_x(table, stretch, children, node):
    """Children are told apart by what the detectives see: the ticket, and whether the move is doubled."""
    children[:] = -1
    stretch.action_first[node + 1] = stretch.counts[3]
    for m in range(stretch.first[node], stretch.first[node + 1]):
        station = stretch.station[m]
        stand(stretch, node, station)
        count = moves(table, stretch.scratch[0], stretch.out)
        edge = stretch.counts[2]
        if edge + count >= stretch.target.size:
            return NO_ROOM
        stretch.edge_first[m] = edge
        stretch.edge_first[m + 1] = edge + count
        stretch.counts[2] = edge + count
        for k in range(count):
            code = stretch.out[k]
            stretch.code[edge + k] = code
            there = station if code == PASS else code & HIDDEN
            child = children[code >> TICKET_SHIFT]
            if child >= 0 and has(stretch.states[child].possible, there):
                stretch.target[edge + k] = _into(stretch, child, there)
                continue
            stand(stretch, node, station)
            play(table, stretch.scratch[0], code)
            if stretch.scratch[0].turn < 0:
                stretch.target[edge + k] = _outcome(stretch.scratch[0])
                continue
            if child >= 0:
                return BROKEN
            child = _add_node(table, stretch, node, code | HIDDEN if code != PASS else code)
            if child < 0:
                return NO_ROOM
            children[code >> TICKET_SHIFT] = child
            stretch.target[edge + k] = _into(stretch, child, there)
    return DONE


@outlined
def look_up(table, folding, known, stretch, code):
    """Bounds on the value of the position in scratch, into stamped[code]."""
    state = stretch.scratch[0]
    if state.turn < 0:
        value = 1.0 if state.winner == DETECTIVES else 0.0
        stretch.stamped[code, 0] = value
        stretch.stamped[code, 1] = value
        return DONE
    show(table, folding, state)
    i = find(table, folding, known, state)
    if i < 0:
        return UNKNOWN_POSITION
    stretch.stamped[code, 0] = known.lower[i]
    stretch.stamped[code, 1] = known.upper[i]
    return DONE


@outlined
def _value_shown(table, folding, known, stretch, node):
    """Mr X is about to show himself: he takes the best of the positions that he can show."""
    for m in range(stretch.first[node], stretch.first[node + 1]):
        station = stretch.station[m]
        stand(stretch, node, station)
        count = moves(table, stretch.scratch[0], stretch.out)
        lower, upper = 1.0, 1.0
        for k in range(count):
            code = stretch.out[k]
            if stretch.stamp[code] != node + 1 or code == PASS:
                stand(stretch, node, station)
                play(table, stretch.scratch[0], code)
                status = look_up(table, folding, known, stretch, code)
                if status != DONE:
                    return status
                stretch.stamp[code] = node + 1
            lower = min(lower, stretch.stamped[code, 0])
            upper = min(upper, stretch.stamped[code, 1])
        stretch.lower[m] = lower
        stretch.upper[m] = upper
    return DONE


@outlined
def _list_shown(table, folding, found, stretch, node):
    """The positions that Mr X can show from here, into a table."""
    for m in range(stretch.first[node], stretch.first[node + 1]):
        station = stretch.station[m]
        stand(stretch, node, station)
        count = moves(table, stretch.scratch[0], stretch.out)
        for k in range(count):
            code = stretch.out[k]
            if stretch.stamp[code] == node + 1 and code != PASS:
                continue
            stretch.stamp[code] = node + 1
            stand(stretch, node, station)
            play(table, stretch.scratch[0], code)
            if stretch.scratch[0].turn >= 0:
                show(table, folding, stretch.scratch[0])
                if not enter(table, folding, found, stretch.scratch[0]):
                    return TABLE_FULL
    return DONE


@program
def plant(table, stretch, root):
    """Begin a tree with its root alone."""
    stretch.counts[:] = 0
    stretch.stamp[:] = 0
    stretch.first[0] = 0
    stretch.action_first[0] = 0
    stretch.edge_first[0] = 0
    stretch.scratch[0] = root
    return DONE if _add_node(table, stretch, -1, -1) >= 0 else NO_ROOM


@outlined
def _grow_shown(table, stretch, node, with_edges):
    """Nothing follows a shown node; its members' moves are listed only if asked for."""
    stretch.action_first[node + 1] = stretch.counts[3]
    for m in range(stretch.first[node], stretch.first[node + 1]):
        edge, count = stretch.counts[2], 0
        if with_edges:
            stand(stretch, node, stretch.station[m])
            count = moves(table, stretch.scratch[0], stretch.out)
        if edge + count >= stretch.target.size:
            return NO_ROOM
        for k in range(count):
            stretch.code[edge + k] = stretch.out[k]
            stretch.target[edge + k] = LOST
        stretch.edge_first[m] = edge
        stretch.edge_first[m + 1] = edge + count
        stretch.counts[2] = edge + count
    return DONE


@program
def grow(table, stretch, root, with_edges):
    """The whole tree of a stretch, its shown nodes not yet valued."""
    status = plant(table, stretch, root)
    children = np.empty(32, np.int64)
    node = 0
    while status == DONE and node < stretch.counts[0]:
        if stretch.kind[node] == DETECTIVE_NODE:
            status = _grow_detective(table, stretch, node)
        elif stretch.kind[node] == MR_X_NODE:
            status = _grow_mr_x(table, stretch, children, node)
        else:
            status = _grow_shown(table, stretch, node, with_edges)
        node += 1
    return status


@program
def value_shown(table, folding, known, stretch):
    """Look the shown nodes of a grown tree up among positions with known values."""
    status = DONE
    stretch.stamp[:] = 0
    for node in range(stretch.counts[0]):
        if stretch.kind[node] == SHOWN_NODE and status == DONE:
            status = _value_shown(table, folding, known, stretch, node)
    return status


@program
def list_shown(table, folding, found, stretch):
    """Enter the positions that a grown tree leads to into a table."""
    status = DONE
    stretch.stamp[:] = 0
    for node in range(stretch.counts[0]):
        if stretch.kind[node] == SHOWN_NODE and status == DONE:
            status = _list_shown(table, folding, found, stretch, node)
    return status
