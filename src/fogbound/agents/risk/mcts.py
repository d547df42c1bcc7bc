"""Tree search for Risk, move by move: playouts are cut off and evaluated by the land and armies held.

A random game of Risk may never end, so a playout is only a look some moves ahead. With a move filter,
five nets choose the moves that are looked at, and the random player of Risk plays on from the tree.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.mcts import Mcts, MctsOptions
from fogbound.agents.risk import random as random_risk
from fogbound.agents.risk.move_filter import filtered_moves, make_filter
from fogbound.agents.tree import GameHooks, NoHookData
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import imagine, legal, score

TERRITORY = 2.0  # what a territory counts, in armies


class RiskMctsOptions(MctsOptions):
    depth: int = Field(100, ge=0, description="a playout is cut off after this many moves, and evaluated by land and armies")

    guide: str = Field("", description="weights of nets that filter the moves to look at; without it all are looked at")
    threshold: float = Field(0.5, ge=0, le=1, description="with a guide: a move passes if its net likes it better than this")


class RiskMcts(Mcts[RiskMctsOptions, Risk]):
    source = "Vašátko 2018: tree search for Risk"
    options_model = RiskMctsOptions

    def prepare(self) -> None:
        self._filter: NamedTuple = NoHookData(0)
        if self.options.guide:
            self._filter = make_filter(self.game, self.options.guide, self.options.threshold)
        super().prepare()

    def hooks(self) -> GameHooks:
        return HOOKS if isinstance(self._filter, NoHookData) else FILTERED

    def hook_data(self, view: View) -> NamedTuple:
        return self._filter

    def _playouts(self) -> tuple[Kernel | None, NamedTuple, NDArray[np.float64]]:
        policy, params, share = super()._playouts()
        if policy is None and not isinstance(self._filter, NoHookData):  # asking the nets about every random move takes long
            return random_risk.choose, random_risk.make_params(0.9, blitz=True), np.zeros_like(share)
        return policy, params, share


@kernel
def imagine_it(table, data, state, seat, rng):
    imagine(table, state, seat, rng)


@kernel
def all_moves(table, data, state, out):
    return legal(table, state, out)


@kernel
def passing_moves(table, data, state, out):
    return filtered_moves(table, data, state, out)


@kernel
def reward(table, data, state, side_of, side_score, result):
    """The result of a finished game, or each player's share of the land and armies."""
    if state.turn < 0:
        score(table, state, result)
        return
    result[:] = 0.0
    total = 0.0
    for territory in range(table.territories):
        owner = state.owner[territory]
        if owner >= 0 and owner < table.players:
            value = TERRITORY + state.armies[territory]
            result[owner] += value
            total += value
    for seat in range(result.size):
        result[seat] = result[seat] / total if total > 0.0 else 1.0 / result.size


HOOKS = GameHooks(imagine_it, all_moves, reward)
FILTERED = GameHooks(imagine_it, passing_moves, reward)
