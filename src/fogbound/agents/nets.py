"""Trained nets: the files they are stored in, and their forward pass in play, without any library for learning.

A file holds the tensors and, as text, what they are (`about`); a card of the same name beside it
says how they were trained and what they won. A net is given by its name in one of `folders`, or as a file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors import safe_open
from safetensors.numpy import save as packed

from fogbound.core.compiled import outlined
from fogbound.core.errors import FogboundError
from fogbound.core.files import check_size

PACKAGE_ROOT = Path(str(resources.files("fogbound")))
PACKAGED = PACKAGE_ROOT / "agents" / "weights"
THESES = PACKAGE_ROOT.parent.parent / "theses" / "weights"  # exists only in a clone of the repository
REPRODUCED = ("hrklova", "husa", "tulusak", "vasatko")  # names of nets in THESES begin with their author
SUFFIX = ".safetensors"
MOST_BYTES = 4_000_000_000  # of a file of weights
RELU, SIGMOID = 0, 1

Tensors = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Weights:
    """A trained net as read from its file."""

    name: str
    tensors: Tensors
    about: Mapping[str, str]
    """What the tensors are: `kind`, `family` and whatever else its agent needs to know."""

    def layers(self) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Dense layers, first to last, from tensors `0.weight` [outputs, inputs], `0.bias`, `1.weight`, ..."""
        count = sum(name.endswith(".weight") and name.split(".")[0].isdecimal() for name in self.tensors)
        return [(self.tensors[f"{i}.weight"], self.tensors[f"{i}.bias"]) for i in range(count)]


def folders() -> list[Path]:
    """Where nets are found by name: the package, the folders in FOGBOUND_WEIGHTS, and in a clone the theses'."""
    given = [Path(folder) for folder in os.environ.get("FOGBOUND_WEIGHTS", "").split(os.pathsep) if folder]
    return [folder for folder in (PACKAGED, *given, THESES) if folder.is_dir()]


def names() -> list[str]:
    """All names by which a net can be loaded."""
    return sorted({file.stem for folder in folders() for file in folder.glob(f"*{SUFFIX}")})


def names_of(kinds: Collection[str], board: str) -> list[str]:
    """Names of the nets of some kinds that were made for a board, or for any; without the board where it may be left out."""
    files = {file.stem: file for folder in reversed(folders()) for file in folder.glob(f"*{SUFFIX}")}
    found = {name: _about(file) for name, file in files.items()}
    fitting = [name for name, about in found.items() if about.get("kind") in kinds and about.get("board", board) == board]
    return sorted({name.removesuffix(f"-{board}") for name in fitting})


def find(name: str) -> Path | None:
    """The file of a named net, in the first folder that has it."""
    return next((file for folder in folders() if (file := folder / f"{name}{SUFFIX}").exists()), None)


def card(name: str) -> dict[str, Any]:
    """How a named net was trained and what it won."""
    file = find(name)
    if file is None:
        raise _unknown(name, "")
    found: dict[str, Any] = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    return found


def load(name: str, board: str = "") -> Weights:
    """A net by its name (that of the board first, as in `husa-plan1` for `husa`) or its file."""
    file = find(f"{name}-{board}") or find(name)
    if file is None and name.endswith(SUFFIX):
        file = Path(name)
        if not file.exists():
            raise FogboundError(f"There is no file of weights “{name}”.")
    if file is None:
        raise _unknown(name, board)
    return _read(str(file), file.stat().st_mtime_ns)


def is_reproduced(name: str) -> bool:
    """Whether a name is one of a net that only serves to reproduce a thesis."""
    return name.startswith(REPRODUCED)


def _unknown(name: str, board: str) -> FogboundError:
    known = names()
    alike = sorted((each for each in known if each.startswith(name)), key=len) or get_close_matches(name, known)
    sentences = [f"There are no weights “{name}”{f' for {board}' if board else ''}."]
    if alike:
        sentences.append(f"Did you mean “{'” or “'.join(alike[:3])}”?")
    else:
        if is_reproduced(name):
            sentences.append("The nets of the reproduced theses come only with a clone of the repository.")
        sentences.append(f"Known names: {', '.join(each for each in known if not is_reproduced(each))}.")
    sentences.append(f"Or give a {SUFFIX} file.")
    return FogboundError(" ".join(sentences))


def _about(file: Path) -> dict[str, str]:
    """What a file of weights says it is; nothing if it cannot be read."""
    try:
        with safe_open(str(file), framework="np") as opened:
            return dict(opened.metadata() or {})
    except Exception:  # of many kinds, from a library that is not ours
        return {}


