"""A bot in sixty lines that plays on a Fogbound server over its WebSocket. It needs `pip install websockets`.

fogbound serve                                   # in one terminal
python examples/bot.py scotland-yard/plan1       # in another: makes a table against the server's own AI
python examples/bot.py --join abcdefgh           # or takes the open seats of a table you made in the browser
"""

import argparse
import json
import random
import urllib.request

from websockets.sync.client import connect


def ask(server, path, body=None):
    """A request to the API; with a body it is a POST."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(server + path, data, {"content-type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def sit_down(server, game, join):
    """The table's id and the secret of our seats."""
    if join:
        return join, ask(server, f"/api/tables/{join}/join", {"nickname": "Bot"})["token"]
    board = ask(server, f"/api/board?game={game}")
    seats = [{"kind": "me"} if side == 0 else {"kind": "agent", "level": "steady"} for side in board["side_of"]]
    made = ask(server, "/api/tables", {"game": game, "seats": seats, "nickname": "Bot"})
    return made["id"], made["token"]


def choose(table):
    """The brain: here any legal move. `table["view"]` is all that our seat may know."""
    return random.choice(table["legal"])["code"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("game", nargs="?", default="scotland-yard/plan1")
    parser.add_argument("--server", default="http://127.0.0.1:8400")
    parser.add_argument("--join", metavar="TABLE")
    options = parser.parse_args()
    table_id, token = sit_down(options.server, options.game, options.join)
    print(f"Watch at {options.server}/table/{table_id}")
    address = options.server.replace("http", "ws", 1) + f"/api/tables/{table_id}/socket"
    with connect(address) as socket:
        socket.send(json.dumps({"type": "hello", "token": token}))
        if options.join:
            socket.send(json.dumps({"type": "ready"}))
        played = -1
        for text in socket:
            table = json.loads(text)
            if table["type"] == "error":
                print(table["error"])
            elif table["type"] == "table" and table["phase"] == "over":
                print(table["outcome"])
                return
            elif table["type"] == "table" and table.get("legal") and table["version"] > played:
                played = table["version"]  # never answer the same position twice
                socket.send(json.dumps({"type": "play", "move": choose(table), "version": played}))


if __name__ == "__main__":
    main()
