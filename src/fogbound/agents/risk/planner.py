"""A player of Risk who tries out plans for the turn and judges by a net where they lead (planning.py).

It keeps to its plan until the turn is over, a battle is lost or cards are captured. It may leave its turns to a turn
search (turns.py) with a net of its own, as long as everybody sets up like the scripted player.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk import heuristic, value
from fogbound.agents.risk.opponents import is_stranger, watch
from fogbound.agents.risk.planning import (
    best_arm,
    best_fortifying,
    best_setup,
    every_fortifying,
    first_move,
    gather,
    improve,
    make_kit,
    next_move,
    try_every,
    went_wrong,
)
from fogbound.agents.risk.turn_plans import TurnPlan, by_script
from fogbound.agents.risk.turns import Turns, TurnsOptions
from fogbound.agents.risk.value import judge
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.compiled import Piece
from fogbound.core.view import Seen, View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import ATTACK, CLAIM, DRAFT, FORTIFY, OCCUPY, SETUP

ITERATIONS = 1000
TURN = (DRAFT, ATTACK, OCCUPY, FORTIFY)
LONGEST_LINE = 16  # battles of a line that are shown
EVERY_TRIES = 24  # of each legal move, where every one is to be told about


class PlannerOptions(Budget):
    weights: str = Field(value.SHIPPED, description="a shipped value net or a .safetensors file")
    c: float = Field(0.1, ge=0, description="how much rarely tried plans are preferred")
    plans: int = Field(40, ge=1, le=200, description="most plans of one turn")
    ahead: int = Field(5, ge=0, le=5, description="turns of others that are made before the net judges")
    setup: bool = Field(True, description="it thinks about the set-up too; otherwise that is the scripted player's")
    strangers: bool = Field(True, description="it takes who does not set up like the scripted player for a rash one")
    search: str = Field("", description="value net of a turn search that makes its turns where there are no strangers")
    every: bool = Field(False, description="it tells what every legal move is worth, not only those that it plans with")


class Planner(Agent[PlannerOptions, Risk]):
    name = "planner"
    about = "tries out plans for the turn and judges by a net where they lead"
    options_model = PlannerOptions

    def prepare(self) -> None:
        options = self.options
        more = self.game.most_actions if options.every else 0
        self._kit = make_kit(self.game, value.read(options.weights), options.c, options.plans, options.ahead, more)
        self._script = heuristic.Heuristic(self.game, heuristic.HeuristicOptions(), self.rng, self.imagination)
        self._search = self._turn_search() if options.search and not options.every else None
        self._arm = -1  # the candidate that is carried out
        self._turn = (0, 0)  # round and seat that it is for
        self._moment = -1  # the length of the history when it was last asked
        self._cursor: NDArray[np.int64] = np.zeros(2, np.int64)  # how far the plan was carried out then
        self._setup: tuple[Seen, ...] = ()  # the set-up that the others are known from, once it is over

    def _turn_search(self) -> Turns:
        budget = self.options.model_dump(include=set(Budget.model_fields))
        return Turns(self.game, TurnsOptions(value=self.options.search, **budget), self.rng, self.imagination)

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        kit, phase = self._kit, int(view.state["phase"])
        kit.position[0] = view.state
        self._watch(view)
        if phase in (CLAIM, SETUP) and self._plans_setup(view.seat):
            return self._set_up(view, moves)
        if self._search and phase in TURN and not self._among_strangers(view.seat):
            return self._search.decide(view)
        if phase == FORTIFY:
            return self._legal(view, moves, self._fortified(view, moves))
        if phase not in (DRAFT, ATTACK, OCCUPY):
            return self._script.decide(view)
        if self._is_fresh(view):
            return self._legal(view, moves, self._planned(view, moves))
        return self._legal(view, moves, self._carried_on(view))

    def pieces(self, seat: int) -> Sequence[Piece]:
        table, kit, state = self.game.table, self._kit, self._kit.position[0]
        script = (judge, table, kit.script, kit.value, state), (by_script, table, kit.script, state, seat, kit.out)
        return (*script, (best_setup, table, kit, seat, self.rng, self.imagination)) if self.options.setup else script

    def _legal(self, view: View, moves: list[int], decision: Decision) -> Decision:
        """The decision if it is legal; else the scripted player's."""
        return decision if decision.action in moves else self._script.decide(view)

    def _watch(self, view: View) -> None:
        """Get to know the others by their set-up, as far as it was seen."""
        known = self._setup and view.history[: len(self._setup)] == self._setup
        if self.options.strangers and not known:
            setup = watch(view, self._kit.script, self._kit.others, self._kit.out)
            self._setup = setup if len(setup) < len(view.history) else ()

    def _plans_setup(self, seat: int) -> bool:
        """Whether it thinks about the set-up: not among strangers, where the scripted player's was seen to win more."""
        return self.options.setup and (self.options.every or not self._among_strangers(seat))

    def _among_strangers(self, seat: int) -> bool:
        return any(is_stranger(self._kit.others, other) for other in range(self.game.seats) if other != seat)

    def _set_up(self, view: View, moves: list[int]) -> Decision:
        action, _ = best_setup(self.game.table, self._kit, view.seat, self.rng, self.imagination)
        return self._listed(int(action), len(moves))

    def _fortified(self, view: View, moves: list[int]) -> Decision:
        args = self.game.table, self._kit, view.seat, self.rng, self.imagination
        action, chance = best_fortifying(*args)
        if not self.options.every:
            return Decision(int(action), {int(action): float(chance)}, line=(int(action),))
        every_fortifying(*args)
        return self._listed(int(action), len(moves))

    def _listed(self, action: int, count: int) -> Decision:
        """A move with what all that are listed are worth."""
        listed, total = self._kit.arms.opening[:count].tolist(), self._kit.arms.total[:count].tolist()
        return Decision(action, dict(zip(listed, total, strict=True)), line=(action,))

    def _is_fresh(self, view: View) -> bool:
        """Whether there is no plan for this moment."""
        turn, moment = (int(view.state["round"]), view.seat), len(view.history)
        before, self._moment = self._moment, moment
        follows = self._turn == turn and self._arm >= 0 and moment > before
        self._turn = turn
        return not follows or self.options.every or bool(went_wrong(self._kit.position[0], view.seat))

    def _planned(self, view: View, moves: list[int]) -> Decision:
        table, kit = self.game.table, self._kit
        gather(table, kit, view.seat, self.rng)
        for chunk in self.options.chunks(ITERATIONS, 50):
            improve(table, kit, view.seat, chunk, self.rng, self.imagination)
        arms, values, visits = kit.arms, dict[int, float](), dict[int, int]()
        self._arm, least = int(best_arm(arms)), 1
        if self.options.every:
            least = EVERY_TRIES
            try_every(table, kit, view.seat, least, self.rng, self.imagination)
        for arm in range(int(arms.count[0])):
            first = int(first_move(table, kit, view.seat, arm))
            if arms.visits[arm] >= least and first in moves:
                visits[first] = visits.get(first, 0) + int(arms.visits[arm])
                values[first] = max(values.get(first, 0.0), float(arms.total[arm] / arms.visits[arm]))
        action = int(first_move(table, kit, view.seat, self._arm))
        self._cursor[:] = kit.cursor
        return Decision(action, values, visits, line=(action, *self._battles(0)))

    def _carried_on(self, view: View) -> Decision:
        arms, kit = self._kit.arms, self._kit
        kit.cursor[:] = self._cursor
        action = int(next_move(self.game.table, kit, view.seat, self._arm))
        self._cursor[:] = kit.cursor
        chance = float(arms.total[self._arm] / max(1, arms.visits[self._arm]))
        return Decision(action, {action: chance}, line=(action, *self._battles(int(self._cursor[0]))))

    def _battles(self, start: int) -> list[int]:
        return TurnPlan.battles(self._kit.arms.plan[self._arm], start)[:LONGEST_LINE]
