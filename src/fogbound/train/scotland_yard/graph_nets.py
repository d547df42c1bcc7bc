"""The graph net of Scotland Yard in torch, for many positions on several boards at once.

Positions come in blocks, one a board: [board, row]. Boards of a block are padded to the same number of stations, so
that one product of matrices carries the numbers of all stations along the lines of all boards.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fogbound.agents.scotland_yard import graph_features as gf
from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.graph_net import GraphNet
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLED, HIDDEN, TICKET_SHIFT

NEVER = -1e9  # logit of a move that is not legal
ALIGN = 8  # stations are padded to a multiple: products of matrices whose rows begin anywhere are slow on a GPU
TICKETS_AND_DOUBLES = 2 * DOUBLED >> TICKET_SHIFT  # what an action's code can say besides its station


class Atlas:
    """Boards side by side, as arrays: what does not change during a game."""

    def __init__(self, games: Sequence[ScotlandYard], device: torch.device, kind: torch.dtype) -> None:
        self.games, self.device, self.kind = games, device, kind
        most = max(game.table.stations for game in games)
        boards, stations = self.boards, self.stations = len(games), -(-most // ALIGN) * ALIGN
        share = np.zeros((boards, 1, stations), np.float32)
        ways = np.zeros((boards, TICKETS_AND_DOUBLES), np.int64)
        near = np.zeros((boards, stations, stations), np.uint8)
        adjacency = np.zeros((boards, stations, gf.EDGES, stations), np.float32)
        for number, game in enumerate(games):
            table, ground = game.table, gf.ground_of(game)
            share[number, 0, : table.stations] = 1 / table.stations
            near[number, : table.stations, : table.stations] = ground.near
            for ticket in (*range(table.transports), BLACK):
                for code in (ticket << TICKET_SHIFT, ticket << TICKET_SHIFT | DOUBLED):
                    ways[number, code >> TICKET_SHIFT] = max(gf.way_of(ground, code), 0)
            for place in range(gf.EDGES * table.stations):
                ends = ground.edges[ground.edge_start[place] : ground.edge_start[place + 1]]
                adjacency[number, place % table.stations, place // table.stations, ends] = 1 / max(len(ends), 1)
        self.share = torch.tensor(share, device=device).to(kind)
        self.ways = torch.tensor(ways, device=device)
        self.near = torch.tensor(near, device=device)  # how close stations are, in bytes
        flat = torch.tensor(adjacency.reshape(boards, stations, gf.EDGES * stations))
        self.lines = Lines.of(flat.to(device, kind))


class Lines(NamedTuple):
    """Where lines lead: a matrix a board, which a GPU multiplies as it stands; elsewhere all boards in one sparse matrix."""

    adjacency: Tensor  # [board, station, kind * station]; sparse [board * station, board * kind * station]
    backwards: Tensor  # the sparse one transposed

    @classmethod
    def of(cls, adjacency: Tensor) -> Lines:
        if adjacency.is_cuda:
            return cls(adjacency, adjacency[:0])
        whole = torch.block_diag(*adjacency).to_sparse()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # torch calls these matrices a beta feature
            return cls(whole.to_sparse_csr(), whole.t().to_sparse_csr())


class Along(torch.autograd.Function):  # type: ignore[misc]
    """A product with a sparse matrix that is not learned."""

    @staticmethod
    def forward(context: Any, numbers: Tensor, matrix: Tensor, backwards: Tensor) -> Tensor:
        context.backwards = backwards
        return matrix @ numbers

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        return context.backwards @ gradient, None, None


class Inputs(NamedTuple):
    """Positions as the matches tell them (graph_matches.py)."""

    atlas: Atlas
    rows: Tensor  # [board, row, :]
    nodes: Tensor  # [board, station, row, :]
    whole: Tensor  # [board, row, :]
    moves: Tensor  # [board, row, :]: codes of legal moves, then NO_MOVE

    @property
    def seat(self) -> Tensor:
        return self.rows[..., pf.SEAT].long()

    @property
    def possible(self) -> Tensor:
        """[board, station, row]: where Mr X can be."""
        return self.nodes[..., gf.POSSIBLE] > 0

    def only(self, rows: slice | Tensor) -> Inputs:
        """Some of the rows."""
        every = self.rows[:, rows], self.nodes[:, :, rows], self.whole[:, rows], self.moves[:, rows]
        return Inputs(self.atlas, *every)

    def log_chances(self, logits: Tensor) -> Tensor:
        """Log probabilities of the legal moves."""
        moves = self.moves.long().clamp(min=0)
        rest = (moves >> TICKET_SHIFT).flatten(1)
        answers = (moves & HIDDEN) * gf.WAYS + self.atlas.ways.gather(1, rest).view_as(moves)
        return torch.log_softmax(logits.gather(2, answers).masked_fill(self.moves < 0, NEVER), -1)

    def sample(self, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """A move (its place among the legal ones), its log probability and its code."""
        chances = self.log_chances(logits)
        noise = -torch.log(torch.empty_like(chances).exponential_().clamp(min=1e-20))
        picked = (chances + noise).masked_fill(self.moves < 0, NEVER).argmax(-1, keepdim=True)
        return picked[..., 0], chances.gather(2, picked)[..., 0], self.moves.gather(2, picked)[..., 0]


def joined(parts: Sequence[Inputs]) -> Inputs:
    """The rows of all, in order."""
    _, rows, nodes, whole, moves = zip(*parts, strict=True)
    return Inputs(parts[0].atlas, torch.cat(rows, 1), torch.cat(nodes, 2), torch.cat(whole, 1), torch.cat(moves, 1))


class Net(nn.Module):  # type: ignore[misc]
    """Its tensors are named and shaped as in `GraphNet`, which plays it.

    It reads the first of the numbers that are told: a critic has a larger part of them.
    """

    def __init__(self, width: int, inner: int, blocks: int, figures: int = gf.FIGURES, wholes: int = gf.WHOLE) -> None:
        super().__init__()

        def drawn(*shape: int, gain: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * gain / shape[-2] ** 0.5)

        self.node = drawn(figures, width)
        self.whole = drawn(wholes, width)
        self.bias = nn.Parameter(torch.zeros(width))
        self.own = drawn(blocks, width, inner)
        self.near = drawn(blocks, gf.EDGES, width, inner, gain=0.7)
        self.mean = drawn(blocks, 2 * width, inner, gain=0.7)
        self.block_bias = nn.Parameter(torch.zeros(blocks, inner))
        self.out = drawn(blocks, inner, width, gain=0.5)
        self.ways = drawn(width, gf.WAYS + 1, gain=0.1)
        self.ways_bias = nn.Parameter(torch.zeros(gf.WAYS + 1))
        self.hidden = drawn(3 * width, inner)
        self.hidden_bias = nn.Parameter(torch.zeros(inner))
        self.value = drawn(inner, 1, gain=0.1)
        self.value_bias = nn.Parameter(torch.zeros(1))

    def forward(self, inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of all ways to all stations [board, row, station * WAYS], of Mr X's chance to win, of where he is."""
        w, z, wins = self._read(inputs)
        answers = (z @ w["ways"] + w["ways_bias"]).transpose(1, 2).float()
        return answers[..., : gf.WAYS].flatten(2), wins, answers[..., gf.WAYS]

    def win(self, inputs: Inputs) -> Tensor:
        """The logit of Mr X's chance to win, alone."""
        return self._read(inputs)[2]

    def _read(self, inputs: Inputs) -> tuple[dict[str, Tensor], Tensor, Tensor]:
        """The weights, the numbers of all stations [board, station, row, width], the logit of Mr X's chance to win."""
        atlas = inputs.atlas
        kind = atlas.kind
        w = {name: parameter.to(kind) for name, parameter in self.named_parameters()}
        told = inputs.whole[..., : len(self.whole)].to(kind) @ (w["whole"] / gf.FULL) + w["bias"]
        x = inputs.nodes[..., : len(self.node)].to(kind) @ (w["node"] / gf.FULL) + told[:, None]
        can = inputs.possible.to(kind)[..., None]
        can = can / can.sum(1, keepdim=True).clamp(min=1)
        layers = [w[name].unbind() for name in ("own", "near", "mean", "block_bias", "out")]
        for layer in zip(*layers, strict=True):
            x = _block(x, can, atlas.share, *atlas.lines, *layer)
        z = _norm(x)
        hidden = torch.relu(torch.cat([_pooled(z, can, atlas.share), told], -1) @ w["hidden"] + w["hidden_bias"])
        return w, z, (hidden @ w["value"] + w["value_bias"])[..., 0].float()


