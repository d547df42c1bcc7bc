"""The graph net of Scotland Yard in torch: rows of bytes expanded to its inputs on the GPU, legal moves, and the net.

Rows come in blocks, one a board: [board, row, byte]. Boards of a block are padded to the same number of stations, so
that one product of matrices carries the numbers of all stations along the lines of all boards.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fogbound.agents.scotland_yard import graph_features as gf
from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.graph_net import GraphNet
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, DOUBLED, HIDDEN, PASS, TICKET_SHIFT
from fogbound.train.scotland_yard.selfplay_matches import KIND_D, KIND_X, KINDS, TRUTH

NEVER = -1e9  # logit of a move that is not legal
TRUE_WHOLE = gf.WHOLE + 2 * len(KINDS)  # the critic is also told who plays
SLOTS = 256


class Atlas:
    """Boards side by side, as arrays: what does not change during a game."""

    def __init__(self, games: Sequence[ScotlandYard], device: torch.device, kind: torch.dtype) -> None:
        self.games, self.device, self.kind = games, device, kind
        self.boards, self.stations = len(games), max(game.table.stations for game in games)
        boards, stations = self.boards, self.stations
        near = np.zeros((boards, stations + 1, stations), np.uint8)
        degree = np.zeros((boards, stations, gf.EDGES), np.uint8)
        share = np.zeros((boards, stations), np.float32)
        classes = np.zeros((boards, 10, gf.CLASSES), np.float32)
        until = np.zeros((boards, SLOTS), np.int64)
        adjacency = np.zeros((boards, stations, gf.EDGES, stations), np.float32)
        for number, game in enumerate(games):
            table, ground = game.table, gf.ground_of(game)
            near[number, 1 : table.stations + 1, : table.stations] = ground.near
            degree[number, : table.stations] = ground.degree
            share[number, : table.stations] = 1 / table.stations
            for transport, kind_of in enumerate(ground.ticket_class):
                if kind_of >= 0:
                    classes[number, transport, kind_of] = 1
            until[number] = _until(table.reveal)
            for place in range(gf.EDGES * table.stations):
                ends = ground.edges[ground.edge_start[place] : ground.edge_start[place + 1]]
                adjacency[number, place % table.stations, place // table.stations, ends] = 1 / max(len(ends), 1)
        self.near, self.degree = torch.tensor(near, device=device), torch.tensor(degree, device=device)
        self.share = torch.tensor(share, device=device).to(kind)[:, None]
        self.classes = torch.tensor(classes, device=device)
        self.until = torch.tensor(until, device=device)
        flat = adjacency.reshape(boards, stations, gf.EDGES * stations)
        self.adjacency = torch.tensor(flat, device=device).to(kind)
        self.rules = torch.tensor(np.stack([gf.ground_of(game).rules for game in games]), device=device)
        self.size = torch.tensor([game.table.stations for game in games], device=device)[:, None]
        self.rounds = torch.tensor([game.table.rounds for game in games], device=device)[:, None]
        self.step_on = torch.tensor([bool(game.table.step_on_detective) for game in games], device=device)
        self.numbers = torch.arange(boards, device=device)[:, None]
        self.shifts = torch.arange(8, device=device, dtype=torch.uint8)
        self.moves = Moves(self)


def _until(reveal: NDArray[np.uint8]) -> NDArray[np.int64]:
    """[slots filled]: after how many more Mr X is seen; 0 is never."""
    found = np.zeros(SLOTS, np.int64)
    for slot in range(SLOTS):
        later = np.flatnonzero(reveal[slot + 1 :])
        found[slot] = later[0] + 1 if later.size else 0
    return found


class Inputs:
    """What the nets are told of rows."""

    def __init__(self, atlas: Atlas, rows: Tensor) -> None:
        self.atlas, self.rows = atlas, rows
        packed = rows[..., pf.POSSIBLE : pf.VIEW_BYTES]
        bits = (packed[..., None] >> atlas.shifts) & 1
        self.possible = bits.reshape(*rows.shape[:2], 256)[..., : atlas.stations]  # [board, row, station]
        self.among = self.possible.sum(-1, dtype=torch.int64)
        self.seat = rows[..., pf.SEAT].long()
        self.team = rows[..., pf.TEAM].long()
        self.where = rows[..., pf.STATION : pf.STATION + 6].long()
        purses = rows[..., pf.TICKETS : pf.POSSIBLE].reshape(*rows.shape[:2], 6, 10)
        by_class = torch.einsum("brst,btc->brsc", purses.float(), atlas.classes)
        self.purses, self.tickets = purses, by_class.long()  # [board, row, seat, class]

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def nodes(self, truth: bool = False) -> Tensor:
        """[board, station, row, FIGURES] of bytes; with `truth`, Mr X's station is known."""
        atlas, rows = self.atlas, self.rows
        known = rows[..., TRUTH].long() if truth else self.where[..., 0]
        pieces = torch.cat([known[..., None], self.where[..., 1:]], -1)
        seen = rows[..., pf.SEEN].long()
        return _nodes(
            self.possible, self.among, pieces, seen, self.seat, self.tickets, atlas.near, atlas.degree, atlas.numbers
        )

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def whole(self, truth: bool = False) -> Tensor:
        """[board, row, WHOLE] of bytes; with `truth`, also who plays."""
        atlas, rows = self.atlas, self.rows
        log = torch.stack([rows[..., place].long() for place in (pf.SECOND, pf.SHOWN, pf.ROUND, pf.SLOT, pf.SINCE)], -1)
        his = torch.cat([self.tickets[..., 0, :], self.purses[..., 0, BLACK : DOUBLE + 1].long()], -1)
        board = atlas.rounds, atlas.until, atlas.size, atlas.rules
        made = _whole(self.seat, self.team, self.among, log, his, self.tickets, *board)
        return torch.cat([made, _players(rows)], -1) if truth else made


