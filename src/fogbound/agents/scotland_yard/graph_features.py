"""What the graph net of Scotland Yard is told, as bytes: numbers of every station, and numbers of the whole position.

Nothing in them names a station, a line or a board: tickets are told by how common their lines are, places by how far
they are from the pieces, time by what is left of it. So one net can play any board. Training is told by the same kernel
(train/scotland_yard/graph_matches.py); nothing goes beyond what the seat to move may know.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, part
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, DOUBLED, HIDDEN, TICKET_SHIFT, Table, has, size

CLASSES = 3  # of ordinary tickets: of the most lines, of the next, of all others
EDGES = CLASSES + 1  # and lines of any kind, the ferry's too
WAYS = 2 * (CLASSES + 1)  # to go to a station: by a class or a black ticket, as a single move or the first of a double
REACH = 8  # closeness fades to 0 at this many moves
LONGEST = 24  # more rounds to go than this are as good as so many
MANY = 12  # more tickets than this are as good as unlimited
FULL = 255

# Numbers of a station.
POSSIBLE, LIKELY, SEEN, MR_X, DETECTIVE, MOVER, PENDING = range(7)
TICKETS = 7  # of the detective here, by class; then whether he has none
NEAR, NEAR_OTHERS, NEAR_MOVER, NEAR_MR_X, NEAR_SEEN, NEAR_PENDING = range(13, 19)
DEGREE = 19  # by kind of line
FIGURES = DEGREE + EDGES

# Numbers of the position.
IS_MR_X, SECOND, SHOWN, LEFT, LATE, SOON, NEXT = range(7)  # from NEXT on: whether the next log slot is a reveal, or ...
UNSEEN, SINCE, TEAM = 9, 10, 11
TO_MOVE, SPREAD, CERTAIN, AMONG = range(16, 20)
PURSE = 20  # Mr X's tickets by class, black, double; then whether he has none
OWN = 30  # the mover's tickets by class; then whether he has none
MEAN = 36  # of all detectives, by class
STATIONS, RULES, ENDLESS = 39, 40, 45
WHOLE = 46


class Ground(NamedTuple):
    """A board as the net sees it."""

    ticket_class: NDArray[np.int64]  # [transport]; -1 where only a black ticket pays
    near: NDArray[np.uint8]  # [station, station]: closeness by ordinary tickets
    edge_start: NDArray[np.int32]  # [kind * stations + station]: into `edges`
    edges: NDArray[np.int16]  # the stations that lines of a kind lead to
    degree: NDArray[np.uint8]  # [station, kind]
    rules: NDArray[np.uint8]


def ground_of(game: ScotlandYard) -> Ground:
    table = game.table
    ticket_class = classes_of(table)
    ends = _ends(table, ticket_class)
    starts = np.concatenate([[0], np.cumsum([len(each) for each in ends])]).astype(np.int32)
    counts = np.diff(starts).reshape(EDGES, table.stations).T
    hops = np.minimum(game.paths.hops.astype(np.int64), REACH)
    flags = (table.step_on_detective, table.hand_over, table.detectives_first, table.closing_move, table.stuck_pass)
    made = Ground(
        ticket_class=ticket_class,
        near=((REACH - hops) * FULL // REACH).astype(np.uint8),
        edge_start=starts,
        edges=np.array([end for each in ends for end in each], np.int16),
        degree=(np.minimum(counts, 15) * 17).astype(np.uint8),
        rules=(np.array(flags) * FULL).astype(np.uint8),
    )
    for array in made:
        array.setflags(write=False)
    return made


def classes_of(table: Table) -> NDArray[np.int64]:
    """Transports by the number of their lines, the commonest first; equal ones in the board's order."""
    lines = np.bincount(table.links >> TICKET_SHIFT, minlength=table.transports)
    found = np.full(table.transports, -1, np.int64)
    for rank, transport in enumerate(np.argsort(-lines, kind="stable")):
        if table.payable >> int(transport) & 1:
            found[transport] = min(rank, CLASSES - 1)
    return found


def _ends(table: Table, ticket_class: NDArray[np.int64]) -> list[list[int]]:
    """[kind * stations + station]: the stations that it leads to, each once."""
    found: list[list[int]] = []
    for kind in range(CLASSES):
        for here in range(table.stations):
            links = table.links[table.link_start[here] : table.link_start[here + 1]]
            mine = ticket_class[links >> TICKET_SHIFT] == kind
            found.append(sorted({int(end) for end in links[mine] & HIDDEN}))
    for here in range(table.stations):
        found.append([int(end) for end in table.any_links[table.any_start[here] : table.any_start[here + 1]]])
    return found


