"""All tables of a server: made, found again after a restart, listed, and looked after."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from typing import Any

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.jsonfile import names_file
from fogbound.server.levels import levels
from fogbound.server.messages import NewTable
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.table import GameTable, Refused, digest
from fogbound.server.warm import compile_rules

log = logging.getLogger(__name__)
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
ID_LETTERS = 12  # 60 bits: the id is the invitation, and must not be guessed
ID = re.compile(r"[\w-]{1,16}", re.ASCII)
MOST_TABLES = 2000
IDLE = 3600.0  # seconds after which a table that nobody looks at is put away (it stays stored)

FORGOTTEN = 7 * 86400.0  # seconds after which a table that still waits is cleared away


class NoTable(Refused):
    """A table that does not exist, or not any more."""


class Lobby:
    """Keeps tables in memory while they are used, and in storage always."""

    def __init__(self, storage: Storage, bot_delay: float = 0.6, seeds_for_all: bool = False) -> None:
        self.storage, self.bot_delay, self.seeds_for_all = storage, bot_delay, seeds_for_all
        self.tables: dict[str, GameTable] = {}
        self.used: dict[str, float] = {}
        self._loading = asyncio.Lock()

    async def restore(self) -> None:
        """After a start: every game that was going on goes on; waiting rooms that everybody left are cleared."""
        for id in await asyncio.to_thread(self.storage.unfinished):
            try:
                table = await self.find(id)
            except FogboundError as error:
                log.warning("The table %s is left alone: %s", id, error)
                continue
            if table.phase == "waiting" and time.time() - table.row.created > FORGOTTEN:
                await asyncio.to_thread(self.storage.remove, id)
                del self.tables[id], self.used[id]
            else:
                table.wake_bot()

    async def create(self, asked: NewTable) -> tuple[GameTable, str]:
        if sum(table.phase != "over" for table in self.tables.values()) >= MOST_TABLES:
            raise Refused("This server is full; try again later.")
        if asked.seed is not None and not self.seeds_for_all and any(seat.kind == "open" for seat in asked.seats):
            raise Refused("A table with open seats cannot be given a seed: its maker would know what is going to be drawn.")
        game = await asyncio.to_thread(registry.game, safe_spec(asked.game))
        token = secrets.token_urlsafe(32)
        seats = _seats(asked, game, digest(token))
        return await self.open(_row(game, asked.settings(), seats), game), token

    async def create_own(self, game: Game, side: int, agent: str, seed: int | None) -> tuple[GameTable, str]:
        """A table for the person at this machine: any board, and any agent against one side."""
        token = secrets.token_urlsafe(32)
        seats = [
            SeatRow(seat, "person", "You", token=digest(token), ready=True)
            if game.side_of[seat] == side
            else SeatRow(seat, "agent", agent.capitalize(), agent, ready=True)
            for seat in range(game.seats)
        ]
        return await self.open(_row(game, NewTable.plain_settings(seed), seats), game), token

    async def open(self, row: TableRow, game: Game) -> GameTable:
        await asyncio.to_thread(compile_rules, game)
        await asyncio.to_thread(self.storage.create, row)
        table = self._keep(GameTable(row, game, self.storage, self.bot_delay))
        await table.begin()
        table.wake_bot()
        return table

    def _keep(self, table: GameTable) -> GameTable:
        self.tables[table.id] = table
        self.used[table.id] = time.monotonic()
        return table

    async def find(self, id: str) -> GameTable:
        if not ID.fullmatch(id):
            raise NoTable("There is no such table here.")
        async with self._loading:
            if id not in self.tables:
                row = await asyncio.to_thread(_loaded, self.storage, id)
                if row is None:
                    raise NoTable("There is no such table here.")
                game = await asyncio.to_thread(_game_of, row)
                await asyncio.to_thread(compile_rules, game)
                self._keep(await asyncio.to_thread(_opened, row, game, self.storage, self.bot_delay))
        self.used[id] = time.monotonic()
        return self.tables[id]

    def listed(self) -> list[dict[str, Any]]:
        """Public tables that wait or play, the newest first."""
        shown = [
            table.summary() for table in self.tables.values() if table.row.settings.get("public") and table.phase != "over"
        ]
        return sorted(shown, key=lambda table: -table["created"])[:100]

    async def rematch(self, table: GameTable, token: str | None) -> GameTable:
        """A new table with everybody one side on; whoever asks first makes it."""
        if table.phase != "over":
            raise Refused("A rematch is possible once the game is over.")
        if not table.seats_of(token):
            raise Refused("Only a player can ask for a rematch.")
        async with table.lock:
            if table.next_table is None:
                settings = {**table.row.settings, "seed": None}
                row = _row(table.game, settings, _rotated(table, token))
                table.next_table = (await self.open(row, table.game)).id
        await table.announce()
        return self.tables[table.next_table]

    async def look_after(self) -> None:
        """Once a second: clocks that ran out, tables that nobody needs in memory."""
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            for id, table in list(self.tables.items()):
                await table.time_is_up()
                if not table.viewers and now - self.used[id] > IDLE and table.phase != "playing":
                    table.close()
                    del self.tables[id], self.used[id]

    def close(self) -> None:
        for table in self.tables.values():
            table.close()
        self.storage.close()


def _row(game: Game, settings: dict[str, Any], seats: list[SeatRow]) -> TableRow:
    id = "".join(secrets.choice(LETTERS) for _ in range(ID_LETTERS))
    return TableRow(id, game.spec, dict(game.definition()), settings, seats=seats)


def safe_spec(spec: str) -> str:
    """Over the network only shipped boards are played: a file's name would read the server's files."""
    if names_file(registry.split_options(spec.partition("/")[2])[0]):
        raise Refused("Only boards that come with a game can be played here, not board files.")
    return spec


class Damaged(Refused):
    """A stored table that cannot be opened. Why is for the log alone: it may tell what a seat must not know."""

    def __init__(self, id: str, error: Exception) -> None:
        log.error("The table %s is damaged and is left alone: %s: %s", id, type(error).__name__, error)
        super().__init__("This table is damaged and cannot be opened; the server's log says more.")


def _loaded(storage: Storage, id: str) -> TableRow | None:
    try:
        return storage.load(id)
    except (ValueError, TypeError, LookupError) as error:  # broken JSON, a column without a value
        raise Damaged(id, error) from None


def _opened(row: TableRow, game: Game, storage: Storage, bot_delay: float) -> GameTable:
    try:
        if [seat.seat for seat in row.seats] != list(range(game.seats)):
            raise ValueError(f"{game.spec} has {game.seats} seats, and {len(row.seats)} are stored")
        return GameTable(row, game, storage, bot_delay)
    except Exception as error:  # whatever is wrong with one table must not trouble the others
        raise Damaged(row.id, error) from None


def _game_of(row: TableRow) -> Game:
    try:
        game = registry.rebuild(row.spec.partition("/")[0], row.definition)
    except UnknownName:
        raise  # its game is not installed any more; the table waits until it is
    except Exception as error:
        raise Damaged(row.id, error) from None
    game.spec, game.shipped = row.spec, True
    return game


def _seats(asked: NewTable, game: Game, token: str) -> list[SeatRow]:
    if len(asked.seats) != game.seats:
        raise Refused(f"{game.spec} has {game.seats} seats, and the table asks for {len(asked.seats)}.")
    known = [level.name for level in levels(game)]
    rows = []
    for number, seat in enumerate(asked.seats):
        if seat.kind == "me":
            rows.append(SeatRow(number, "person", asked.nickname, token=token, ready=True))
        elif seat.kind == "agent":
            if seat.level not in known:
                raise Refused(f"There is no level “{seat.level}” for {game.spec}; the levels are {', '.join(known)}.")
            rows.append(SeatRow(number, "agent", str(seat.level).capitalize(), seat.level, ready=True))
        else:
            rows.append(SeatRow(number))
    if all(row.kind == "open" for row in rows):
        raise Refused("At least one seat must be given to a person or an agent.")
    return rows


def _rotated(table: GameTable, asking: str | None) -> list[SeatRow]:
    """Each side's holders move on to the next side; agents are ready, and so is whoever asked."""
    game, old = table.game, table.row.seats
    holders = [[row for row in old if game.side_of[row.seat] == side] for side in range(game.sides)]
    rows = []
    for seat in range(game.seats):
        side = game.side_of[seat]
        before = holders[(side - 1) % game.sides]
        place = [s for s in range(game.seats) if game.side_of[s] == side].index(seat)
        row = before[min(place, len(before) - 1)]
        ready = row.kind == "agent" or row.token == asking
        rows.append(SeatRow(seat, row.kind, row.nickname, row.level, row.token, ready))
    return rows
