"""Playing the nets of deep Q-learning: the Q-value of each move comes from a dense net or from a graph net.

A graph net has the same weights at every station and passes messages along the links, so it fits
any board with as many transports. In each layer a station's features come from its own, from the
mean of its neighbours' by each transport, and from the mean of all stations.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.nets import Dense, Weights, dense, forward
from fogbound.core.compiled import kernel, outlined
from fogbound.core.errors import FogboundError
from fogbound.core.rng import below
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.planes import CHANNELS, Coding, answer_of, coding, write
from fogbound.games.scotland_yard.rules import legal


class Graph(NamedTuple):
    """A graph net over the stations, packed; all hidden layers have the same width."""

    numbers: NDArray[np.float32]  # weights and biases layer by layer, as `graph` packs them
    width: int
    layers: int
    each: int  # outputs of a station
    neighbour_start: NDArray[np.int32]  # [transport * stations + station]
    neighbours: NDArray[np.int16]
    now: NDArray[np.float32]  # [stations, width]: scratch memory, as all that follows
    after: NDArray[np.float32]
    summed: NDArray[np.float32]  # [width]


class NetParams(NamedTuple):
    coding: Coding
    dense: Dense
    graph: Graph
    inputs: NDArray[np.float32]
    answers: NDArray[np.float32]
    over_stations: int  # 1 if the graph is to be used, 0 for the dense net
    masked: int  # 1 if illegal moves are masked; 0 if choosing one means a random move


def params(game: ScotlandYard, weights: Weights) -> NetParams:
    """A net ready to play on this board; FogboundError if it does not fit."""
    about = weights.about
    code = coding(game, about["coding"], about["answers"])
    masked = int(about.get("masked", "1") == "1")
    if about["net"] == "graph":
        if int(about["transports"]) != game.table.transports:
            raise FogboundError(
                f"The net “{weights.name}” is for boards with {about['transports']} transports; "
                f"{game.spec} has {game.table.transports}."
            )
        return NetParams(code, _no_dense(), graph(game, weights, code), *_buffers(code), 1, masked)
    layers = weights.layers()
    inputs, answers = layers[0][0].shape[1], layers[-1][0].shape[0]
    if (inputs, answers) != (code.inputs, code.answers):
        raise FogboundError(
            f"The net “{weights.name}” was trained on {about.get('board', 'another board')} and does not fit {game.spec}: "
            f"it has {inputs} inputs and {answers} outputs, but this board needs {code.inputs} and {code.answers}."
        )
    return NetParams(code, dense(layers), _no_graph(), *_buffers(code), 0, masked)


def _buffers(code: Coding) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return np.zeros(code.inputs, np.float32), np.zeros(code.answers, np.float32)


def _no_dense() -> Dense:
    return dense([(np.zeros((1, 1), np.float32), np.zeros(1, np.float32))])


def _no_graph() -> Graph:
    none = np.zeros((1, 1), np.float32)
    return Graph(none[0], 1, 0, 1, np.zeros(2, np.int32), np.zeros(1, np.int16), none, none.copy(), none[0].copy())


def neighbours(game: ScotlandYard) -> tuple[NDArray[np.int32], NDArray[np.int16]]:
    """Where each transport leads from each station: offsets into a list, and the list."""
    table = game.table
    lists: list[list[int]] = []
    for transport in range(table.transports):
        for station in range(table.stations):
            bits = table.reach[1 << transport, station]
            lists.append([s for s in range(table.stations) if int(bits[s >> 6]) >> (s & 63) & 1])
    start = np.cumsum([0, *(len(each) for each in lists)]).astype(np.int32)
    return start, np.array([s for each in lists for s in each] or [0], np.int16)


def graph(game: ScotlandYard, weights: Weights, code: Coding) -> Graph:
    """Pack a graph net, whose tensors are named as in `train/scotland_yard/dqn_nets.py`."""
    tensors = weights.tensors
    layers = int(weights.about["layers"])
    width = tensors["out.bias"].shape[0] if layers == 0 else tensors["0.bias"].shape[0]
    parts = []
    for layer in range(layers):
        names = ["own", *(f"by{t}" for t in range(game.table.transports)), "all"] + (["general"] if layer == 0 else [])
        parts += [tensors[f"{layer}.{name}"].T.ravel() for name in names] + [tensors[f"{layer}.bias"]]
    parts += [tensors["out.own"].T.ravel(), tensors["out.bias"]]
    each = tensors["out.bias"].shape[0]
    scratch = np.zeros((game.table.stations, max(width, CHANNELS)), np.float32)
    numbers = np.concatenate(parts).astype(np.float32)
    if numbers.size != _graph_size(game, code, layers, width, each) or not np.isfinite(numbers).all():
        raise ValueError("its layers do not fit each other, or have numbers that are not finite")
    start, ends = neighbours(game)
    summed = np.zeros(max(width, CHANNELS, code.inputs), np.float32)
    return Graph(numbers, width, layers, each, start, ends, scratch, scratch.copy(), summed)


def _graph_size(game: ScotlandYard, code: Coding, layers: int, width: int, each: int) -> int:
    """How many numbers `over_stations` reads."""
    if each * game.table.stations != code.answers:
        return -1
    wide, size = CHANNELS, 0
    for layer in range(layers):
        general = code.inputs - CHANNELS * game.table.stations if layer == 0 else 0
        size += wide * width * (2 + game.table.transports) + general * width + width
        wide = width
    return size + wide * each + each


@outlined
def over_stations(table, net, inputs, answers):
    """The forward pass of a graph net."""
    stations, wide = table.stations, np.int64(CHANNELS)
    for station in range(stations):
        for i in range(CHANNELS):
            net.now[station, i] = inputs[station * CHANNELS + i]
    place = np.int64(0)
    for layer in range(net.layers):
        place = _layer(table, net, inputs, place, wide, layer == 0)
        wide = np.int64(net.width)
    bias = place + wide * net.each
    for station in range(stations):
        for k in range(net.each):
            total = net.numbers[bias + k]
            for i in range(wide):
                total += net.now[station, i] * net.numbers[place + i * net.each + k]
            answers[station * net.each + k] = total


@outlined
def _layer(table, net, inputs, place, wide, first):
    """One layer, from `now` to `now`; the offset where its numbers end."""
    stations, width = table.stations, net.width
    own, block = place, wide * width
    everywhere = own + block * (1 + table.transports)
    general = everywhere + block
    general_inputs = inputs.size - CHANNELS * stations if first else 0
    bias = general + general_inputs * width
    for j in range(width):
        net.summed[j] = net.numbers[bias + j]
    for i in range(general_inputs):
        x = inputs[CHANNELS * stations + i]
        for j in range(width):
            net.summed[j] += x * net.numbers[general + i * width + j]
    for i in range(wide):
        x = np.float32(0.0)
        for station in range(stations):
            x += net.now[station, i]
        x /= np.float32(stations)
        for j in range(width):
            net.summed[j] += x * net.numbers[everywhere + i * width + j]
    for station in range(stations):
        for j in range(width):
            net.after[station, j] = net.summed[j]
        for i in range(wide):
            _add(net, station, own + i * width, net.now[station, i])
            for transport in range(table.transports):
                row = transport * stations + station
                begin, end = net.neighbour_start[row], net.neighbour_start[row + 1]
                x = np.float32(0.0)
                for k in range(begin, end):
                    x += net.now[net.neighbours[k], i]
                _add(net, station, own + block * (1 + transport) + i * width, x / np.float32(max(1, end - begin)))
    for station in range(stations):
        for j in range(width):
            net.now[station, j] = max(net.after[station, j], np.float32(0.0))
    return bias + width


@kernel
def _add(net, station, row, x):
    if x != np.float32(0.0):
        for j in range(net.width):
            net.after[station, j] += x * net.numbers[row + j]


@outlined
def compute(table, params, view, seat):
    """The Q-values of a position, into `params.answers`."""
    write(table, params.coding, view, seat, params.inputs)
    if params.over_stations:
        over_stations(table, params.graph, params.inputs, params.answers)
        return
    for i in range(params.inputs.size):
        params.dense.inputs[i] = params.inputs[i]
    forward(params.dense)
    for i in range(params.answers.size):
        params.answers[i] = params.dense.outputs[i]


@kernel
def policy(table, params, view, seat, out, rng):
    """The move with the highest Q-value."""
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    compute(table, params, view, seat)
    return out[best_of(params.coding, params.answers, params.masked, view, seat, out, count, rng)]


@kernel
def best_of(coding, answers, masked, view, seat, out, count, rng):
    """The legal move with the highest Q-value; without masking a random one if an illegal move has a higher one."""
    here = view.station[seat]
    best, pick = np.float32(-np.inf), 0
    for i in range(count):
        answer = answers[answer_of(coding, here, out[i])]
        if answer > best:
            best, pick = answer, i
    if not masked:
        for i in range(answers.size):
            if answers[i] > best:
                return below(rng, count)
    return pick
