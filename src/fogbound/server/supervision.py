"""Tasks that nobody waits for: when one fails, that is logged, and it is tried again after a while."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable

from fogbound.server import metrics

log = logging.getLogger(__name__)
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
CALM = 60.0  # seconds after which an earlier failure is forgotten


def supervise(name: str, work: Callable[[], Awaitable[None]]) -> asyncio.Task[None]:
    """A task that does its work until it is done or cancelled, whatever happens meanwhile."""
    return asyncio.create_task(_keep_on(name, work), name=name)


async def _keep_on(name: str, work: Callable[[], Awaitable[None]]) -> None:
    pause = FIRST_PAUSE
    while True:
        began = time.monotonic()
        try:
            return await work()
        except Exception:
            metrics.FAILURES.add()
            if time.monotonic() - began > CALM:
                pause = FIRST_PAUSE
            log.exception("“%s” failed; it is tried again in %.1f seconds", name, pause)
        await asyncio.sleep(pause)
        pause = min(2 * pause, LONGEST_PAUSE)
