"""What one seat may know, and nothing else: this is all that an agent is ever given."""

from __future__ import annotations

from dataclasses import dataclass

from fogbound.core.contract import Action, Game, State


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
