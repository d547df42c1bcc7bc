"""Kuhn poker as a game of Fogbound: its boards, the words for its moves, and everything it brings with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pydantic import BaseModel, ConfigDict
from rich.console import RenderableType
from rich.text import Text

from fogbound.core.compiled import kernel
from fogbound.core.contract import Game, State
from fogbound.core.encoding import Encoding, by_code
from fogbound.core.errors import IllegalMove, UnknownName
from fogbound.core.match import Match
from fogbound.core.registry import Family, QuickStart, checked
from fogbound.core.view import View
from fogbound_kuhn.rules import BET, NOBODY, PASS, RULES, UNKNOWN, Table

NAME = "kuhn"
WORDS = {"pass": PASS, "bet": BET, "check": PASS, "fold": PASS, "call": BET}
TEXTS = ("pass", "bet")


@dataclass(frozen=True)
class Board:
    """A deck, lowest card first."""

    name: str
    about: str
    cards: tuple[str, ...]


BOARDS = {
    board.name: board
    for board in (
        Board("suit", "thirteen cards: a whole suit", ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")),
        Board("three", "jack, queen and king, as in the literature", ("J", "Q", "K")),
    )
}


class Options(BaseModel):
    """Kuhn poker has no options."""

    model_config = ConfigDict(extra="forbid")


@kernel
def write(table, view, seat, out):
    """What a learner is told: both players' coins from its own on, its turn or not, and its card, a place each."""
    mine = max(seat, 0)
    out[0], out[1] = view.coins[mine], view.coins[1 - mine]
    out[2] = 1.0 if view.turn == seat else 0.0
    if seat >= 0 and view.card[seat] != UNKNOWN:
        out[3 + view.card[seat]] = 1.0


class Kuhn(Game):
    """Two players, one card each, one bet."""

    family = NAME
    rules = RULES
    seat_names = side_names = ("First", "Second")
    side_of = (0, 1)
    most_actions = 2

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board, self.spec, self.shipped = board, spec, shipped
        self.table = Table(len(board.cards))

    @cached_property
    def encoding(self) -> Encoding:
        return Encoding(2, by_code, 3 + self.table.cards, write)

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.board.name}

    def describe(self, action: int) -> str:
        return TEXTS[action]

    def parse(self, text: str) -> int:
        if text.strip().lower() not in WORDS:
            raise IllegalMove(f"“{text}” is not a move: say “pass” or “bet”.")
        return WORDS[text.strip().lower()]

    def details(self, action: int) -> dict[str, Any]:
        return {"kind": TEXTS[action]}

    def why_illegal(self, state: State, action: int) -> str:
        return f"There is no move {action}: {PASS} is to pass and {BET} to bet."

    def expected(self, state: State) -> str:
        return "call with a bet, or fold" if 2 in state["coins"] else "pass, or bet a second coin"

    def public(self, state: State) -> dict[str, Any]:
        return {
            "players": [
                {"name": name, "card": self.card(state, seat), "coins_put_in": int(state["coins"][seat])}
                for seat, name in enumerate(self.seat_names)
            ],
            "folded": "nobody" if state["folded"] == NOBODY else self.seat_names[state["folded"]],
        }

    def card(self, state: State, seat: int) -> str | None:
        card = int(state["card"][seat])
        return None if card == UNKNOWN else self.board.cards[card]

    def picture(self, view: View) -> RenderableType:
        lines = [
            f"{player['name']:>7}  card {player['card'] or '?':>2}  {player['coins_put_in']} coin(s) put in"
            for player in self.public(view.state)["players"]
        ]
        return Text("\n".join(lines))

    def table_of_moves(self, match: Match) -> str:
        cards = ", ".join(f"{name} {self.card(match.state, seat)}" for seat, name in enumerate(self.seat_names))
        moves = [f"{self.seat_names[move.seat]:>7}  {self.describe(move.code)}" for move in match.moves]
        return "\n".join([f"cards: {cards}", *moves])

    def facts(self) -> dict[str, str]:
        return {"cards": " ".join(self.board.cards)}


def load(name: str, options: Mapping[str, str]) -> Board:
    """A board by its name; Kuhn poker has no board files and no options."""
    checked(Options, options, NAME)
    if name not in BOARDS:
        raise UnknownName(f"board of {NAME}", name, BOARDS)
    return BOARDS[name]


FAMILY = Family(
    name=NAME,
    title="Kuhn Poker",
    about="One card each, one bet: the smallest poker there is. Bluff, or call a bluff.",
    default_board="suit",
    boards=lambda: {name: board.about for name, board in BOARDS.items()},
    options=Options,
    schema=dict,
    board=load,
    board_again=lambda definition: load(definition["name"], {}),
    game=Kuhn,
    agents={"heuristic": "fogbound_kuhn.agents:Heuristic"},
    quick_start=QuickStart("kuhn/suit", 0, "One card each, one bet. Are you bluffing?"),
    reference="fogbound_kuhn.reference:play_random",
)
