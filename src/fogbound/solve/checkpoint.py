"""The checkpoint of a solution in progress, on disk: the positions, and the bounds of every layer solved so far.

A layer is all positions after the same number of Mr X's moves. An interrupted solution resumes from
its last layer; the files are removed when the solution is complete.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import zipfile
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
SHORT = 1.0  # seconds: a solution whose positions are found sooner needs no checkpoint
INTERVAL = 20.0  # seconds after which a part of a layer is saved too


class Checkpoint:
    """The checkpoint of one solution; without a folder nothing is saved."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.began = self.last = monotonic()

    def save_positions(self, rows: NDArray[np.uint16]) -> None:
        if monotonic() - self.began >= SHORT:
            self._write("positions", rows=rows)

    def load_positions(self) -> NDArray[np.uint16] | None:
        """The positions that were found before, in the same order."""
        saved = self._read("positions")
        return None if saved is None else saved["rows"]

    def is_due(self) -> bool:
        """Whether it is time to save a part of a layer."""
        return self.folder is not None and monotonic() - self.last >= INTERVAL

    def save_layer(self, slot: int, lower: Floats, upper: Floats, solved: int, complete: bool) -> None:
        """The bounds of a layer after `slot` moves of Mr X, of which so many subgames are solved."""
        if self.folder is not None and (self.folder / "positions.npz").exists():
            self.last = monotonic()
            self._write(f"layer-{slot}", lower=lower, upper=upper, solved=np.array([solved, complete]))

    def load_layer(self, slot: int) -> tuple[Floats, Floats, int, bool] | None:
        saved = self._read(f"layer-{slot}")
        if saved is None:
            return None
        solved, complete = saved["solved"].tolist()
        return saved["lower"], saved["upper"], solved, bool(complete)

    def clear(self) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _write(self, name: str, **arrays: NDArray[Any]) -> None:
        if self.folder is None:
            return
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, part = tempfile.mkstemp(dir=self.folder, suffix=".part")
            with os.fdopen(handle, "wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
            os.replace(part, self.folder / f"{name}.npz")
        except OSError:  # a checkpoint is a convenience: without it the solution goes on
            return

    def _read(self, name: str) -> dict[str, NDArray[Any]] | None:
        if self.folder is None:
            return None
        try:
            with np.load(self.folder / f"{name}.npz") as saved:
                return {key: saved[key] for key in saved.files}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return None


NO_CHECKPOINT = Checkpoint(None)
