"""A server that is killed (-9) again and again while people play: no move that was acknowledged may be lost.

python -m tests.fire.restarts --kills 30
python -m tests.fire.restarts --kills 30 --database postgresql+psycopg://...
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from random import Random

from websockets.exceptions import WebSocketException

from fogbound.server.storage import Storage
from tests.server.running import Client, Server, sqlite

GAME = "scotland-yard/london:detectives=1"
Acknowledged = dict[str, dict[int, int]]
"""For each table the codes of its acknowledged moves, by their number."""


def play_until_killed(server: Server, rng: Random, log: Acknowledged, known: dict[str, str]) -> None:
    """Play at one table after another, the unfinished first, until the connection breaks."""
    while True:
        if not known:
            table, token = server.new_table(GAME, "me", "beginner")
            known[table] = token
        table, token = next(iter(known.items()))
        client = server.client(table, token)
        while client.turn()["phase"] != "over":
            _play(client, rng, log.setdefault(table, {}))
        del known[table]
        client.close()


def _play(client: Client, rng: Random, log: dict[int, int]) -> None:
    code, number = rng.choice(client.table["legal"])["code"], client.table["version"]
    if client.play(code)["type"] != "error":
        log[number] = code


def lost(database: str, log: Acknowledged) -> list[str]:
    """Acknowledged moves that the database does not have."""
    storage, found = Storage(database), []
    for table, moves in log.items():
        row = storage.load(table)
        stored = {} if row is None else {number: move[1] for number, move in enumerate(row.moves)}
        found += [f"table {table}, move {number}" for number, code in moves.items() if stored.get(number) != code]
    storage.close()
    return found


def run(database: str, kills: int, seed: int = 0) -> tuple[int, list[str], float]:
    """How many moves were acknowledged, which of them were lost, and how long a start took at most."""
    rng, log, known, longest = Random(seed), Acknowledged(), dict[str, str](), 0.0
    server = Server(database)
    for _ in range(kills):
        timer = threading.Timer(2 + rng.random() * 5, server.process.kill)
        timer.start()
        with suppress(WebSocketException, OSError, EOFError, TimeoutError):
            play_until_killed(server, rng, log, known)
        timer.join()
        server.process.wait()
        began = time.monotonic()
        server.start()
        longest = max(longest, time.monotonic() - began)
    server.kill()
    return sum(map(len, log.values())), lost(database, log), longest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--database", help="a PostgreSQL database; SQLite in a new folder by default")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = given.database or sqlite(Path(folder))
        acknowledged, missing, longest = run(database, given.kills, given.seed)
    print(f"{given.kills} kills, {acknowledged:,} acknowledged moves, {len(missing)} lost, {longest:.1f} s to start at most")
    for line in missing:
        print(line)
    sys.exit(bool(missing))


if __name__ == "__main__":
    main()
