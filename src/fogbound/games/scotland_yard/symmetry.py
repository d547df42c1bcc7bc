"""Symmetries of a board: the automorphisms of its transport graph, found exactly.

A symmetry maps stations to stations so that every link falls on a link of the same transport. The solver shares
values between symmetric positions, Q-tables share entries, and DQN shows each batch in one of the symmetries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT, Table

MOST = 64  # a cube has 48; of a graph with more, only these are used
BLACK_BIT = 15  # of a link that Mr X can use with a black ticket
Maps = NDArray[np.int16]  # [symmetry, station]: where the station goes; the first row is the identity
Links = Sequence[Mapping[int, int]]  # for each station its neighbours, with a label that a symmetry must keep


def symmetries(table: Table) -> Maps:
    """The symmetries of a board, in lexicographic order."""
    return automorphisms(_transport_links(table))


def automorphisms(links: Links) -> Maps:
    """The automorphisms of a connected labelled graph, in lexicographic order."""
    found: list[list[int]] = []
    _extend(links, _colours(links), _breadth_first(links), {}, found)
    return np.array(sorted(found), np.int16)


def keeping_starts(maps: Maps, table: Table) -> Maps:
    """The symmetries that map the starts of either side onto themselves."""
    kept = [row for row in maps if _keeps(row, table.mr_x_starts) and _keeps(row, table.detective_starts)]
    return np.array(kept, np.int16)


def _keeps(row: NDArray[np.int16], stations: NDArray[np.int16]) -> bool:
    return set(row[stations].tolist()) == set(stations.tolist())


def _transport_links(table: Table) -> Links:
    """Links labelled with their set of transports, a bit each."""
    links: list[dict[int, int]] = [{} for _ in range(table.stations)]
    for station in range(table.stations):
        for link in table.links[table.link_start[station] : table.link_start[station + 1]]:
            end = int(link) & HIDDEN
            links[station][end] = links[station].get(end, 0) | 1 << (int(link) >> TICKET_SHIFT)
        for end in table.any_links[table.any_start[station] : table.any_start[station + 1]]:
            links[station][int(end)] = links[station].get(int(end), 0) | 1 << BLACK_BIT
    return links


def _colours(links: Links) -> list[int]:
    """Colour refinement: stations of different colours cannot be mapped to each other."""
    colours = [0] * len(links)
    for _ in range(len(links)):
        marks = [
            (colours[s], tuple(sorted((label, colours[t]) for t, label in links[s].items()))) for s in range(len(links))
        ]
        names = {mark: number for number, mark in enumerate(sorted(set(marks)))}
        finer = [names[mark] for mark in marks]
        if len(names) == len(set(colours)):
            return finer
        colours = finer
    return colours


def _breadth_first(links: Links) -> list[int]:
    """The stations in an order in which each is next to an earlier one, so that a wrong mapping is noticed early."""
    order, seen = [0], {0}
    for station in order:
        for end in sorted(links[station]):
            if end not in seen:
                seen.add(end)
                order.append(end)
    return order


def _extend(links: Links, colours: list[int], order: list[int], image: dict[int, int], found: list[list[int]]) -> None:
    """Map the next station of `order` in every way that fits, and go on from there. The identity comes first."""
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


def _fits(links: Links, image: dict[int, int], station: int, candidate: int) -> bool:
    return all(links[station].get(other) == links[candidate].get(there) for other, there in image.items())
