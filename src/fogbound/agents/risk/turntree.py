"""The tree search of Vašátko (2018): a node is a whole turn, random players play it out, the most visited turn is played.

A node holds the position after a turn whose dice were rolled once, when the turn was listed (turn_list.py). A node gets its
turns when it is reached for the second time; as long as some of them were not tried, one of these is drawn. So it makes no
difference that only as many are kept as can still be tried, drawn evenly from all that are listed. He keeps all of them:
`listed` counts these.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk import net as net_risk
from fogbound.agents.risk import random as random_risk
from fogbound.agents.risk.move_filter import MoveFilter, make_filter
from fogbound.agents.risk.tactics import most_armies_set, placeable
from fogbound.agents.risk.turn_list import LONGEST, Kept, TurnRules, follow, list_turns, make_work, play_move
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import outlined, program
from fogbound.core.rng import below
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import imagine
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    DRAFT,
    END_ATTACK,
    END_TURN,
    FORTIFY,
    FORTIFY_MOVE,
    MUST_EXCHANGE,
    OCCUPY,
    PLACE,
    a_of,
    b_of,
    count_of,
    encode,
    kind_of,
    largest_step,
)

ITERATIONS = 1000
DEEPEST = 200  # turns of a line


class TurnTreeOptions(Budget):
    c: float = Field(2**0.5, ge=0, description="how much rarely tried turns are preferred")
    step: int = Field(2, ge=1, description="armies that are drafted at a time")
    margin: int = Field(2, ge=1, description="an attack needs so many more armies than the defender has")
    attack: float = Field(0.9, ge=0, lt=1, description="probability to attack of the random players of the playouts")
    longest: int = Field(20_000, ge=1, description="moves after which a playout ends without a winner")
    ties: Literal["any", "wins"] = Field(
        "any", description="of equally visited turns, any one is played, or that of most wins"
    )
    guide: str = Field("", description="weights of nets that choose the turns to list; none: rules written by hand")
    threshold: float = Field(0.5, ge=0, le=1, description="with a guide: a move passes if its net likes it better than this")
    precision: net_risk.Precision = Field("single", description="with a guide: of its numbers")
    most: int = Field(1_000_000, ge=1, description="turns after which the listing of a node ends")
    keep: int = Field(64, ge=1, description="most turns that are kept of a node below the root")
    pool: int = Field(20_000, ge=100, le=5_000_000, description="most nodes; when they are used up the tree grows no more")


class Tree(NamedTuple):
    """The tree; node 0 is the position at the table. The turns of a node lie side by side."""

    state: NDArray[np.void]
    first: NDArray[np.int32]  # the first turn of a node
    children: NDArray[np.int32]  # how many there are; -1 before they are listed
    tried: NDArray[np.int32]
    order: NDArray[np.int32]  # of a node's turns, those that were tried first
    visits: NDArray[np.int32]
    wins: NDArray[np.float64]  # of who made the turn
    mover: NDArray[np.int8]
    total: NDArray[np.int64]  # [0]: nodes in use; [1]: turns that were listed


class TurnTree(Agent[TurnTreeOptions, Risk]):
    name = "turntree"
    about = "a tree of whole turns with random playouts, pruned by rules or by nets"
    source = "Vašátko 2018: MCTS over whole turns"
    options_model = TurnTreeOptions

    def prepare(self) -> None:
        game, options = self.game, self.options
        filter_ = MoveFilter(net_risk.params_of(game, net_risk.blank(), precision=options.precision), 0.0)
        if options.guide:
            filter_ = make_filter(game, options.guide, options.threshold, options.precision)
        self._rules = TurnRules(options.step, options.margin, int(bool(options.guide)), options.most, filter_)
        self._work, size = make_work(game), options.pool
        self._tree = Tree(
            np.zeros(size, game.rules.state),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size, np.int32),
            np.zeros(size),
            np.zeros(size, np.int8),
            np.zeros(2, np.int64),
        )
        at_root = min(size, 1 + (options.iterations or ITERATIONS if options.seconds is None else size))
        self._kept = Kept(self._tree.state, np.zeros((at_root, LONGEST), np.int64), np.zeros(at_root, np.int16))
        self._out = np.empty(game.most_actions, np.int64)
        self._plan: list[int] = []
        self._turn = (-1, -1)  # round and seat of the plan
        self._asked_at, self._plan_then = -1, self._plan
        self.listed = 0  # most turns that one search listed

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        self._keep_plan(len(view.history))
        turn = (int(view.state["round"]), view.seat)
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        setting_up = view.state["round"] == 0
        planned = self._turn == turn and not setting_up
        if not planned and view.state["phase"] != OCCUPY and not view.state["in_attack"]:
            values, visits = self._searched(view)
            self._turn = turn
        action = self._next(view, moves) if not setting_up else self._plan[0]
        return Decision(action, values, visits, line=(action, *self._plan[:8]) if not setting_up else (action,))

    def _keep_plan(self, moment: int) -> None:
        """Asked twice about the same moment, the plan is not carried on twice."""
        if moment == self._asked_at:
            self._plan = list(self._plan_then)
        self._asked_at, self._plan_then = moment, list(self._plan)

    def _next(self, view: View, moves: list[int]) -> int:
        """The plan's next move that can still be made; what must be decided besides goes by the rules of the listing."""
        state, seat, phase = view.state.copy(), view.seat, int(view.state["phase"])
        table = self.game.table
        if phase == DRAFT:
            return self._draft(state, seat, moves)
        if phase == OCCUPY:
            code = int(follow(table, self._rules, state, seat))
            return code if code in moves else moves[0]
        while phase == ATTACK and self._plan and kind_of(self._plan[0]) != FORTIFY_MOVE:
            source, target = int(a_of(self._plan[0])), int(b_of(self._plan[0]))
            fights = kind_of(self._plan[0]) == BATTLE and self._goes_on(state, seat, source, target)
            if fights:
                return self._attack(state, seat, source, target)
            self._plan = self._plan[1:]
        if phase == ATTACK:
            return int(encode(END_ATTACK, 0, 0, 0))
        if phase == FORTIFY and self._plan and state["source"] < 0:
            source, target = int(a_of(self._plan[0])), int(b_of(self._plan[0]))
            self._plan = []
            ways = [code for code in moves if kind_of(code) == FORTIFY_MOVE and (a_of(code), b_of(code)) == (source, target)]
            if ways:
                return max(ways, key=count_of)
        return int(encode(END_TURN, 0, 0, 0))

    def _goes_on(self, state: np.void, seat: int, source: int, target: int) -> bool:
        """Whether the planned attack can be made, or gone on with; the net may have had enough of it."""
        if state["owner"][source] != seat or state["owner"][target] == seat or state["armies"][source] < 2:
            return False
        if not self._rules.guided:
            return True
        return bool(_likes(self._rules, state, seat, source, target)[0] > self._rules.nets.least)

    def _attack(self, state: np.void, seat: int, source: int, target: int) -> int:
        if self._rules.guided:
            part = _likes(self._rules, state, seat, source, target)[1]
            return int(net_risk.attack_of(self._rules.nets.params, state, source, target, part))
        self._plan = self._plan[1:]
        return int(encode(BATTLE, source, target, 1))

    def _draft(self, state: np.void, seat: int, moves: list[int]) -> int:
        if state["in_attack"]:
            return self._reinforce(state, seat, moves)
        if self._plan and self._plan[0] in moves and kind_of(self._plan[0]) != PLACE:
            code, self._plan = self._plan[0], self._plan[1:]
            return code
        if state["cards"][seat] < MUST_EXCHANGE and self._plan and kind_of(self._plan[0]) == PLACE:
            territory, want = int(b_of(self._plan[0])), int(count_of(self._plan[0]))
            count = int(largest_step(want, int(placeable(self.game.table, state, territory))))
            rest = [int(encode(PLACE, 0, territory, want - count))] if want > count else []
            self._plan = [*rest, *self._plan[1:]]
            return int(encode(PLACE, 0, territory, count))
        return self._reinforce(state, seat, moves)

    def _reinforce(self, state: np.void, seat: int, moves: list[int]) -> int:
        """For captured cards: turn them in, and place the armies where the fight is."""
        if state["cards"][seat] >= MUST_EXCHANGE:
            return int(most_armies_set(self.game.table, state, seat, self._out))
        placements = [code for code in moves if kind_of(code) == PLACE]
        there = [code for code in placements if b_of(code) == state["target"]]
        return max(there or placements, key=count_of)

    def _searched(self, view: View) -> tuple[dict[int, float], dict[int, int]]:
        tree, options = self._tree, self.options
        root = np.array([view.state], self.game.rules.state)
        imagine(self.game.table, root[0], view.seat, self.imagination)
        tree.state[0] = root[0]
        tree.children[0], tree.tried[0], tree.visits[0] = -1, 0, 0
        tree.total[:] = 1, 0
        players = random_risk.make_params(options.attack, False, random_risk.AT_ONCE)
        budget = options.iterations or ITERATIONS
        left = budget if options.seconds is None else options.pool
        for chunk in options.chunks(ITERATIONS, 50):
            given = (
                self._rules,
                self._work,
                tree,
                self._kept,
                players,
                chunk,
                left,
                options.c,
                options.keep,
                options.longest,
            )
            grow(self.game.table, *given, self._out, self.rng)
            left = max(1, left - chunk) if options.seconds is None else left
        self.listed = max(self.listed, int(tree.total[1]))
        return self._chosen(view)

    def _chosen(self, view: View) -> tuple[dict[int, float], dict[int, int]]:
        tree = self._tree
        nodes = tree.order[tree.first[0] : tree.first[0] + tree.tried[0]]
        by_wins = self.options.ties == "wins"
        best = max(nodes, key=lambda node: (tree.visits[node], tree.wins[node] if by_wins else 0.0))
        self._plan = [int(code) for code in self._kept.moves[best, : self._kept.length[best]]]
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        legal = set(self.game.legal(view.state))
        for node in nodes:
            first = int(self._kept.moves[node, 0]) if self._kept.length[node] else int(encode(END_TURN, 0, 0, 0))
            if first in legal:
                visits[first] = visits.get(first, 0) + int(tree.visits[node])
                values[first] = max(values.get(first, 0.0), float(tree.wins[node] / max(1, tree.visits[node])))
        return values, visits

    def memory(self) -> int:
        """Bytes of the nodes in use."""
        each = self.game.rules.state.itemsize + sum(array.itemsize for array in self._tree[1:8])
        return int(self._tree.total[0]) * each + self._kept.moves.nbytes


