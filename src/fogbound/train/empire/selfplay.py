"""Self-play for the value net of Eight-Minute Empire, against itself, earlier selves, the scripted player and random styles.

    python -m fogbound.train.empire.selfplay --minutes 9 --checkpoint FOLDER --export FILE

Games run in compiled code on all cores, on shipped and random boards with two to five players. After every turn the
net is asked how likely each learner is to win; it is drawn towards what it says a turn later, and to the result.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from fogbound.agents import nets as files
from fogbound.agents.empire import heuristic as scripted
from fogbound.agents.empire.plans import Style, plans_for
from fogbound.agents.empire.value import KIND, LAYERS, LEAD, POOL, of_tensors
from fogbound.core import registry
from fogbound.core.agent import agent_streams
from fogbound.core.rng import stream
from fogbound.core.statistics import wilson
from fogbound.games.empire.features import CONTINENT, REGION, WHOLE, room
from fogbound.games.empire.game import Empire
from fogbound.train.empire.games import EARLIER, LEARNER, SCRIPTED, STYLE, play_games, tell_all

Tensors = dict[str, NDArray[np.float32]]

FIRST_BOARD = 1_000  # the first seed of the random boards that are learned from; lower ones are a holdout
ROOM = 32  # most regions, and most continents, of a board that is learned from
SHIPPED = ("seed", "side-a", "side-b")
SAVE_SECONDS, REPORT_SECONDS = 120, 30


@dataclass(frozen=True)
class Settings:
    minutes: float = 5.0
    """how long to train"""
    seed: int = 1
    """seed of everything random but the order in which threads finish"""
    threads: int = 1
    """threads that play"""
    tasks: int = 16
    """boards played on between two trainings"""
    games: int = 32
    """games on each of them"""
    boards: int = 96
    """boards to choose from"""
    buffer: int = 400_000
    """positions kept to learn from"""
    reuse: float = 3.0
    """how often a position is learned from"""
    batch: int = 2048
    """positions in a step"""
    rate: float = 1e-3
    """learning rate at the beginning; it falls to a twentieth"""
    trace: float = 0.8
    """lambda: how much of the target is the result rather than the net's next value"""
    noise: float = 0.01
    """spread of the noise on the learner's values"""
    curious: float = 0.03
    """share of the learner's turns that are random plans"""
    each: int = 8
    """plans kept for each card"""
    width: int = 8
    """positions followed at a time"""
    hidden: str = "24,16,64,32"
    """neurons for a region, for a continent, and in the two hidden layers"""


class Net(nn.Module):  # type: ignore[misc]
    """The net of agents/empire/value.py in torch."""

    def __init__(self, hidden: Sequence[int]) -> None:
        super().__init__()
        region, continent, first, second = hidden
        self.region = nn.Linear(REGION, region)
        self.continent = nn.Linear(CONTINENT, continent)
        self.first = nn.Linear(region + continent + WHOLE, first)
        self.second = nn.Linear(first, second)
        self.last = nn.Linear(second, 2)

    def forward(self, regions: Tensor, continents: Tensor, whole: Tensor, counts: Tensor) -> Tensor:
        """The logit of winning and the lead; `counts` are how many regions and continents there are."""
        pooled = []
        for layer, rows, count in ((self.region, regions, counts[:, 0]), (self.continent, continents, counts[:, 1])):
            real = torch.arange(rows.shape[1], device=rows.device)[None, :] < count[:, None]
            pooled.append((torch.relu(layer(rows)) * real[..., None]).sum(1) * float(POOL))
        x = torch.relu(self.first(torch.cat([*pooled, whole], 1)))
        found: Tensor = self.last(torch.relu(self.second(x)))
        return found

    def tensors(self) -> Tensors:
        return {f"{name}.{part}": getattr(getattr(self, name), part).detach().cpu().numpy().copy()
                for name in LAYERS for part in ("weight", "bias")}  # fmt: skip


