"""Damage: bytes, and the values inside JSON, changed in ways that readers have stumbled over before."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Sequence
from random import Random
from typing import Any

DIGIT = re.compile(rb"[0-9]")
BYTES = [
    b"\x00",
    b"\xff",
    b"\xed\xa0\x80",
    b"\xef\xbb\xbf",
    b'"',
    b"\\",
    b"{",
    b"[",
    b"}",
    b"]",
    b",",
    b":",
    b"\n",
    b"-",
    b".",
]
TEXTS = ["", "\x00", "\ud800", "é", "‮", "a" * 300, "NaN", "1e999", "../..", "/etc/passwd", "%s%n", "\n", "null", "-1", "7"]
VALUES: list[Any] = [
    None, True, False, 0, -1, 1, 2, 255, 256, 2**31, 2**63, -(2**63), 2**64, 10**30, 0.5, -0.0, 1e308, -1e308, 1e-320,
    [], {}, [[]], [None], {"": None}, {"a": 1}, [0] * 500, *TEXTS,
]  # fmt: skip


def damaged(seeds: Sequence[bytes], rng: Random) -> bytes:
    """One of the seeds, damaged once or a few times."""
    data = rng.choice(seeds)
    for _ in range(rng.choice((1, 1, 1, 2, 4, 12))):
        data = rng.choice(WAYS)(data, seeds, rng)
    return data[:200_000]


def _flip(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    if not data:
        return data
    at = rng.randrange(len(data))
    return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]


def _insert(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    at = rng.randint(0, len(data))
    return data[:at] + rng.choice(BYTES) * rng.choice((1, 1, 1, 2, 50, 3000)) + data[at:]


def _cut(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    begin = rng.randint(0, len(data))
    end = min(len(data), begin + rng.choice((1, 2, 8, 100, len(data) + 1)))
    return data[:begin] + data[end:]


def _repeat(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    begin = rng.randint(0, len(data))
    end = min(len(data), begin + rng.choice((1, 8, 100, 1000)))
    return data[:end] + data[begin:end] * rng.choice((1, 2, 20)) + data[end:]


def _splice(data: bytes, seeds: Sequence[bytes], rng: Random) -> bytes:
    other = rng.choice(seeds)
    return data[: rng.randint(0, len(data))] + other[rng.randint(0, len(other)) :]


def _number(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    """Another number where there is one."""
    digits = [found.start() for found in DIGIT.finditer(data)][:: max(1, len(data) // 400)]
    if not digits:
        return data
    at = rng.choice(digits)
    return (
        data[:at]
        + str(rng.choice((0, -1, 99, 256, 2**31, 2**63, 10**19, "9" * 5000, "1e999", "0.5"))).encode()
        + data[at + 1 :]
    )


def _value(data: bytes, seeds: Sequence[bytes], rng: Random) -> bytes:
    """Another value somewhere inside JSON, or a key more or less."""
    try:
        whole = json.loads(data)
        for _ in range(rng.choice((1, 1, 2, 5))):
            whole = _changed(whole, rng)
        return json.dumps(whole).encode()
    except (ValueError, RecursionError):
        return _flip(data, seeds, rng)


def _changed(whole: Any, rng: Random) -> Any:
    here, depth = whole, rng.randrange(8)
    while depth and _inside(here) and _inside(here[key := rng.choice(_inside(here))]):
        here, depth = here[key], depth - 1
    keys = _inside(here)
    if not keys:
        return copy.deepcopy(rng.choice(VALUES))
    key = rng.choice(keys)
    match rng.randrange(5):
        case 0:
            del here[key]
        case 1 if isinstance(here, list):
            here.insert(rng.randint(0, len(here)), copy.deepcopy(here[key]))
        case 1:
            here[rng.choice(TEXTS)] = here.pop(key)
        case 2:
            here[key] = copy.deepcopy(here[rng.choice(keys)])
        case 3 if isinstance(here[key], int | float) and not isinstance(here[key], bool):
            here[key] += rng.choice((-1, 1, 2, -100, 100))
        case _:
            here[key] = copy.deepcopy(rng.choice(VALUES))
    return whole


def _inside(value: Any) -> list[Any]:
    return list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []


def _deep(data: bytes, _seeds: Sequence[bytes], rng: Random) -> bytes:
    depth = rng.choice((50, 900, 5000, 50_000))
    opening, closing = rng.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return opening * depth + data[:100] + closing * depth


WAYS = (_flip, _insert, _cut, _repeat, _splice, _number, *(_value,) * 6, _deep)
