"""What stands before every request: limits, headers, and browsers that leave."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message

from fogbound.cli.serve import Door
from fogbound.server.guard import Guard
from fogbound.server.limits import Shares, Visitors, visitor


def sent(app: ASGIApp, path: str = "/", times: int = 1, **more: Any) -> list[Message]:
    """Everything that the last of some equal requests gets."""
    return asked(app, [{"path": path, **more}] * times)[-1]


def asked(
    app: ASGIApp, requests: list[dict[str, Any]], body: list[Message] | None = None, names: set[str] | None = None
) -> list[list[Message]]:
    """Everything that each of some requests gets, from an address that stands for one person."""
    guard, all_messages = Guard(app, Shares(1), ["https://play.example.org"], names), []

    async def ask() -> None:
        for request in requests:
            messages: list[Message] = []
            coming = iter(body or ())

            async def receive(coming: Iterator[Message] = coming) -> Message:
                return next(coming, {"type": "http.disconnect"})

            async def send(message: Message, messages: list[Message] = messages) -> None:
                messages.append(message)

            head = {"type": "http", "method": "GET", "path": "/", "client": ("10.0.0.1", 1), "headers": [], **request}
            await guard(head, receive, send)
            all_messages.append(messages)

    with ThreadPoolExecutor(1) as other:  # a browser's tests may have left a running loop in this thread
        other.submit(lambda: asyncio.run(ask())).result()
    return all_messages


def status(messages: list[Message]) -> int:
    return int(messages[0]["status"])


def headers(messages: list[Message]) -> dict[str, str]:
    return {name.decode(): value.decode() for name, value in messages[0]["headers"]}


def test_pages_and_answers_get_their_headers() -> None:
    page, answer = (headers(sent(PlainTextResponse("hello"), path=path)) for path in ("/", "/api/games"))
    assert page["x-content-type-options"] == answer["x-content-type-options"] == "nosniff"
    assert "default-src 'self'" in page["content-security-policy"]
    assert "content-security-policy" not in answer


def test_who_posts_too_much_is_told_so() -> None:
    assert status(sent(PlainTextResponse("hello"), method="POST", times=10)) == 200
    start, body = sent(PlainTextResponse("hello"), method="POST", times=11)
    assert start["status"] == 429
    assert body["body"] == b'{"error":"Too many requests; wait a moment."}'


def test_who_asks_too_much_is_told_so_and_others_are_not() -> None:
    requests = [{"client": ("10.0.0.1", 1)}] * 41 + [{"client": ("10.0.0.2", 1)}]
    answers = asked(PlainTextResponse("hello"), requests)
    assert [status(each) for each in answers] == [200] * 40 + [429, 200]


def test_a_household_with_many_addresses_is_one_visitor() -> None:
    requests = [{"client": (f"2001:db8:1:2::{number:x}", 1)} for number in range(41)]
    others = [{"client": ("2001:db8:1:3::1", 1)}, {"client": ("::ffff:10.0.0.1", 1)}]
    assert [status(each) for each in asked(PlainTextResponse("hello"), requests + others)] == [200] * 40 + [429, 200, 200]
    assert visitor("::ffff:10.0.0.1") == visitor("10.0.0.1") != visitor("10.0.0.2")
    assert visitor("") == "" and visitor("fe80::1%eth0") == "fe80::/64"


def test_an_address_makes_so_many_tables() -> None:
    answers = asked(PlainTextResponse("made"), [{"method": "POST", "path": "/api/tables"}] * 5)
    assert [status(each) for each in answers] == [200] * 4 + [429]


def test_who_guesses_at_tables_has_to_wait_and_who_knows_one_does_not() -> None:
    missing, there = PlainTextResponse("no", 404), PlainTextResponse("yes")
    request = {"path": "/api/tables/abcdefgh"}
    assert [status(each) for each in asked(missing, [request] * 6)] == [404] * 5 + [429]
    assert [status(each) for each in asked(there, [request] * 30)] == [200] * 30


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://play.test:8400", True),
        ("https://play.test:8400", True),
        ("https://play.example.org", True),
        ("https://PLAY.example.org", True),
        ("https://evil.test", False),
        ("http://play.test:8400.evil.test", False),
        ("http://play.test", False),
        ("null", False),
        ("", False),
        ("http://[", False),
    ],
)
def test_pages_of_other_origins_may_not_post_nor_open_sockets(origin: str | None, allowed: bool) -> None:
    headers = [(b"host", b"play.test:8400"), *([(b"origin", origin.encode())] if origin is not None else [])]
    answer = sent(PlainTextResponse("hello"), method="POST", headers=headers)
    assert status(answer) == (200 if allowed else 403)
    opened: list[str] = []

    async def socket(scope: Any, _receive: Any, _send: Any) -> None:
        opened.append(scope["type"])

    closed = sent(socket, type="websocket", headers=headers)
    assert opened == (["websocket"] if allowed else [])
    assert [message["type"] for message in closed] == ([] if allowed else ["websocket.close"])


def test_an_address_has_so_many_sockets_and_the_next_is_told() -> None:
    refused: list[Message] = []

    async def open_one_inside_the_other(scope: Any, receive: Any, send: Any) -> None:
        await guard(scope, receive, send)

    guard = Guard(open_one_inside_the_other, Shares(1))

    async def receive() -> Message:
        return {"type": "websocket.connect"}

    async def send(message: Message) -> None:
        refused.append(message)

    scope = {"type": "websocket", "path": "/api/tables/a/socket", "client": ("10.0.0.1", 1), "headers": []}
    with ThreadPoolExecutor(1) as other:
        other.submit(lambda: asyncio.run(guard(scope, receive, send))).result()  # type: ignore[arg-type]
    assert [message["type"] for message in refused] == ["websocket.accept", "websocket.send", "websocket.close"]
    assert "Too many connections come from your address" in refused[1]["text"]
    assert not guard.shares.here  # all were counted out again


def test_a_body_without_end_is_refused() -> None:
    async def read(scope: Any, receive: Any, send: Any) -> None:
        while (await receive()).get("more_body"):
            pass

    endless = [{"type": "http.request", "body": b"x" * 100_000, "more_body": True}] * 100
    with pytest.raises(HTTPException) as error:
        asked(read, [{"method": "POST"}], endless)
    assert error.value.status_code == 413


def test_a_body_at_a_snails_pace_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fogbound.server.guard.BODY_SECONDS", 0.05)

    async def read(_scope: Any, receive: Any, _send: Any) -> None:
        await receive()

    async def never() -> Message:
        await asyncio.sleep(60)
        raise AssertionError

    async def ask() -> None:
        head = {"type": "http", "method": "POST", "path": "/", "client": ("10.0.0.1", 1), "headers": []}
        await Guard(read, Shares(1))(head, never, never)  # type: ignore[arg-type]

    with ThreadPoolExecutor(1) as other, pytest.raises(HTTPException) as error:
        other.submit(lambda: asyncio.run(ask())).result()
    assert error.value.status_code == 408


def test_a_browser_that_left_is_no_error() -> None:
    async def nobody_there(_scope: Any, _receive: Any, _send: Any) -> None:
        """Ends without an answer, as a route does whose visitor has gone."""

    assert sent(nobody_there) == []


def test_on_this_machine_only_its_own_names_are_answered() -> None:
    """A page from elsewhere whose name was made to lead here (DNS rebinding) still asks under its own name."""
    names = Door(origins=("https://play.example.org",), names=("games.local",)).names_at("127.0.0.1")
    good = ["localhost:8400", "127.0.0.1:8400", "[::1]:8400", "LOCALHOST", "localhost.", "games.local", "play.example.org"]
    bad = [
        "evil.example:8400",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[::1",
        "",
        "localhost@evil.example",
        "::1",
    ]
    requests = [{"headers": [(b"host", host.encode())]} for host in good + bad]
    answers = asked(PlainTextResponse("hello"), [*requests, {}], names=names)
    assert [status(each) for each in answers] == [200] * len(good) + [421] * (len(bad) + 1)
    socket = {"type": "websocket", "headers": [(b"host", b"evil.example"), (b"origin", b"http://evil.example")]}
    assert asked(PlainTextResponse("hello"), [socket], names=names)[0][0]["type"] == "websocket.close"


def test_other_addresses_and_proxies_have_any_name() -> None:
    assert Door().names_at("0.0.0.0") is None
    assert Door().names_at("play.example.org") is None
    assert Door(proxies=("127.0.0.1",)).names_at("127.0.0.1") is None
    assert "::1" in (Door().names_at("::1") or ())


def test_processes_share_what_an_address_may_take() -> None:
    here, there = Shares(1), Shares(1)
    while here.asked.take("ann"):
        pass
    here.here["ann"] = 7
    here.asked.take("bob")
    for report in here.reports():
        there.hear("here", json.loads(json.dumps(report)))
    assert not there.asked.peek("ann") and there.asked.peek("bob")
    there.here["ann"] = 2
    assert there.has_room("ann")
    there.here["ann"] = 3
    assert not there.has_room("ann")
    here.here.clear()
    here._told = 0.0, here._told[1]  # long ago
    for report in here.reports():
        there.hear("here", {**report, "taken": {"of_another_version": {"ann": 1}}})
    assert there.has_room("ann")
    assert not list(here.reports())


def test_a_report_fits_into_a_notification() -> None:
    shares = Shares(1)
    for number in range(50):
        address = f"{number:045d}"
        shares.here[address] = 10
        for kind in vars(shares).values():
            if isinstance(kind, Visitors):
                kind.take(address)
    reports = [json.dumps(report, separators=(",", ":")) for report in shares.reports()]
    assert len(reports) == 4
    assert max(map(len, reports)) < 7900  # PostgreSQL takes 8,000 bytes
