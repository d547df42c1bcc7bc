"""The symmetries of a board: ways to turn or mirror it so that every link falls on a link of the same transport."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT, Table

MOST = 48  # enough for a cube; a board with more folds only by these


def symmetries(table: Table) -> NDArray[np.int16]:
    """A row a symmetry: where each station goes. The first row changes nothing."""
    links = _links(table)
    order = _breadth_first(links)
    found: list[list[int]] = []
    _extend(links, _colours(links), order, {}, found)
    found.sort()
    rows = np.array(found[:MOST], np.int16)
    identity = np.arange(table.stations, dtype=np.int16)
    others = rows[(rows != identity).any(axis=1)]
    return np.ascontiguousarray(np.vstack([identity[None], others])[:MOST])


def keeping(rows: NDArray[np.int16], stations: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Which symmetries keep a set of stations as it is."""
    wanted = set(stations.tolist())
    return np.array([set(row[stations].tolist()) == wanted for row in rows])


def _links(table: Table) -> list[dict[int, int]]:
    """For each station its neighbours, with the set of transports (a bit each; bit 15 for black tickets)."""
    links: list[dict[int, int]] = [{} for _ in range(table.stations)]
    for station in range(table.stations):
        for link in table.links[table.link_start[station] : table.link_start[station + 1]]:
            end = int(link) & HIDDEN
            links[station][end] = links[station].get(end, 0) | 1 << (int(link) >> TICKET_SHIFT)
        for end in table.any_links[table.any_start[station] : table.any_start[station + 1]]:
            links[station][int(end)] = links[station].get(int(end), 0) | 1 << 15
    return links


def _colours(links: list[dict[int, int]]) -> list[int]:
    """A colour for each station; stations of different colours cannot be mapped to each other."""
    colours = [0] * len(links)
    for _ in range(len(links)):
        marks = [(colours[s], tuple(sorted((kind, colours[t]) for t, kind in links[s].items()))) for s in range(len(links))]
        names = {mark: number for number, mark in enumerate(sorted(set(marks)))}
        finer = [names[mark] for mark in marks]
        if len(names) == len(set(colours)):
            return finer
        colours = finer
    return colours


def _breadth_first(links: list[dict[int, int]]) -> list[int]:
    order, seen = [0], {0}
    for station in order:
        for end in sorted(links[station]):
            if end not in seen:
                seen.add(end)
                order.append(end)
    return order


def _extend(
    links: list[dict[int, int]], colours: list[int], order: list[int], image: dict[int, int], found: list[list[int]]
) -> None:
    """Map the next station of `order` in every way that fits, and go on from there."""
    if len(found) >= MOST:
        return
    if len(image) == len(order):
        found.append([image[s] for s in range(len(order))])
        return
    station = order[len(image)]
    taken = set(image.values())
    for candidate in range(len(order)):
        if candidate not in taken and colours[candidate] == colours[station] and _fits(links, image, station, candidate):
            _extend(links, colours, order, {**image, station: candidate}, found)


def _fits(links: list[dict[int, int]], image: dict[int, int], station: int, candidate: int) -> bool:
    return all(links[station].get(other) == links[candidate].get(there) for other, there in image.items())
