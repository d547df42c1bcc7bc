"""A player of Risk who tries out what the net of self-play proposes (policy.py): rollouts of the net's own play.

The net's likeliest choices are made again and again, each time in a world that may be the true one; the net plays on
until the turn is over, and tells the chance to win from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.risk import policy
from fogbound.agents.risk.choices import CHOICES, list_choices, move_of
from fogbound.agents.risk.policy import likeliest, pick, weigh
from fogbound.agents.risk.policy_net import read
from fogbound.agents.risk.turn_plans import play
from fogbound.core.agent import Agent, Budget, Decision
from fogbound.core.chance import Chance
from fogbound.core.compiled import Piece, kernel, part, program
from fogbound.core.view import View
from fogbound.games.risk.game import Risk
from fogbound.games.risk.rules import imagine, score
from fogbound.games.risk.table import State

ITERATIONS = 100
MOST_MOVES = 400  # of one turn, in case the net goes round in circles


class RolloutOptions(Budget):
    weights: str = Field(policy.SHIPPED, description="a shipped net or a .safetensors file")
    c: float = Field(0.3, ge=0, description="how much choices that the net likes are preferred")
    candidates: int = Field(8, ge=1, le=CHOICES, description="most choices that are tried")
    least: float = Field(0.01, ge=0, le=1, description="choices that the net likes less than this are not tried")
    temperature: float = Field(0.5, ge=0, description="of the net's play after a choice; 0 is always its likeliest choice")
    ahead: int = Field(0, ge=0, le=5, description="turns of others that are made before the net judges")
    setup: bool = Field(True, description="it thinks about the set-up too; otherwise that is the net's likeliest choice")


class Kit(NamedTuple):
    """All that the rollouts work with; candidates come with the likeliest first."""

    net: policy.Params
    move: NDArray[np.int64]  # [candidate]
    prior: NDArray[np.float64]  # [candidate]: how likely the net makes it
    visits: NDArray[np.int64]
    total: NDArray[np.float64]
    standing: NDArray[np.float64]  # [1]: the chance to win before any of them
    scores: NDArray[np.float64]  # room for those of a game that is over
    position: NDArray[np.void]  # [1]: what the player sees now
    world: NDArray[np.void]  # [1]
    out: NDArray[np.int64]
    c: float
    least: float
    ahead: int


def make_kit(game: Risk, options: RolloutOptions) -> Kit:
    size = options.candidates
    return Kit(
        policy.params_of(game, read(options.weights), options.temperature, options.temperature),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(size, np.int64),
        np.zeros(size),
        np.zeros(1),
        np.zeros(game.seats),
        np.zeros(1, State),
        np.zeros(1, State),
        np.zeros(game.most_actions, np.int64),
        options.c,
        options.least,
        options.ahead,
    )


class Rollout(Agent[RolloutOptions, Risk]):
    name = "rollout"
    about = "tries out what the net of self-play proposes, by the net's own play"
    options_model = RolloutOptions

    def prepare(self) -> None:
        self._kit = make_kit(self.game, self.options)

    def decide(self, view: View) -> Decision:
        moves = self.game.legal(view.state)
        if len(moves) == 1:
            return Decision(moves[0], line=(moves[0],))
        table, kit = self.game.table, self._kit
        kit.position[0] = view.state
        count = int(propose(table, kit, view.seat))
        if count == 1 or not (self.options.setup or view.state["round"]):
            action = int(kit.move[0])
            return Decision(action, {action: float(kit.standing[0])}, line=(action,))
        for chunk in self.options.chunks(ITERATIONS, 10):
            improve(table, kit, view.seat, count, chunk, self.rng, self.imagination)
        return self._decision(count)

    def _decision(self, count: int) -> Decision:
        """The candidate tried most often; without the net's chances, or who asks for advice would be given its likeliest."""
        values: dict[int, float] = {}
        visits: dict[int, int] = {}
        for move, total, tried in zip(self._kit.move, self._kit.total, self._kit.visits[:count], strict=False):
            if tried:
                values[int(move)], visits[int(move)] = float(total / tried), int(tried)
        action = max(visits, key=lambda move: (visits[move], values[move]))
        return Decision(action, values, visits, line=(action,))

    def pieces(self, seat: int) -> Sequence[Piece]:
        table, kit = self.game.table, self._kit
        return (
            (weigh, table, kit.net, kit.position[0], seat, kit.out),
            (improve, table, kit, seat, 1, 1, self.rng, self.imagination),
        )


