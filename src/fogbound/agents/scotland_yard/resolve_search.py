"""Solving a lookahead from a public belief state: CFR over a public tree with limits, safe for the side that searches.

Mr X's own subgame needs no more than his range: the detectives have one information set there, so whatever minimises
what they can win cannot give them more than before. The detectives' subgame needs a gadget: at the root Mr X may leave
with the counterfactual value that his station was worth to him before, so that no station becomes worth more to him.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.resolve_leaves import Leaves, possible
from fogbound.core.compiled import kernel, program
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve.cfr import (
    CfrState,
    average_strategies,
    detectives_reach,
    match_regrets,
    mr_x_reach,
    start,
    update_detectives,
    update_mr_x,
)
from fogbound.solve.layer_loops import Workspace, new_workspace
from fogbound.solve.strategies import expected_values, respond
from fogbound.solve.subgame import (
    DETECTIVE_NODE,
    FIRST_MEMBER,
    HORIZON_NODE,
    MR_X_NODE,
    NO_ROOM,
    REVEAL_NODE,
    Subgame,
    grow_within,
    moves,
    play,
)

Floats = NDArray[np.float64]
MR_X, DETECTIVES = 0, 1
OUTSIDE = -1  # of a lookahead
FOLLOW, LEAVE = 0, 1  # Mr X's choices at the gadget
RARE = 1e-4  # moves less likely than this are not played
UNLIKELY = 1e-6  # the share of his range that is spread over all his stations, so that each has an average strategy


class PublicBelief(NamedTuple):
    """A public belief state: what everybody knows, how likely each station of Mr X is, and what he can claim there."""

    state: Any
    stations: NDArray[np.int16]
    belief: Floats  # [member]
    values: Floats | None  # [member]: Mr X's counterfactual values, as the detectives' probability of winning


class Gadget(NamedTuple):
    """What is dealt at the root of a lookahead: Mr X's station."""

    belief: Floats  # [member]: dealt so, he has no choice
    chances: Floats  # [member]: dealt so, he may leave with his value
    values: Floats  # [member]
    regret: Floats  # [2 * member + choice]
    strategy: Floats
    dealt: Floats  # [member]: how likely he is there and stays


class Lookahead(NamedTuple):
    """A solved lookahead, cut down to what later moves need of it."""

    states: NDArray[Any]  # [node]
    kind: NDArray[np.int8]
    first: NDArray[np.int32]
    parent: NDArray[np.int32]
    observed: NDArray[np.int32]
    station: NDArray[np.int16]  # [member]
    reach: Floats  # Mr X's range by his average strategy
    guaranteed: Floats  # what the detectives' average strategy wins against Mr X's best response
    codes: tuple[NDArray[np.int32], ...]  # the moves at the root: one row for the detectives, one a member for Mr X
    chances: tuple[Floats, ...]  # how likely each of them is
    worth: tuple[Floats, ...]  # what each is worth: the detectives' probability of winning
    iterations: int

    def child(self, node: int, observed: int) -> int:
        """The node that an observed move leads to, or OUTSIDE where the lookahead did not look."""
        found = np.flatnonzero((self.parent == node) & (self.observed == observed))
        return int(found[0]) if found.size == 1 else OUTSIDE

    def ends_at(self, node: int) -> bool:
        return bool(self.kind[node] == HORIZON_NODE)

    def belief_at(self, node: int) -> PublicBelief:
        """The public belief state of a node. Where Mr X's strategy never leads, all stations are equally likely."""
        inside = slice(int(self.first[node]), int(self.first[node + 1]))
        return PublicBelief(
            self.states[node], self.station[inside], normalised(self.reach[inside]), self.guaranteed[inside].copy()
        )


def moved(game: ScotlandYard, at: PublicBelief, code: int) -> PublicBelief:
    """The public belief state after a detective's move: it tells only where Mr X is not."""
    for station in at.stations.tolist() if at.state["turn"] > 0 else ():
        state = at.state.copy()
        state["station"][0] = station
        if code not in game.legal(state):
            break
        game.rules.apply(game.table, state, code, 0)
        if state["turn"] >= 0:
            if not state["shown"]:
                state["station"][0] = -1
            left = possible(np.array([state]), game.table.stations)[0][at.stations]
            return PublicBelief(state, at.stations[left], normalised(at.belief[left]), None)
    raise FogboundError("This position does not follow from the moves before it.")


def normalised(reach: Floats) -> Floats:
    total = reach.sum()
    return reach / total if total > 0 else np.full(reach.size, 1 / reach.size)


