"""The net that a guided lookahead asks about public states: one of the board's own, or one that knows any board.

Either says for each station of Mr X how likely he wins from there, and how likely each move is, whoever is to move. What
it makes of a state is kept as the state's trunk, from which the moves are told later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fogbound.agents.scotland_yard import policy
from fogbound.agents.scotland_yard.graph_features import WAYS, way_of
from fogbound.agents.scotland_yard.graph_net import OnBoard, ask
from fogbound.agents.scotland_yard.policy import answer_of, dot, think
from fogbound.core.compiled import kernel, outlined
from fogbound.games.scotland_yard.rules import HIDDEN, PASS

ANY_SEAT = 1  # a board's own guide is one net for all seats: it is worked out in the room of the detectives' net


class Oracle(NamedTuple):
    """One of the two; the other is None, and what belongs to it is not even compiled."""

    own: policy.Params | None
    general: OnBoard | None  # its last answer for a station is the logit that Mr X wins from there


def trunk_size(oracle: Oracle) -> int:
    if oracle.general is not None:
        return len(oracle.general.nodes) * WAYS
    assert oracle.own is not None
    return int(oracle.own.detectives.trunk.size)


@kernel
def consult(table, oracle, state, trunk):
    """Ask about a public state, and keep what is made of it."""
    _consult(table, oracle.own, oracle.general, state, trunk)


@outlined
def _consult(table, own, general, state, trunk):
    if own is not None:
        think(table, own, state, ANY_SEAT)
        for i in range(trunk.size):
            trunk[i] = own.detectives.normal[i]
    if general is not None:
        ask(table, general, state, np.int64(state.turn))
        for i in range(trunk.size):
            trunk[i] = general.room.answers[i // WAYS, i % WAYS]


@kernel
def worth(oracle, station):
    """The detectives' probability of winning with Mr X at a station, in the state that was asked about last."""
    return 1.0 / (1.0 + np.exp(np.float64(_logit(oracle.own, oracle.general, station))))


@kernel
def _logit(own, general, station):
    if own is not None:
        net = own.detectives
        return dot(net.belief[station], net.normal) + net.belief_bias[station]
    if general is not None:
        return general.room.answers[station, WAYS]
    return np.float32(0.0)


@kernel
def liking(table, oracle, trunk, here, seat, code):
    """The logit of a move in the state of this trunk."""
    return _liking(table, oracle.own, oracle.general, trunk, here, seat, code)


@kernel
def _liking(table, own, general, trunk, here, seat, code):
    if own is not None:
        after = 0 if seat == 0 else 2 * own.layout.codes.size
        at = after + answer_of(table, own.layout, here, seat, code)
        return dot(own.detectives.policy[at], trunk) + own.detectives.policy_bias[at]
    if general is not None and code != PASS:
        return trunk[(code & HIDDEN) * WAYS + way_of(general.ground, code)]
    return np.float32(0.0)


__all__ = ["Oracle", "consult", "liking", "trunk_size", "worth"]
