"""The net that plays Risk on any map: layers over the map's graph, from which come moves and every seat's chance to win.

A territory's numbers are made from its own, the mean of its neighbours', of its continent's and of all. The net in
train/risk/selfplay_nets.py is the same for many positions at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets
from fogbound.agents.graph_layers import add, add_bytes, norm, rectify
from fogbound.agents.risk.choices import CHOICES, MOST, WAYS
from fogbound.agents.risk.policy_features import FIGURES, WHOLE
from fogbound.core.compiled import kernel, part
from fogbound.core.errors import FogboundError
from fogbound.games.risk.table import SEATS

KIND = "risk-policy"

Floats = NDArray[np.float32]


class PolicyNet(NamedTuple):
    """Weights are [inputs, outputs]; those of the blocks have the block first."""

    node: Floats
    whole: Floats
    bias: Floats
    own: Floats
    near: Floats
    together: Floats
    mean: Floats
    block_bias: Floats
    out: Floats
    ways: Floats
    ways_bias: Floats
    hidden: Floats
    hidden_bias: Floats
    ends: Floats
    ends_bias: Floats


class Room(NamedTuple):
    """Where a position is worked out, and what comes of it."""

    x: Floats  # [territory, :]
    normed: Floats
    beside: Floats
    around: Floats
    all: Floats  # [:]
    inner: Floats
    same: Floats  # what a block adds to every territory alike
    logits: Floats  # [choice]
    chances: Floats  # [seat, counted from the decider]: logits


def read(name: str) -> PolicyNet:
    """The net of a file; an error says why a file does not hold one."""
    weights = nets.load(name)
    if weights.about.get("kind") != KIND:
        raise FogboundError(f"The weights “{weights.name}” are not a net that plays Risk.")
    with nets.understood(weights):
        return made_of(weights.tensors)


def made_of(tensors: Mapping[str, NDArray[Any]]) -> PolicyNet:
    """A net of these tensors; a ValueError if they do not fit each other."""
    net = PolicyNet(*(np.ascontiguousarray(tensors[name], np.float32) for name in PolicyNet._fields))
    width, blocks, hidden = net.bias.size, len(net.own), net.hidden_bias.size
    inner, ends = net.block_bias.shape[-1], CHOICES - WAYS * MOST + SEATS
    deep = blocks, width, inner
    wanted: tuple[tuple[int, ...], ...] = (
        *((FIGURES, width), (WHOLE, width), (width,)),
        *(deep, deep, deep, deep, (blocks, inner), (blocks, inner, width)),
        *((width, WAYS), (WAYS,)),
        *((2 * width, hidden), (hidden,), (hidden, ends), (ends,)),
    )
    nets.check_shapes(net, wanted)
    return net


def room_for(net: PolicyNet) -> Room:
    width, inner = net.bias.size, max(net.block_bias.shape[1], net.hidden.shape[1])
    x, normed, beside, around = (np.zeros((MOST, width), np.float32) for _ in range(4))
    everything, inside, same = np.zeros(2 * width, np.float32), np.zeros(inner, np.float32), np.zeros(inner, np.float32)
    logits, chances = np.zeros(CHOICES, np.float32), np.zeros(SEATS, np.float32)
    return Room(x, normed, beside, around, everything, inside, same, logits, chances)


@part
def think(net, land, size, nodes, whole, room):
    """Work out room.logits and room.chances of a position on a map of so many territories."""
    width = net.bias.size
    everything = room.all[:width]
    told = room.all[width:]
    for j in range(width):
        told[j] = net.bias[j]
    add_bytes(told, net.whole, whole)
    for t in range(size):
        for j in range(width):
            room.x[t, j] = told[j]
        add_bytes(room.x[t], net.node, nodes[t])
    for block in range(net.own.shape[0]):
        _block(net, land, size, block, everything, room)
    _pool(room, size, everything)
    for t in range(size):
        for way in range(WAYS):
            total = net.ways_bias[way]
            for j in range(width):
                total += room.normed[t, j] * net.ways[j, way]
            room.logits[way * MOST + t] = total
    _ends(net, room)


@kernel
def _pool(room, size, everything):
    """Norm every territory, and take the mean of all."""
    everything[:] = np.float32(0.0)
    for t in range(size):
        norm(room.x[t], room.normed[t])
        for j in range(everything.size):
            everything[j] += room.normed[t, j]
    for j in range(everything.size):
        everything[j] /= np.float32(size)


@part
def _block(net, land, size, block, everything, room):
    _pool(room, size, everything)
    _spread(land.near, room.normed, room.beside, size)
    _spread(land.together, room.normed, room.around, size)
    inner = room.inner[: net.block_bias.shape[1]]
    same = room.same[: inner.size]
    for j in range(inner.size):
        same[j] = net.block_bias[block, j]
    add(same, net.mean[block], everything)
    for t in range(size):
        for j in range(inner.size):
            inner[j] = same[j]
        add(inner, net.own[block], room.normed[t])
        add(inner, net.near[block], room.beside[t])
        add(inner, net.together[block], room.around[t])
        rectify(inner)
        add(room.x[t], net.out[block], inner)


@kernel
def _spread(shares, rows, out, size):
    """out[t]: the rows of others, by their shares."""
    for t in range(size):
        out[t] = np.float32(0.0)
        for other in range(size):
            share = shares[t, other]
            if share != np.float32(0.0):
                for j in range(rows.shape[1]):
                    out[t, j] += share * rows[other, j]


@kernel
def _ends(net, room):
    inner = room.inner[: net.hidden_bias.size]
    for j in range(inner.size):
        inner[j] = net.hidden_bias[j]
    add(inner, net.hidden, room.all)
    rectify(inner)
    first = WAYS * MOST
    for place in range(net.ends.shape[1]):
        total = net.ends_bias[place]
        for j in range(inner.size):
            total += inner[j] * net.ends[j, place]
        if first + place < CHOICES:
            room.logits[first + place] = total
        else:
            room.chances[first + place - CHOICES] = total
