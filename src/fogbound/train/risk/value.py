"""Learning who wins a game of Risk: games of a varied field, and a net fitted to their results.

The planner with the newest net plays along, and so do older nets, turn searches, scripted players of several tempers
and the strangers that are not held out; so the net goes on to judge what better players make of a position.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from fogbound.agents import nets
from fogbound.agents.risk import evaluation, planning, stranger, turns, value
from fogbound.agents.risk.standing import INPUTS
from fogbound.core import registry
from fogbound.core.agent import PolicyAgent, separate
from fogbound.core.errors import FogboundError
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SEATS
from fogbound.train.method import Arrays, Learner, Options, rng_state, set_rng_state
from fogbound.train.risk.value_games import Player, Rows, join, play
from fogbound.train.torch_state import (
    adam_arrays,
    device,
    net_arrays,
    restore_adam,
    restore_net,
)

FIRST_MAP = 1_000  # the first seed of the maps that are learned on; lower ones are a holdout
SCRIPTED = ("heuristic", "heuristic:courage=0.45,patience=3", "heuristic:courage=0.5,patience=5", "heuristic:courage=0.8")
STRANGERS = tuple(f"stranger:style={name}" for name in stranger.TRAINED)
PLANNER = "planner"
SEARCH, JUDGED = "turns", "turns with the value net"
MOST_OLDER = 6


class ValueOptions(Options):
    start: str = Field("", description="weights to start from, shipped or a file; empty: untrained ones")
    layers: list[int] = Field(default=[96, 48], description="widths of the hidden layers")
    players: list[int] = Field(
        default=[2, 3, 3, 3, 4, 5, 6, 6], description="numbers of players, as often as they are listed"
    )
    maps: int = Field(24, ge=1, description="generated maps that are played on besides the classic one")
    chunks: int = Field(200, ge=1, description="chunks of games in all")
    warmup: int = Field(20, ge=0, description="chunks before the planner plays along")
    batches: int = Field(16, ge=1, description="batches of games in a chunk, each with its own map and line-up")
    games: int = Field(16, ge=1, description="games of a batch; without planners and turn searches ten times as many")
    iterations: int = Field(150, ge=1, description="tries of the planner for each plan")
    search: int = Field(60, ge=1, description="iterations of the turn searches")
    ahead: int = Field(0, ge=0, le=5, description="turns of others that the planner looks ahead")
    line_ups: list[float] = Field(
        default=[0.3, 0.2, 0.25, 0.25],
        min_length=4,
        max_length=5,
        description="shares of games: mostly planners; one among scripted players; one among strangers of a kind; all kinds "
        "but turn searches; turn searches with planners among them (may be left out)",
    )
    rounds: int = Field(60, ge=5, description="games that last longer are not learned from")
    buffer: int = Field(1_000_000, ge=1000, description="newest positions that are learned from")
    steps: int = Field(200, ge=1, description="steps of learning after a chunk")
    batch: int = Field(1024, ge=1, description="positions of a step")
    rate: float = Field(1e-3, gt=0, description="learning rate (Adam), falling to a tenth at the end")
    older_every: int = Field(20, ge=1, description="chunks after which the net joins the older ones that play along")
    workers: int = Field(0, ge=0, description="threads that play; 0: one a core")
    device: str = Field("auto", description="where to learn: auto, cpu or cuda")


class ValueNet(nn.Module):  # type: ignore[misc]
    """The net of agents/risk/value.py for many positions at once."""

    def __init__(self, widths: Sequence[int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in pairwise([INPUTS, *widths, 1]))

    def forward(self, figures: Tensor, game: Tensor, living: Tensor) -> Tensor:
        """The logarithm of every seat's chance to win."""
        x = told(figures, game, living)
        for number, layer in enumerate(self.layers):
            x = layer(x) if number == 0 else layer(torch.relu(x))
        return torch.log_softmax(x.squeeze(-1).masked_fill(~living, -1e9), dim=1)


def told(figures: Tensor, game: Tensor, living: Tensor) -> Tensor:
    """A seat's figures, the mean and the largest of the others', and the game's."""
    alive = living.unsqueeze(-1)
    others = living.sum(1).clamp(min=2)[:, None, None] - 1
    total = (figures * alive).sum(1, keepdim=True) - figures * alive
    apart = ~torch.eye(SEATS, dtype=torch.bool, device=figures.device)
    seen = (apart[None] & living[:, None]).unsqueeze(-1)  # [row, seat, other, 1]
    largest = figures[:, None].expand(-1, SEATS, -1, -1).masked_fill(~seen, -1e9).amax(2).clamp(min=-1.0)
    return torch.cat([figures, total / others, largest, game[:, None].expand(-1, SEATS, -1)], dim=2)


