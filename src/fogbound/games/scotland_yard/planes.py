"""What a net for Q-learning sees of a position, and what its answers mean: planes over the board, answers for moves.

Everything is written from a concealed state: of Mr X only what the seat may know. The tables of
index and meaning are in docs/guide/features.md.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, outlined
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    TICKET_SHIFT,
    UNLIMITED,
    has,
    size,
)

CODINGS = ("planes", "cells", "sightings")
ANSWERS = ("directions", "stations")
PLANES, CELLS, SIGHTINGS = 0, 1, 2  # sightings: planes that tell nothing of Mr X before he was seen
CHANNELS = 8  # numbers a station in the coding `cells`
GENERAL = 8  # numbers about the whole position in it, besides tickets
AHEAD = 4  # moves to the next reveal that are told apart
MOST_TICKETS = 10.0
DIRECTIONS = ((0, -1), (-1, 0), (1, 0), (0, 1))  # up, left, right, down


class Coding(NamedTuple):
    """How positions and moves become numbers on one board."""

    kind: int  # PLANES, CELLS or SIGHTINGS
    inputs: int
    answers: int
    first: NDArray[np.int32]  # [from, to]: the first answer for a move; -1 if there is none
    tickets: int  # kinds of tickets that a move's answers tell apart: 1 if they do not
    hops: NDArray[np.int16]
    belief: NDArray[np.float64]  # scratch: how likely each station is
    spare: NDArray[np.float64]


def coding(game: ScotlandYard, kind: str, answers: str) -> Coding:
    """The coding of a board by name."""
    table = game.table
    stations = table.stations
    inputs = 2 * stations
    if kind == "cells":
        inputs = CHANNELS * stations + GENERAL + 2 * (table.transports + 2)
    if answers == "directions":
        first, count, tickets = _directions(game), len(DIRECTIONS), 1
    else:
        tickets = table.transports + int(table.tickets[0, BLACK] > 0)
        each = tickets * (1 + int(table.tickets[0, DOUBLE] > 0))
        first = np.tile(np.arange(stations, dtype=np.int32) * each, (stations, 1))
        count = stations * each
    scratch = np.zeros(stations), np.zeros(stations)
    return Coding(CODINGS.index(kind), inputs, count, first, tickets, game.paths.hops, *scratch)


def _directions(game: ScotlandYard) -> NDArray[np.int32]:
    """Answers by direction, for boards whose links go one step up, left, right or down."""
    table, places = game.table, game.places
    first = np.full((table.stations, table.stations), -1, np.int32)
    for here in range(table.stations):
        for link in table.any_links[table.any_start[here] : table.any_start[here + 1]]:
            step = (places[link][0] - places[here][0], places[link][1] - places[here][1])
            if step not in DIRECTIONS or table.transports > 1:
                raise FogboundError(f"{game.spec} is not a grid, so its moves are not directions; use “answers=stations”.")
            first[here, link] = DIRECTIONS.index(step)
    return first


@kernel
def answer_of(coding, here, action):
    """The place of a move among a net's answers; -1 for a pass."""
    if action == PASS:
        return -1
    answer = coding.first[here, action & HIDDEN]
    if coding.tickets == 1:
        return answer
    ticket = (action >> TICKET_SHIFT) & 15
    if ticket == BLACK:
        ticket = coding.tickets - 1
    return answer + ticket + (coding.tickets if action >> DOUBLE_SHIFT else 0)


@outlined
def believe(table, state, coding):
    """How likely each station is to Mr X who walks at random from where he was last seen, as far as he can be there."""
    belief, spare = coding.belief, coding.spare
    for station in range(table.stations):
        belief[station] = 0.0
    if state.last_seen >= 0:
        belief[state.last_seen] = 1.0
    else:
        for start in table.mr_x_starts:
            belief[start] = 1.0
    for _ in range(state.slot - state.seen_slot):
        for station in range(table.stations):
            spare[station] = 0.0
        for station in range(table.stations):
            ways = table.any_start[station + 1] - table.any_start[station]
            if belief[station] > 0.0:
                for i in range(table.any_start[station], table.any_start[station + 1]):
                    spare[table.any_links[i]] += belief[station] / ways
        for station in range(table.stations):
            belief[station] = spare[station]
    total = 0.0
    for station in range(table.stations):
        if not has(state.possible, station):
            belief[station] = 0.0
        total += belief[station]
    if total <= 0.0:
        total = np.float64(size(state.possible))
        for station in range(table.stations):
            belief[station] = 1.0 if has(state.possible, station) else 0.0
    for station in range(table.stations):
        belief[station] /= max(total, 1e-12)


@outlined
def write(table, coding, state, seat, out):
    """Everything that a net is told about a position, into `out`."""
    believe(table, state, coding)
    if coding.kind == CELLS:
        _write_cells(table, coding, state, seat, out)
        _write_general(table, state, seat, out)
    else:
        _write_planes(table, coding, state, seat, out)


@kernel
def _write_planes(table, coding, state, seat, out):
    stations = table.stations
    for station in range(stations):
        out[station] = 0.0
        out[stations + station] = 0.0
        if seat > 0 and (coding.kind == PLANES or state.last_seen >= 0):
            out[station] = coding.belief[station]
    if seat == 0:
        out[state.station[0]] = 1.0
    for other in range(1, table.detectives + 1):
        out[stations + state.station[other]] = 10.0 if other == seat else 1.0


@kernel
def _write_cells(table, coding, state, seat, out):
    here = state.station[seat]
    for station in range(table.stations):
        place = station * CHANNELS
        near = UNLIMITED
        for channel in range(CHANNELS):
            out[place + channel] = 0.0
        for other in range(1, table.detectives + 1):
            if other != seat:
                near = min(near, coding.hops[state.station[other], station])
                if state.station[other] == station:
                    out[place + (3 if other > seat else 4)] = 1.0
        out[place] = coding.belief[station]
        out[place + 1] = 1.0 if has(state.possible, station) else 0.0
        out[place + 2] = 1.0 if station == here else 0.0
        out[place + 5] = 1.0 if station == state.last_seen else 0.0
        out[place + 6] = 1.0 / (1.0 + coding.hops[here, station])
        out[place + 7] = 1.0 / (1.0 + near)


@kernel
def _write_general(table, state, seat, out):
    place = CHANNELS * table.stations
    left = max(0, table.rounds - state.round)  # there may be a closing move after the last round
    out[place] = left / table.rounds
    out[place + 1] = 1.0 / (1.0 + left)
    for ahead in range(AHEAD):
        slot = state.slot + 1 + ahead
        out[place + 2 + ahead] = 1.0 if slot < table.reveal.size and table.reveal[slot] else 0.0
    out[place + 6] = 1.0 if state.shown else 0.0
    out[place + 7] = 1.0 if seat == 0 else 0.0
    place += GENERAL
    for owner in range(2):
        for kind in range(table.transports + 2):
            ticket = kind if kind < table.transports else BLACK + kind - table.transports
            count = state.tickets[0 if owner == 0 else seat, ticket]
            out[place] = min(MOST_TICKETS, count) / MOST_TICKETS
            place += 1
