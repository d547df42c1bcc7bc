"""All tables of a server: made, found again after a restart, listed, and looked after."""

from __future__ import annotations

import asyncio
import logging
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Protocol

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError, UnknownName
from fogbound.core.jsonfile import names_file
from fogbound.server import series
from fogbound.server.bots import Bots
from fogbound.server.compiling import Compiling
from fogbound.server.designs import game_of
from fogbound.server.families import safe_spec
from fogbound.server.levels import agent_spec, levels
from fogbound.server.messages import NewTable
from fogbound.server.opponents import safe_agent
from fogbound.server.storage import SeatRow, Storage, TableRow
from fogbound.server.table import GameTable, Refused, digest
from fogbound.server.thinking import Terms, Thinkers
from fogbound.server.thoughts import game_json

log = logging.getLogger(__name__)
LETTERS = "abcdefghijklmnopqrstuvwxyz234567"
ID_LETTERS = 12  # 60 bits: the id is the invitation, and must not be guessed
ID = re.compile(r"[\w-]{1,16}", re.ASCII)
MOST_TABLES = 2000  # in memory
IDLE = 60.0  # seconds after which a table that nobody looks at leaves memory (it stays stored)
DAY = 86400.0
WAITS, PLAYS = 7 * DAY, 60 * DAY  # how long tables are kept at which nothing happens, before and after the start
LISTED = 100
TRIAL = 60.0  # seconds for the first move of an agent with options of a visitor's choosing


class NoTable(Refused):
    """A table that does not exist, or not any more."""


class Watched(Protocol):
    """Work of the lab that the page can show: a tournament or a training."""

    def told(self) -> dict[str, Any]: ...

    def record(self, seating: int, number: int) -> dict[str, Any]: ...


