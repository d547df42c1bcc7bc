"""Fogbound's games as Gymnasium environments: one learner against given agents, alone or thousands side by side.

A move is a number of `game.action_size`; `info["action_mask"]` says which are legal. A learner who plays one that is
not legal has given the match up: it is lost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from fogbound.core import registry
from fogbound.core.agent import AgentLike
from fogbound.core.contract import Game
from fogbound.core.env import FORFEIT, LARGEST, Environment, Seats, learner_seats
from fogbound.core.errors import FogboundError

Observation = NDArray[np.float32]
Opponents = AgentLike | Sequence[AgentLike]


def env(spec: Game | str, seat: Seats = 0, opponents: Opponents = "heuristic", render_mode: str | None = None) -> SeatEnv:
    """One match after another: the learner plays a seat, or all seats of a side if its name is given."""
    return SeatEnv(spec, seat, opponents, render_mode)


def make_vec(
    spec: Game | str, num_envs: int, seat: Seats = 0, opponents: Opponents = "heuristic", threads: int = 1, seed: int = 0
) -> SeatVectorEnv:
    """Many matches side by side, stepped in compiled code if the opponents are compiled."""
    return SeatVectorEnv(spec, num_envs, seat, opponents, threads, seed)


def _environment(spec: Game | str, n: int, seat: Seats, opponents: Opponents, seed: int, threads: int) -> Environment:
    game = registry.game(spec)
    seats = learner_seats(game, seat)
    if len({game.side_of[each] for each in seats}) > 1:
        names = ", ".join(game.seat_names[each] for each in seats)
        raise FogboundError(f"One learner plays for one side; {names} play for several. For self-play use fogbound.env.")
    return Environment(game, n, seats, opponents, seed, threads, final=True)


def _spaces(game: Game) -> tuple[Any, Any]:
    box = gymnasium.spaces.Box(-LARGEST, LARGEST, (game.observation_size,), np.float32)
    return box, gymnasium.spaces.Discrete(game.action_size)


class SeatEnv(gymnasium.Env[Observation, np.int64]):
    """One learner in one match after another."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}

    def __init__(
        self, spec: Game | str, seat: Seats = 0, opponents: Opponents = "heuristic", render_mode: str | None = None
    ) -> None:
        self.rows = _environment(spec, 1, seat, opponents, 0, 1)
        self.game, self.seat = self.rows.game, self.rows.seats[0]
        self.render_mode = render_mode
        self.observation_space, self.action_space = _spaces(self.game)
        self._waiting = False  # whether the next match has begun already
        self._over = False

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Observation, dict[str, Any]]:
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(2**31))
        if seed is not None or not self._waiting:
            self.rows.reset(seed)
        self._waiting = self._over = False
        return self.rows.batch.observations[0].copy(), self._info()

    @property
    def _begun(self) -> bool:
        return self.rows._begun

    def step(self, action: np.int64 | int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        given = np.array([action], np.int64)
        legal = bool(self.rows.legal(given)[0])
        told = self.rows.advance(given if legal else np.array([FORFEIT]))
        self._over = self._waiting = bool(told.done[0])
        observation = (self.rows.final if self._over else told.observations)[0].copy()
        return observation, float(told.rewards[0, self.seat]), self._over, False, self._info() | {"illegal": not legal}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which moves are legal now; sb3-contrib asks for them by this name."""
        mask: NDArray[np.bool_] = self.rows.batch.mask[0].copy()
        return mask & False if self._over else mask

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "seat": int(self.rows.batch.seats[0])}

    def render(self) -> str:  # type: ignore[override]
        moves = [str(self.rows.move(0, int(n))) for n in np.flatnonzero(self.action_masks())]
        seat = self.game.seat_names[self.rows.batch.seats[0]]
        return "The match is over." if self._over else f"{seat}: {', '.join(moves)}"


class SeatVectorEnv(gymnasium.vector.VectorEnv[Any, Any, Any]):
    """Many matches side by side. What it returns are its own arrays: the next step writes over them."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP, "render_modes": []}

    def __init__(
        self,
        spec: Game | str,
        num_envs: int,
        seat: Seats = 0,
        opponents: Opponents = "heuristic",
        threads: int = 1,
        seed: int = 0,
    ) -> None:
        self.rows = _environment(spec, num_envs, seat, opponents, seed, threads)
        self.game, self.seat, self.num_envs = self.rows.game, self.rows.seats[0], num_envs
        self.single_observation_space, self.single_action_space = _spaces(self.game)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._truncated = np.zeros(num_envs, np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """New matches. Row r plays the games r, r + num_envs and so on of one seed."""
        if seed is not None and not isinstance(seed, int | np.integer):
            raise FogboundError("All rows share one seed: give a whole number, not a list.")
        told = self.rows.reset(None if seed is None else int(seed))
        return told.observations, {"action_mask": told.mask, "seat": told.seats}

    def step(self, actions: NDArray[np.int64]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        given = np.ascontiguousarray(actions, np.int64)
        legal = self.rows.legal(given)
        told = self.rows.advance(given if legal.all() else np.where(legal, given, FORFEIT))
        info: dict[str, Any] = {"action_mask": told.mask, "seat": told.seats, "illegal": ~legal}
        if told.done.any():
            info |= {"final_obs": self.rows.final, "_final_obs": told.done}
        return told.observations, told.rewards[:, self.seat], told.done, self._truncated, info

    def close_extras(self, **kwargs: Any) -> None:
        self.rows.close()
