"""Leduc poker as a game of Fogbound: the words for its moves, its encoding for learners, its family."""

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
from fogbound.core.registry import Family, checked
from fogbound.core.view import View
from fogbound_leduc.rules import CALL, MOST_CHIPS, NOBODY, RULES, UNKNOWN, Table

NAME = "leduc"
TEXTS = ("fold", "call", "raise")
WORDS = {**{text: code for code, text in enumerate(TEXTS)}, "check": CALL}
CARDS = ("J♠", "J♥", "Q♠", "Q♥", "K♠", "K♥")


@dataclass(frozen=True)
class Board:
    name: str = "six"
    about: str = "jacks, queens and kings, two of each"


BOARDS = {"six": Board()}


class Options(BaseModel):
    """Leduc poker has no options."""

    model_config = ConfigDict(extra="forbid")


@kernel
def write(table, view, seat, out):
    """Own card and open card (a place each), chips of oneself and of the other, round, bets, turn."""
    if seat >= 0 and view.card[seat] != UNKNOWN:
        out[view.card[seat]] = 1.0
    if view.public != UNKNOWN:
        out[6 + view.public] = 1.0
    out[12] = view.chips[max(seat, 0)] / MOST_CHIPS
    out[13] = view.chips[1 - max(seat, 0)] / MOST_CHIPS
    out[14] = view.round
    out[15] = view.raises / 2
    out[16] = view.called
    out[17] = 1.0 if view.turn == seat else 0.0
    out[18] = 1.0 if seat == 1 else 0.0


class Leduc(Game):
    """Two players, six cards, two rounds of betting."""

    family = NAME
    rules = RULES
    seat_names = side_names = ("First", "Second")
    side_of = (0, 1)
    most_actions = 3

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board, self.spec, self.shipped = board, spec, shipped
        self.table = Table(len(CARDS))

    @cached_property
    def encoding(self) -> Encoding:
        return Encoding(3, by_code, 19, write)

    def definition(self) -> Mapping[str, Any]:
        return {"name": self.board.name}

    def describe(self, action: int) -> str:
        return TEXTS[action]

    def parse(self, text: str) -> int:
        if text.strip().lower() not in WORDS:
            raise IllegalMove(f"“{text}” is not a move: say “fold”, “call” or “raise”.")
        return WORDS[text.strip().lower()]

    def details(self, action: int) -> dict[str, Any]:
        return {"kind": TEXTS[action]}

    def why_illegal(self, state: State, action: int) -> str:
        if action not in range(3):
            return f"There is no move {action}: 0 is to fold, 1 to call and 2 to raise."
        return "There is nothing to fold before." if action == 0 else "Two bets in a round are the most there can be."

    def public(self, state: State) -> dict[str, Any]:
        return {
            "round": int(state["round"]) + 1,
            "open_card": self.card(int(state["public"])),
            "players": [
                {"name": name, "card": self.card(int(state["card"][seat])), "chips_put_in": int(state["chips"][seat])}
                for seat, name in enumerate(self.seat_names)
            ],
            "folded": "nobody" if state["folded"] == NOBODY else self.seat_names[state["folded"]],
        }

    def card(self, card: int) -> str | None:
        return None if card == UNKNOWN else CARDS[card]

    def picture(self, view: View) -> RenderableType:
        told = self.public(view.state)
        lines = [f"{p['name']:>7}  {p['card'] or '?':>2}  {p['chips_put_in']} chip(s)" for p in told["players"]]
        return Text("\n".join([f"open card: {told['open_card'] or 'none yet'}", *lines]))

    def table_of_moves(self, match: Match) -> str:
        cards = ", ".join(f"{name} {self.card(int(match.state['card'][seat]))}" for seat, name in enumerate(self.seat_names))
        return "\n".join([f"cards: {cards}", *(f"{self.seat_names[m.seat]:>7}  {TEXTS[m.code]}" for m in match.moves)])


def load(name: str, options: Mapping[str, str]) -> Board:
    """The only board there is."""
    checked(Options, options, NAME)
    if name not in BOARDS:
        raise UnknownName(f"board of {NAME}", name, BOARDS)
    return BOARDS[name]


FAMILY = Family(
    name=NAME,
    title="Leduc Poker",
    about="Six cards, two rounds of betting, one card laid open between them.",
    default_board="six",
    boards=lambda: {name: board.about for name, board in BOARDS.items()},
    options=Options,
    schema=dict,
    board=load,
    board_again=lambda definition: load(definition["name"], {}),
    game=Leduc,
)
