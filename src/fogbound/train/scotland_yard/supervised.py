"""Supervised nets for Scotland Yard: both sides learn the best move of every placement of the pieces.

The default is Husa 2022: fully connected, ReLU, a distribution over the stations to go to, labels by
distance. With the preset `pursuit` the nets learn the values of moves in the exactly solved chase.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field

from fogbound.agents.scotland_yard.net_supervised import SIDES, links_digest
from fogbound.games.scotland_yard.features import CODINGS, placement_size
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train import torch_state
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state
from fogbound.train.scotland_yard.examples import count_placements, labeller, write_examples

Coding = Literal["long", "middle", "short", "turn"]
CHUNK = 32  # batches in one call of `advance`
TESTED = 4096  # placements of the holdout that are tested after each chunk
MOVERS = {"mrx": 0, "detectives": -1}


class SupervisedOptions(Options):
    mr_x: Coding = Field(
        "short",
        description="inputs of Mr X's net: long (a block for each piece), middle (Mr X, one detective, "
        "the others), short (Mr X, all detectives), turn (as long, in the order of seats)",
    )
    mr_x_layers: int = Field(4, ge=0, le=16, description="hidden layers of Mr X's net")
    detectives: Coding = Field(
        "long",
        description="inputs of the detectives' net: long, middle or short as above with the mover first, or turn "
        "(in the order of seats, with a mark for who is to move)",
    )
    detectives_layers: int = Field(4, ge=0, le=16, description="hidden layers of the detectives' net")
    width: int = Field(0, ge=0, le=4096, description="width of the hidden layers; 0: as wide as the input")
    labels: Literal["distance", "pursuit"] = Field(
        "distance", description="the labels: the best move by distance, or the value of each move in the solved chase"
    )
    epochs: int = Field(10, ge=1, description="passes over all placements")
    batch: int = Field(2048, ge=1, description="placements in a batch")
    learning_rate: float = Field(0.002, gt=0, description="learning rate of Adam at the start; it falls linearly to zero")
    placements: int = Field(
        2_000_000, ge=10, description="the most placements to learn from; boards that have more are sampled"
    )
    tried: Literal["mr_x", "detectives"] = Field("detectives", description="the side that plays in trials")
    device: Literal["auto", "cpu", "cuda"] = Field(
        "auto", description="where the nets learn; auto: on a GPU if there is one"
    )


class Supervised(Learner):
    name = "supervised"
    about = "nets for both sides that learn the best move of every placement"
    unit = "placements"
    families = ("scotland-yard",)
    options_model = SupervisedOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "husa": {},
        "pursuit": {
            "labels": "pursuit",
            "mr_x": "long",
            "detectives": "turn",
            "detectives_layers": 3,
            "mr_x_layers": 3,
            "width": 256,
            "epochs": 6,
        },
    }

    game: ScotlandYard
    options: SupervisedOptions

    def prepare(self) -> None:
        options, table = self.options, self.game.table
        self.device = torch_state.device(options.device)
        self.generator = np.random.default_rng(options.seed)
        self.labeller = labeller(self.game, options.labels)
        self.train, self.holdout = self._split(count_placements(table.stations, table.detectives))
        self._order_from = rng_state(self.generator)
        self.order = self._shuffled()
        torch.manual_seed(options.seed)
        self.codings = {"mrx": CODINGS.index(options.mr_x), "detectives": CODINGS.index(options.detectives)}
        layers = {"mrx": options.mr_x_layers, "detectives": options.detectives_layers}
        self.nets = {side: self._net(self.codings[side], layers[side]).to(self.device) for side in SIDES}
        parameters = [each for net in self.nets.values() for each in net.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=options.learning_rate, foreach=self.device.type == "cuda")

    def _split(self, count: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Four fifths to learn from, and a holdout."""
        if count <= self.options.placements:
            numbers = self.generator.permutation(count)
        else:
            numbers = np.unique(self.generator.integers(count, size=self.options.placements))
            self.generator.shuffle(numbers)
        cut = len(numbers) // 5
        return numbers[cut:], numbers[:cut]

    def _shuffled(self) -> NDArray[np.int64]:
        return self.generator.permutation(len(self.train))

    def _net(self, coding: int, layers: int) -> torch.nn.ModuleList:
        table = self.game.table
        inputs = placement_size(coding, table.stations, table.detectives)
        sizes = [inputs, *[self.options.width or inputs] * layers, table.stations]
        return torch.nn.ModuleList(torch.nn.Linear(a, b) for a, b in pairwise(sizes))

    @property
    def total(self) -> int:
        return self.options.epochs * len(self.train)

    def advance(self) -> Mapping[str, float]:
        losses = dict.fromkeys(SIDES, 0.0)
        steps = 0
        while steps < CHUNK and self.done < self.total:
            place = self.done % len(self.train)
            if place == 0 and self.done:
                self._order_from = rng_state(self.generator)
                self.order = self._shuffled()
            numbers = self.train[self.order[place : place + self.options.batch]]
            for side, loss in self._step(numbers).items():
                losses[side] += loss
            self.done += len(numbers)
            steps += 1
        right = {side: self._accuracy(side) for side in SIDES}
        figures = {f"{side} loss": losses[side] / max(1, steps) for side in SIDES}
        return figures | {f"{side} right": right[side] for side in SIDES}

    def _step(self, numbers: NDArray[np.int64]) -> dict[str, float]:
        for group in self.optimizer.param_groups:
            group["lr"] = self.options.learning_rate * (1 - self.done / self.total)
        losses = {side: self._loss(*self._examples(side, numbers)) for side in SIDES}
        self.optimizer.zero_grad()
        torch.stack(list(losses.values())).sum().backward()
        self.optimizer.step()
        return {side: float(loss.detach()) for side, loss in losses.items()}

    def _examples(self, side: str, numbers: NDArray[np.int64]) -> tuple[torch.Tensor, torch.Tensor]:
        """The net's outputs for placements, and the labels: values of the moves."""
        net, table = self.nets[side], self.game.table
        inputs = np.empty((len(numbers), net[0].in_features), np.float32)
        values = np.empty((len(numbers), table.stations), np.float32)
        write_examples(table, self.labeller, numbers, MOVERS[side], self.codings[side], inputs, values)
        return _outputs(net, torch.from_numpy(inputs).to(self.device)), torch.from_numpy(values).to(self.device)

    def _loss(self, outputs: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
        moves = values >= 0
        if self.options.labels == "pursuit":
            # Only differences between the moves of a placement matter, and only they are learned.
            errors = (outputs - values) * moves
            mean = errors.sum(1, keepdim=True) / moves.sum(1, keepdim=True).clamp(min=1)
            return ((errors - mean) * moves).square().sum() / moves.sum()
        best = values.clamp(min=0)
        shares = best / best.sum(1, keepdim=True).clamp(min=1)
        return -(shares * torch.log_softmax(outputs, 1)).sum(1).mean()

    def _accuracy(self, side: str) -> float:
        """How often the preferred move of a placement in the holdout is a best one."""
        with torch.no_grad():
            outputs, values = self._examples(side, self.holdout[:TESTED])
            preferred = outputs.masked_fill(values < 0, -torch.inf).argmax(1, keepdim=True)
            return float((values.gather(1, preferred)[:, 0] >= values.amax(1)).float().mean())

    def snapshot(self) -> Arrays:
        arrays = torch_state.adam_arrays(self.optimizer)
        for side, net in self.nets.items():
            arrays |= torch_state.net_arrays(f"{side}.", net)
        return {**arrays, "order_from": self._order_from}

    def restore(self, arrays: Arrays) -> None:
        for side, net in self.nets.items():
            torch_state.restore_net(net, f"{side}.", arrays)
        torch_state.restore_adam(self.optimizer, arrays)
        set_rng_state(self.generator, arrays["order_from"])
        self._order_from = rng_state(self.generator)
        self.order = self._shuffled()

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        tensors = {
            f"{side}.{key}": value.cpu().numpy().astype(np.float16)
            for side in SIDES
            for key, value in self.nets[side].state_dict().items()
        }
        about = {
            "kind": "supervised",
            "family": "scotland-yard",
            "board": self.game.board.name,
            "links": links_digest(self.game),
            "mrx": self.options.mr_x,
            "detectives": self.options.detectives,
            "output": "worth" if self.options.labels == "pursuit" else "chances",
        }
        return tensors, about

    def seats(self, learned: str, opponent: str) -> list[str]:
        own = f"net:weights={learned}"
        return [own, opponent] if self.options.tried == "mr_x" else [opponent, own]

    def side(self) -> int:
        return 0 if self.options.tried == "mr_x" else 1


def _outputs(net: torch.nn.ModuleList, x: torch.Tensor) -> torch.Tensor:
    for layer in net[:-1]:
        x = torch.relu(layer(x))
    out: torch.Tensor = net[-1](x)
    return out
