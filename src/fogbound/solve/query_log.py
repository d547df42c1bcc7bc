"""What an agent answered, kept on disk while a long questioning goes on.

One file for each set of questions, to which answers are only ever added: whoever asks the same again after an
interruption goes on from there. The files go when the best response is found.
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

LONG = 10.0  # seconds: what is answered sooner needs no files
OLD = 30 * 86400.0  # seconds: nobody goes on with what was left so long ago


class Shares(NamedTuple):
    """How often moves are played, by their number in a tree; moves that are not named are never played."""

    numbers: NDArray[np.int32]
    shares: NDArray[np.float64]


class Answers:
    """The answers to one set of questions, by where they were put."""

    def __init__(self, label: str) -> None:
        """The label tells one set of questions from all others."""
        self.known: dict[bytes, Shares] = {}
        self.unsaved: list[bytes] = []
        self.began = monotonic()
        folder = cache_folder() / "asked"
        self.path = folder / f"{hashlib.sha256(label.encode()).hexdigest()[:32]}.answers"
        with suppress(OSError):  # a folder that cannot be used is no error, here and below
            _forget_old(folder)
            self._read()

    def __contains__(self, place: bytes) -> bool:
        return place in self.known

    def get(self, place: bytes) -> Shares | None:
        return self.known.get(place)

    def add(self, place: bytes, shares: Shares) -> None:
        self.known[place] = shares
        self.unsaved.append(place)

    def save(self) -> None:
        """Add what is new to the file."""
        if monotonic() - self.began < LONG:
            return
        with suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                file.writelines(_written(place, self.known[place]) for place in self.unsaved)
            self.unsaved.clear()

    def clear(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)

    def _read(self) -> None:
        """All that was written whole; what an interruption cut is cut off, so that more can be added."""
        if not self.path.exists():
            return
        data = self.path.read_bytes()
        whole = 0
        for place, shares, end in _records(data):
            self.known[place] = shares
            whole = end
        if whole < len(data):
            with self.path.open("r+b") as file:
                file.truncate(whole)


def _forget_old(folder: Path) -> None:
    for file in folder.glob("*.answers"):
        if time() - file.stat().st_mtime > OLD:
            file.unlink(missing_ok=True)


def _written(place: bytes, shares: Shares) -> bytes:
    """A record: a digest of the rest, its sizes, and itself."""
    rest = place + shares.numbers.tobytes() + shares.shares.tobytes()
    sizes = np.array([len(place), shares.numbers.size], np.int32).tobytes()
    return hashlib.sha256(sizes + rest).digest()[:8] + sizes + rest


def _records(data: bytes) -> Iterator[tuple[bytes, Shares, int]]:
    """The records one after another, each with where it ends, as far as they are undamaged."""
    begin = 0
    while begin + 16 <= len(data):
        length, count = np.frombuffer(data, np.int32, 2, begin + 8).tolist()
        end = begin + 16 + length + 12 * count
        if end > len(data) or hashlib.sha256(data[begin + 8 : end]).digest()[:8] != data[begin : begin + 8]:
            return
        place = data[begin + 16 : begin + 16 + length]
        numbers = np.frombuffer(data, np.int32, count, begin + 16 + length)
        shares = np.frombuffer(data[begin + 16 + length + 4 * count : end], np.float64)
        yield place, Shares(numbers.copy(), shares), end
        begin = end


__all__ = ["Answers", "Shares"]
