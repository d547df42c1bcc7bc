"""Random streams: who draws what, reproducibly and independently.

A stream is four 64-bit words of xoshiro256**. Streams are named: the game's chance,
each side's agent and an agent's imagination all draw from their own. Their names go
through SHA-256, so that knowing one stream tells nothing about another.
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

from fogbound.core.compiled import kernel, program
from fogbound.core.hashing import GOLDEN, mix

Rng = NDArray[np.uint64]

_MASK32 = np.uint64(0xFFFFFFFF)


def root(seed: int, purpose: str) -> Rng:
    """The state from which a whole family of streams is spread."""
    digest = hashlib.sha256(f"fogbound/{seed}/{purpose}".encode()).digest()
    return np.frombuffer(digest, dtype=np.uint64).copy()


def stream(seed: int, purpose: str, number: int = 0) -> Rng:
    """One stream: the `number`-th of its purpose under this seed."""
    rng: Rng = spread(root(seed, purpose), number, 1)[0]
    return rng


@kernel
def begin(rng, base, number):
    """Make a stream the `number`-th of its family."""
    step = np.uint64(number) * GOLDEN
    for j in range(4):
        rng[j] = mix(base[j] + step)
    rng[0] |= np.uint64(1)  # all zeros is the one state that never leaves zero


@program
def spread(base, first, count):
    """Streams `first`, `first + 1`, ... of a family, one a row."""
    rng = np.empty((count, 4), np.uint64)
    for i in range(count):
        begin(rng[i], base, first + i)
    return rng


@kernel
def next64(rng):
    """The next 64 random bits."""
    result = rng[1] * np.uint64(5)
    result = ((result << np.uint64(7)) | (result >> np.uint64(57))) * np.uint64(9)
    shifted = rng[1] << np.uint64(17)
    rng[2] ^= rng[0]
    rng[3] ^= rng[1]
    rng[1] ^= rng[2]
    rng[0] ^= rng[3]
    rng[2] ^= shifted
    rng[3] = (rng[3] << np.uint64(45)) | (rng[3] >> np.uint64(19))
    return result


@kernel
def below(rng, n):
    """A whole number from 0 to n - 1, each equally likely (n under 2**32)."""
    size = np.uint64(n)
    product = (next64(rng) >> np.uint64(32)) * size
    if (product & _MASK32) < size:
        bound = ((_MASK32 - size) + np.uint64(1)) % size
        while (product & _MASK32) < bound:
            product = (next64(rng) >> np.uint64(32)) * size
    return np.int64(product >> np.uint64(32))


@kernel
def unit(rng):
    """A number in [0, 1)."""
    return np.float64(next64(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)
