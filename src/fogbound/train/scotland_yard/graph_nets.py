"""The graph net of Scotland Yard in torch: rows of bytes expanded to its inputs on the GPU, legal moves, and the net.

Rows come in blocks, one a board: [board, row, byte]. Boards of a block are padded to the same number of stations, so
that one product of matrices carries the numbers of all stations along the lines of all boards.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
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

    def nodes(self, truth: bool = False) -> Tensor:
        """[board, station, row, FIGURES] of bytes; with `truth`, Mr X's station is known."""
        atlas, rows = self.atlas, self.rows
        made = torch.zeros(*rows.shape[:2], atlas.stations + 1, gf.FIGURES, dtype=torch.uint8, device=rows.device)
        body = made[:, :, 1:]  # the first place is for pieces that are nowhere
        body[..., gf.POSSIBLE] = self.possible * gf.FULL
        body[..., gf.LIKELY] = self.possible * (gf.FULL // self.among.clamp(min=1)).to(torch.uint8)[..., None]
        body[..., gf.DEGREE :] = atlas.degree[:, None]
        known = rows[..., TRUTH].long() if truth else self.where[..., 0]
        seen = rows[..., pf.SEEN].long()
        mover = self.where.gather(2, self.seat[..., None])
        if truth:
            mover = torch.where(self.seat[..., None] == 0, known[..., None], mover)
        for place, figure in ((known, gf.MR_X), (seen, gf.SEEN), (mover[..., 0], gf.MOVER)):
            self._put(made, place, figure, gf.FULL)
        body[..., gf.NEAR_MR_X] = self._near(known)
        body[..., gf.NEAR_SEEN] = self._near(seen)
        team = self.where[..., 1:]
        near = atlas.near[self.atlas.numbers[..., None], team]  # [board, row, detective, station]
        number = torch.arange(1, 6, device=rows.device)
        is_mover, pending = number == self.seat[..., None], number >= self.seat[..., None]
        body[..., gf.NEAR] = near.amax(2)
        body[..., gf.NEAR_OTHERS] = (near * ~is_mover[..., None]).amax(2)
        body[..., gf.NEAR_MOVER] = (near * is_mover[..., None]).amax(2)
        body[..., gf.NEAR_PENDING] = (near * pending[..., None]).amax(2)
        few, none = _few(self.tickets), (self.tickets == 0) * gf.FULL
        for detective in range(5):
            place = team[..., detective]
            self._put(made, place, gf.DETECTIVE, gf.FULL)
            self._put(made, place, gf.PENDING, pending[..., detective] * gf.FULL)
            for kind in range(gf.CLASSES):
                self._put(made, place, gf.TICKETS + kind, few[..., detective + 1, kind])
                self._put(made, place, gf.TICKETS + gf.CLASSES + kind, none[..., detective + 1, kind])
        return made[:, :, 1:].transpose(1, 2)

    def _near(self, place: Tensor) -> Tensor:
        return self.atlas.near[self.atlas.numbers, place]

    def _put(self, made: Tensor, place: Tensor, figure: int, number: Tensor | int) -> None:
        given = torch.as_tensor(number, device=made.device).to(torch.uint8).expand(place.shape)
        made[..., figure].scatter_(2, place[..., None], given[..., None])

    def whole(self, truth: bool = False) -> Tensor:
        """[board, row, WHOLE] of bytes; with `truth`, also who plays."""
        atlas, rows, full = self.atlas, self.rows, gf.FULL
        made = torch.zeros(*rows.shape[:2], TRUE_WHOLE if truth else gf.WHOLE, dtype=torch.int64, device=rows.device)
        made[..., gf.IS_MR_X] = (self.seat == 0) * full
        made[..., gf.SECOND] = rows[..., pf.SECOND].long() * full
        made[..., gf.SHOWN] = rows[..., pf.SHOWN].long() * full
        left = (atlas.rounds - rows[..., pf.ROUND].long()).clamp(min=0)
        made[..., gf.LEFT], made[..., gf.LATE] = left.clamp(max=gf.LONGEST) * 10, full // (1 + left)
        until = atlas.until[atlas.numbers, rows[..., pf.SLOT].long()]
        made[..., gf.SOON] = torch.where(until > 0, full // until.clamp(min=1), 0)
        for ahead in range(3):
            made[..., gf.NEXT + ahead] = (until == ahead + 1) * full
        made[..., gf.UNSEEN] = (until == 0) * full
        made[..., gf.SINCE] = rows[..., pf.SINCE].long().clamp(max=8) * 31
        made.scatter_(2, (gf.TEAM - 1 + self.team)[..., None], full)
        made[..., gf.TO_MOVE] = (self.team + 1 - self.seat.clamp(min=1)) * 51
        made[..., gf.SPREAD] = full * self.among // atlas.size
        made[..., gf.CERTAIN] = full // self.among.clamp(min=1)
        made[..., gf.AMONG] = self.among.clamp(max=20) * 12
        his = torch.cat([self.tickets[..., 0, :], self.purses[..., 0, BLACK : DOUBLE + 1].long()], -1)
        own = self.tickets.gather(2, self.seat[..., None, None].expand(-1, -1, 1, gf.CLASSES))[:, :, 0]
        for place, tickets in ((gf.PURSE, his), (gf.OWN, own)):
            count = tickets.shape[-1]
            made[..., place : place + count] = _few(tickets)
            made[..., place + count : place + 2 * count] = (tickets == 0) * full
        there = torch.arange(1, 6, device=rows.device) <= self.team[..., None]
        theirs = (_few(self.tickets[..., 1:, :]) * there[..., None]).sum(2)
        made[..., gf.MEAN : gf.MEAN + gf.CLASSES] = theirs // self.team[..., None]
        made[..., gf.STATIONS] = atlas.size.clamp(max=full)
        made[..., gf.RULES : gf.RULES + atlas.rules.shape[-1]] = atlas.rules.long()[:, None]
        made[..., gf.ENDLESS] = (self.tickets[..., 0, 0] >= full) * full
        if truth:
            for first, column in ((gf.WHOLE, KIND_X), (gf.WHOLE + len(KINDS), KIND_D)):
                made.scatter_(2, first + rows[..., column].long()[..., None], full)
        return made.to(torch.uint8)


def _few(tickets: Tensor) -> Tensor:
    return tickets.clamp(max=gf.MANY) * (gf.FULL // gf.MANY)


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
        kind, width = atlas.kind, self.bias.numel()
        w = {name: parameter.to(kind) for name, parameter in self.named_parameters()}
        told = (inputs.whole(truth).to(kind) / gf.FULL) @ w["whole"] + w["bias"]
        nodes = inputs.nodes(truth)
        boards, stations, rows, _ = nodes.shape
        x = (nodes.to(kind) / gf.FULL) @ w["node"] + told[:, None]
        can = (inputs.possible / inputs.among.clamp(min=1)[..., None]).to(kind).transpose(1, 2)[..., None]
        for block in range(len(self.own)):
            z = nn.functional.layer_norm(x, (width,), eps=1e-5)
            same = _pooled(z, can, atlas.share) @ w["mean"][block] + w["block_bias"][block]
            y = z.reshape(boards, 1, stations * rows, width) @ w["near"][block]
            y = y.reshape(boards, gf.EDGES * stations, -1)
            h = torch.baddbmm((z @ w["own"][block]).reshape(boards, stations, -1), atlas.adjacency, y)
            h = torch.relu(h.reshape(boards, stations, rows, -1) + same[:, None])
            x = x + h @ w["out"][block]
        z = nn.functional.layer_norm(x, (width,), eps=1e-5)
        answers = (z @ w["ways"] + w["ways_bias"]).transpose(1, 2).float()
        hidden = torch.relu(torch.cat([_pooled(z, can, atlas.share), told], -1) @ w["hidden"] + w["hidden_bias"])
        wins = (hidden @ w["value"] + w["value_bias"])[..., 0].float()
        return answers[..., : gf.WAYS].reshape(boards, rows, -1), wins, answers[..., gf.WAYS]


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
