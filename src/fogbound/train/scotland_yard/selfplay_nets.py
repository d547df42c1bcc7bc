"""The nets of self-play in torch: rows of bytes expanded to inputs on the GPU, legal moves, and the nets themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.policy import SMALL
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, DOUBLED, HIDDEN, PASS, TICKET_SHIFT
from fogbound.train.scotland_yard.selfplay_matches import KIND_D, KIND_X, KINDS, TRUTH

NEVER = -1e9  # logit of a move that is not legal


class Expander:
    """Makes inputs of rows, on the device where the rows are."""

    def __init__(self, form: pf.Layout, device: torch.device, dtype: torch.dtype) -> None:
        self.form, self.device, self.dtype = form, device, dtype
        near = np.concatenate([np.zeros((1, form.stations), np.float32), form.near])
        self.near = torch.tensor(near, device=device).to(dtype)
        self.shifts = torch.arange(8, device=device, dtype=torch.uint8)

    def possible(self, rows: Tensor) -> Tensor:
        """[row, station]: whether Mr X can be there."""
        packed = rows[:, pf.POSSIBLE : pf.VIEW_BYTES]
        bits = (packed[:, :, None] >> self.shifts) & 1
        return bits.reshape(rows.shape[0], 256)[:, : self.form.stations]

    def stations(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Detectives' seats in order from the one to move, their stations + 1, and which of them there are."""
        team, device = self.form.team, rows.device
        seat, count = rows[:, pf.SEAT].long(), rows[:, pf.TEAM].long()
        first = seat.clamp(min=1)
        place = torch.arange(team, device=device)
        seats = (first[:, None] - 1 + place) % count[:, None] + 1
        there = place < count[:, None]
        where = rows[:, pf.STATION : pf.STATION + 6].long().gather(1, seats) * there
        return seats, where, there

    def __call__(self, rows: Tensor, truth: bool = False) -> Tensor:
        """[row, input]; with `truth`, Mr X's true station and who plays are inputs too (for the critic)."""
        form, count = self.form, rows.shape[0]
        stations, team = form.stations, form.team
        seats, where, there = self.stations(rows)
        seat = rows[:, pf.SEAT].long()
        known = (rows[:, TRUTH] if truth else rows[:, pf.STATION]).long()
        made = torch.zeros(count, critic_inputs(form) if truth else form.inputs, device=rows.device, dtype=self.dtype)
        nowhere = form.inputs - 1  # where one-hots go that are not there, cleared in the end
        seen = rows[:, pf.SEEN].long()
        hot = [_or(known, known - 1, nowhere), _or(seen, (team + 2) * stations + seen - 1, nowhere)]
        blocks = torch.arange(1, team + 1, device=rows.device) * stations
        hot.extend(_or(where, blocks + where - 1, nowhere).unbind(1))
        base = (team + 6) * stations
        for column, room in ((pf.SLOT, form.slots), (pf.ROUND, form.rounds), (pf.SINCE, pf.SINCE_CAP + 1)):
            hot.append(base + rows[:, column].long().clamp(max=room - 1))
            base += room
        hot.append(base + seat)
        base += team + 1
        hot.append(base + rows[:, pf.TEAM].long() - 1)
        base += team
        if truth:
            hot.append(form.inputs + rows[:, KIND_X].long())
            hot.append(form.inputs + len(KINDS) + rows[:, KIND_D].long())
        made.scatter_(1, torch.stack(hot, 1), 1.0)
        possible = self.possible(rows)
        self._maps(made, rows, where, seats, seat, possible)
        among = possible.sum(1, dtype=torch.float32).clamp(min=1)
        small = torch.stack([rows[:, pf.SECOND].float(), rows[:, pf.SHOWN].float(), among / stations, 1 / among], 1)
        made[:, base : base + 4] = small.to(self.dtype)
        self._tickets(made, rows, seats, there, base + 4)
        made[:, nowhere] = 0
        return made

    def _maps(self, made: Tensor, rows: Tensor, where: Tensor, seats: Tensor, seat: Tensor, possible: Tensor) -> None:
        stations, team = self.form.stations, self.form.team
        near = self.near[where]
        others = (near * (seats != seat[:, None])[:, :, None]).amax(1)
        mover = rows[:, pf.STATION : pf.STATION + 6].long().gather(1, seat[:, None])[:, 0]
        can = possible.to(self.dtype)
        parts = [near.amax(1), can * self.near[mover], can * others]
        made[:, (team + 1) * stations : (team + 2) * stations] = can
        made[:, (team + 3) * stations : (team + 6) * stations] = torch.cat(parts, 1)

    def _tickets(self, made: Tensor, rows: Tensor, seats: Tensor, there: Tensor, base: int) -> None:
        kinds, team = self.form.transports, self.form.team
        purses = rows[:, pf.TICKETS : pf.POSSIBLE].reshape(-1, 6, 10)
        theirs = purses.gather(1, seats[:, :, None].expand(-1, -1, 10))[:, :, :kinds]
        pairs = _ticket_pair(theirs) * there[:, :, None, None]
        own = _ticket_pair(torch.cat([purses[:, 0, :kinds], purses[:, 0, BLACK : DOUBLE + 1]], 1))
        width = 2 * team * kinds
        made[:, base : base + width] = pairs.reshape(-1, width).to(self.dtype)
        made[:, base + width : base + width + 2 * (kinds + 2)] = own.reshape(-1, 2 * (kinds + 2)).to(self.dtype)


