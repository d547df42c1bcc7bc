"""How quick the page and its server are: ready time, weight, answers to clicks, many people at once, the first move.

    python -m benchmarks.page                 # all
    python -m benchmarks.page clicks people   # some

Everything runs on one machine, clients and server together; the server is a process of its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from websockets.asyncio.client import connect

from tests.provide import chromium
from tests.server.running import Server, sqlite

GAME = "scotland-yard/plan1"
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--no-first-run"]


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))]


def page(server: Server) -> dict[str, Any]:
    """Front page and a table in Chromium, with an empty browser cache each time."""
    from playwright.sync_api import sync_playwright

    ready, tables, weight = [], [], 0.0
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=QUIET)
        for _ in range(5):
            window = browser.new_context(base_url=server.address).new_page()
            began = time.perf_counter()
            window.goto("/")
            window.wait_for_selector(".game-card")
            ready.append(time.perf_counter() - began)
            window.wait_for_load_state("networkidle")
            entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
            weight = window.evaluate(f"{entries}.reduce((sum, e) => sum + e.transferSize, 0)")
            began = time.perf_counter()
            window.get_by_role("button", name="Play now").first.click()
            window.wait_for_selector(".moves button")
            tables.append(time.perf_counter() - began)
        browser.close()
    return {
        "front page ready, s (median of 5)": round(statistics.median(ready), 3),
        "weight of the first load, kB": round(weight / 1000, 1),
        "from “Play now” to the first choice, s (median of 5)": round(statistics.median(tables), 3),
    }


async def player(server: Server, until: float, pause: float, times: list[float]) -> int:
    """One person against a quick bot: plays at random with pauses, and a new game after each; games played."""
    games = 0
    while time.perf_counter() < until:
        table, token = await asyncio.to_thread(server.new_table, GAME, "steady", "me", "me", "me")
        games += 1
        async with connect(f"ws://127.0.0.1:{server.port}/api/tables/{table}/socket") as socket:
            await socket.send(json.dumps({"type": "hello", "token": token}))
            sent, began = -1, 0.0
            async for text in socket:
                message = json.loads(text)
                if message["type"] != "table":
                    continue
                if began and message["version"] > sent:
                    times.append(time.perf_counter() - began)
                    began = 0.0
                if message["phase"] == "over" or time.perf_counter() > until:
                    break
                if message["legal"] and message["version"] > sent:
                    await asyncio.sleep(pause * random.uniform(0.5, 1.5))
                    sent, began = message["version"], time.perf_counter()
                    move = random.choice(message["legal"])["code"]
                    await socket.send(json.dumps({"type": "play", "move": move, "version": sent}))
    return games


def clicks(server: Server, games: int = 50, seconds: float = 20, pause: float = 1.0) -> dict[str, Any]:
    times: list[float] = []

    async def all_of_them() -> list[int]:
        until = time.perf_counter() + seconds
        return await asyncio.gather(*(player(server, until, pause, times) for _ in range(games)))

    asyncio.run(all_of_them())
    return {
        "games at once": games,
        "moves answered": len(times),
        "answer to a move, ms: median": round(1000 * statistics.median(times), 1),
        "95th percentile": round(1000 * percentile(times, 0.95), 1),
        "99th percentile": round(1000 * percentile(times, 0.99), 1),
    }


def people(server: Server, tables: int = 40, watchers: int = 4) -> dict[str, Any]:
    """A player and some spectators at each table: everybody must be told of every move."""

    async def watch(id: str, token: str | None) -> int:
        seen = -1
        async with connect(f"ws://127.0.0.1:{server.port}/api/tables/{id}/socket", open_timeout=60) as socket:
            await socket.send(json.dumps({"type": "hello", "token": token}))
            async for text in socket:
                message = json.loads(text)
                if message["type"] == "table":
                    seen = max(seen, message["version"])
                    assert len(message["history"]) == message["version"]
                    if message["phase"] == "over":
                        return seen
                    if message["legal"] and message.get("sent") is None:
                        await asyncio.sleep(0.05)
                        move = random.choice(message["legal"])["code"]
                        await socket.send(json.dumps({"type": "play", "move": move, "version": message["version"]}))
        return -1

    async def all_of_them() -> list[tuple[str, int]]:
        made = [await asyncio.to_thread(server.new_table, GAME, "steady", "me", "me", "me") for _ in range(tables)]
        jobs = [(id, watch(id, token)) for id, token in made]
        jobs += [(id, watch(id, None)) for id, _ in made for _ in range(watchers)]
        ends = await asyncio.gather(*(job for _, job in jobs))
        return list(zip([id for id, _ in jobs], ends, strict=True))

    began = time.perf_counter()
    ends = asyncio.run(all_of_them())
    stored = {id: server.get(f"/api/tables/{id}")["moves"] for id, _ in ends}
    return {
        "connections at once": len(ends),
        "moves played": sum(stored.values()),
        "connections that saw every move": sum(seen == stored[id] for id, seen in ends),
        "seconds": round(time.perf_counter() - began, 1),
    }


def first_move(server: Server) -> dict[str, Any]:
    """From a table made to the AI's first move: a new server with empty caches, then again."""
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        kept = os.environ.get("FOGBOUND_CACHE")
        os.environ["FOGBOUND_CACHE"] = str(Path(folder) / "cache")
        try:
            fresh = Server(sqlite(Path(folder)))
            for label in ("first AI move, empty caches, s", "the next one, s"):
                began = time.perf_counter()
                table, _ = fresh.new_table(GAME, "steady", "me", "me", "me")
                fresh.client(table).until(lambda m: m["type"] == "table" and m["version"] >= 1)
                results[label] = round(time.perf_counter() - began, 2)
            fresh.kill()
        finally:
            os.environ.pop("FOGBOUND_CACHE")
            if kept is not None:
                os.environ["FOGBOUND_CACHE"] = kept
    return results


PARTS: dict[str, Callable[[Server], dict[str, Any]]] = {
    "page": page,
    "clicks": clicks,
    "people": people,
    "first-move": first_move,
}


def main() -> None:
    chosen = sys.argv[1:] or list(PARTS)
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sqlite(Path(folder)))
        server.warm_up(GAME, "empire/seed:players=2,turns=2", "risk/random:territories=8,deal=true,round_limit=2")
        try:
            for name in chosen:
                print(json.dumps({name: PARTS[name](server)}, ensure_ascii=False), flush=True)
        finally:
            server.kill()
    print(json.dumps({"machine": {"cores": os.cpu_count(), "load": os.getloadavg()}}))


if __name__ == "__main__":
    main()
