"""Clocks of a table: a time for each move, or for each seat's whole game, or none."""

from __future__ import annotations

import time
from typing import Any


class Clocks:
    """Counts down for the seat whose turn it is."""

    def __init__(self, settings: dict[str, Any], seats: int) -> None:
        self.kind: str = settings.get("kind", "none")
        self.seconds = float(settings.get("seconds") or 0)
        self.remaining = [self.seconds] * seats
        self.running: int | None = None
        self.since = time.monotonic()

    def turn(self, seat: int) -> None:
        """The clock of one seat stops and another's begins."""
        if self.kind == "none":
            return
        self.stop()
        if self.kind == "move":
            self.remaining[seat] = self.seconds
        self.running, self.since = seat, time.monotonic()

    def stop(self) -> None:
        if self.running is not None:
            self.remaining[self.running] = self.left(self.running) or 0.0
        self.running = None

    def left(self, seat: int) -> float | None:
        """Seconds that a seat has left; None without clocks."""
        if self.kind == "none":
            return None
        spent = time.monotonic() - self.since if seat == self.running else 0.0
        return max(0.0, self.remaining[seat] - spent)

    def ran_out(self, seat: int) -> bool:
        return self.kind != "none" and seat == self.running and self.left(seat) == 0.0
