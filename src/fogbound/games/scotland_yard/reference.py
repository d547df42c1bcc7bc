"""The rules of Scotland Yard once more, in plain Python: slow, obvious, and written from the rules page alone.

Stations are their numbers, tickets are dictionaries, the possible set is a set. The compiled
rules are tested against this engine move by move, and `fogbound bench` measures them by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from fogbound.games.scotland_yard.board import Board

MR_X = 0
Tickets = dict[str, int | None]  # None: unlimited


class ReferenceGame:
    """A game from given draws of its start: Mr X's place in his list, then each detective's among the free ones."""

    def __init__(self, board: Board, start: Sequence[int]) -> None:
        self.board = board
        self.rules = board.rules
        self.detectives = range(1, board.rules.detectives + 1)
        self.transports = [transport.name for transport in board.transports]
        self.black_only = {transport.name for transport in board.transports if transport.black_only}
        self.links = _links_in_order(board)
        self.reveals = set(board.reveals())

        self.stations = self._start_stations(start)
        self.tickets: list[Tickets] = [self._start_tickets(seat) for seat in range(len(self.stations))]
        self.possible = set(board.mr_x_starts) - set(self.stations[1:])
        self.shown: int | None = None  # where Mr X is publicly known to be now
        self.log: list[str] = []  # the ticket of each of Mr X's moves
        self.round = 1
        self.to_move: int | None = None
        self.second = False  # whether Mr X is to make the second move of a double move
        self.closing = False  # whether this is the closing turn
        self.winner: str | None = None
        if self.rules.show_start:
            self._show()
        self._begin_round()

    def copy(self) -> ReferenceGame:
        """An independent copy."""
        twin = object.__new__(ReferenceGame)
        twin.__dict__.update(self.__dict__)
        twin.stations = list(self.stations)
        twin.tickets = [dict(tickets) for tickets in self.tickets]
        twin.possible = set(self.possible)
        twin.log = list(self.log)
        return twin

    # The start.

    def _start_stations(self, start: Sequence[int]) -> list[int]:
        stations = [self.board.mr_x_starts[start[0]]]
        for rank in start[1:]:
            free = [station for station in self.board.detective_starts if station not in stations]
            stations.append(free[rank])
        return stations

    def _start_tickets(self, seat: int) -> Tickets:
        given = self.board.tickets("mr_x" if seat == MR_X else "detectives")
        kinds = [*self.transports, "black", "double"]
        return {kind: None if given.get(kind, 0) < 0 else given.get(kind, 0) for kind in kinds}

    # What can be played.

    def legal(self) -> list[str]:
        """The legal moves in words: single before double, by ticket in the board's order, then by station."""
        if self.to_move is None:
            return []
        steps = self._steps(self.to_move, self.stations[self.to_move])
        if not steps:
            return ["pass"]
        singles = [f"{station} {ticket}" for station, ticket in steps]
        can_double = self.to_move == MR_X and not self.second and self._has(MR_X, "double")
        return singles + [f"{words} double" for words in singles] if can_double else singles

    def _steps(self, seat: int, here: int) -> list[tuple[int, str]]:
        """Where this seat could go from a station, and with which ticket."""
        paid = [transport for transport in self.transports if transport not in self.black_only]
        if seat == MR_X:
            paid.append("black")
        may_step_on_detective = seat == MR_X and self.rules.step_on_detective
        held = [] if may_step_on_detective else self.stations[1:]
        ways = self.links[here]
        return [(end, ticket) for ticket in paid if self._has(seat, ticket) for end in ways[ticket] if end not in held]

    def _has(self, seat: int, ticket: str) -> bool:
        return self.tickets[seat][ticket] != 0

    # Playing.

    def play(self, words: str) -> None:
        """Play a move given in words; ValueError if it is not legal."""
        if words not in self.legal():
            raise ValueError(f"“{words}” is not a legal move now.")
        self.play_unchecked(words)

    def play_unchecked(self, words: str) -> None:
        """Play a move that is known to be legal."""
        if self.to_move == MR_X:
            self._play_mr_x(words)
        else:
            self._play_detective(words)

    def _play_mr_x(self, words: str) -> None:
        if words == "pass":
            self.log.append("pass")
            self.possible = {station for station in self.possible if not self._steps(MR_X, station)}
            self._after_mr_x(doubled=False)
            return
        number, ticket, *double = words.split()
        self._pay(MR_X, ticket)
        if double:
            self._pay(MR_X, "double")
        self.stations[MR_X] = int(number)
        self.log.append(ticket)
        self.shown = None
        if self.stations[MR_X] in self.stations[1:]:
            self._end("Detectives")
            return
        self.possible = {end for here in self.possible for end in self.links[here][ticket]}
        self.possible -= set(self.stations[1:])
        self._after_mr_x(doubled=bool(double))

    def _after_mr_x(self, doubled: bool) -> None:
        if len(self.log) in self.reveals:
            self._show()
        if doubled:
            self._begin_mr_x(second=True)
        else:
            self._end_mr_x_turn()

    def _play_detective(self, words: str) -> None:
        seat = self.to_move
        assert seat is not None
        if words != "pass":
            number, ticket = words.split()
            self._pay(seat, ticket)
            if self.rules.hand_over:
                self._give_to_mr_x(ticket)
            self.stations[seat] = int(number)
            if self.stations[seat] == self.stations[MR_X]:
                self._end("Detectives")
                return
            self.possible.discard(self.stations[seat])
        if seat + 1 in self.detectives:
            self.to_move = seat + 1
        else:
            self._end_detectives_turn()

    def _pay(self, seat: int, ticket: str) -> None:
        count = self.tickets[seat][ticket]
        if count is not None:
            self.tickets[seat][ticket] = count - 1

    def _give_to_mr_x(self, ticket: str) -> None:
        count = self.tickets[MR_X][ticket]
        if count is not None:
            self.tickets[MR_X][ticket] = count + 1

    def _show(self) -> None:
        self.shown = self.stations[MR_X]
        self.possible = {self.shown}

    # Whose turn it is.

    def _begin_round(self) -> None:
        if self.rules.first == "detectives":
            self._begin_detectives()
        else:
            self._begin_mr_x()

    def _begin_mr_x(self, second: bool = False) -> None:
        self.to_move, self.second = MR_X, second
        if self.rules.step_on_detective:
            return
        self.possible = {station for station in self.possible if self._steps(MR_X, station)}
        if not self._steps(MR_X, self.stations[MR_X]):
            self._end("Detectives")

    def _begin_detectives(self) -> None:
        self.to_move, self.second = 1, False
        stuck = not any(self._steps(seat, self.stations[seat]) for seat in self.detectives)
        if stuck and self.rules.stuck_detectives == "lose":
            self._end("Mr X")

    def _end_mr_x_turn(self) -> None:
        if self.closing:
            self._end("Mr X")
        elif self.rules.first == "detectives":
            self.round += 1
            self._begin_round()
        else:
            self._begin_detectives()

    def _end_detectives_turn(self) -> None:
        if self.round == self.rules.rounds:
            self._close()
        elif self.rules.first == "detectives":
            self._begin_mr_x()
        else:
            self.round += 1
            self._begin_round()

    def _close(self) -> None:
        """The last round's detectives have moved."""
        if not self.rules.closing_move:
            self._end("Mr X")
            return
        self.closing = True
        self.round += 1
        self._begin_mr_x()

    def _end(self, winner: str) -> None:
        self.winner, self.to_move, self.second = winner, None, False


def _links_in_order(board: Board) -> dict[int, dict[str, list[int]]]:
    """For each station and each ticket that pays for a way, where it leads, in the order of the board file."""
    order = {number: place for place, number in enumerate(board.numbers)}
    links = {}
    for station in board.stations:
        ways = {transport.name: set(station.links.get(transport.name, ())) for transport in board.transports}
        ways["black"] = {end for ends in ways.values() for end in ends}
        links[station.station] = {ticket: sorted(ends, key=order.__getitem__) for ticket, ends in ways.items()}
    return links


def draw_start(board: Board, rng: Random) -> list[int]:
    """Draws for a random start."""
    start = [rng.randrange(len(board.mr_x_starts))]
    taken = board.mr_x_starts[start[0]] in board.detective_starts
    for placed in range(board.rules.detectives):
        start.append(rng.randrange(len(board.detective_starts) - taken - placed))
    return start


def play_random(board: Board, rng: Random) -> int:
    """Play a whole game at random; the number of moves that it took."""
    game = ReferenceGame(board, draw_start(board, rng))
    moves = 0
    while game.to_move is not None:
        game.play_unchecked(rng.choice(game.legal()))
        moves += 1
    return moves
