"""The learned value of a position of Eight-Minute Empire at the end of a turn: the chance to win, and the lead to expect.

Every region goes through one small layer, every continent through another; their sums and the numbers of the
whole go through a net of two hidden layers. So one net knows every board and every number of players.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents import nets
from fogbound.core.compiled import kernel, part
from fogbound.core.errors import FogboundError
from fogbound.games.empire.features import CONTINENT, REGION, WHOLE, Told, room, tell
from fogbound.games.empire.rules import score

KIND = "empire-value"
LAYERS = ("region", "continent", "first", "second", "last")
POOL = np.float32(0.125)  # scale of the sums over regions and continents
LEAD = 4.0  # points of lead that the second output counts as one


class Layer(NamedTuple):
    weights: NDArray[np.float32]  # [input, output]
    biases: NDArray[np.float32]


class Value(NamedTuple):
    """A net, and room to work it out."""

    region: Layer
    continent: Layer
    first: Layer
    second: Layer
    last: Layer
    told: Told
    inputs: NDArray[np.float32]  # of the first layer: sums over regions, sums over continents, the whole
    hidden: NDArray[np.float32]
    further: NDArray[np.float32]
    row: NDArray[np.float32]
    outputs: NDArray[np.float32]  # logit of winning, lead / LEAD
    result: NDArray[np.float64]  # of each seat, when a game is over


def of_tensors(tensors: nets.Tensors) -> Value:
    """A net from tensors `region.weight` [outputs, inputs], `region.bias`, `continent.weight`, ..."""
    region, continent, first, second, last = (_layer(tensors, name) for name in LAYERS)
    return Value(
        region,
        continent,
        first,
        second,
        last,
        told=room(),
        inputs=np.zeros(first.weights.shape[0], np.float32),
        hidden=np.zeros(first.biases.size, np.float32),
        further=np.zeros(second.biases.size, np.float32),
        row=np.zeros(max(region.biases.size, continent.biases.size), np.float32),
        outputs=np.zeros(last.biases.size, np.float32),
        result=np.zeros(5),
    )


def _layer(tensors: nets.Tensors, name: str) -> Layer:
    weights = np.ascontiguousarray(tensors[f"{name}.weight"].T, np.float32)
    biases = np.ascontiguousarray(tensors[f"{name}.bias"], np.float32)
    weights.setflags(write=False)
    biases.setflags(write=False)
    return Layer(weights, biases)


def read(name: str) -> Value:
    """The net of a file; an error says why a file does not hold one."""
    weights = nets.load(name)
    if weights.about.get("kind") != KIND:
        raise FogboundError(f"The weights “{weights.name}” are not a net for Eight-Minute Empire.")
    try:
        made = of_tensors(weights.tensors)
    except KeyError as error:
        raise FogboundError(f"The weights “{weights.name}” lack the tensor {error}.") from None
    given = [layer.weights.shape[0] for layer in (made.region, made.continent)] + [made.first.weights.shape[0]]
    pooled = made.region.weights.shape[1] + made.continent.weights.shape[1]
    if given != [REGION, CONTINENT, pooled + WHOLE]:
        raise FogboundError(f"The weights “{weights.name}” were trained with other inputs than this version has.")
    return made


@part
def value(table, net, state, seat):
    """The chance that the seat wins, at the end of a turn; the game is not over."""
    tell(table, state, seat, net.told)
    _work_out(net, table.regions, table.continents)
    return 1.0 / (1.0 + np.exp(-np.float64(net.outputs[0])))


@part
def end_value(table, net, state, seat):
    """The value of the end of a turn, or the result if the game is over."""
    if state.turn >= 0:
        return value(table, net, state, seat)
    score(table, state, net.result)
    return net.result[seat]


@part
def _work_out(net, regions, continents):
    inputs = net.inputs
    for i in range(inputs.size):
        inputs[i] = np.float32(0.0)
    wide = net.region.biases.size
    for region in range(regions):
        _add_relu(net.region, net.told.regions[region], net.row, inputs[:wide])
    both = wide + net.continent.biases.size
    for continent in range(continents):
        _add_relu(net.continent, net.told.continents[continent], net.row, inputs[wide:both])
    for i in range(net.told.whole.size):
        inputs[both + i] = net.told.whole[i]
    _through(net.first, inputs, net.hidden)
    _relu(net.hidden)
    _through(net.second, net.hidden, net.further)
    _relu(net.further)
    _through(net.last, net.further, net.outputs)


@kernel
def _add_relu(layer, source, row, sums):
    _through(layer, source, row)
    for j in range(layer.biases.size):
        sums[j] += POOL * max(row[j], np.float32(0.0))


@kernel
def _through(layer, source, target):
    """A layer's outputs. Zeros cost nothing."""
    for j in range(layer.biases.size):
        target[j] = layer.biases[j]
    for i in range(layer.weights.shape[0]):
        x = source[i]
        if x != np.float32(0.0):
            for j in range(layer.biases.size):
                target[j] += x * layer.weights[i, j]


@kernel
def _relu(row):
    for j in range(row.size):
        row[j] = max(row[j], np.float32(0.0))