class LearnValue(Learner):
    name = "value"
    about = "learns who wins from the results of games between players of many kinds"
    unit = "chunks"
    families = ("risk",)
    options_model = ValueOptions
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    game: Risk
    options: ValueOptions

    def prepare(self) -> None:
        options = self.options
        self.generator = np.random.default_rng(options.seed)
        torch.manual_seed(options.seed)
        self.device = device(options.device)
        self.net = ValueNet(options.layers).to(self.device)
        if options.start:
            self._start(options.start)
        self.adam = torch.optim.Adam(self.net.parameters(), lr=options.rate)
        self.rows: list[Rows] = []
        self.older: list[Arrays] = []
        self.workers = options.workers or os.cpu_count() or 1
        self._pool = ThreadPoolExecutor(self.workers)
        self._games: dict[str, Risk] = {}
        self._seated: dict[tuple[str, str], Player] = {}

    def _start(self, name: str) -> None:
        given = {f"layers.{key}": torch.from_numpy(part.copy()) for key, part in nets.load(name).tensors.items()}
        try:
            self.net.load_state_dict(given)
        except RuntimeError:
            raise FogboundError(f"The weights “{name}” do not have the layers {self.options.layers}.") from None

    @property
    def total(self) -> int:
        return self.options.chunks

    @property
    def agent(self) -> str:
        return PLANNER

    def seats(self, learned: str, opponent: str) -> list[str]:
        return [f"planner:weights={learned},iterations=200", *[opponent] * (self.game.seats - 1)]

    # Games.

    def advance(self) -> Mapping[str, float]:
        options = self.options
        jobs = [self._job() for _ in range(options.batches)]
        played = list(self._pool.map(self._play, jobs))
        self.rows.append(join([rows for rows, _ in played]))
        while len(self.rows) > 1 and sum(len(each.game) for each in self.rows[1:]) >= options.buffer:
            self.rows.pop(0)
        figures = self._learn()
        self.done += 1
        if self.done > options.warmup and self.done % options.older_every == 0:
            self.older = [*self.older, net_arrays("", self.net)][-MOST_OLDER:]
        return {
            **figures,
            "positions": sum(len(each.game) for each in self.rows),
            "new positions": len(self.rows[-1].game),
            "ended": float(np.mean([ended for _, ended in played])),
        }

    def _job(self) -> tuple[Risk, list[Player], list[list[Player]], int, int]:
        """A map, a line-up, who sets up, a seed and the number of games."""
        draw = self.generator
        game = self._map()
        kinds = self._line_up(game.seats)
        players = [self._player(game, kind) for kind in kinds]
        searched = SEARCH in kinds or JUDGED in kinds
        planned = searched or PLANNER in kinds
        setters = [self._setters(game) if searched else [] for _ in players]
        return game, players, setters, int(draw.integers(1 << 62)), self.options.games * (1 if planned else 10)

    def _map(self) -> Risk:
        draw = self.generator
        players = int(draw.choice(self.options.players))
        number = int(draw.integers(2 * self.options.maps))
        deal = "true" if draw.random() < 0.3 else "false"
        spec = f"risk/classic:players={players},deal={deal}"
        if number < self.options.maps:
            size = max(12, 5 * players, 15 + 7 * (number % 7))
            spec = f"risk/random:seed={FIRST_MAP + number},territories={size},players={players},deal={deal}"
        if draw.random() < 0.1:
            spec += f",cards={draw.choice(['slow', 'fixed', 'capped'])}"
        if players > 2 and draw.random() < 0.07:
            spec += ",goal=missions"
        if draw.random() < 0.05:
            spec += ",round_limit=15"
        if spec not in self._games:
            made = registry.game(spec)
            assert isinstance(made, Risk)
            self._games[spec] = made
        return self._games[spec]

    def _line_up(self, seats: int) -> list[str]:
        draw = self.generator
        planner_kind = PLANNER if self.done >= self.options.warmup else SCRIPTED[0]
        shares = self.options.line_ups
        way = draw.choice(len(shares), p=np.array(shares) / sum(shares))
        if way == 0:
            kinds = [planner_kind if draw.random() < 0.7 else str(draw.choice(SCRIPTED)) for _ in range(seats)]
        elif way == 1:
            kinds = [planner_kind, *[str(draw.choice(SCRIPTED)) for _ in range(seats - 1)]]
        elif way == 2:
            kinds = [planner_kind, *[str(draw.choice(STRANGERS))] * (seats - 1)]
        elif way == 4:
            kinds = [str(draw.choice([SEARCH, SEARCH, SEARCH, JUDGED, JUDGED, planner_kind])) for _ in range(seats)]
        else:
            field = [planner_kind] * 6 + list(SCRIPTED) + list(STRANGERS) + ["random"]
            kinds = [str(draw.choice(field)) for _ in range(seats)]
        draw.shuffle(kinds)
        return kinds

    def _player(self, game: Risk, kind: str) -> Player:
        if kind == PLANNER:
            kit = planning.make_kit(game, self._judge(), c=0.1, plans=40, ahead=self.options.ahead)
            return Player(planning.choose, planning.quick(kit, self.options.iterations, setup=self.generator.random() < 0.1))
        if kind in (SEARCH, JUDGED):
            return Player(turns.choose, turns.quick(game, self.options.search, self._judge() if kind == JUDGED else None))
        if (game.spec, kind) not in self._seated:
            agent = registry.agent(kind, game)
            assert isinstance(agent, PolicyAgent)
            self._seated[game.spec, kind] = Player(agent.policy, agent.policy_params)
        return self._seated[game.spec, kind]

    def _setters(self, game: Risk) -> list[Player]:
        """Turn searches set up as the script does; so that the net gets to know other set-ups, here they are varied."""
        lot = self.generator.random()
        if lot < 0.4:
            return []
        if lot < 0.5:
            kit = planning.make_kit(game, self._judge(), c=0.1, plans=1, ahead=0)
            return [Player(planning.choose, planning.quick(kit, 1, setup=True))]
        strange = str(self.generator.choice([*STRANGERS, "random"]))
        return [self._player(game, kind) for kind in (*[SCRIPTED[0]] * 3, strange)]

    def _judge(self) -> value.Value:
        """The newest net, or an older one."""
        draw = self.generator
        older = self.older and draw.random() < 0.3
        return value.made_of(_layers(self.older[int(draw.integers(len(self.older)))] if older else net_arrays("", self.net)))

    def _play(self, job: tuple[Risk, list[Player], list[list[Player]], int, int]) -> tuple[Rows, float]:
        game, players, setters, seed, games = job
        apart = [_apart(player) for player in players]
        apart_setters = [[_apart(player) for player in each] for each in setters]
        return play(game, evaluation.params_of(game), apart, apart_setters, seed, games, self.options.rounds)

    # Learning.

    def _learn(self) -> Mapping[str, float]:
        options = self.options
        for group in self.adam.param_groups:
            group["lr"] = options.rate * (1 - 0.9 * self.done / options.chunks)
        losses = []
        whole = [torch.from_numpy(np.concatenate(each)).to(self.device) for each in zip(*self.rows, strict=True)]
        for _ in range(options.steps):
            chosen = self.generator.integers(len(whole[0]), size=options.batch)
            losses.append(self._step(whole, torch.from_numpy(chosen).to(self.device)))
        return {"loss": float(torch.stack(losses).mean())}

    def _step(self, whole: list[Tensor], chosen: Tensor) -> Tensor:
        figures, game, living, result = (each[chosen] for each in whole)
        chances = self.net(figures.float(), game.float(), living)
        loss = -(result.float() * chances.clamp(min=-20)).sum(1).mean()
        self.adam.zero_grad()
        loss.backward()
        self.adam.step()
        return loss.detach()

    # Checkpoints.

    def snapshot(self) -> Arrays:
        arrays = {**net_arrays("net.", self.net), **adam_arrays(self.adam), "words": rng_state(self.generator)}
        for number, each in enumerate(self.older):
            arrays |= {f"older.{number}.{name}": part for name, part in each.items()}
        for name, parts in zip(Rows._fields, zip(*self.rows, strict=True), strict=True) if self.rows else ():
            arrays[f"rows.{name}"] = np.concatenate(parts)
        arrays["sizes"] = np.array([len(each.game) for each in self.rows], np.int64)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        restore_net(self.net, "net.", arrays)
        restore_adam(self.adam, arrays)
        set_rng_state(self.generator, arrays["words"])
        numbers = sorted({int(name.split(".")[1]) for name in arrays if name.startswith("older.")})
        self.older = [
            {name.removeprefix(f"older.{n}."): part for name, part in arrays.items() if name.startswith(f"older.{n}.")}
            for n in numbers
        ]
        ends = np.cumsum(arrays["sizes"])
        self.rows = [
            Rows(*(arrays[f"rows.{name}"][end - size : end] for name in Rows._fields))
            for end, size in zip(ends, arrays["sizes"], strict=True)
        ]

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        tensors = {name.removeprefix("layers."): part for name, part in net_arrays("", self.net).items()}
        return tensors, {"kind": value.KIND, "family": "risk"}


def _apart(player: Player) -> Player:
    """The same for another thread."""
    return Player(player.policy, separate(player.params))


def _layers(arrays: Arrays) -> list[tuple[NDArray[Any], NDArray[Any]]]:
    """The layers of a net from its arrays."""
    count = len(arrays) // 2
    return [(arrays[f"layers.{i}.weight"], arrays[f"layers.{i}.bias"]) for i in range(count)]