@dataclass
class Samples:
    """Positions as they are told, and what became of them; a row each."""

    regions: Tensor
    continents: Tensor
    whole: Tensor
    counts: Tensor
    target: Tensor  # the chance to win, the lead

    @classmethod
    def empty(cls, count: int, device: str = "cpu") -> Samples:
        def zeros(*shape: int, kind: torch.dtype = torch.float16) -> Tensor:
            return torch.zeros(count, *shape, dtype=kind, device=device)

        told = (zeros(ROOM, REGION), zeros(ROOM, CONTINENT), zeros(WHOLE))
        return cls(*told, zeros(2, kind=torch.int16), zeros(2, kind=torch.float32))

    def tensors(self) -> list[Tensor]:
        return [self.regions, self.continents, self.whole, self.counts, self.target]

    def rows(self, rows: Tensor | slice, device: str) -> list[Tensor]:
        return [each[rows].to(device, torch.float32) for each in self.tensors()]


def make_boards(count: int, rng: np.random.Generator) -> list[Empire]:
    """Shipped and random boards, two to five players, every third with other rules."""
    made = []
    for number in range(count):
        options: dict[str, object] = {"players": rng.choice([2, 3, 4, 5], p=[0.4, 0.2, 0.2, 0.2])}
        if number % 3 == 2:
            options |= {
                "tokens": "true" if rng.random() < 0.4 else "false",
                "continents": "regions" if rng.random() < 0.4 else "armies",
                "wild": "owned" if rng.random() < 0.3 else "any",
                "ties": "printed" if rng.random() < 0.3 else "seed",
            }
            if options["players"] == 2 and rng.random() < 0.5:
                options["neutral"] = "true"
        name = SHIPPED[number // 2 % 3]
        if number % 2:
            name = "random"
            options |= {"seed": FIRST_BOARD + number, "width": rng.integers(5, 8), "height": rng.integers(4, 7)}
            options["land"] = rng.integers(40, 61)
        game = registry.game(f"empire/{name}:" + ",".join(f"{key}={value}" for key, value in options.items()))
        assert isinstance(game, Empire) and game.table.regions <= ROOM
        made.append(game)
    return made


def random_style(rng: np.random.Generator) -> Style:
    """A style like nobody's: every weight is off by some factor, a few are missing."""
    factors = np.exp(rng.normal(0, 0.7, len(Style._fields))) * (rng.random(len(Style._fields)) > 0.15)
    style = Style(*(float(w * f) for w, f in zip(Style(), factors, strict=True)))
    return style._replace(
        coin_later=float(rng.uniform(0, 1.5)), city=float(rng.choice([0, 0.5])), presence=float(rng.choice([0, 0.4]))
    )


def seating(players: int, games: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Who plays each game: learners only, or learners among others; always one learner."""
    kinds = np.zeros((games, 5), np.int64)
    for g in range(games):
        company = rng.random()
        if company < 0.5:
            continue
        if company < 0.75:
            kinds[g] = rng.choice([LEARNER, EARLIER, STYLE, SCRIPTED], 5, p=[0.3, 0.2, 0.3, 0.2])
        else:
            kinds[g] = rng.choice([STYLE, SCRIPTED, EARLIER], p=[0.35, 0.45, 0.2])
        kinds[g, rng.integers(players)] = LEARNER
    return kinds


@dataclass
class Job:
    """One task for a thread: a board, nets, who plays."""

    game: Empire
    learner: Tensors
    earlier: Tensors
    kinds: NDArray[np.int64]
    styles: tuple[Style, ...]
    blunders: NDArray[np.float64]
    options: NDArray[np.float64]
    seed: int
    each: int
    width: int


@dataclass
class Played:
    """The learners' positions, turn after turn of each game, with its results as targets."""

    samples: Samples
    turns: int
    scores: NDArray[np.float64]


def play(job: Job) -> Played:
    table, games = job.game.table, len(job.kinds)
    states = np.zeros((games, table.turns - 1), job.game.rules.state)
    scores, leads = np.zeros((games, 5)), np.zeros((games, 5))
    script = scripted.Heuristic(job.game, scripted.HeuristicOptions(), *agent_streams(0, 0)).policy_params
    learner, earlier = of_tensors(job.learner), of_tensors(job.earlier)
    plans, rng = plans_for(job.game, job.each, job.width), stream(job.seed, "empire self-play")
    who = (job.kinds, job.styles, job.blunders, job.options)
    play_games(table, plans, script, learner, earlier, *who, rng, states, scores, leads)
    g, seat = np.nonzero(job.kinds[:, : table.players] == LEARNER)
    return Played(told(job.game, states[g], seat, scores[g, seat], leads[g, seat]), table.turns - 1, scores)


def told(game: Empire, states: NDArray[np.void], seat: NDArray[Any], score: NDArray[Any], lead: NDArray[Any]) -> Samples:
    """What the net is told about rows of positions, each row by one seat."""
    turns = states.shape[1]
    made = Samples.empty(states.size)
    wide = [np.zeros(each.shape, np.float32) for each in (made.regions, made.continents, made.whole)]
    tell_all(game.table, states.reshape(-1), np.repeat(seat, turns), room(), *wide)
    for target, source in zip((made.regions, made.continents, made.whole), wide, strict=True):
        target[:] = torch.from_numpy(source)
    made.counts[:] = torch.tensor((game.table.regions, game.table.continents))
    made.target[:] = torch.from_numpy(np.repeat(np.stack([score, lead / LEAD], 1), turns, 0))
    return made


def with_traces(target: Tensor, later: Tensor, trace: float) -> None:
    """Make the targets mix the result with what the net says later: TD(lambda), backwards."""
    for t in range(target.shape[1] - 2, -1, -1):
        target[:, t] = trace * target[:, t + 1] + (1 - trace) * later[:, t + 1]


class Trainer:
    def __init__(self, settings: Settings, folder: Path | None) -> None:
        self.settings, self.folder = settings, folder
        self.device = "cuda" if torch.cuda.is_available() else "cpu"
        torch.manual_seed(settings.seed)
        self.net = Net([int(x) for x in settings.hidden.split(",")]).to(self.device)
        self.optimizer = torch.optim.AdamW(self.net.parameters(), lr=settings.rate, weight_decay=1e-4)
        self.average = self.net.tensors()
        self.earlier = [self.net.tensors()]
        self.rng = np.random.default_rng(settings.seed)
        self.boards = make_boards(settings.boards, np.random.default_rng(settings.seed))
        self.buffer = Samples.empty(settings.buffer, self.device)
        self.seen = 0  # positions so far
        self.rounds = 0
        self.seconds = 0.0  # of training in earlier runs
        self.curve: list[dict[str, float]] = []
        if folder and (folder / "state.pt").exists():
            self.restore(torch.load(folder / "state.pt", map_location=self.device, weights_only=False))

    def restore(self, state: dict[str, Any]) -> None:
        self.net.load_state_dict(state["net"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.average, self.earlier = state["average"], state["earlier"]
        self.rounds, self.seconds, self.curve = state["rounds"], state["seconds"], state["curve"]
        self.rng = np.random.default_rng([self.settings.seed, self.rounds])

    def save(self, spent: float) -> None:
        if self.folder is None:
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        state = {
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "average": self.average,
            "earlier": self.earlier[-24:],
            "rounds": self.rounds,
            "seconds": self.seconds + spent,
            "curve": self.curve,
        }
        torch.save(state, self.folder / "state.part")
        (self.folder / "state.part").replace(self.folder / "state.pt")
        self.export(self.folder / "empire.safetensors")

    def export(self, file: Path) -> None:
        about = {"kind": KIND, "family": "empire", "settings": json.dumps(asdict(self.settings))}
        files.save(file, self.average, about)

    def jobs(self) -> list[Job]:
        options = np.array([self.settings.curious, self.settings.noise])
        return [
            Job(
                game=(game := self.boards[self.rng.integers(len(self.boards))]),
                learner=self.net.tensors(),
                earlier=self.earlier[self.rng.integers(len(self.earlier))],
                kinds=seating(game.table.players, self.settings.games, self.rng),
                styles=(*(random_style(self.rng) for _ in range(5)), Style()),
                blunders=self.rng.choice([0.0, 0.0, 0.1, 0.3], 5),
                options=options,
                seed=int(self.rng.integers(1 << 62)),
                each=self.settings.each,
                width=self.settings.width,
            )
            for _ in range(self.settings.tasks)
        ]

    def take(self, played: Played) -> int:
        """Put the positions of some games into the buffer: how many."""
        samples = played.samples
        trace = 1.0 if self.rounds < 8 else self.settings.trace
        with torch.no_grad():
            found = self.net(*samples.rows(slice(None), self.device)[:4]).cpu()
            found[:, 0] = torch.sigmoid(found[:, 0])
        with_traces(samples.target.view(-1, played.turns, 2), found.view(-1, played.turns, 2), trace)
        count = len(samples.target)
        rows = (self.seen + torch.arange(count, device=self.device)) % self.settings.buffer
        for kept, new in zip(self.buffer.tensors(), samples.tensors(), strict=True):
            kept[rows] = new.to(self.device)
        self.seen += count
        return count

    def learn(self, steps: int, rate: float) -> float:
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        losses = torch.zeros((), device=self.device)
        for _ in range(steps):
            rows = torch.randint(min(self.seen, self.settings.buffer), (self.settings.batch,), device=self.device)
            *inputs, target = self.buffer.rows(rows, self.device)
            found = self.net(*inputs)
            win = nn.functional.binary_cross_entropy_with_logits(found[:, 0], target[:, 0])
            lead = nn.functional.smooth_l1_loss(found[:, 1], target[:, 1])
            loss = win + 0.3 * lead
            self.optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
            self.optimizer.step()
            losses += win.detach()
        now = self.net.tensors()
        share = 0.1
        self.average = {key: (1 - share) * self.average[key] + share * now[key] for key in now}
        return float(losses) / max(1, steps)

    def run(self) -> None:
        began = saved = reported = time.time()
        end = began + 60 * self.settings.minutes
        with ThreadPoolExecutor(self.settings.threads) as pool:
            coming: list[Future[Played]] = [pool.submit(play, job) for job in self.jobs()]
            while time.time() < end:
                played = [each.result() for each in coming]
                coming = [pool.submit(play, job) for job in self.jobs()]
                count = sum(self.take(each) for each in played)
                progress = min(1.0, (time.time() - began) / (end - began))
                rate = self.settings.rate * (0.05 + 0.95 * (1 + math.cos(math.pi * progress)) / 2)
                loss = self.learn(max(1, round(count * self.settings.reuse / self.settings.batch)), rate)
                self.rounds += 1
                if time.time() - reported > REPORT_SECONDS:
                    reported = time.time()
                    self.report(loss, reported - began)
                if self.rounds % 20 == 0:
                    self.earlier.append({key: value.copy() for key, value in self.average.items()})
                    self.earlier = self.earlier[-24:]
                if time.time() - saved > SAVE_SECONDS:
                    saved = time.time()
                    self.save(saved - began)
            for each in coming:
                each.cancel()
        self.save(time.time() - began)

    def report(self, loss: float, seconds: float) -> None:
        figures = {"round": self.rounds, "seconds": round(self.seconds + seconds), "positions": self.seen, "loss": loss}
        for players in (2, 4):
            figures[f"scripted, {players} players"] = against_scripted(
                self.average, players, 100, self.rounds, self.settings
            )
        self.curve.append(figures)
        print(json.dumps(figures), flush=True)


def against_scripted(tensors: Tensors, players: int, games: int, seed: int, settings: Settings) -> float:
    """The share of games that the net wins as one of `players`, the others scripted, from every seat in turn."""
    game = registry.game(f"empire/seed:players={players}")
    assert isinstance(game, Empire)
    kinds = np.full((games, 5), SCRIPTED)
    kinds[np.arange(games), np.arange(games) % players] = LEARNER
    styles = (Style(),) * 6
    job = Job(game, tensors, tensors, kinds, styles, np.zeros(5), np.zeros(2), seed, settings.each, settings.width)
    return float(play(job).scores[np.arange(games), np.arange(games) % players].mean())


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Self-play for Eight-Minute Empire.")
    for name, default in asdict(Settings()).items():
        parser.add_argument(f"--{name}", type=type(default), default=default)
    parser.add_argument("--checkpoint", type=Path, help="folder to save to, and to go on from")
    parser.add_argument("--export", type=Path, help="also write the averaged net into this file")
    given = vars(parser.parse_args(arguments))
    folder, export = given.pop("checkpoint"), given.pop("export")
    trainer = Trainer(Settings(**given), folder)
    trainer.run()
    if export:
        trainer.export(export)
    games = 400
    share = against_scripted(trainer.average, 2, games, 7, trainer.settings)
    low, high = wilson(share * games, games)
    print(f"against the scripted player, 2 players: {share:.1%} ({low:.1%} to {high:.1%}) of {games} games")


if __name__ == "__main__":
    main()