class Lobby:
    """Keeps tables in memory while they are used, and in storage always."""

    def __init__(self, storage: Storage, thinkers: Thinkers, bot_delay: float = 0.6, seeds_for_all: bool = False) -> None:
        self.storage, self.thinkers, self.bot_delay, self.seeds_for_all = storage, thinkers, bot_delay, seeds_for_all
        self.tables: dict[str, GameTable] = {}
        self.bots: dict[str, Bots] = {}
        self.used: dict[str, float] = {}
        self.keeps: Callable[[str], bool] = lambda id: True  # whether this process lets a table's agents play
        self.compiling = Compiling(thinkers)
        self.watched: Watched | None = None  # by the person at this machine
        self._loading: dict[str, asyncio.Future[GameTable]] = {}

    async def create(self, asked: NewTable, payer: str = "") -> tuple[GameTable, str]:
        if len(self.tables) >= MOST_TABLES:
            raise Refused("This server is full; try again later.")
        if asked.seed is not None and not self.seeds_for_all and any(seat.kind == "open" for seat in asked.seats):
            raise Refused("A table with open seats cannot be given a seed: its maker would know what is going to be drawn.")
        if asked.board is not None:
            game = await asyncio.to_thread(game_of, asked.board)
        else:
            game = await asyncio.to_thread(registry.game, safe_spec(asked.game))
        token = secrets.token_urlsafe(32)
        seats, own = _seats(asked, game, digest(token))
        for spec in own.values():
            await self._try(game, spec, payer)
        settings = {**asked.settings(), "agents": own, "maker": digest(token)}
        if asked.series is not None:
            players = _told_apart([_holder_name(seats[game.side_of.index(side)]) for side in range(game.sides)])
            settings["series"] = {**asked.series.model_dump(), "players": players, "games": []}
        return await self.open(_row(game, settings, seats), game), token

    async def _try(self, game: Game, spec: str, payer: str) -> None:
        """Let an agent with options of a visitor's choosing make a move: what is wrong with it is told before the game."""
        await self.thinkers.ask("warm", {"game": game_json(game), "agent": spec}, Terms(payer, limit=TRIAL))

    async def create_own(self, game: Game, side: int, agent: str, seed: int | None) -> tuple[GameTable, str]:
        """A table for the person at this machine: any board, and any agent against one side."""
        token = secrets.token_urlsafe(32)
        seats = [
            SeatRow(seat, "person", "You", token=digest(token), ready=True)
            if game.side_of[seat] == side
            else SeatRow(seat, "agent", agent.capitalize(), agent, ready=True)
            for seat in range(game.seats)
        ]
        settings = {**NewTable.plain_settings(seed), "own": True}
        return await self.open(_row(game, settings, seats), game), token

    async def open(self, row: TableRow, game: Game) -> GameTable:
        own = row.settings.get("agents") or {}
        levels_there = dict.fromkeys(seat.level for seat in row.seats if seat.kind == "agent" and seat.level)
        self.compiling.ahead(game, [own.get(level) or agent_spec(game, level) for level in levels_there])
        await self.compiling.rules(game)
        await self.storage.run(self.storage.create, row)
        table = self._keep(GameTable(row, game, self.storage))
        await table.begin()
        return table

    def _keep(self, table: GameTable) -> GameTable:
        self.tables[table.id] = table
        self.used[table.id] = time.monotonic()
        self.bots[table.id] = Bots(table, self.thinkers, self.compiling, self.bot_delay, lambda: self.keeps(table.id))
        table.changed = self.bots[table.id].wake
        table.compiling = self.bots[table.id].progress
        return table

    async def find(self, id: str) -> GameTable:
        """A table, from memory or from storage; whoever asks for the same one meanwhile waits for the same reading."""
        if not ID.fullmatch(id):
            raise NoTable("There is no such table here.")
        if id not in self.tables:
            if id not in self._loading:
                self._loading[id] = asyncio.ensure_future(self._load(id))
                self._loading[id].add_done_callback(lambda _: self._loading.pop(id))
            await asyncio.shield(self._loading[id])
        self.used[id] = time.monotonic()
        return self.tables[id]

    def is_used(self, id: str) -> bool:
        """Whether a table is in memory, or will be in a moment."""
        return id in self.tables or id in self._loading

    async def _load(self, id: str) -> GameTable:
        row = await self.storage.run(_loaded, self.storage, id)
        if row is None:
            raise NoTable("There is no such table here.")
        game = await asyncio.to_thread(_game_of, row)
        await self.compiling.rules(game)
        return self._keep(await asyncio.to_thread(_opened, row, game, self.storage))

    async def listed(self) -> list[dict[str, Any]]:
        """Public tables that wait or play, the newest first."""
        shown = []
        for id in await self.storage.run(self.storage.public, time.time() - DAY, LISTED):
            with suppress(FogboundError):  # a table that cannot be opened here is not offered
                shown.append((await self.find(id)).summary())
        return shown

    async def rematch(self, table: GameTable, token: str | None) -> GameTable:
        """A new table with everybody one side on; whoever asks first makes it."""
        if table.phase != "over":
            raise Refused("A rematch is possible once the game is over.")
        if not table.seats_of(token) and (token is None or token != table.row.settings.get("maker")):
            raise Refused("Only a player can ask for a rematch.")
        if series.is_over(table):
            raise Refused("This was the last game of the series.")
        await table.do(lambda: self._open_rematch(table, token))
        return await self.find(table.row.settings["next"])

    async def _open_rematch(self, table: GameTable, token: str | None) -> None:
        if table.row.settings.get("next") is None:
            settings = {key: value for key, value in table.row.settings.items() if key not in ("seed", "ended")}
            swap = True
            if "series" in settings:
                settings["series"] = {**settings["series"], "games": series.so_far(table)}
                swap = settings["series"]["swap"]
            seats = _rotated(table, token) if swap else _same(table, token)
            await table.set_next((await self.open(_row(table.game, settings, seats), table.game)).id)

    async def look_after(self) -> None:
        """Once a second: clocks that ran out, tables that nobody needs in memory."""
        while True:
            await asyncio.sleep(1.0)
            now = time.monotonic()
            for id, table in list(self.tables.items()):
                self.bots[id].look_at_clock()
                if not table.viewers and now - self.used[id] > IDLE and not table.lock.locked():
                    self._put_away(id)

    def _put_away(self, id: str) -> None:
        self.bots.pop(id).close()
        del self.tables[id], self.used[id]

    async def clear(self) -> None:
        """Once an hour: tables at which nothing has happened for long."""
        while True:
            now = time.time()
            forgotten = await self.storage.run(self.storage.forget, now - WAITS, now - PLAYS)
            if forgotten:
                log.info("%d forgotten tables were removed", forgotten)
            await asyncio.sleep(3600)

    def close(self) -> None:
        for bots in self.bots.values():
            bots.close()
        self.storage.close()


