"""What stands before every request: limits for visitors, and what browsers must not do."""

from __future__ import annotations

from starlette.datastructures import MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fogbound.server.limits import Visitors

ALWAYS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
OF_PAGES = {"content-security-policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"}


class Guard:
    """Holds back who asks for too much, and tells browsers to run nothing but our own scripts.

    It passes messages on as they come, so a browser that leaves in the middle of a request is no error.
    """

    def __init__(self, app: ASGIApp, visitors: Visitors) -> None:
        self.app, self.visitors = app, visitors

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        address = scope["client"][0] if scope.get("client") else ""
        if scope["method"] == "POST" and not self.visitors.take(address):
            await JSONResponse({"error": "Too many requests; wait a moment."}, 429)(scope, receive, send)
            return
        added = ALWAYS if scope["path"].startswith("/api/") else ALWAYS | OF_PAGES

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(added)
            await send(message)

        await self.app(scope, receive, guarded)
