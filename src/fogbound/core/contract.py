"""What a game is: a flat state, read-only tables and a handful of compiled functions.

`Rules` holds the functions; `Game` is one game ready to play (rules, board, options)
with the words people use for its moves. Everything else in Fogbound is written
against these two and knows no game.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from fogbound.core import chance
from fogbound.core.compiled import Kernel
from fogbound.core.encoding import Encoding, plain
from fogbound.core.errors import FogboundError, IllegalMove, short

if TYPE_CHECKING:
    from rich.console import RenderableType

    from fogbound.core.match import Match
    from fogbound.core.view import View

State = np.void  # one record of the game's dtype
LONGEST_MOVE = 200  # letters
SPECTATOR = -1  # the seat of someone who knows only what everybody knows


@dataclass(frozen=True)
class Rules:
    """The compiled rules of a game. None of them checks anything."""

    state: np.dtype[Any]
    """The dtype of one state."""
    reset: Kernel
    """reset(table, state, chance): a legal start."""
    legal: Kernel
    """legal(table, state, out) -> count: codes of the legal actions into out, strictly ascending."""
    apply: Kernel
    """apply(table, state, action, chance): play an action; chance draws what has to be drawn."""
    to_move: Kernel
    """to_move(state) -> seat, or -1 when the game is over."""
    score: Kernel
    """score(table, state, out): the result of every side, in [0, 1], summing to 1."""
    conceal: Kernel
    """conceal(table, state, seat): erase what this seat may not know. What is left is the seat's observation of the state;
    with the history of its observations it is the information state (OpenSpiel's term)."""
    imagine: Kernel
    """imagine(table, state, seat, rng): fill a concealed state with one consistent guess: a determinization, also called
    resampling from the information set."""
    observe: Kernel
    """observe(table, state, action, seat) -> code: what this seat sees of an action, asked before it is applied: the
    observation function."""


@dataclass(frozen=True)
class Action:
    """One move: its code in the kernels, and the words people use for it."""

    code: int
    text: str

    def __str__(self) -> str:
        return self.text

    def __index__(self) -> int:
        return self.code


@dataclass(frozen=True)
class Reason:
    """Something that is known about a move and speaks for it: a name for catalogues of texts, what they fill in, and the
    sentence in English."""

    name: str
    text: str
    facts: Mapping[str, Any]

    def __str__(self) -> str:
        return self.text

    def json(self) -> dict[str, Any]:
        return {"name": self.name, "text": self.text, "facts": dict(self.facts)}


class Game(ABC):
    """A game with its board and options, ready to play."""

    family: str
    """The game's name, as in `scotland-yard`."""
    spec: str
    """Its full name, as in `scotland-yard/plan1:detectives=2`."""
    shipped: bool
    """Whether the spec alone builds it again anywhere; otherwise records carry the definition."""
    rules: Rules
    table: NamedTuple
    seat_names: tuple[str, ...]
    side_of: tuple[int, ...]
    """The side that each seat plays for."""
    side_names: tuple[str, ...]
    most_actions: int
    """Room that `legal` may need."""

    @property
    def seats(self) -> int:
        return len(self.seat_names)

    @property
    def sides(self) -> int:
        return len(self.side_names)

    @abstractmethod
    def definition(self) -> Mapping[str, Any]:
        """Board and options in full, as JSON: enough to build the game again anywhere."""

    @abstractmethod
    def describe(self, action: int) -> str:
        """The words for an action, or for what is seen of one."""

    @abstractmethod
    def parse(self, text: str) -> int:
        """The code of an action given in words; FogboundError if the words mean nothing."""

    def code(self, move: Action | int | str) -> int:
        """The code of a move given as an action, a code or words."""
        if isinstance(move, str):
            if len(move) > LONGEST_MOVE:
                raise IllegalMove(f"A move is written with {LONGEST_MOVE} letters at most; this one has {len(move):,}.")
            return self.parse(move)
        try:
            code = operator.index(move)
        except TypeError:
            raise IllegalMove(f"{short(repr(move))} is not a move: give an action, its code or its words.") from None
        if not 0 <= code < 2**63:
            raise IllegalMove("There is no such move: its code is not one of a move.")
        return code

    @abstractmethod
    def details(self, action: int) -> dict[str, Any]:
        """An action, or what is seen of one, as JSON for programs."""

    @abstractmethod
    def why_illegal(self, state: State, action: int) -> str:
        """One sentence: why this action cannot be played now."""

    @abstractmethod
    def public(self, state: State) -> dict[str, Any]:
        """A (concealed) state as JSON for programs."""

    @abstractmethod
    def picture(self, view: View) -> RenderableType:
        """What a seat sees, drawn for the terminal."""

    @abstractmethod
    def table_of_moves(self, match: Match) -> str:
        """The whole game as a plain-text table, all revealed: for logs."""

    @property
    def perfect_information(self) -> bool:
        """Whether nothing is ever hidden from anybody."""
        return False

    @cached_property
    def encoding(self) -> Encoding:
        """How positions and moves become numbers for learners."""
        return plain(self)

    def links(self) -> Mapping[Any, Sequence[Any]]:
        """The places of the board by their names, each with the places one step away; none where there is no map."""
        return {}

    def drawing(self) -> dict[str, Any]:
        """The board's geometry as JSON, for whoever draws it."""
        return {}

    def expected(self, state: State) -> str:
        """What the seat to move is expected to do now, in a few words."""
        return "make a move"

    def reversible(self, state: State, action: int) -> bool:
        """Whether an action, asked before it is applied, reveals nothing to anybody and could be taken back."""
        return False

    def reasons(self, view: View, action: int, belief: Mapping[str, float]) -> list[Reason]:
        """What can be said for an action of the seat to move, computed from its view alone; what matters most first.

        `belief` tells how likely hidden things are, as an agent that was given the same view sees it; it may be empty.
        """
        return []

    def facts(self) -> dict[str, str]:
        """What there is to say about the board, a line each."""
        return {}

    def outcome(self, state: State) -> str:
        """How a finished game ended, in one sentence."""
        scores = self.scores(state)
        best = max(scores)
        winners = [name for name, score in zip(self.side_names, scores, strict=True) if score == best]
        return f"{winners[0]} wins" if len(winners) == 1 else f"{' and '.join(winners)} share the win"

    # What every game has in common.

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.spec}: {', '.join(self.side_names)}>"

    @property
    def action_size(self) -> int:
        """How many numbers there are for moves: the length of `view.mask()`."""
        return self.encoding.actions

    @property
    def observation_size(self) -> int:
        """How many numbers tell a position: the length of `view.array()`."""
        return self.encoding.inputs

    def neighbours(self, place: Any) -> list[Any]:
        """The places one step away from a place of the board."""
        links = self.links()
        if place not in links:
            known = f"its places are {short(', '.join(map(str, links)), 120)}" if links else "its board has no places"
            raise FogboundError(f"There is no place {place!r} in {self.spec}: {known}.")
        return list(links[place])

    def distance(self, start: Any, end: Any) -> int | None:
        """How many steps one place of the board is away from another, pieces and tickets left aside; None: no way."""
        self.neighbours(end)
        return self._distances(start).get(end)

    def _distances(self, start: Any) -> dict[Any, int]:
        steps, waiting = {start: 0}, [start]
        for place in waiting:
            for near in self.neighbours(place):
                if near not in steps:
                    steps[near] = steps[place] + 1
                    waiting.append(near)
        return steps

    def __reduce__(self) -> tuple[Any, ...]:
        from fogbound.core.registry import rebuild

        return rebuild, (self.family, dict(self.definition())), {"spec": self.spec, "shipped": self.shipped}

    def blank(self) -> State:
        """A state of this game, all zero."""
        state: State = np.zeros(1, self.rules.state)[0]
        return state

    def new(self, seed: int = 0, number: int = 0, start: Sequence[int] | None = None) -> Match:
        """A new match: the `number`-th of its seed, or from given results of the set-up's draws."""
        from fogbound.core.match import Match

        return Match(self, seed=seed, number=number, start=start)

    def at(self, position: str, seed: int = 0) -> Match:
        """A match that begins at a position, as `match.position()` wrote it."""
        from fogbound.core.match import Match

        return Match.at(self, position, seed)

    def starts(self) -> Iterator[tuple[int, ...]]:
        """The set-up draws of every possible start, for `new(start=...)`."""
        return chance.every_outcome(self.rules.reset, self.table, self.blank())

    def count_starts(self) -> int:
        """How many starts there are, if every draw of the set-up leaves as many choices as any other."""
        tape = chance.taped(np.ones(4, np.uint64))
        self.rules.reset(self.table, self.blank(), tape)
        count = 1
        for size in tape.sizes[: tape.cursor[0]]:
            count *= int(size)
        return count

    def legal(self, state: State) -> list[int]:
        out = np.empty(self.most_actions, np.int64)
        return [int(code) for code in out[: self.rules.legal(self.table, state, out)]]

    def scores(self, state: State) -> tuple[float, ...]:
        out = np.zeros(self.sides)
        self.rules.score(self.table, state, out)
        return tuple(float(x) for x in out)

    def concealed(self, state: State, seat: int) -> State:
        """A copy of a state that holds only what the seat may know."""
        copy = state.copy()
        self.rules.conceal(self.table, copy, seat)
        return copy

    def side(self, name: str) -> int:
        """A side by its name, or by the name or number of one of its seats."""
        wanted = name.strip().lower().replace("-", " ").replace("_", " ")
        for number, side_name in enumerate(self.side_names):
            if wanted in (side_name.lower(), side_name.lower().removesuffix("s")):
                return number
        try:
            return self.side_of[self.seat(name)]
        except FogboundError:
            known = ", ".join(self.side_names)
            raise FogboundError(f"There is no side “{name}” in {self.spec}. The sides are: {known}.") from None

    def seat(self, name: str | int) -> int:
        """A seat by number or by name."""
        wanted = str(name).strip().lower().replace("-", " ").replace("_", " ")
        for number, seat_name in enumerate(self.seat_names):
            if wanted in (str(number), seat_name.lower()):
                return number
        known = ", ".join(f"{i} ({n})" for i, n in enumerate(self.seat_names))
        raise FogboundError(f"There is no seat “{name}” in {self.spec}. The seats are: {known}.")