@outlined
def _likes(rules, state, seat, source, target):
    net_risk.attack_from(rules.nets.params, state, seat, source)
    return net_risk.liked_attack(rules.nets.params, state, seat, target)


@program
def grow(table, rules, work, tree, kept, players, iterations, left, c, keep, longest, out, rng):
    """So many more iterations: walk down, add a turn, play it out, and count who won."""
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    worlds = np.empty(1, work.done.dtype)
    path = np.empty(DEEPEST, np.int64)
    for done in range(iterations):
        length = _walk(table, rules, work, tree, kept, c, keep, left - done, path, out, chance, rng)
        worlds[0] = tree.state[path[length - 1]]
        winners = _played_out(table, players, worlds[0], longest, out, chance, rng)
        for i in range(length):
            node = path[i]
            tree.visits[node] += 1
            if winners == 0:
                tree.wins[node] += 1.0 / table.players
            elif winners >> np.int64(tree.mover[node]) & 1:
                tree.wins[node] += 1.0


@outlined
def _walk(table, rules, work, tree, kept, c, keep, left, path, out, chance, rng):
    """Down to a turn that was not tried yet, or to where there is none; the path's length."""
    node, length = np.int64(0), 0
    while length < DEEPEST:
        path[length] = node
        length += 1
        if tree.state[node].turn < 0 or (node > 0 and tree.visits[node] == 0):
            return length
        if tree.children[node] < 0:
            _list(table, rules, work, tree, kept, node, left if node == 0 else min(keep, left), out, chance, rng)
        if tree.children[node] == 0:
            return length
        node = _best(tree, node, c) if tree.tried[node] == tree.children[node] else _untried(tree, node, rng)
    return length