def _row(game: Game, settings: dict[str, Any], seats: list[SeatRow]) -> TableRow:
    id = "".join(secrets.choice(LETTERS) for _ in range(ID_LETTERS))
    return TableRow(id, game.spec, dict(game.definition()), settings, seats=seats)


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


def _opened(row: TableRow, game: Game, storage: Storage) -> GameTable:
    try:
        if [seat.seat for seat in row.seats] != list(range(game.seats)):
            raise ValueError(f"{game.spec} has {game.seats} seats, and {len(row.seats)} are stored")
        return GameTable(row, game, storage)
    except Exception as error:  # whatever is wrong with one table must not trouble the others
        raise Damaged(row.id, error) from None


def _game_of(row: TableRow) -> Game:
    try:
        game = registry.rebuild(row.spec.partition("/")[0], row.definition)
    except UnknownName:
        raise  # its game is not installed any more; the table waits until it is
    except Exception as error:
        raise Damaged(row.id, error) from None
    game.spec, game.shipped = row.spec, not names_file(registry.split_options(row.spec.partition("/")[2])[0])
    return game


def _seats(asked: NewTable, game: Game, token: str) -> tuple[list[SeatRow], dict[str, str]]:
    """The seats of a new table; and the agents at it that are no levels, by the names they go by there."""
    if len(asked.seats) != game.seats:
        raise Refused(f"{game.spec} has {game.seats} seats, and the table asks for {len(asked.seats)}.")
    known = [level.name for level in levels(game)]
    rows, own = [], dict[str, str]()
    for number, seat in enumerate(asked.seats):
        if seat.kind == "me":
            rows.append(SeatRow(number, "person", asked.nickname, token=token, ready=True))
        elif seat.kind == "agent" and seat.agent is not None:
            spec = safe_agent(game, seat.agent)
            name = next((name for name, other in own.items() if other == spec), f"agent-{len(own) + 1}")
            own[name] = spec
            rows.append(SeatRow(number, "agent", spec, name, ready=True))
        elif seat.kind == "agent":
            if seat.level not in known:
                raise Refused(f"There is no level “{seat.level}” for {game.spec}; the levels are {', '.join(known)}.")
            rows.append(SeatRow(number, "agent", str(seat.level).capitalize(), seat.level, ready=True))
        else:
            rows.append(SeatRow(number))
    if all(row.kind == "open" for row in rows):
        raise Refused("At least one seat must be given to a person or an agent.")
    return rows, own


def _holder_name(row: SeatRow) -> str:
    return row.nickname or "open"


def _told_apart(names: list[str]) -> list[str]:
    """Names of which none is there twice."""
    return [name if names.count(name) == 1 else f"{name} ({names[: i + 1].count(name)})" for i, name in enumerate(names)]


def _same(table: GameTable, asking: str | None) -> list[SeatRow]:
    """Everybody where they were; agents are ready, and so is whoever asked."""
    return [replace(row, ready=row.kind == "agent" or row.token == asking) for row in table.row.seats]


def _rotated(table: GameTable, asking: str | None) -> list[SeatRow]:
    """Each side's holders move on to the next side, and nobody is left out; agents are ready, and so is whoever asked."""
    game, sides = table.game, range(table.game.sides)
    seats = [[seat for seat in range(game.seats) if game.side_of[seat] == side] for side in sides]
    coming = [_holders(table, seats[(side - 1) % game.sides]) for side in sides]
    for side in sides:  # whom a side has no room for plays on the next one that has
        while len(coming[side]) > len(seats[side]):
            roomy = next((side + n) % game.sides for n in sides if _has_room(coming, seats, (side + n) % game.sides))
            coming[roomy].insert(0, coming[side].pop())
    rows = {}
    for side in sides:
        for place, seat in enumerate(seats[side]):
            row = coming[side][place * len(coming[side]) // len(seats[side])]
            rows[seat] = replace(row, seat=seat, ready=row.kind == "agent" or row.token == asking)
    return [rows[seat] for seat in range(game.seats)]


def _has_room(coming: list[list[SeatRow]], seats: list[list[int]], side: int) -> bool:
    return len(coming[side]) < len(seats[side])


def _holders(table: GameTable, seats: list[int]) -> list[SeatRow]:
    """Who held these seats, each once: people by their secret, agents by their level."""
    rows = [table.row.seats[seat] for seat in seats]
    return list({(row.kind, row.token or row.level): row for row in rows}.values())
