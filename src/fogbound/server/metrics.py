"""What an operator watches, in the text format of Prometheus. Counts and times only: nothing about anybody's game."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Callable, Iterator

SECONDS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
_all: list[Counter | Gauge | Histogram] = []


class Counter:
    """Something that happens."""

    def __init__(self, name: str, about: str) -> None:
        self.name, self.about, self.value = name, about, 0.0
        _all.append(self)

    def add(self, count: float = 1) -> None:
        self.value += count

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.about, "counter")
        yield f"{self.name} {self.value:g}"


class Gauge:
    """Something that can be counted at any time, by the function that it is given."""

    def __init__(self, name: str, about: str) -> None:
        self.name, self.about = name, about
        self.count: Callable[[], float] = lambda: 0.0
        _all.append(self)

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.about, "gauge")
        yield f"{self.name} {self.count():g}"


class Histogram:
    """How long something takes, for each value of a label."""

    def __init__(self, name: str, about: str, label: str) -> None:
        self.name, self.about, self.label = name, about, label
        self.counts: defaultdict[str, Counts[int]] = defaultdict(Counts)
        self.sums: Counts[str] = Counts()
        _all.append(self)

    def observe(self, seconds: float, **labels: str) -> None:
        value = labels[self.label]
        self.counts[value][bisect_left(SECONDS, seconds)] += 1
        self.sums[value] += seconds  # type: ignore[assignment]

    def lines(self) -> Iterator[str]:
        yield from _head(self.name, self.about, "histogram")
        for value, counts in sorted(self.counts.items()):
            total = 0
            for place, bound in enumerate((*map(str, SECONDS), "+Inf")):
                total += counts[place]
                yield f'{self.name}_bucket{{{self.label}="{value}",le="{bound}"}} {total}'
            yield f'{self.name}_sum{{{self.label}="{value}"}} {self.sums[value]:g}'
            yield f'{self.name}_count{{{self.label}="{value}"}} {total}'


def _head(name: str, about: str, kind: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def text() -> str:
    return "\n".join(line for each in _all for line in each.lines()) + "\n"


TABLES = Gauge("fogbound_tables", "Tables in memory")
CONNECTIONS = Gauge("fogbound_connections", "Open connections to tables")
WAITING = Gauge("fogbound_thoughts_waiting", "Thoughts that wait for a worker")
WORKERS = Gauge("fogbound_workers", "Workers that are alive")
WORKERS_LOST = Counter("fogbound_workers_lost_total", "Workers that died or hung and were replaced")
THOUGHTS = Histogram("fogbound_thought_seconds", "How long workers think", "task")
STORED = Histogram("fogbound_database_seconds", "How long the database takes, waiting for a thread included", "call")
MOVES = Counter("fogbound_moves_total", "Moves that were played")
SENT = Counter("fogbound_sent_bytes_total", "Bytes sent to viewers, before compression")
SLOW_VIEWERS = Counter("fogbound_slow_viewers_total", "Connections ended because they took nothing for too long")
AGENT_FAULTS = Counter("fogbound_agent_faults_total", "Agents that failed and were replaced by another level")
STORAGE_ERRORS = Counter("fogbound_storage_errors_total", "Errors of the database")
FAILURES = Counter("fogbound_task_failures_total", "Failures of background tasks")
