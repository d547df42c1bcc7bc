#!/usr/bin/env python3
"""A bot in Python, without any library: it plays a random legal move.

fogbound run scotland-yard/plan1 --agents "program:python3 examples/bots/bot.py,heuristic"
"""

import json
import random
import sys


def answer(message, chance):
    """What to say to a message; None if nothing has to be said."""
    if message["type"] == "hello":
        return {"type": "hello", "protocol": 1, "name": "Random in Python"}
    if message["type"] == "game":
        chance.seed(message["seed"])  # the same seed, the same game
        return {"type": "game"}
    if message["type"] == "move":
        return {"type": "move", "move": chance.choice(message["legal"])["code"]}
    return None


def main():
    chance = random.Random()
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            return
        said = answer(message, chance)
        if said is not None:
            print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
