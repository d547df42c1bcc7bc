"""Digger: one player hides a treasure on a beach, the other digs a few times. The whole game, from rules to words.

Change it piece by piece into a game of your own; docs/guide/add-a-game.md says what each piece is for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from pydantic import BaseModel, ConfigDict, Field
from rich.text import Text

from fogbound.core.chance import draw
from fogbound.core.compiled import kernel
from fogbound.core.contract import Game, Rules, State
from fogbound.core.errors import IllegalMove, UnknownName
from fogbound.core.match import Match
from fogbound.core.registry import Family, QuickStart, checked
from fogbound.core.rng import below
from fogbound.core.view import View

# The rules: a flat record, and functions over it that are compiled. None of them checks anything.

HIDER, SEEKER, NOBODY = 0, 1, -1
UNKNOWN = -1

Record = np.dtype(  # without gaps: states are compared byte by byte
    [
        ("dug", np.uint32),  # a bit for each cell where the seeker dug
        ("turn", np.int8),  # the seat to move, NOBODY when the game is over
        ("rock", np.int8),  # where nothing can be hidden: drawn at the start, everybody sees it
        ("treasure", np.int8),  # where it is; UNKNOWN before it is hidden, and when concealed
        ("digs", np.int8),  # how often the seeker may still dig
    ],
    align=True,
)


class Table(NamedTuple):  # what the rules need to know of the board
    cells: int
    digs: int


@kernel
def reset(table, state, chance):
    state.turn = HIDER
    state.rock = draw(chance, table.cells)  # whatever chance decides is drawn so, and goes into the record
    state.treasure = UNKNOWN
    state.digs = table.digs
    state.dug = np.uint32(0)


@kernel
def is_free(state, cell):
    return cell != state.rock and not (state.dug >> np.uint32(cell)) & np.uint32(1)


@kernel
def legal(table, state, out):
    count = 0
    for cell in range(table.cells):
        if state.turn != NOBODY and is_free(state, cell):
            out[count] = cell
            count += 1
    return count


@kernel
def apply(table, state, action, chance):
    if state.turn == HIDER:
        state.treasure = action
        state.turn = SEEKER
        return
    state.digs -= 1
    state.dug |= np.uint32(1) << np.uint32(action)
    if action == state.treasure or state.digs == 0:
        state.turn = NOBODY


@kernel
def to_move(state):
    return state.turn


@kernel
def score(table, state, out):
    out[HIDER] = 1.0 if is_free(state, state.treasure) else 0.0  # nobody dug there
    out[SEEKER] = 1.0 - out[HIDER]


@kernel
def conceal(table, state, seat):
    """Only the hider knows where it is, until the game is over."""
    if seat != HIDER and state.turn != NOBODY:
        state.treasure = UNKNOWN


@kernel
def imagine(table, state, seat, rng):
    """Any free cell may hold what the seat cannot see."""
    if state.turn == SEEKER and state.treasure == UNKNOWN:
        cell = below(rng, table.cells)
        while not is_free(state, cell):
            cell = below(rng, table.cells)
        state.treasure = cell


@kernel
def observe(table, state, action, seat):
    """Others see that something is hidden, not where: the code after the last cell stands for that."""
    return table.cells if state.turn == HIDER and seat != HIDER else action


RULES = Rules(Record, reset, legal, apply, to_move, score, conceal, imagine, observe)

# The game: a board with its options, and the words for its moves.


class Board(BaseModel):
    """A beach; its fields are the options of a spec, as in digger/beach:cells=12,digs=4."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: ClassVar[str] = "beach"

    cells: int = Field(9, ge=4, le=30, description="cells of the beach")
    digs: int = Field(3, ge=1, le=30, description="how often the seeker may dig")


class Digger(Game):
    family = "digger"
    rules = RULES
    seat_names = side_names = ("Hider", "Seeker")
    side_of = (0, 1)

    def __init__(self, board: Board, spec: str, shipped: bool) -> None:
        self.board, self.spec, self.shipped = board, spec, shipped
        self.table = Table(board.cells, board.digs)
        self.most_actions = board.cells

    def definition(self) -> Mapping[str, Any]:
        return self.board.model_dump()

    def describe(self, action: int) -> str:
        return "somewhere" if action == self.board.cells else f"cell {action + 1}"

    def parse(self, text: str) -> int:
        number = text.lower().removeprefix("cell").strip()
        if not number.isdecimal():
            raise IllegalMove(f"“{text}” is not a move: say “cell 3”, or only the number.")
        return int(number) - 1

    def details(self, action: int) -> dict[str, Any]:
        return {"cell": None if action == self.board.cells else action + 1}

    def why_illegal(self, state: State, action: int) -> str:
        return f"Cell {action + 1} cannot be chosen: it is the rock, or dug up already, or not on this beach."

    def public(self, state: State) -> dict[str, Any]:
        dug = [cell + 1 for cell in range(self.board.cells) if int(state["dug"]) >> cell & 1]
        treasure = int(state["treasure"]) + 1 or None  # UNKNOWN is -1
        return {"rock": int(state["rock"]) + 1, "dug": dug, "digs_left": int(state["digs"]), "treasure": treasure}

    def drawing(self) -> dict[str, Any]:
        return {"cells": self.board.cells}

    def picture(self, view: View) -> Text:
        told = self.public(view.state)
        marks = {told["treasure"]: "$", told["rock"]: "#", **dict.fromkeys(told["dug"], "x")}
        return Text(" ".join(marks.get(cell, str(cell)) for cell in range(1, self.board.cells + 1)))

    def table_of_moves(self, match: Match) -> str:
        return "\n".join(f"{self.seat_names[move.seat]:>6}  {self.describe(move.code)}" for move in match.moves)


def load(name: str, options: Mapping[str, str]) -> Board:
    """A board by its name, with the options of a spec."""
    if name != Board.name:
        raise UnknownName("board of digger", name, [Board.name])
    return Board(**checked(Board, options, "digger").model_dump())


FAMILY = Family(
    name="digger",
    title="Digger",
    about="One hides a treasure on the beach, the other digs for it.",
    default_board="beach",
    boards=lambda: {"beach": "a beach of any length"},
    options=Board,
    schema=dict,
    board=load,
    board_again=lambda definition: Board(**definition),
    game=Digger,
    quick_start=QuickStart("digger/beach", SEEKER, "Dig where you think it is."),
    page="fogbound_digger:page/digger.js",
)
