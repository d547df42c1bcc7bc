"""One match: the true state, played move by move with every check."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from fogbound.core import chance as chances
from fogbound.core.contract import SPECTATOR, Action, Game, State
from fogbound.core.errors import DamagedRecord, FogboundError, IllegalMove
from fogbound.core.rng import stream
from fogbound.core.view import Seen, View
from fogbound.core.world import position_text, read_position


@dataclass(frozen=True)
class Move:
    """One move that was played, with what chance drew for it."""

    seat: int
    code: int
    chance: tuple[int, ...]


class Match:
    """A match in progress. Only this object knows the true state; seats get views."""

    def __init__(self, game: Game, seed: int = 0, number: int = 0, start: Sequence[int] | None = None) -> None:
        self.game = game
        self.seed, self.number = seed, number
        self.state: State = game.blank()
        self.moves: list[Move] = []
        self._past: list[State] = []
        self._seen: dict[int, list[Seen]] = {seat: [] for seat in range(SPECTATOR, game.seats)}
        self._chance = chances.taped(stream(seed, "game", number), start or ())
        game.rules.reset(game.table, self.state, self._chance)
        if start is not None and not chances.fits(self._chance):
            raise DamagedRecord(f"The start {list(start)} is not one that {game.spec} can have.")
        self.start = chances.results(self._chance)

    placed = False
    """Whether it began at a given position: then there is no record that would replay it."""

    @classmethod
    def at(cls, game: Game, position: str, seed: int = 0) -> Match:
        """A match that begins at a position; only what `position()` wrote for the same game is taken."""
        text, _, mark = position.strip().rpartition(" #")
        try:
            if mark != _mark(game, text):
                raise ValueError
            state = read_position(text, game.rules.state)
        except ValueError:
            raise FogboundError(
                f"This is not a position of {game.spec}: paste the whole line that match.position() gave for this game."
            ) from None
        match = cls(game, seed)
        match.state, match.placed = state, True
        return match

    def position(self) -> str:
        """Everything about the position in one line, hidden things as well, to be pasted into `game.at(...)`."""
        text = position_text(self.state)
        return f"{text} #{_mark(self.game, text)}"

    def __repr__(self) -> str:
        turn = self.game.outcome(self.state) if self.over else f"{self.game.seat_names[self.to_move]} to move"
        return f"<Match of {self.game.spec}, seed {self.seed}, after {len(self.moves)} moves: {turn}>"

    @property
    def to_move(self) -> int:
        """The seat to move, or -1 when the game is over."""
        return int(self.game.rules.to_move(self.state))

    @property
    def over(self) -> bool:
        return self.to_move < 0

    def legal(self) -> list[Action]:
        """The legal moves, in ascending order of their codes."""
        return [] if self.over else [Action(code, self.game.describe(code)) for code in self.game.legal(self.state)]

    def play(self, move: Action | int | str, chance: Sequence[int] | None = None) -> Move:
        """Play a move: an action, its code or its words. An illegal one raises and changes nothing.

        `chance` gives the results of the move's draws, as a replay does; otherwise they are drawn.
        """
        seat = self.to_move
        code = self._legal_code(move, seat)
        before, rng = self.state.copy(), self._chance.rng.copy()
        seen = {viewer: self._witness(code, viewer) for viewer in self._seen}
        chances.rewind(self._chance, chance or ())
        self.game.rules.apply(self.game.table, self.state, code, self._chance)
        if chance is not None and not chances.fits(self._chance):
            self.state, self._chance.rng[:] = before, rng
            raise DamagedRecord(f"“{self.game.describe(code)}” cannot have drawn {list(chance)}.")
        played = Move(seat, code, chances.results(self._chance))
        self.moves.append(played)
        self._past.append(before)
        for viewer, code_seen in seen.items():
            self._seen[viewer].append(Seen(seat, code_seen))
        return played

    def undo(self) -> Move:
        """Take back the last move (for analysis: chance is not rewound, a repeated move draws anew)."""
        if not self.moves:
            raise FogboundError("There is no move to take back.")
        self.state = self._past.pop()
        for seen in self._seen.values():
            seen.pop()
        return self.moves.pop()

    def copy(self) -> Match:
        """An independent copy, which goes on exactly as this one would."""
        twin = object.__new__(Match)
        twin.game, twin.seed, twin.number, twin.start = self.game, self.seed, self.number, self.start
        twin.placed = self.placed
        twin.state = self.state.copy()
        twin.moves, twin._past = list(self.moves), list(self._past)
        twin._seen = {seat: list(seen) for seat, seen in self._seen.items()}
        twin._chance = chances.taped(self._chance.rng.copy())
        return twin

    def view(self, seat: int | str) -> View:
        """What a seat may know (seat -1: a spectator)."""
        number = SPECTATOR if seat == SPECTATOR else self.game.seat(seat)
        state, start = (self.game.concealed(each, number) for each in (self.state, self.state_at(0)))
        return View(self.game, number, state, tuple(self._seen[number]), start)

    def revealed(self) -> View:
        """Everything, for replays and logs: never for an agent."""
        history = tuple(Seen(move.seat, move.code) for move in self.moves)
        return View(self.game, SPECTATOR, self.state.copy(), history, self.state_at(0).copy())

    def last_seen(self, seat: int | None) -> Seen | None:
        """The last move as a seat saw it (None: as it was). A replay asks at every move, and so must not build a view."""
        if not self.moves:
            return None
        last = self.moves[-1]
        return Seen(last.seat, last.code) if seat is None else self._seen[seat][-1]

    def state_at(self, move: int) -> State:
        """The true state before a move of this match, counted from 0."""
        return self._past[move] if move < len(self._past) else self.state

    def scores(self) -> tuple[float, ...]:
        """The result of each side, once the match is over."""
        if not self.over:
            raise FogboundError("The match is not over: there is no result yet.")
        return self.game.scores(self.state)

    def _witness(self, code: int, viewer: int) -> int:
        return int(self.game.rules.observe(self.game.table, self.state, code, viewer))

    def _legal_code(self, move: Action | int | str, seat: int) -> int:
        if seat < 0:
            raise IllegalMove("The match is over: no move can be played.")
        code = self.game.code(move)
        if code not in self.game.legal(self.state):
            raise IllegalMove(self.game.why_illegal(self.state, code))
        return code


def _mark(game: Game, text: str) -> str:
    """The end of a position's line: it tells one that was cut, changed or made for another game."""
    from fogbound.core.record import digest

    return hashlib.sha256(f"{digest(game.definition())} {text}".encode()).hexdigest()[:8]
