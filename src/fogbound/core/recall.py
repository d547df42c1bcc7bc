"""Perfect recall: a key for everything that a side has seen from the start on, extended move by move."""

from __future__ import annotations

import hashlib

from fogbound.core.contract import State

KEY_BITS = 128


def remember(before: bytes, mover: int, seen: int, concealed: State) -> bytes:
    """The key after one more move: who moved, what was seen of it, and what can be seen now."""
    parts = before + mover.to_bytes(2, "little", signed=True) + seen.to_bytes(8, "little", signed=True)
    return hashlib.blake2b(parts + concealed.tobytes(), digest_size=KEY_BITS // 8).digest()