class Search:
    """Room for one lookahead after another, and how they are solved."""

    def __init__(self, game: ScotlandYard, leaves: Leaves, size: int, depth: int, share: float) -> None:
        self.game, self.leaves = game, leaves
        self.size, self.depth, self.share = size, depth, share
        self.workspace = self._workspace(1 << 10)

    def _workspace(self, nodes: int) -> Workspace:
        return new_workspace(nodes, self.game.most_actions, self.game.table.stations)

    def solve(self, at: PublicBelief, side: int, chunks: Iterable[int]) -> Lookahead:
        """The lookahead from a public belief state, solved for one side by so many iterations."""
        self._grow(at.state)
        subgame, cfr, strategies = self.workspace.subgame, self.workspace.cfr, self.workspace.strategies
        self.leaves.fill(subgame)
        start(subgame, cfr)
        safe = side == DETECTIVES and at.values is not None and at.belief.size > 1
        gadget = new_gadget(at, self.share if safe else 0.0)
        horizon, done = Horizon(subgame, cfr), 0
        if horizon.nodes.size:
            propagate(subgame, cfr, gadget.belief + gadget.chances, cfr.edge_strategy, np.empty(int(subgame.counts[1])))
            horizon.look(self.leaves, 0.0)
        moving = horizon.nodes.size > 0 and self.leaves.follows_belief
        for count in chunks:
            for each in [1] * count if moving else [count]:
                improve(subgame, cfr, gadget, done, each)
                done += each
                if moving:
                    horizon.look(self.leaves, float(done * done))
        horizon.settle()
        average_strategies(subgame, cfr, strategies[0], strategies[1])
        drop_rare(subgame, strategies[0], strategies[1])
        return self._cut(at, done)

    def _grow(self, root: Any) -> None:
        table = self.game.table
        while grow_within(table, self.workspace.subgame, root, self.depth, self.size) == NO_ROOM:
            self.workspace = self._workspace(2 * self.workspace.subgame.kind.size)

    def _cut(self, at: PublicBelief, done: int) -> Lookahead:
        subgame, cfr, strategies = self.workspace.subgame, self.workspace.cfr, self.workspace.strategies
        nodes, members = int(subgame.counts[0]), int(subgame.counts[1])
        reach, guaranteed = np.empty(members), np.empty(FIRST_MEMBER + members)
        propagate(subgame, cfr, at.belief, strategies[0], reach)
        respond(subgame, guaranteed, strategies[1])
        expected_values(subgame, cfr, strategies)
        return Lookahead(
            subgame.states[:nodes].copy(),
            subgame.kind[:nodes].copy(),
            subgame.first[: nodes + 1].copy(),
            subgame.parent[:nodes].copy(),
            subgame.observed[:nodes].copy(),
            subgame.station[:members].copy(),
            reach,
            guaranteed[FIRST_MEMBER:],
            *self._moves(at),
            iterations=done,
        )

    def _moves(self, at: PublicBelief) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """The moves at the root, how likely each of them is, and what it is worth."""
        subgame, value, strategies = self.workspace.subgame, self.workspace.cfr.value, self.workspace.strategies
        bounds = subgame.edge_first[: at.belief.size + 1].tolist()
        edges = [slice(begin, end) for begin, end in pairwise(bounds)]
        if subgame.kind[0] == DETECTIVE_NODE:
            actions = slice(0, int(subgame.action_first[1]))
            worth = at.belief @ np.array([value[subgame.target[each]] for each in edges])
            return (subgame.action_code[actions].copy(),), (strategies[1][actions].copy(),), (worth,)
        if subgame.kind[0] == REVEAL_NODE:
            return (), (), ()
        return (
            tuple(subgame.code[each].copy() for each in edges),
            tuple(strategies[0][each].copy() for each in edges),
            tuple(value[subgame.target[each]] for each in edges),
        )


