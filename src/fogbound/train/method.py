"""What a learning method is: options, and a learner that works a chunk at a time. It knows no game."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from fogbound.core.contract import Game

Arrays = dict[str, NDArray[Any]]


class Options(BaseModel):
    """Options that every method has; their descriptions are the comments of a written configuration."""

    model_config = ConfigDict(extra="forbid")

    seed: int = Field(1, ge=0, description="seed of everything random")
    field: list[str] = Field(default=["random", "heuristic"], description="agents that the learner plays in trials")
    trial_games: int = Field(400, ge=1, description="games of a trial against each agent of the field")
    trials: int = Field(20, ge=1, description="trials in all, evenly spread over the training")
    patience: int = Field(0, ge=0, description="stop after so many trials without a better one; 0: never")
    minutes: float = Field(0.0, ge=0, description="stop after so many minutes, trials included; 0: no limit")


class Learner(ABC):
    """A player that learns. All its randomness comes from its own generators, so that a resumed run is the same run."""

    name: ClassVar[str]
    """What is typed after `fogbound train`."""
    about: ClassVar[str]
    unit: ClassVar[str]
    """What its work is counted in, as in games."""
    families: ClassVar[Sequence[str]]
    """The families of games that it can learn."""
    options_model: ClassVar[type[Options]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Named sets of options, such as those of a publication."""

    def __init__(self, game: Game, options: Any) -> None:
        self.game = game
        self.options = options
        self.done = 0
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Set up everything before the first chunk of work; a FogboundError says why this game cannot be learned."""

    @property
    @abstractmethod
    def total(self) -> int:
        """Units of work in all."""

    @abstractmethod
    def advance(self) -> Mapping[str, float]:
        """Work for about a second, add to `done`, and return figures for the curves, such as a loss."""

    @abstractmethod
    def snapshot(self) -> Arrays:
        """Everything needed to resume exactly here, except `done`."""

    @abstractmethod
    def restore(self, arrays: Arrays) -> None:
        """Resume from a snapshot."""

    @abstractmethod
    def weights(self) -> tuple[Arrays, dict[str, str]]:
        """What was learned: tensors, and a description that is enough to play them."""

    @abstractmethod
    def seats(self, learned: str, opponent: str) -> list[str]:
        """The agents of all sides in a trial; `learned` is the learner's file of weights."""

    def side(self) -> int:
        """The side that the learner plays in a trial."""
        return 0

    @property
    def agent(self) -> str:
        """The name of the agent that plays what was learned."""
        return "net"


def rng_state(generator: np.random.Generator) -> NDArray[np.uint64]:
    """The state of a NumPy generator as an array, for a snapshot."""
    state: Any = generator.bit_generator.state
    inner = state["state"]
    mask = (1 << 64) - 1
    parts = [inner["state"] & mask, inner["state"] >> 64, inner["inc"] & mask, inner["inc"] >> 64]
    return np.array([*parts, state["has_uint32"], state["uinteger"]], np.uint64)


def set_rng_state(generator: np.random.Generator, rng: NDArray[np.uint64]) -> None:
    """Put a generator back to where `rng_state` found it."""
    low, high, inc_low, inc_high, has, last = (int(word) for word in rng)
    inner = {"state": low | high << 64, "inc": inc_low | inc_high << 64}
    generator.bit_generator.state = {"bit_generator": "PCG64", "state": inner, "has_uint32": has, "uinteger": last}
