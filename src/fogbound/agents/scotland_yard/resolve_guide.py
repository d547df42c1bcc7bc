"""Search on boards that are too large to look at every move: a growing tree, led by a net over public states (the guide).

The guide says of a public state what each station of Mr X is worth and which moves are likely, for all stations at once.
Its values know no belief but the one that its own way of playing leads to; so a lookahead with a guide is a policy made
better by search, and not near-perfect play as with exact values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets
from fogbound.agents.scotland_yard import graph, policy
from fogbound.agents.scotland_yard.graph import weigh
from fogbound.agents.scotland_yard.graph_net import made_of, on_board
from fogbound.agents.scotland_yard.policy import score_moves, take_care, think
from fogbound.agents.scotland_yard.resolve_descent import finish, search
from fogbound.agents.scotland_yard.resolve_leaves import Floats, Leaves
from fogbound.agents.scotland_yard.resolve_oracle import Oracle, consult, trunk_size, worth
from fogbound.agents.scotland_yard.resolve_search import (
    DETECTIVES,
    Lookahead,
    PublicBelief,
    new_gadget,
)
from fogbound.agents.scotland_yard.resolve_tree import begin, new_tree, softmax
from fogbound.core.agent import separate
from fogbound.core.compiled import Piece, outlined, program
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.solve.subgame import DETECTIVE_NODE, FIRST_MEMBER, HORIZON_NODE, REVEAL_NODE

KIND = "resolve-guide"  # of one board
GENERAL_KIND = "resolve-graph-guide"  # of any board
ROOT_FLOOR, FLOOR = 0.003, 0.04  # moves in sight less likely than this, by the guide, are not looked at
LEAVES = 4  # opened in an iteration, as long as the tree is not large
STRAY = 0.05  # how often the detectives take Mr X to move in another way than he should
NODES = 8  # members of a tree for each of its nodes, at least


class Lead(NamedTuple):
    """A policy that says at the root how likely the moves are: it is larger than the guide, and better."""

    own: policy.Params | None
    general: graph.Params | None  # as in Oracle


class Guide(Leaves):
    """A guide for one game, and the policy that it was distilled from, if that is there."""

    def __init__(self, game: ScotlandYard, oracle: Oracle, lead: Lead | None) -> None:
        super().__init__(game)
        self.oracle, self.lead = oracle, lead

    def values(self, states: NDArray[Any]) -> Floats:
        values, trunk = np.empty(states.size), np.zeros(trunk_size(self.oracle), np.float32)
        value_states(self.game.table, separate(self.oracle), states.copy(), trunk, values)
        return values


def is_guide(weights: nets.Weights) -> bool:
    return weights.about.get("kind") in (KIND, GENERAL_KIND)


def guide_of(game: ScotlandYard, weights: nets.Weights, care: policy.Care = policy.NO_CARE) -> Guide:
    """The guide of a file: of the game's board, or of any board."""
    if weights.about.get("kind") == GENERAL_KIND:
        return _general(game, weights, care)
    about = weights.about
    if about.get("kind") != KIND:
        raise FogboundError(f"The weights “{weights.name}” are not a guide for resolve.")
    if not policy.same_places(game.board, about["board"]):
        raise FogboundError(f"The weights “{weights.name}” are for the board {about['board']}, not {game.board.name}.")
    if game.table.detectives > int(about["team"]):
        raise FogboundError(f"The weights “{weights.name}” are for up to {about['team']} detectives.")
    with nets.understood(weights):
        form, net = policy.learned_layout(game, weights), policy.read_net(weights.tensors, "g.")
        shape = (net.first.shape[0], net.policy.shape[0], net.belief.shape[0])
        if shape != (form.inputs, 2 * form.codes.size + form.detective_codes.size, form.stations):
            raise FogboundError(f"The weights “{weights.name}” do not fit the rules of {game.spec}.")
    try:
        lead = Lead(policy.params(game, nets.load("policy", about["board"]), care), None)
    except FogboundError:
        lead = None
    return Guide(game, Oracle(policy.playing(game, form, net, net), None), lead)


def _general(game: ScotlandYard, weights: nets.Weights, care: policy.Care) -> Guide:
    if any(care):
        raise FogboundError("caution, beside and room are for boards with nets of their own; leave them out here.")
    with nets.understood(weights):
        net = made_of(weights.tensors)
    return Guide(game, Oracle(None, on_board(game, net)), Lead(None, graph.params(game)))


