"""What methods with PyTorch share: the device, and the state of nets and optimizers as arrays for a checkpoint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fogbound.core.errors import FogboundError
from fogbound.train.method import Arrays


def device(wanted: str) -> torch.device:
    """The device that `auto`, `cpu` or `cuda` stands for here."""
    if wanted == "cuda" and not torch.cuda.is_available():
        raise FogboundError("PyTorch finds no GPU here for device=cuda; use device=auto or device=cpu.")
    return torch.device("cuda" if wanted != "cpu" and torch.cuda.is_available() else "cpu")


def array(tensor: Tensor) -> NDArray[Any]:
    return np.array(tensor.detach().cpu().numpy())


def tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array))


def under(arrays: Arrays, prefix: str) -> Arrays:
    """The arrays whose names begin with a prefix, by the rest of their names."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def net_arrays(prefix: str, net: torch.nn.Module) -> Arrays:
    return _named(prefix, net.state_dict())


def restore_net(net: torch.nn.Module, prefix: str, arrays: Arrays) -> None:
    net.load_state_dict({name: tensor(value) for name, value in under(arrays, prefix).items()})


def adam_arrays(adam: torch.optim.Adam) -> Arrays:
    arrays: Arrays = {}
    for number, moments in adam.state_dict()["state"].items():
        arrays |= _named(f"adam.{number}.", moments)
    return arrays


def restore_adam(adam: torch.optim.Adam, arrays: Arrays) -> None:
    state = adam.state_dict()
    for name, value in under(arrays, "adam.").items():
        number, _, moment = name.partition(".")
        state["state"].setdefault(int(number), {})[moment] = tensor(value)
    adam.load_state_dict(state)


def _named(prefix: str, tensors: Mapping[str, Tensor]) -> Arrays:
    return {prefix + name: array(value) for name, value in tensors.items()}
