"""What a socket is sent does not depend on what its seat may not know: every byte is compared.

Mr X's moves, the cards and missions of other players, sealed bids.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.match import Match
from fogbound.server.storage import Change, SeatRow, Storage, TableRow
from fogbound.server.table import digest
from tests.server.running import Client, Server

GAME = "scotland-yard/plan1:detectives=2"
SEED = 20


def game(server: Server, choose: Any) -> tuple[dict[str, str], dict[str, str]]:
    """Play two rounds; Mr X's move is chosen by `choose`. All bytes that the detectives and a spectator know after it."""
    table, mr_x = server.new_table(GAME, "me", "open", "open", seed=SEED)
    team = server.post(f"/api/tables/{table}/join", {"nickname": "Bob"})["token"]
    hider, seeker, watcher = server.client(table, mr_x), server.client(table, team), server.client(table)
    for each in (hider, seeker, watcher):
        each.receive()  # all are there before the game begins
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
        each.send(type="past")
        drain(each)
        assert any(message["type"] == "past" for message in each.seen)
    return known(seeker, table), known(watcher, table)


def drain(client: Client) -> None:
    client.send(type="ping")
    client.until(lambda m: m["type"] == "pong")


def clean(client: Client, table: str) -> list[str]:
    """What differs between any two tables: its id, the clock on the wall, whether the server has just started."""
    texts = [
        re.sub(r'"(created|time|compiling)": [a-z0-9.]+', r'"\1": 0', text).replace(table, "TABLE")
        for text in client.received
    ]
    # How many times the same view is sent depends on when others connect; which views are sent must not.
    return list(dict.fromkeys(texts))


def known(client: Client, table: str) -> dict[str, str]:
    """All that was known after each message of a running game, by version. A slow reader is spared what lies between
    two states, so that which versions he sees depends on time; what he sees of them must not."""
    found = {}
    for message in client.seen:
        if message["type"] == "table" and message["phase"] == "playing":
            kept = {key: value for key, value in message.items() if key not in ("created", "compiling")}
            found[f"version {message['version']}"] = json.dumps(kept, sort_keys=True).replace(table, "TABLE")
        elif message["type"] != "table":
            found[json.dumps(message)] = ""
    return found


def by_taxi(rank: int) -> Any:
    def choose(legal: list[dict[str, Any]]) -> int:
        moves = [move["code"] for move in legal if move["text"].endswith("taxi")]
        return int(moves[rank % len(moves)])

    return choose


@pytest.mark.parametrize("rank", [1, -1])
def test_another_hidden_move_sends_the_same_bytes(server: Server, rank: int) -> None:
    one, other = game(server, by_taxi(0)), game(server, by_taxi(rank))
    for first, second in zip(one, other, strict=True):
        assert max(first) == max(second)
        assert len(first.keys() & second.keys()) > 3
        assert {key: first[key] for key in first if key in second} == {key: second[key] for key in second if key in first}


def told_in_the_team(server: Server, text: str) -> list[dict[str, str]]:
    """Bytes that Mr X and a spectator know when a detective has said something to the others."""
    table, mr_x = server.new_table(GAME, "me", "open", "open", seed=SEED)
    bob, eve = (
        server.post(f"/api/tables/{table}/join", {"nickname": n, "seats": [i]})["token"] for i, n in ((1, "B"), (2, "E"))
    )
    clients = [server.client(table, token) for token in (mr_x, None, bob, eve)]
    for each in clients:
        each.receive()
    clients[2].send(type="ready")
    clients[3].send(type="ready")
    clients[0].turn()
    clients[2].send(type="chat", text=text, team=True)
    said = clients[3].until(lambda m: m["type"] == "table" and m["chat"])["chat"]
    assert [(line["from"], line["text"], line["team"]) for line in said] == [("B", text, True)]
    clients[0].send(type="chat", text="psst", team=True)
    assert "chat of their own" in clients[0].error()
    clients[0].play(by_taxi(0)(clients[0].table["legal"]))
    for each in clients[:2]:
        drain(each)
    late = server.client(table, mr_x)
    late.receive()
    return [known(each, table) for each in (*clients[:2], late)]


def test_what_the_detectives_say_among_themselves_reaches_nobody_else(server: Server) -> None:
    for one, other in zip(told_in_the_team(server, "to 13!"), told_in_the_team(server, "he is at 29"), strict=True):
        assert {key: one[key] for key in one if key in other} == {key: other[key] for key in other if key in one}
        assert max(one) == max(other)


def test_no_token_and_no_seed_is_ever_sent(server: Server) -> None:
    table, token = server.new_table(GAME, "me", "steady", "steady", seed=987654321)
    client, watcher = server.client(table, token), server.client(table)
    client.turn()
    client.play(client.table["legal"][0]["code"])
    drain(watcher)
    for text in [*client.received, *watcher.received, json.dumps(server.get(f"/api/tables/{table}"))]:
        assert token not in text
        assert "987654321" not in text


