"""A real server and visitors with bad manners: each is told one sentence, or let go, and the others never notice."""

from __future__ import annotations

import json
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from tests.server.running import Server, sqlite

JSON = {"content-type": "application/json"}
GAME = "scotland-yard/grid3:detectives=1"


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server for one person an address, behind a proxy on this machine."""
    running = Server(sqlite(tmp_path_factory.mktemp("strict")), people=1, proxies=["127.0.0.1"])
    yield running
    running.kill()


def ask(server: Server, path: str, visitor: str, body: Any = None, **headers: str) -> tuple[int, Any]:
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(server.address + path, data, {"x-forwarded-for": visitor, **JSON, **headers})
    try:
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.status, json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read())


def test_limits_are_by_the_address_that_the_proxy_names(strict: Server) -> None:
    first = [ask(strict, "/api/tables/nosuchid", "10.0.0.1")[0] for _ in range(7)]
    assert first == [404] * 5 + [429] * 2
    assert ask(strict, "/api/tables/nosuchid", "10.0.0.2")[0] == 404
    # Whatever a visitor puts in front himself, the proxy's own word comes last and counts.
    assert ask(strict, "/api/tables/nosuchid", "10.0.0.77, 10.0.0.1")[0] == 429


def test_without_a_named_proxy_nobody_can_choose_his_address(server: Server, tmp_path: Any) -> None:
    plain = Server(sqlite(tmp_path), people=1)
    try:
        answers = [ask(plain, "/api/tables/nosuchid", f"10.0.0.{number}")[0] for number in range(7)]
        assert answers == [404] * 5 + [429] * 2
    finally:
        plain.kill()


def test_an_address_has_so_many_sockets(strict: Server) -> None:
    made = ask(strict, "/api/tables", "10.0.1.1", {"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}]})[1]
    address = f"ws://127.0.0.1:{strict.port}/api/tables/{made['id']}/socket"
    with ExitStack() as opened:

        def visit(visitor: str) -> ClientConnection:
            return opened.enter_context(connect(address, additional_headers={"x-forwarded-for": visitor}))

        *_, last = [visit("10.0.1.1") for _ in range(11)]
        told = json.loads(last.recv(30))
        assert told["type"] == "error" and "Too many connections" in told["error"]
        with pytest.raises(ConnectionClosed, match="1013"):
            last.recv(30)
        other = visit("10.0.1.2")
        other.send('{"type": "hello", "token": null}')
        assert json.loads(other.recv(30))["type"] == "table"


def test_whatever_is_asked_of_generated_boards_is_worked_out_elsewhere_and_costs_a_share(strict: Server) -> None:
    paths = [f"/api/{what}?game=risk/random:territories=8,seed=" for what in ("agents", "definition", "board")]
    told = [ask(strict, f"{path}1", "10.0.3.1") for path in paths]
    assert [status for status, _ in told] == [200, 200, 503]
    assert [each["name"] for each in told[0][1]] and len(told[1][1]["territories"]) == 8
    assert ask(strict, f"{paths[0]}1", "10.0.3.1")[0] == 200  # what is known costs nothing


def test_a_socket_from_a_foreign_page_is_not_opened(server: Server) -> None:
    table, _ = server.new_table(GAME, "me", "open")
    address = f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket"
    with pytest.raises(InvalidStatus, match="403"), connect(address, origin="https://evil.test"):
        pass
    with connect(address, origin=f"http://127.0.0.1:{server.port}"):
        pass


def test_a_head_without_end_is_cut_off(server: Server) -> None:
    connection = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    connection.sendall(b"GET / HTTP/1.1\r\n")

    def go_on() -> None:
        for _ in range(1000):
            connection.sendall(b"x-more: " + b"y" * 1000 + b"\r\n")
            time.sleep(0.001)

    with pytest.raises(OSError, match=r"."):
        go_on()
    connection.close()


def test_a_body_that_is_announced_too_large_is_refused(server: Server) -> None:
    status, told = ask(server, "/api/tables", "", b" " * 2_100_000)
    assert (status, told["error"]) == (413, "A request can have 2,000,000 bytes at most.")


SPEECHLESS = [
    b"[" * 100_000,
    b'{"game": ' * 5000,
    b'{"game": "scotland-yard/grid3", "seats": [{"kind": "me"}], "seed": 1' + b"0" * 5000 + b"}",
    b'{"game": "\\ud800", "seats": [{"kind": "me"}]}',
    b'{"game": "scotland-yard/\\u0000", "seats": [{"kind": "me"}]}',
    b'{"game": "scotland-yard/\\ud800:detectives=1", "seats": [{"kind": "me"}, {"kind": "open"}]}',
    b'{"game": "scotland-yard/grid3:detectives=1", "seats": [{"kind": "me"}, {"kind": "agent", "level": "\\udfff"}]}',
    b'{"game": "scotland-yard/grid3:detectives=1", "seats": [{"kind": "me"}, {"kind": "open"}], "nickname": "a\\u0000b"}',
    b'{"game": "scotland-yard/grid3:rounds=1e999", "seats": [{"kind": "me"}, {"kind": "open"}]}',
    b'{"game": "scotland-yard/grid3:detectives=99999999999999999999999", "seats": [{"kind": "me"}, {"kind": "open"}]}',
    b'{"clock": {"kind": "move", "seconds": 1e400}, "game": "scotland-yard/grid3", "seats": [{"kind": "me"}]}',
    b'{"clock": {"kind": "move", "seconds": NaN}, "game": "scotland-yard/grid3", "seats": [{"kind": "me"}]}',
    b"\xff\xfe",
    b"",
    b"null",
    b"1" * 5000,
]


@pytest.mark.parametrize("path", ["/api/tables", "/api/tables/nosuchid/join", "/api/replay", "/api/analysis", "/api/ticket"])
@pytest.mark.parametrize("body", SPEECHLESS)
def test_whatever_is_posted_one_sentence_comes_back(server: Server, path: str, body: bytes) -> None:
    status, told = ask(server, path, "", body)
    assert status in (400, 403, 404) and told["error"].isprintable(), told


@pytest.mark.parametrize(
    "path",
    [
        "/api/tables/%00",
        "/api/tables/%ED%A0%80",
        "/api/tables/" + "a" * 5000,
        "/api/tables/..%2f..%2fetc",
        "/api/board?game=%00",
        "/api/board?game=scotland-yard/%ED%A0%80",
        "/api/board?game=scotland-yard/grid3:rounds=" + "9" * 400,
        "/api/games/%00",
        "/api/games/risk/odds?attackers=" + "9" * 5000 + "&defenders=1",
        "/api/odds?attackers=-1&defenders=1e9",
        "/api/%00",
        "/api/tables/nosuchid/replay?seat=" + "9" * 5000,
        "/games/scotland-yard/%00.js",
        "/%00.js",
        "/js/%ED%A0%80.js",
        "/js/" + "a" * 5000 + ".js",
        "/games/%2e%2e/%2e%2e/etc/passwd",
    ],
)
def test_whatever_is_asked_one_sentence_comes_back(server: Server, path: str) -> None:
    status, told = ask(server, path, "")
    assert 400 <= status < 500 and told["error"].isprintable() and len(told["error"]) <= 600, told


@pytest.mark.parametrize(
    "message",
    [
        b"\x00\x01",
        b"",
        "",
        "[" * 10_000,
        '{"type": "chat", "text": "a\\u0000b"}',
        '{"type": "chat", "text": "\\ud800"}',
        '{"type": "chat", "text": 7}',
        '{"type": "play", "move": 1' + "0" * 5000 + ', "version": 0}',
        '{"type": "play", "move": 0, "version": 1' + "0" * 400 + "}",
        '{"type": "takeover", "seat": -99999999999999999999}',
        '{"type": "show", "seat": 1e30}',
        '{"type": "\\ud800"}',
        '{"type": "start", "fill": "\\udfff"}',
    ],
)
def test_whatever_a_socket_is_sent_one_sentence_comes_back(server: Server, message: str | bytes) -> None:
    table, token = server.new_table(GAME, "me", "open")
    client = server.client(table, token)
    client.receive()
    client.socket.send(message)
    told = client.error()
    assert told.isprintable() and len(told) < 600 and "pattern" not in told, told
    client.send(type="ping")
    client.until(lambda m: m["type"] == "pong")  # the connection lives
    client.close()


@pytest.mark.parametrize("first", [b"\x00", "", "[" * 10_000, '{"type": "hello", "token": 7}', '{"type": "ping"}'])
def test_a_socket_that_does_not_say_hello_is_told_how(server: Server, first: str | bytes) -> None:
    table, _ = server.new_table(GAME, "me", "open")
    with connect(f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket") as client:
        client.send(first)
        assert "The first message must be" in json.loads(client.recv(30))["error"]


def test_ids_cannot_be_guessed_and_old_ones_keep_working(server: Server) -> None:
    table, _ = server.new_table(GAME, "me", "open")
    assert len(table) == 12 and table.isalnum()


def test_the_page_about_the_api_runs_no_script(server: Server) -> None:
    with urllib.request.urlopen(server.address + "/api/docs") as answer:
        page = answer.read().decode()
    assert "<script" not in page and "http" not in page
    assert "/api/tables/{id}/join" in page and "Take open seats." in page
