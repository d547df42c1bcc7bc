"""The turn search of Risk: a node of the tree is a whole turn, of one player after the other.

A turn is a plan: where the draft goes, and which battles are fought in which order; it is
carried out as far as the dice allow, the same way in the tree and at the table. Plans come in
a fixed order (territories by the value of a campaign from there, each in a few variants),
and one that asks for the same placements and battles as another is left out. A node gets a
further plan only as it is visited more often. A position is evaluated by armies,
income and cards; chances of battles are exact. The tree has a fixed number of nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk import heuristic as scripted
from fogbound.agents.risk import net as net_risk
from fogbound.agents.risk.move_filter import MoveFilter, make_filter
from fogbound.agents.risk.tactics import on_border
from fogbound.agents.risk.turn_plans import FIRST, SCRIPTED, VARIANTS, TurnPlan, act, by_script, make_plan
from fogbound.core import registry
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.errors import BadOption
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import apply, imagine, score
from fogbound.games.risk.table import ATTACK, DRAFT, FORTIFY, OCCUPY, SEATS, alive, held, with_bonuses

MOST_MOVES = 400  # of one turn, in case a plan goes round in circles
ITERATIONS = 1000
LARGEST = 16  # moves of a line that are shown


class TurnsOptions(Budget):
    c: float = Field(0.25, ge=0, description="how much rarely tried plans are preferred")
    depth: int = Field(2, ge=1, le=20, description="turns that a line may be long, the own one included")
    ahead: int = Field(3, ge=0, le=30, description="turns that the scripted player plays on before a position is evaluated")
    plans: int = Field(40, ge=1, le=200, description="most plans of one turn")
    guide: str = Field("", description="weights of nets that filter the drafts and battles to plan; none plans all")
    threshold: float = Field(0.5, ge=0, le=1, description="with a guide: a move passes if its net likes it better than this")
    playout: str = Field("heuristic", description="who plays on before a position is evaluated: heuristic, or net")
    pool: int = Field(20_000, ge=100, le=5_000_000, description="most nodes; when they are used up the tree grows no more")


class TurnNets(NamedTuple):
    """The nets that filter plans, and those that go on from a leaf."""

    move_filter: MoveFilter
    filtered: int
    player: net_risk.Params
    by_net: int


class Tree(NamedTuple):
    """The tree: a node is a turn that was made by its plan; node 0 is the position at the table."""

    child: NDArray[np.int32]  # the newest child, -1 none
    sibling: NDArray[np.int32]
    children: NDArray[np.int32]
    asked: NDArray[np.int32]  # how many plans were generated for its children, the equal ones included
    visits: NDArray[np.int32]
    total: NDArray[np.float64]  # [node, seat]
    key: NDArray[np.uint64]
    plan: NDArray[np.int16]  # [node, :]: see turn_plans.py


class Turns(Agent[TurnsOptions, Risk]):
    name = "turns"
    about = "searches over whole turns of all players, with exact odds of battles"
    options_model = TurnsOptions

    def prepare(self) -> None:
        game, options = self.game, self.options
        self._script = scripted.Heuristic(game, scripted.HeuristicOptions(), self.rng, self.imagination)
        self._nets = self._make_nets(game, options)
        size = options.pool
        self._tree = Tree(
            np.full(size, -1, np.int32),
            np.full(size, -1, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros((size, SEATS)),
            np.zeros(size, np.uint64),
            np.zeros((size, TurnPlan.SIZE), np.int16),
        )
        self._out = np.zeros(max(game.most_actions, 4 * game.table.territories + 64), np.int64)
        self._plan: NDArray[np.int16] | None = None
        self._turn = (0, 0)  # round and seat of the plan that is carried out
        self._cursor = np.zeros(2, np.int64)  # how far the plan is carried out
        self._asked_at, self._cursor_then = -1, self._cursor.copy()
        self._analysis: dict[int, float] = {}

    def _make_nets(self, game: Risk, options: TurnsOptions) -> TurnNets:
        unused = net_risk.params_of(game, net_risk.blank())
        move_filter = MoveFilter(unused, 0.0)
        if options.guide:
            move_filter = make_filter(game, options.guide, options.threshold)
        if options.playout == "heuristic":
            return TurnNets(move_filter, int(bool(options.guide)), unused, 0)
        agent = registry.agent(options.playout, game)
        if not isinstance(agent, net_risk.Net):
            raise BadOption(f"“playout={options.playout}” is not valid: give heuristic, or net with its options.")
        return TurnNets(move_filter, int(bool(options.guide)), agent.params(), 1)

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        if view.state["phase"] not in (DRAFT, ATTACK, OCCUPY, FORTIFY):
            return self._script.decide(view)
        self._keep_cursor(len(view.history))
        turn = (int(view.state["round"]), view.seat)
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        fresh = self._plan is None or self._turn != turn
        if (fresh or self._went_wrong(view)) and view.state["phase"] in (DRAFT, ATTACK):
            values, visits = self._searched(view)
            self._turn = turn
        if self._plan is None or self._turn != turn:
            return self._script.decide(view)
        action = self._act(view.state.copy(), view.seat, self._plan, self._cursor)
        if action not in moves:
            return self._script.decide(view)
        line = (action, *TurnPlan.battles(self._plan, int(self._cursor[0]))[:LARGEST])
        return Decision(action, values or {action: self._analysis.get(action, 0.5)}, visits or {action: 0}, line=line)

    def _keep_cursor(self, moment: int) -> None:
        """Asked twice about the same moment, the plan is not carried on twice."""
        if moment == self._asked_at:
            self._cursor[:] = self._cursor_then
        self._asked_at, self._cursor_then = moment, self._cursor.copy()

    def _went_wrong(self, view: View) -> bool:
        """Whether the last battle was lost: then the rest of the turn is planned anew."""
        state = view.state
        assert self._plan is not None
        if self._plan[FIRST] == SCRIPTED or state["phase"] != ATTACK or state["source"] < 0 or self._cursor[0] == 0:
            return False
        lost = state["owner"][state["target"]] != view.seat
        return bool(lost)

    def _act(self, state: np.void, seat: int, plan: NDArray[np.int16], cursor: NDArray[np.int64]) -> int:
        return int(act(self.game.table, self._script.policy_params, self._nets, state, seat, plan, cursor, self._out))

    def _searched(self, view: View) -> tuple[dict[int, float], dict[int, int]]:
        tree, game, options = self._tree, self.game, self.options
        tree.child[0] = -1
        tree.children[0] = tree.asked[0] = tree.visits[0] = 0
        tree.total[0] = 0.0
        used = np.ones(1, np.int64)
        state = np.array([view.state], game.rules.state)
        self._cursor[:] = 0
        for chunk in options.chunks(ITERATIONS, 50):
            grow(
                game.table,
                self._script.policy_params,
                self._nets,
                state,
                view.seat,
                tree,
                used,
                chunk,
                options.c,
                options.depth,
                options.ahead,
                options.plans,
                self._out,
                self.rng,
                self.imagination,
            )
        return self._chosen(view)

    def _chosen(self, view: View) -> tuple[dict[int, float], dict[int, int]]:
        """The most visited plan is kept; values and visits are reported by each plan's first move."""
        tree = self._tree
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        best, node = -1, int(tree.child[0])
        while node >= 0:
            if best < 0 or tree.visits[node] > tree.visits[best]:
                best = node
            first = self._act(view.state.copy(), view.seat, tree.plan[node], np.zeros(2, np.int64))
            mean = float(tree.total[node, view.seat] / max(1, tree.visits[node]))
            visits[first] = visits.get(first, 0) + int(tree.visits[node])
            values[first] = max(values.get(first, 0.0), mean)
            node = int(tree.sibling[node])
        self._plan = tree.plan[best].copy()
        self._analysis = values
        return values, visits

    def memory(self) -> int:
        """Bytes of the tree."""
        return sum(array.nbytes for array in self._tree)


