"""Executors: where jobs are played. All give the same games; only the time differs.

An executor takes jobs from an iterator as it has room for them, and yields each with
what came of it, in no fixed order.
"""

from __future__ import annotations

import concurrent.futures as futures
import os
import signal
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from fogbound.core import job
from fogbound.core.errors import FogboundError
from fogbound.core.job import Job, Played

Finished = tuple[Job, Played]


class Executor(Protocol):
    """Somewhere to play."""

    name: str

    def play(self, jobs: Iterator[Job]) -> Iterator[Finished]: ...


class Local:
    """This machine: compiled games in threads, Python agents in processes; with one worker, all in this process."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def play(self, jobs: Iterator[Job]) -> Iterator[Finished]:
        if self.workers == 1:
            yield from ((each, job.play(each)) for each in jobs)
            return
        pools: dict[bool, futures.Executor] = {}
        running: dict[futures.Future[Played], Job] = {}
        try:
            for each in jobs:
                running[self._pool(pools, each.compiled).submit(job.play, each)] = each
                if len(running) > self.workers:
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            for future in running:
                future.cancel()
            for pool in pools.values():
                pool.shutdown(wait=True)

    def _pool(self, pools: dict[bool, Any], compiled: bool) -> Any:
        if compiled not in pools:
            pools[compiled] = futures.ThreadPoolExecutor(self.workers) if compiled else process_pool(self.workers)
        return pools[compiled]


def process_pool(workers: int) -> Any:
    """Processes of their own, which an interruption ends without a word.

    Loky's do not import the main program again, so that a script needs no guard, and they are sent classes of a
    script or notebook as a whole.
    """
    import loky  # takes a while, and compiled games do without

    return loky.ProcessPoolExecutor(workers, initializer=signal.signal, initargs=(signal.SIGINT, signal.SIG_DFL))


def _finished(running: dict[futures.Future[Played], Job]) -> Iterator[Finished]:
    done, _ = futures.wait(running, return_when=futures.FIRST_COMPLETED)
    for future in done:
        played = running.pop(future)
        try:
            yield played, future.result()
        except BrokenProcessPool:
            raise FogboundError(
                "A worker process was killed while it was playing (perhaps the machine ran out of memory); "
                "games that were saved are kept."
            ) from None
