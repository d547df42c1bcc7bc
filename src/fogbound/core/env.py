"""Many matches side by side, for learners: `fb.env(spec, n=256)` steps them all with one call.

Every row is a match that begins anew when it ends. Row r plays the games r, r + n, r + 2n and so on of the seed:
each is the very game that `game.new(seed, number)` would give. With compiled opponents, or none, a step is a few
compiled loops over all rows; other opponents are asked one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fogbound.core import encoding, registry
from fogbound.core.agent import AgentLike, PolicyAgent, choices_of, separate
from fogbound.core.contract import Action, Game
from fogbound.core.env_loops import acting, driving, observing, settling
from fogbound.core.errors import FogboundError, IllegalMove
from fogbound.core.match import Match
from fogbound.core.rng import root
from fogbound.core.seats import fill

LEARNER = -1  # who plays a seat that no opponent plays
FORFEIT = -1  # in the place of a move: the match is given up
LARGEST = 4.0  # no number that tells a position is farther from 0
Seats = int | str | Sequence[int | str] | None


class Batch(NamedTuple):
    """What the learner is told after a step. The arrays are the environment's own: the next step writes over them."""

    observations: NDArray[np.float32]
    """[row, number]: what the seat to move sees; of the next match, if the last one has ended."""
    mask: NDArray[np.bool_]
    """[row, move]: which moves are legal for it."""
    rewards: NDArray[np.float32]
    """[row, seat]: 1 for a win, down to -1 or -1 / (sides - 1) for a loss; 0 unless a match has just ended."""
    done: NDArray[np.bool_]
    """[row]: whether a match has just ended."""
    seats: NDArray[np.int64]
    """[row]: the seat to move, one of the learner's."""


def env(
    spec: Game | str,
    n: int = 256,
    seats: Seats = None,
    opponents: AgentLike | Sequence[AgentLike] | None = None,
    seed: int = 0,
    threads: int = 1,
    final: bool = False,
) -> Environment:
    """An environment of `n` matches.

    The learner plays `seats`: numbers or names of seats, or the name of a side for all of its seats; by default every
    seat, or the first side if opponents are given. The others are played by `opponents`: one for all, or one a side.
    `final` also keeps what the learner sees of the end of a match, in `environment.final`.
    """
    return Environment(registry.game(spec), n, seats, opponents, seed, threads, final)


