"""One connection: reads messages, checks them, answers; its mistakes and its slowness hurt nobody else."""

from __future__ import annotations

import asyncio
import json
import logging
from collections import deque
from contextlib import suppress
from typing import Any

from pydantic import TypeAdapter, ValidationError
from starlette.websockets import WebSocket, WebSocketDisconnect

from fogbound.core.errors import FogboundError
from fogbound.core.jsonfile import plain
from fogbound.core.view import View
from fogbound.server import limits, metrics
from fogbound.server.lobby import Lobby
from fogbound.server.messages import (
    Analysis,
    Chat,
    Hello,
    Message,
    Past,
    Play,
    Ready,
    Reclaim,
    Rematch,
    Show,
    Start,
    TakeOver,
    Undo,
)
from fogbound.server.opponents import safe_agent
from fogbound.server.seen import Audience
from fogbound.server.table import GameTable, Refused, digest
from fogbound.server.thinking import Terms
from fogbound.server.thoughts import view_json

log = logging.getLogger(__name__)
MESSAGES: TypeAdapter[Any] = TypeAdapter(Message)
PATIENCE = 20.0  # seconds that a browser may take to read what it was sent
SOLVING_PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds between looks whether a game is solved by now
_open_connections = 0


def open_connections() -> int:
    return _open_connections


