"""What one seat may know, and nothing else: this is all that an agent is ever given."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fogbound.core import encoding
from fogbound.core.contract import Action, Game, Reason, State
from fogbound.core.errors import IllegalMove
from fogbound.core.rng import Rng, stream
from fogbound.core.world import World


@dataclass(frozen=True)
class Seen:
    """One move of the past as this seat saw it."""

    seat: int
    code: int


@dataclass(frozen=True)
class View:
    """A seat's knowledge: the concealed state, the history as it saw it, and the state from which that history began."""

    game: Game
    seat: int
    state: State
    history: tuple[Seen, ...]
    start: State

    @property
    def to_move(self) -> int:
        """The seat to move, or -1 when the game is over."""
        return int(self.game.rules.to_move(self.state))

    @property
    def over(self) -> bool:
        return self.to_move < 0

    def legal(self) -> list[Action]:
        """The moves that this seat may play now (none when it is not its turn)."""
        if self.to_move != self.seat:
            return []
        return [Action(code, self.game.describe(code)) for code in self.game.legal(self.state)]

    def why(self, move: Action | int | str, belief: Mapping[str, float] | None = None) -> list[Reason]:
        """What speaks for a legal move, from what this seat knows: odds, distances, points. Each reads as a sentence."""
        code = self.game.code(move)
        if self.to_move != self.seat or code not in self.game.legal(self.state):
            raise IllegalMove(f"{self.game.seat_names[self.seat]} cannot play “{self.game.describe(code)}” here.")
        return self.game.reasons(self, code, belief or {})

    # For learning: the view as numbers.

    def array(self) -> NDArray[np.float32]:
        """What this seat sees, as `game.observation_size` numbers."""
        return encoding.observation(self.game, self.state, self.seat)

    def mask(self) -> NDArray[np.bool_]:
        """Which of the `game.action_size` numbers of moves are legal for this seat now."""
        mask = np.zeros(self.game.action_size, np.bool_)
        mask[list(self.numbers())] = True
        return mask

    def numbers(self) -> Mapping[int, int]:
        """The numbers of the legal moves, each with the code of its move."""
        if self.to_move != self.seat:
            return {}
        codes, found = encoding.numbers(self.game, self.state)
        return dict(zip(found.tolist(), codes.tolist(), strict=True))

    def move(self, number: int) -> Action:
        """The move that has this number here."""
        code = self.numbers().get(int(number))
        if code is None:
            raise IllegalMove(f"No legal move of {self.game.seat_names[self.seat]} has the number {number} here.")
        return Action(code, self.game.describe(code))

    def number(self, move: Action | int | str) -> int:
        """The number of a legal move, given as an action, its code or its words."""
        code = self.game.code(move)
        for number, legal in self.numbers().items():
            if legal == code:
                return number
        raise IllegalMove(f"{self.game.seat_names[self.seat]} cannot play “{self.game.describe(code)}” here.")

    # For searching: what it stands for, and what may be true.

    def key(self) -> bytes:
        """Sixteen bytes that stand for everything this view holds: the same for what this seat cannot tell apart."""
        history = np.array([(seen.seat, seen.code) for seen in self.history], np.int64)
        parts = [bytes([self.seat + 1]), self.start.tobytes(), history.tobytes(), self.state.tobytes()]
        return hashlib.blake2b(b"".join(parts), digest_size=16).digest()

    def imagine(self, rng: Rng | None = None) -> World:
        """A world that may be the true one, for all that this seat knows; every call gives another.

        It is drawn from `rng`, such as an agent's `self.imagination`; without one from a stream of this view's own,
        which depends on nothing but what the view holds.
        """
        drawn_from = self._stream() if rng is None else rng
        state = self.state.copy()
        self.game.rules.imagine(self.game.table, state, self.seat, drawn_from)
        return World(self.game, state, drawn_from)

    def _stream(self) -> Rng:
        if "_rng" not in self.__dict__:
            self.__dict__["_rng"] = stream(0, f"imagination of {self.key().hex()}")
        own: Rng = self.__dict__["_rng"]
        return own

    def __repr__(self) -> str:
        names = self.game.seat_names
        who = names[self.seat] if self.seat >= 0 else "a spectator"
        turn = "the game is over" if self.over else f"{names[self.to_move]} to move"
        return f"<View of {self.game.spec} by {who} after {len(self.history)} moves: {turn}>"