class GuidedSearch:
    """Room for one lookahead after another."""

    def __init__(self, guide: Guide, size: int, pull: float, share: float) -> None:
        self.game, self.pull, self.share = guide.game, pull, share
        self.oracle, self.lead = separate(guide.oracle), separate(guide.lead)
        width = trunk_size(guide.oracle)
        self.tree = new_tree(max(64, size // NODES), max(size, 1024), self.game.most_actions, width)

    def pieces(self) -> Sequence[Piece]:
        """The programs of `solve`, as it calls them."""
        table, tree, state = self.game.table, self.tree, np.zeros(1, self.game.rules.state)[0]
        gadget = new_gadget(PublicBelief(state, np.zeros(1, np.int16), np.ones(1), None), 0.0)
        lead = [(follow, table, self.lead, tree)] if self.lead is not None else []
        return (
            (begin, table, self.oracle, tree, state, gadget.belief, ROOT_FLOOR),
            (search, table, self.oracle, tree, gadget, 0, 1, LEAVES, self.pull, FLOOR),
            *lead,
        )

    def solve(self, at: PublicBelief, side: int, chunks: Iterable[int]) -> Lookahead:
        """The lookahead from a public belief state, grown and solved for one side."""
        table, tree = self.game.table, self.tree
        begin(table, self.oracle, tree, at.state, at.belief, ROOT_FLOOR)
        if self.lead is not None:
            follow(table, self.lead, tree)
        safe = side == DETECTIVES and at.values is not None and at.belief.size > 1
        gadget, done = new_gadget(at, self.share if safe else 0.0), 0
        gadget.dealt[:] = gadget.belief + 0.5 * gadget.chances
        for count in chunks:
            search(table, self.oracle, tree, gadget, done, count, LEAVES, self.pull, FLOOR)
            done += count
        finish(tree, at.belief, STRAY if side == DETECTIVES else 0.0)
        return self._cut(at, done)

    def _cut(self, at: PublicBelief, done: int) -> Lookahead:
        tree = self.tree
        nodes, members = int(tree.counts[0]), int(tree.counts[1])
        kind = tree.kind[:nodes].copy()
        kind[(tree.opened[:nodes] == 0) & (kind < REVEAL_NODE)] = HORIZON_NODE
        return Lookahead(
            tree.states[:nodes].copy(),
            kind,
            tree.first[: nodes + 1].copy(),
            tree.parent[:nodes].copy(),
            tree.observed[:nodes].copy(),
            tree.station[:members].copy(),
            tree.reach[:members].copy(),
            tree.value[FIRST_MEMBER : FIRST_MEMBER + members].copy(),
            *self._moves(at),
            iterations=done,
        )

    def _moves(self, at: PublicBelief) -> tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]:
        """The moves at the root, how likely each of them is, and what it is worth."""
        tree = self.tree
        edges = [
            slice(first, first + count)
            for first, count in zip(
                tree.edge_first[: at.belief.size].tolist(), tree.edge_count[: at.belief.size].tolist(), strict=True
            )
        ]
        if tree.kind[0] == DETECTIVE_NODE:
            actions = slice(0, int(tree.action_count[0]))
            worth = at.belief @ np.array([tree.value[tree.target[each]] for each in edges])
            return (tree.action_code[actions].copy(),), (tree.action_strategy[actions].copy(),), (worth,)
        return (
            tuple(tree.code[each].copy() for each in edges),
            tuple(tree.strategy[each].copy() for each in edges),
            tuple(tree.value[tree.target[each]] for each in edges),
        )


@program
def value_states(table, oracle, states, trunk, values):
    """The detectives' probability of winning by the guide, with Mr X at the station that is filled in."""
    for i in range(states.size):
        station = states[i].station[0]
        if states[i].shown == 0:
            states[i].station[0] = -1
        consult(table, oracle, states[i], trunk)
        values[i] = worth(oracle, station)


@program
def follow(table, lead, tree):
    """At the root, where it counts most, the policy itself says how likely the moves are."""
    seat = np.int64(tree.states[0].turn)
    if seat > 0:
        first, count = tree.action_first[0], tree.action_count[0]
        for k in range(count):
            tree.out[k] = tree.action_code[first + k]
        _prefer(table, lead.own, lead.general, tree.states[0], seat, tree.out, count, tree.action_prior, first)
        for k in range(first, first + count):  # assigned as a whole, it would take seconds more to compile
            tree.action_strategy[k] = tree.action_prior[k]
        return
    for m in range(tree.first[1]):
        tree.scratch[0] = tree.states[0]
        tree.scratch[0].station[0] = tree.station[m]
        first, count = tree.edge_first[m], tree.edge_count[m]
        for k in range(count):
            tree.out[k] = tree.code[first + k]
        _prefer(table, lead.own, lead.general, tree.scratch[0], seat, tree.out, count, tree.prior, first)
        for k in range(first, first + count):
            tree.strategy[k] = tree.prior[k]


@outlined
def _prefer(table, own, general, state, seat, out, count, chances, first):
    """How likely the policy finds these moves. A single one is sure as it is; perhaps it is to pass, which no net knows."""
    if count < 2:
        return
    if own is not None:
        net = own.mr_x if seat == 0 else own.detectives
        think(table, own, state, seat)
        score_moves(table, own.layout, net, state.station[seat], seat, out, count, own.logits)
        if seat == 0 and own.careful:
            take_care(table, own, state, out, count)
        softmax(own.logits, chances, first, count)
    if general is not None:
        _, total = weigh(table, general, state, seat, out, count)
        for k in range(count):
            chances[first + k] = general.chances[k] / total


__all__ = ["GENERAL_KIND", "KIND", "Guide", "GuidedSearch", "guide_of", "is_guide"]
