"""What an agent answered, logged on disk while it is queried all over a game.

One file for each split, to which answers are only ever appended: after an interruption the same queries resume from
there. The files are removed when the best response is found.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import cache_folder

SHORT = 10.0  # seconds: queries that are answered sooner need no file
OLD = 30 * 86400.0  # seconds after which nobody will resume


class SparseStrategy(NamedTuple):
    """Probabilities of moves, by their number in a tree; moves that are not named have none."""

    moves: NDArray[np.int32]
    probabilities: NDArray[np.float64]


class QueryLog:
    """The strategies that one split of queries has found so far, by root."""

    def __init__(self, label: str) -> None:
        """The label tells one split of queries from all others."""
        self.known: dict[bytes, SparseStrategy] = {}
        self.unsaved: list[bytes] = []
        self.began = monotonic()
        folder = cache_folder() / "queries"
        self.path = folder / f"{hashlib.sha256(label.encode()).hexdigest()[:32]}.log"
        with suppress(OSError):  # without a folder that can be used nothing is logged, here and below
            _remove_old(folder)
            self._read()

    def __contains__(self, root: bytes) -> bool:
        return root in self.known

    def get(self, root: bytes) -> SparseStrategy | None:
        return self.known.get(root)

    def add(self, root: bytes, strategy: SparseStrategy) -> None:
        self.known[root] = strategy
        self.unsaved.append(root)

    def save(self) -> None:
        """Append what is new to the file."""
        if monotonic() - self.began < SHORT:
            return
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.writelines(_record(root, self.known[root]) for root in self.unsaved)
            self.unsaved.clear()

    def clear(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        """Read all whole records; a record that an interruption cut short is removed, so that more can be appended."""
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = 0
        for root, strategy, end in _records(data):
            self.known[root] = strategy
            whole = end
        if whole < len(data):
            with self.path.open("r+b") as file:
                file.truncate(whole)


def _remove_old(folder: Path) -> None:
    for file in folder.glob("*.log"):
        if time() - file.stat().st_mtime > OLD:
            file.unlink(missing_ok=True)


def _record(root: bytes, strategy: SparseStrategy) -> bytes:
    """A record: a digest of the rest, its sizes, and itself."""
    rest = root + strategy.moves.tobytes() + strategy.probabilities.tobytes()
    sizes = np.array([len(root), strategy.moves.size], np.int32).tobytes()
    return hashlib.sha256(sizes + rest).digest()[:8] + sizes + rest


def _records(data: bytes) -> Iterator[tuple[bytes, SparseStrategy, int]]:
    """The records one after another, each with where it ends, as far as they are undamaged."""
    begin = 0
    while begin + 16 <= len(data):
        length, count = np.frombuffer(data, np.int32, 2, begin + 8).tolist()
        end = begin + 16 + length + 12 * count
        if end > len(data) or hashlib.sha256(data[begin + 8 : end]).digest()[:8] != data[begin : begin + 8]:
            return
        root = data[begin + 16 : begin + 16 + length]
        moves = np.frombuffer(data, np.int32, count, begin + 16 + length)
        probabilities = np.frombuffer(data[begin + 16 + length + 4 * count : end], np.float64)
        yield root, SparseStrategy(moves.copy(), probabilities), end
        begin = end


__all__ = ["QueryLog", "SparseStrategy"]
