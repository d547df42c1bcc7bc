"""The player of Risk that plays the net of self-play, on any map of up to 48 territories and with any number of players."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents import nets
from fogbound.agents.risk import evaluation
from fogbound.agents.risk.choices import CHOICES, END, MOST, WAYS, list_choices, move_of
from fogbound.agents.risk.opponents import all_hoard
from fogbound.agents.risk.policy_features import FIGURES, WHOLE, Land, land_of, tell
from fogbound.agents.risk.policy_net import KIND, PolicyNet, Room, read, room_for, think
from fogbound.agents.risk.turn_plans import by_script
from fogbound.core.agent import Decision, Options, PolicyAgent
from fogbound.core.compiled import Kernel, Piece, kernel, part
from fogbound.core.contract import Game
from fogbound.core.errors import BadOption
from fogbound.core.rng import unit
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import ATTACK, SEATS, State, alive

SHIPPED = "risk-policy"
PATIENCE = 20
BOLDER = 0.2  # a round: how much less it likes to end an attack


class PolicyOptions(Options):
    weights: str = Field(SHIPPED, description="a shipped net or a .safetensors file")
    temperature: float = Field(0.0, ge=0, description="1 plays the net's own mixture, 0 always its likeliest choice")
    setup: float = Field(1.0, ge=0, description="the temperature during the set-up")
    patience: int = Field(
        PATIENCE, ge=0, description="rounds after which it gets bolder, so that players do not wait for each other for ever"
    )
    hoarders: bool = Field(
        True, description="among players who keep nearly all their armies in one place it plays as the scripted player does"
    )


class Params(NamedTuple):
    land: Land
    net: PolicyNet
    room: Room
    nodes: NDArray[np.uint8]
    whole: NDArray[np.uint8]
    mask: NDArray[np.uint8]
    armies: NDArray[np.float64]
    chances: NDArray[np.float64]  # [choice]: filled by `weigh`
    wins: NDArray[np.float64]  # [seat]: filled by `weigh`
    setup: float
    temperature: float
    patience: int
    script: evaluation.Params
    hoarders: bool


def params_of(
    game: Risk, net: PolicyNet, setup: float, temperature: float, patience: int = PATIENCE, hoarders: bool = False
) -> Params:
    if game.table.territories > MOST:
        raise BadOption(f"The nets of Risk play maps of up to {MOST} territories; this one has {game.table.territories}.")
    return Params(
        land_of(game),
        net,
        room_for(net),
        np.zeros((MOST, FIGURES), np.uint8),
        np.zeros(WHOLE, np.uint8),
        np.zeros(CHOICES, np.uint8),
        np.zeros(SEATS),
        np.zeros(CHOICES),
        np.zeros(SEATS),
        setup,
        temperature,
        patience,
        evaluation.params_of(game),
        hoarders,
    )


class Policy(PolicyAgent[PolicyOptions, Risk]):
    name = "policy"
    about = "the net of self-play, for any map"
    options_model = PolicyOptions
    policy_params: Params

    def compiled(self) -> Kernel:
        return choose

    def params(self) -> Params:
        options = self.options
        net = read(options.weights)
        return params_of(self.game, net, options.setup, options.temperature, options.patience, options.hoarders)

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        return {"weights": nets.names_of([KIND], game.definition()["name"])}

    def pieces(self, seat: int) -> Sequence[Piece]:
        table, params, state = self.game.table, self.policy_params, np.zeros(1, State)[0]
        return (
            (list_choices, table, state, seat, params.mask, self._out),
            (weigh, table, params, state, seat, self._out),
            (by_script, table, params.script, state, seat, self._out),
        )

    def decide(self, view: View) -> Decision:
        """The move, and what the net says of the position: it is read where the policy left it."""
        action, params = super().decide(view).action, self.policy_params
        temperature = self.options.setup if view.state["round"] == 0 else self.options.temperature
        listed = np.flatnonzero(params.mask)
        if len(listed) <= 1:  # the net was not asked
            return Decision(action)
        chances: dict[int, float] = {}
        for choice, chance in zip(listed, _mixture(params.chances[listed], temperature or 1.0), strict=True):
            move = int(move_of(self.game.table, view.state, view.seat, int(choice), self._out))
            chances[move] = chances.get(move, 0.0) + float(chance)
        if temperature == 0:
            chances = {action: 1.0}
        return Decision(action, {action: float(params.wins[view.seat])}, line=(action,), chances=chances)


def _mixture(chances: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """What choices are drawn by."""
    bent = chances ** (1 / temperature)
    return np.asarray(bent / bent.sum())


@kernel
def choose(table, params, view, seat, out, rng):
    """The move of the choice that the net prefers, or that is drawn; the scripted player's among hoarders."""
    if params.hoarders and view.round > 0 and all_hoard(table, view, seat):
        params.mask[:] = 0
        return by_script(table, params.script, view, seat, out)
    count = list_choices(table, view, seat, params.mask, out)
    if count > 1:
        weigh(table, params, view, seat, out)
    return move_of(table, view, seat, pick(params, view, rng), out)


@part
def weigh(table, params, view, seat, out):
    """What the net makes of a position whose choices are listed: params.chances and params.wins."""
    tell(table, params.land, view, seat, params.nodes, params.whole, params.armies, out)
    think(params.net, params.land, table.territories, params.nodes, params.whole, params.room)
    if view.phase == ATTACK and view.round > params.patience:
        params.room.logits[WAYS * MOST + END] -= np.float32(BOLDER * (view.round - params.patience))
    highest = -1e30
    for choice in range(CHOICES):
        if params.mask[choice]:
            highest = max(highest, np.float64(params.room.logits[choice]))
    total = 0.0
    for choice in range(CHOICES):
        params.chances[choice] = 0.0
        if params.mask[choice]:
            params.chances[choice] = np.exp(params.room.logits[choice] - highest)
            total += params.chances[choice]
    for choice in range(CHOICES):
        params.chances[choice] /= total
    _who_wins(table, params, view, seat)


@kernel
def _who_wins(table, params, view, seat):
    total = 0.0
    params.wins[:] = 0.0
    for ahead in range(table.players):
        each = (seat + ahead) % table.players
        if view.round == 0 or alive(view, each):
            params.wins[each] = np.exp(np.float64(params.room.chances[ahead]))
            total += params.wins[each]
    for each in range(table.players):
        params.wins[each] /= total


@kernel
def likeliest(params):
    best, found = -1.0, np.int64(0)
    for choice in range(CHOICES):
        if params.mask[choice] and params.chances[choice] > best:
            best, found = params.chances[choice], np.int64(choice)
    return found


@part
def pick(params, view, rng):
    """A choice: the likeliest, or one by its chance."""
    temperature = params.setup if view.round == 0 else params.temperature
    if temperature == 0.0:
        return likeliest(params)
    total = 0.0
    for choice in range(CHOICES):
        if params.mask[choice]:
            total += params.chances[choice] ** (1.0 / temperature)
    left = unit(rng) * total
    last = np.int64(0)
    for choice in range(CHOICES):
        if params.mask[choice]:
            last = np.int64(choice)
            left -= params.chances[choice] ** (1.0 / temperature)
            if left < 0.0:
                break
    return last
