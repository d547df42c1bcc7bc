"""The turn search of Risk: a node of the tree is a whole turn, of one player after the other.

A turn is a plan: where the draft goes, and which battles are fought in which order; it is
carried out as far as the dice allow, the same way in the tree and at the table. Plans come in
a fixed order (territories by the value of a campaign from there, each in a few variants),
and one that asks for the same placements and battles as another is left out. A node gets a
further plan only as it is visited more often. A position is evaluated by armies,
income and cards, or by a value net (value.py); chances of battles are exact. The tree has a
fixed number of nodes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk import evaluation, value
from fogbound.agents.risk import heuristic as scripted
from fogbound.agents.risk import net as net_risk
from fogbound.agents.risk.move_filter import MoveFilter, make_filter
from fogbound.agents.risk.tactics import on_border
from fogbound.agents.risk.turn_plans import FIRST, SCRIPTED, VARIANTS, TurnPlan, act, by_script, make_plan
from fogbound.agents.risk.value import judge
from fogbound.core import registry
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, part, program
from fogbound.core.errors import BadOption
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import apply, imagine, legal, score
from fogbound.games.risk.table import ATTACK, DRAFT, FORTIFY, OCCUPY, SEATS, State, alive, held, with_bonuses

MOST_MOVES = 400  # of one turn, in case a plan goes round in circles
ITERATIONS = 1000
C, DEPTH, AHEAD, PLANS = 0.25, 2, 3, 40  # what the options are by default
LARGEST = 16  # moves of a line that are shown


class TurnsOptions(Budget):
    c: float = Field(C, ge=0, description="how much rarely tried plans are preferred")
    depth: int = Field(DEPTH, ge=1, le=20, description="turns that a line may be long, the own one included")
    ahead: int = Field(
        AHEAD, ge=0, le=30, description="turns that the scripted player plays on before a position is evaluated"
    )
    plans: int = Field(PLANS, ge=1, le=200, description="most plans of one turn")
    guide: str = Field("", description="weights of nets that filter the drafts and battles to plan; none plans all")
    threshold: float = Field(0.5, ge=0, le=1, description="with a guide: a move passes if its net likes it better than this")
    value: str = Field("", description="weights of a value net that evaluates positions; none: armies, income and cards do")
    playout: str = Field("heuristic", description="who plays on before a position is evaluated: heuristic, or net")
    pool: int = Field(20_000, ge=100, le=5_000_000, description="most nodes; when they are used up the tree grows no more")


class TurnNets(NamedTuple):
    """The nets that filter plans, those that go on from a leaf, and the one that evaluates where that leads."""

    move_filter: MoveFilter
    filtered: int
    player: net_risk.Params
    by_net: int
    value: value.Value
    judged: int


def no_nets(game: Risk) -> TurnNets:
    """All plans, the scripted player and armies."""
    unused = net_risk.params_of(game, net_risk.blank())
    return TurnNets(MoveFilter(unused, 0.0), 0, unused, 0, value.blank(), 0)


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


def make_tree(size: int) -> Tree:
    return Tree(
        np.full(size, -1, np.int32),
        np.full(size, -1, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros(size, np.int32),
        np.zeros((size, SEATS)),
        np.zeros(size, np.uint64),
        np.zeros((size, TurnPlan.SIZE), np.int16),
    )


class Turns(Agent[TurnsOptions, Risk]):
    name = "turns"
    about = "searches over whole turns of all players, with exact odds of battles"
    options_model = TurnsOptions

    def prepare(self) -> None:
        game, options = self.game, self.options
        self._script = scripted.Heuristic(game, scripted.HeuristicOptions(), self.rng, self.imagination)
        self._nets = self._make_nets(game, options)
        self._tree = make_tree(options.pool)
        self._out = np.zeros(max(game.most_actions, 4 * game.table.territories + 64), np.int64)
        self._plan: NDArray[np.int16] | None = None
        self._turn = (0, 0)  # round and seat of the plan that is carried out
        self._cursor = np.zeros(2, np.int64)  # how far the plan is carried out
        self._asked_at, self._cursor_then = -1, self._cursor.copy()
        self._analysis: dict[int, float] = {}

    def _make_nets(self, game: Risk, options: TurnsOptions) -> TurnNets:
        nets = no_nets(game)
        if options.guide:
            nets = nets._replace(move_filter=make_filter(game, options.guide, options.threshold), filtered=1)
        if options.value:
            nets = nets._replace(value=value.read(options.value), judged=1)
        if options.playout == "heuristic":
            return nets
        agent = registry.agent(options.playout, game)
        if not isinstance(agent, net_risk.Net):
            raise BadOption(f"“playout={options.playout}” is not valid: give heuristic, or net with its options.")
        return nets._replace(player=agent.params(), by_net=1)

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
        if (fresh or went_wrong(view.state, view.seat, self._plan, self._cursor)) and view.state["phase"] in (DRAFT, ATTACK):
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

    def _act(self, state: np.void, seat: int, plan: NDArray[np.int16], cursor: NDArray[np.int64]) -> int:
        return int(act(self.game.table, self._script.policy_params, self._nets, state, seat, plan, cursor, self._out))

    def _searched(self, view: View) -> tuple[dict[int, float], dict[int, int]]:
        tree, game, options = self._tree, self.game, self.options
        _clear(tree)
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
        node = int(tree.child[0])
        while node >= 0:
            first = self._act(view.state.copy(), view.seat, tree.plan[node], np.zeros(2, np.int64))
            mean = float(tree.total[node, view.seat] / max(1, tree.visits[node]))
            visits[first] = visits.get(first, 0) + int(tree.visits[node])
            values[first] = max(values.get(first, 0.0), mean)
            node = int(tree.sibling[node])
        self._plan = tree.plan[int(_best(tree))].copy()
        self._analysis = values
        return values, visits

    def memory(self) -> int:
        """Bytes of the tree."""
        return sum(array.nbytes for array in self._tree)


class Room(NamedTuple):
    """What an iteration works with."""

    worlds: NDArray[np.void]  # [1]
    path: NDArray[np.int64]
    cursor: NDArray[np.int64]
    values: NDArray[np.float64]


@program
def grow(table, params, nets, view, seat, tree, used, iterations, c, depth, ahead, most_plans, out, rng, imagination):
    """So many more iterations: walk down by plans, add one, evaluate the position."""
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    room = Room(np.empty(1, view.dtype), np.empty(depth + 1, np.int64), np.zeros(2, np.int64), np.zeros(SEATS))
    for _ in range(iterations):
        _iterate(table, params, nets, view[0], seat, tree, used, c, depth, ahead, most_plans, out, chance, imagination, room)


@part
def _iterate(table, params, nets, view, seat, tree, used, c, depth, ahead, most_plans, out, chance, imagination, room):
    room.worlds[0] = view
    world, path, values = room.worlds[0], room.path, room.values
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
        room.cursor[:] = 0
        _play_turn(table, params, nets, world, mover, tree.plan[node], room.cursor, out, chance)
        if is_new:
            break
    _go_on(table, params, nets, world, ahead, out, chance)
    _evaluate(table, params, nets, world, values)
    for i in range(length):
        tree.visits[path[i]] += 1
        for each in range(table.players):
            tree.total[path[i], each] += values[each]


@kernel
def _clear(tree):
    tree.child[0] = -1
    tree.children[0] = tree.asked[0] = tree.visits[0] = 0
    tree.total[0] = 0.0


@kernel
def _best(tree):
    """The most visited plan."""
    best, node = np.int64(-1), np.int64(tree.child[0])
    while node >= 0:
        if best < 0 or tree.visits[node] > tree.visits[best]:
            best = node
        node = np.int64(tree.sibling[node])
    return best


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
def _evaluate(table, params, nets, world, values):
    """Every seat's chance to win by the net, or its share of the strength on the map, or of the win."""
    if nets.judged:
        judge(table, params, nets.value, world)
        for seat in range(SEATS):
            values[seat] = nets.value.chances[seat]
        return
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


