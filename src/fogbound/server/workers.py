"""The workers that think for a server: processes on this machine, which are asked through a pipe, or actors on Ray.

A worker answers one thought after the other. One that takes too long is ended; one that is lost says so.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol

from fogbound.core import cluster

LEAST = 2  # workers, unless told otherwise: while one compiles, another answers
HEARTBEAT = 5.0  # seconds between looks whether an idle actor is alive
Told = tuple[dict[str, Any], bytes]
"""The head and the bytes of an answer."""
Compiled = Callable[[int], None]
"""Is told how many kernels have been compiled for a thought so far."""


class WorkerLost(Exception):
    """The worker is of no use any more."""


class Worker(Protocol):
    async def think(self, task: str, given: bytes, compiled: Compiled | None) -> Told:
        """The answer to a thought; raises WorkerLost."""

    async def lost(self) -> None:
        """Returns when the worker has ended by itself while it had nothing to do."""

    async def end(self) -> None: ...


class Engine(Protocol):
    """Where workers come from."""

    def usual_count(self) -> int: ...

    async def worker(self) -> Worker: ...

    def close(self) -> None: ...


class Local:
    """Processes on this machine."""

    def usual_count(self) -> int:
        return max(LEAST, os.cpu_count() or 1)

    async def worker(self) -> Worker:
        """A new one; it finds the same modules as this process, the user's own agents among them."""
        path = os.pathsep.join(os.path.abspath(each) for each in sys.path)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "fogbound.server.thinker",
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": path},
            start_new_session=True,  # Ctrl-C is for the server, which ends its workers
        )
        return _OfProcess(process)

    def close(self) -> None:
        pass


class _OfProcess:
    def __init__(self, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None
        self.process, self.asked, self.answers = process, process.stdin, process.stdout

    async def think(self, task: str, given: bytes, compiled: Compiled | None) -> Told:
        try:
            self.asked.write(json.dumps({"task": task, "size": len(given)}).encode() + b"\n" + given)
            await self.asked.drain()
            while "compiled" in (told := json.loads(await self.answers.readuntil(b"\n"))):
                if compiled is not None:
                    compiled(told["compiled"])
            return told, await self.answers.readexactly(told["size"])
        except (OSError, asyncio.IncompleteReadError):
            raise WorkerLost(f"it died while it thought about “{task}”") from None

    async def lost(self) -> None:
        await self.process.wait()

    async def end(self) -> None:
        """Kill it, and wait until nothing is left of it in this process either."""
        with suppress(ProcessLookupError):
            self.process.kill()
        self.asked.close()
        await self.answers.read()
        await self.process.wait()


class OnRay:
    """Actors on a Ray cluster: the one at an address, or one started on this machine."""

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        self.ray = cluster.ray_module()
        self.ours = cluster.join(self.ray, workers, address)

    def usual_count(self) -> int:
        return cluster.cores(self.ray)

    async def worker(self) -> Worker:
        """A new one, as soon as the cluster has a core for it."""
        actor = self.ray.remote(num_cpus=1, max_restarts=0)(Thinking).remote()
        try:
            await actor.is_alive.remote()
        except BaseException:
            self.ray.kill(actor)
            raise
        return _OfActor(self.ray, actor)

    def close(self) -> None:
        if self.ours:
            self.ray.shutdown()


class Thinking:
    """What runs on the cluster."""

    def is_alive(self) -> bool:
        return True

    def think(self, task: str, given: bytes) -> Told:
        from fogbound.server import thinker  # with all games and agents: only where it is needed

        return thinker.think(task, given)


class _OfActor:
    def __init__(self, ray: Any, actor: Any) -> None:
        self.ray, self.actor = ray, actor

    async def think(self, task: str, given: bytes, compiled: Compiled | None) -> Told:
        """On a cluster nobody is told what is compiled meanwhile."""
        try:
            found: Told = await self.actor.think.remote(task, given)
        except self.ray.exceptions.RayError:
            raise WorkerLost(f"it died while it thought about “{task}”") from None
        return found

    async def lost(self) -> None:
        with suppress(self.ray.exceptions.RayError):
            while await self.actor.is_alive.remote():
                await asyncio.sleep(HEARTBEAT)

    async def end(self) -> None:
        self.ray.kill(self.actor)