@program
def grow(table, params, nets, view, seat, tree, used, iterations, c, depth, ahead, most_plans, out, rng, imagination):
    """So many more iterations: walk down by plans, add one, evaluate the position."""
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    worlds = np.empty(1, view.dtype)
    path = np.empty(depth + 1, np.int64)
    cursor = np.zeros(2, np.int64)
    values = np.zeros(SEATS)
    for _ in range(iterations):
        worlds[0] = view[0]
        world = worlds[0]
        imagine(table, world, seat, imagination)
        path[0] = 0
        node, length = 0, 1
        while length <= depth and world.turn >= 0:
            mover = np.int64(world.turn)
            following, is_new = _next(table, params, nets, world, mover, tree, used, node, c, most_plans, out)
            if following < 0:
                break
            node = following
            path[length] = node
            length += 1
            cursor[:] = 0
            _play_turn(table, params, nets, world, mover, tree.plan[node], cursor, out, chance)
            if is_new:
                break
        _go_on(table, params, nets, world, ahead, out, chance)
        _evaluate(table, world, values)
        for i in range(length):
            tree.visits[path[i]] += 1
            for each in range(table.players):
                tree.total[path[i], each] += values[each]


@outlined
def _next(table, params, nets, world, mover, tree, used, node, c, most_plans, out):
    """A new plan of this node, if it is due and there is one; else the child that looks best to who moves."""
    due = 2 + np.int64(1.5 * np.sqrt(tree.visits[node]))
    if tree.children[node] < min(due, most_plans) and used[0] < tree.visits.size:
        made = _add(table, params, nets, world, mover, tree, used, node, out)
        if made >= 0:
            return made, True
    best, found = -1e18, np.int64(-1)
    child = np.int64(tree.child[node])
    scale = np.log(1.0 + tree.visits[node])
    while child >= 0:
        visits = max(1, tree.visits[child])
        value = tree.total[child, mover] / visits + c * np.sqrt(scale / visits)
        if value > best:
            best, found = value, child
        child = np.int64(tree.sibling[child])
    return found, False


