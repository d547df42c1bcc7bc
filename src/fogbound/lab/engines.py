"""Engines: where portions are played. All give the same games; only the time differs.

An engine takes portions from an iterator as it has room for them, and yields each with
what came of it, in no fixed order.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Protocol

from fogbound.core.errors import FogboundError, UnknownName
from fogbound.lab import portions
from fogbound.lab.portions import Played, Portion

Finished = tuple[Portion, Played]


class Engine(Protocol):
    """Somewhere to play."""

    name: str

    def play(self, waiting: Iterator[Portion]) -> Iterator[Finished]: ...


class Local:
    """This machine: compiled games in threads, Python agents in processes."""

    name = "local"

    def __init__(self, workers: int | None = None) -> None:
        self.workers = workers or os.cpu_count() or 1

    def play(self, waiting: Iterator[Portion]) -> Iterator[Finished]:
        if self.workers == 1:
            yield from ((portion, portions.play(portion)) for portion in waiting)
            return
        pools: dict[bool, Executor] = {}
        running: dict[Future[Played], Portion] = {}
        try:
            for portion in waiting:
                running[self._pool(pools, portion.compiled).submit(portions.play, portion)] = portion
                if len(running) > self.workers:
                    yield from _finished(running)
            while running:
                yield from _finished(running)
        finally:
            for pool in pools.values():
                pool.shutdown(wait=True, cancel_futures=True)

    def _pool(self, pools: dict[bool, Executor], compiled: bool) -> Executor:
        if compiled not in pools:  # compiled games hold no lock, so threads share the compiled code
            spawn = multiprocessing.get_context("spawn")
            pools[compiled] = ThreadPoolExecutor(self.workers) if compiled else ProcessPoolExecutor(self.workers, spawn)
        return pools[compiled]


def _finished(running: dict[Future[Played], Portion]) -> Iterator[Finished]:
    done, _ = wait(running, return_when=FIRST_COMPLETED)
    for future in done:
        portion = running.pop(future)
        try:
            yield portion, future.result()
        except BrokenProcessPool:
            raise FogboundError(
                "A process that was playing was ended from outside (perhaps for want of memory); "
                "finished games are kept, go on with --resume."
            ) from None


class Ray:
    """A Ray cluster: the one at `address`, or one started on this machine."""

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.workers = workers
        self.address = address
        self.ray = _ray()

    def play(self, waiting: Iterator[Portion]) -> Iterator[Finished]:
        ray, ours = self.ray, not self.ray.is_initialized()
        if ours:
            self._join()
        # A task whose node dies is played again elsewhere: the same portion gives the same games.
        task = ray.remote(num_cpus=1, max_retries=-1, retry_exceptions=False)(portions.play)
        running: dict[Any, Portion] = {}
        try:
            for portion in waiting:
                running[task.remote(portion)] = portion
                if len(running) > 2 * self._cores():
                    yield from self._finished(running)
            while running:
                yield from self._finished(running)
        finally:
            for reference in running:
                ray.cancel(reference, force=False)
            if ours:
                ray.shutdown()

    def _join(self) -> None:
        settings = {"address": self.address} if self.address else {"num_cpus": self.workers, "include_dashboard": False}
        try:
            self.ray.init(log_to_driver=False, logging_level="ERROR", **settings)
        except (ConnectionError, ValueError, RuntimeError) as error:
            where = f"at “{self.address}”" if self.address else "on this machine"
            raise FogboundError(f"No Ray cluster could be reached {where}: {str(error).splitlines()[0]}") from None

    def _cores(self) -> int:
        """Cores of the cluster now: nodes may come and go."""
        return max(1, int(self.ray.cluster_resources().get("CPU", 1)))

    def _finished(self, running: dict[Any, Portion]) -> Iterator[Finished]:
        done, _ = self.ray.wait(list(running), num_returns=1)
        for reference in done:
            portion = running.pop(reference)
            try:
                yield portion, self.ray.get(reference)
            except self.ray.exceptions.RayTaskError as error:
                cause = error.cause if isinstance(error.cause, FogboundError) else error
                raise FogboundError(f"A portion of games failed on the cluster: {cause}") from None


def _ray() -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise FogboundError(
            "The engine “ray” needs Ray, which is not installed: pip install 'fogbound[ray]'. "
            "The engine “local” needs nothing more."
        ) from None
    return ray


ENGINES = ("local", "ray")


def engine(name: str, workers: int | None = None, address: str | None = None) -> Engine:
    """An engine by name."""
    if name == "local":
        return Local(workers)
    if name == "ray":
        return Ray(workers, address)
    raise UnknownName("engine", name, ENGINES)
