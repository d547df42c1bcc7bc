"""Limits, so that nobody can spoil the server for the others."""

from __future__ import annotations

import time

MESSAGE_BYTES = 16_384
RECORD_BYTES = 4_000_000
CONNECTIONS = 1000


class Bucket:
    """So many messages a second on average, and a burst."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self.level, self.when = burst, time.monotonic()

    def take(self) -> bool:
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.when) * self.rate)
        self.when = now
        if self.level < 1:
            return False
        self.level -= 1
        return True


class Visitors:
    """A bucket for each address, so that one visitor cannot take everybody's place."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self.buckets: dict[str, Bucket] = {}

    def take(self, address: str) -> bool:
        if address not in self.buckets:
            if len(self.buckets) >= self.most:
                self.buckets.pop(next(iter(self.buckets)))
            self.buckets[address] = Bucket(self.rate, self.burst)
        return self.buckets[address].take()
