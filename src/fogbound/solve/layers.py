"""A solution in the making, on disk: the positions, and the bounds of every layer that is solved.

A layer is what follows one number of Mr X's moves. Whoever solves the same game again after an
interruption goes on from the last one; the files go when the solution is complete.
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

from fogbound.games.scotland_yard.rules import State

Floats = NDArray[np.float64]
LONG = 1.0  # seconds: what is solved sooner needs no files
OFTEN = 20.0  # seconds after which also a part of a layer is kept


class Layers:
    """Where the layers of one solution are kept; without a folder, nowhere."""

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder
        self.began = self.last = monotonic()

    def keep_positions(self, states: NDArray[Any]) -> None:
        if monotonic() - self.began >= LONG:
            self._write("positions", states=states)

    def positions(self) -> NDArray[Any] | None:
        """The positions that were found before, in the same order."""
        kept = self._read("positions")
        if kept is None:
            return None
        states = np.zeros(kept["states"].size, State)  # a file does not keep how a dtype is aligned
        for name in State.names or ():
            states[name] = kept["states"][name]
        return states

    def is_time(self) -> bool:
        """Whether a part of a layer should be kept."""
        return self.folder is not None and monotonic() - self.last >= OFTEN

    def keep(self, slot: int, lower: Floats, upper: Floats, done: int, complete: bool) -> None:
        """A layer's bounds, all of them or as far as they are known."""
        if self.folder is not None and (self.folder / "positions.npz").exists():
            self.last = monotonic()
            self._write(f"layer-{slot}", lower=lower, upper=upper, done=np.array([done, complete]))

    def layer(self, slot: int) -> tuple[Floats, Floats, int, bool] | None:
        kept = self._read(f"layer-{slot}")
        if kept is None:
            return None
        done, complete = kept["done"].tolist()
        return kept["lower"], kept["upper"], done, bool(complete)

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
        except OSError:  # a folder that cannot be written to is no error
            return

    def _read(self, name: str) -> dict[str, NDArray[Any]] | None:
        if self.folder is None:
            return None
        try:
            with np.load(self.folder / f"{name}.npz") as kept:
                return {key: kept[key] for key in kept.files}
        except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
            return None


NOWHERE = Layers(None)
