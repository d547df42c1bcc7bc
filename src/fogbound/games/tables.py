"""Building the read-only tables that a game's kernels work on."""

from __future__ import annotations

from collections.abc import Sequence, Sized
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T", bound=NamedTuple)


def read_only(table: T) -> T:
    """The same table, whose arrays can no longer be written to."""
    for field in table:
        if isinstance(field, np.ndarray):
            field.setflags(write=False)
    return table


def offsets(lists: Sequence[Sized]) -> NDArray[np.int32]:
    """Where each list begins when all are laid end to end; one more for where the last one ends."""
    starts: NDArray[np.int32] = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    return starts
