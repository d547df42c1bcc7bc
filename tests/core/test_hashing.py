"""The hash steps give the values that their authors publish."""

from __future__ import annotations

import numpy as np

from fogbound.core import hashing


def test_absorbing_bytes_is_fnv_1a() -> None:
    value = hashing.FNV_START
    for byte in b"foobar":
        value = np.uint64(hashing.absorb(value, byte))
    assert int(value) == 0x85944171F73967E8


def test_mixing_steps_of_the_golden_ratio_is_splitmix64() -> None:
    steps = [(k * int(hashing.GOLDEN)) % 2**64 for k in (1, 2, 3)]
    assert [int(hashing.mix(np.uint64(step))) for step in steps] == [
        0xE220A8397B1DCDAF,
        0x6E789E6AA1B965F4,
        0x06C45D188009454F,
    ]


def test_a_xorshift_is_undone_by_repeating_it_once_half_of_the_bits_are_shifted() -> None:
    value = np.uint64(0x0123456789ABCDEF)
    assert hashing.xorshift(np.uint64(hashing.xorshift(value, 32)), 32) == value
