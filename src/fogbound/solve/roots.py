"""From a view to the root of its subgame: the public state in which Mr X was last in sight, and the moves since.

Everything here is public, so that all seats come to the same root, and it depends on nothing before it: where Mr X is
in sight, the past does not count.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.view import Seen, View
from fogbound.games.scotland_yard.rules import (
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    PASS_TICKET,
    TICKET_SHIFT,
    UNLIMITED,
    Table,
)


class PublicRoot(NamedTuple):
    """Where a subgame began."""

    state: Any  # the public state; Mr X's station is filled in if it was in sight
    weights: NDArray[np.float64]  # [station]: the probability that Mr X was there, up to a factor
    path: tuple[int, ...]  # the moves since, as everybody observed them


def public_root(view: View) -> PublicRoot:
    """The root of the subgame that a view is in, and the way from there to here."""
    table: Any = view.game.table
    if view.state["shown"]:
        return PublicRoot(view.state.copy(), _at(table, int(view.state["station"][0])), ())
    if view.state["last_seen"] < 0:
        root = view.start.copy()
        root["station"][0] = -1
        return PublicRoot(root, start_weights(table, root), _path(view, 0))
    begin = _first_hidden_move(view)
    root = _root_in_sight(table, view, begin)
    return PublicRoot(root, _at(table, int(root["station"][0])), _path(view, begin))


def start_weights(table: Table, start: Any) -> NDArray[np.float64]:
    """How likely each station of Mr X is when he starts hidden and the detectives are where they are."""
    weights = np.zeros(table.stations)
    for station in table.mr_x_starts.tolist():
        if int(start["possible"][station >> 6]) >> (station & 63) & 1:
            free = int((table.detective_starts != station).sum())
            weights[station] += 1.0 / np.prod([free - drawn for drawn in range(table.detectives)], dtype=np.float64)
    weights /= weights.sum()
    return weights


def members(stations: tuple[int, ...]) -> NDArray[np.uint64]:
    """A set of stations as the rules keep it."""
    words = [0, 0, 0, 0]
    for station in stations:
        words[station >> 6] |= 1 << (station & 63)
    return np.array(words, np.uint64)


def _at(table: Table, station: int) -> NDArray[np.float64]:
    weights = np.zeros(table.stations)
    weights[station] = 1.0
    return weights


def _path(view: View, begin: int) -> tuple[int, ...]:
    """The moves as everybody observed them: without Mr X's destinations."""
    return tuple(each.code | HIDDEN if each.seat == 0 and each.code != PASS else each.code for each in view.history[begin:])


def _first_hidden_move(view: View) -> int:
    """The place in the history of Mr X's first move since he was last seen."""
    hidden = int(view.state["slot"]) - int(view.state["seen_slot"])
    own = [index for index, each in enumerate(view.history) if each.seat == 0]
    return own[-hidden]


def _root_in_sight(table: Table, view: View, begin: int) -> Any:
    """The position in which Mr X was last seen: today's, with the moves since taken back."""
    state = view.state.copy()
    for each in view.history[begin:]:
        _take_back(table, state, each)
    stations = view.start["station"].copy()
    for each in view.history[:begin]:
        if each.seat > 0 and each.code != PASS:
            stations[each.seat] = each.code & HIDDEN
    stations[0] = state["last_seen"]
    state["station"] = stations
    state["turn"], state["shown"], state["slot"] = 0, 1, state["seen_slot"]
    state["second"] = _owed(view, begin)
    state["occupied"] = members(tuple(stations[1 : table.detectives + 1].tolist()))
    state["possible"] = members((int(stations[0]),))
    return state


def _take_back(table: Table, state: Any, seen: Seen) -> None:
    """Tickets and rounds as they were before a move."""
    ticket = (seen.code >> TICKET_SHIFT) & 15
    tickets = state["tickets"]
    if ticket != PASS_TICKET:
        _give(tickets, seen.seat, ticket, 1)
        if seen.seat > 0 and table.hand_over:
            _give(tickets, 0, ticket, -1)
    doubled = seen.code >> DOUBLE_SHIFT & 1
    if doubled:
        _give(tickets, 0, DOUBLE, 1)
    ends_round = seen.seat == 0 and not doubled if table.detectives_first else seen.seat == table.detectives
    if ends_round:
        state["round"] -= 1


def _give(tickets: Any, seat: int, ticket: int, count: int) -> None:
    if tickets[seat][ticket] != UNLIMITED:
        tickets[seat][ticket] += count


def _owed(view: View, begin: int) -> int:
    """Whether Mr X owed the second half of a double move at the root."""
    if begin == 0:
        return int(view.start["second"])
    before = view.history[begin - 1]
    return int(before.seat == 0 and bool(before.code >> DOUBLE_SHIFT & 1))


__all__ = ["PublicRoot", "members", "public_root", "start_weights"]
