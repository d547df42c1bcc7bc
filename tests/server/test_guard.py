"""What stands before every request: limits, headers, and browsers that leave."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message

from fogbound.server.guard import Guard
from fogbound.server.limits import Visitors


def sent(app: ASGIApp, method: str = "GET", path: str = "/", times: int = 1) -> list[Message]:
    """Everything that the last of some equal requests gets."""
    messages: list[Message] = []
    guard = Guard(app, Visitors(rate=0.001, burst=2))

    async def receive() -> Message:
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        messages.append(message)

    async def ask() -> None:
        for _ in range(times):
            messages.clear()
            await guard({"type": "http", "method": method, "path": path, "client": ("here", 1)}, receive, send)

    with ThreadPoolExecutor(1) as other:  # a browser's tests may have left a running loop in this thread
        other.submit(lambda: asyncio.run(ask())).result()
    return messages


def headers(messages: list[Message]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in messages[0]["headers"]}


def test_pages_and_answers_get_their_headers() -> None:
    page, answer = (headers(sent(PlainTextResponse("hello"), path=path)) for path in ("/", "/api/games"))
    assert page["x-content-type-options"] == answer["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in page["content-security-policy"]
    assert "content-security-policy" not in answer


def test_who_posts_too_much_is_told_so() -> None:
    assert sent(PlainTextResponse("hello"), "POST", times=2)[0]["status"] == 200
    start, body = sent(PlainTextResponse("hello"), "POST", times=3)
    assert start["status"] == 429
    assert body["body"] == b'{"error":"Too many requests; wait a moment."}'


def test_a_browser_that_left_is_no_error() -> None:
    async def nobody_there(_scope: Any, _receive: Any, _send: Any) -> None:
        """Ends without an answer, as a route does whose visitor has gone."""

    assert sent(nobody_there) == []
