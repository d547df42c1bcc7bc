"""Connections that say nothing, speak slowly or do not read are let go; requests of all others are answered."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import pytest
import uvicorn

from fogbound.core.errors import FogboundError
from fogbound.server import listening

ASK = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n"
Talk = Callable[[int], Awaitable[Any]]


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "http":
        body = b"x" * 50_000_000 if scope["path"] == "/huge" else b"hello"
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
        await send({"type": "http.response.body", "body": body})


def with_server(talk: Talk, **more: Any) -> Any:
    """What is said to a server, in a loop of its own."""

    async def run() -> Any:
        settings = {**listening.settings(**more), "lifespan": "off", "log_level": "critical"}
        server = uvicorn.Server(uvicorn.Config(app, port=0, **settings))
        serving = asyncio.create_task(server._serve())
        while not server.started:
            await asyncio.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        try:
            return await talk(port)
        finally:
            server.should_exit = server.force_exit = True
            await serving

    with ThreadPoolExecutor(1) as other:  # a browser's tests may have left a running loop in this thread
        return other.submit(lambda: asyncio.run(run())).result()


async def ends(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the server ends the connection."""
    found = bytearray()
    async with asyncio.timeout(20):
        with suppress(ConnectionError):
            while part := await reader.read(1 << 16):
                found += part
    return bytes(found)


@pytest.fixture(autouse=True)
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listening, "HEAD_SECONDS", 0.3)
    monkeypatch.setattr(listening, "SEND_SECONDS", 0.3)


def test_who_says_nothing_is_let_go() -> None:
    async def talk(port: int) -> bytes:
        reader, _ = await asyncio.open_connection("127.0.0.1", port)
        return await ends(reader)

    assert with_server(talk) == b""


@pytest.mark.parametrize("first", [b"", ASK])
def test_who_speaks_slowly_is_let_go_also_after_a_sound_request(first: bytes) -> None:
    async def talk(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(first)
        reading = asyncio.create_task(ends(reader))
        for letter in ASK * 100:
            if reading.done():
                break
            writer.write(bytes([letter]))
            await asyncio.sleep(0.02)
        return await reading

    assert with_server(talk).count(b"hello") == bool(first)


def test_who_does_not_read_is_let_go() -> None:
    async def talk(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1000)
        writer.write(ASK.replace(b"/ ", b"/huge "))
        await asyncio.sleep(2.0)
        return len(await ends(reader))

    assert with_server(talk) < 50_000_000


def test_requests_in_one_packet_are_all_answered() -> None:
    async def talk(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        post = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100000\r\n\r\n" + b"x" * 100_000
        writer.write(post + ASK + post + ASK.replace(b"\r\n\r\n", b"\r\nconnection: close\r\n\r\n"))
        return await ends(reader)

    assert with_server(talk).count(b"hello") == 4


@pytest.mark.parametrize(("proxies", "answered"), [((), 2), (("127.0.0.0/8",), 4)])
def test_an_address_has_so_many_connections_unless_it_is_a_proxy(proxies: tuple[str, ...], answered: int) -> None:
    async def one(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(ASK)
        return await reader.read(300)

    async def talk(port: int) -> list[bytes]:
        return [each async for each in _each(port)]

    async def _each(port: int) -> Any:
        kept = []
        for _ in range(4):
            kept.append(await asyncio.open_connection("127.0.0.1", port))
            kept[-1][1].write(ASK)
            try:
                yield await kept[-1][0].read(300)
            except ConnectionError:
                yield b""

    assert sum(b"hello" in each for each in with_server(talk, proxies=proxies, share=2)) == answered


def test_a_proxy_that_is_no_address_is_told() -> None:
    with pytest.raises(FogboundError, match="“nginx” is no proxy's address"):
        listening.settings(["nginx"])