# The turn search as a compiled policy, for games in batches. Until the first turn it is the scripted player.


class Quick(NamedTuple):
    script: evaluation.Params
    nets: TurnNets
    tree: Tree
    used: NDArray[np.int64]
    iterations: int
    room: Room
    plan: NDArray[np.int16]  # that is carried out
    round: NDArray[np.int64]  # [1]: of that plan; -1 none
    cursor: NDArray[np.int64]  # and how far it is
    then: NDArray[np.uint64]  # the random stream after the last move: another one means another game
    tape: NDArray[np.int64]
    nothing: NDArray[np.int64]
    out: NDArray[np.int64]


def quick(game: Risk, iterations: int, judged_by: value.Value | None = None) -> Quick:
    """The search of the default options with so many iterations, and a value net if one is given."""
    nets = no_nets(game)
    return Quick(
        evaluation.params_of(game),
        nets._replace(value=judged_by, judged=1) if judged_by else nets,
        make_tree(iterations + 1),
        np.ones(1, np.int64),
        iterations,
        Room(np.zeros(1, State), np.zeros(DEPTH + 1, np.int64), np.zeros(2, np.int64), np.zeros(SEATS)),
        np.zeros(TurnPlan.SIZE, np.int16),
        np.full(1, -1),
        np.zeros(2, np.int64),
        np.zeros(4, np.uint64),
        np.zeros(0, np.int64),
        np.zeros(3, np.int64),
        np.zeros(max(game.most_actions, 4 * game.table.territories + 64), np.int64),
    )


