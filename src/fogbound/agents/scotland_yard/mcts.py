"""Tree search for Scotland Yard with the techniques of Nijssen and Winands.

Determinizations are weighted by the category of station on which Mr X was found in earlier games;
a detective values a colleague's catch a little less than his own (coalition reduction); a move
filter keeps Mr X from black tickets and double moves where they are wasted.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from fogbound.agents.mcts import Mcts, MctsOptions
from fogbound.agents.scotland_yard.categories import belief_over_stations, category_weights
from fogbound.agents.scotland_yard.mcts_hooks import HOOKS, ChaseParams, HookData, chase
from fogbound.agents.tree import GameHooks
from fogbound.core.compiled import Kernel
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard

PRESETS: dict[str, dict[str, Any]] = {
    "nijssen-winands": {
        "worlds": "observers",
        "c": 0.5,
        "categories": "on",
        "coalition": 0.1,
        "filter": True,
        "playout": "chase",
        "epsilon": 0.2,
    },
    "sova": {"worlds": "one", "c": 1.41, "iterations": 10, "reuse": False},
}


class ScotlandYardMctsOptions(MctsOptions):
    preset: Literal["nijssen-winands", "sova"] | None = Field(
        None,
        description="the settings of Nijssen and Winands, or a search as weak as that of Sova 2021; options that are "
        "given as well take precedence",
    )
    categories: str = Field(
        "off",
        description="weights determinizations by how often Mr X was on a station of the same category: off, on, "
        "or a file made by `fogbound learn-categories`",
    )
    coalition: float = Field(
        0.0, ge=0, le=1, description="coalition reduction: how much less a colleague's catch is worth to a detective"
    )
    filter: bool = Field(False, description="move filter: no black tickets and double moves for Mr X where they are wasted")
    playout: str = Field(
        "random",
        description="policy of the playouts (rollouts): random, heuristic, chase (each detective goes for any possible "
        "station) or hunt (for Mr X's station in the determinization); one a side as in chase+random",
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("preset") in PRESETS:
            preset = PRESETS[values["preset"]]
            budget = {"iterations"} if "seconds" in values else set()
            return {name: value for name, value in preset.items() if name not in budget} | values
        return values


class ScotlandYardMcts(Mcts[ScotlandYardMctsOptions, ScotlandYard]):
    source = "Nijssen and Winands 2012 (preset), Husa 2022"
    options_model = ScotlandYardMctsOptions

    def prepare(self) -> None:
        self.weights = self._weights(self.options.categories)
        self.mixed = mixed_stations(self.game)
        super().prepare()

    def _weights(self, categories: str) -> NDArray[np.float64] | None:
        if categories in ("off", "false"):
            return None
        file = None if categories in ("on", "true") else categories
        return category_weights(self.game.board.name, file)

    def hooks(self) -> GameHooks:
        return HOOKS

    def playout_policy(self, name: str) -> tuple[Kernel, NamedTuple]:
        if name in ("chase", "hunt"):
            return chase, ChaseParams(self.game.paths)
        return super().playout_policy(name)

    def playouts_see_all(self) -> bool:
        return "hunt" in self.options.playout.split("+")

    def hook_data(self, view: View) -> HookData:
        stations, shares = belief_over_stations(self.game, view.state, self.weights)
        places = np.zeros(256, np.int16)
        chances = np.ones(256)
        places[: len(stations)] = stations
        chances[: len(stations)] = np.cumsum(shares)
        return HookData(places, chances, len(stations), self.options.coalition, int(self.options.filter), self.mixed)

    def belief(self, view: View) -> Mapping[str, float]:
        """For the detectives: the stations where Mr X can be, and how likely each is."""
        if view.seat == 0:
            return {}
        stations, shares = belief_over_stations(self.game, view.state, self.weights)
        return {str(self.game.numbers[s]): float(share) for s, share in zip(stations, shares, strict=True)}


def mixed_stations(game: ScotlandYard) -> NDArray[np.uint64]:
    """The set of stations that more than one transport leaves from."""
    found = np.zeros(4, np.uint64)
    for place, station in enumerate(game.board.stations):
        if sum(bool(ends) for ends in station.links.values()) > 1:
            found[place >> 6] |= np.uint64(1 << (place & 63))
    return found
