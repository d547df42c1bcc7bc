"""Clocks of a table: a time for each move, or for each seat's whole game, or none.

They count by the time of day and are stored with the moves, so that they go on after a restart and in every process.
"""

from __future__ import annotations

import time
from typing import Any


class Clocks:
    """Counts down for the seat whose turn it is."""

    def __init__(self, settings: dict[str, Any], seats: int, stored: dict[str, Any] | None = None) -> None:
        self.kind: str = settings.get("kind", "none")
        self.seconds = float(settings.get("seconds") or 0)
        stored = stored or {"remaining": [self.seconds] * seats, "running": None, "since": 0.0}
        self.remaining: list[float] = list(stored["remaining"])
        self.running: int | None = stored["running"]
        self.since: float = stored["since"]

    def to_json(self) -> dict[str, Any] | None:
        if self.kind == "none":
            return None
        return {"remaining": self.remaining, "running": self.running, "since": self.since}

    def after(self, seat: int) -> Clocks:
        """These clocks once the turn is another's; nobody's (-1) when the game is over."""
        twin = Clocks({"kind": self.kind, "seconds": self.seconds}, len(self.remaining), self.to_json())
        if self.kind == "none":
            return twin
        if twin.running is not None:
            twin.remaining[twin.running] = self.left(twin.running) or 0.0
        if self.kind == "move" and seat >= 0:
            twin.remaining[seat] = self.seconds
        twin.running, twin.since = (seat if seat >= 0 else None), time.time()
        return twin

    def left(self, seat: int) -> float | None:
        """Seconds that a seat has left; None without clocks."""
        if self.kind == "none":
            return None
        spent = max(0.0, time.time() - self.since) if seat == self.running else 0.0
        return max(0.0, self.remaining[seat] - spent)

    def ran_out(self, seat: int) -> bool:
        return self.kind != "none" and seat == self.running and self.left(seat) == 0.0
