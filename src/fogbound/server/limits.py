"""Limits, so that nobody can spoil the server for the others."""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import TypeVar

from fogbound.core.errors import FogboundError

Result = TypeVar("Result")

MESSAGE_BYTES = 16_384
RECORD_BYTES = 2_000_000
RECORD_MOVES = 10_000
HEAD_BYTES = 32_768  # of a request
HEAD_SECONDS = BODY_SECONDS = 20.0  # within which a request must have arrived
SEND_SECONDS = 60.0  # within which a part of an answer must have been taken
CONNECTIONS = 1000


def visitor(host: str) -> str:
    """Whom an address stands for: in IPv6 a whole /64, which is what one household or one machine is given."""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if found.version == 4:
        return host
    mapped = found.ipv4_mapped
    return str(mapped or ipaddress.ip_network((int(found) >> 64 << 64, 64)))


class Bucket:
    """So many messages a second on average, and a burst."""

    def __init__(self, rate: float, burst: float) -> None:
        self.rate, self.burst = rate, burst
        self.level, self.when = burst, time.monotonic()

    def full_enough(self) -> bool:
        """Whether something can be taken now."""
        now = time.monotonic()
        self.level = min(self.burst, self.level + (now - self.when) * self.rate)
        self.when = now
        return self.level >= 1

    def take(self) -> bool:
        enough = self.full_enough()
        self.level -= enough
        return enough


class Visitors:
    """A bucket for each address, so that one visitor cannot take everybody's place."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self.buckets: dict[str, Bucket] = {}

    def take(self, address: str) -> bool:
        return self._bucket(address).take()

    def peek(self, address: str) -> bool:
        """Whether there would be something to take."""
        return self._bucket(address).full_enough()

    def _bucket(self, address: str) -> Bucket:
        found = self.buckets.pop(address, None) or Bucket(self.rate, self.burst)
        if len(self.buckets) >= self.most:
            self.buckets.pop(next(iter(self.buckets)))  # who was not here for longest
        self.buckets[address] = found
        return found


class Shares:
    """What one address may do, if it stands for so many people."""

    def __init__(self, people: int = 20) -> None:
        self.sockets = 10 * people
        """Sockets open at once."""
        self.opened = Visitors(rate=0.5 * people, burst=10 * people)
        self.asked = Visitors(rate=10 * people, burst=40 * people)
        self.posted = Visitors(rate=people, burst=10 * people)
        self.tables = Visitors(rate=people / 300, burst=4 * people)
        self.guesses = Visitors(rate=people / 20, burst=5 * people)
        """Tables that do not exist."""
        self.drawn = Visitors(rate=people / 40, burst=2 * people)
        """Boards that have to be generated."""


class Busy(FogboundError):
    """The server has too much to do for this now; later it may not."""


class Room:
    """Heavy work for visitors: so many at once, waiting or being done, and a share for each address."""

    def __init__(self, about: str, places: int, share: int) -> None:
        self.about, self.places, self.share = about, places, share
        self.inside: Counter[str] = Counter()

    async def run(self, address: str, work: Callable[[], Awaitable[Result]]) -> Result:
        if self.inside[address] >= self.share:
            raise Busy(f"Your last {self.about} are still being made; wait for them.")
        if self.inside.total() >= self.places:
            raise Busy(f"Too many {self.about} are being made for others now; try again in a moment.")
        self.inside[address] += 1
        try:
            return await work()
        finally:
            self.inside[address] -= 1
            self.inside += Counter()  # drops those at zero
