"""How fast the server answers under load: a person's moves beside many games of agents, bytes by length, and spectators.

python -m tests.fire.load moves --tables 0 20
python -m tests.fire.load bytes --moves 100 1000 5000
python -m tests.fire.load spectators --count 990
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import resource
import statistics
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from fogbound.core import registry
from fogbound.server.lobby import Lobby
from fogbound.server.storage import Storage
from fogbound.server.table import digest
from fogbound.server.thinking import Thinkers
from tests.server.inside import Watcher
from tests.server.running import Server, sqlite

LONDON = "scotland-yard/london:detectives=5"
RISK = "risk/classic:players=2,neutral=false,deal=true"
PAUSE = 0.07  # seconds between a person's moves: faster ones are held back


def moves(tables: int, count: int, level: str, thinkers: int) -> dict[str, Any]:
    """Seconds from sending a move until it is seen, beside so many games between agents of a level."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sqlite(Path(folder)), bot_delay=0.6, thinkers=thinkers)
        try:
            server.warm_up("scotland-yard/grid4:detectives=1,rounds=4")
            others = [server.client(server.new_table(LONDON, *[level] * 6)[0]) for _ in range(tables)]
            for other in others:
                other.receive()
            time.sleep(5)
            seconds = []
            while len(seconds) < count:
                table, token = server.new_table(RISK, "me", "me")
                client = server.client(table, token)
                client.receive()
                while len(seconds) < count and client.table["phase"] == "playing" and client.table["version"] < 100:
                    if client.table["hand_over"] is not None:
                        client.send(type="show", seat=client.table["hand_over"])
                        client.turn()
                    time.sleep(PAUSE)
                    began = time.perf_counter()
                    client.play(client.table["legal"][0]["code"])
                    seconds.append(time.perf_counter() - began)
                client.close()
            return {"tables": tables, "moves": len(seconds)} | quantiles(seconds)
        finally:
            server.kill()


def quantiles(seconds: list[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=100)
    named = {"p50": cuts[49], "p95": cuts[94], "p99": cuts[98], "max": max(seconds)}
    return {f"{name} ms": round(1000 * value, 1) for name, value in named.items()}


def sizes(lengths: list[int]) -> list[dict[str, Any]]:
    """Bytes and processor time of one move and one viewer, at several lengths of one game."""
    with tempfile.TemporaryDirectory() as folder:
        return asyncio.run(_sizes(lengths, Path(folder)))


async def _sizes(lengths: list[int], folder: Path) -> list[dict[str, Any]]:
    lobby = Lobby(Storage(sqlite(folder)), Thinkers(1))
    table, token = await lobby.create_own(registry.game(RISK), 0, "beginner", 1)
    table.row.seats[1].kind, table.row.seats[1].token = "person", digest(token)
    watcher, found = Watcher(), []
    table.enter(watcher)
    watcher.read(table)
    texts: list[str] = []
    spent = 0.0
    while table.version < max(lengths) and table.phase == "playing":
        assert table.match is not None
        peaceful = [code for code in table.game.legal(table.match.state) if table.game.details(code)["kind"] != "attack"]
        await table.play(digest(token), peaceful[len(peaceful) // 2], table.version)
        began = time.process_time()
        text = table.news(watcher)
        spent += time.process_time() - began
        texts.append(text or "")
        if table.version in lengths:
            last = texts[-50:]
            found.append(
                {
                    "moves": table.version,
                    "bytes a move": round(statistics.mean(map(len, last))),
                    "compressed": round(statistics.mean(len(zlib.compress(text.encode())) for text in last)),
                    "ms a move": round(1000 * spent / len(texts), 3),
                    "whole": len(table.news(Watcher()) or ""),
                }
            )
            texts, spent = [], 0.0
    lobby.close()
    return found


def spectators(count: int, played: int) -> dict[str, Any]:
    """So many people watch one table: how long they take to enter, and until all have seen a move."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sqlite(Path(folder)))
        try:
            table, token = server.new_table(RISK, "me", "me")
            client = server.client(table, token)
            client.receive()
            return asyncio.run(_watch(server, client, table, count, played))
        finally:
            server.kill()


async def _watch(server: Server, client: Any, table: str, count: int, played: int) -> dict[str, Any]:
    address = f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket"
    began = time.perf_counter()
    gate = asyncio.Semaphore(50)

    async def enter() -> Any:
        async with gate:
            socket = await connect(address, open_timeout=120)
            await socket.send('{"type": "hello", "token": null, "changes": true}')
            await socket.recv()
            return socket

    sockets = await asyncio.gather(*(enter() for _ in range(count)))
    entered, seconds = time.perf_counter() - began, []

    async def until(socket: Any, version: int) -> None:
        while json.loads(await socket.recv())["set"].get("version") != version:
            pass

    for _ in range(played):
        if client.table["hand_over"] is not None:
            client.send(type="show", seat=client.table["hand_over"])
            client.turn()
        version = client.table["version"] + 1
        began = time.perf_counter()
        seen = asyncio.gather(*(until(socket, version) for socket in sockets))
        await asyncio.to_thread(client.play, client.table["legal"][0]["code"])
        await seen
        seconds.append(time.perf_counter() - began)
    await asyncio.gather(*(socket.close() for socket in sockets))
    return {"spectators": count, "enter s": round(entered, 2), "all saw a move after ms": quantiles(seconds)["p50 ms"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    kinds = parser.add_subparsers(dest="kind", required=True)
    beside = kinds.add_parser("moves")
    beside.add_argument("--tables", type=int, nargs="+", default=[0, 20])
    beside.add_argument("--count", type=int, default=200)
    beside.add_argument("--level", default="master")
    beside.add_argument("--thinkers", type=int, default=os.cpu_count() or 1)
    kinds.add_parser("bytes").add_argument("--moves", type=int, nargs="+", default=[100, 1000])
    watching = kinds.add_parser("spectators")
    watching.add_argument("--count", type=int, default=990)
    watching.add_argument("--moves", type=int, default=10)
    asked = parser.parse_args()
    if asked.kind == "moves":
        for tables in asked.tables:
            print(json.dumps(moves(tables, asked.count, asked.level, asked.thinkers)), flush=True)
    elif asked.kind == "bytes":
        for line in sizes(asked.moves):
            print(json.dumps(line), flush=True)
    else:
        print(json.dumps(spectators(asked.count, asked.moves)), flush=True)


if __name__ == "__main__":
    main()
