"""The net of agents/risk/policy_net.py for many positions at once, on the device where it learns."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fogbound.agents.risk.choices import CHOICES, MOST, WAYS
from fogbound.agents.risk.policy_features import ALIVE, FIGURES, OF_SEAT, SEAT, WHOLE, Land
from fogbound.agents.risk.policy_net import PolicyNet
from fogbound.games.risk.table import SEATS

ENDS = CHOICES - WAYS * MOST
LIVING = [SEAT + OF_SEAT * ahead + ALIVE for ahead in range(SEATS)]
NEVER = -1e9


class Maps:
    """The graphs of several maps, to be looked up by their numbers."""

    def __init__(self, lands: Sequence[Land], device: torch.device, kind: torch.dtype) -> None:
        self.near = torch.from_numpy(np.stack([land.near for land in lands])).to(device, kind)
        self.together = torch.from_numpy(np.stack([land.together for land in lands])).to(device, kind)
        there = np.zeros((len(lands), MOST, 1), np.float32)
        for number, land in enumerate(lands):
            there[number, : len(land.continent_of)] = 1 / len(land.continent_of)
        self.share = torch.from_numpy(there).to(device, kind)  # of every territory in the mean of all


class Net(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, inner: int, blocks: int) -> None:
        super().__init__()

        def drawn(*shape: int, gain: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * gain / shape[-2] ** 0.5)

        self.node = drawn(FIGURES, width)
        self.whole = drawn(WHOLE, width)
        self.bias = nn.Parameter(torch.zeros(width))
        self.own = drawn(blocks, width, inner)
        self.near = drawn(blocks, width, inner)
        self.together = drawn(blocks, width, inner)
        self.mean = drawn(blocks, width, inner)
        self.block_bias = nn.Parameter(torch.zeros(blocks, inner))
        self.out = drawn(blocks, inner, width, gain=0.5)
        self.ways = drawn(width, WAYS, gain=0.1)
        self.ways_bias = nn.Parameter(torch.zeros(WAYS))
        self.hidden = drawn(2 * width, inner)
        self.hidden_bias = nn.Parameter(torch.zeros(inner))
        self.ends = drawn(inner, ENDS + SEATS, gain=0.1)
        self.ends_bias = nn.Parameter(torch.zeros(ENDS + SEATS))

    def forward(self, nodes: Tensor, whole: Tensor, maps: Maps, number: Tensor) -> tuple[Tensor, Tensor]:
        """Logits of all choices, and of the chances of the seats from the decider on; `number` is the map of each row.

        It is worked out in the numbers of `maps`, whatever the weights are kept in.
        """
        kind, width = maps.near.dtype, self.bias.numel()
        w = {name: parameter.to(kind) for name, parameter in self.named_parameters()}
        joined = torch.cat([w["own"], w["near"], w["together"]], dim=1)
        near, together, share = maps.near[number], maps.together[number], maps.share[number].transpose(1, 2)
        told = torch.addmm(w["bias"], whole.to(kind) / 255, w["whole"])
        x = nodes.to(kind) / 255 @ w["node"] + told[:, None]
        for block in range(len(self.own)):
            z = nn.functional.layer_norm(x, (width,), eps=1e-5)
            same = (share @ z) @ w["mean"][block] + w["block_bias"][block]
            z = torch.cat([z, near @ z, together @ z], dim=-1)
            x = x + torch.relu(z @ joined[block] + same) @ w["out"][block]
        z = nn.functional.layer_norm(x, (width,), eps=1e-5)
        ways = (z @ w["ways"] + w["ways_bias"]).transpose(1, 2).flatten(1)
        pooled = torch.cat([(share @ z)[:, 0], told], dim=-1)
        hidden = torch.relu(torch.addmm(w["hidden_bias"], pooled, w["hidden"]))
        ends = torch.addmm(w["ends_bias"], hidden, w["ends"])
        return torch.cat([ways, ends[:, :ENDS]], dim=-1).float(), ends[:, ENDS:].float()


def log_chances(logits: Tensor, mask: Tensor) -> Tensor:
    """Of choices that there are."""
    return torch.log_softmax(logits.masked_fill(mask == 0, NEVER), dim=-1)


def log_wins(values: Tensor, whole: Tensor) -> Tensor:
    """Of the seats from the decider on, as far as they are in the game."""
    return torch.log_softmax(values.masked_fill(whole[:, LIVING] == 0, NEVER), dim=-1)


def frozen(net: Net, kind: torch.dtype) -> Net:
    """A copy that only plays."""
    made: Net = copy.deepcopy(net).to(kind)
    for parameter in made.parameters():
        parameter.requires_grad_(False)
    return made


def arrays(net: Net, prefix: str = "", kind: torch.dtype = torch.float32) -> dict[str, NDArray[Any]]:
    return {f"{prefix}{name}": getattr(net, name).detach().to("cpu", kind).numpy() for name in PolicyNet._fields}


def restore(net: Net, tensors: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
    net.load_state_dict(
        {name: torch.from_numpy(tensors[f"{prefix}{name}"].astype(np.float32)) for name in PolicyNet._fields}
    )
