"""How fast the server answers under load, with one process or several. Each command starts `fogbound serve` once.

python -m tests.fire.load sockets --tables 100          three people at each table, and all tables play
python -m tests.fire.load spectators --people 999       many look at one table
python -m tests.fire.load games --games 999             a person's moves beside many open games
python -m tests.fire.load moves --tables 0 20 100       a person's moves beside games between agents
python -m tests.fire.load bytes --lengths 100 1000      what one move costs, by the length of the game

Several kinds can be given. --database postgresql+psycopg://... --processes 2 for several processes; SQLite and one by
default.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from fogbound.core import registry
from fogbound.core.match import Match
from fogbound.server import metrics
from fogbound.server.lobby import Lobby
from fogbound.server.storage import Storage
from fogbound.server.table import digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Watcher
from tests.server.running import Client, Server, sqlite

LONDON = "scotland-yard/london:detectives=5"
RISK = "risk/classic:players=2,neutral=false,deal=true"
LONG = f"{RISK},round_limit=10000"
FIGHTS, FEW = ("attack", "battle"), 12  # and territories with which nobody is attacked any more
PAUSE = 0.07  # seconds between a person's moves: faster ones are held back
READY_ANSWERS = 10  # for each process, until all are ready


class Serving(Server):
    """What `fogbound serve` starts, with as many processes as are wanted and all of them ready."""

    def __init__(self, database: str, processes: int) -> None:
        self.processes = processes
        super().__init__(database)

    def start(self) -> None:
        options = ["--port", str(self.port), "--workers", str(self.processes), "--people-per-address", "1000"]
        command = [sys.executable, "-m", "fogbound", "serve", *options, "--database", self.database]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        ready, deadline = 0, time.monotonic() + 600
        while ready < READY_ANSWERS * self.processes:
            assert self.process.poll() is None and time.monotonic() < deadline, "the server does not get ready"
            with suppress(OSError, urllib.error.URLError):
                ready = ready + 1 if "status" not in self.get("/api/ready") else 0
                if ready:
                    continue
            time.sleep(0.5)

    def kill(self) -> None:
        self.process.terminate()
        self.process.wait()

    def metric(self, name: str) -> float:
        """The sum over all processes."""
        time.sleep(metrics.KEPT)
        with urllib.request.urlopen(f"{self.address}/api/metrics") as answer:
            lines = [line.rsplit(" ", 1) for line in answer.read().decode().splitlines() if not line.startswith("#")]
        return sum(float(value) for key, value in lines if key.partition("{")[0] == name)

    def megabytes(self) -> int:
        """Memory of the server processes, without their workers."""
        ids = [str(self.process.pid)] if self.processes == 1 else _children(self.process.pid)
        texts = [Path(f"/proc/{id}/status").read_text() for id in ids]
        return sum(int(text.split("VmRSS:")[1].split()[0]) for text in texts) // 1024

    def socket_address(self, table: str) -> str:
        return f"ws://127.0.0.1:{self.port}/api/tables/{table}/socket"


def _children(process: int) -> list[str]:
    return Path(f"/proc/{process}/task/{process}/children").read_text().split()


class Crowd:
    """People who look at tables and read all they are sent, in a thread of their own."""

    def __init__(self) -> None:
        self.loop, self.tasks = asyncio.new_event_loop(), list[Any]()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()

    def watch(self, addresses: list[str]) -> None:
        entered = asyncio.run_coroutine_threadsafe(self._watch(addresses), self.loop)
        entered.result(600)

    async def _watch(self, addresses: list[str]) -> None:
        gate = asyncio.Semaphore(20)

        async def enter(address: str) -> None:
            async with gate:
                person = await entered(address)
            self.tasks.append(asyncio.ensure_future(_drain(person.socket)))

        await asyncio.gather(*map(enter, addresses))

    def leave(self) -> None:
        asyncio.run_coroutine_threadsafe(self._leave(), self.loop).result(60)
        self.loop.call_soon_threadsafe(self.loop.stop)

    async def _leave(self) -> None:
        for task in self.tasks:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


class Person:
    """A connection to a table, and what it knows of the table beside the history."""

    def __init__(self, socket: Any) -> None:
        self.socket, self.known = socket, dict[str, Any]()

    async def read(self) -> None:
        message = json.loads(await self.socket.recv())
        self.known |= message if message["type"] == "table" else message.get("set", {})

    async def until(self, version: int) -> None:
        while self.known["version"] < version:
            await self.read()


async def entered(address: str, token: str | None = None) -> Person:
    """Somebody who has the first message."""
    person = Person(await connect(address, open_timeout=120))
    await person.socket.send(json.dumps({"type": "hello", "token": token, "changes": True}))
    await person.read()
    return person


async def _drain(socket: Any) -> None:
    with suppress(WebSocketException):
        try:
            while True:
                await socket.recv()
        finally:
            await socket.close()


@contextmanager
def serving(database: str | None, processes: int) -> Iterator[Serving]:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    with tempfile.TemporaryDirectory() as folder:
        server = Serving(database or sqlite(Path(folder)), processes)
        try:
            yield server
        finally:
            server.kill()


def moves(server: Serving, tables: list[int], count: int, level: str) -> Iterator[dict[str, Any]]:
    """Seconds from sending a move until it is seen, beside so many games between agents of a level."""
    crowd, there = Crowd(), 0
    for wanted in sorted(tables):
        new = [server.new_table(LONDON, *[level] * 6)[0] for _ in range(wanted - there)]
        crowd.watch([server.socket_address(table) for table in new])
        there = wanted
        if there:
            time.sleep(5)
        before, began = server.metric("fogbound_moves_total"), time.monotonic()
        seconds = persons_moves(server, count)
        own, spent = len(seconds), time.monotonic() - began
        played = (server.metric("fogbound_moves_total") - before - own) / spent
        yield {"tables": wanted, "moves": own, **quantiles(seconds), "agents' moves a second": round(played, 1)}
    crowd.leave()


def persons_moves(server: Server, count: int) -> list[float]:
    """How long each move of somebody takes who plays both sides on one screen."""
    seconds: list[float] = []
    while len(seconds) < count:
        table, token = server.new_table(RISK, "me", "me")
        client = server.client(table, token)
        client.receive()
        while len(seconds) < count and client.table["phase"] == "playing" and client.table["version"] < 100:
            seconds.append(one_move(client))
        client.close()
    return seconds


def one_move(client: Client) -> float:
    if client.table["hand_over"] is not None:
        client.send(type="show", seat=client.table["hand_over"])
        client.turn()
    time.sleep(PAUSE)
    began = time.perf_counter()
    client.play(client.table["legal"][0]["code"])
    return time.perf_counter() - began


def quantiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100)
    named = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(seconds)}
    return {f"{name} ms": round(1000 * value, 1) for name, value in named.items()}


def sockets(server: Serving, tables: int, count: int) -> dict[str, Any]:
    """Three sockets at every table, one of which plays a move a second: how long until all three have seen it."""
    made = [server.new_table(RISK, "me", "me") for _ in range(tables)]
    seconds = asyncio.run(_play_all(server, made, count))
    return {"tables": tables, "sockets": 3 * tables, "moves": len(seconds)} | quantiles(seconds)


async def _play_all(server: Serving, made: list[tuple[str, str]], count: int) -> list[float]:
    gate = asyncio.Semaphore(20)

    async def at(table: str, token: str) -> list[float]:
        async with gate:
            people = [await entered(server.socket_address(table), each) for each in (token, None, None)]
        seconds = await _play_on(people, count, places[table])
        await asyncio.gather(*(each.socket.close() for each in people))
        return seconds

    places = {table: number / len(made) for number, (table, _) in enumerate(made)}
    found = await asyncio.gather(*(at(*each) for each in made))
    return [second for some in found for second in some]


async def _play_on(people: list[Person], count: int, wait: float) -> list[float]:
    """The first of the people plays a move a second; how long until all have seen it."""
    seconds, player = list[float](), people[0]
    await asyncio.sleep(wait)
    for _ in range(count):
        while not player.known["legal"]:
            await player.socket.send(json.dumps({"type": "show", "seat": player.known["hand_over"]}))
            await player.read()
        version = player.known["version"]
        move = {"type": "play", "move": player.known["legal"][0]["code"], "version": version}
        began = time.perf_counter()
        await player.socket.send(json.dumps(move))
        await asyncio.gather(*(each.until(version + 1) for each in people))
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(1)
    return seconds


def spectators(server: Serving, count: int, played: int) -> dict[str, Any]:
    """So many people watch one table: how long they take to enter, and until all have seen a move."""
    table, token = server.new_table(RISK, "me", "me")
    client = server.client(table, token)
    client.receive()
    return asyncio.run(_watch(server, client, table, count, played))


async def _watch(server: Serving, client: Client, table: str, count: int, played: int) -> dict[str, Any]:
    began, gate, seconds = time.perf_counter(), asyncio.Semaphore(50), list[float]()

    async def enter() -> Person:
        async with gate:
            return await entered(server.socket_address(table))

    watching = await asyncio.gather(*(enter() for _ in range(count)))
    spent = time.perf_counter() - began
    for _ in range(played):
        if client.table["hand_over"] is not None:
            client.send(type="show", seat=client.table["hand_over"])
            client.turn()
        version = client.table["version"] + 1
        began = time.perf_counter()
        seen = asyncio.gather(*(each.until(version) for each in watching))
        await asyncio.to_thread(client.play, client.table["legal"][0]["code"])
        await seen
        seconds.append(time.perf_counter() - began)
    await asyncio.gather(*(each.socket.close() for each in watching))
    client.close()
    return {"spectators": count, "enter s": round(spent, 2), "moves": played} | quantiles(seconds)


def games(server: Serving, count: int, played: int) -> dict[str, Any]:
    """A person's moves beside so many open games that somebody looks at, and what they take of memory."""
    before, began = server.megabytes(), time.perf_counter()
    made = [server.new_table(RISK, "me", "me")[0] for _ in range(count)]
    opened = time.perf_counter() - began
    crowd = Crowd()
    crowd.watch([server.socket_address(table) for table in made])
    spent, memory = time.perf_counter() - began, server.megabytes()
    seconds = persons_moves(server, played)
    crowd.leave()
    told = {"made s": round(opened, 1), "watched s": round(spent, 1), "MB before": before, "MB": memory}
    return {"games": count, **told, "moves": played, **quantiles(seconds)}


