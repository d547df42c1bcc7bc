"""One turn worked out exactly: the best chance to conquer some territories before the turn is over, and each move's.

Only the front counts: the territories of the goal and those of one's own beside them. That is exact where nobody else
stands beside the goal: then no detour leads there, and armies that stand elsewhere cannot get there in this turn.
"""

from __future__ import annotations

from collections.abc import Iterable

from fogbound.core.contract import State
from fogbound.games.risk.board import Board
from fogbound.games.risk.notation import parts_of
from fogbound.games.risk.odds import MOST_DICE, float_roll
from fogbound.games.risk.table import ATTACK_MOVE, BATTLE, PLACE

MOST_POSITIONS = 30_000  # that one front may lead to
Front = tuple[int, ...]  # armies on each territory of the front; those of others count below zero


class TooLarge(Exception):
    """A front with more positions than can be worked out."""


class Turn:
    """The rest of a player's turn, from a state in its draft or attack, with a goal to be conquered."""

    def __init__(self, board: Board, state: State, goal: Iterable[int]) -> None:
        self.seat = int(state["turn"])
        self.owner = [int(owner) for owner in state["owner"][: board.size]]
        self.armies = [int(armies) for armies in state["armies"][: board.size]]
        aim = sorted(t for t in goal if self.owner[t] != self.seat)
        beside = sorted({near for t in aim for near in board.neighbours[t]} - set(aim))
        self.exact = all(self.owner[t] == self.seat for t in beside)
        self.places = [*aim, *beside]
        self.at = {territory: i for i, territory in enumerate(self.places)}
        self.near = [[self.at[n] for n in sorted(board.neighbours[t]) if n in self.at] for t in self.places]
        self.aim = len(aim)
        self.pool = int(state["pool"])
        self.front: Front = tuple(self.armies[t] if self.owner[t] == self.seat else -self.armies[t] for t in self.places)
        self._known: dict[Front, float] = {}

    def value(self, front: Front, pool: int = 0) -> float:
        """The best chance from a front, with armies that are still to be placed."""
        if pool:
            mine = [i for i, armies in enumerate(front) if armies > 0]
            return max((self.value(_with(front, i, front[i] + 1), pool - 1) for i in mine), default=0.0)
        if all(armies > 0 for armies in front[: self.aim]):
            return 1.0
        if front not in self._known:
            if len(self._known) >= MOST_POSITIONS:
                raise TooLarge
            self._known[front] = max((self.attack(front, a, b, dice) for a, b, dice in self._attacks(front)), default=0.0)
        return self._known[front]

    def _attacks(self, front: Front) -> list[tuple[int, int, int]]:
        return [
            (a, b, dice)
            for a, armies in enumerate(front)
            for b in self.near[a]
            if armies > 1 and front[b] < 0
            for dice in range(1, min(MOST_DICE, armies - 1) + 1)
        ]

    def attack(self, front: Front, a: int, b: int, dice: int) -> float:
        """The chance when one roll is made."""
        pairs = min(dice, 2, -front[b])
        chances = float_roll(dice, min(2, -front[b]))
        return sum(chance * self._after(front, a, b, dice, pairs - k, k) for k, chance in enumerate(chances))

    def _after(self, front: Front, a: int, b: int, dice: int, lost: int, beaten: int) -> float:
        left = _with(front, a, front[a] - lost)
        if front[b] + beaten < 0:
            return self.value(_with(left, b, front[b] + beaten))
        return self._conquered(left, a, b, dice)

    def _conquered(self, front: Front, a: int, b: int, dice: int) -> float:
        """So many armies as dice move in, and as many more as is best."""
        return max(self.value(_with(_with(front, a, front[a] - n), b, n)) for n in range(dice, front[a]))

    def battle(self, front: Front, a: int, b: int, stop: int) -> float:
        """The chance when rolls are made with all dice until the end, or until `stop` armies or fewer are left."""
        if front[a] <= stop:
            return self.value(front)
        dice, defending = min(MOST_DICE, front[a] - 1), min(2, -front[b])
        pairs = min(dice, defending)
        total = 0.0
        for k, chance in enumerate(float_roll(dice, defending)):
            left = _with(front, a, front[a] - (pairs - k))
            if front[b] + k == 0:
                total += chance * self._conquered(left, a, b, dice)
            else:
                total += chance * self.battle(_with(left, b, front[b] + k), a, b, stop)
        return total

    def of_move(self, action: int) -> float:
        """The best chance after a move that is legal in the state."""
        kind, a, b, count = parts_of(action)
        if kind == PLACE:
            place = self.at.get(b)
            front = self.front if place is None else _with(self.front, place, self.front[place] + count)
            return self.value(front, self.pool - count)
        if kind in (ATTACK_MOVE, BATTLE) and a not in self.at:
            return self.value(self.front)
        if kind in (ATTACK_MOVE, BATTLE) and b not in self.at:
            return self._elsewhere(self.at[a], self.armies[b], count, kind == BATTLE)
        if kind == ATTACK_MOVE:
            return self.attack(self.front, self.at[a], self.at[b], count)
        return self.battle(self.front, self.at[a], self.at[b], count) if kind == BATTLE else 0.0

    def _elsewhere(self, a: int, defenders: int, count: int, fought_on: bool) -> float:
        """An attack on what is no part of the goal: what it costs the front. The conquerors are lost to it as well."""

        def fight(armies: int, against: int, first: bool) -> float:
            if not first and (not fought_on or armies <= count):
                return self.value(_with(self.front, a, armies))
            dice = min(MOST_DICE, armies - 1) if fought_on else count
            pairs = min(dice, 2, against)
            total = 0.0
            for k, chance in enumerate(float_roll(dice, min(2, against))):
                left = armies - (pairs - k)
                won = against - k == 0
                after = self.value(_with(self.front, a, left - dice)) if won else fight(left, against - k, False)
                total += chance * after
            return total

        return fight(self.front[a], defenders, True)


def _with(front: Front, place: int, armies: int) -> Front:
    return (*front[:place], armies, *front[place + 1 :])