@lru_cache(maxsize=64)
def _read(path: str, _changed: int) -> Weights:
    check_size(path, MOST_BYTES)
    try:
        with safe_open(path, framework="np") as opened:
            tensors = {key: opened.get_tensor(key) for key in opened.keys()}  # noqa: SIM118  (not a dictionary)
            about = dict(opened.metadata() or {})
    except Exception as error:  # of many kinds, from a library that is not ours
        raise FogboundError(f"{path} is not a valid file of weights: {error}.") from None
    return Weights(Path(path).stem, tensors, about)


@contextmanager
def understood(weights: Weights) -> Iterator[None]:
    """Whatever is missing in a file of weights, or has another shape than it should, is told in one sentence."""
    try:
        yield
    except (LookupError, ValueError, TypeError, OverflowError, AttributeError, RuntimeError) as error:
        why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
        raise FogboundError(f"The weights “{weights.name}” are damaged, or made for another version: {why}.") from None


def save(path: Path, tensors: Tensors, about: Mapping[str, str]) -> None:
    """Write a file of weights; an old one is replaced only when the new one is complete."""
    part = path.with_suffix(".part")
    part.write_bytes(packed({key: np.ascontiguousarray(value) for key, value in tensors.items()}, dict(about)))
    part.replace(path)


def check_shapes(net: Any, shapes: Sequence[tuple[int, ...]]) -> None:
    """Refuse a named tuple of arrays with other shapes, or numbers that are not finite; nobody writes to one that fits."""
    for field, array, shape in zip(net._fields, net, shapes, strict=True):
        if array.shape != shape:
            raise ValueError(f"{field} has the shape {array.shape}, not {shape}")
        if not np.isfinite(array).all():
            raise ValueError(f"{field} has numbers that are not finite")
        array.flags.writeable = False


class Dense(NamedTuple):
    """Dense layers packed for `forward`: one array, so that nets of all sizes share one compiled function."""

    numbers: NDArray[np.float32]  # of each layer: weights [inputs, outputs], then biases
    sizes: NDArray[np.int64]  # inputs, hidden widths, outputs
    inputs: NDArray[np.float32]  # to be filled before `forward`
    outputs: NDArray[np.float32]  # filled by it
    work: NDArray[np.float32]  # [2, widest layer]
    activation: int  # of hidden layers: RELU or SIGMOID; the last layer is linear


def dense(layers: Sequence[tuple[NDArray[Any], NDArray[Any]]], activation: int = RELU) -> Dense:
    """Pack layers of (weights [outputs, inputs], biases); a ValueError if they do not fit each other."""
    for (weight, bias), (before, _) in zip(layers, [(layers[0][0].T, None), *layers], strict=False):
        if weight.ndim != 2 or bias.shape != weight.shape[:1] or weight.shape[1] != before.shape[0]:
            raise ValueError("its layers do not fit each other")
    sizes = np.array([layers[0][0].shape[1], *(weight.shape[0] for weight, _ in layers)], np.int64)
    numbers = np.concatenate([part.ravel() for weight, bias in layers for part in (weight.T, bias)]).astype(np.float32)
    if not np.isfinite(numbers).all():
        raise ValueError("it has numbers that are not finite")
    work = np.zeros((2, int(sizes.max())), np.float32)
    return Dense(numbers, sizes, np.zeros(sizes[0], np.float32), np.zeros(sizes[-1], np.float32), work, activation)


@outlined
def forward(net):
    """Compute `net.outputs` from `net.inputs`. Zeros cost nothing, so one-hot inputs are cheap."""
    layers = net.sizes.size - 1
    place = 0
    for layer in range(layers):
        rows, columns = net.sizes[layer], net.sizes[layer + 1]
        source, target = layer % 2, (layer + 1) % 2
        bias = place + rows * columns
        for j in range(columns):
            net.work[target, j] = net.numbers[bias + j]
        for i in range(rows):
            x = net.inputs[i] if layer == 0 else net.work[source, i]
            if x != np.float32(0.0):
                row = place + i * columns
                for j in range(columns):
                    net.work[target, j] += x * net.numbers[row + j]
        place = bias + columns
        if layer + 1 < layers:
            _activate(net, target, columns)
    for j in range(net.sizes[layers]):
        net.outputs[j] = net.work[layers % 2, j]


@outlined
def _activate(net, row, columns):
    for j in range(columns):
        x = net.work[row, j]
        if net.activation == RELU:
            net.work[row, j] = max(x, np.float32(0.0))
        else:
            net.work[row, j] = np.float32(1.0) / (np.float32(1.0) + np.exp(-x))
