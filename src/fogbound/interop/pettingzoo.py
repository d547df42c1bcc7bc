"""Fogbound's games as PettingZoo environments: every seat is an agent, and they move one after the other.

An observation is a dictionary of `observation` and `action_mask`, as in PettingZoo's own board and card games.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import conversions, wrappers

from fogbound.core import encoding, registry
from fogbound.core.chance import untaped
from fogbound.core.contract import Game
from fogbound.core.env import LARGEST, utilities
from fogbound.core.errors import IllegalMove
from fogbound.core.rng import stream

Observation = dict[str, NDArray[Any]]


def env(spec: Game | str, render_mode: str | None = None) -> Any:
    """The environment with PettingZoo's usual wrappers: whoever plays an illegal move has lost."""
    raw = raw_env(spec, render_mode)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=-1))
    )


def raw_env(spec: Game | str, render_mode: str | None = None) -> SeatsEnv:
    """The environment itself, which is faster; an illegal move raises IllegalMove and changes nothing."""
    return SeatsEnv(registry.game(spec), render_mode)


def parallel_env(spec: Game | str) -> Any:
    """The same for code that steps all agents at once: of what they answer only the move of the agent in turn counts."""
    return conversions.turn_based_aec_to_parallel(raw_env(spec))


class SeatsEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]
    """One match after another, a seat an agent."""

    metadata = {"render_modes": ["ansi"], "name": "fogbound", "is_parallelizable": True}

    def __init__(self, game: Game, render_mode: str | None = None) -> None:
        super().__init__()
        self.game, self.render_mode = game, render_mode
        self.metadata = {**self.metadata, "name": game.spec}
        self.possible_agents = [name.lower().replace(" ", "_") for name in game.seat_names]
        self.agents = list(self.possible_agents)
        box = gymnasium.spaces.Box(-LARGEST, LARGEST, (game.observation_size,), np.float32)
        mask = gymnasium.spaces.Box(0, 1, (game.action_size,), np.int8)
        told = gymnasium.spaces.Dict({"observation": box, "action_mask": mask})
        self.observation_spaces: Mapping[str, Any] = dict.fromkeys(self.possible_agents, told)
        self.action_spaces = {agent: gymnasium.spaces.Discrete(game.action_size) for agent in self.possible_agents}
        self._seats = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self._seed, self._number = 0, -1

    def observation_space(self, agent: str) -> Any:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match: the first of a seed, or without one the next of the seed so far."""
        self._seed, self._number = (self._seed, self._number + 1) if seed is None else (seed, 0)
        game = self.game
        self._state = game.blank()
        self._chance = untaped(stream(self._seed, "game", self._number))
        game.rules.reset(game.table, self._state, self._chance)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[0]
        self._turn()

    def _turn(self) -> None:
        """The next agent's turn, or the end."""
        seat = int(self.game.rules.to_move(self._state))
        if seat >= 0:
            self.agent_selection = self.possible_agents[seat]
            self._codes, self._numbers = encoding.numbers(self.game, self._state)
            return
        self._codes = self._numbers = np.zeros(0, np.int64)
        gained = utilities(self.game, self.game.scores(self._state))
        self.rewards = {agent: gained[self._seats[agent]] for agent in self.agents}
        self.terminations = dict.fromkeys(self.agents, True)

    def observe(self, agent: str) -> Observation:
        seat = self._seats[agent]
        mask = np.zeros(self.game.action_size, np.int8)
        if agent == self.agent_selection:
            mask[self._numbers] = 1
        view = self.game.concealed(self._state, seat)
        return {"observation": encoding.observation(self.game, view, seat), "action_mask": mask}

    def step(self, action: int | None) -> None:
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        found = np.flatnonzero(self._numbers == action)
        if len(found) != 1:
            raise IllegalMove(f"No legal move of {self.agent_selection} has the number {action}: see the action mask.")
        self._cumulative_rewards[self.agent_selection] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.game.rules.apply(self.game.table, self._state, int(self._codes[found[0]]), self._chance)
        self._turn()
        self._accumulate_rewards()

    def render(self) -> str:
        moves = ", ".join(self.game.describe(int(code)) for code in self._codes)
        return f"{self.agent_selection}: {moves}" if len(self._codes) else "The match is over."

    def close(self) -> None:
        return
