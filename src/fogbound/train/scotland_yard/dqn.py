"""Deep Q-learning for both sides of Scotland Yard: a net learns the value of each move from the rewards that followed.

The preset `hrklova` is the method of Hrkľová 2023. Beyond it: double and duelling Q-learning, returns over
several steps, illegal moves masked, a graph net over the stations, the board's symmetries, many matches at once.
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
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train import method, torch_state
from fogbound.train.method import Arrays, Learner, rng_state, set_rng_state
from fogbound.train.scotland_yard.dqn_nets import DenseNet, GraphNet
from fogbound.train.scotland_yard.environment import EnvironmentBatch, SeatAssignment
from fogbound.train.scotland_yard.shard import Rewards
from fogbound.train.scotland_yard.symmetries import Symmetries

CHUNK = 1.0  # seconds that one call of `advance` takes at least
ENVIRONMENT = "arena."  # how names of the environment's arrays begin in a checkpoint
SEARCH = "mcts:worlds=one,iterations=500"


class Options(method.Options):
    side: Literal["detectives", "mr-x"] = Field("detectives", description="the side that learns")
    games: int = Field(60_000, ge=1, description="games to learn from")
    opponents: list[str] = Field(
        default=["alphabeta", SEARCH], description="agents to play against; each game draws one of them"
    )
    partner: str = Field(
        "", description="the agent of all detectives but the last, which learns; empty: the net plays all detectives"
    )
    start: str = Field("", description="weights to start from, shipped or a file; empty: random ones")
    coding: Literal["planes", "cells", "sightings"] = Field(
        "cells", description="the net's inputs: see the guide to features"
    )
    answers: Literal["directions", "stations"] = Field(
        "stations", description="the net's outputs: a value for each direction (grids only), or for each station and ticket"
    )
    masked: bool = Field(True, description="compare legal moves only; otherwise an illegal answer becomes a random move")
    net: Literal["dense", "graph"] = Field("dense", description="dense layers, or a graph net, which fits any board")
    hidden: list[int] = Field(
        default=[], description="widths of the hidden layers; empty: for S stations 4S and 2S (Mr X), 4S and 4S (detectives)"
    )
    duelling: bool = Field(True, description="separate halves of the last layer for the value and the advantages")
    double: bool = Field(True, description="double Q-learning: the net chooses the move that the target net evaluates")
    follows: Literal["turn", "move"] = Field(
        "turn",
        description="the position whose value is added to a move's reward: the next that the learner has to decide, "
        "or the one directly after its own move (with masked=false)",
    )
    ends: Literal["game", "own", "never"] = Field(
        "game",
        description="moves after which no value is added: the last one of a game, only one that ends it by itself "
        "(with follows=move), or none",
    )
    steps: int = Field(10, ge=1, le=50, description="length of returns in own moves; they end early at a random move")
    symmetries: bool = Field(True, description="augment each batch by one of the board's symmetries")
    gamma: float = Field(0.99, gt=0, le=1, description="discount for each own move")
    rate: float = Field(0.0005, gt=0, description="learning rate of Adam")
    rate_end: float = Field(0.1, gt=0, le=1, description="share of the learning rate left in the end; it falls linearly")
    loss: Literal["huber", "mse"] = Field("huber", description="Huber's loss, or the mean squared error")
    weights: Literal["kaiming", "pytorch"] = Field("kaiming", description="initial weights: Kaiming's, or PyTorch's own")
    batch: int = Field(512, ge=1, description="moves in a batch")
    replay: int = Field(100_000, ge=1, description="moves in the replay buffer")
    every: float = Field(32.0, gt=0, description="own moves played for each batch that is learned")
    target: int = Field(200, ge=1, description="batches between two copies into the target net")
    epsilon: float = Field(0.5, ge=0, le=1, description="share of random moves at the start")
    epsilon_end: float = Field(0.03, ge=0, le=1, description="share of random moves in the end")
    explore: float = Field(0.1, gt=0, le=1, description="the part of the games over which that share falls")
    matches: int = Field(256, ge=1, description="games that run side by side")
    threads: int = Field(0, ge=0, description="threads that play them; 0: one a core")
    device: Literal["auto", "cpu", "cuda"] = Field("auto", description="where the net learns")
    reward_possible: float = Field(0.0, description="a detective steps on a station where Mr X can be")
    reward_caught: float = Field(1.0, description="the detectives catch Mr X")
    reward_lost: float = Field(-1.0, description="the detectives lose")
    reward_taken: float = Field(-1.0, description="Mr X is caught")
    reward_survived: float = Field(0.0, description="Mr X survives until his next move, or to the end")
    reward_escaped: float = Field(1.0, description="Mr X wins (added to the reward for surviving)")
    reward_wrong: float | None = Field(
        None, description="an illegal answer, whatever its random move brings; none: what that move brings"
    )
    own_catch: bool = Field(False, description="a catch counts only for a detective who made it, or when Mr X was shut in")


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

    game: ScotlandYard
    options: Options

    def prepare(self) -> None:
        options = self.options
        self._check()
        self.device = torch_state.device(options.device)
        self.rng = np.random.default_rng(options.seed)
        torch.manual_seed(options.seed)
        self.environment = self._environment()
        self.net, self.target = self._net().to(self.device), self._net().to(self.device)
        if options.start:
            self._start_from(nets.load(options.start, self.game.board.name))
        self.target.load_state_dict(self.net.state_dict())
        self.adam = torch.optim.Adam(self.net.parameters(), lr=options.rate, fused=True)
        self.symmetries = Symmetries(self.game, self.environment.coding, self.device) if options.symmetries else None
        self._make_replay()
        self.played = 0  # own moves
        self.learned = 0  # batches
        self.owed = 0.0  # batches to learn before the next moves
        self.environment.reset()

    def _check(self) -> None:
        o = self.options
        if o.follows == "move" and o.masked:
            raise FogboundError("What follows a move is known directly after it (follows=move) only with masked=false.")
        if o.ends == "own" and o.follows != "move":
            raise FogboundError("Whether a move ended the game by itself (ends=own) is known only with follows=move.")

    def _environment(self) -> EnvironmentBatch:
        o = self.options
        learns = self.side()
        seats = [0] if learns == 0 else [self.game.seats - 1] if o.partner else list(range(1, self.game.seats))
        caught = o.reward_taken if learns == 0 else o.reward_caught
        wrong = np.nan if o.reward_wrong is None else o.reward_wrong
        rewards = Rewards(
            o.reward_possible, caught, o.reward_lost, o.reward_survived, o.reward_escaped, int(o.own_catch), wrong
        )
        threads = o.threads or os.cpu_count() or 1
        assignment = SeatAssignment(learns, seats, o.partner, o.opponents)
        return EnvironmentBatch(
            self.game, assignment, (o.coding, o.answers), rewards, o.matches, threads, o.seed, o.follows == "move"
        )

    def _net(self) -> nn.Module:
        o, stations = self.options, self.game.table.stations
        hidden = o.hidden or [4 * stations, 2 * stations if self.side() == 0 else 4 * stations]
        if o.net == "dense":
            return DenseNet(self.environment.coding, hidden, o.duelling, o.weights)
        if o.weights != "kaiming" or o.coding != "cells" or o.answers != "stations" or len(set(hidden)) > 1:
            raise FogboundError(
                "A graph net (net=graph) needs coding=cells, answers=stations, weights=kaiming, and hidden layers "
                "that are all as wide."
            )
        return GraphNet(self.game, self.environment.coding, hidden, o.duelling)

    def _start_from(self, weights: nets.Weights) -> None:
        try:
            self.net.read(dict(weights.tensors))
        except (KeyError, RuntimeError):
            raise FogboundError(f"The weights “{weights.name}” belong to a net with other layers than this one.") from None

    def _make_replay(self) -> None:
        """The replay buffer: a row a time step, a column a match; what follows a move is in the next row."""
        o, code = self.options, self.environment.coding
        rows = max(o.replay // o.matches, o.steps + 2)
        kind = torch.float16 if o.coding == "cells" else torch.float32
        self.rows = rows
        self.seen = torch.zeros(rows, o.matches, code.inputs, dtype=kind, device=self.device)
        self.after = self.seen if o.follows == "turn" else torch.zeros_like(self.seen)
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
        before = self.environment.tally()
        losses: list[Tensor] = []
        while perf_counter() - began < CHUNK and self.done < self.total:
            self._play()
            losses += self._learn()
            self.done = int(self.environment.tally()[0].sum())
        ended, won = (now - then for now, then in zip(self.environment.tally(), before, strict=True))
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
        environment, row = self.environment, self.moments % self.rows
        seen = torch.from_numpy(environment.features).to(self.device)
        legal = torch.from_numpy(environment.mask).to(self.device).bool()
        if not self.options.masked:
            legal = torch.ones_like(legal)
        with torch.no_grad():
            best = self.net(seen).masked_fill(~legal, -torch.inf).argmax(1).cpu().numpy()
        answers = self._explored(best, legal.cpu().numpy())
        self.seen[row] = seen
        self.legal[row] = legal
        self.answer[row] = torch.from_numpy(answers).to(self.device)
        self.tried[row] = torch.from_numpy(answers != best).to(self.device)
        environment.step(answers)
        self.reward[row] = torch.from_numpy(environment.reward).to(self.device)
        if self.after is not self.seen:
            self.after[row] = torch.from_numpy(environment.afterstates).to(self.device)
        self.over[row] = torch.from_numpy(self._ended()).to(self.device)
        self.moments += 1
        self.played += environment.matches

    def _ended(self) -> NDArray[np.uint8]:
        """Where no value is added to the reward of the last move."""
        if self.options.ends == "never":
            return np.zeros_like(self.environment.done)
        return self.environment.ended if self.options.ends == "own" else self.environment.done

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
        gained, discount, steps = self._return(moment, match)
        later = (moment + steps - int(o.follows == "move")) % self.rows
        seen, answer = self.seen[row, match].float(), self.answer[row, match]
        after, legal = self.after[later, match].float(), self.legal[later, match]
        if self.symmetries is not None:
            seen, answer, after, legal = self.symmetries.turned(self.rng, seen, answer, after, legal)
        with torch.no_grad():
            values = self.target(after)
            chooser = self.net(after) if o.double else values
            choice = chooser.masked_fill(~legal, -torch.inf).argmax(1, keepdim=True)
            wanted = gained + discount * values.gather(1, choice).squeeze(1)
        value = self.net(seen).gather(1, answer.unsqueeze(1)).squeeze(1)
        loss = LOSSES[o.loss](value, wanted)
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        self.adam.param_groups[0]["lr"] = self._rate()
        self.adam.step()
        self.learned += 1
        if self.learned % o.target == 0:
            self.target.load_state_dict(self.net.state_dict())
        return loss.detach()

    def _return(self, moment: Tensor, match: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The n-step return, the discount of the value after it, and how many steps it has.

        It ends before a move that was explored at random: what followed says nothing about the moves before.
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

    # Checkpoints.

    def snapshot(self) -> Arrays:
        arrays: Arrays = {ENVIRONMENT + name: array for name, array in self.environment.snapshot().items()}
        arrays |= torch_state.net_arrays("net.", self.net) | torch_state.net_arrays("target.", self.target)
        arrays |= torch_state.adam_arrays(self.adam)
        arrays |= {f"replay.{name}": torch_state.array(getattr(self, name)) for name in self._replay()}
        arrays["counts"] = np.array([self.moments, self.played, self.learned], np.int64)
        arrays["owed"] = np.array([self.owed])
        arrays["rng"] = rng_state(self.rng)
        return arrays

    def _replay(self) -> tuple[str, ...]:
        return REPLAY if self.after is self.seen else (*REPLAY, "after")

    def restore(self, arrays: Arrays) -> None:
        self.environment.restore(torch_state.under(arrays, ENVIRONMENT))
        torch_state.restore_net(self.net, "net.", arrays)
        torch_state.restore_net(self.target, "target.", arrays)
        torch_state.restore_adam(self.adam, arrays)
        for name in self._replay():
            getattr(self, name).copy_(torch_state.tensor(arrays[f"replay.{name}"]))
        self.moments, self.played, self.learned = (int(x) for x in arrays["counts"])
        self.owed = float(arrays["owed"][0])
        set_rng_state(self.rng, arrays["rng"])

    def weights(self) -> tuple[Arrays, dict[str, str]]:
        o = self.options
        about = {
            "kind": "dqn",
            "family": "scotland-yard",
            "board": self.game.board.name,
            "side": o.side,
            "coding": o.coding,
            "answers": o.answers,
            "masked": str(int(o.masked)),
            "net": o.net,
        }
        if o.net == "graph":
            about |= {"layers": str(len(self.net.own)), "transports": str(self.game.table.transports)}
        return self.net.written(), about


LOSSES = {"huber": nn.functional.smooth_l1_loss, "mse": nn.functional.mse_loss}
REPLAY = ("seen", "legal", "answer", "reward", "over", "tried")
