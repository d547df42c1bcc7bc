"""A learner and its agent that are quick and learn nothing useful: they show how a training runs."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from pydantic import Field

from fogbound.agents import nets
from fogbound.core.agent import Agent, Decision
from fogbound.core.agent import Options as AgentOptions
from fogbound.core.view import View
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state


class WeightsOption(AgentOptions):
    weights: str = Field(description="a file")


class ToyAgent(Agent):
    name = "toy"
    about = "always plays the same place in the list of legal moves"
    options_model = WeightsOption

    def decide(self, view: View) -> Decision:
        assert isinstance(self.options, WeightsOption)
        place = nets.load(self.options.weights).tensors["place"][0]
        legal = view.legal()
        return Decision(legal[int(place * 1000) % len(legal)].code)


class ToyOptions(Options):
    steps: int = Field(6, ge=1, description="how many steps")
    field: list[str] = Field(default=["random"], description="agents that the learner plays in trials")
    trial_games: int = Field(6, description="games of a trial against each agent of the field")
    trials: int = Field(3, description="how many trials in all")


class Toy(Learner):
    name = "toy"
    about = "walks at random"
    unit = "steps"
    families = ("scotland-yard",)
    options_model = ToyOptions
    presets: ClassVar[dict[str, dict[str, Any]]] = {"short": {"steps": 2}}

    def prepare(self) -> None:
        self.generator = np.random.default_rng(self.options.seed)
        self.place = np.zeros(1)

    @property
    def total(self) -> int:
        return int(self.options.steps)

    def advance(self) -> dict[str, float]:
        self.place += self.generator.random()
        self.done += 1
        return {"loss": float(self.place[0])}

    def snapshot(self) -> Arrays:
        return {"place": self.place, "words": rng_state(self.generator)}

    def restore(self, arrays: Arrays) -> None:
        self.place = arrays["place"].copy()
        set_rng_state(self.generator, arrays["words"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        return {"place": self.place}, {"kind": "toy"}

    def seats(self, learned: str, opponent: str) -> list[str]:
        return [f"tests.train.toy.ToyAgent:weights={learned}", opponent]
