"""A net over public belief states: from a public state and a belief to what each station of Mr X is worth.

Where Mr X is in sight the belief is certain, so that the same net values revealed positions. It is a plain dense net,
worked out for all leaves of a lookahead at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.nets import Weights
from fogbound.agents.scotland_yard.resolve_leaves import Floats, Leaves, possible
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import UNLIMITED, Table

KIND = "resolve-values"
SOON = 6  # moves until the next reveal, and rounds left: counted one by one up to here
ROUNDS = 16
PLENTY = 20


class NetLeaves(Leaves):
    """Leaves valued by a net."""

    def __init__(self, game: ScotlandYard, weights: Weights) -> None:
        super().__init__(game)
        about = weights.about
        if about.get("kind") != KIND:
            raise FogboundError(f"The weights “{weights.name}” are not values for resolve.")
        wanted = (game.board.name, str(game.table.detectives))
        if (about["board"], about["detectives"]) != wanted:
            raise FogboundError(
                f"The weights “{weights.name}” are for {about['board']} with {about['detectives']} detectives, "
                f"not {wanted[0]} with {wanted[1]}."
            )
        self.layers = [(weight.T.astype(np.float32), bias.astype(np.float32)) for weight, bias in weights.layers()]
        told = inputs(game.table, np.zeros(1, game.rules.state), np.zeros((1, game.table.stations))).shape[1]
        if self.layers[0][0].shape[0] != told:
            raise FogboundError(f"The weights “{weights.name}” do not fit the rules of {game.spec}.")

    def values(self, states: NDArray[Any]) -> Floats:
        rows, stations = np.arange(states.size), states["station"][:, 0]
        belief = np.zeros((states.size, self.game.table.stations))
        belief[rows, stations] = 1.0
        values: Floats = self.hidden_values(states, belief)[rows, stations]
        return values

    def hidden_values(self, states: NDArray[Any], belief: Floats) -> Floats:
        numbers = inputs(self.game.table, states, belief)
        for number, (weight, bias) in enumerate(self.layers, 1):
            numbers = numbers @ weight + bias
            if number < len(self.layers):
                numbers = np.maximum(numbers, 0)
        return 1 / (1 + np.exp(-numbers.astype(np.float64)))


def inputs(table: Table, states: NDArray[Any], belief: Floats) -> NDArray[np.float32]:
    """What the net is told of public belief states, a row each.

    The belief, and where he can be at all; each detective's station; whose turn it is; moves until Mr X shows himself
    and rounds left, one by one; whether he owes half a double move; tickets that are counted, in tens.
    """
    where = possible(states, table.stations) | (belief > 0)
    blocks = [belief, where]
    blocks += [_one_of(states["station"][:, seat], table.stations) for seat in range(1, table.detectives + 1)]
    blocks.append(_one_of(states["turn"], table.detectives + 1))
    blocks.append(_one_of(np.minimum(_until_reveal(table)[states["slot"]], SOON), SOON + 1))
    blocks.append(_one_of(np.clip(table.rounds - states["round"], 0, ROUNDS - 1), ROUNDS))
    blocks.append(states["second"][:, None])
    for seat in range(table.detectives + 1):
        counted = np.flatnonzero((table.tickets[min(seat, 1)] > 0) & (table.tickets[min(seat, 1)] != UNLIMITED))
        blocks.append(np.minimum(states["tickets"][:, seat, counted], PLENTY) / 10)
    return np.concatenate([np.asarray(block, np.float32) for block in blocks], axis=1)


def _one_of(places: NDArray[Any], count: int) -> NDArray[np.bool_]:
    found: NDArray[np.bool_] = np.asarray(places)[:, None] == np.arange(count)
    return found


def _until_reveal(table: Table) -> NDArray[np.int64]:
    """[slot]: how many moves of Mr X follow up to the one that shows him; many if there is none."""
    shown = np.flatnonzero(table.reveal)
    return np.array([min((int(s) - slot for s in shown if s > slot), default=SOON) for slot in range(table.reveal.size)])


__all__ = ["KIND", "NetLeaves", "inputs"]