def fused(function: Callable[..., Tensor]) -> Callable[..., Tensor]:
    """On a GPU as few kernels, made when boards of other sizes come; elsewhere as it stands."""
    made = torch.compile(function)

    @wraps(function)
    def call(first: Tensor, *others: Tensor) -> Tensor:
        result: Tensor = (made if first.is_cuda else function)(first, *others)
        return result

    return call


@fused
def _nodes(
    possible: Tensor,
    among: Tensor,
    pieces: Tensor,
    seen: Tensor,
    seat: Tensor,
    tickets: Tensor,
    near: Tensor,
    degree: Tensor,
    numbers: Tensor,
) -> Tensor:
    stations = torch.arange(1, possible.shape[-1] + 1, device=possible.device)
    team = pieces[..., 1:]
    here = team[..., None] == stations  # [board, row, detective, station]
    close = near[numbers[..., None], team].long()
    number = torch.arange(1, 6, device=seat.device)
    is_mover, pending = ((number == seat[..., None])[..., None], (number >= seat[..., None])[..., None])
    few, none = _few(tickets[..., 1:, :]), (tickets[..., 1:, :] == 0) * gf.FULL
    mover = pieces.gather(2, seat[..., None])
    figures = {
        gf.POSSIBLE: possible.long() * gf.FULL,
        gf.LIKELY: possible * (gf.FULL // among.clamp(min=1))[..., None],
        gf.SEEN: (seen[..., None] == stations) * gf.FULL,
        gf.MR_X: (pieces[..., :1] == stations) * gf.FULL,
        gf.DETECTIVE: here.any(2) * gf.FULL,
        gf.MOVER: (mover == stations) * gf.FULL,
        gf.PENDING: (here & pending).any(2) * gf.FULL,
        **{gf.TICKETS + kind: (here * few[..., kind, None]).sum(2) for kind in range(gf.CLASSES)},
        **{gf.TICKETS + gf.CLASSES + kind: (here * none[..., kind, None]).sum(2) for kind in range(gf.CLASSES)},
        gf.NEAR: close.amax(2),
        gf.NEAR_OTHERS: (close * ~is_mover).amax(2),
        gf.NEAR_MOVER: (close * is_mover).amax(2),
        gf.NEAR_MR_X: near[numbers, pieces[..., 0]].long(),
        gf.NEAR_SEEN: near[numbers, seen].long(),
        gf.NEAR_PENDING: (close * pending).amax(2),
        **{gf.DEGREE + kind: degree[:, None, :, kind].long().expand(possible.shape) for kind in range(gf.EDGES)},
    }
    return torch.stack([figures[place] for place in range(gf.FIGURES)], -1).to(torch.uint8).transpose(1, 2).contiguous()


@fused
def _whole(
    seat: Tensor,
    team: Tensor,
    among: Tensor,
    log: Tensor,
    his: Tensor,
    tickets: Tensor,
    rounds: Tensor,
    until: Tensor,
    size: Tensor,
    rules: Tensor,
) -> Tensor:
    full = gf.FULL
    second, shown, round_, slot, since = log.unbind(-1)
    left = (rounds - round_).clamp(min=0)
    ahead = until.gather(1, slot)
    own = tickets.gather(2, seat[..., None, None].expand(-1, -1, 1, gf.CLASSES))[:, :, 0]
    there = torch.arange(1, 6, device=seat.device) <= team[..., None]
    theirs = (_few(tickets[..., 1:, :]) * there[..., None]).sum(2)
    single = [
        *((seat == 0) * full, second * full, shown * full, left.clamp(max=gf.LONGEST) * 10, full // (1 + left)),
        torch.where(ahead > 0, full // ahead.clamp(min=1), 0),
        *((ahead == each) * full for each in (1, 2, 3, 0)),
        since.clamp(max=8) * 31,
        *((team == each) * full for each in range(1, 6)),
        (team + 1 - seat.clamp(min=1)) * 51,
        *(full * among // size, full // among.clamp(min=1), among.clamp(max=20) * 12),
    ]
    several = [torch.stack(single, -1)]
    for purse in (his, own):
        several += [_few(purse), (purse == 0) * full]
    several += [theirs // team[..., None], size.clamp(max=full).expand(seat.shape)[..., None]]
    several += [rules[:, None].long().expand(*seat.shape, rules.shape[-1]), (his[..., :1] >= full) * full]
    return torch.cat(several, -1).to(torch.uint8)


def _few(tickets: Tensor) -> Tensor:
    return tickets.clamp(max=gf.MANY) * (gf.FULL // gf.MANY)


def _players(rows: Tensor) -> Tensor:
    """Who plays Mr X, and who the detectives."""
    kinds = torch.arange(len(KINDS), device=rows.device)
    return torch.cat([(rows[..., column, None] == kinds) * gf.FULL for column in (KIND_X, KIND_D)], -1).to(torch.uint8)


class Moves:
    """The moves from each station of each board, and which of them are legal in a row."""

    def __init__(self, atlas: Atlas) -> None:
        self.atlas = atlas
        lists = [_moves_from(game, here) for game in atlas.games for here in range(game.table.stations)]
        self.room = max(map(len, lists))
        made = np.full((atlas.boards, atlas.stations, self.room, 2), -1, np.int64)
        rest = iter(lists)
        for number, game in enumerate(atlas.games):
            for here in range(game.table.stations):
                each = next(rest)
                made[number, here, : len(each)] = each
        codes, device = made[..., 0], atlas.device
        self.codes = torch.tensor(codes.astype(np.int16), device=device)
        self.answers = torch.tensor(made[..., 1].clip(0), device=device)
        code = codes.clip(0)
        ticket = code >> TICKET_SHIFT & 15
        self.there = torch.tensor(codes >= 0, device=device)
        self.ticket = torch.tensor(ticket, device=device)
        self.end = torch.tensor(((code & HIDDEN) + 1).astype(np.uint8), device=device)
        self.doubled = torch.tensor(code >= DOUBLED, device=device)
        self.plain = torch.tensor((code < DOUBLED) & (ticket != BLACK), device=device)

    def legal(self, inputs: Inputs) -> tuple[Tensor, Tensor]:
        """[board, row, move]: which moves are legal, and the station moved from. All are illegal where one must pass."""
        atlas, rows, seat = self.atlas, inputs.rows, inputs.seat
        here = inputs.where.gather(2, seat[..., None])[..., 0] - 1
        purse = inputs.purses.gather(2, seat[..., None, None].expand(-1, -1, 1, 10))[:, :, 0]
        number = atlas.numbers
        fine = self.there[number, here] & (purse.gather(2, self.ticket[number, here]) > 0)
        held = rows[..., pf.STATION + 1 : pf.STATION + 6]
        on_detective = (self.end[number, here][..., None] == held[..., None, :]).any(-1)
        is_mr_x = (seat == 0)[..., None]
        fine &= ~on_detective | (is_mr_x & atlas.step_on[:, None, None])
        double = ((purse[..., DOUBLE] > 0) & (rows[..., pf.SECOND] == 0))[..., None]
        return fine & torch.where(is_mr_x, ~self.doubled[number, here] | double, self.plain[number, here]), here

    def log_chances(self, logits: Tensor, inputs: Inputs) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of the moves from here, which are legal, and the station moved from."""
        fine, here = self.legal(inputs)
        chosen = logits.gather(2, self.answers[self.atlas.numbers, here]).masked_fill(~fine, NEVER)
        return torch.log_softmax(chosen, -1), fine, here

    def sample(self, logits: Tensor, inputs: Inputs, greedy: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """A move (its place among those from here), its log probability and its code."""
        chances, fine, here = self.log_chances(logits, inputs)
        noise = 0.0 if greedy else -torch.log(torch.empty_like(chances).exponential_().clamp(min=1e-20))
        picked = (chances + noise).masked_fill(~fine, NEVER).argmax(-1, keepdim=True)
        code = self.codes[self.atlas.numbers, here].gather(2, picked)[..., 0]
        return picked[..., 0], chances.gather(2, picked)[..., 0], torch.where(fine.any(-1), code, PASS)


def _moves_from(game: ScotlandYard, here: int) -> list[tuple[int, int]]:
    """Codes of all moves from a station, and the place of each among the net's answers."""
    table, ground = game.table, gf.ground_of(game)
    codes = [int(link) for link in table.links[table.link_start[here] : table.link_start[here + 1]]]
    black = table.any_links[table.any_start[here] : table.any_start[here + 1]]
    codes += [int(end) | BLACK << TICKET_SHIFT for end in black]
    codes += [code | DOUBLED for code in codes]
    return [(code, (code & HIDDEN) * gf.WAYS + int(gf.way_of(ground, code))) for code in codes]


class Net(nn.Module):  # type: ignore[misc]
    """Its tensors are named and shaped as in `GraphNet`, which plays it."""

    def __init__(self, width: int, inner: int, blocks: int, wholes: int = gf.WHOLE) -> None:
        super().__init__()

        def drawn(*shape: int, gain: float = 1.0) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) * gain / shape[-2] ** 0.5)

        self.node = drawn(gf.FIGURES, width)
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

    def forward(self, inputs: Inputs, truth: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """Logits of all ways to all stations [board, row, station * WAYS], of Mr X's chance to win, of where he is."""
        atlas = inputs.atlas
        kind = atlas.kind
        w = {name: parameter.to(kind) for name, parameter in self.named_parameters()}
        told = inputs.whole(truth).to(kind) @ (w["whole"] / gf.FULL) + w["bias"]
        nodes = inputs.nodes(truth)
        boards, _, rows, _ = nodes.shape
        x = nodes.to(kind) @ (w["node"] / gf.FULL) + told[:, None]
        can = (inputs.possible / inputs.among.clamp(min=1)[..., None]).to(kind).transpose(1, 2)[..., None]
        layers = [w[name] for name in ("own", "near", "mean", "block_bias", "out")]
        for block in range(len(self.own)):
            x = _block(x, can, atlas.share, atlas.adjacency, *(layer[block] for layer in layers))
        z = _norm(x)
        answers = (z @ w["ways"] + w["ways_bias"]).transpose(1, 2).float()
        hidden = torch.relu(torch.cat([_pooled(z, can, atlas.share), told], -1) @ w["hidden"] + w["hidden_bias"])
        wins = (hidden @ w["value"] + w["value_bias"])[..., 0].float()
        return answers[..., : gf.WAYS].reshape(boards, rows, -1), wins, answers[..., gf.WAYS]


@fused
def _block(
    x: Tensor,
    can: Tensor,
    share: Tensor,
    adjacency: Tensor,
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
    h = torch.baddbmm((z @ own).reshape(boards, stations, -1), adjacency, y.reshape(boards, gf.EDGES * stations, -1))
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
