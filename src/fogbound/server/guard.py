"""The door: what every request and socket must pass. A fair share for each address, bounded bodies, and our own pages only.

An address is that of the visitor; behind a proxy uvicorn has put it there (`listening.py`), if the proxy is a named one.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections import Counter
from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fogbound.server.limits import BODY_SECONDS, RECORD_BYTES, SEND_SECONDS, Shares, visitor

log = logging.getLogger(__name__)
ALWAYS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
OF_PAGES = {"content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"}
WAIT = "Too many requests; wait a moment."
FOREIGN = "This server answers its own pages only; `fogbound serve --origin` names others."
NOT_OURS = "This server is not known by that name; `fogbound serve --name` gives it another."
TRY_AGAIN_LATER = 1013  # a closing code of WebSockets


class Guard:
    """Holds back who asks for too much, and tells browsers to run nothing but our own scripts.

    It passes messages on as they come, so a browser that leaves in the middle of a request is no error.
    """

    def __init__(
        self, app: ASGIApp, shares: Shares, origins: Collection[str] = (), names: Collection[str] | None = None
    ) -> None:
        """`names` are those under which the server may be asked, any if None: a page from elsewhere whose name was made
        to lead to this machine (DNS rebinding) still asks under that name."""
        self.app, self.shares, self.origins = app, shares, {origin.rstrip("/").lower() for origin in origins}
        self.names = None if names is None else {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        address = visitor(scope["client"][0] if scope.get("client") else "")
        if scope["type"] == "http":
            await self._answer(address, scope, receive, send)
        elif scope["type"] == "websocket":
            await self._connect(address, scope, receive, send)
        else:
            await self.app(scope, receive, send)

    # Requests.

    async def _answer(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        refusal = self._why_not(address, scope)
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        added = ALWAYS if scope["path"].startswith("/api/") else ALWAYS | OF_PAGES
        drained = True

        async def guarded(message: Message) -> None:
            nonlocal drained
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(added)
                self._count_guess(address, scope["path"], message["status"])
            if not drained:
                return
            try:
                async with asyncio.timeout(SEND_SECONDS):
                    await send(message)
            except TimeoutError:
                drained = False
                log.info("A visitor did not read the answer to %s, and was let go", scope["path"])

        await self.app(scope, _bounded(receive), guarded)

    def _why_not(self, address: str, scope: Scope) -> JSONResponse | None:
        post, path = scope["method"] == "POST", scope["path"]
        if not self._is_asked(scope):
            return _refusal(421, NOT_OURS)
        if not self.shares.asked.take(address) or (post and not self.shares.posted.take(address)):
            return _refusal(429, WAIT)
        if post and not self._is_own(scope):
            return _refusal(403, FOREIGN)
        if post and path == "/api/tables" and not self.shares.tables.take(address):
            return _refusal(429, "Too many tables were made from here; wait a few minutes.")
        if path.startswith("/api/tables/") and not self.shares.guesses.peek(address):
            return _refusal(429, "Too many tables were asked for that do not exist; wait a moment.")
        return None

    def _count_guess(self, address: str, path: str, status: int) -> None:
        if status == 404 and path.startswith("/api/tables/"):
            self.shares.guesses.take(address)

    def _is_own(self, scope: Scope) -> bool:
        """Whether it comes from a page of this server (or of a named origin), or from no page at all."""
        headers = Headers(scope=scope)
        origin = headers.get("origin")
        if origin is None or origin.lower() in self.origins:
            return True
        return origin.partition("://")[2].lower() == headers.get("host", "").lower()

    def _is_asked(self, scope: Scope) -> bool:
        """Whether the visitor means this server."""
        return self.names is None or _name(Headers(scope=scope).get("host", "")) in self.names

    # Sockets.

    async def _connect(self, address: str, scope: Scope, receive: Receive, send: Send) -> None:
        if not (self._is_asked(scope) and self._is_own(scope)):
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": FOREIGN})
            return
        if not self.shares.has_room(address) or not self.shares.opened.take(address):
            await _turn_away(receive, send)
            return
        self.shares.here[address] += 1
        try:
            await self.app(scope, receive, send)
        finally:
            self.shares.here[address] -= 1
            self.shares.here += Counter()  # drops those at zero


async def _turn_away(receive: Receive, send: Send) -> None:
    """Pages cannot read why a socket was refused, so it is opened to tell them."""
    await receive()
    await send({"type": "websocket.accept"})
    sentence = "Too many connections come from your address; close some, or try again in a moment."
    await send({"type": "websocket.send", "text": json.dumps({"type": "error", "error": sentence})})
    await send({"type": "websocket.close", "code": TRY_AGAIN_LATER})


def _name(host: str) -> str:
    """The name in a `Host`, without its port."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _refusal(status: int, sentence: str) -> JSONResponse:
    return JSONResponse({"error": sentence}, status, {"retry-after": "10"} if status == 429 else None)


def _bounded(receive: Receive) -> Receive:
    """The body of a request, but neither without end nor at a snail's pace."""
    size, deadline = 0, asyncio.get_running_loop().time() + BODY_SECONDS
    closing = {"connection": "close"}
    complete = False

    async def bounded() -> Message:
        nonlocal size, complete
        if complete:  # what comes now is the visitor's leaving, which may take as long as it likes
            return await receive()
        try:
            async with asyncio.timeout_at(deadline):
                message = await receive()
        except TimeoutError:
            raise HTTPException(408, f"A request has to arrive within {BODY_SECONDS:.0f} seconds.", closing) from None
        size += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if size > RECORD_BYTES:
            raise HTTPException(413, f"A request can have {RECORD_BYTES:,} bytes at most.", closing)
        return message

    return bounded
