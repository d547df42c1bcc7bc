"""Random boards with random rules, for tests: the same number always makes the same board."""

from __future__ import annotations

import json
from random import Random
from typing import Any

from fogbound.core import jsonfile
from fogbound.games.scotland_yard.board import BOARDS, Board
from fogbound.games.scotland_yard.game import ScotlandYard


def random_game(number: int, **rules: Any) -> ScotlandYard:
    return ScotlandYard(random_board(number, **rules), f"scotland-yard/random{number}", shipped=False)


def random_board(number: int, **rules: Any) -> Board:
    """A small connected board; stations have odd numbers in no order, tickets are few, rules are mixed."""
    file = random_file(Random(number))
    file["rules"].update(rules)
    return BOARDS.check(jsonfile.parse(json.dumps(file), f"random{number}.json"))


def random_file(rng: Random) -> dict[str, Any]:
    detectives = rng.randint(1, 5)
    size = rng.choice([detectives + 2, rng.randint(detectives + 2, 14), rng.randint(60, 80)])
    names = rng.sample(["taxi", "bus", "underground", "tram", "ferry"], rng.randint(2, 5))
    ferry = rng.choice(names) if rng.random() < 0.5 else None
    payable = [name for name in names if name != ferry]
    numbers = rng.sample(range(1, 10 * size), size)
    links = random_links(rng, numbers, names)
    rounds = rng.randint(1, 10)
    double = rng.choice([0, 0, 1, 2])
    return {
        "game": "scotland-yard",
        "name": "random",
        "transports": [{"name": name, "black_only": name == ferry} for name in names],
        "stations": [{"station": number, "links": links[number]} for number in numbers],
        "starts": random_starts(rng, numbers, detectives),
        "rules": {
            "detectives": detectives,
            "rounds": rounds,
            "reveals": sorted(rng.sample(range(1, rounds + 1), rng.randint(0, min(3, rounds)))),
            "first": rng.choice(["mr_x", "mr_x", "detectives"]),
            "hand_over": rng.random() < 0.5,
            "step_on_detective": rng.random() < 0.5,
            "closing_move": rng.random() < 0.5,
            "stuck_detectives": rng.choice(["lose", "pass"]),
            "show_start": rng.random() < 0.3,
            "tickets": {
                "mr_x": {**random_tickets(rng, payable), "black": rng.choice([0, 0, 1, 3, "unlimited"]), "double": double},
                "detectives": random_tickets(rng, payable),
            },
        },
    }


def random_links(rng: Random, numbers: list[int], names: list[str]) -> dict[int, dict[str, list[int]]]:
    """A tree, so that the board is connected, and some links more; the first transport is the most usual."""
    links: dict[int, dict[str, list[int]]] = {number: {} for number in numbers}
    pairs = [(numbers[i], rng.choice(numbers[:i])) for i in range(1, len(numbers))]
    pairs += [tuple(rng.sample(numbers, 2)) for _ in range(rng.randint(0, 2 * len(numbers)))]  # type: ignore[misc]
    for a, b in pairs:
        transport = rng.choice([names[0], *names])
        if b not in links[a].setdefault(transport, []):
            links[a][transport].append(b)
            links[b].setdefault(transport, []).append(a)
    return links


def random_tickets(rng: Random, names: list[str]) -> dict[str, Any]:
    """Mostly few, so that everyone gets stuck sooner or later; never none at all."""
    most = rng.choice([1, 3, 8])
    tickets: dict[str, Any] = {name: rng.choice([0, most, rng.randint(0, most), "unlimited"]) for name in names}
    tickets[names[0]] = tickets[names[0]] or 1
    return tickets


def random_starts(rng: Random, numbers: list[int], detectives: int) -> Any:
    kind = rng.choice(["any", "one list", "two lists"])
    if kind == "any":
        return "any"
    if kind == "one list":
        return rng.sample(numbers, detectives + 1)
    mr_x = rng.sample(numbers, rng.randint(1, len(numbers)))
    return {"mr_x": mr_x, "detectives": rng.sample(numbers, rng.randint(detectives + 1, len(numbers)))}
