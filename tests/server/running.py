"""A real server on a free port, and a client that speaks its protocol as anybody's would."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

PATIENCE = 240.0  # seconds; on a fresh machine the rules are compiled first
PROGRAM = """
import os, sys, uvicorn
from fogbound.server import listening
from fogbound.server.app import create_app
from fogbound.server.logs import set_up
set_up()
people, proxies = int(sys.argv[5]), sys.argv[6:]
thinkers = int(os.environ.get("THINKERS", 1))
own = {"people": people, "thinkers": thinkers, "warm": thinkers > 1}
app = create_app(sys.argv[1], bot_delay=float(sys.argv[3]), seeds_for_all=bool(int(sys.argv[4])), **own)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), **listening.settings(proxies, 10 * people))
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """A server process; `kill` ends it as a power cut would."""

    def __init__(
        self,
        database: str,
        bot_delay: float = 0.0,
        seeds_for_all: bool = False,
        path: Sequence[str] = (),
        people: int = 1000,
        proxies: Sequence[str] = (),
        thinkers: int = 1,
    ) -> None:
        """`path` holds folders with packages that are installed beside Fogbound; an address has the share of `people`."""
        self.door = [str(people), *proxies]
        self.database, self.bot_delay, self.seeds, self.port = database, bot_delay, seeds_for_all, free_port()
        found = os.pathsep.join(filter(None, [*path, os.environ.get("PYTHONPATH")]))
        self.environment = {**os.environ, "PYTHONPATH": found} if path else dict(os.environ)
        self.environment["THINKERS"] = str(thinkers)
        self.start()

    def start(self) -> None:
        args = [
            sys.executable,
            "-c",
            PROGRAM,
            self.database,
            str(self.port),
            str(self.bot_delay),
            str(int(self.seeds)),
            *self.door,
        ]
        self.process = subprocess.Popen(args, env=self.environment)
        for _ in range(900):
            try:
                self.get("/api/tables")
                return
            except (OSError, urllib.error.URLError):
                assert self.process.poll() is None, "the server ended at once"
                time.sleep(0.1)
        raise AssertionError("the server does not answer")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def get(self, path: str, token: str | None = None) -> Any:
        return self._ask(urllib.request.Request(self.address + path), token)

    def post(self, path: str, body: Any, token: str | None = None) -> Any:
        data = json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"})
        return self._ask(request, token)

    def _ask(self, request: urllib.request.Request, token: str | None) -> Any:
        if token:
            request.add_header("authorization", f"Bearer {token}")
        try:
            with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
                return json.loads(answer.read())
        except urllib.error.HTTPError as error:
            return {"status": error.code, **json.loads(error.read())}

    def new_table(self, game: str, *seats: str, **more: Any) -> tuple[str, str]:
        """A table; seats are `me`, `open` or the name of a level."""
        wishes = [{"kind": seat} if seat in ("me", "open") else {"kind": "agent", "level": seat} for seat in seats]
        made = self.post("/api/tables", {"game": game, "seats": wishes, "nickname": "Ann", **more})
        assert "id" in made, made
        return made["id"], made["token"]

    def warm_up(self, *games: str) -> None:
        """Have everything compiled that games between agents need."""
        for game in games:
            sides = self.get(f"/api/board?game={game}")["side_of"]
            table, _ = self.new_table(game, *(["steady"] * len(sides)))
            self.client(table).until(lambda m: m["type"] == "table" and m["phase"] == "over")
            while self.get(f"/api/tables/{table}")["compiling"]:
                time.sleep(0.2)

    def client(self, table: str, token: str | None = None) -> Client:
        return Client(f"ws://127.0.0.1:{self.port}/api/tables/{table}/socket", token)


class Client:
    """One connection to a table; keeps every byte it was sent."""

    def __init__(self, address: str, token: str | None) -> None:
        self.socket: ClientConnection = connect(address, open_timeout=30).__enter__()
        self.received: list[str] = []
        self.seen: list[dict[str, Any]] = []  # the same, with changes made into whole tables
        self.table: dict[str, Any] = {}
        self.send(type="hello", token=token, changes=True)

    def send(self, **message: Any) -> None:
        self.socket.send(json.dumps(message))

    def receive(self, timeout: float = PATIENCE) -> dict[str, Any]:
        text = self.socket.recv(timeout)
        assert isinstance(text, str)
        self.received.append(text)
        message: dict[str, Any] = json.loads(text)
        if message["type"] == "change":
            message = self.changed(message)
        if message["type"] == "table":
            self.table = message
        self.seen.append(message)
        return message

    def changed(self, change: dict[str, Any]) -> dict[str, Any]:
        """The whole table again, from the one before and what has changed."""
        table = {**self.table, **change.get("set", {})}
        if "view" in change:
            table["view"] = {**self.table["view"], **change["view"]}
        new = change.get("history", {"from": len(table["history"]), "moves": []})
        assert new["from"] <= len(table["history"]), "moves are missing"
        return table | {
            "history": table["history"][: new["from"]] + new["moves"],
            "chat": (table["chat"] + change.get("chat", []))[-100:],
        }

    def until(self, wanted: Any) -> dict[str, Any]:
        """Read until a message fits."""
        for _ in range(3000):
            message = self.receive()
            if wanted(message):
                return message
        raise AssertionError("the message never came")

    def turn(self) -> dict[str, Any]:
        """Read until it is this client's turn or the game is over."""
        if self.table and (self.table.get("legal") or self.table["phase"] == "over"):
            return self.table
        return self.until(lambda m: m["type"] == "table" and (m.get("legal") or m["phase"] == "over"))

    def play(self, code: int) -> dict[str, Any]:
        """Play a move and read until it shows (or is refused)."""
        version = self.table["version"]
        self.send(type="play", move=code, version=version)
        return self.until(lambda m: m["type"] == "error" or (m["type"] == "table" and m["version"] > version))

    def error(self) -> str:
        return str(self.until(lambda m: m["type"] == "error")["error"])

    def close(self) -> None:
        self.socket.close()


def sqlite(folder: Path) -> str:
    return f"sqlite:///{folder / 'tables.sqlite'}"