def critic_inputs(form: pf.Layout) -> int:
    return form.inputs + pf.ALIGN


def _or(there: Tensor, place: Tensor, otherwise: int) -> Tensor:
    return torch.where(there > 0, place, otherwise)


def _ticket_pair(tickets: Tensor) -> Tensor:
    return torch.stack([tickets.clamp(max=pf.PLENTY).float() / 10, (tickets == 0).float()], -1)


class Moves:
    """The moves of one side from each station, and which of them are legal in a row."""

    def __init__(self, game: ScotlandYard, form: pf.Layout, side: int, device: torch.device) -> None:
        table = game.table
        lists = []
        for here in range(table.stations):
            links = range(table.link_start[here], table.link_start[here + 1])
            if side == 1:
                lists.append([(int(table.links[i]), int(form.detective_answer[i])) for i in links])
                continue
            single = [(int(table.links[i]), int(form.link_answer[i])) for i in links]
            ways = range(table.any_start[here], table.any_start[here + 1])
            single += [(int(table.any_links[i]) | BLACK << TICKET_SHIFT, int(form.any_answer[i])) for i in ways]
            lists.append(single + [(code | DOUBLED, answer + form.codes.size) for code, answer in single])
        room = max(map(len, lists))
        padded = np.array([each + [(-1, 0)] * (room - len(each)) for each in lists], np.int64).reshape(-1, room, 2)
        self.codes = torch.tensor(padded[:, :, 0].astype(np.int16), device=device)
        self.answers = torch.tensor(padded[:, :, 1], device=device)
        self.there = self.codes >= 0
        codes = padded[:, :, 0].clip(0)
        self.ticket = torch.tensor((codes >> TICKET_SHIFT) & 15, device=device)
        self.end = torch.tensor(((codes & HIDDEN) + 1).astype(np.uint8), device=device)
        self.doubled = torch.tensor(codes >= DOUBLED, device=device)
        self.side = side
        self.blocked = side == 1 or not table.step_on_detective

    def legal(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """[row, move]: which moves are legal, and the station moved from. All are illegal where one must pass."""
        seat = rows[:, pf.SEAT].long()
        here = rows[:, pf.STATION : pf.STATION + 6].long().gather(1, seat[:, None])[:, 0] - 1
        purse = rows[:, pf.TICKETS : pf.POSSIBLE].reshape(-1, 6, 10)
        purse = purse.gather(1, seat[:, None, None].expand(-1, 1, 10))[:, 0]
        fine = self.there[here] & (purse.gather(1, self.ticket[here]) > 0)
        if self.blocked:
            held = rows[:, pf.STATION + 1 : pf.STATION + 6]
            fine &= (self.end[here][:, :, None] != held[:, None, :]).all(2)
        if self.side == 0:
            double = (purse[:, DOUBLE] > 0) & (rows[:, pf.SECOND] == 0)
            fine &= ~self.doubled[here] | double[:, None]
        return fine, here

    def log_chances(self, logits: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Log probabilities of the moves from here, which are legal, and the station moved from."""
        fine, here = self.legal(rows)
        chosen = logits.gather(1, self.answers[here]).float().masked_fill(~fine, NEVER)
        return torch.log_softmax(chosen, 1), fine, here

    def sample(self, logits: Tensor, rows: Tensor, greedy: bool = False) -> tuple[Tensor, Tensor, Tensor]:
        """A move (its place among those from here), its log probability and its code."""
        chances, fine, here = self.log_chances(logits, rows)
        noise = 0.0 if greedy else -torch.log(torch.empty_like(chances).exponential_().clamp(min=1e-20))
        picked = (chances + noise).masked_fill(~fine, NEVER).argmax(1)
        code = self.codes[here].gather(1, picked[:, None])[:, 0]
        code = torch.where(fine.any(1), code, PASS)
        return picked, chances.gather(1, picked[:, None])[:, 0], code


@dataclass(frozen=True)
class Size:
    width: int = 512
    blocks: int = 3


class Net(nn.Module):  # type: ignore[misc]
    """A residual net with three heads; its tensors are named and shaped as they are shipped."""

    def __init__(self, inputs: int, answers: int, places: int, size: Size) -> None:
        super().__init__()
        width, blocks = size.width, size.blocks
        self.first = nn.Parameter(torch.randn(width, inputs) * 0.08)
        self.first_bias = nn.Parameter(torch.zeros(width))
        self.scale = nn.Parameter(torch.ones(blocks + 1, width))
        self.into = nn.Parameter(torch.randn(blocks, width, width) * (2 / width) ** 0.5)
        self.into_bias = nn.Parameter(torch.zeros(blocks, width))
        self.back = nn.Parameter(torch.randn(blocks, width, width) * (0.5 / width) ** 0.5)
        self.back_bias = nn.Parameter(torch.zeros(blocks, width))
        self.policy = nn.Parameter(torch.randn(answers, width) * 0.01 / width**0.5)
        self.policy_bias = nn.Parameter(torch.zeros(answers))
        self.value = nn.Parameter(torch.zeros(1, width))
        self.value_bias = nn.Parameter(torch.zeros(1))
        self.belief = nn.Parameter(torch.randn(places, width) * 0.01 / width**0.5)
        self.belief_bias = nn.Parameter(torch.zeros(places))

    def trunk(self, inputs: Tensor) -> Tensor:
        kind = inputs.dtype
        x = torch.relu(nn.functional.linear(inputs, self.first.to(kind), self.first_bias.to(kind)))
        for i in range(self.into.shape[0]):
            y = self._normal(x, i)
            y = torch.relu(nn.functional.linear(y, self.into[i].to(kind), self.into_bias[i].to(kind)))
            x = x + nn.functional.linear(y, self.back[i].to(kind), self.back_bias[i].to(kind))
        return self._normal(x, self.into.shape[0])

    def _normal(self, x: Tensor, i: int) -> Tensor:
        return nn.functional.rms_norm(x, x.shape[1:], self.scale[i].to(x.dtype), SMALL)

    def logits(self, trunk: Tensor) -> Tensor:
        """Of all moves; in full precision, since learning compares them with those of play."""
        return nn.functional.linear(trunk.float(), self.policy, self.policy_bias)

    def win(self, trunk: Tensor) -> Tensor:
        """The logit of Mr X's chance to win."""
        return nn.functional.linear(trunk, self.value.to(trunk.dtype), self.value_bias.to(trunk.dtype))[:, 0].float()

    def places(self, trunk: Tensor) -> Tensor:
        return nn.functional.linear(trunk, self.belief.to(trunk.dtype), self.belief_bias.to(trunk.dtype)).float()


def frozen(net: Net, dtype: torch.dtype) -> Net:
    """A copy that only plays, in the type it plays in."""
    made = Net(net.first.shape[1], net.policy.shape[0], net.belief.shape[0], size_of(net))
    made.to(net.first.device)
    made.load_state_dict(net.state_dict())
    for name, parameter in made.named_parameters():
        if not name.startswith("policy"):
            parameter.data = parameter.data.to(dtype)
    made.requires_grad_(False)
    return made


def size_of(net: Net) -> Size:
    return Size(net.first.shape[0], net.into.shape[0])


def arrays(net: Net, prefix: str, dtype: torch.dtype = torch.float16) -> dict[str, np.ndarray]:
    return {prefix + name: value.detach().to(dtype).cpu().numpy() for name, value in net.state_dict().items()}


def restore(net: Net, tensors: Mapping[str, np.ndarray], prefix: str) -> None:
    net.load_state_dict({name: torch.tensor(tensors[prefix + name]).to(value) for name, value in net.state_dict().items()})