@kernel
def choose(table, params, view, seat, out, rng):
    """The next move of the plan, which is searched at the beginning of a turn and after a lost battle."""
    action = out[0] if legal(table, view, out) == 1 else _quick_move(table, params, view, seat, rng)
    for i in range(4):
        params.then[i] = rng[i]
    return action


@part
def _quick_move(table, params, view, seat, rng):
    if view.phase not in (DRAFT, ATTACK, OCCUPY, FORTIFY):
        return by_script(table, params.script, view, seat, params.out)
    fresh = params.round[0] != view.round or elsewhere(params.then, rng)
    if (fresh or went_wrong(view, seat, params.plan, params.cursor)) and view.phase in (DRAFT, ATTACK):
        _search(table, params, view, seat, rng)
    return act(table, params.script, params.nets, view, seat, params.plan, params.cursor, params.out)


@kernel
def elsewhere(then, rng):
    """Whether a policy is asked in another game than the last time, by where its random stream was then."""
    return then[0] != rng[0] or then[1] != rng[1] or then[2] != rng[2] or then[3] != rng[3]


@kernel
def _search(table, params, view, seat, rng):
    tree = params.tree
    _clear(tree)
    params.used[0] = 1
    chance = Chance(rng, params.tape, params.tape, params.nothing)
    for _ in range(params.iterations):
        _iterate(
            table,
            params.script,
            params.nets,
            view,
            seat,
            tree,
            params.used,
            C,
            DEPTH,
            AHEAD,
            PLANS,
            params.out,
            chance,
            rng,
            params.room,
        )
    best = _best(tree)
    for i in range(params.plan.size):
        params.plan[i] = tree.plan[best, i]
    params.round[0] = view.round
    params.cursor[:] = 0


@kernel
def went_wrong(state, seat, plan, cursor):
    """Whether the last battle was lost: then the rest of the turn is planned anew."""
    if plan[FIRST] == SCRIPTED or state.phase != ATTACK or state.source < 0 or cursor[0] == 0:
        return False
    return state.owner[state.target] != seat
