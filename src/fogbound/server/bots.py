"""How a game goes on by itself: agents play when it is their turn, and a clock that runs out has consequences.

Both happen only while somebody looks, and only in the process that keeps the table.
"""

from __future__ import annotations

import asyncio
import logging
import random
import secrets
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from typing import Any

from fogbound.core.errors import FogboundError
from fogbound.server import metrics
from fogbound.server.compiling import Compiling
from fogbound.server.levels import default_level, levels, stand_in_level
from fogbound.server.storage import SeatRow
from fogbound.server.supervision import supervise
from fogbound.server.table import GameTable
from fogbound.server.thinking import LIMIT, Terms, Thinkers
from fogbound.server.thoughts import view_json

log = logging.getLogger(__name__)
OWN_LIMIT = 3600.0  # seconds for an agent that the person at this machine chose
PACES_KEPT = 20
LONGEST_PACE = 10.0


class Bots:
    """The agents and the clocks of one table."""

    def __init__(
        self, table: GameTable, thinkers: Thinkers, compiling: Compiling, delay: float, keeps: Callable[[], bool]
    ) -> None:
        self.table, self.thinkers, self.compiling, self.delay, self.keeps = table, thinkers, compiling, delay, keeps
        self._playing: asyncio.Task[None] | None = None
        self._standing_in: asyncio.Task[None] | None = None
        self._paces: defaultdict[int, list[float]] = defaultdict(list)  # how long each side thought where it had a choice

    def wake(self) -> None:
        if self._to_move() is not None and (self._playing is None or self._playing.done()):
            self._playing = supervise(f"the agents of table {self.table.id}", self._play)

    def close(self) -> None:
        for task in filter(None, (self._playing, self._standing_in)):
            task.cancel()

    def _to_move(self) -> SeatRow | None:
        """The agent whose turn it is, if it is to play now."""
        table = self.table
        if not table.viewers or table.match is None or table.phase != "playing" or not self.keeps():
            return None
        row = table.row.seats[table.match.to_move]
        return row if row.kind == "agent" else None

    async def _play(self) -> None:
        while (row := self._to_move()) is not None:
            version = self.table.version
            try:
                thought = await self._think(row.seat, row.level or default_level(self.table.game))
            except FogboundError as error:
                await self._replace(row, error)
                continue
            await asyncio.sleep(self._pause(row.seat, thought))
            await self.table.do(partial(self._commit, row, version, thought))

    async def _commit(self, row: SeatRow, version: int, thought: dict[str, Any]) -> None:
        table = self.table
        if table.version == version and table.phase == "playing" and table.row.seats[row.seat] == row:
            await table.commit(thought["action"])

    def progress(self) -> dict[str, Any] | None:
        """How far the agent whose turn it is has been compiled, if it is being compiled now."""
        row = self._to_move()
        if row is None:
            return None
        return self.compiling.of(self.table.game.family, self.table.agent_of(row.level or ""))

    async def _think(self, seat: int, level: str) -> dict[str, Any]:
        table = self.table
        assert table.match is not None
        spec = table.agent_of(level)
        await self.compiling.agent(table.game, spec, Terms(self._payer(), table.id), table.announce)
        asked = {
            "view": view_json(table.match.view(seat)),
            "table": table.id,
            "agent": spec,
            "seed": secrets.randbits(62),
        }
        limit = OWN_LIMIT if table.row.settings.get("own") else LIMIT
        thought: dict[str, Any] = await self.thinkers.ask("move", asked, Terms(self._payer(), table.id, limit))
        return thought

    def _payer(self) -> str:
        """Whose share is used: a player's, if there is one, or a spectator's."""
        viewers = sorted(self.table.viewers, key=lambda each: (not self.table.seats_of(each.token), each.address))
        return viewers[0].address if viewers else ""

    def _pause(self, seat: int, thought: dict[str, Any]) -> float:
        """How long to wait, so that nobody can tell from the time whether the agent had a choice."""
        paces = self._paces[self.table.game.side_of[seat]]
        took: float = thought["seconds"]
        pace = took
        if thought["forced"]:
            pace = random.choice(paces) if paces else 0.0
        else:
            paces.append(min(pace, LONGEST_PACE))
            del paces[:-PACES_KEPT]
        least = 1.1 * thought["budget"] + 0.1 if thought["budget"] else 0.0
        return max(self.delay, least, pace) - took

    async def _replace(self, row: SeatRow, error: FogboundError) -> None:
        """An agent failed: say so, and let another level play on."""
        table = self.table
        metrics.AGENT_FAULTS.add()
        log.error("The agent “%s” failed at table %s (%s): %s", row.level, table.id, table.game.spec, error)
        level = default_level(table.game)
        if row.level == level:
            level = levels(table.game)[0].name
        if row.level == level:
            raise error  # nothing is left to try but the same, later
        name = table.game.seat_names[row.seat]
        await table.do(lambda: table.give_to_agent(row.seat, level))
        table.tell(f"The agent of {name} failed; {level.capitalize()} plays on for it.")

    # Clocks.

    def look_at_clock(self) -> None:
        table = self.table
        if table.match is None or table.phase != "playing" or not self.keeps():
            return
        seat = table.match.to_move
        over = table.row.seats[seat].kind == "person" and table.clocks.ran_out(seat)
        if over and (self._standing_in is None or self._standing_in.done()):
            self._standing_in = supervise(f"the clock of table {table.id}", self._time_is_up)

    async def _time_is_up(self) -> None:
        """An agent takes the move (clock a move) or the seat (clock a game)."""
        table = self.table
        assert table.match is not None
        seat, version = table.match.to_move, table.version
        if table.clocks.kind == "game":
            await table.do(lambda: self._lose_seat(seat, version))
            return
        thought = await self._think(seat, stand_in_level(table.game))
        await table.do(lambda: self._commit(table.row.seats[seat], version, thought))

    async def _lose_seat(self, seat: int, version: int) -> None:
        if self.table.version == version and self.table.phase == "playing":
            await self.table.give_to_agent(seat)
