"""Positions and moves of Scotland Yard as numbers for learners; docs/guide/encodings.md says what is at which place."""

from __future__ import annotations

from fogbound.core.compiled import kernel
from fogbound.core.encoding import Encoding
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    Table,
    has,
)

AHEAD = 4  # moves to the next reveal that are told apart
GENERAL = 5 + AHEAD  # numbers about the whole position
MOST_TICKETS = 10.0


def encoding(table: Table) -> Encoding:
    """The encoding of a board."""
    actions = int(pass_number(table)) + 1
    seats = table.detectives + 1
    inputs = (seats + 4) * table.stations + seats * (table.transports + 2) + GENERAL + 2 * seats
    return Encoding(actions, number, inputs, write)


@kernel
def kinds_of(table):
    """How many kinds of tickets a move can be paid with."""
    return table.transports + (table.tickets[0, BLACK] > 0)


@kernel
def pass_number(table):
    return kinds_of(table) * table.stations * (1 + (table.tickets[0, DOUBLE] > 0))


@kernel
def number(table, code, rank):
    """Stations by ticket: transports, then black; the same again for double moves; the last is a pass."""
    if code == PASS:
        return pass_number(table)
    ticket = (code >> TICKET_SHIFT) & 15
    if ticket == BLACK:
        ticket = kinds_of(table) - 1
    return ((code >> DOUBLE_SHIFT) * kinds_of(table) + ticket) * table.stations + (code & HIDDEN)


@kernel
def write(table, view, seat, out):
    stations, seats = table.stations, table.detectives + 1
    for other in range(seats):
        if view.station[other] >= 0:
            out[other * stations + view.station[other]] = 1.0
    place = seats * stations
    if seat >= 0 and view.station[seat] >= 0:
        out[place + view.station[seat]] = 1.0
    if view.turn >= 0 and view.station[view.turn] >= 0:
        out[place + stations + view.station[view.turn]] = 1.0
    for station in range(stations):
        if has(view.possible, station):
            out[place + 2 * stations + station] = 1.0
    if view.last_seen >= 0:
        out[place + 3 * stations + view.last_seen] = 1.0
    place += 4 * stations
    for other in range(seats):
        for kind in range(table.transports + 2):
            ticket = kind if kind < table.transports else BLACK + kind - table.transports
            out[place] = min(MOST_TICKETS, view.tickets[other, ticket]) / MOST_TICKETS
            place += 1
    out[place] = view.round / table.rounds
    out[place + 1] = (view.slot - view.seen_slot) / (view.slot + 1)
    out[place + 2] = view.shown
    out[place + 3] = view.second
    out[place + 4] = 1.0 if view.winner >= 0 else 0.0
    for ahead in range(AHEAD):
        slot = view.slot + 1 + ahead
        out[place + 5 + ahead] = 1.0 if slot < table.reveal.size and table.reveal[slot] else 0.0
    place += GENERAL
    if seat >= 0:
        out[place + seat] = 1.0
    if view.turn >= 0:
        out[place + seats + view.turn] = 1.0
