"""Hashing inside kernels: the one place for the constants and steps that keys, tie-breaks and streams are mixed with."""

from __future__ import annotations

import numpy as np

from fogbound.core.compiled import kernel

# FNV-1a, 64 bits.
FNV_START = np.uint64(0xCBF29CE484222325)
FNV_PRIME = np.uint64(0x100000001B3)
# SplitMix64: its increment (2**64 divided by the golden ratio), and the two multipliers of its finalizer.
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
SPLIT_FIRST = np.uint64(0xBF58476D1CE4E5B9)
SPLIT_SECOND = np.uint64(0x94D049BB133111EB)


@kernel
def absorb(value, word):
    """A hash with one more word in it: the step of FNV-1a, a whole word at a time."""
    return (value ^ np.uint64(word)) * FNV_PRIME


@kernel
def xorshift(value, bits):
    """The high bits brought down onto the low ones, which multiplying alone never reaches."""
    return value ^ (value >> np.uint64(bits))


@kernel
def mix(value):
    """SplitMix64's finalizer: every bit of the result depends on every bit of the value."""
    value = xorshift(value, 30) * SPLIT_FIRST
    return xorshift(xorshift(value, 27) * SPLIT_SECOND, 31)
