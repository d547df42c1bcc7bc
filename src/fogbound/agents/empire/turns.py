"""The turn search of Eight-Minute Empire: whole turns are planned, then played out against each other.

First every card is followed to the end of the own turn, keeping the most promising positions
at each step; equal positions that are reached in another order are met once. The best
plans of each card then share a number of games on through the opponents' turns, with a new
deck each time: after every lap the worse half of the plans is dropped. The winner's line is
followed to the end of the turn.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.empire import heuristic as scripted
from fogbound.agents.empire.whole_turns import WholeTurns
from fogbound.core.agent import Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.hashing import FNV_START, GOLDEN, absorb, xorshift
from fogbound.core.rng import below
from fogbound.core.view import View
from fogbound.games.empire.rules import (
    DONE,
    KIND_SHIFT,
    WILD,
    apply,
    continents_held,
    goods_points,
    legal,
    regions_held,
    score,
)

LONGEST = 16  # moves of one turn: take, use, deeds, done
PLANS_EACH = 6  # plans kept for each first move
BEAM = 8  # positions kept at each step of a card
SEEN_BITS = 12
MARGIN = 0.3  # share of the lead in points in a game's value; the rest is winning


class TurnsOptions(Budget):
    ahead: int = Field(0, ge=0, description="opponents' turns that are played by the scripted player, before random ones")


class TurnPlans(NamedTuple):
    """Whole turns, a row each."""

    path: NDArray[np.int64]  # [plan, move]
    length: NDArray[np.int64]
    value: NDArray[np.float64]  # by the evaluation at the end of the turn
    total: NDArray[np.float64]  # of the games played
    games: NDArray[np.int64]
    order: NDArray[np.int64]  # plans still in the race, the best first


class Turns(WholeTurns[TurnsOptions]):
    name = "turns"
    about = "plans whole turns and plays the best of them out, through the opponents' turns to the end"
    options_model = TurnsOptions
    default_games = 2000

    def prepare(self) -> None:
        super().prepare()
        self._params = self._script.policy_params
        room = PLANS_EACH * self.game.most_actions
        self._plans = TurnPlans(
            np.zeros((room, LONGEST), np.int64),
            np.zeros(room, np.int64),
            np.zeros(room),
            np.zeros(room),
            np.zeros(room, np.int64),
            np.zeros(room, np.int64),
        )

    def search(self, view: View) -> Decision:
        plans, game = self._plans, self.game
        state = np.array([view.state], game.rules.state)
        count = plan(game.table, state, view.seat, plans, game.most_actions, self.imagination)
        if count > 1:
            self._race(state, view.seat, count)
        best = int(plans.order[0])
        line = tuple(int(move) for move in plans.path[best, : plans.length[best]])
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        for i in sorted(range(count), key=lambda i: -self._mean(i)):
            first = int(plans.path[i, 0])
            values.setdefault(first, self._mean(i))
            visits[first] = visits.get(first, 0) + int(plans.games[i])
        values[line[0]] = self._mean(best)
        return Decision(line[0], values, visits, line=line)

    def _race(self, state: NDArray[np.void], seat: int, count: int) -> None:
        """Share the games among the plans still in the race; drop the worse half after every lap."""
        laps = max(1, int(np.ceil(np.log2(count))))
        options = self.options
        left = count
        for _ in range(laps):
            if options.seconds is None:
                games = max(1, (options.iterations or self.default_games) // laps // left)
                self._play(state, seat, left, games)
            else:
                lap = Budget(seconds=options.seconds / laps)
                for _chunk in lap.chunks(1):
                    self._play(state, seat, left, 1)
            self._sort(left)
            left = max(1, left // 2)

    def _play(self, state: NDArray[np.void], seat: int, left: int, games: int) -> None:
        args = (self.options.ahead, self.game.sides, self.game.most_actions, self.rng, self.imagination)
        play_out(self.game.table, self._params, state, seat, self._plans, left, games, *args)

    def _sort(self, left: int) -> None:
        order = self._plans.order
        order[:left] = sorted((int(i) for i in order[:left]), key=lambda i: -self._mean(i))

    def _mean(self, i: int) -> float:
        return float(self._plans.total[i] / max(1, self._plans.games[i]))


@outlined
def _legal(table, state, out):
    return legal(table, state, out)


@outlined
def _apply(table, state, action, chance):
    apply(table, state, action, chance)


@outlined
def evaluate(table, state, seat):
    """How good the end of a turn looks: points, majorities that are near or safe, goods, coins, against the others."""
    left = (table.turns - state.played) / table.turns
    value = 1.0 * goods_points(table, state, seat)
    for good in range(WILD):
        value += 0.15 * left * min(np.int64(state.goods[seat, good]), 3)
    value += 0.3 * left * state.goods[seat, WILD] + (0.02 + 0.25 * left) * state.coins[seat]
    value -= 0.15 * left * state.reserve[seat]
    for region in range(table.regions):
        value += _majority(table, state, seat, region, region + 1, False, left)
    for continent in range(table.continents):
        value += _majority(table, state, seat, table.member_start[continent], table.member_start[continent + 1], True, left)
    return value


@kernel
def _majority(table, state, seat, first, last, members, left):
    mine = most = 0
    for colour in range(table.colours):
        pieces = 0
        for i in range(first, last):
            region = table.member[i] if members else i
            pieces += state.armies[region, colour] + state.cities[region, colour]
        if colour == seat:
            mine = pieces
        else:
            most = max(most, pieces)
    lead = mine - most
    if lead > 0:
        return 1.0 + 0.15 * left * min(lead - 1, 2)
    if lead == 0:
        return 0.3 * left if mine > 0 else 0.0
    return (0.1 * left if mine > 0 and lead == -1 else 0.0) - 1.0 / (table.players - 1)


@kernel
def _hash(table, state):
    """A number for what a turn has done so far, whatever the order it was done in."""
    value = FNV_START
    for region in range(table.regions):
        for colour in range(table.colours):
            pieces = np.int64(state.armies[region, colour]) << 8 | np.int64(state.cities[region, colour])
            value = absorb(value, pieces)
    for deed in range(5):
        value = absorb(value, state.left[deed])
    return xorshift((value ^ np.uint64(state.played << 4 | state.phase)) * GOLDEN, 29)


@program
def plan(table, view, seat, plans, most_actions, rng):
    """The best ends of the turn for each first move: how many."""
    first = np.empty(most_actions, np.int64)
    out = np.empty(most_actions, np.int64)
    beam = np.empty(BEAM, view.dtype)
    following = np.empty(BEAM, view.dtype)
    paths = np.zeros((BEAM, LONGEST), np.int64)
    new_paths = np.zeros((BEAM, LONGEST), np.int64)
    new_values = np.zeros(BEAM)
    trial = np.empty(1, view.dtype)
    seen = np.zeros(1 << SEEN_BITS, np.uint64)
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    count = 0
    begun = view[0].played
    firsts = _legal(table, view[0], first)
    for f in range(firsts):
        base = count
        seen[:] = np.uint64(0)
        beam[0] = view[0]
        width = 1
        for depth in range(LONGEST):
            new_width = 0
            for b in range(width):
                moves = 1 if depth == 0 else _legal(table, beam[b], out)
                if depth == 0:
                    out[0] = first[f]
                elif depth == LONGEST - 1:
                    out[0], moves = DONE << KIND_SHIFT, 1
                for m in range(moves):
                    trial[0] = beam[b]
                    _apply(table, trial[0], out[m], chance)
                    key = _hash(table, trial[0]) | np.uint64(1)
                    place = np.int64(key >> np.uint64(64 - SEEN_BITS))
                    if seen[place] == key:
                        continue
                    seen[place] = key
                    value = evaluate(table, trial[0], seat)
                    paths[b, depth] = out[m]
                    if trial[0].played > begun or trial[0].turn < 0:
                        count = _keep_plan(plans, base, count, paths[b], depth + 1, value)
                        continue
                    slot = _slot(new_values, new_width, value)
                    if slot < BEAM:
                        following[slot] = trial[0]
                        new_values[slot] = value
                        for i in range(depth + 1):
                            new_paths[slot, i] = paths[b, i]
                        new_width = max(new_width, slot + 1)
            width = new_width
            for b in range(width):
                beam[b] = following[b]
                for i in range(depth + 1):
                    paths[b, i] = new_paths[b, i]
            if width == 0:
                break
    for i in range(count):
        plans.order[i] = i
        plans.total[i] = 0.0
        plans.games[i] = 0
    return count


@kernel
def _slot(values, width, value):
    """Where a new position goes: a free row, or that of the worst one if this is better; BEAM for nowhere."""
    if width < values.size:
        return width
    worst = 0
    for i in range(1, width):
        if values[i] < values[worst]:
            worst = i
    return worst if value > values[worst] else values.size


@kernel
def _keep_plan(plans, base, count, path, length, value):
    """Keep the best plans of one first move: the new number of plans."""
    row = count
    if count - base == PLANS_EACH:
        row = base
        for i in range(base, count):
            if plans.value[i] < plans.value[row]:
                row = i
        if value <= plans.value[row]:
            return count
        count -= 1
    for i in range(length):
        plans.path[row, i] = path[i]
    plans.length[row] = length
    plans.value[row] = value
    return count + 1


@program
def play_out(table, params, view, seat, plans, left, games, ahead, sides, most_actions, rng, imagination):
    """Play games to the end after each plan that is still in the race."""
    out = np.empty(max(most_actions, 64), np.int64)
    scores = np.zeros(sides)
    worlds = np.empty(1, view.dtype)
    no_tape = np.zeros(0, np.int64)
    chance = Chance(imagination, no_tape, no_tape, np.zeros(3, np.int64))
    scripted_until = view[0].played + 1 + ahead
    for k in range(left):
        i = plans.order[k]
        for _ in range(games):
            worlds[0] = view[0]
            world = worlds[0]
            for m in range(plans.length[i]):
                _apply(table, world, plans.path[i, m], chance)
            while world.turn >= 0:
                if world.played < scripted_until:
                    action = _scripted(table, params, world, out, rng)
                else:
                    action = out[below(rng, _legal(table, world, out))]
                _apply(table, world, action, chance)
            score(table, world, scores)
            plans.total[i] += (1 - MARGIN) * scores[seat] + MARGIN * _lead(table, world, seat)
            plans.games[i] += 1


@outlined
def _scripted(table, params, world, out, rng):
    return scripted.choose(table, params, world, np.int64(world.turn), out, rng)


@outlined
def _points(table, world, seat):
    return regions_held(table, world, seat) + continents_held(table, world, seat) + goods_points(table, world, seat)


@kernel
def _lead(table, world, seat):
    """The lead in points over the best of the others, as a share: half when level."""
    best = -99
    for other in range(table.players):
        if other != seat:
            best = max(best, _points(table, world, other))
    lead = _points(table, world, seat) - best
    return 1.0 / (1.0 + np.exp(-lead / 3.0))
