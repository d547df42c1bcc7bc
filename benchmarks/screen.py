"""The game screen in numbers: how much of the window the board has and what is cut off, idle cost, clicks, first load.

    python -m benchmarks.screen

Chromium and the server run on the same machine; the browser's cost is that of all its processes.
"""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.page import QUIET
from tests.e2e.look import CUT, box, sit_down
from tests.provide import chromium
from tests.server.running import Server, sqlite

GAMES = {
    "Scotland Yard": ("scotland-yard/london", 6, ".travel .slot"),
    "Risk": ("risk/classic:players=6,deal=true,starting_armies=7", 6, ".battle, .bonus"),
    "Eight-Minute Empire": ("empire/side-a:players=4", 4, ".points tr, .empire-card"),
}
SIZES = ((1366, 768), (1920, 1080), (390, 844))
WIDE = ".status, .tools button, .board-area, .moves-panel, .seat, .tabs"
PHONE = ".status, .tools button, .board-area, .handle"
IDLE_SECONDS = 20.0
CLICK = """() => new Promise((done) => {
  const area = document.querySelector('.board-area');
  const began = performance.now();
  new MutationObserver((_, watch) => { watch.disconnect(); done(performance.now() - began); })
    .observe(area, {attributeFilter: ['data-version']});
  document.querySelector('.moves button').click();
})"""


def offspring(pid: int) -> list[int]:
    """The processes that a process started, and theirs."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
            if parent == pid:
                found += [int(entry.name), *offspring(int(entry.name))]
    return found


def cpu(pids: list[int]) -> float:
    """Seconds of processor time that they have used."""
    ticks = 0
    for pid in pids:
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def layout(window: Any, own: str) -> dict[str, Any]:
    found = {}
    for width, height in SIZES:
        window.set_viewport_size({"width": width, "height": height})
        window.wait_for_timeout(400)
        area = box(window, ".board-area")
        cut = window.evaluate(CUT, PHONE if width < 900 else f"{WIDE}, {own}")
        share = area["width"] * area["height"] / (width * height)
        found[f"{width}x{height}"] = {"board's share of the window": round(share, 2), "cut off": cut}
    return found


def clicks(window: Any, most: int = 30) -> list[float]:
    times = []
    for _ in range(most):
        window.wait_for_selector(".status.mine, .board-area[data-phase=over]")
        if not window.locator(".moves button").count():
            break
        times.append(window.evaluate(CLICK))
    return times


def main() -> None:
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        server = Server(sqlite(Path(folder)))
        try:
            before = set(offspring(os.getpid()))
            browser = play.chromium.launch(executable_path=chromium(), args=QUIET)
            for name, (game, seats, own) in GAMES.items():
                window = browser.new_context(base_url=server.address, viewport={"width": 1366, "height": 768}).new_page()
                window.add_init_script("localStorage.setItem('fogbound:speed', 'instant')")
                began = time.perf_counter()
                sit_down(window, server, game, "me", *["beginner"] * (seats - 1))
                ready = time.perf_counter() - began
                entries = "[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                weight = window.evaluate(f"{entries}.reduce((sum, e) => sum + e.transferSize, 0)")
                window.wait_for_selector(".status.mine")
                shown = layout(window, own)
                window.set_viewport_size({"width": 1366, "height": 768})
                time.sleep(5)  # until what moves has come to rest
                mine = [pid for pid in offspring(os.getpid()) if pid not in before]
                used = cpu(mine)
                time.sleep(IDLE_SECONDS)
                idle = (cpu(mine) - used) / IDLE_SECONDS
                times = clicks(window)
                figures = {
                    "table ready, s": round(ready, 2),
                    "weight of the table's page, kB": round(weight / 1000, 1),
                    "processor while it waits, share of a core": round(idle, 4),
                    "click to the new position, ms (median)": round(statistics.median(times), 1),
                    "clicks": len(times),
                    "layout": shown,
                }
                print(json.dumps({name: figures}, ensure_ascii=False), flush=True)
                window.context.close()
            browser.close()
        finally:
            server.kill()


if __name__ == "__main__":
    main()
