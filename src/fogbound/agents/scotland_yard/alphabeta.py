"""The alpha-beta player of Scotland Yard: it searches one determinization as if everything were seen.

The detectives are one player. At a reveal they search to the next one, keep the principal
variation and follow it blindly. Mr X searches anew every turn. With `evaluation=belief`
both sides search over the detectives' belief instead.
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
MOST_JOINT = 36  # joint moves of the detectives in one turn; of more, only the most promising are searched


class AlphaBetaOptions(Options):
    evaluation: Literal["v1", "v2", "v3", "v4", "belief"] = Field(
        "v4",
        description="evaluation of a node: v1 to v4 by distances to the assumed Mr X, belief by all possible stations",
    )
    depth: int | None = Field(
        None, ge=1, le=8, description="search depth in turns (by default to the next reveal; Mr X 3; belief at most 2)"
    )
    plies: bool = Field(
        False, description="v1 to v4: the depth (by default 3) and its factors count plies, a move of one side, not turns"
    )
    reach: int | None = Field(
        None, ge=1, le=16, description="v1 to v4: a catch is worth 50 times this less its depth (by default the depth, or 3)"
    )
    ties: Literal["first", "random"] = Field(
        "first", description="v1 to v4: which of equally good moves is played, the first in move ordering or any"
    )
    joint: int = Field(MOST_JOINT, ge=1, le=10_000, description="most joint moves of the detectives to search in one turn")
    nodes: int = Field(
        200_000,
        ge=100,
        description="most nodes at one depth; when they are used up, the last finished depth counts",
    )
    follow: bool = Field(True, description="detectives follow their principal variation blindly until the next reveal")


@dataclass(frozen=True)
class PvMove:
    """One move of the stored principal variation: who makes it from where, and the value of the variation."""

    seat: int
    station: int
    action: int
    value: float


class AlphaBeta(Agent[AlphaBetaOptions, ScotlandYard]):
    name = "alphabeta"
    about = "alpha-beta search with joint moves of the detectives, who follow their principal variation between reveals"
    source = "Tulušák 2020: alpha-beta with four evaluations of a position"
    options_model = AlphaBetaOptions

    def prepare(self) -> None:
        game, options = self.game, self.options
        self._pv: list[PvMove] = []
        self._pv_from = 0  # length of the history when it was searched
        self._known = 0  # how much of the history the belief includes
        self._belief: Belief | None = None
        self._codes = np.zeros(game.most_actions, np.int64)
        deepest = max(options.depth or 0, TURNS, *np.diff([0, *game.board.reveals()]).tolist(), 1)
        self.deepest = min(deepest, 8)
        each = max(2, int(options.joint ** (1 / game.table.detectives) + 1e-9)) if options.joint > 1 else 1
        self.most_moves = each
        if options.evaluation == "belief":
            turns = options.depth or BELIEF_TURNS
            self._belief_workspace = beliefs.make_workspace(game, turns, game.table.stations)
            self._floats = np.zeros(game.most_actions)
        else:
            self.workspace = searches.make_workspace(game, self.deepest)
            self.workspace.chance.rng[:] = self.rng
            self._values = np.zeros(game.most_actions, np.int64)
            self._ticketed = int(np.any((game.table.tickets > 0) & (game.table.tickets != UNLIMITED)))

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],), belief=self._belief_of(view))
        if self.options.evaluation == "belief":
            return self._by_belief(view)
        if view.seat == 0:
            return self._searched(view.state, 0)
        followed = self._followed(view, moves)
        return followed or self._from_guess(view)

    # One determinization: v1 to v4.

    def _followed(self, view: View, moves: list[int]) -> Decision | None:
        """The next move of the principal variation, if it still applies."""
        ahead = len(view.history) - self._pv_from
        fresh = view.state["shown"] and view.state["turn"] == 1
        if fresh or not 0 < ahead < len(self._pv):
            return None
        if not self.options.follow and view.state["turn"] == 1:
            return None
        move = self._pv[ahead]
        here = int(view.state["station"][view.seat])
        if move.seat != view.seat or move.station != here or move.action not in moves:
            return None
        line = tuple(each.action for each in self._pv[ahead:])
        guess = next((each.station for each in self._pv[ahead:] if each.seat == 0), None)
        belief = {str(self.game.numbers[guess]): 1.0} if guess is not None else {}
        return Decision(move.action, {move.action: move.value}, {}, belief, line)

    def _from_guess(self, view: View) -> Decision:
        """A new search of one determinization."""
        state = view.state.copy()
        self.game.rules.imagine(self.game.table, state, view.seat, self.imagination)
        decision = self._searched(state, 1)
        self._pv_from = len(view.history)
        return decision

    def _searched(self, state: State, side: int) -> Decision:
        """Iterative deepening to the horizon, or until the nodes are used up."""
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

    def is_plain(self) -> bool:
        """Whether it searches one determinization in the usual way."""
        return self.options.evaluation != "belief" and not self.options.plies and self.options.ties == "first"

    def is_small(self) -> bool:
        """Whether the board is so small that iterative deepening is not needed."""
        return self.game.table.detectives <= 2 and self.game.table.stations <= 64 and not self._ticketed

    def _at_depth(self, state: State, side: int, turns: int, nodes: int | None = None) -> Decision | None:
        """The values of all moves and the principal variation at this depth; None if the nodes were used up."""
        evaluation = EVALUATIONS.index(self.options.evaluation)
        hops = self.game.paths.hops
        begins = searches.EITHER if self.options.plies else side
        reach = self.options.reach or max(turns, searches.LEAST_TURNS)
        shuffle = int(self.options.ties == "random")
        settings = searches.AlphaBetaSettings(
            evaluation, turns, begins, self.most_moves, self._ticketed, hops, reach, shuffle
        )
        limit = nodes or self.options.nodes
        self.workspace.states[0] = state
        count = searches.search_root(self.game.table, settings, self.workspace, 1, limit, self._codes, self._values, True)
        if count < 0:
            return None
        sign = 0.5 if side else -0.5
        values = {int(self._codes[i]): sign * float(self._values[i]) for i in range(count)}
        visits = {int(self._codes[0]): int(self.workspace.nodes[0])}
        line = self._principal_variation(settings, state, limit, sign)
        if side == 1:
            self._pv = line
        guess = {str(self.game.numbers[int(state["station"][0])]): 1.0} if side else {}
        return Decision(next(iter(values)), values, visits, guess, tuple(each.action for each in line))

    def _principal_variation(
        self, settings: searches.AlphaBetaSettings, state: State, limit: int, sign: float
    ) -> list[PvMove]:
        moves, seats, stations = np.zeros((3, self.workspace.states.size), np.int64)
        best = sign * float(self._values[0])
        self.workspace.states[0] = state
        out = (moves, seats, stations, self._codes, self._values)
        length = searches.principal_variation(self.game.table, settings, self.workspace, limit, *out)
        return [PvMove(int(seats[i]), int(stations[i]), int(moves[i]), best) for i in range(length)]

    def _horizon(self, state: State, side: int) -> int:
        """Search depth in turns: to the next reveal for the detectives, three for Mr X, never past the last round."""
        table = self.game.table
        left = int(table.rounds - state["round"] + 1)
        turns = self.options.depth or TURNS
        if self.options.plies:
            return int(min(turns, 2 * left))
        if side == 1 and self.options.depth is None:
            slot = int(state["slot"])
            reveals = [reveal - slot for reveal in self.game.board.reveals() if reveal > slot]
            turns = reveals[0] if reveals else TURNS
        return int(max(1, min(turns, left, self.deepest)))

    # All possible stations: belief.

    def _by_belief(self, view: View) -> Decision:
        state = view.state.copy()
        horizon = self.options.depth or BELIEF_TURNS
        if view.seat > 0:
            horizon = min(horizon, self._horizon_of_belief(state))
        settings = beliefs.BeliefSettings(horizon, self.most_moves, self.game.paths.hops)
        workspace = self._belief_workspace
        workspace.states[0] = state
        belief: dict[str, float] = {}
        if view.seat == 0:
            count = beliefs.search_root_mr_x(self.game.table, settings, workspace, self._codes, self._floats)
        else:
            now = self._tracked(view)
            workspace.belief[0] = now
            workspace.states[0]["station"][0] = -1  # whether he is shown or not, the belief says where he is
            belief = self._by_number(now)
            count = beliefs.search_root_detectives(self.game.table, settings, workspace, self._codes, self._floats)
        values = {int(self._codes[i]): float(self._floats[i]) for i in range(count)}
        action = int(self._codes[0])
        return Decision(action, values, {action: int(workspace.nodes[0])}, belief, (action,))

    def _horizon_of_belief(self, state: State) -> int:
        """No further than the next reveal: the belief after it cannot be foreseen."""
        slot = int(state["slot"])
        reveals = [reveal - slot for reveal in self.game.board.reveals() if reveal > slot]
        left = int(self.game.table.rounds - state["round"] + 1)
        return max(1, min([left, *reveals[:1]]))

    def _tracked(self, view: View) -> Belief:
        """The belief, propagated move by move since Mr X was last seen."""
        possible = self._possible(view.state)
        belief = self._belief
        new = view.history[self._known :]
        self._known = len(view.history)
        if belief is None or view.state["shown"]:
            belief = possible / possible.sum()
        else:
            for seen in new:
                if seen.seat == 0 and seen.code & HIDDEN == HIDDEN:
                    beliefs.propagate(self.game.table, view.state, belief, (seen.code >> TICKET_SHIFT) & 15)
            belief = belief * possible
            total = belief.sum()
            belief = belief / total if total > 0 else possible / possible.sum()
        self._belief = np.asarray(belief, np.float64)
        return self._belief

    def _possible(self, state: State) -> Belief:
        bits = np.unpackbits(np.ascontiguousarray(state["possible"]).view(np.uint8), bitorder="little")
        return np.asarray(bits[: self.game.table.stations], np.float64)

    def _by_number(self, belief: Belief) -> dict[str, float]:
        return {str(self.game.numbers[i]): float(belief[i]) for i in np.flatnonzero(belief)}

    def _belief_of(self, view: View) -> dict[str, float]:
        if view.seat == 0 or self.options.evaluation != "belief":
            return {}
        return self._by_number(self._tracked(view))