@outlined
def _list(table, rules, work, tree, kept, node, room_for, out, chance, rng):
    first = tree.total[0]
    room_for = min(np.int64(room_for), tree.visits.size - first)
    if node == 0:
        room_for = min(room_for, kept.moves.shape[0] - first)
    tree.first[node], tree.children[node], tree.tried[node] = first, 0, 0
    if room_for <= 0:
        return
    work.done[0] = tree.state[node]
    mover = tree.state[node].turn
    total = list_turns(table, rules, work, tree.state[node], kept, first, room_for, out, chance, rng)
    tree.total[1] += total
    tree.children[node] = min(total, room_for)
    tree.total[0] += tree.children[node]
    for i in range(tree.children[node]):
        each = first + i
        tree.order[each] = each
        tree.children[each] = -1
        tree.visits[each] = tree.tried[each] = 0
        tree.wins[each] = 0.0
        tree.mover[each] = mover


@outlined
def _untried(tree, node, rng):
    """Any of the turns that were not tried; it counts as tried now."""
    begin, tried = tree.first[node], tree.tried[node]
    place = begin + tried + below(rng, tree.children[node] - tried)
    drawn = tree.order[place]
    tree.order[place] = tree.order[begin + tried]
    tree.order[begin + tried] = drawn
    tree.tried[node] += 1
    return np.int64(drawn)


@outlined
def _best(tree, node, c):
    best, found = -1.0, np.int64(-1)
    scale = np.log(np.float64(tree.visits[node]))
    for each in range(tree.first[node], tree.first[node] + tree.children[node]):
        visits = np.float64(max(1, tree.visits[each]))
        value = tree.wins[each] / visits + c * np.sqrt(scale / visits)
        if value > best:
            best, found = value, np.int64(each)
    return found


@outlined
def _played_out(table, players, world, longest, out, chance, rng):
    """Random players to the end: the winners, a bit a seat; 0 if it takes too long."""
    for _ in range(longest):
        if world.turn < 0:
            return np.int64(world.winners)
        action = random_risk.choose(table, players, world, np.int64(world.turn), out, rng)
        play_move(table, world, action, chance)
    return np.int64(world.winners) if world.turn < 0 else np.int64(0)