def sizes(lengths: list[int]) -> list[dict[str, Any]]:
    """Bytes and processor time of one move and one viewer, at several lengths of one game."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_sizes(lengths, Path(folder)))


async def _sizes(lengths: list[int], folder: Path) -> list[dict[str, Any]]:
    lobby = Lobby(Storage(sqlite(folder)), Thinkers(1))
    table, token = await lobby.create_own(registry.game(LONG), 0, "beginner", 1)
    table.row.seats[1].kind, table.row.seats[1].token = "person", digest(token)
    watcher, found = Watcher(), []
    table.enter(watcher)
    watcher.read(table)
    texts: list[str] = []
    playing: list[float] = []
    telling: list[float] = []
    while table.version < max(lengths) and table.phase == "playing":
        assert table.match is not None
        code = endless(table.match)
        began = time.process_time()
        await table.play(digest(token), code, table.version)
        played = time.process_time()
        text = table.news(watcher)
        telling.append(time.process_time() - played)
        playing.append(played - began)
        texts.append(text or "")
        if table.version in lengths:
            last = texts[-50:]
            found.append(
                {
                    "moves": table.version,
                    "bytes a move": round(statistics.mean(map(len, last))),
                    "compressed": round(statistics.mean(len(zlib.compress(text.encode())) for text in last)),
                    "ms to play it": round(1000 * statistics.mean(playing[-50:]), 2),
                    "ms to tell it": round(1000 * statistics.mean(telling[-50:]), 2),
                    "whole": len(table.news(Watcher()) or ""),
                }
            )
    lobby.close()
    return found


def endless(match: Match) -> int:
    """A move of a game of Risk in which cards are won and turned in, and nobody is ever destroyed."""
    game = match.game
    weak = min(player["territories"] for player in game.public(match.state)["players"]) < FEW
    codes = [code for code in game.legal(match.state) if not (weak and game.details(code)["kind"] in FIGHTS)]
    return codes[len(codes) // 2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="+", choices=("sockets", "spectators", "games", "moves", "bytes"))
    parser.add_argument("--database", help="a PostgreSQL database; SQLite in a new folder by default")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--tables", type=int, nargs="+", default=[0, 20, 100])
    parser.add_argument("--people", type=int, default=999, help="spectators of one table")
    parser.add_argument("--games", type=int, default=999, help="open games")
    parser.add_argument("--count", type=int, default=200, help="moves that are measured each time")
    parser.add_argument("--level", default="master", help="of the agents in other games")
    parser.add_argument("--lengths", type=int, nargs="+", default=[100, 1000, 5000], help="of a game")
    asked = parser.parse_args()
    if "bytes" in asked.kinds:
        for line in sizes(asked.lengths):
            print(json.dumps(line), flush=True)
    if asked.kinds != ["bytes"]:
        with serving(asked.database, asked.processes) as server:
            for kind in asked.kinds:
                for line in measured(kind, server, asked):
                    print(json.dumps({"kind": kind, "processes": asked.processes, **line}), flush=True)


def measured(kind: str, server: Serving, asked: argparse.Namespace) -> Iterator[dict[str, Any]]:
    match kind:
        case "sockets":
            yield sockets(server, max(asked.tables), max(2, asked.count // 10))
        case "spectators":
            yield spectators(server, asked.people, max(2, asked.count // 10))
        case "games":
            yield games(server, asked.games, asked.count)
        case "moves":
            yield from moves(server, asked.tables, asked.count, asked.level)


if __name__ == "__main__":
    main()
