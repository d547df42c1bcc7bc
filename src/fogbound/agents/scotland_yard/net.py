"""The player of Scotland Yard that plays a trained net; the file of weights says which kind of net it is.

Each kind is a module with `params(game, weights)`, which refuses boards that the net does not fit,
and a compiled `policy`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import Field

from fogbound.agents import nets
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.compiled import Kernel
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard

KINDS = {"supervised": "fogbound.agents.scotland_yard.net_supervised", "dqn": "fogbound.agents.scotland_yard.net_dqn"}


class NetOptions(Options):
    weights: str = Field("husa", description="name of a net (one for the board comes first) or a .safetensors file")


class Net(PolicyAgent[NetOptions, ScotlandYard]):
    """Plays a trained net."""

    name = "net"
    about = "a trained net"
    source = "Husa 2022 (supervised nets) and Hrkľová 2023 (deep Q-networks)"
    options_model = NetOptions

    @classmethod
    def names(cls, game: Game) -> Mapping[str, Sequence[str]]:
        return {"weights": nets.names_of(KINDS, game.definition()["name"])}

    def prepare(self) -> None:
        self.net = nets.load(self.options.weights, self.game.board.name)
        kind = self.net.about.get("kind", "")
        if kind not in KINDS:
            raise FogboundError(f"The weights “{self.net.name}” are not a net for Scotland Yard.")
        self.kind: Any = importlib.import_module(KINDS[kind])
        super().prepare()

    def compiled(self) -> Kernel:
        policy: Kernel = self.kind.policy
        return policy

    def params(self) -> NamedTuple:
        with nets.understood(self.net):
            params: NamedTuple = self.kind.params(self.game, self.net)
        return params
