"""A world to search in: a state that is played on without checks and without a past, as fast as the kernels are.

`view.imagine()` gives one: the position as it could be, for all that the seat knows. What is drawn in it comes
from a random stream of its own, so thinking never changes a match.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from fogbound.core.chance import Chance, untaped
from fogbound.core.compiled import Kernel, program
from fogbound.core.rng import Rng, below

if TYPE_CHECKING:
    from fogbound.core.contract import Action, Game, State

LONGEST = 100_000  # moves of a playout: whoever needs more has a game without an end


class World:
    """One state of a game, to be played on."""

    __slots__ = ("_chance", "game", "rng", "state")

    def __init__(self, game: Game, state: State, rng: Rng) -> None:
        self.game, self.state, self.rng = game, state, rng
        self._chance = untaped(rng)

    @property
    def to_move(self) -> int:
        """The seat to move, or -1 when the game is over."""
        return int(self.game.rules.to_move(self.state))

    @property
    def over(self) -> bool:
        return self.to_move < 0

    def legal(self) -> list[int]:
        """The codes of the legal moves."""
        return self.game.legal(self.state)

    def play(self, move: int | str | Action) -> World:
        """Play a move that is legal here; it is not checked. The world itself, to go on with."""
        self.game.rules.apply(self.game.table, self.state, self.game.code(move), self._chance)
        return self

    def copy(self) -> World:
        """Another world in the same state, which draws on from the same stream."""
        return World(self.game, self.state.copy(), self.rng)

    def scores(self) -> tuple[float, ...]:
        """The result of each side, once the game is over."""
        return self.game.scores(self.state)

    def playout(self, longest: int = LONGEST) -> tuple[float, ...]:
        """The result of each side when everybody plays at random from here; the world stays as it is.

        A game that has not ended after so many moves counts as shared by all.
        """
        out = np.zeros(self.game.sides)
        rules, state = self.game.rules, np.array([self.state])
        play_out = player(rules.to_move, rules.legal, rules.apply, rules.score)
        play_out(self.game.table, state, self.rng, self.game.most_actions, longest, out)
        return tuple(out.tolist())

    def __repr__(self) -> str:
        turn = "over" if self.over else f"{self.game.seat_names[self.to_move]} to move"
        return f"<World of {self.game.spec}, {turn}>"


@cache
def player(to_move: Kernel, legal: Kernel, apply: Kernel, score: Kernel) -> Kernel:
    """A compiled function that plays one state to its end at random."""

    @program
    def play_out(table, state, rng, most_actions, longest, out):
        legal_codes = np.empty(most_actions, np.int64)
        chance = Chance(rng, np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(3, np.int64))
        for _ in range(longest):
            if to_move(state[0]) < 0:
                score(table, state[0], out)
                return
            action = legal_codes[below(rng, legal(table, state[0], legal_codes))]
            apply(table, state[0], action, chance)
        out[:] = 1.0 / out.size

    return play_out


def position_text(state: Any) -> str:
    """A state as one line of text: each field that is not all zero, its numbers, and `5x3` for five threes."""
    fields = []
    for name in state.dtype.names:
        values = np.atleast_1d(state[name]).ravel().tolist()
        if any(values):
            fields.append(f"{name}={_packed(values)}")
    return " ".join(fields)


def _packed(values: list[int]) -> str:
    parts: list[tuple[int, int]] = []
    for value in values:
        if parts and parts[-1][1] == value:
            parts[-1] = (parts[-1][0] + 1, value)
        else:
            parts.append((1, value))
    return ",".join(str(value) if count == 1 else f"{count}x{value}" for count, value in parts)


def read_position(text: str, dtype: np.dtype[Any]) -> Any:
    """The state that `position_text` wrote; ValueError if it is none of this type."""
    array = np.zeros(1, dtype)
    for field in text.split():
        name, _, packed = field.partition("=")
        if name not in (dtype.names or ()):
            raise ValueError(name)
        values: list[int] = []
        for part in packed.split(","):
            count, x, value = part.rpartition("x")
            values += [int(value)] * (int(count) if x else 1)
        target = array[name]
        if target.size != len(values):
            raise ValueError(name)
        target[...] = np.array(values, target.dtype).reshape(target.shape)
    return array[0]
