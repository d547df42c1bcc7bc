"""Executors: where jobs are played. All give the same games; only the time differs.

An executor takes jobs from an iterator as it has room for them, and yields each with
what came of it, in no fixed order.
"""

from __future__ import annotations

import concurrent.futures as futures
import multiprocessing
import os
import signal
from collections.abc import Iterator
from concurrent.futures.process import BrokenProcessPool
from typing import Protocol

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
            for pool in pools.values():
                pool.shutdown(wait=True, cancel_futures=True)

    def _pool(self, pools: dict[bool, futures.Executor], compiled: bool) -> futures.Executor:
        if compiled not in pools:
            pools[compiled] = futures.ThreadPoolExecutor(self.workers) if compiled else process_pool(self.workers)
        return pools[compiled]


def process_pool(workers: int) -> futures.ProcessPoolExecutor:
    """Spawned processes, which an interruption ends without a word."""
    spawn = multiprocessing.get_context("spawn")
    return futures.ProcessPoolExecutor(workers, spawn, signal.signal, (signal.SIGINT, signal.SIG_DFL))


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
