"""The files of self-play: older selves squeezed into bytes, nets exported for play, the curve as a table."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets as files

SIDES = ("x", "d")


def squeezed(tensors: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Weights of older selves in bytes, a scale a row."""
    made = {}
    for name, array in tensors.items():
        rows = array.reshape(-1, array.shape[-1]) if array.ndim > 1 else array.reshape(1, -1)
        scale = np.abs(rows).max(1, keepdims=True, initial=1e-8) / 127
        made[name] = np.round(rows / scale).astype(np.int8).reshape(array.shape)
        made[f"{name}/scale"] = scale[:, 0].astype(np.float32)
    return made


def stretched(tensors: files.Tensors) -> dict[str, NDArray[Any]]:
    made = {}
    for name, array in tensors.items():
        scale = tensors.get(f"{name}/scale")
        if scale is not None:
            rows = array.reshape(scale.size, array.shape[-1]).astype(np.float32) * scale[:, None]
            made[name] = rows.reshape(array.shape)
    return made


def export(folder: Path, path: Path) -> None:
    """The averaged nets of a checkpoint as one file that the agent `policy` plays."""
    both = [files.load(str(folder / f"mean-{name}.safetensors")) for name in SIDES]
    files.save(path, {**both[0].tensors, **both[1].tensors}, both[0].about)


def write_curve(folder: Path, path: Path) -> None:
    """The curve of a checkpoint as a table."""
    curve = json.loads((folder / "state.json").read_text(encoding="utf-8"))["curve"]
    columns = list(dict.fromkeys(key for line in curve for key in line))
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, columns)
        writer.writeheader()
        writer.writerows(curve)
