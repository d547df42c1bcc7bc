"""Move notation of Scotland Yard: from codes to words and back, and why a move is refused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from fogbound.core.contract import State
from fogbound.core.errors import IllegalMove
from fogbound.games.scotland_yard.board import Board
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DOUBLE,
    DOUBLE_SHIFT,
    HIDDEN,
    PASS,
    PASS_TICKET,
    TICKET_SHIFT,
    Table,
)


class Notation:
    """The words for the moves on one board."""

    def __init__(self, board: Board, table: Table, seat_names: Sequence[str]) -> None:
        self.table = table
        self.seat_names = seat_names
        self.numbers = board.numbers
        self.index = {number: i for i, number in enumerate(self.numbers)}
        self.ticket_names = [transport.name for transport in board.transports]

    def ticket_name(self, ticket: int) -> str:
        if ticket < len(self.ticket_names):
            return self.ticket_names[ticket]
        return {BLACK: "black", DOUBLE: "double", PASS_TICKET: "pass"}[ticket]

    def describe(self, action: int) -> str:
        if action == PASS:
            return "pass"
        parts = self.details(action)
        station = "?" if parts["station"] is None else str(parts["station"])
        return f"{station} {parts['ticket']}" + (" double" if parts["double"] else "")

    def details(self, action: int) -> dict[str, Any]:
        place = action & HIDDEN
        ticket = self.ticket_name((action >> TICKET_SHIFT) & 15)
        hidden = place == HIDDEN or ticket == "pass"
        return {
            "station": None if hidden else self.numbers[place],
            "ticket": ticket,
            "double": bool(action >> DOUBLE_SHIFT),
        }

    def parse(self, text: str) -> int:
        words = text.lower().split()
        if words == ["pass"]:
            return PASS
        doubled = "double" in words
        words = [word for word in words if word != "double"]
        number = next((word for word in words if word.isdecimal()), None)
        names = [word for word in words if word != number]
        tickets = [*self.ticket_names, "black"]
        if number is None or len(names) != 1 or len(words) != 2:
            raise IllegalMove(f"“{text}” is not a move; a move is a station and a ticket, such as “{self._example()}”.")
        if int(number) not in self.index:
            raise IllegalMove(f"There is no station {number}; stations are {self.numbers[0]} to {self.numbers[-1]}.")
        if names[0] not in tickets:
            raise IllegalMove(f"There is no ticket “{names[0]}”; the tickets are {', '.join(tickets)}.")
        ticket = BLACK if names[0] == "black" else self.ticket_names.index(names[0])
        return self.index[int(number)] | ticket << TICKET_SHIFT | int(doubled) << DOUBLE_SHIFT

    def _example(self) -> str:
        return self.describe(int(self.table.links[0]))

    def why_illegal(self, state: State, action: int) -> str:
        seat, place, ticket = int(state["turn"]), action & HIDDEN, (action >> TICKET_SHIFT) & 15
        who, here = self.seat_names[seat], self.numbers[state["station"][seat]]
        if action == PASS:
            return f"{who} has a move and cannot pass."
        if not self._is_move(action):
            return f"There is no move with code {action}."
        words = self.describe(action)
        if seat > 0 and (ticket == BLACK or action >> DOUBLE_SHIFT):
            return f"“{words}”: only Mr X has black tickets and double moves."
        links = self.links(int(state["station"][seat]), ticket)
        if place not in links:
            return f"“{words}”: from {here} no {self._way(ticket)} goes to {self.numbers[place]}."
        if state["tickets"][seat][ticket] <= 0:
            return f"“{words}”: {who} has no {self.ticket_name(ticket)} ticket left."
        if action >> DOUBLE_SHIFT and (state["tickets"][0][DOUBLE] <= 0 or state["second"]):
            return f"“{words}”: " + ("this already is a double move." if state["second"] else "no double move is left.")
        return f"“{words}”: station {self.numbers[place]} is held by a detective."

    def _is_move(self, action: int) -> bool:
        """Whether a number is the code of any move on this board."""
        place, ticket = action & HIDDEN, (action >> TICKET_SHIFT) & 15
        known = place < len(self.numbers) and (ticket < len(self.ticket_names) or ticket == BLACK)
        return known and 0 <= action < 1 << (DOUBLE_SHIFT + 1)

    def _way(self, ticket: int) -> str:
        return "way" if ticket == BLACK else self.ticket_name(ticket)

    def links(self, station: int, ticket: int) -> list[int]:
        """Where a ticket takes a piece from a station."""
        table = self.table
        if ticket == BLACK:
            return [int(x) for x in table.any_links[table.any_start[station] : table.any_start[station + 1]]]
        links = table.links[table.link_start[station] : table.link_start[station + 1]]
        return [int(x) & HIDDEN for x in links if x >> TICKET_SHIFT == ticket]
