"""Playing the supervised nets of Scotland Yard: one for each side, a policy over the stations to go to.

They were trained on placements in which everything is seen. A detective averages his net's output
over every station where Mr X can be. The best move that can be paid for is played.
"""

from __future__ import annotations

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.nets import Dense, Weights, dense, forward
from fogbound.core.bits import lowest_bit
from fogbound.core.compiled import kernel, outlined
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.features import CODINGS, placement_size, write_placement
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE_SHIFT, HIDDEN, PASS_TICKET, TICKET_SHIFT, legal

SIDES = ("mrx", "detectives")


class Params(NamedTuple):
    mr_x: Dense
    mr_x_coding: int
    detectives: Dense
    detectives_coding: int
    softmax: int  # 1 if outputs go through a softmax before they are averaged
    total: NDArray[np.float32]  # [station]: the sum over the possible stations


def links_digest(game: ScotlandYard) -> str:
    """A hash of the board's stations and links: a net fits boards with the same hash."""
    table = game.table
    parts = (table.link_start, table.links, table.any_start, table.any_links)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()[:16]


def params(game: ScotlandYard, weights: Weights) -> Params:
    if weights.about.get("links") != links_digest(game):
        board = weights.about.get("board", "another board")
        raise FogboundError(
            f"The net “{weights.name}” was trained on {board}; {game.board.name} has other stations or links."
        )
    codings = [CODINGS.index(weights.about[side]) for side in SIDES]
    nets = [_net(weights, side) for side in SIDES]
    for coding, net in zip(codings, nets, strict=True):
        if net.sizes[0] != placement_size(coding, game.table.stations, game.table.detectives):
            raise FogboundError(f"The net “{weights.name}” was not trained for {game.table.detectives} detectives.")
    softmax = int(weights.about.get("output", "chances") == "chances")
    return Params(nets[0], codings[0], nets[1], codings[1], softmax, np.zeros(game.table.stations, np.float32))


def _net(weights: Weights, side: str) -> Dense:
    layers = sum(name.startswith(f"{side}.") and name.endswith(".weight") for name in weights.tensors)
    return dense([(weights.tensors[f"{side}.{i}.weight"], weights.tensors[f"{side}.{i}.bias"]) for i in range(layers)])


@kernel
def policy(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    if count == 1:
        return out[0]
    params.total[:] = np.float32(0.0)
    if seat == 0:
        net, coding = params.mr_x, params.mr_x_coding
        _add(table, params, net, coding, view, seat, np.int64(view.station[0]))
    else:
        net, coding = params.detectives, params.detectives_coding
        _add_possible(table, params, net, coding, view, seat)
    return _best(params.total, view, seat, out, count)


@outlined
def _add_possible(table, params, net, coding, view, seat):
    for w in range(4):
        word = view.possible[w]
        while word:
            station = w * 64 + lowest_bit(word)
            word &= word - np.uint64(1)
            _add(table, params, net, coding, view, seat, station)


@outlined
def _add(table, params, net, coding, view, seat, mr_x):
    """Add the net's output for Mr X at this station."""
    write_placement(net.inputs, coding, table.stations, table.detectives, view.station, seat, mr_x)
    forward(net)
    if params.softmax:
        _softmax(net.outputs)
    for station in range(table.stations):
        params.total[station] += net.outputs[station]


@kernel
def _softmax(outputs):
    highest, total = outputs[0], np.float32(0.0)
    for i in range(1, outputs.size):
        highest = max(highest, outputs[i])
    for i in range(outputs.size):
        outputs[i] = np.exp(outputs[i] - highest)
        total += outputs[i]
    for i in range(outputs.size):
        outputs[i] /= total


@kernel
def _best(scores, view, seat, out, count):
    """The best station that can be paid for, by the ticket of which most are left; rare tickets are kept."""
    pick, best, best_left = np.int64(0), np.float32(0.0), np.int64(-1)
    for i in range(count):
        ticket = (out[i] >> TICKET_SHIFT) & 15
        if ticket == PASS_TICKET or out[i] >> DOUBLE_SHIFT:
            continue
        left = np.int64(0) if ticket == BLACK else np.int64(view.tickets[seat, ticket])
        value = scores[out[i] & HIDDEN]
        if best_left < 0 or value > best or (value == best and left > best_left):
            pick, best, best_left = i, value, left
    return out[pick]
