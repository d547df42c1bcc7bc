"""The player of Scotland Yard that plays the graph net of self-play: one net for both sides of any board."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.mixture import draw, soften
from fogbound.agents.scotland_yard.categories import possible_stations
from fogbound.agents.scotland_yard.graph_features import WAYS, way_of
from fogbound.agents.scotland_yard.graph_net import KIND, OnBoard, ask, on_board, read
from fogbound.core.agent import Decision, Options, PolicyAgent
from fogbound.core.compiled import Kernel, Piece, kernel, part
from fogbound.core.contract import Game
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN, State, legal

SHIPPED = "scotland-yard-graph"


class GraphOptions(Options):
    weights: str = Field(SHIPPED, description="a shipped net or a .safetensors file")
    temperature: float = Field(1.0, ge=0, description="1 plays the net's own mixture, 0 always its likeliest move")
    floor: float = Field(0.0, ge=0, le=1, description="moves less likely than this share of the likeliest are never played")


class Params(NamedTuple):
    on: OnBoard
    chances: NDArray[np.float64]  # of the legal moves, in order
    temperature: float
    floor: float


class Graph(PolicyAgent[GraphOptions, ScotlandYard]):
    name = "graph"
    about = "the graph net of self-play, one for both sides and any board"
    options_model = GraphOptions
    policy_params: Params

    def compiled(self) -> Kernel:
        return choose

    def mixture(self) -> Kernel:
        return mix

    def params(self) -> Params:
        return params(self.game, self.options)

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        return {"weights": nets.names_of([KIND], game.definition()["name"])}

    def pieces(self, seat: int) -> Sequence[Piece]:
        state = np.zeros(1, State)[0]
        return ((weigh, self.game.table, self.policy_params, state, seat, self._out, 1),)

    def decide(self, view: View) -> Decision:
        """The move, and what the net says of the position: it is read where the policy left it."""
        moves = self.game.legal(view.state)
        action = super().decide(view).action
        if len(moves) == 1:
            return Decision(action)
        params = self.policy_params
        mr_x_wins = 1 / (1 + np.exp(-float(params.on.room.win[0])))
        weights = params.chances[: len(moves)] / params.chances[: len(moves)].sum()
        return Decision(
            action,
            values={action: mr_x_wins if view.seat == 0 else 1 - mr_x_wins},
            belief=self._belief(view) if view.seat > 0 else {},
            chances={code: float(weight) for code, weight in zip(moves, weights, strict=True)},
        )

    def _belief(self, view: View) -> dict[str, float]:
        """Where the net takes Mr X to be, of the stations where he can be."""
        possible = possible_stations(view.state)
        logits = self.policy_params.on.room.answers[possible, WAYS].astype(float)
        weights = np.exp(logits - logits.max())
        shares = weights / weights.sum()
        return {str(self.game.numbers[place]): float(share) for place, share in zip(possible, shares, strict=True)}


def params(game: ScotlandYard, options: GraphOptions | None = None) -> Params:
    options = options or GraphOptions()
    on = on_board(game, read(options.weights))
    return Params(on, np.zeros(game.most_actions), options.temperature, options.floor)


@kernel
def choose(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    best, total = weigh(table, params, view, seat, out, count)
    return out[draw(params.chances, count, best, total, rng)]


@kernel
def mix(table, params, view, seat, out, chances, first):
    """The legal moves, and the probabilities that `choose` draws one by."""
    count = legal(table, view, out)
    chances[first] = 1.0
    if count > 1:
        _, total = weigh(table, params, view, seat, out, count)
        for i in range(count):
            chances[first + i] = params.chances[i] / total


@part
def weigh(table, params, view, seat, out, count):
    """The weight of each move; returns the number of the likeliest, and the sum."""
    ask(table, params.on, view, seat)
    for i in range(count):
        action = np.int64(out[i])
        params.chances[i] = params.on.room.answers[action & HIDDEN, way_of(params.on.ground, action)]
    return soften(params.chances, count, params.temperature, params.floor)
