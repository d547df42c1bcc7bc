"""How a game is told to programs that learn: positions as rows of numbers, moves as numbers from 0 on.

A game that says nothing gets the plain encoding: the bytes of what a seat may know, and its legal moves counted one
by one. A game with an encoding of its own documents both in docs/guide/encodings.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numpy.typing import NDArray

from fogbound.core.compiled import Kernel, kernel, program

if TYPE_CHECKING:
    from fogbound.core.contract import Game, State


@dataclass(frozen=True)
class Encoding:
    """How the positions and moves of one game become numbers."""

    actions: int
    """How many numbers there are for moves."""
    number: Kernel
    """number(table, code, rank) -> the number of a move, from its code and its place among the legal ones. The numbers
    of the legal moves are all different, and ascend with their codes."""
    inputs: int
    """How many numbers tell a position."""
    write: Kernel
    """write(table, view, seat, out): what a seat sees, from a concealed state; `out` holds zeros before."""


@kernel
def by_code(table, code, rank):
    """The numbering of a game whose codes are 0, 1, 2 and so on."""
    return code


@kernel
def by_rank(table, code, rank):
    """The numbering of a game that has none of its own: moves are counted as they are listed."""
    return rank


@intrinsic  # type: ignore[untyped-decorator]
def byte_of(typing_context: Any, record: Any, place: Any) -> Any:
    """One byte of a record."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = cgutils.pointer_add(builder, args[0], args[1], return_type=ir.IntType(8).as_pointer())
        return builder.load(address)

    return types.int8(record, types.intp), codegen


@cache
def bytes_of(size: int) -> Kernel:
    """The writer of a game that has none of its own: the bytes of the concealed state, from -1 to 1."""

    @kernel
    def write(table, view, seat, out):
        for i in range(size):
            out[i] = byte_of(view, i) / 128

    return write


def plain(game: Game) -> Encoding:
    """The encoding of a game that brings none."""
    size = game.rules.state.itemsize
    return Encoding(game.most_actions, by_rank, size, bytes_of(size))


def observation(game: Game, view: State, seat: int) -> NDArray[np.float32]:
    """What a seat sees, as numbers; `view` is a concealed state."""
    out = np.zeros(game.encoding.inputs, np.float32)
    writer(game.encoding.write)(game.table, view, seat, out)
    return out


def numbers(game: Game, state: State) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The codes of the legal moves, and their numbers."""
    codes = np.empty(game.most_actions, np.int64)
    count = int(game.rules.legal(game.table, state, codes))
    found = np.empty(count, np.int64)
    numberer(game.encoding.number)(game.table, codes[:count], found)
    return codes[:count], found


@cache
def writer(write: Kernel) -> Kernel:
    @program
    def write_one(table, view, seat, out):
        write(table, view, seat, out)

    return write_one


@cache
def numberer(number: Kernel) -> Kernel:
    @program
    def number_all(table, codes, out):
        for rank in range(codes.size):
            out[rank] = number(table, codes[rank], rank)

    return number_all