def fused(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """On a GPU as few kernels, which are made once for boards of all sizes; elsewhere as it stands."""
    made = torch.compile(function, dynamic=True)

    @wraps(function)
    def call(first: Tensor, *others: Tensor) -> Tensor:
        result: Tensor = (made if first.is_cuda else function)(first, *others)
        return result

    return call


@fused
def _block(
    x: Tensor,
    can: Tensor,
    share: Tensor,
    adjacency: Tensor,
    backwards: Tensor,
    own: Tensor,
    near: Tensor,
    mean: Tensor,
    bias: Tensor,
    out: Tensor,
) -> Tensor:
    boards, stations, rows, width = x.shape
    z = _norm(x)
    same = _pooled(z, can, share) @ mean + bias
    y = z.reshape(boards, 1, stations * rows, width) @ near
    y = y.reshape(boards, gf.EDGES * stations, -1)
    if adjacency.is_sparse_csr:
        h = z @ own + Along.apply(y.flatten(0, 1), adjacency, backwards).view(*z.shape[:-1], -1)
    else:
        h = torch.baddbmm((z @ own).reshape(boards, stations, -1), adjacency, y)
    return x + torch.relu(h.reshape(boards, stations, rows, -1) + same[:, None]) @ out


def _norm(x: Tensor) -> Tensor:
    return nn.functional.layer_norm(x, (x.shape[-1],), eps=1e-5)


def _pooled(z: Tensor, can: Tensor, share: Tensor) -> Tensor:
    """[board, row, 2 width]: the mean of all stations, and of those where Mr X can be."""
    boards, stations, rows, width = z.shape
    everywhere = (share @ z.reshape(boards, stations, rows * width)).reshape(boards, rows, width)
    return torch.cat([everywhere, (z * can).sum(1)], -1)


def frozen(net: Net, kind: torch.dtype) -> Net:
    """A copy that only plays."""
    made: Net = copy.deepcopy(net).to(kind)
    made.requires_grad_(False)
    return made


def arrays(net: Net, prefix: str = "", kind: torch.dtype = torch.float32) -> dict[str, NDArray[Any]]:
    return {f"{prefix}{name}": getattr(net, name).detach().to("cpu", kind).numpy() for name in GraphNet._fields}


def restore(net: Net, tensors: Mapping[str, NDArray[Any]], prefix: str = "") -> None:
    found = {name: torch.from_numpy(tensors[f"{prefix}{name}"].astype(np.float32)) for name in GraphNet._fields}
    net.load_state_dict(found)
