"""Scotland Yard as a game of the platform: the tables of a board, and what programs and people see of a state."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from rich.console import RenderableType

from fogbound.core.contract import Game, Reason, State
from fogbound.core.encoding import Encoding
from fogbound.core.match import Match
from fogbound.core.registry import CountOption, Family, QuickStart
from fogbound.core.view import View
from fogbound.games import layout
from fogbound.games.scotland_yard import encoding as encodings
from fogbound.games.scotland_yard import terminal, why
from fogbound.games.scotland_yard.board import BOARDS, NAME, Board, SpecOptions
from fogbound.games.scotland_yard.notation import Notation
from fogbound.games.scotland_yard.paths import Paths, find_paths
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE,
    RULES,
    TICKET_SHIFT,
    UNLIMITED,
    Table,
)
from fogbound.games.tables import offsets, read_only


class ScotlandYard(Game):
    """Mr X against one to five detectives, on any board."""

    family = NAME
    rules = RULES
    table: Table
    side_names = ("Mr X", "Detectives")

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board = board
        self.spec = spec
        self.shipped = shipped
        detectives = board.rules.detectives
        self.seat_names = ("Mr X", *(f"Detective {i}" for i in range(1, detectives + 1)))
        self.side_of = (0, *(1,) * detectives)
        self.table = make_table(board)
        self.notation = Notation(board, self.table, self.seat_names)
        self.numbers, self.index = self.notation.numbers, self.notation.index
        self.ticket_names = self.notation.ticket_names
        most_links = np.diff(self.table.link_start).max() + np.diff(self.table.any_start).max()
        self.most_actions = 2 * int(most_links) + 1  # every move by ticket or black, single or double; or a pass

    @cached_property
    def encoding(self) -> Encoding:
        return encodings.encoding(self.table)

    def links(self) -> dict[Any, list[Any]]:
        """The stations that each station has a link to, by any transport."""
        return {s.station: sorted({end for ends in s.links.values() for end in ends}) for s in self.board.stations}

    @cached_property
    def paths(self) -> Paths:
        """Pareto-optimal path costs between all stations."""
        return find_paths(self.table)

    @cached_property
    def places(self) -> list[tuple[float, float]]:
        """Where each station is drawn: as the file says, or laid out automatically."""
        if self.board.stations[0].x is not None:
            return [(float(s.x or 0), float(s.y or 0)) for s in self.board.stations]
        starts = np.repeat(np.arange(self.table.stations), np.diff(self.table.any_start))
        return layout.lay_out(
            self.table.stations, {(int(a), int(b), 1.0) for a, b in zip(starts, self.table.any_links, strict=True)}
        )

    def definition(self) -> dict[str, Any]:
        return self.board.definition()

    def drawing(self) -> dict[str, Any]:
        """Stations with their places, and every link once."""
        links = [
            {"from": station.station, "to": end, "transport": name}
            for station in self.board.stations
            for name, ends in station.links.items()
            for end in ends
            if station.station < end
        ]
        places = zip(self.numbers, self.places, strict=True)
        return {
            "stations": [{"station": number, "x": x, "y": y} for number, (x, y) in places],
            "links": links,
            "transports": list(self.ticket_names),
            "reveals": self.board.reveals(),
            "log_slots": self.board.slots,
            "rounds": self.board.rules.rounds,
        }

    def expected(self, state: State) -> str:
        if state["second"]:
            return "make the second move of the double move"
        return "move and pay with a ticket"

    def facts(self) -> dict[str, str]:
        transports = {name: sum(len(s.links.get(name, ())) for s in self.board.stations) // 2 for name in self.ticket_names}
        rules = self.board.rules
        return {
            "stations": str(len(self.numbers)),
            "links": ", ".join(f"{count} {name}" for name, count in transports.items()),
            "starts of Mr X": " ".join(map(str, self.board.mr_x_starts)),
            "starts of the detectives": " ".join(map(str, self.board.detective_starts)),
            "detectives": str(rules.detectives),
            "rounds": str(rules.rounds),
            "reveals": " ".join(map(str, self.board.reveals())) or "none",
            "tickets of Mr X": _purse_text(self.board.tickets("mr_x")),
            "tickets of a detective": _purse_text(self.board.tickets("detectives")),
        }

    def describe(self, action: int) -> str:
        return self.notation.describe(action)

    def details(self, action: int) -> dict[str, Any]:
        return self.notation.details(action)

    def parse(self, text: str) -> int:
        return self.notation.parse(text)

    def why_illegal(self, state: State, action: int) -> str:
        return self.notation.why_illegal(state, action)

    def possible(self, state: State) -> list[int]:
        """Numbers of the stations where Mr X can be."""
        return [number for i, number in enumerate(self.numbers) if int(state["possible"][i >> 6]) >> (i & 63) & 1]

    def tickets(self, state: State, seat: int) -> dict[str, int | None]:
        """A seat's tickets by name; None stands for unlimited."""
        kinds = [*range(len(self.ticket_names)), *([BLACK, DOUBLE] if seat == 0 else [])]
        counts = {self.notation.ticket_name(kind): int(state["tickets"][seat][kind]) for kind in kinds}
        start = self.board.tickets("mr_x" if seat == 0 else "detectives")
        return {name: None if count == UNLIMITED else count for name, count in counts.items() if count or start.get(name)}

    def public(self, state: State) -> dict[str, Any]:
        stations = [int(state["station"][seat]) for seat in range(self.seats)]
        return {
            "round": int(state["round"]),
            "rounds": self.board.rules.rounds,
            "to_move": int(state["turn"]),
            "stations": [self.numbers[place] if place >= 0 else None for place in stations],
            "tickets": [self.tickets(state, seat) for seat in range(self.seats)],
            "log_slots": int(state["slot"]),
            "last_seen": self.numbers[state["last_seen"]] if state["last_seen"] >= 0 else None,
            "possible": self.possible(state),
            "winner": {-1: None, 0: "Mr X", 1: "Detectives"}[int(state["winner"])],
        }

    def outcome(self, state: State) -> str:
        if state["winner"] == DETECTIVES:
            return f"Detectives win: Mr X is caught at {self.numbers[state['station'][0]]}"
        return f"Mr X wins: he is at {self.numbers[state['station'][0]]} and was not caught"

    def reasons(self, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
        return why.reasons(self, view, action, belief)

    def picture(self, view: View) -> RenderableType:
        return terminal.picture(self, view)

    def table_of_moves(self, match: Match) -> str:
        return terminal.table_of_moves(self, match)


def _purse_text(tickets: Mapping[str, int]) -> str:
    return ", ".join(f"{'unlimited' if count < 0 else count} {name}" for name, count in tickets.items())


def make_table(board: Board) -> Table:
    """A board's arrays for the kernels."""
    index = {number: i for i, number in enumerate(board.numbers)}
    names = [transport.name for transport in board.transports]
    payable = sum(1 << i for i, transport in enumerate(board.transports) if not transport.black_only)
    steps = [
        sorted((names.index(name), index[end]) for name, ends in station.links.items() for end in ends)
        for station in board.stations
    ]
    paid = [[end | kind << TICKET_SHIFT for kind, end in each if payable >> kind & 1] for each in steps]
    black = [sorted({end for _, end in each}) for each in steps]
    options = board.rules
    reveal = np.zeros(board.slots + 2, np.uint8)
    reveal[board.reveals()] = 1
    table = Table(
        stations=len(steps),
        transports=len(names),
        detectives=options.detectives,
        rounds=options.rounds,
        detectives_first=int(options.first == "detectives"),
        hand_over=int(options.hand_over),
        step_on_detective=int(options.step_on_detective),
        closing_move=int(options.closing_move),
        show_start=int(options.show_start),
        stuck_pass=int(options.stuck_detectives == "pass"),
        payable=payable,
        all_payable=int(all(paid)),
        tickets=np.array([_tickets(board, "mr_x"), _tickets(board, "detectives")], np.int16),
        reveal=reveal,
        mr_x_starts=np.array([index[start] for start in board.mr_x_starts], np.int16),
        detective_starts=np.array([index[start] for start in board.detective_starts], np.int16),
        link_start=offsets(paid),
        links=np.array([link for each in paid for link in each], np.int16),
        any_start=offsets(black),
        any_links=np.array([end for each in black for end in each], np.int16),
        reach=_reach(steps, len(names)),
    )
    return read_only(table)


def _tickets(board: Board, role: Any) -> list[int]:
    counts = [0] * 10
    names = [*(transport.name for transport in board.transports)]
    for name, count in board.tickets(role).items():
        kind = {"black": BLACK, "double": DOUBLE}.get(name)
        counts[names.index(name) if kind is None else kind] = UNLIMITED if count < 0 else count
    return counts


def _reach(steps: list[list[tuple[int, int]]], transports: int) -> Any:
    reach = np.zeros((1 << transports, len(steps), 4), np.uint64)
    for station, each in enumerate(steps):
        for kind, end in each:
            with_it = [mask for mask in range(1 << transports) if mask >> kind & 1]
            reach[with_it, station, end >> 6] |= np.uint64(1 << (end & 63))
    return reach


FAMILY = Family(
    name=NAME,
    title="Scotland Yard",
    about="Detectives hunt Mr X, who is seen only now and then.",
    default_board="london",
    boards=BOARDS.shipped,
    options=SpecOptions,
    schema=BOARDS.schema,
    board=BOARDS.load,
    board_again=BOARDS.rebuild,
    game=ScotlandYard,
    agents={
        "heuristic": "fogbound.agents.scotland_yard.heuristic:Heuristic",
        "careless": "fogbound.agents.scotland_yard.careless:Careless",
        "stranger": "fogbound.agents.scotland_yard.stranger:Stranger",
        "alphabeta": "fogbound.agents.scotland_yard.alphabeta:AlphaBeta",
        "mcts": "fogbound.agents.scotland_yard.mcts:ScotlandYardMcts",
        "perfect": "fogbound.agents.scotland_yard.perfect:Perfect",
        "net": "fogbound.agents.scotland_yard.net:Net",
        "policy": "fogbound.agents.scotland_yard.policy:Policy",
        "graph": "fogbound.agents.scotland_yard.graph:Graph",
        "resolve": "fogbound.agents.scotland_yard.resolve:Resolve",
        "qtable": "fogbound.agents.scotland_yard.qtable:QTable",
    },
    levels="fogbound.games.scotland_yard.levels:levels",
    champion="fogbound.games.scotland_yard.levels:champion",
    judge="fogbound.games.scotland_yard.levels:judge",
    strong="fogbound.games.scotland_yard.levels:strong",
    quick_start=QuickStart(
        "scotland-yard/plan1", 1, "You lead three detectives. Find Mr X before the twelfth round is over."
    ),
    count=CountOption("detectives", "Detectives", 1, 5),
    first_games=("scotland-yard/plan1", "scotland-yard/london"),
    page="/js/games/scotland-yard.js",
    reference="fogbound.games.scotland_yard.reference:play_random",
    exact="fogbound.solve.live",
)