@part
def tell(table, ground, view, seat, nodes, whole):
    """Write what the seat to move knows: nodes [station, FIGURES], whole [WHOLE]."""
    among = size(view.possible)
    nodes[: table.stations] = 0
    for station in range(table.stations):
        if has(view.possible, station):
            nodes[station, POSSIBLE] = FULL
            nodes[station, LIKELY] = FULL // max(among, 1)
        for kind in range(EDGES):
            nodes[station, DEGREE + kind] = ground.degree[station, kind]
    if view.last_seen >= 0:
        nodes[view.last_seen, SEEN] = FULL
        for station in range(table.stations):
            nodes[station, NEAR_SEEN] = ground.near[view.last_seen, station]
    if view.station[0] >= 0:
        nodes[view.station[0], MR_X] = FULL
        for station in range(table.stations):
            nodes[station, NEAR_MR_X] = ground.near[view.station[0], station]
    if view.station[seat] >= 0:  # of a public state, which nobody in particular sees, Mr X's is not known
        nodes[view.station[seat], MOVER] = FULL
    for other in range(1, table.detectives + 1):
        _tell_detective(table, ground, view, seat, other, nodes)
    _tell_whole(table, ground, view, seat, among, whole)


@kernel
def _tell_detective(table, ground, view, seat, other, nodes):
    here = view.station[other]
    pending = other >= seat
    nodes[here, DETECTIVE] = FULL
    if pending:
        nodes[here, PENDING] = FULL
    for kind in range(CLASSES):
        tickets = _tickets(table, ground, view, other, kind)
        nodes[here, TICKETS + kind] = _few(tickets)
        nodes[here, TICKETS + CLASSES + kind] = FULL if tickets == 0 else 0
    for station in range(table.stations):
        close = ground.near[here, station]
        nodes[station, NEAR] = max(nodes[station, NEAR], close)
        if other == seat:
            nodes[station, NEAR_MOVER] = close
        else:
            nodes[station, NEAR_OTHERS] = max(nodes[station, NEAR_OTHERS], close)
        if pending:
            nodes[station, NEAR_PENDING] = max(nodes[station, NEAR_PENDING], close)


@kernel
def _tickets(table, ground, view, seat, kind):
    """A seat's tickets of a class."""
    total = np.int64(0)
    for transport in range(table.transports):
        if ground.ticket_class[transport] == kind:
            total += view.tickets[seat, transport]
    return total


@kernel
def _few(tickets):
    return min(tickets, MANY) * (FULL // MANY)


@kernel
def _tell_whole(table, ground, view, seat, among, whole):
    whole[:] = 0
    whole[IS_MR_X] = FULL if seat == 0 else 0
    whole[SECOND], whole[SHOWN] = view.second * FULL, view.shown * FULL
    left = max(np.int64(table.rounds) - view.round, 0)
    whole[LEFT] = min(left, LONGEST) * 10
    whole[LATE] = FULL // (1 + left)
    until = np.int64(1)
    while view.slot + until < table.reveal.size and not table.reveal[view.slot + until]:
        until += 1
    if view.slot + until < table.reveal.size:
        whole[SOON] = FULL // until
        if until <= 3:
            whole[NEXT + until - 1] = FULL
    else:
        whole[UNSEEN] = FULL
    whole[SINCE] = min(view.slot - view.seen_slot, 8) * 31
    whole[TEAM + table.detectives - 1] = FULL
    whole[TO_MOVE] = (table.detectives + 1 - max(seat, 1)) * 51
    whole[SPREAD] = FULL * among // table.stations
    whole[CERTAIN] = FULL // max(among, 1)
    whole[AMONG] = min(among, 20) * 12
    for kind in range(CLASSES):
        _tell_tickets(whole, PURSE + kind, CLASSES + 2, _tickets(table, ground, view, 0, kind))
        _tell_tickets(whole, OWN + kind, CLASSES, _tickets(table, ground, view, seat, kind))
        total = np.int64(0)
        for other in range(1, table.detectives + 1):
            total += _few(_tickets(table, ground, view, other, kind))
        whole[MEAN + kind] = total // table.detectives
    _tell_tickets(whole, PURSE + CLASSES, CLASSES + 2, np.int64(view.tickets[0, BLACK]))
    _tell_tickets(whole, PURSE + CLASSES + 1, CLASSES + 2, np.int64(view.tickets[0, DOUBLE]))
    whole[STATIONS] = min(np.int64(table.stations), FULL)
    for rule in range(ground.rules.size):
        whole[RULES + rule] = ground.rules[rule]
    whole[ENDLESS] = FULL if _tickets(table, ground, view, 0, 0) >= FULL else 0


@kernel
def _tell_tickets(whole, place, apart, tickets):
    """How many, and `apart` places on whether there is none."""
    whole[place] = _few(tickets)
    whole[place + apart] = FULL if tickets == 0 else 0


@kernel
def way_of(ground, action):
    """How a move goes to its station, as the net tells them apart."""
    ticket = (action >> TICKET_SHIFT) & 15
    way = CLASSES if ticket == BLACK else ground.ticket_class[ticket]
    return way + (CLASSES + 1 if action & DOUBLED else 0)
