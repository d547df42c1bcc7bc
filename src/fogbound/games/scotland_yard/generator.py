"""Boards from a seed: a town of stations linked by taxi, with bus, underground and ferry as far as it is large enough.

Only `random.Random.random` is drawn from: Python promises that it gives the same numbers for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations, pairwise
from math import sqrt
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import Delaunay

from fogbound.core.jsonfile import JsonFile
from fogbound.games.scotland_yard.board import BOARDS, NAME, RANDOM, Board

Floats = NDArray[np.float64]
Link = tuple[int, int]

ASPECT = 1.4
CANDIDATES = 8  # places drawn for a station; the one farthest from all others is taken
# As on the boards that people know: of all stations, how many have a bus or the underground, and links for each of these.
TAXI_LINKS = 1.74
BUS_STOPS, BUS_LINKS, LEAST_FOR_BUSES = 0.32, 1.5, 16
TUBE_STOPS, TUBE_LINKS, LEAST_FOR_TUBES = 0.07, 1.4, 72
FERRY_STOPS, LEAST_FOR_FERRIES = 4, 100
LEAST_FOR_DETECTIVES = 16, 45, 90, 150  # stations from which on there is a second one, and so on
TAXI_SHARE, BUS_SHARE = 0.46, 0.36  # of a detective's tickets, where there are three kinds


@lru_cache(maxsize=256)
def generate(stations: int, seed: int) -> Board:
    """The board of a seed, with the rules that suit its size."""
    chance = Random(f"fogbound scotland yard board {stations} {seed}")
    places = _places(chance, stations)
    everybody = list(range(stations))
    links = {"taxi": _network(chance, places, everybody, TAXI_LINKS)}
    if stations >= LEAST_FOR_BUSES:
        links["bus"] = _network(chance, places, _spread(chance, places, round(BUS_STOPS * stations)), BUS_LINKS)
    if stations >= LEAST_FOR_TUBES:
        links["underground"] = _network(chance, places, _spread(chance, places, round(TUBE_STOPS * stations)), TUBE_LINKS)
    if stations >= LEAST_FOR_FERRIES:
        links["ferry"] = _river(chance, places)
    rules = _rules(stations, list(links))
    starts = _spread(chance, places, min(stations, max(2 * rules["detectives"] + 4, stations // 10)))
    file = {
        "game": NAME,
        "name": RANDOM,
        "about": f"generated: {stations} stations, seed {seed}",
        "transports": [{"name": name, "black_only": True} if name == "ferry" else {"name": name} for name in links],
        "stations": _stations(places, links),
        "starts": sorted(start + 1 for start in starts),
        "rules": rules,
    }
    return BOARDS.check(JsonFile(RANDOM, file, {}))


def _places(chance: Random, count: int) -> Floats:
    """Places in a rectangle, not too near each other, in reading order; about one for each unit of its area."""
    size = np.array([sqrt(count * ASPECT), sqrt(count / ASPECT)])
    found = np.array([_drawn(chance, size)])
    while len(found) < count:
        drawn = np.array([_drawn(chance, size) for _ in range(CANDIDATES)])
        gaps = np.hypot(*(drawn[:, None] - found).transpose(2, 0, 1)).min(axis=1)
        found = np.vstack([found, drawn[gaps.argmax()]])
    rows = np.floor(found[:, 1] / 1.5)
    return found[np.lexsort((found[:, 0], rows))]


def _drawn(chance: Random, size: Floats) -> tuple[float, float]:
    return chance.random() * float(size[0]), chance.random() * float(size[1])


def _spread(chance: Random, places: Floats, count: int) -> list[int]:
    """Some stations, each far from those chosen before."""
    chosen = [int(chance.random() * len(places))]
    while len(chosen) < count:
        gaps = np.hypot(*(places[:, None] - places[chosen]).transpose(2, 0, 1)).min(axis=1)
        noise = np.array([0.6 + 0.4 * chance.random() for _ in places])
        chosen.append(int((gaps * noise).argmax()))
    return chosen


def _network(chance: Random, places: Floats, stops: Sequence[int], a_stop: float) -> list[Link]:
    """Links that connect these stops, so many for each: first the shortest that are needed, then neighbours at random."""
    length = {link: float(np.hypot(*(places[link[0]] - places[link[1]]))) for link in _neighbours(places, stops)}
    by_length = sorted(length, key=lambda link: (length[link], link))
    kept = _spanning(by_length, stops)
    wanted = round(a_stop * len(stops))
    others = [link for link in by_length if link not in kept]
    others.sort(key=lambda link: length[link] * (0.5 + chance.random()))
    return sorted(kept | set(others[: max(0, wanted - len(kept))]))


def _neighbours(places: Floats, stops: Sequence[int]) -> set[Link]:
    """Pairs of stops that a triangulation joins; all pairs where there are too few for one."""
    if len(stops) < 4:
        return {(min(pair), max(pair)) for pair in combinations(stops, 2)}
    corners = Delaunay(places[list(stops)]).simplices
    pairs = {pair for triangle in corners.tolist() for pair in combinations(triangle, 2)}
    return {(min(stops[a], stops[b]), max(stops[a], stops[b])) for a, b in pairs}


def _spanning(links: Sequence[Link], stops: Sequence[int]) -> set[Link]:
    """The shortest links that connect all stops; they are given in order of length."""
    group = {stop: stop for stop in stops}
    kept = set()
    for a, b in links:
        if group[a] != group[b]:
            old, new = group[a], group[b]
            group = {stop: new if mine == old else mine for stop, mine in group.items()}
            kept.add((a, b))
    return kept


def _river(chance: Random, places: Floats) -> list[Link]:
    """A chain of stops from side to side, near a line across the board."""
    height = places[:, 1].max() * (0.3 + 0.4 * chance.random())
    ends = np.linspace(places[:, 0].min(), places[:, 0].max(), FERRY_STOPS + 1)
    stops = []
    for low, high in pairwise(ends):
        inside = np.flatnonzero((places[:, 0] >= low) & (places[:, 0] <= high))
        stops.append(int(inside[np.abs(places[inside, 1] - height).argmin()]))
    distinct = list(dict.fromkeys(stops))
    return [(min(a, b), max(a, b)) for a, b in pairwise(distinct)]


def _stations(places: Floats, links: dict[str, list[Link]]) -> list[dict[str, Any]]:
    made: list[dict[str, Any]] = []
    for number, (x, y) in enumerate(places.tolist()):
        ends = {
            name: sorted((b if a == number else a) + 1 for a, b in pairs if number in (a, b))
            for name, pairs in links.items()
        }
        there = {name: found for name, found in ends.items() if found}
        made.append({"station": number + 1, "x": round(100 * x, 1), "y": round(100 * y, 1), "links": there})
    return made


def _rules(stations: int, transports: Sequence[str]) -> dict[str, Any]:
    """Rules for a board of this size, as on those that people know: a detective has a ticket for every round."""
    detectives = 1 + sum(stations >= least for least in LEAST_FOR_DETECTIVES)
    rounds = 12 if stations < 60 else 18 if stations < 120 else 22
    rules: dict[str, Any] = {
        "detectives": detectives,
        "rounds": rounds,
        "reveals": [slot for slot in ((3, 6, 9) if rounds == 12 else (3, 8, 13, 18, 24)) if slot <= rounds + 2],
    }
    if "bus" not in transports:
        return rules
    mr_x: dict[str, Any] = {"taxi": 4, "bus": 3, "black": "detectives", "double": 1 if rounds == 12 else 2}
    theirs = {"taxi": rounds - round(BUS_SHARE * rounds), "bus": round(BUS_SHARE * rounds)}
    if "underground" in transports:
        mr_x["underground"] = 3
        theirs["taxi"] = round(TAXI_SHARE * rounds)
        theirs["underground"] = rounds - theirs["taxi"] - theirs["bus"]
    return {**rules, "hand_over": True, "tickets": {"mr_x": mr_x, "detectives": theirs}}
