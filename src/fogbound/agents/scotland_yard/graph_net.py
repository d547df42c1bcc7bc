"""The net that plays Scotland Yard on any board: layers over the board's graph, from which come moves and Mr X's chance.

A station's numbers are made from its own, from the means of the stations that each kind of line leads to, and from the
means of all stations and of those where Mr X can be. The net in train/scotland_yard/graph_nets.py is the same for many
positions at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets
from fogbound.agents.graph_layers import add, add_bytes, norm, rectify
from fogbound.agents.scotland_yard.graph_features import (
    EDGES,
    FIGURES,
    POSSIBLE,
    WAYS,
    WHOLE,
    Ground,
    ground_of,
    tell,
)
from fogbound.core.compiled import kernel, part
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard

KIND = "graph-policy"

Floats = NDArray[np.float32]


class GraphNet(NamedTuple):
    """Weights are [inputs, outputs]; those of the blocks have the block first, `near` then the kind of line."""

    node: Floats
    whole: Floats
    bias: Floats
    own: Floats
    near: Floats
    mean: Floats
    block_bias: Floats
    out: Floats
    ways: Floats
    ways_bias: Floats
    hidden: Floats
    hidden_bias: Floats
    value: Floats
    value_bias: Floats


class Room(NamedTuple):
    """Where a position is worked out, and what comes of it."""

    x: Floats  # [station, :]
    normed: Floats
    beside: Floats  # [:]: the mean of a station's neighbours
    pooled: Floats  # [:]: the means of all stations, of those where Mr X can be, and what is told of the whole
    inner: Floats
    same: Floats  # what a block adds to every station alike
    answers: Floats  # [station, way]: logits; the last one says where Mr X is
    win: Floats  # [0]: the logit of Mr X's chance to win


class OnBoard(NamedTuple):
    """A net on the board of one game: what it is told, and room to work it out."""

    ground: Ground
    net: GraphNet
    room: Room
    nodes: NDArray[np.uint8]
    whole: NDArray[np.uint8]


def read(name: str) -> GraphNet:
    """The net of a file; an error says why a file does not hold one."""
    weights = nets.load(name)
    if weights.about.get("kind") != KIND:
        raise FogboundError(f"The weights “{weights.name}” are not a graph net that plays Scotland Yard.")
    with nets.understood(weights):
        return made_of(weights.tensors)


def made_of(tensors: Mapping[str, NDArray[Any]]) -> GraphNet:
    """A net of these tensors; a ValueError if they do not fit each other."""
    net = GraphNet(*(np.ascontiguousarray(tensors[name], np.float32) for name in GraphNet._fields))
    width, blocks, inner = net.bias.size, len(net.own), net.hidden_bias.size
    wanted: tuple[tuple[int, ...], ...] = (
        *((FIGURES, width), (WHOLE, width), (width,)),
        *((blocks, width, inner), (blocks, EDGES, width, inner), (blocks, 2 * width, inner)),
        *((blocks, inner), (blocks, inner, width), (width, WAYS + 1), (WAYS + 1,)),
        *((3 * width, inner), (inner,), (inner, 1), (1,)),
    )
    nets.check_shapes(net, wanted)
    return net


def room_for(net: GraphNet, stations: int) -> Room:
    width, inner = net.bias.size, net.hidden_bias.size
    x, normed = (np.zeros((stations, width), np.float32) for _ in range(2))
    beside, pooled = np.zeros(width, np.float32), np.zeros(3 * width, np.float32)
    inside, same = np.zeros(inner, np.float32), np.zeros(inner, np.float32)
    return Room(x, normed, beside, pooled, inside, same, np.zeros((stations, WAYS + 1), np.float32), np.zeros(1, np.float32))


def on_board(game: ScotlandYard, net: GraphNet) -> OnBoard:
    stations = game.table.stations
    nodes, whole = np.zeros((stations, FIGURES), np.uint8), np.zeros(WHOLE, np.uint8)
    return OnBoard(ground_of(game), net, room_for(net, stations), nodes, whole)


@kernel
def ask(table, on, view, seat):
    """Work out the answers to what a seat sees."""
    tell(table, on.ground, view, seat, on.nodes, on.whole)
    think(on.net, on.ground, table.stations, on.nodes, on.whole, on.room)


@part
def think(net, ground, stations, nodes, whole, room):
    """Work out room.answers and room.win of a position."""
    width = net.bias.size
    told = room.pooled[2 * width :]
    for j in range(width):
        told[j] = net.bias[j]
    add_bytes(told, net.whole, whole)
    for t in range(stations):
        for j in range(width):
            room.x[t, j] = told[j]
        add_bytes(room.x[t], net.node, nodes[t])
    for block in range(net.own.shape[0]):
        _block(net, ground, stations, nodes, block, room)
    _pool(room, stations, nodes, width)
    for t in range(stations):
        for way in range(room.answers.shape[1]):
            total = net.ways_bias[way]
            for j in range(width):
                total += room.normed[t, j] * net.ways[j, way]
            room.answers[t, way] = total
    inner = room.inner
    for j in range(inner.size):
        inner[j] = net.hidden_bias[j]
    add(inner, net.hidden, room.pooled)
    rectify(inner)
    win = net.value_bias[0]
    for j in range(inner.size):
        win += inner[j] * net.value[j, 0]
    room.win[0] = win


@kernel
def _pool(room, stations, nodes, width):
    """Norm every station, and take the means of all and of those where Mr X can be."""
    room.pooled[: 2 * width] = np.float32(0.0)
    among = np.float32(0.0)
    for t in range(stations):
        norm(room.x[t], room.normed[t])
        for j in range(width):
            room.pooled[j] += room.normed[t, j]
        if nodes[t, POSSIBLE] != 0:
            among += np.float32(1.0)
            for j in range(width):
                room.pooled[width + j] += room.normed[t, j]
    for j in range(width):
        room.pooled[j] /= np.float32(stations)
        room.pooled[width + j] /= max(among, np.float32(1.0))


@part
def _block(net, ground, stations, nodes, block, room):
    width, inner, same = net.bias.size, room.inner, room.same
    _pool(room, stations, nodes, width)
    for j in range(same.size):
        same[j] = net.block_bias[block, j]
    add(same, net.mean[block], room.pooled[: 2 * width])
    for t in range(stations):
        for j in range(inner.size):
            inner[j] = same[j]
        add(inner, net.own[block], room.normed[t])
        for kind in range(net.near.shape[1]):
            place = kind * stations + t
            first, last = ground.edge_start[place], ground.edge_start[place + 1]
            if first < last:
                _mean_of(room, ground, first, last)
                add(inner, net.near[block, kind], room.beside)
        rectify(inner)
        add(room.x[t], net.out[block], inner)


@kernel
def _mean_of(room, ground, first, last):
    """Into room.beside: the mean of the stations that some lines lead to."""
    beside = room.beside
    beside[:] = np.float32(0.0)
    for i in range(first, last):
        for j in range(beside.size):
            beside[j] += room.normed[ground.edges[i], j]
    for j in range(beside.size):
        beside[j] /= np.float32(last - first)
