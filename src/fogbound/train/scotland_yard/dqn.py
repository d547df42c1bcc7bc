"""Deep Q-learning for both sides of Scotland Yard: a net learns what each move is worth, from what came of it.

The preset `hrklova` is the method of Hrkľová 2023. Beyond it: double and duelling Q-learning, returns over
several steps, only legal moves compared, a net over the stations, the board's symmetries, many matches at once.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import perf_counter
from typing import Any, ClassVar, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from pydantic import Field
from torch import Tensor, nn

from fogbound.agents import nets
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train import method
from fogbound.train.method import Arrays, Learner, rng_state, set_rng_state
from fogbound.train.scotland_yard.dqn_nets import DenseNet, GraphNet
from fogbound.train.scotland_yard.environment import Arena, Cast
from fogbound.train.scotland_yard.shard import Rewards
from fogbound.train.scotland_yard.symmetries import Symmetries

PIECE = 1.0  # seconds that a piece of work takes at least
SEARCH = "mcts:worlds=one,iterations=500"


class Options(method.Options):
    side: Literal["detectives", "mr-x"] = Field("detectives", description="who learns")
    games: int = Field(60_000, ge=1, description="games to learn from")
    opponents: list[str] = Field(
        default=["alphabeta", SEARCH], description="whom it plays against; each game draws one of them"
    )
    partner: str = Field(
        "", description="who plays all detectives but the last while the last one learns; empty: the net plays them all"
    )
    start: str = Field("", description="weights to begin with; empty for fresh ones")
    coding: Literal["planes", "cells"] = Field("cells", description="what the net sees: see the guide to features")
    answers: Literal["directions", "stations"] = Field(
        "stations", description="what it answers: a value a direction (grids only), or a value a station and ticket"
    )
    masked: bool = Field(True, description="compare legal moves only; otherwise a wrong answer means a random move")
    net: Literal["dense", "graph"] = Field("dense", description="dense layers, or a net over the stations for any board")
    hidden: list[int] = Field(
        default=[], description="widths of the hidden layers; empty: for S stations 4S and 2S (Mr X), 4S and 4S (detectives)"
    )
    duelling: bool = Field(True, description="value and advantages in separate halves of the last layer")
    double: bool = Field(True, description="the net chooses the move that the target net values")
    steps: int = Field(10, ge=1, le=50, description="own moves whose rewards are counted, as far as none was random")
    symmetries: bool = Field(True, description="show each batch in one of the board's symmetries")
    gamma: float = Field(0.99, gt=0, le=1, description="what a reward one own move later is worth")
    rate: float = Field(0.0005, gt=0, description="the learning rate of Adam")
    rate_end: float = Field(0.1, gt=0, le=1, description="the share of it that is left at the end; it falls evenly")
    batch: int = Field(512, ge=1, description="moves in a batch")
    replay: int = Field(100_000, ge=1, description="moves that are remembered")
    every: float = Field(32.0, gt=0, description="own moves played for each batch learned")
    target: int = Field(200, ge=1, description="batches between two copies into the target net")
    epsilon: float = Field(0.5, ge=0, le=1, description="share of random moves at first")
    epsilon_end: float = Field(0.03, ge=0, le=1, description="share of random moves at last")
    explore: float = Field(0.1, gt=0, le=1, description="the part of the games in which the share falls")
    matches: int = Field(256, ge=1, description="games that run side by side")
    threads: int = Field(0, ge=0, description="threads that play them; 0: one a processor")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where the net learns")
    reward_possible: float = Field(0.0, description="a detective steps on a station where Mr X can be")
    reward_caught: float = Field(1.0, description="the detectives catch Mr X")
    reward_lost: float = Field(-1.0, description="the detectives lose")
    reward_taken: float = Field(-1.0, description="Mr X is caught")
    reward_survived: float = Field(0.0, description="Mr X lives to his next move, or to the end")
    reward_escaped: float = Field(1.0, description="Mr X wins, besides")
    own_catch: bool = Field(False, description="the catch counts only for a detective who took part in it")


HRKLOVA: dict[str, Any] = {
    "games": 10_000,
    "opponents": ["alphabeta", SEARCH],
    "partner": "alphabeta",
    "coding": "planes",
    "answers": "directions",
    "masked": False,
    "duelling": False,
    "double": False,
    "steps": 1,
    "symmetries": False,
    "gamma": 0.975,
    "rate": 0.001,
    "rate_end": 1.0,
    "batch": 512,
    "replay": 15_000,
    "every": 1.0,
    "target": 100,
    "epsilon": 1.0,
    "epsilon_end": 0.01,
    "explore": 1.0,
    "matches": 16,
    "device": "cpu",
    "field": ["random", "alphabeta", SEARCH],
    "trials": 1,
    "trial_games": 500,
    "reward_possible": 1.0,
    "reward_caught": 10.0,
    "reward_lost": -10.0,
    "reward_taken": -5.0,
    "reward_survived": 1.0,
    "reward_escaped": 0.0,
    "own_catch": True,
}


class Dqn(Learner):
    name = "dqn"
    about = "deep Q-learning for both sides of Scotland Yard"
    unit = "games"
    families = ("scotland-yard",)
    options_model = Options
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "hrklova": HRKLOVA,
        "hrklova-mr-x": {**HRKLOVA, "side": "mr-x", "partner": ""},
        "mr-x": {"side": "mr-x"},
    }
    options: Options
    game: Game

    def prepare(self) -> None:
        if not isinstance(self.game, ScotlandYard):
            raise FogboundError(f"dqn learns Scotland Yard, not {self.game.spec}.")
        options, self.yard = self.options, self.game
        self.device = _device(options.device)
        self.rng = np.random.default_rng(options.seed)
        torch.manual_seed(options.seed)
        self.arena = self._arena()
        self.net, self.target = self._net().to(self.device), self._net().to(self.device)
        if options.start:
            self._begin_with(nets.load(options.start, self.yard.board.name))
        self.target.load_state_dict(self.net.state_dict())
        self.adam = torch.optim.Adam(self.net.parameters(), lr=options.rate, fused=True)
        self.symmetries = Symmetries(self.yard, self.arena.coding, self.device) if options.symmetries else None
        self._make_replay()
        self.played = 0  # own moves
        self.learned = 0  # batches
        self.owed = 0.0
        self.arena.start()

    def _arena(self) -> Arena:
        o = self.options
        learns = self.side()
        seats = [0] if learns == 0 else [self.yard.seats - 1] if o.partner else list(range(1, self.yard.seats))
        caught = o.reward_taken if learns == 0 else o.reward_caught
        rewards = Rewards(o.reward_possible, caught, o.reward_lost, o.reward_survived, o.reward_escaped, int(o.own_catch))
        threads = o.threads or os.cpu_count() or 1
        cast = Cast(learns, seats, o.partner, o.opponents)
        return Arena(self.yard, cast, (o.coding, o.answers), rewards, o.matches, threads, o.seed)

    def _net(self) -> nn.Module:
        o, stations = self.options, self.yard.table.stations
        hidden = o.hidden or [4 * stations, 2 * stations if self.side() == 0 else 4 * stations]
        if o.net == "dense":
            return DenseNet(self.arena.coding, hidden, o.duelling)
        if o.coding != "cells" or o.answers != "stations" or len(set(hidden)) > 1:
            raise FogboundError(
                "A net over the stations needs coding=cells, answers=stations and hidden layers of one width."
            )
        return GraphNet(self.yard, self.arena.coding, hidden, o.duelling)

    def _begin_with(self, weights: nets.Weights) -> None:
        try:
            self.net.read(dict(weights.tensors))
        except (KeyError, RuntimeError):
            raise FogboundError(f"The weights “{weights.name}” are of a net with other layers than this one.") from None

    def _make_replay(self) -> None:
        """A row a moment, a column a match: what follows a move stands in the next row."""
        o, code = self.options, self.arena.coding
        rows = max(o.replay // o.matches, o.steps + 2)
        kind = torch.float32 if o.coding == "planes" else torch.float16
        self.rows = rows
        self.seen = torch.zeros(rows, o.matches, code.inputs, dtype=kind, device=self.device)
        self.legal = torch.ones(rows, o.matches, code.answers, dtype=torch.bool, device=self.device)
        self.answer = torch.zeros(rows, o.matches, dtype=torch.int64, device=self.device)
        self.reward = torch.zeros(rows, o.matches, device=self.device)
        self.over = torch.zeros(rows, o.matches, device=self.device)
        self.tried = torch.zeros(rows, o.matches, dtype=torch.bool, device=self.device)
        self.ahead = torch.arange(o.steps, device=self.device)
        self.moments = 0  # rows written so far

    @property
    def total(self) -> int:
        return self.options.games

    def side(self) -> int:
        return 0 if self.options.side == "mr-x" else 1

    def seats(self, learned: str, opponent: str) -> list[str]:
        own = f"net:weights={learned}"
        return [own, opponent] if self.side() == 0 else [opponent, own]

    # Learning.

    def advance(self) -> dict[str, float]:
        began, played = perf_counter(), self.played
        before = self.arena.tally()
        losses: list[Tensor] = []
        while perf_counter() - began < PIECE and self.done < self.total:
            self._play()
            losses += self._learn()
            self.done = int(self.arena.tally()[0].sum())
        ended, won = (now - then for now, then in zip(self.arena.tally(), before, strict=True))
        figures = {"epsilon": self.epsilon(), "moves a second": (self.played - played) / (perf_counter() - began)}
        if losses:
            figures["loss"] = float(torch.stack(losses).mean())
        for spec in dict.fromkeys(self.options.opponents):
            mine = [other == spec for other in self.options.opponents]
            if ended[mine].sum():
                figures[f"won against {spec}"] = float(won[mine].sum() / ended[mine].sum())
        return figures

    def epsilon(self) -> float:
        o = self.options
        fallen = (o.epsilon - o.epsilon_end) * min(1.0, self.done / (o.games * o.explore))
        return o.epsilon - fallen

    def _play(self) -> None:
        """One answer in every match."""
        arena, row = self.arena, self.moments % self.rows
        seen = torch.from_numpy(arena.features).to(self.device)
        legal = torch.from_numpy(arena.mask).to(self.device).bool()
        if not self.options.masked:
            legal = torch.ones_like(legal)
        with torch.no_grad():
            best = self.net(seen).masked_fill(~legal, -torch.inf).argmax(1).cpu().numpy()
        answers = self._explored(best, legal.cpu().numpy())
        self.seen[row] = seen
        self.legal[row] = legal
        self.answer[row] = torch.from_numpy(answers).to(self.device)
        self.tried[row] = torch.from_numpy(answers != best).to(self.device)
        arena.step(answers)
        self.reward[row] = torch.from_numpy(arena.reward).to(self.device)
        self.over[row] = torch.from_numpy(arena.done).to(self.device)
        self.moments += 1
        self.played += arena.matches

    def _explored(self, best: NDArray[np.int64], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """The best answers, some of them replaced by random ones."""
        anything = (self.rng.random(legal.shape) * legal).argmax(1)
        return np.where(self.rng.random(best.size) < self.epsilon(), anything, best)

    def _learn(self) -> list[Tensor]:
        """As many batches as are due."""
        o = self.options
        rows = min(self.moments, self.rows) - o.steps
        if rows * o.matches < o.batch:
            return []
        self.owed += o.matches / o.every
        losses = []
        while self.owed >= 1.0:
            self.owed -= 1.0
            losses.append(self._batch(rows))
        return losses

    def _batch(self, rows: int) -> Tensor:
        o = self.options
        newest = self.moments - 1
        oldest = newest - o.steps - rows + 1
        drawn = oldest + self.rng.integers(0, rows, o.batch)
        moment = torch.from_numpy(drawn).to(self.device)
        match = torch.from_numpy(self.rng.integers(0, o.matches, o.batch)).to(self.device)
        row = moment % self.rows
        gained, kept, steps = self._gained(moment, match)
        later = (moment + steps) % self.rows
        seen, answer = self.seen[row, match].float(), self.answer[row, match]
        after, legal = self.seen[later, match].float(), self.legal[later, match]
        if self.symmetries is not None:
            seen, answer, after, legal = self.symmetries.turned(self.rng, seen, answer, after, legal)
        with torch.no_grad():
            worth = self.target(after)
            chooser = self.net(after) if o.double else worth
            choice = chooser.masked_fill(~legal, -torch.inf).argmax(1, keepdim=True)
            wanted = gained + kept * worth.gather(1, choice).squeeze(1)
        value = self.net(seen).gather(1, answer.unsqueeze(1)).squeeze(1)
        loss = nn.functional.smooth_l1_loss(value, wanted)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.param_groups[0]["lr"] = self._rate()
        self.adam.step()
        self.learned += 1
        if self.learned % o.target == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.detach()

    def _gained(self, moment: Tensor, match: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The rewards of the next steps, what the value after them counts, and how many steps these are.

        They end where a move was tried at random: what came of that says nothing about the moves before it.
        """
        o = self.options
        rows = (moment.unsqueeze(1) + self.ahead) % self.rows
        here = (rows, match.unsqueeze(1))
        tried = self.tried[here]
        tried[:, 0] = False
        going = tried.cumsum(1) == 0
        alive = torch.where(going, 1 - self.over[here], 1.0).cumprod(1)
        before = torch.cat([torch.ones_like(alive[:, :1]), alive[:, :-1]], 1)
        gained = (going * before * o.gamma**self.ahead * self.reward[here]).sum(1)
        steps = going.sum(1)
        return gained, alive[:, -1] * o.gamma**steps, steps

    def _rate(self) -> float:
        o = self.options
        return o.rate * (1 - (1 - o.rate_end) * min(1.0, self.done / o.games))

    # Keeping.

    def snapshot(self) -> Arrays:
        arrays: Arrays = {f"arena.{name}": array for name, array in self.arena.snapshot().items()}
        for which, net in (("net", self.net), ("target", self.target)):
            arrays |= {f"{which}.{name}": _array(value) for name, value in net.state_dict().items()}
        for i, moments in self.adam.state_dict()["state"].items():
            arrays |= {f"adam.{i}.{name}": _array(value) for name, value in moments.items()}
        arrays |= {f"replay.{name}": _array(getattr(self, name)) for name in REPLAY}
        arrays["counts"] = np.array([self.moments, self.played, self.learned], np.int64)
        arrays["owed"] = np.array([self.owed])
        arrays["rng"] = rng_state(self.rng)
        return arrays

    def restore(self, arrays: Arrays) -> None:
        self.arena.restore(_under(arrays, "arena."))
        for which, net in (("net", self.net), ("target", self.target)):
            net.load_state_dict({name: _tensor(value) for name, value in _under(arrays, f"{which}.").items()})
        kept = self.adam.state_dict()
        for name, value in _under(arrays, "adam.").items():
            i, _, part = name.partition(".")
            kept["state"].setdefault(int(i), {})[part] = _tensor(value)
        self.adam.load_state_dict(kept)
        for name in REPLAY:
            getattr(self, name).copy_(_tensor(arrays[f"replay.{name}"]))
        self.moments, self.played, self.learned = (int(x) for x in arrays["counts"])
        self.owed = float(arrays["owed"][0])
        set_rng_state(self.rng, arrays["rng"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        o = self.options
        about = {
            "kind": "dqn",
            "family": "scotland-yard",
            "board": self.yard.board.name,
            "side": o.side,
            "coding": o.coding,
            "answers": o.answers,
            "masked": str(int(o.masked)),
            "net": o.net,
        }
        if o.net == "graph":
            about |= {"layers": str(len(self.net.own)), "transports": str(self.yard.table.transports)}
        return self.net.written(), about


REPLAY = ("seen", "legal", "answer", "reward", "over", "tried")


def _device(name: str) -> Any:
    there = torch.cuda.is_available()
    if name == "cuda" and not there:
        raise FogboundError("“device=cuda” cannot be: PyTorch finds no such device here. Use “auto” or “cpu”.")
    return torch.device("cuda" if there and name == "auto" else "cpu" if name == "auto" else name)


def _array(tensor: Tensor) -> NDArray[Any]:
    return np.array(tensor.detach().cpu().numpy())


def _tensor(array: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.array(array))


def _under(arrays: Arrays, start: str) -> Arrays:
    return {name.removeprefix(start): array for name, array in arrays.items() if name.startswith(start)}
