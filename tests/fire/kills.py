"""Kill one of two server processes again and again while people play, and compare what they were told with the database.

Needs PostgreSQL: python -m tests.fire.kills --database postgresql+psycopg://... --kills 100
"""

from __future__ import annotations

import argparse
import json
import random
import threading
import time
from dataclasses import dataclass, field

from websockets.exceptions import WebSocketException

from fogbound.server.storage import Storage, TableRow
from tests.server.running import Client, Server

GAME = "scotland-yard/london:detectives=1"


@dataclass
class Player:
    """Plays game after game against an agent, through whichever process answers."""

    servers: list[Server]
    rng: random.Random
    acknowledged: list[tuple[str, int, int]] = field(default_factory=list)  # table, version, move
    stop: bool = False
    games: int = 0
    longest: float = 0.0
    """Seconds between two acknowledgements, at most."""

    def run(self) -> None:
        client: Client | None = None
        table = token = ""
        pending: dict[str, object] | None = None
        last = time.monotonic()
        while not self.stop:
            try:
                if not table:
                    table, token = self.rng.choice(self.servers).new_table(GAME, "me", "beginner")
                    self.games += 1
                if client is None:
                    client = self.rng.choice(self.servers).client(table, token)
                    client.receive()
                if pending is None:
                    if client.turn()["phase"] == "over":
                        table, client = "", None
                        continue
                    code = self.rng.choice(client.table["legal"])["code"]
                    pending = {
                        "type": "play",
                        "move": code,
                        "version": client.table["version"],
                        "id": f"{self.rng.random()}",
                    }
                client.send(**pending)
                answer = client.until(lambda m: m["type"] in ("played", "error"))
                if answer["type"] == "error":
                    raise OSError(answer["error"])
                self.acknowledged.append((table, int(str(pending["version"])), int(str(pending["move"]))))
                self.longest = max(self.longest, time.monotonic() - last)
                last, pending = time.monotonic(), None
                time.sleep(0.05)
            except (OSError, WebSocketException, AssertionError, EOFError):
                client = None
                time.sleep(0.2)


def _is_stored(row: TableRow | None, number: int, code: int) -> bool:
    return row is not None and number < len(row.moves) and row.moves[number][1] == code


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", required=True)
    parser.add_argument("--kills", type=int, default=100)
    parser.add_argument("--players", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    servers = [Server(asked.database), Server(asked.database)]
    players = [Player(servers, random.Random(asked.seed + n)) for n in range(asked.players)]
    threads = [threading.Thread(target=player.run, daemon=True) for player in players]
    for thread in threads:
        thread.start()
    rng = random.Random(asked.seed)
    for number in range(asked.kills):
        time.sleep(rng.uniform(1.0, 4.0))
        victim = rng.choice(servers)
        victim.kill()
        time.sleep(rng.uniform(0.0, 2.0))
        victim.start()
        if number % 10 == 9:
            print(
                f"{number + 1} kills, {sum(len(player.acknowledged) for player in players)} acknowledged moves", flush=True
            )
    time.sleep(10)
    for player in players:
        player.stop = True
    for thread in threads:
        thread.join(30)
    storage = Storage(asked.database)
    told = [move for player in players for move in player.acknowledged]
    stored = {id: storage.load(id) for id in {table for table, _, _ in told}}
    lost = [move for move in told if not _is_stored(stored[move[0]], *move[1:])]
    figures = {
        "kills": asked.kills,
        "games": sum(player.games for player in players),
        "acknowledged": len(told),
        "lost": len(lost),
        "longest wait s": round(max(player.longest for player in players), 1),
    }
    print(json.dumps(figures))
    for server in servers:
        server.kill()


if __name__ == "__main__":
    main()