@kernel
def _add(table, params, nets, world, mover, tree, used, node, out):
    """The next plan in the fixed order that no child has yet; -1 when there are no more."""
    new = used[0]
    row = tree.plan[new]
    for _ in range(VARIANTS):
        key = make_plan(table, params, nets, world, mover, tree.asked[node], row, out)
        tree.asked[node] += 1
        if key == np.uint64(0):
            continue
        if not _known(tree, node, key):
            used[0] += 1
            tree.child[new] = -1
            tree.children[new] = tree.asked[new] = tree.visits[new] = 0
            tree.total[new] = 0.0
            tree.key[new] = key
            tree.sibling[new] = tree.child[node]
            tree.child[node] = new
            tree.children[node] += 1
            return new
    return np.int64(-1)


@kernel
def _known(tree, node, key):
    child = tree.child[node]
    while child >= 0:
        if tree.key[child] == key:
            return True
        child = tree.sibling[child]
    return False


@outlined
def _apply(table, world, action, chance):
    apply(table, world, action, chance)


@outlined
def _play_turn(table, params, nets, world, seat, plan, cursor, out, chance):
    """Carry a plan out to the end of the turn."""
    for _ in range(MOST_MOVES):
        if world.turn != seat:
            return
        begun = world.round
        action = act(table, params, nets, world, seat, plan, cursor, out)
        _apply(table, world, action, chance)
        if world.round != begun and world.turn == seat:
            return


@outlined
def _by_net(table, params, state, seat, out):
    """The nets' move; they draw nothing."""
    return net_risk.choose(table, params, state, seat, out, out)


@outlined
def _go_on(table, params, nets, world, turns, out, chance):
    """Play some turns on with the scripted player or the net, for every seat."""
    for _ in range(turns):
        seat = np.int64(world.turn)
        for _ in range(MOST_MOVES):
            if world.turn != seat or seat < 0:
                break
            if nets.by_net:
                action = _by_net(table, nets.player, world, seat, out)
            else:
                action = by_script(table, params, world, seat, out)
            _apply(table, world, action, chance)


@outlined
def _evaluate(table, world, values):
    """Every seat's share of the strength on the map, or of the win."""
    values[:] = 0.0
    if world.turn < 0:
        score(table, world, values)
        return
    total = 0.0
    for seat in range(table.players):
        if alive(world, seat):
            values[seat] = _strength(table, world, seat) ** 1.5
            total += values[seat]
    for seat in range(table.players):
        values[seat] /= total


@kernel
def _strength(table, world, seat):
    """Armies, three turns of income, and cards; armies at borders with more of them behind count in full."""
    income = with_bonuses(table, world, seat, max(3.0, held(world, seat) / 3.0))
    armies = 0.0
    for territory in range(table.territories):
        if world.owner[territory] == seat:
            active = on_border(table, world, seat, territory)
            armies += 1.0 + (world.armies[territory] - 1) * (1.0 if active else 0.7)
    return armies + 3.0 * income + 1.5 * world.cards[seat]