class Environment:
    """Matches side by side; see `env`."""

    def __init__(
        self,
        game: Game,
        n: int = 256,
        seats: Seats = None,
        opponents: AgentLike | Sequence[AgentLike] | None = None,
        seed: int = 0,
        threads: int = 1,
        final: bool = False,
    ) -> None:
        if n < 1:
            raise FogboundError(f"An environment has at least one match, not {n}.")
        self.game, self.n, self.seed = game, n, seed
        self.seats = learner_seats(game, seats, opponents is not None)
        self.opponents: list[AgentLike | None] = fill(game, _listed(opponents))
        if len(self.seats) < game.seats and None in self.opponents:
            raise FogboundError("Say who plays the other seats: opponents=“heuristic”, for example.")
        self.batch = Batch(
            np.zeros((n, game.observation_size), np.float32),
            np.zeros((n, game.action_size), np.bool_),
            np.zeros((n, game.seats), np.float32),
            np.zeros(n, np.bool_),
            np.zeros(n, np.int64),
        )
        self.final = np.zeros((n if final else 0, game.observation_size), np.float32)
        self.numbers = np.arange(n, dtype=np.int64)
        """The number of each row's match under the seed."""
        self._begun = False
        plays = [LEARNER if seat in self.seats else game.side_of[seat] for seat in range(game.seats)]
        others = {side: registry.agent(self.opponents[side], game) for side in plays if side != LEARNER}  # type: ignore[arg-type]
        self.compiled = all(isinstance(agent, PolicyAgent) for agent in others.values())
        """Whether all rows are stepped by compiled code."""
        self._rows: list[_Rows] = []
        if self.compiled:
            count = max(1, min(threads, n))
            cuts = [n * i // count for i in range(count + 1)]
            self._rows = [_Kernels(self, a, b, plays, others) for a, b in pairwise(cuts)]
        else:
            self._rows = [_Matches(self, plays)]
        self._pool = ThreadPoolExecutor(len(self._rows)) if len(self._rows) > 1 else None

    def reset(self, seed: int | None = None) -> Batch:
        """New matches in all rows: the first of a seed, or without one the next of the seed so far."""
        if seed is not None:
            self.seed = seed
        self.numbers[:] = np.arange(self.n) + (0 if seed is not None or not self._begun else self.numbers.max() + 1)
        self._begun = True
        self.batch.rewards[:], self.batch.done[:] = 0, False
        self._each([rows.reset for rows in self._rows])
        return self.batch

    def step(self, actions: ArrayLike) -> Batch:
        """Play one move in every row, given by its number. An illegal one raises IllegalMove, and nothing changes."""
        given = np.ascontiguousarray(actions, np.int64)
        if given.shape != (self.n,):
            raise FogboundError(f"A step takes {self.n} moves, one a row, not an array of the shape {given.shape}.")
        legal = self.legal(given)
        if not legal.all():
            row = int(np.argmin(legal))
            seat = self.game.seat_names[self.batch.seats[row]]
            raise IllegalMove(f"No legal move of {seat} has the number {given[row]} in row {row}: see the mask.")
        return self.advance(given)

    def legal(self, actions: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of these moves, one a row, are legal."""
        if not self._begun:
            raise FogboundError("Call reset() before the first step.")
        inside = (actions >= 0) & (actions < self.game.action_size)
        picked: NDArray[np.bool_] = self.batch.mask[np.arange(self.n), np.where(inside, actions, 0)]
        return inside & picked

    def advance(self, actions: NDArray[np.int64]) -> Batch:
        """The step itself, unchecked: each row plays a legal move, or gives its match up (FORFEIT)."""
        self.batch.rewards[:], self.batch.done[:] = 0, False
        self._each([rows.step for rows in self._rows], actions)
        return self.batch

    def move(self, row: int, number: int) -> Action:
        """The move that has a number in a row now."""
        return self._rows_of(row).view_move(row, number)

    def _rows_of(self, row: int) -> _Rows:
        return next(rows for rows in self._rows if rows.first <= row < rows.end)

    def _each(self, calls: Sequence[Any], *args: Any) -> None:
        if self._pool is None:
            calls[0](*args)
        else:
            list(self._pool.map(lambda call: call(*args), calls))

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()

    def __repr__(self) -> str:
        names = ", ".join(self.game.seat_names[seat] for seat in self.seats)
        return f"<Environment of {self.n} matches of {self.game.spec}, the learner plays {names}>"


def learner_seats(game: Game, seats: Seats, against: bool = False) -> tuple[int, ...]:
    """The seats that a learner plays."""
    if seats is None:
        return tuple(seat for seat in range(game.seats) if not against or game.side_of[seat] == 0)
    found: set[int] = set()
    for name in [seats] if isinstance(seats, int | str) else seats:
        try:
            found.add(game.seat(name))
        except FogboundError:
            side = game.side(str(name))
            found |= {seat for seat in range(game.seats) if game.side_of[seat] == side}
    return tuple(sorted(found))


def _listed(opponents: Any) -> list[AgentLike | None]:
    """One for all, or one a side."""
    return list(opponents) if isinstance(opponents, Sequence) and not isinstance(opponents, str) else [opponents]


def utilities(game: Game, scores: Sequence[float]) -> list[float]:
    """The reward of each seat for the scores of the sides: 1 for a win alone, and the sum over the sides is 0."""
    return [(scores[side] * game.sides - 1) / max(1, game.sides - 1) for side in game.side_of]


class _Rows:
    """Some neighbouring rows of an environment."""

    def __init__(self, of: Environment, first: int, end: int) -> None:
        self.game, self.of, self.first, self.end = of.game, of, first, end
        part = slice(first, end)
        told = of.batch
        self.batch = Batch(told.observations[part], told.mask[part], told.rewards[part], told.done[part], told.seats[part])
        self.final = of.final[part]
        self.numbers = of.numbers[part]

    def reset(self) -> None:
        raise NotImplementedError

    def step(self, actions: NDArray[np.int64]) -> None:
        raise NotImplementedError

    def view_move(self, row: int, number: int) -> Action:
        raise NotImplementedError


class _Kernels(_Rows):
    """Rows that compiled loops step: the states of all matches are one array."""

    def __init__(self, of: Environment, first: int, end: int, plays: list[int], others: dict[int, Any]) -> None:
        super().__init__(of, first, end)
        game, count = of.game, end - first
        rules = game.rules
        self.states = np.zeros(count, rules.state)
        self.views = np.zeros(count, rules.state)
        self.blank = np.zeros(1, rules.state)
        self.chance = np.zeros((count, 4), np.uint64)
        self.rng = np.zeros((game.sides, count, 4), np.uint64)
        self.seen = np.zeros(count, np.bool_)  # whether the learner has been asked in this match
        self.forfeits = np.zeros(count, np.bool_)
        self.side_of = np.array(game.side_of, np.int64)
        self.bases = np.zeros((game.sides + 1, 4), np.uint64)
        # One player for all sides that the same spec plays: its parameters are the same for each.
        alike = {agent.spec or id(agent): agent for agent in others.values()}
        self.players = [(driving(rules, agent.policy), separate(agent.policy_params)) for agent in alike.values()]
        who = {side: list(alike).index(agent.spec or id(agent)) for side, agent in others.items()}
        self.plays = np.array([who.get(side, LEARNER) for side in plays], np.int64)
        self.act = acting(rules, game.encoding)
        self.settle = settling(rules, game.encoding)
        self.observe = observing(rules, game.encoding)

    def reset(self) -> None:
        for side in range(self.game.sides):
            self.bases[side] = root(self.of.seed, choices_of(side))
        self.bases[-1] = root(self.of.seed, "game")
        self.seen[:], self.forfeits[:] = False, False
        self.numbers -= self.of.n  # they are to begin the next match, and count on by that
        self.states[:] = self.blank
        self._go_on(True)

    def step(self, actions: NDArray[np.int64]) -> None:
        mine = actions[self.first : self.end]
        self.act(self.game.table, self.states, self.chance, mine, self.forfeits, self.game.most_actions)
        self._go_on(False)

    def _go_on(self, fresh: bool) -> None:
        """Opponents play and finished matches begin anew, until it is the learner's turn in every row."""
        game, batch = self.game, self.batch
        args = (self.states, self.blank, self.chance, self.rng, self.bases, self.numbers, self.of.n, self.seen)
        told = (self.forfeits, self.plays, self.side_of, batch.rewards, batch.done, self.final, self.of.seats[0])
        waiting = self.settle(game.table, *args, *told, fresh)
        while waiting:
            for who, (drive, params) in enumerate(self.players):
                drive(
                    game.table, params, self.states, self.plays, self.side_of, who, self.rng, self.chance, game.most_actions
                )
            waiting = self.settle(game.table, *args, *told, False)
        outputs = (batch.observations, batch.mask, batch.seats, self.seen)
        self.observe(game.table, self.states, self.views, *outputs, game.most_actions)

    def view_move(self, row: int, number: int) -> Action:
        codes, numbers = encoding.numbers(self.game, self.views[row - self.first])
        for code, found in zip(codes.tolist(), numbers.tolist(), strict=True):
            if found == number:
                return Action(code, self.game.describe(code))
        raise IllegalMove(f"No legal move has the number {number} in row {row}.")


class _Matches(_Rows):
    """Rows that are stepped one by one, because an opponent has to be asked in Python."""

    def __init__(self, of: Environment, plays: list[int]) -> None:
        super().__init__(of, 0, of.n)
        self.plays = plays
        self.matches: list[Match] = []
        self.agents: list[dict[int, Any]] = []

    def reset(self) -> None:
        self.matches, self.agents = [self.game.new()] * self.of.n, [{}] * self.of.n
        for row in range(self.of.n):
            self._begin(row)
            self._go_on(row)

    def step(self, actions: NDArray[np.int64]) -> None:
        for row, number in enumerate(actions.tolist()):
            match = self.matches[row]
            if number == FORFEIT:
                self._end(row, forfeit_scores(self.game, match.to_move), match)
            else:
                match.play(match.view(match.to_move).move(number).code)
            self._go_on(row)

    def _begin(self, row: int) -> None:
        number, game = int(self.numbers[row]), self.game
        self.matches[row] = game.new(self.of.seed, number)
        sides = {side for side in self.plays if side != LEARNER}
        given = {side: self.of.opponents[side] for side in sides}
        self.agents[row] = {s: registry.agent(a, game, self.of.seed, s, number) for s, a in given.items() if a is not None}

    def _go_on(self, row: int) -> None:
        match = self.matches[row]
        while match.over or self.plays[match.to_move] != LEARNER:
            if match.over:
                if self._asked(match):
                    self._end(row, match.scores(), match)
                else:
                    self._next(row)
                match = self.matches[row]
            else:
                match.play(self.agents[row][self.plays[match.to_move]].choose(match.view(match.to_move)).action)
        view = match.view(match.to_move)
        self.batch.observations[row], self.batch.mask[row] = view.array(), view.mask()
        self.batch.seats[row] = view.seat

    def _asked(self, match: Match) -> bool:
        return any(self.plays[move.seat] == LEARNER for move in match.moves)

    def _end(self, row: int, scores: Sequence[float], match: Match) -> None:
        self.batch.rewards[row] = utilities(self.game, scores)
        self.batch.done[row] = True
        if len(self.final):
            self.final[row] = match.view(self.of.seats[0]).array()
        self._next(row)

    def _next(self, row: int) -> None:
        self.numbers[row] += self.of.n
        self._begin(row)

    def view_move(self, row: int, number: int) -> Action:
        match = self.matches[row]
        return match.view(match.to_move).move(number)


def forfeit_scores(game: Game, seat: int) -> list[float]:
    """The scores when a seat gives a match up: the other sides share the win."""
    lost = game.side_of[seat]
    return [0.0 if side == lost else 1 / max(1, game.sides - 1) for side in range(game.sides)]
