"""What the policy nets of Scotland Yard are told: a row of bytes, or the list of inputs that are not zero.

A row is the compact form of a concealed state, small enough to send to a GPU and expand there. The inputs
are sparse: play adds up the few columns that count. Both say the same; nothing in them goes beyond the view.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, HIDDEN, TICKET_SHIFT, Table, has, size

# Places in a row. Stations are kept as index + 1, 0 is none; tickets over 255 as 255.
SEAT, TEAM, ROUND, SLOT, SINCE, SECOND, SHOWN, SEEN = range(8)
STATION = 8  # six, Mr X's as far as the seat to move knows it
TICKETS = 14  # six times ten
POSSIBLE = 74  # 256 bits
VIEW_BYTES = 106

REACH = 6  # closeness fades to 0 at this many moves
SINCE_CAP = 8
PLENTY = 20  # more tickets than this are as good as unlimited
MOST_STATIONS = 254
ALIGN = 64


class Layout(NamedTuple):
    """The inputs for one board and team size, and the answers of both nets.

    Blocks of one input a station: Mr X as known, each detective (from the one to move, in order), the
    possible set, the last place seen, closeness of the nearest detective, and the possible set weighed by
    closeness to the piece to move and to the nearest of the other detectives. Then the small inputs.
    """

    stations: int
    team: int  # detectives that there is room for
    transports: int
    slots: int
    rounds: int
    inputs: int  # rounded up for the GPU; the last one is always zero
    near: NDArray[np.float32]  # [station, station]: closeness by ordinary tickets
    codes: NDArray[np.int16]  # answers of Mr X's single moves; those of double moves follow
    detective_codes: NDArray[np.int16]
    link_answer: NDArray[np.int32]  # of each of table.links, for Mr X
    any_answer: NDArray[np.int32]  # of each of table.any_links, by a black ticket
    detective_answer: NDArray[np.int32]  # of each of table.links, for a detective


def layout(game: ScotlandYard, team: int) -> Layout:
    table = game.table
    assert table.stations <= MOST_STATIONS and table.detectives <= team
    black = table.any_links | BLACK << TICKET_SHIFT
    codes = np.unique(np.concatenate([table.links, black])).astype(np.int16)
    detective_codes = np.unique(table.links)
    slots, rounds = table.reveal.size, table.rounds + 2
    small = slots + rounds + SINCE_CAP + 1 + team + 1 + team + 4 + 2 * (team * table.transports + table.transports + 2)
    near = (np.maximum(REACH - hops(table), 0) / REACH).astype(np.float32)
    made = Layout(
        stations=table.stations,
        team=team,
        transports=table.transports,
        slots=slots,
        rounds=rounds,
        inputs=-(-((team + 6) * table.stations + small + 1) // ALIGN) * ALIGN,
        near=near,
        codes=codes,
        detective_codes=detective_codes,
        link_answer=np.searchsorted(codes, table.links).astype(np.int32),
        any_answer=np.searchsorted(codes, black).astype(np.int32),
        detective_answer=np.searchsorted(detective_codes, table.links).astype(np.int32),
    )
    for part in made:
        if isinstance(part, np.ndarray):
            part.setflags(write=False)
    return made


def hops(table: Table) -> NDArray[np.int64]:
    """Moves between stations by ordinary tickets, however many; at least REACH where there are none."""
    far = np.full((table.stations, table.stations), REACH, np.int64)
    steps = np.zeros((table.stations, table.stations), bool)
    for station in range(table.stations):
        steps[station, table.links[table.link_start[station] : table.link_start[station + 1]] & HIDDEN] = True
    reached = np.eye(table.stations, dtype=bool)
    for distance in range(REACH):
        far[reached & (far == REACH)] = distance
        reached = reached | (reached @ steps)
    return far


@kernel
def encode(view, row):
    """Write a concealed state into a row."""
    row[SEAT] = view.turn
    team = 0
    for seat in range(1, 6):
        if view.station[seat] >= 0:
            team += 1
    row[TEAM] = team
    row[ROUND] = view.round
    row[SLOT] = view.slot
    row[SINCE] = min(view.slot - view.seen_slot, 255)
    row[SECOND] = view.second
    row[SHOWN] = view.shown
    row[SEEN] = view.last_seen + 1
    for seat in range(6):
        row[STATION + seat] = view.station[seat] + 1
        for ticket in range(10):
            row[TICKETS + 10 * seat + ticket] = min(view.tickets[seat, ticket], 255)
    for byte in range(32):
        row[POSSIBLE + byte] = (view.possible[byte >> 3] >> np.uint64(8 * (byte & 7))) & np.uint64(255)


@kernel
def write_inputs(layout, detectives, view, index, value):
    """List the inputs that are not zero: how many there are."""
    count, stations, team = 0, layout.stations, layout.team
    seat = view.turn
    first = max(seat, 1)
    mover = view.station[seat]
    if view.station[0] >= 0:
        count = _put(index, value, count, view.station[0], 1.0)
    for j in range(detectives):
        other = (first - 1 + j) % detectives + 1
        count = _put(index, value, count, (1 + j) * stations + view.station[other], 1.0)
    if view.last_seen >= 0:
        count = _put(index, value, count, (team + 2) * stations + view.last_seen, 1.0)
    for station in range(stations):
        others, everyone = np.float32(0), np.float32(0)
        for other in range(1, detectives + 1):
            closeness = layout.near[view.station[other], station]
            everyone = max(everyone, closeness)
            if other != seat:
                others = max(others, closeness)
        if everyone > 0:
            count = _put(index, value, count, (team + 3) * stations + station, everyone)
        if has(view.possible, station):
            count = _put(index, value, count, (team + 1) * stations + station, 1.0)
            if mover >= 0 and layout.near[mover, station] > 0:
                count = _put(index, value, count, (team + 4) * stations + station, layout.near[mover, station])
            if others > 0:
                count = _put(index, value, count, (team + 5) * stations + station, others)
    return _write_small(layout, detectives, view, index, value, count)


@kernel
def _put(index, value, count, place, number):
    index[count] = place
    value[count] = number
    return count + 1


@kernel
def _write_small(layout, detectives, view, index, value, count):
    team, transports = layout.team, layout.transports
    base = (team + 6) * layout.stations
    count = _put(index, value, count, base + min(view.slot, layout.slots - 1), 1.0)
    base += layout.slots
    count = _put(index, value, count, base + min(view.round, layout.rounds - 1), 1.0)
    base += layout.rounds
    count = _put(index, value, count, base + min(view.slot - view.seen_slot, SINCE_CAP), 1.0)
    base += SINCE_CAP + 1
    count = _put(index, value, count, base + view.turn, 1.0)
    base += team + 1
    count = _put(index, value, count, base + detectives - 1, 1.0)
    base += team
    among = max(size(view.possible), 1)
    count = _put(index, value, count, base, view.second)
    count = _put(index, value, count, base + 1, view.shown)
    count = _put(index, value, count, base + 2, np.float32(among) / np.float32(layout.stations))
    count = _put(index, value, count, base + 3, np.float32(1) / np.float32(among))
    base += 4
    first = max(view.turn, 1)
    for j in range(detectives):
        seat = (first - 1 + j) % detectives + 1
        for kind in range(transports):
            count = _put_tickets(index, value, count, base + 2 * (j * transports + kind), view.tickets[seat, kind])
    base += 2 * team * transports
    for kind in range(transports):
        count = _put_tickets(index, value, count, base + 2 * kind, view.tickets[0, kind])
    count = _put_tickets(index, value, count, base + 2 * transports, view.tickets[0, BLACK])
    return _put_tickets(index, value, count, base + 2 * transports + 2, view.tickets[0, DOUBLE])


@kernel
def _put_tickets(index, value, count, place, tickets):
    """How many, in tens, and whether there is none."""
    if tickets > 0:
        return _put(index, value, count, place, np.float32(min(tickets, PLENTY)) / np.float32(10))
    return _put(index, value, count, place + 1, 1.0)
