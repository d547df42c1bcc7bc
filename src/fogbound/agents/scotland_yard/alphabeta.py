"""The alpha-beta player of Scotland Yard: it looks ahead as if everything were seen.

The detectives are one player. At a reveal they search to the next one, keep the line
and follow it blindly, guessing Mr X's replies. Mr X searches anew every turn. With
`evaluation=belief` both sides reckon with what the detectives know instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.scotland_yard import alphabeta_belief as beliefs
from fogbound.agents.scotland_yard import alphabeta_search as searches
from fogbound.core.agent import Agent, Decision, Options
from fogbound.core.contract import State
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT, UNLIMITED

Belief = NDArray[np.float64]  # how likely each station is
EVALUATIONS = ("v1", "v2", "v3", "v4")
TURNS = 3  # Mr X's depth, and the detectives' where no reveal is to come
BELIEF_TURNS = 2
MOST_JOINT = 36  # joint moves of the detectives in one turn: more of them are cut to the most promising


class AlphaBetaOptions(Options):
    evaluation: Literal["v1", "v2", "v3", "v4", "belief"] = Field(
        "v4",
        description="what a node is worth: v1 to v4 by distances to the assumed Mr X, belief against all possible stations",
    )
    depth: int | None = Field(None, ge=1, le=8, description="turns to search (to the next reveal; Mr X 3; belief at most 2)")
    joint: int = Field(MOST_JOINT, ge=1, le=10_000, description="most joint moves of the detectives to look at in one turn")
    nodes: int = Field(200_000, ge=100, description="most nodes; then the last depth that was finished counts")
    follow: bool = Field(True, description="detectives follow their line blindly until the next reveal")


@dataclass(frozen=True)
class Planned:
    """One move of the stored line: who makes it where, and what the line was worth then."""

    seat: int
    station: int
    action: int
    value: float


class AlphaBeta(Agent):
    name = "alphabeta"
    about = "looks ahead with joint moves of the detectives, and follows its line between reveals"
    options_model = AlphaBetaOptions

    def prepare(self) -> None:
        game, options = self.game, self.options
        assert isinstance(game, ScotlandYard) and isinstance(options, AlphaBetaOptions)
        self.yard, self.settings = game, options
        self._plan: list[Planned] = []
        self._plan_from = 0  # length of the history when the plan was made
        self._known = 0  # how much of the history the belief has seen
        self._belief: Belief | None = None
        self._codes = np.zeros(game.most_actions, np.int64)
        deepest = max(options.depth or 0, TURNS, *np.diff([0, *game.board.reveals()]).tolist(), 1)
        self.deepest = min(deepest, 8)
        each = max(2, int(options.joint ** (1 / game.table.detectives) + 1e-9)) if options.joint > 1 else 1
        self.most_moves = each
        if options.evaluation == "belief":
            turns = options.depth or BELIEF_TURNS
            self._room = beliefs.room_for(game, turns, game.table.stations)
            self._floats = np.zeros(game.most_actions)
        else:
            self.work = searches.work_for(game, self.deepest)
            self._values = np.zeros(game.most_actions, np.int64)
            self._ticketed = int(np.any((game.table.tickets > 0) & (game.table.tickets != UNLIMITED)))

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],), belief=self._shown_belief(view))
        if self.settings.evaluation == "belief":
            return self._by_belief(view)
        if view.seat == 0:
            return self._searched(view.state, 0)
        followed = self._followed(view, moves)
        return followed or self._planned(view)

    # One guess: v1 to v4.

    def _followed(self, view: View, moves: list[int]) -> Decision | None:
        """The next move of the stored line, if it still fits."""
        ahead = len(view.history) - self._plan_from
        fresh = view.state["shown"] and view.state["turn"] == 1
        if fresh or not 0 < ahead < len(self._plan):
            return None
        if not self.settings.follow and view.state["turn"] == 1:
            return None
        planned = self._plan[ahead]
        here = int(view.state["station"][view.seat])
        if planned.seat != view.seat or planned.station != here or planned.action not in moves:
            return None
        line = tuple(each.action for each in self._plan[ahead:])
        guess = next((each.station for each in self._plan[ahead:] if each.seat == 0), None)
        belief = {str(self.yard.numbers[guess]): 1.0} if guess is not None else {}
        return Decision(planned.action, {planned.action: planned.value}, {}, belief, line)

    def _planned(self, view: View) -> Decision:
        """A new plan against one guess of where Mr X is."""
        state = view.state.copy()
        self.game.rules.imagine(self.game.table, state, view.seat, self.imagination)
        decision = self._searched(state, 1)
        self._plan_from = len(view.history)
        return decision

    def _searched(self, state: State, side: int) -> Decision:
        """Search deeper and deeper to the horizon, or until the nodes run out."""
        horizon = self._horizon(state, side)
        found: Decision | None = None
        for turns in range(1, horizon + 1):
            if turns < horizon and self.is_small():
                continue
            deeper = self._at_depth(state, side, turns)
            if deeper is None:
                break
            found = deeper
        return found or self._at_depth(state, side, 1, 1 << 40) or Decision(self.game.legal(state)[0])

    def is_small(self) -> bool:
        """Whether the whole depth can be searched at once."""
        return self.yard.table.detectives <= 2 and self.yard.table.stations <= 64 and not self._ticketed

    def _at_depth(self, state: State, side: int, turns: int, nodes: int | None = None) -> Decision | None:
        """The values of all moves and the line at this depth; None if the nodes ran out."""
        evaluation = EVALUATIONS.index(self.settings.evaluation)
        hops = self.yard.paths.hops
        task = searches.Task(evaluation, turns, side, self.most_moves, self._ticketed, hops)
        limit = nodes or self.settings.nodes
        self.work.states[0] = state
        count = searches.look(self.game.table, task, self.work, 1, limit, self._codes, self._values, True)
        if count < 0:
            return None
        sign = 0.5 if side else -0.5
        values = {int(self._codes[i]): sign * float(self._values[i]) for i in range(count)}
        visits = {int(self._codes[0]): int(self.work.spent[0])}
        line = self._line(task, state, limit, sign)
        if side == 1:
            self._plan = line
        guess = {str(self.yard.numbers[int(state["station"][0])]): 1.0} if side else {}
        return Decision(next(iter(values)), values, visits, guess, tuple(each.action for each in line))

    def _line(self, task: searches.Task, state: State, limit: int, sign: float) -> list[Planned]:
        room = self.work.states.size
        moves, seats, stations = np.zeros(room, np.int64), np.zeros(room, np.int64), np.zeros(room, np.int64)
        best = sign * float(self._values[0])
        self.work.states[0] = state
        length = searches.line(self.game.table, task, self.work, limit, moves, seats, stations, self._codes, self._values)
        return [Planned(int(seats[i]), int(stations[i]), int(moves[i]), best) for i in range(length)]

    def _horizon(self, state: State, side: int) -> int:
        """Turns to look ahead: to the next reveal for the detectives, three for Mr X, never past the last round."""
        table = self.yard.table
        left = int(table.rounds - state["round"] + 1)
        turns = self.settings.depth or TURNS
        if side == 1 and self.settings.depth is None:
            slot = int(state["slot"])
            reveals = [reveal - slot for reveal in self.yard.board.reveals() if reveal > slot]
            turns = reveals[0] if reveals else TURNS
        return int(max(1, min(turns, left, self.deepest)))

    # All that is possible: belief.

    def _by_belief(self, view: View) -> Decision:
        state = view.state.copy()
        horizon = self.settings.depth or BELIEF_TURNS
        if view.seat > 0:
            horizon = min(horizon, self._horizon_of_belief(state))
        hunt = beliefs.Hunt(horizon, self.most_moves, self.yard.paths.hops)
        self._room.states[0] = state
        belief: dict[str, float] = {}
        if view.seat == 0:
            count = beliefs.hide(self.game.table, hunt, self._room, self._codes, self._floats)
        else:
            now = self._tracked(view)
            self._room.belief[0] = now
            self._room.states[0]["station"][0] = -1  # whether he is shown or not, the belief says where he is
            belief = self._told(now)
            count = beliefs.look(self.game.table, hunt, self._room, self._codes, self._floats)
        values = {int(self._codes[i]): float(self._floats[i]) for i in range(count)}
        action = int(self._codes[0])
        return Decision(action, values, {action: int(self._room.spent[0])}, belief, (action,))

    def _horizon_of_belief(self, state: State) -> int:
        """No further than the next reveal: what is known then cannot be planned for."""
        slot = int(state["slot"])
        reveals = [reveal - slot for reveal in self.yard.board.reveals() if reveal > slot]
        left = int(self.yard.table.rounds - state["round"] + 1)
        return max(1, min([left, *reveals[:1]]))

    def _tracked(self, view: View) -> Belief:
        """How likely each station is: spread move by move since Mr X was last seen."""
        possible = self._possible(view.state)
        belief = self._belief
        new = view.history[self._known :]
        self._known = len(view.history)
        if belief is None or view.state["shown"]:
            belief = possible / possible.sum()
        else:
            for seen in new:
                if seen.seat == 0 and seen.code & HIDDEN == HIDDEN:
                    beliefs.spread(self.game.table, view.state, belief, (seen.code >> TICKET_SHIFT) & 15)
            belief = belief * possible
            total = belief.sum()
            belief = belief / total if total > 0 else possible / possible.sum()
        self._belief = np.asarray(belief, np.float64)
        return self._belief

    def _possible(self, state: State) -> Belief:
        bits = np.unpackbits(np.ascontiguousarray(state["possible"]).view(np.uint8), bitorder="little")
        return np.asarray(bits[: self.yard.table.stations], np.float64)

    def _told(self, belief: Belief) -> dict[str, float]:
        return {str(self.yard.numbers[i]): float(belief[i]) for i in np.flatnonzero(belief)}

    def _shown_belief(self, view: View) -> dict[str, float]:
        if view.seat == 0 or self.settings.evaluation != "belief":
            return {}
        return self._told(self._tracked(view))
