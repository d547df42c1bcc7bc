"""The nets of deep Q-learning in PyTorch, and how they are written for `agents/scotland_yard/net_dqn.py`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.planes import CHANNELS, Coding

Arrays = dict[str, NDArray[Any]]


def linear(inputs: int, outputs: int, weights: str = "kaiming") -> nn.Linear:
    """A layer with Kaiming's uniform initialisation, or with PyTorch's own."""
    layer = nn.Linear(inputs, outputs)
    if weights == "pytorch":
        return layer
    nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
    nn.init.zeros_(layer.bias)
    return layer


def duel(value: Tensor, advantage: Tensor) -> Tensor:
    """The value of each move: the position's, and how much better than the average move it is."""
    return value + advantage - advantage.mean(1, keepdim=True)


class DenseNet(nn.Module):  # type: ignore[misc]
    """Dense layers. In a duelling net one half of the last hidden layer gives the value, the other the advantages."""

    def __init__(self, code: Coding, hidden: Sequence[int], duelling: bool, weights: str = "kaiming") -> None:
        super().__init__()
        self.hidden = nn.ModuleList(linear(a, b, weights) for a, b in pairwise([code.inputs, *hidden]))
        self.half = hidden[-1] // 2 if duelling else 0
        self.value = linear(self.half, 1, weights) if duelling else None
        self.out = linear(hidden[-1] - self.half, code.answers, weights)

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.hidden:
            x = torch.relu(layer(x))
        if self.value is None:
            return self.out(x)
        return duel(self.value(x[:, : self.half]), self.out(x[:, self.half :]))

    def written(self) -> Arrays:
        """Everything as plain dense layers: the duel is linear, so it is folded into the last layer's weights."""
        layers = [(layer.weight, layer.bias) for layer in self.hidden]
        weight, bias = self.out.weight, self.out.bias
        if self.value is not None:
            value = self.value.weight.expand(weight.shape[0], -1)
            weight = torch.cat([value, weight - weight.mean(0, keepdim=True)], 1)
            bias = self.value.bias + bias - bias.mean()
        arrays: Arrays = {}
        for i, (w, b) in enumerate([*layers, (weight, bias)]):
            arrays[f"{i}.weight"], arrays[f"{i}.bias"] = _array(w), _array(b)
        return arrays

    def read(self, arrays: Arrays) -> None:
        """Start from the weights of a net of the same layout."""
        last = len(self.hidden)
        for i, layer in enumerate(self.hidden):
            _copy(layer.weight, arrays[f"{i}.weight"])
            _copy(layer.bias, arrays[f"{i}.bias"])
        weight, bias = arrays[f"{last}.weight"], arrays[f"{last}.bias"]
        if self.value is not None:
            _copy(self.value.weight, weight[:, : self.half].mean(0, keepdims=True))
            _copy(self.value.bias, bias.mean(keepdims=True))
            bias = bias - bias.mean()
        _copy(self.out.weight, weight[:, self.half :])
        _copy(self.out.bias, bias)


class GraphNet(nn.Module):  # type: ignore[misc]
    """A graph net: the same weights at every station, for its own features and the averages of its neighbours and of all."""

    def __init__(self, game: ScotlandYard, code: Coding, hidden: Sequence[int], duelling: bool) -> None:
        super().__init__()
        table = game.table
        self.stations, self.general = table.stations, code.inputs - CHANNELS * table.stations
        near = torch.zeros(table.transports, table.stations, table.stations)
        for transport in range(table.transports):
            for here in range(table.stations):
                words = table.reach[1 << transport, here]
                ends = [s for s in range(table.stations) if int(words[s >> 6]) >> (s & 63) & 1]
                near[transport, here, ends] = 1 / max(1, len(ends))
        self.register_buffer("near", near, persistent=False)
        self.near: Tensor
        widths = [CHANNELS, *hidden]
        ways = table.transports
        self.own = nn.ModuleList(linear(a, b) for a, b in pairwise(widths))
        self.by = nn.ModuleList(nn.ModuleList(linear(a, b) for _ in range(ways)) for a, b in pairwise(widths))
        self.all = nn.ModuleList(linear(a, b) for a, b in pairwise(widths))
        self.told = linear(self.general, hidden[0])
        self.out = linear(hidden[-1], code.answers // table.stations)
        self.value = linear(hidden[-1], 1) if duelling else None

    def forward(self, x: Tensor) -> Tensor:
        told = self.told(x[:, CHANNELS * self.stations :])
        h = x[:, : CHANNELS * self.stations].reshape(-1, self.stations, CHANNELS)
        for i, own in enumerate(self.own):
            after = own(h) + self.all[i](h.mean(1)).unsqueeze(1)
            for transport, way in enumerate(self.by[i]):
                after = after + way(self.near[transport] @ h)
            h = torch.relu(after + told.unsqueeze(1) if i == 0 else after)
        answers = self.out(h).flatten(1)
        if self.value is None:
            return answers
        return duel(self.value(h.mean(1)), answers)

    def written(self) -> Arrays:
        """Every layer's weights, its biases summed. The value of a duel is the same for all moves and is left out."""
        arrays: Arrays = {}
        for i, own in enumerate(self.own):
            parts = {"own": own, "all": self.all[i], **{f"by{t}": way for t, way in enumerate(self.by[i])}}
            if i == 0:
                parts["general"] = self.told
            arrays |= {f"{i}.{name}": _array(part.weight) for name, part in parts.items()}
            arrays[f"{i}.bias"] = np.sum([_array(part.bias) for part in parts.values()], axis=0)
        arrays["out.own"], arrays["out.bias"] = _array(self.out.weight), _array(self.out.bias)
        return arrays

    def read(self, arrays: Arrays) -> None:
        """Start from the weights of a net of the same layout; summed biases go to one of the parts."""
        for i, own in enumerate(self.own):
            parts = {"own": own, "all": self.all[i], **{f"by{t}": way for t, way in enumerate(self.by[i])}}
            if i == 0:
                parts["general"] = self.told
            for name, part in parts.items():
                _copy(part.weight, arrays[f"{i}.{name}"])
                _copy(part.bias, np.zeros_like(arrays[f"{i}.bias"]))
            _copy(own.bias, arrays[f"{i}.bias"])
        _copy(self.out.weight, arrays["out.own"])
        _copy(self.out.bias, arrays["out.bias"])


def _array(tensor: Tensor) -> NDArray[Any]:
    return np.asarray(tensor.detach().cpu().numpy(), np.float32).copy()


def _copy(tensor: Tensor, array: NDArray[Any]) -> None:
    with torch.no_grad():
        tensor.copy_(torch.from_numpy(np.ascontiguousarray(array)))
