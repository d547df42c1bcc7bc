"""One process at a time: what one compiles, the others wait for and find on disk.

All processes that share a cache folder lock bytes of one file there, a byte for each name. The system gives a lock
back when its process ends, however it ends.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

try:
    import fcntl
except ImportError:  # a system without such locks: what two processes compile at once is compiled twice
    fcntl = None  # type: ignore[assignment]


@contextmanager
def alone(folder: str, name: str) -> Iterator[None]:
    """Nobody else who shares the folder is in here under the same name; without locks, or instead of a deadlock, go on."""
    place = int.from_bytes(hashlib.blake2b(name.encode(), digest_size=7).digest())
    try:
        file = _file(folder)
        fcntl.lockf(file, fcntl.LOCK_EX, 1, place)
    except (OSError, AttributeError):
        yield
        return
    try:
        yield
    finally:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, place)


@cache
def _file(folder: str) -> int:
    """The file stays open as long as the process runs: closing it would give back every lock."""
    return os.open(os.path.join(folder, "lock"), os.O_RDWR | os.O_CREAT, 0o666)
