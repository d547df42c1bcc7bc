"""What an operator watches, in the text format of Prometheus. Counts and times only: nothing about anybody's game.

Each of several processes behind one port keeps its samples in a file, and the one that is asked tells those of all,
labelled by the process.
"""

from __future__ import annotations

import asyncio
import json
from bisect import bisect_left
from collections import Counter as Counts
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

SECONDS = (0.005, 0.02, 0.1, 0.5, 2.0, 10.0, 60.0)
KEPT = 2.0  # seconds between savings for the other processes
_all: list[Counter | Gauge | Histogram] = []
Sample = tuple[str, dict[str, str], float]
"""A name, its labels, and the value."""


class Counter:
    """Something that happens."""

    def __init__(self, name: str, about: str) -> None:
        self.name, self.about, self.kind, self.value = name, about, "counter", 0.0
        _all.append(self)

    def add(self, count: float = 1) -> None:
        self.value += count

    def samples(self) -> Iterator[Sample]:
        yield self.name, {}, self.value


class Gauge:
    """Something that can be counted at any time, by the function that it is given."""

    def __init__(self, name: str, about: str) -> None:
        self.name, self.about, self.kind = name, about, "gauge"
        self.count: Callable[[], float] = lambda: 0.0
        _all.append(self)

    def samples(self) -> Iterator[Sample]:
        yield self.name, {}, self.count()


class Histogram:
    """How long something takes, for each value of a label."""

    def __init__(self, name: str, about: str, label: str) -> None:
        self.name, self.about, self.kind, self.label = name, about, "histogram", label
        self.counts: defaultdict[str, Counts[int]] = defaultdict(Counts)
        self.sums: Counts[str] = Counts()
        _all.append(self)

    def observe(self, seconds: float, **labels: str) -> None:
        value = labels[self.label]
        self.counts[value][bisect_left(SECONDS, seconds)] += 1
        self.sums[value] += seconds  # type: ignore[assignment]

    def samples(self) -> Iterator[Sample]:
        for value, counts in sorted(self.counts.items()):
            total = 0
            for place, bound in enumerate((*map(str, SECONDS), "+Inf")):
                total += counts[place]
                yield f"{self.name}_bucket", {self.label: value, "le": bound}, total
            yield f"{self.name}_sum", {self.label: value}, self.sums[value]
            yield f"{self.name}_count", {self.label: value}, total


def text(file: Path | None = None) -> str:
    """The metrics of this process; or those of all that keep theirs in the folder of a file."""
    if file is None:
        found = {each.name: list(each.samples()) for each in _all}
    else:
        save(file)
        found = _gathered(file.parent)
    lines = []
    for each in _all:
        lines += [f"# HELP {each.name} {each.about}", f"# TYPE {each.name} {each.kind}"]
        lines += [_line(*sample) for sample in found.get(each.name, ())]
    return "\n".join(lines) + "\n"


async def keep(file: Path) -> None:
    while True:
        await asyncio.to_thread(save, file)
        await asyncio.sleep(KEPT)


def save(file: Path) -> None:
    """For the other processes, at once or not at all."""
    new = file.with_suffix(".new")
    new.write_text(json.dumps({each.name: list(each.samples()) for each in _all}))
    new.replace(file)


def _gathered(folder: Path) -> dict[str, list[Sample]]:
    found: defaultdict[str, list[Sample]] = defaultdict(list)
    for file in sorted(folder.glob("*.json")):
        for metric, samples in json.loads(file.read_text()).items():
            found[metric] += [(name, {"process": file.stem, **labels}, value) for name, labels, value in samples]
    return found


def _line(name: str, labels: dict[str, str], value: float) -> str:
    text = ",".join(f'{label}="{each}"' for label, each in labels.items())
    return f"{name}{{{text}}} {value:g}" if text else f"{name} {value:g}"


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