class Horizon:
    """The leaves at which Mr X stays hidden: their values follow the belief that the current strategies lead to."""

    def __init__(self, subgame: Subgame, cfr: CfrState) -> None:
        self.subgame, self.cfr = subgame, cfr
        count = int(subgame.counts[0])
        self.nodes = np.flatnonzero((subgame.kind[:count] == HORIZON_NODE) & (subgame.states["shown"][:count] == 0))
        sizes = subgame.first[self.nodes + 1] - subgame.first[self.nodes]
        self.rows = np.repeat(np.arange(self.nodes.size), sizes)  # [member]: which of the nodes
        inside = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        self.members = subgame.first[self.nodes][self.rows] + inside
        self.stations = subgame.station[self.members].astype(np.int64)
        self.sums, self.weights = np.zeros(self.members.size), np.zeros(self.nodes.size)
        self.last = np.zeros(self.members.size)

    def look(self, leaves: Leaves, weight: float) -> None:
        """Value the leaves by the belief there now; their average belongs to the detectives' average strategy."""
        belief = np.zeros((self.nodes.size, leaves.game.table.stations))
        belief[self.rows, self.stations] = self.cfr.reach[self.members]
        empty = belief.sum(axis=1)[self.rows] == 0
        belief[self.rows[empty], self.stations[empty]] = 1.0
        belief /= belief.sum(axis=1, keepdims=True)
        self.last = leaves.hidden_values(self.subgame.states[self.nodes], belief)[self.rows, self.stations]
        self.cfr.value[FIRST_MEMBER + self.members] = self.last
        share = weight * self.cfr.node_reach[self.nodes]
        self.sums += share[self.rows] * self.last
        self.weights += share

    def settle(self) -> None:
        """Leave the average values at the leaves."""
        weights = self.weights[self.rows]
        averages = np.where(weights > 0, self.sums / np.where(weights > 0, weights, 1.0), self.last)
        self.subgame.lower[self.members] = self.subgame.upper[self.members] = averages


def new_gadget(at: PublicBelief, share: float) -> Gadget:
    """A share of all deals lets Mr X leave; they favour no station. The others follow the belief."""
    size = at.belief.size
    values = np.zeros(size) if at.values is None else at.values
    belief = (1 - share) * ((1 - UNLIKELY) * at.belief + UNLIKELY / size)
    return Gadget(belief, np.full(size, share / size), values, np.zeros(2 * size), np.full(2 * size, 0.5), np.zeros(size))


@kernel
def deal(cfr, gadget):
    """How likely each station is dealt and kept, after Mr X compared what it is worth now with what it was."""
    for m in range(gadget.belief.size):
        follow, leave = 2 * m + FOLLOW, 2 * m + LEAVE
        value, before = cfr.value[FIRST_MEMBER + m], gadget.values[m]
        expected = gadget.strategy[follow] * value + gadget.strategy[leave] * before
        for choice, worth in ((follow, value), (leave, before)):
            gadget.regret[choice] = max(gadget.regret[choice] + expected - worth, 0.0)
            gadget.strategy[choice] = expected - worth
        match_regrets(gadget.strategy, gadget.regret, follow, leave + 1)
        gadget.dealt[m] = gadget.belief[m] + gadget.chances[m] * gadget.strategy[follow]


@program
def improve(subgame, cfr, gadget, done, count):
    """More iterations of predictive CFR+, after so many done."""
    for iteration in range(done + 1, done + count + 1):
        weight = np.float64(iteration) * np.float64(iteration)
        detectives_reach(subgame, cfr, weight)
        update_mr_x(subgame, cfr)
        deal(cfr, gadget)
        mr_x_reach(subgame, cfr, gadget.dealt, cfr.edge_strategy, weight)
        update_detectives(subgame, cfr)


@kernel
def _drop_rare(strategy, begin, end):
    total = 0.0
    for k in range(begin, end):
        if strategy[k] < RARE:
            strategy[k] = 0.0
        total += strategy[k]
    for k in range(begin, end):
        strategy[k] /= total


@program
def drop_rare(subgame, edges, actions):
    """Leave out the moves that are hardly ever played: the last traces of the first iterations."""
    for node in range(subgame.counts[0]):
        if subgame.kind[node] == DETECTIVE_NODE:
            _drop_rare(actions, subgame.action_first[node], subgame.action_first[node + 1])
        elif subgame.kind[node] == MR_X_NODE:
            for m in range(subgame.first[node], subgame.first[node + 1]):
                _drop_rare(edges, subgame.edge_first[m], subgame.edge_first[m + 1])


@program
def list_next(table, states, after, codes, counts):
    """The legal moves of states, a row each, and the states that they lead to."""
    for i in range(states.size):
        counts[i] = moves(table, states[i], codes[i])
        for k in range(counts[i]):
            after[i, k] = states[i]
            play(table, after[i, k], codes[i, k])


@program
def propagate(subgame, cfr, belief, strategy, reach):
    """Mr X's range at every node."""
    mr_x_reach(subgame, cfr, belief, strategy, 0.0)
    reach[:] = cfr.reach[: reach.size]


__all__ = [
    "DETECTIVES",
    "MR_X",
    "Lookahead",
    "PublicBelief",
    "Search",
    "deal",
    "list_next",
    "moved",
    "new_gadget",
    "normalised",
]
