"""Executors by name: this machine, or a Ray cluster."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fogbound.core import job
from fogbound.core.cluster import cores, join, ray_module
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.executor import Executor, Finished, Local
from fogbound.core.job import Job

EXECUTORS = ("local", "ray")


class Ray:
    """A Ray cluster: the one at `address`, or one started on this machine."""

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.workers = workers
        self.address = address
        self.ray = ray_module()

    def play(self, jobs: Iterator[Job]) -> Iterator[Finished]:
        ray, ours = self.ray, join(self.ray, self.workers, self.address)
        # A task whose node dies is played again elsewhere: the same job gives the same games.
        task = ray.remote(num_cpus=1, max_retries=-1, retry_exceptions=False)(job.play)
        running: dict[Any, Job] = {}
        try:
            for each in jobs:
                running[task.remote(each)] = each
                if len(running) > 2 * cores(ray):
                    yield from self._finished(running)
            while running:
                yield from self._finished(running)
        finally:
            for reference in running:
                ray.cancel(reference, force=False)
            if ours:
                ray.shutdown()

    def _finished(self, running: dict[Any, Job]) -> Iterator[Finished]:
        done, _ = self.ray.wait(list(running), num_returns=1)
        for reference in done:
            played = running.pop(reference)
            try:
                yield played, self.ray.get(reference)
            except self.ray.exceptions.RayTaskError as error:
                cause = error.cause if isinstance(error.cause, FogboundError) else error
                raise FogboundError(f"A job failed on the cluster: {cause}") from None


def executor(name: str, workers: int | None = None, address: str | None = None) -> Executor:
    """An executor by name."""
    if name == "local":
        return Local(workers)
    if name == "ray":
        return Ray(workers, address)
    raise UnknownName("engine", name, EXECUTORS)
