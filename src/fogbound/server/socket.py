"""One connection: reads messages, checks them, answers; its mistakes hurt nobody else."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from fogbound.core.errors import FogboundError
from fogbound.core.jsonfile import plain
from fogbound.server import limits
from fogbound.server.analysis import analyse, wait_until_solved
from fogbound.server.lobby import Lobby
from fogbound.server.messages import (
    Analysis,
    Chat,
    Hello,
    Message,
    Play,
    Ready,
    Rematch,
    Show,
    Start,
    TakeOver,
    Undo,
)
from fogbound.server.table import GameTable, digest

MESSAGES: TypeAdapter[Any] = TypeAdapter(Message)
_open_connections = 0


class Connection:
    """A viewer of one table: a player with a token, or a spectator."""

    def __init__(self, websocket: WebSocket, lobby: Lobby) -> None:
        self.websocket, self.lobby = websocket, lobby
        self.token: str | None = None
        self.shown: int | None = None
        self.table: GameTable | None = None
        self.bucket = limits.Bucket(rate=20, burst=40)
        self._sending = asyncio.Lock()
        self._closed = False
        self._analysing: asyncio.Task[None] | None = None

    async def serve(self, id: str) -> None:
        global _open_connections
        await self.websocket.accept()
        if _open_connections >= limits.CONNECTIONS:
            await self._tell("This server has too many visitors; try again later.")
            await self.websocket.close()
            return
        _open_connections += 1
        try:
            await self._serve(id)
        except WebSocketDisconnect:
            pass
        finally:
            _open_connections -= 1
            self._closed = True
            if self._analysing:
                self._analysing.cancel()
            if self.table is not None:
                await self.table.exit(self)

    async def _serve(self, id: str) -> None:
        hello = await self._hello()
        if hello is None:
            return
        try:
            table = await self.lobby.find(id)
        except FogboundError as error:
            await self._tell(str(error))
            await self.websocket.close()
            return
        self.token = digest(hello.token) if hello.token else None
        self.table = table
        await table.enter(self)
        while (text := await self._receive()) is not None:
            await self._answer(table, text)

    async def _receive(self) -> str | None:
        """The next message; nothing when the other end is gone."""
        try:
            return await self.websocket.receive_text()
        except KeyError:  # bytes, which are no message
            return ""
        except (WebSocketDisconnect, RuntimeError):
            return None

    async def _hello(self) -> Hello | None:
        """The first message says who is there."""
        try:
            text = await asyncio.wait_for(self.websocket.receive_text(), 15)
            return Hello.model_validate_json(text[: limits.MESSAGE_BYTES])
        except (TimeoutError, ValidationError, KeyError):
            await self._tell('The first message must be {"type": "hello", "token": ... or null}.')
            await self.websocket.close()
            return None

    async def _answer(self, table: GameTable, text: str) -> None:
        if len(text.encode()) > limits.MESSAGE_BYTES:
            await self._tell(f"A message can have {limits.MESSAGE_BYTES} bytes at most.")
            return
        if not self.bucket.take():
            await self._tell("Too many messages; wait a moment.")
            return
        try:
            message = MESSAGES.validate_json(text)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            await self._tell(f"{place or 'The message'}: {plain(first)}.")
            return
        try:
            await self._do(table, message)
        except FogboundError as error:
            await self._tell(str(error))

    async def _do(self, table: GameTable, message: Any) -> None:
        match message:
            case Play():
                await table.play(self.token, message.move, message.version)
            case Undo():
                await table.undo(self.token, message.version)
            case Ready():
                await table.set_ready(self.token, message.ready)
            case Start():
                await table.start(self.token, message.fill)
            case Chat():
                await table.say(self.token, message.text)
            case Rematch():
                await self.lobby.rematch(table, self.token)
            case TakeOver():
                await table.take_over(self.token, message.seat, message.level)
            case Show():
                self.shown = message.seat if message.seat in table.seats_of(self.token) else None
                await self.send(table.seen_by(self))
            case Analysis():
                self._analyse(table)
            case _:
                await self.send({"type": "pong"})

    def _analyse(self, table: GameTable) -> None:
        """Think beside everything else, from what this viewer sees; one thought at a time."""
        if self._analysing is not None and not self._analysing.done():
            return

        async def think() -> None:
            match, mine = table.match, table.seats_of(self.token)
            if match is None or match.over or match.to_move not in mine:
                await self.send(
                    {"type": "analysis", "version": table.version, "moves": [], "belief": {}, "line": [], "exact": None}
                )
                return
            version = table.version
            view = match.view(match.to_move)
            found = await asyncio.to_thread(analyse, view)
            await self.send({"type": "analysis", "version": version, **found})
            if found["exact"] == {"solving": True}:
                await asyncio.to_thread(wait_until_solved, view.game)
                if version == table.version:
                    await self.send({"type": "analysis", "version": version, **await asyncio.to_thread(analyse, view)})

        self._analysing = asyncio.create_task(think())

    async def send(self, message: dict[str, Any]) -> None:
        """Send to this viewer alone; a broken connection is not the table's trouble."""
        if self._closed:
            return
        async with self._sending:
            with suppress(WebSocketDisconnect, RuntimeError):
                await self.websocket.send_text(json.dumps(message))

    async def _tell(self, sentence: str) -> None:
        await self.send({"type": "error", "error": sentence})
