"""What a detective's socket is sent does not depend on Mr X's hidden moves: every byte is compared."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.server.running import Client, Server

GAME = "scotland-yard/plan1:detectives=2"
SEED = 20


def game(server: Server, choose: Any) -> tuple[list[str], list[str]]:
    """Play two rounds; Mr X's move is chosen by `choose`. All bytes that the detectives and a spectator got."""
    table, mr_x = server.new_table(GAME, "me", "open", "open", seed=SEED)
    team = server.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    hider, seeker, watcher = server.client(table, mr_x), server.client(table, team), server.client(table)
    seeker.receive()
    seeker.send(type="ready")
    hider.turn()
    for _ in range(2):
        code = choose(hider.table["legal"])
        version = hider.table["version"]
        hider.table["legal"] = []
        hider.send(type="play", move=code, version=version)
        for _ in (1, 2):
            seeker.until(lambda m: m["type"] == "table" and m.get("legal"))
            seeker.send(type="play", move=10**6, version=seeker.table["version"])
            seeker.error()
            mine = next(move for move in seeker.table["legal"] if move["text"].endswith("taxi"))
            seeker.send(type="play", move=mine["code"], version=seeker.table["version"])
        hider.turn()
    for each in (seeker, watcher):
        drain(each)
    return clean(seeker, table), clean(watcher, table)


def drain(client: Client) -> None:
    client.send(type="ping")
    client.until(lambda m: m["type"] == "pong")


def clean(client: Client, table: str) -> list[str]:
    """What differs between any two tables: the table's id and the clock on the wall."""
    texts = [re.sub(r'"(created|time)": [0-9.]+', r'"\1": 0', text).replace(table, "TABLE") for text in client.received]
    # How many times the same view is sent depends on when others connect; which views are sent must not.
    return list(dict.fromkeys(texts))


def by_taxi(rank: int) -> Any:
    def choose(legal: list[dict[str, Any]]) -> int:
        moves = [move["code"] for move in legal if move["text"].endswith("taxi")]
        return int(moves[rank % len(moves)])

    return choose


def playing(texts: list[str]) -> list[str]:
    return [text for text in texts if json.loads(text)["type"] != "table" or json.loads(text)["phase"] == "playing"]


@pytest.mark.parametrize("rank", [1, -1])
def test_another_hidden_move_sends_the_same_bytes(server: Server, rank: int) -> None:
    one, other = game(server, by_taxi(0)), game(server, by_taxi(rank))
    for first, second in zip(one, other, strict=True):
        assert playing(first) == playing(second)


def test_no_token_and_no_seed_is_ever_sent(server: Server) -> None:
    table, token = server.new_table(GAME, "me", "steady", "steady", seed=987654321)
    client, watcher = server.client(table, token), server.client(table)
    client.turn()
    client.play(client.table["legal"][0]["code"])
    drain(watcher)
    for text in [*client.received, *watcher.received, json.dumps(server.get(f"/api/tables/{table}"))]:
        assert token not in text
        assert "987654321" not in text