class Connection:
    """A viewer of one table: a player with a token, or a spectator."""

    def __init__(self, websocket: WebSocket, lobby: Lobby) -> None:
        self.websocket, self.lobby = websocket, lobby
        self.address = limits.visitor(websocket.client.host if websocket.client else "")
        self.token: str | None = None
        self.shown: int | None = None
        self.changes = False
        self.table: GameTable | None = None
        self.audience: Audience | None = None
        self.edition = self.moves = -1
        self.bucket = limits.Bucket(rate=20, burst=40)
        self._stale = False  # whether the table may have changed since it was sent last
        self._outbox: deque[str] = deque()
        self._something = asyncio.Event()
        self._analysing: asyncio.Task[None] | None = None
        self._analysed: tuple[int, Audience] | None = None  # the position that is analysed, and who looks at it
        self._analyst: str | None = None  # the agent that is asked; None: the strongest player
        self._found: str | None = None  # its analysis, to be sent if they still do
        self._asks_past = False
        self._told_past: Audience | None = None  # who was told what the last moves did; nobody is told twice

    async def serve(self, id: str) -> None:
        global _open_connections
        await self.websocket.accept()
        if _open_connections >= limits.CONNECTIONS:
            await self._refuse("This server has too many visitors; try again later.")
            return
        _open_connections += 1
        try:
            await self._serve(id)
        except (WebSocketDisconnect, RuntimeError):  # the browser is gone
            pass
        finally:
            _open_connections -= 1
            if self._analysing:
                self._analysing.cancel()
            if self.table is not None:
                self.table.exit(self)

    async def _serve(self, id: str) -> None:
        hello = await self._hello()
        if hello is None:
            await self._refuse('The first message must be {"type": "hello", "token": ... or null}.')
            return
        try:
            self.table = await self.lobby.find(id)
        except FogboundError as error:
            await self._refuse(str(error))
            return
        self.token, self.changes = digest(hello.token) if hello.token else None, hello.changes
        self.table.enter(self)
        both = {asyncio.create_task(self._listen(self.table)), asyncio.create_task(self._send(self.table))}
        try:
            await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in both:
                task.cancel()
        for result in await asyncio.gather(*both, return_exceptions=True):
            if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect | RuntimeError):
                log.error("A connection to table %s failed", id, exc_info=result)

    async def _hello(self) -> Hello | None:
        """The first message says who is there."""
        with suppress(TimeoutError, ValidationError, KeyError):
            async with asyncio.timeout(15):
                text = await self.websocket.receive_text()
            return Hello.model_validate_json(text[: limits.MESSAGE_BYTES])
        return None

    async def _refuse(self, sentence: str) -> None:
        with suppress(WebSocketDisconnect, RuntimeError):
            await self.websocket.send_text(json.dumps({"type": "error", "error": sentence}))
            await self.websocket.close()

    # Sending: one task, which sends what is newest when the browser can take it.

    def wake(self) -> None:
        self._stale = True
        self._something.set()

    def tell(self, message: dict[str, Any]) -> None:
        self._outbox.append(json.dumps(message))
        self._something.set()

    async def _send(self, table: GameTable) -> None:
        while True:
            await self._something.wait()
            self._something.clear()
            for text in self._texts(table):
                metrics.SENT.add(len(text))
                try:
                    async with asyncio.timeout(PATIENCE):  # `wait_for` of Python 3.11 may lose that this task is cancelled
                        await self.websocket.send_text(text)
                except TimeoutError:
                    metrics.SLOW_VIEWERS.add()
                    return

    def _texts(self, table: GameTable) -> list[str]:
        """All that is to be sent now: the table first, then answers."""
        news = table.news(self) if self._stale else None
        self._stale = False
        texts = [] if news is None else [news]
        if self._analysed != (table.version, table.audience(self)):
            self._drop_analysis()
        if self._found is not None:
            texts.append(self._found)
            self._found = None
        if self._asks_past:  # looked up only now: the screen may have been handed over since it was asked
            self._asks_past, self._told_past = False, table.audience(self)
            texts.append(table.past(self))
        texts += self._outbox
        self._outbox.clear()
        return texts

    # Listening.

    async def _listen(self, table: GameTable) -> None:
        while True:
            received = await self.websocket.receive()
            if received["type"] == "websocket.disconnect":
                return
            await self._answer(table, received.get("text"))

    async def _answer(self, table: GameTable, text: str | None) -> None:
        if text is None:
            self._complain("Messages are text, not bytes.")
        elif len(text.encode(errors="replace")) > limits.MESSAGE_BYTES:
            self._complain(f"A message can have {limits.MESSAGE_BYTES} bytes at most.")
        elif not self.bucket.take():
            self._complain("Too many messages; wait a moment.")
        else:
            try:
                await self._do(table, MESSAGES.validate_json(text))
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(str(part) for part in first["loc"])
                self._complain(f"{place or 'The message'}: {plain(first)}.")
            except FogboundError as error:
                self._complain(str(error))

    def _complain(self, sentence: str) -> None:
        self.tell({"type": "error", "error": sentence})

    async def _do(self, table: GameTable, message: Any) -> None:
        match message:
            case Play():
                version = await table.play(self.token, message.move, message.version, message.id)
                if message.id is not None:
                    self.tell({"type": "played", "id": message.id, "version": version})
            case Undo():
                await table.undo(self.token, message.version)
            case Ready():
                await table.set_ready(self.token, message.ready)
            case Start():
                await table.start(self.token, message.fill)
            case Chat():
                await table.say(self.token, message.text, message.team)
            case Rematch():
                await self.lobby.rematch(table, self.token)
            case TakeOver():
                await table.take_over(self.token, message.seat, message.level)
            case Reclaim():
                await table.reclaim(self.token)
            case Show():
                self.shown = message.seat if message.seat in table.seats_of(self.token) else None
                self.wake()
            case Analysis():
                if not table.allows_analysis:
                    raise Refused("At this table nobody may ask the computer while the game is played.")
                asked = message.agent
                agent = None if asked is None else await asyncio.to_thread(safe_agent, table.game, asked)
                self._analyse(table, agent)
            case Past():
                self._asks_past = self._told_past != table.audience(self)
                self._something.set()
            case _:
                self.tell({"type": "pong"})

    # Analysis: a thought beside everything else, from what this viewer sees now; one at a time.

    def _analyse(self, table: GameTable, agent: str | None) -> None:
        if self._analysing is not None and not self._analysing.done():
            if agent == self._analyst:
                return
            self._drop_analysis()
        self._analyst = agent
        view = table.view_of(self)
        if view is None:
            nothing: dict[str, Any] = {"moves": [], "belief": {}, "line": [], "exact": None}
            self.tell({"type": "analysis", "version": table.version, **nothing})
            return
        self._analysed = table.version, table.audience(self)
        self._analysing = asyncio.create_task(self._think(view, table.version, agent))

    def _drop_analysis(self) -> None:
        """The position has moved on, or the screen was handed over: nobody may see what is thought about."""
        self._found = None
        if self._analysing is not None:
            self._analysing.cancel()

    def _show_analysis(self, version: int, found: dict[str, Any]) -> None:
        self._found = json.dumps({"type": "analysis", "version": version, **found})
        self._something.set()

    async def _think(self, view: View, version: int, agent: str | None) -> None:
        try:
            found = await self._ask("analysis", view, agent)
            self._show_analysis(version, found)
            if found["exact"] == {"solving": True}:
                pauses = iter(SOLVING_PAUSES)
                while await self._ask("is_solving", view):
                    await asyncio.sleep(next(pauses, SOLVING_PAUSES[-1]))
                self._show_analysis(version, await self._ask("analysis", view, agent))
        except FogboundError as error:
            log.error("An analysis of %s failed: %s", view.game.spec, error)
            name = (agent or "").partition(":")[0]
            self._complain(f"“{name}” cannot say anything here." if name else "The analysis of this position failed.")

    async def _ask(self, task: str, view: View, agent: str | None = None) -> Any:
        """Thoughts about one game go to the same worker, which may be solving it."""
        terms = Terms(self.address, f"analysis of {view.game.spec}")
        return await self.lobby.thinkers.ask(task, {"view": view_json(view), "agent": agent}, terms)
