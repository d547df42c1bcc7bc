"""Tree search for Scotland Yard with the techniques of Nijssen and Winands.

Stations are guessed by what kind of station Mr X turned out to be on in earlier games; a
detective values a colleague's catch a little less than his own; Mr X does not look at
black tickets and double moves where they are wasted. Playouts may be quick chases.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from fogbound.agents.mcts import Mcts, MctsOptions
from fogbound.agents.tree import Pieces
from fogbound.core.compiled import Kernel, kernel
from fogbound.core.contract import State
from fogbound.core.streams import below, unit
from fogbound.core.view import View
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.paths import Paths
from fogbound.games.scotland_yard.rules import (
    BLACK,
    DETECTIVES,
    DOUBLE_SHIFT,
    HIDDEN,
    MR_X,
    PASS_TICKET,
    TICKET_SHIFT,
    legal,
    member,
    size,
)

FAR = 300  # more than any distance
NEAREST, SINCE = 8, 6  # categories: moves to the nearest detective, log slots since Mr X was seen; each up to this
PRESETS: dict[str, dict[str, Any]] = {
    "nijssen-winands": {
        "worlds": "infoset",
        "categories": True,
        "coalition": 0.1,
        "filter": True,
        "playout": "chase",
        "epsilon": 0.2,
    },
}


class ScotlandYardMctsOptions(MctsOptions):
    preset: Literal["nijssen-winands"] | None = Field(
        None, description="the settings of Nijssen and Winands; options given besides it go before it"
    )
    categories: bool = Field(False, description="guesses Mr X's station by how often he was on a station of its kind")
    coalition: float = Field(0.0, ge=0, le=1, description="how much less a colleague's catch is worth to a detective")
    filter: bool = Field(False, description="Mr X does not look at black tickets and double moves where they are wasted")
    playout: str = Field(
        "random", description="who plays on from the tree: random, chase or heuristic; one a side as in chase+random"
    )

    @model_validator(mode="before")
    @classmethod
    def _preset(cls, values: Any) -> Any:
        if isinstance(values, dict) and values.get("preset") in PRESETS:
            return {**PRESETS[values["preset"]], **values}
        return values


class Extra(NamedTuple):
    """What the pieces below need for one position."""

    places: NDArray[np.int16]  # stations where Mr X can be
    chances: NDArray[np.float64]  # of these and all before them
    count: int
    coalition: float
    filter: int
    mixed: NDArray[np.uint64]  # stations with more than one transport


class ScotlandYardMcts(Mcts):
    options_model = ScotlandYardMctsOptions

    def prepare(self) -> None:
        assert isinstance(self.options, ScotlandYardMctsOptions) and isinstance(self.game, ScotlandYard)
        self.special, self.yard = self.options, self.game
        self.weights = category_weights(self.yard.board.name) if self.special.categories else None
        self.mixed = mixed_stations(self.yard)
        super().prepare()

    def pieces(self) -> Pieces:
        return PIECES

    def playout_policy(self, name: str) -> tuple[Kernel, NamedTuple]:
        if name == "chase":
            return chase, ChaseParams(self.yard.paths)
        return super().playout_policy(name)

    def extra(self, view: View) -> Extra:
        stations, shares = belief_over_stations(self.yard, view.state, self.weights)
        places = np.zeros(256, np.int16)
        chances = np.ones(256)
        places[: len(stations)] = stations
        chances[: len(stations)] = np.cumsum(shares)
        return Extra(places, chances, len(stations), self.special.coalition, int(self.special.filter), self.mixed)

    def belief(self, view: View) -> Mapping[str, float]:
        """For the detectives: the stations where Mr X can be, and how likely each is."""
        if view.seat == 0:
            return {}
        stations, shares = belief_over_stations(self.yard, view.state, self.weights)
        return {str(self.yard.numbers[s]): float(share) for s, share in zip(stations, shares, strict=True)}


def mixed_stations(game: ScotlandYard) -> NDArray[np.uint64]:
    """The set of stations that more than one transport leaves from."""
    found = np.zeros(4, np.uint64)
    for place, station in enumerate(game.board.stations):
        if sum(bool(ends) for ends in station.links.values()) > 1:
            found[place >> 6] |= np.uint64(1 << (place & 63))
    return found


def possible_stations(state: State) -> list[int]:
    return [place for place in range(256) if int(state["possible"][place >> 6]) >> (place & 63) & 1]


def categories_of(game: ScotlandYard, state: State, stations: list[int]) -> tuple[NDArray[np.int64], int]:
    """How far the nearest detective is from each station, and how long ago Mr X was seen."""
    detectives = state["station"][1 : game.seats].astype(np.int64)
    nearest = game.paths.hops[np.ix_(detectives, stations)].min(axis=0)
    since = int(state["slot"]) - int(state["seen_slot"])
    return np.minimum(nearest, NEAREST).astype(np.int64), min(since, SINCE)


def belief_over_stations(
    game: ScotlandYard, state: State, weights: NDArray[np.float64] | None
) -> tuple[list[int], NDArray[np.float64]]:
    """The stations where Mr X can be, and the probability of each."""
    stations = possible_stations(state)
    if weights is None or not stations:
        return stations, np.full(len(stations), 1 / max(1, len(stations)))
    nearest, since = categories_of(game, state, stations)
    shares = weights[nearest, since]
    return stations, shares / shares.sum()


@cache
def category_weights(board: str) -> NDArray[np.float64]:
    """How often Mr X was on a station of each category, learned on this board, or on all together."""
    file = resources.files("fogbound.agents").joinpath("data/categories.json")
    boards = json.loads(file.read_text(encoding="utf-8"))["boards"]
    chosen = [boards[board]] if board in boards else list(boards.values())
    held = np.sum([each["was_there"] for each in chosen], axis=0)
    could = np.sum([each["could_be_there"] for each in chosen], axis=0)
    return weights_from(held, could)


def weights_from(was_there: NDArray[Any], could_be_there: NDArray[Any]) -> NDArray[np.float64]:
    """Frequencies by category, drawn towards the average where little was seen; never zero."""
    average = was_there.sum() / max(1, could_be_there.sum())
    weights: NDArray[np.float64] = (was_there + 20 * average + 1e-6) / (could_be_there + 20)
    return weights


@kernel
def imagine(table, extra, state, seat, words):
    """Put Mr X on one of his possible stations, by the chances given."""
    if state.station[0] >= 0:
        return
    drawn = unit(words)
    low, high = 0, extra.count - 1
    while low < high:
        middle = (low + high) >> 1
        if drawn < extra.chances[middle]:
            high = middle
        else:
            low = middle + 1
    state.station[0] = extra.places[low]


@kernel
def moves(table, extra, state, out):
    """The legal moves; for Mr X without those that waste a ticket, unless nothing else is left."""
    count = legal(table, state, out)
    if extra.filter == 0 or state.turn != 0:
        return count
    black, double = _black_hides(table, extra, state), _is_near(table, state)
    if black and double:
        return count
    kept = 0
    for i in range(count):
        if (black or (out[i] >> TICKET_SHIFT) & 15 != BLACK) and (double or out[i] >> DOUBLE_SHIFT == 0):
            out[kept] = out[i]
            kept += 1
    return kept if kept > 0 else legal(table, state, out)


@kernel
def _black_hides(table, extra, state):
    """Whether a black ticket can hide anything: not before Mr X was first seen, nor when he is shown
    right after, nor where one transport is all there is."""
    if state.last_seen < 0 or table.reveal[state.slot + 1]:
        return False
    for w in range(4):
        if state.possible[w] & extra.mixed[w]:
            return True
    return False


@kernel
def _is_near(table, state):
    """Whether a detective stands one step from Mr X."""
    everything = (1 << table.transports) - 1
    for w in range(4):
        if table.reach[everything, state.station[0], w] & state.occupied[w]:
            return True
    return False


@kernel
def reward(table, extra, state, side_of, side_score, result):
    """1 for the winners; a detective who did not make the catch himself gets a little less."""
    caught = state.winner == DETECTIVES
    catcher = False
    for seat in range(1, result.size):
        catcher = catcher or state.station[seat] == state.station[0]
    result[0] = 1.0 if state.winner == MR_X else (0.0 if caught else 0.5)
    for seat in range(1, result.size):
        result[seat] = 1.0 - result[0]
        if caught and catcher and state.station[seat] != state.station[0]:
            result[seat] -= extra.coalition


class ChaseParams(NamedTuple):
    paths: Paths


@kernel
def chase(table, params, view, seat, out, words):
    """A quick playout: Mr X goes where the nearest detective is farthest; a detective takes any possible
    station and goes towards it. Equally good moves are equally likely."""
    count = legal(table, view, out)
    target = -1
    if seat > 0:
        target = member(view.possible, below(words, size(view.possible)))
    best, ties, pick = -1, 0, 0
    for i in range(count):
        station = out[i] & HIDDEN
        if out[i] >> DOUBLE_SHIFT:
            continue
        good = 0
        if (out[i] >> TICKET_SHIFT) & 15 != PASS_TICKET:
            good = FAR - params.paths.hops[station, target] if seat > 0 else _nearest(table, params, view, station)
        if good > best:
            best, ties = good, 0
        if good == best:
            ties += 1
            if below(words, ties) == 0:
                pick = i
    return out[pick]


@kernel
def _nearest(table, params, view, station):
    nearest = FAR
    for seat in range(1, table.detectives + 1):
        nearest = min(nearest, params.paths.hops[view.station[seat], station])
    return nearest


PIECES = Pieces(imagine, moves, reward)
