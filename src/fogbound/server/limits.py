"""Limits, so that nobody can spoil the server for the others.

Several processes tell each other once a second what each address took (`neighbours.py`), so that its share is one.
"""

from __future__ import annotations

import ipaddress
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from typing import Any, TypeVar

from fogbound.core.errors import FogboundError

Result = TypeVar("Result")

MESSAGE_BYTES = 16_384
RECORD_BYTES = 2_000_000
RECORD_MOVES = 10_000
HEAD_BYTES = 32_768  # of a request
HEAD_SECONDS = BODY_SECONDS = 20.0  # within which a request must have arrived
SEND_SECONDS = 60.0  # within which a part of an answer must have been taken
CONNECTIONS = 1000
TOLD = 15  # addresses in one report to the other processes, which must not have more than 8,000 bytes
BELIEVED = 15.0  # seconds for which another process's sockets count after its last report


def visitor(host: str) -> str:
    """Whom an address stands for: in IPv6 a whole /64, which is what one household or one machine is given."""
    try:
        found = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:45]  # as long as an address can be
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

    def owe(self, count: int) -> None:
        """Something was taken elsewhere, perhaps more than there was; who took too much waits the longer."""
        self.full_enough()
        self.level = max(self.level - count, -self.burst)


class Visitors:
    """A bucket for each address, so that one visitor cannot take everybody's place."""

    def __init__(self, rate: float, burst: float, most: int = 10_000) -> None:
        self.rate, self.burst, self.most = rate, burst, most
        self.buckets: dict[str, Bucket] = {}
        self.taken: Counter[str] = Counter()
        """By whom how much, since the other processes were told."""

    def take(self, address: str) -> bool:
        enough = self._bucket(address).take()
        if enough and len(self.taken) < self.most:
            self.taken[address] += 1
        return enough

    def owe(self, address: str, count: int) -> None:
        self._bucket(address).owe(count)

    def reported(self) -> Counter[str]:
        taken, self.taken = self.taken, Counter()
        return taken

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
        self.queried = Visitors(rate=people / 2, burst=10 * people)
        """Questions to games that have to be worked out."""
        self.here: Counter[str] = Counter()
        """Sockets of an address."""
        self._elsewhere: dict[str, tuple[float, Counter[str]]] = {}
        self._told: tuple[float, Counter[str]] = 0.0, Counter()
        """When all sockets were reported last, and those that others know of."""

    def has_room(self, address: str) -> bool:
        """Whether an address may open another socket."""
        now = time.monotonic()
        others = sum(open[address] for until, open in self._elsewhere.values() if until > now)
        return self.here[address] + others < self.sockets

    def reports(self) -> Iterator[dict[str, Any]]:
        """For the other processes: what was taken since the last reports, and how many sockets are open."""
        taken = {name: each.reported() for name, each in vars(self).items() if isinstance(each, Visitors)}
        addresses = sorted(self._news().union(*taken.values()))
        for first in range(0, len(addresses), TOLD):
            some = addresses[first : first + TOLD]
            took = {name: {each: counts[each] for each in some if each in counts} for name, counts in taken.items()}
            yield {"open": {each: self.here[each] for each in some}, "taken": took}

    def _news(self) -> set[str]:
        """Addresses whose sockets others do not know of; from time to time all."""
        when, known = self._told
        again = time.monotonic() - when > BELIEVED / 3
        self._told = time.monotonic() if again else when, self.here.copy()
        return {each for each in self.here | known if again or self.here[each] != known[each]}

    def hear(self, process: str, report: dict[str, Any]) -> None:
        """What another process reports."""
        _, open = self._elsewhere.get(process, (0.0, Counter[str]()))
        open.update({address: count - open[address] for address, count in report["open"].items()})
        now = time.monotonic()
        self._elsewhere = {each: found for each, found in self._elsewhere.items() if found[0] > now}
        self._elsewhere[process] = now + BELIEVED, +open
        for name, counts in report["taken"].items():
            kind = getattr(self, name, None)  # another version may have others
            if isinstance(kind, Visitors):
                for address, count in counts.items():
                    kind.owe(address, count)


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
