"""Many games, one after another, on one server: its memory, files and threads must not grow with them.

python -m tests.fire.soak --games 1000
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path

from tests.server.running import Server, sqlite

MASTER = 40  # every so many games one is played by Master
GAMES = ("scotland-yard/grid4:detectives=1,rounds=6", "scotland-yard/plan1:detectives=2", "empire/seed:players=2")


def measured(process: int) -> tuple[float, int, int]:
    """Megabytes in memory, open files and threads of a process (without its children)."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines() if ":" in line)
    return int(status["VmRSS"].split()[0]) / 1024, len(os.listdir(f"/proc/{process}/fd")), int(status["Threads"])


def worker_of(process: int) -> int:
    """The process in which the server's agents think."""
    return int(Path(f"/proc/{process}/task/{process}/children").read_text().split()[0])


def game(server: Server, spec: str, level: str) -> None:
    """A game between agents with somebody who watches it to its end, looks at the record and the replay, and goes."""
    seats = len(server.get(f"/api/board?game={spec}")["side_of"])
    table, _ = server.new_table(spec, *[level] * seats)
    client = server.client(table)
    client.until(lambda m: m.get("phase") == "over")
    client.close()
    server.post("/api/replay?seat=-1", server.get(f"/api/tables/{table}/record"))
    server.get(f"/api/tables/{table}/replay")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--level", default="steady")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        server = Server(sqlite(Path(folder)))
        try:
            server.warm_up(*GAMES)
            began = time.monotonic()
            for number in range(given.games + 1):
                if number % max(1, given.games // 20) == 0:
                    memory, files, threads = measured(server.process.pid)
                    worker, spent = measured(worker_of(server.process.pid))[0], time.monotonic() - began
                    sizes = f"{memory:.0f} MB, its worker {worker:.0f} MB, {files} files, {threads} threads"
                    print(f"{number} games: {sizes}, {spent:.0f} s", flush=True)
                level = "master" if number % MASTER == MASTER - 1 else given.level
                game(server, GAMES[number % len(GAMES)], level)
        finally:
            server.kill()


if __name__ == "__main__":
    main()