def stored(server: Server, id: str, match: Match, shared: bool = False) -> str:
    """Put a game that was played elsewhere among the server's tables; seat n's token is token-n, on one screen token-0."""
    game = match.game
    tokens = [digest("token-0" if shared else f"token-{n}") for n in range(game.seats)]
    seats = [SeatRow(n, "person", f"P{n}", token=token, ready=True) for n, token in enumerate(tokens)]
    row = TableRow(id, game.spec, dict(game.definition()), {}, "playing", list(match.start), 1.0, seats)
    storage = Storage(server.database)
    storage.create(row)
    for number, move in enumerate(match.moves):
        storage.change(id, number, number, 0, Change(move=(move.seat, move.code, move.chance)))
    storage.close()
    return id


def sent(server: Server, id: str, match: Match, seat: int | None) -> list[str]:
    """All that a seat (or a spectator) is sent about a game: the table, and answers to what it tries."""
    client = server.client(stored(server, id, match), None if seat is None else f"token-{seat}")
    client.receive()
    for message in ({"type": "play", "move": 1, "version": len(match.moves)}, {"type": "undo", "version": len(match.moves)}):
        client.send(**message)
        client.error()
    if client.table["to_move"] != seat:
        client.send(type="analysis")
        client.until(lambda m: m["type"] == "analysis")
    client.send(type="past")
    client.until(lambda m: m["type"] == "past")
    client.close()
    return clean(client, id)


def with_other_card(match: Match) -> Match:
    """The same game, but the last move drew another card."""
    *before, last = match.moves
    for rank in range(100):
        other = match.game.new(start=match.start)
        for move in before:
            other.play(move.code, chance=move.chance)
        other.play(last.code, chance=(*last.chance[:-1], rank))
        if other.state["hand"][last.seat].tolist() != match.state["hand"][last.seat].tolist():
            return other
    raise AssertionError("there was no other card")


def until_a_card_is_drawn(game: Game) -> Match:
    match = game.new(seed=5)
    agents = [registry.agent("heuristic", game, 1, side) for side in range(game.sides)]
    while not match.state["cards"].any():
        match.play(agents[match.to_move].choose(match.view(match.to_move)).action)
    return match


def test_a_card_in_another_hand_sends_the_same_bytes(server: Server) -> None:
    match = until_a_card_is_drawn(registry.game("risk/random:territories=9,players=3,deal=true"))
    other, holder = with_other_card(match), match.moves[-1].seat
    for number, seat in enumerate([None, *(s for s in range(3) if s != holder)]):
        assert sent(server, f"risk-a-{number}", match, seat) == sent(server, f"risk-b-{number}", other, seat)
    assert sent(server, "risk-c", match, holder) != sent(server, "risk-d", other, holder)


def with_other_mission(match: Match, seat: int) -> Match:
    """The same start, but a seat was dealt another mission."""
    apart = [name for name in match.state.dtype.names or () if name != "mission"]
    for place in range(len(match.start)):
        for value in range(20):
            start = (*match.start[:place], value, *match.start[place + 1 :])
            try:
                other = match.game.new(start=start)
            except Exception:  # out of range for this draw
                break
            same = all(other.state[name].tolist() == match.state[name].tolist() for name in apart)
            changed = [s for s in range(match.game.seats) if other.state["mission"][s] != match.state["mission"][s]]
            if same and changed == [seat]:
                return other
    raise AssertionError("no start differs only in this mission")


def test_another_mission_sends_the_same_bytes(server: Server) -> None:
    match = registry.game("risk/classic:players=3,goal=missions,deal=true").new(seed=3)
    last = (int(match.state["first"]) + 2) % 3  # the last to be dealt one: nobody else's changes with it
    other = with_other_mission(match, last)
    for number, seat in enumerate([None, *(s for s in range(3) if s != last)]):
        assert sent(server, f"mission-a-{number}", match, seat) == sent(server, f"mission-b-{number}", other, seat)
    assert sent(server, "mission-c", match, last) != sent(server, "mission-d", other, last)


def test_a_sealed_bid_sends_the_same_bytes(server: Server) -> None:
    game = registry.game("empire/seed:players=3,bidding=true")
    one, other = game.new(seed=2), game.new(seed=2)
    bidder = one.to_move
    one.play("bid 2")
    other.play("bid 5")
    for number, seat in enumerate([None, *(s for s in range(3) if s != bidder)]):
        assert sent(server, f"bid-a-{number}", one, seat) == sent(server, f"bid-b-{number}", other, seat)
    assert sent(server, "bid-c", one, bidder) != sent(server, "bid-d", other, bidder)


def test_a_seed_is_refused_where_others_can_sit_down(tmp_path: Any) -> None:
    server = Server(f"sqlite:///{tmp_path / 'tables.sqlite'}")
    try:
        wish = {"game": GAME, "seats": [{"kind": "me"}, {"kind": "open"}, {"kind": "open"}], "seed": 1}
        assert "cannot be given a seed" in server.post("/api/tables", wish)["error"]
    finally:
        server.kill()