@program
def propose(table, kit, seat):
    """Fill the candidates with the likeliest choices of the position, and kit.standing; how many candidates there are."""
    state, net = kit.position[0], kit.net
    kit.visits[:] = 0
    kit.total[:] = 0.0
    choices = list_choices(table, state, seat, net.mask, kit.out)
    weigh(table, net, state, seat, kit.out)
    kit.standing[0] = net.wins[seat]
    count = min(kit.move.size, choices)
    for arm in range(count):
        choice = likeliest(net)
        if arm > 0 and net.chances[choice] < kit.least:
            return arm
        kit.move[arm] = move_of(table, state, seat, choice, kit.out)
        kit.prior[arm] = net.chances[choice]
        net.mask[choice] = 0
    return count


@program
def improve(table, kit, seat, count, iterations, rng, imagination):
    """So many more rollouts, of the candidates that look best or that the net likes and were tried little."""
    no_tape = np.zeros(0, np.int64)
    chance = Chance(rng, no_tape, no_tape, np.zeros(3, np.int64))
    for _ in range(iterations):
        arm = _next_arm(kit, count)
        kit.world[0] = kit.position[0]
        imagine(table, kit.world[0], seat, imagination)
        kit.total[arm] += _rollout(table, kit, kit.world[0], seat, kit.move[arm], chance)
        kit.visits[arm] += 1


@kernel
def _next_arm(kit, count):
    tried = np.int64(0)
    for arm in range(count):
        tried += kit.visits[arm]
    scale = kit.c * np.sqrt(np.float64(tried))
    best, found = -1e18, np.int64(0)
    for arm in range(count):
        mean = kit.total[arm] / kit.visits[arm] if kit.visits[arm] else kit.standing[0]
        bound = mean + scale * kit.prior[arm] / (1 + kit.visits[arm])
        if bound > best:
            best, found = bound, np.int64(arm)
    return found


@part
def _rollout(table, kit, world, seat, move, chance):
    """Make a move and let the net play on; this seat's chance to win where that leads."""
    begun = world.round
    play(table, world, move, chance)
    if world.turn == seat and world.round == begun:
        _finish_turn(table, kit, world, chance)
    for _ in range(kit.ahead):
        if world.turn == seat or world.turn < 0:
            break
        _finish_turn(table, kit, world, chance)
    return _judged(table, kit, world, seat, chance)


@part
def _finish_turn(table, kit, world, chance):
    """The net plays for whoever is to move until his turn is over; at the end of the set-up the next may be his as well."""
    mover, begun = np.int64(world.turn), world.round
    for _ in range(MOST_MOVES):
        if list_choices(table, world, mover, kit.net.mask, kit.out) > 1:
            weigh(table, kit.net, world, mover, kit.out)
        play(table, world, move_of(table, world, mover, pick(kit.net, world, chance.rng), kit.out), chance)
        if world.turn != mover or world.round != begun:
            return


@part
def _judged(table, kit, world, seat, chance):
    """The score of a game that is over, else what the net says once there is something to choose: it learned from such."""
    for made in range(MOST_MOVES):
        mover = np.int64(world.turn)
        if mover < 0:
            break
        if list_choices(table, world, mover, kit.net.mask, kit.out) > 1 or made == MOST_MOVES - 1:
            weigh(table, kit.net, world, mover, kit.out)
            return kit.net.wins[seat]
        play(table, world, move_of(table, world, mover, pick(kit.net, world, chance.rng), kit.out), chance)
    score(table, world, kit.scores)
    return kit.scores[seat]
