"""Max^n search of Eight-Minute Empire over whole turns, with a learned value at its horizon.

The turns that the net likes best are tried against the others' replies: every player is taken to play the turn
after which the net likes its own position best. The row is filled up with new cards each time, with the same luck for every
plan. After every lap the worse half of the plans is dropped.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.empire.net import best_turn, params_for
from fogbound.agents.empire.plans import find_plans
from fogbound.agents.empire.value import end_value
from fogbound.agents.empire.whole_turns import WholeTurns
from fogbound.core.agent import Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import Piece, kernel, part, program
from fogbound.core.view import View
from fogbound.games.empire.rules import TAKING, State, apply, legal, redraw

ROOT_EACH, ROOT_WIDTH = 24, 24  # plans kept for each card, and positions followed, at the root
REPLY_EACH, REPLY_WIDTH = 6, 6  # and for the replies
CANDIDATES = 16
EVERY_LINES = 20  # of each legal move, where every one is to be told about


class MaxnOptions(Budget):
    weights: str = Field("empire", description="a shipped net or a .safetensors file")
    depth: int = Field(1, ge=1, le=9, description="rounds of replies before the net judges the position")
    candidates: int = Field(CANDIDATES, ge=1, le=64, description="turns of its own that it compares")
    every: bool = Field(False, description="it tells what every legal move is worth, not only those that it plans with")


class Race(NamedTuple):
    """The plans that are compared, a row each."""

    path: NDArray[np.int64]
    length: NDArray[np.int64]
    end: NDArray[np.void]
    prior: NDArray[np.float64]  # by the net alone
    total: NDArray[np.float64]  # of the lines tried
    tried: NDArray[np.int64]
    order: NDArray[np.int64]  # those still in the race come first, the best of them at the head


class Maxn(WholeTurns[MaxnOptions]):
    name = "maxn"
    about = "plans whole turns, looks at the others' replies, and judges by a learned value"
    options_model = MaxnOptions
    default_lines = 200

    def prepare(self) -> None:
        super().prepare()
        weights = self.options.weights
        self._root = params_for(self.game, weights, ROOT_EACH, ROOT_WIDTH)
        self._reply = params_for(self.game, weights, REPLY_EACH, REPLY_WIDTH)
        most = self.options.candidates + self.options.every * self.game.most_actions
        self._race = Race(
            np.zeros((most, self._root.plans.path.shape[1]), np.int64),
            np.zeros(most, np.int64),
            np.zeros(most, State),
            np.zeros(most),
            np.zeros(most),
            np.zeros(most, np.int64),
            np.zeros(most, np.int64),
        )

    def pieces(self, seat: int) -> Sequence[Piece]:
        table, root, race, rng = self.game.table, self._root, self._race, self.imagination
        chance = Chance(rng, root.tape, root.tape, root.cursor)
        return (
            (end_value, table, root.net, root.plans.state[0], seat),
            (find_plans, table, root.plans, root.style, root.plans.state[0], seat, chance),
            (enter, table, root, np.zeros(1, State), seat, race, self.options.candidates, rng),
            (try_lines, table, self._reply, seat, race, 1, 1, 1, True, rng),
        )

    def decide(self, view: View) -> Decision:
        if self.options.every:
            self._line = ()
        return super().decide(view)

    def search(self, view: View) -> Decision:
        race = self._race
        state = np.array([view.state], State)
        args = self.game.table, self._root, state, view.seat, race
        count = enter(*args, self.options.candidates, self.imagination)
        if self.options.every:
            count = enter_every(*args, count, self.imagination)
        if count > 1 and int(state[0]["played"]) + 1 < self.game.table.turns:
            self._run(view, count)
        best = int(race.order[0])
        line = tuple(int(move) for move in race.path[best, : race.length[best]])
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        for i in range(count):
            i = int(race.order[i])
            first = int(race.path[i, 0])
            values.setdefault(first, self._mean(i))
            if race.tried[i]:
                visits[first] = visits.get(first, 0) + int(race.tried[i])
        return Decision(line[0], values, visits, line=line)

    def _run(self, view: View, count: int) -> None:
        """Share the lines among the plans still in the race; drop the worse half after every lap."""
        laps = ceil(log2(count))
        left = count
        if self.options.every:
            self._try(view, count, EVERY_LINES)
        for _ in range(laps):
            if self.options.seconds is None:
                lines = max(1, (self.options.iterations or self.default_lines) // laps // left)
                self._try(view, left, lines)
            else:
                for _chunk in Budget(seconds=self.options.seconds / laps).chunks(1):
                    self._try(view, left, 1)
            order = self._race.order
            order[:left] = sorted((int(i) for i in order[:left]), key=lambda i: -self._mean(i))
            left = max(1, left // 2)

    def _try(self, view: View, left: int, lines: int) -> None:
        turns = self.options.depth * self.game.table.players - 1
        unknown = view.state["phase"] == TAKING  # whether the card that fills the row up is still to be drawn
        args = (self._race, left, lines, turns, unknown, self.imagination)
        try_lines(self.game.table, self._reply, view.seat, *args)

    def _mean(self, i: int) -> float:
        tried = int(self._race.tried[i])
        return float(self._race.total[i] / tried if tried else self._race.prior[i])


@program
def enter(table, params, view, seat, race, most, rng):
    """Let the plans that the net likes best into the race, the best first: how many."""
    chance = Chance(rng, params.tape, params.tape, params.cursor)
    plans = params.plans
    found = find_plans(table, plans, params.style, view[0], seat, chance)
    worth = np.empty(found)
    for i in range(found):
        worth[i] = end_value(table, params.net, plans.state[i], seat)
    best = np.argsort(-worth)
    count = min(found, most)
    for k in range(count):
        _line_up(params, race, k, best[k], worth[best[k]])
    return count


@part
def _line_up(params, race, k, i, worth):
    """Plan i as row k of the race."""
    plans = params.plans
    for step in range(race.path.shape[1]):  # assigned as a whole, it would take seconds more to compile
        race.path[k, step] = plans.path[i, step]
    race.length[k] = plans.length[i]
    race.end[k] = plans.state[i]
    race.prior[k] = worth
    race.total[k] = 0.0
    race.tried[k] = 0
    race.order[k] = k


@program
def enter_every(table, params, view, seat, race, count, rng):
    """Let in the best plan after every legal move that none of the `count` plans in the race begins with: how many then."""
    chance = Chance(rng, params.tape, params.tape, params.cursor)
    plans = params.plans
    codes = np.empty(plans.codes.shape[1], np.int64)
    world = np.empty(1, view.dtype)
    for c in range(legal(table, view[0], codes)):
        if _is_tried(race, count, codes[c]):
            continue
        world[0] = view[0]
        apply(table, world[0], codes[c], chance)
        best = np.int64(0)
        if world[0].played > view[0].played:
            plans.state[0] = world[0]
            plans.length[0] = 0
        else:
            best = best_turn(table, params, world[0], seat, rng)
        _line_up(params, race, count, best, end_value(table, params.net, plans.state[best], seat))
        _put_first(race, count, codes[c])
        count += 1
    return count


@kernel
def _is_tried(race, count, code):
    for k in range(count):
        if race.path[k, 0] == code:
            return True
    return False


@kernel
def _put_first(race, k, code):
    last = min(race.length[k], race.path.shape[1] - 1)
    for step in range(last, 0, -1):
        race.path[k, step] = race.path[k, step - 1]
    race.path[k, 0] = code
    race.length[k] = last + 1


@program
def try_lines(table, params, seat, race, left, lines, turns, unknown, rng):
    """Play every plan in the race on through the others' replies, several times, and let the net judge."""
    luck = np.empty_like(rng)
    world = np.empty(1, race.end.dtype)
    for _ in range(lines):
        for k in range(left):
            for word in range(rng.size):
                luck[word] = rng[word]
            chance = Chance(luck, params.tape, params.tape, params.cursor)
            i = race.order[k]
            world[0] = race.end[i]
            if unknown:
                redraw(world[0], chance)
            for _turn in range(turns):
                if world[0].turn < 0:
                    break
                best = best_turn(table, params, world[0], np.int64(world[0].turn), luck)
                world[0] = params.plans.state[best]
            race.total[i] += end_value(table, params.net, world[0], seat)
            race.tried[i] += 1
        for word in range(rng.size):
            rng[word] = luck[word]
