"""Self-play for the Scotland Yard family: regularised PPO against oneself, older selves and scripted players.

    python -m fogbound.train.scotland_yard.selfplay scotland-yard/london --teams 3,4,5 --minutes 9 --checkpoint FOLDER

One critic sees everything, Mr X's station included, and says for every position how likely he is to win;
what a move gains him is what it costs the detectives. The policies see only what their seat may. Each is
drawn to its own slowly moving average (the magnet) and to mixing, which keeps the two from chasing each
other in circles; the average is what is shipped.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from fogbound.agents import nets as files
from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.policy import KIND
from fogbound.core import registry
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train.scotland_yard import selfplay_matches as sm
from fogbound.train.scotland_yard.selfplay_files import SIDES, export, squeezed, stretched
from fogbound.train.scotland_yard.selfplay_matches import CHASE, HEURISTIC, KINDS, LEARNER, OLDER, RANDOM, VARIANT, Matches
from fogbound.train.scotland_yard.selfplay_nets import (
    Expander,
    Moves,
    Net,
    Size,
    arrays,
    critic_inputs,
    frozen,
    restore,
)

SCRIPTED = ((HEURISTIC, 2), (VARIANT, 2), (CHASE, 2), (RANDOM, 1))  # in these shares
FIELD: list[sm.Pairing] = [
    (LEARNER, LEARNER, 1),
    *((LEARNER, kind, 1) for kind in (OLDER, HEURISTIC, VARIANT, CHASE, RANDOM)),
    *((kind, LEARNER, 1) for kind in (OLDER, HEURISTIC, VARIANT, CHASE, RANDOM)),
]
SAVE_SECONDS = 150


@dataclass(frozen=True)
class Settings:
    game: str = "scotland-yard/london"
    teams: tuple[int, ...] = (3, 4, 5)
    minutes: float = 9.0
    iterations: int = 0  # stop after so many of this run; 0 is no limit
    matches: int = 49152  # in both halves together
    steps: int = 32  # decisions a match between two updates
    minibatches: int = 32
    epochs: int = 1
    width: int = 512
    blocks: int = 3
    rate: float = 3e-4
    clip: float = 0.2
    trace: float = 0.97  # lambda of the advantages
    entropy: float = 0.01
    magnet: float = 0.05
    magnet_every: int = 40  # iterations between two moves of the magnet
    average: float = 0.998  # of the averaged weights, a step
    pool: int = 12  # older selves kept
    pool_every: int = 40
    older: int = 2  # of them playing at a time, a side
    scripted: float = 0.14  # share of the games against scripted players
    against: str = ""  # nets to learn the best response to, instead of self-play
    evaluate_every: int = 60
    evaluation: int = 6600  # games of an evaluation, a team size
    threads: int = 16
    seed: int = 1
    device: str = "cuda"


def pairings(scripted: float) -> list[sm.Pairing]:
    """Who plays whom in self-play: more than half of the games with oneself, the rest with older selves and a script."""
    whole, open_share = 2 * sum(share for _, share in SCRIPTED), 1 - scripted
    shares = [(kind, scripted * share / whole) for kind, share in SCRIPTED]
    return [
        (LEARNER, LEARNER, 0.58 * open_share),
        (LEARNER, OLDER, 0.21 * open_share),
        (OLDER, LEARNER, 0.21 * open_share),
        *((LEARNER, kind, share) for kind, share in shares),
        *((kind, LEARNER, share) for kind, share in shares),
    ]


RESPONSES: list[sm.Pairing] = [(LEARNER, OLDER, 0.5), (OLDER, LEARNER, 0.5)]


class Side:
    """One side's policy: the net that learns, its average, its magnet, and the copies that play."""

    def __init__(self, net: Net, rate: float, play_type: torch.dtype) -> None:
        self.net, self.play_type = net, play_type
        self.mean = frozen(net, torch.float32)
        self.magnet = frozen(net, play_type)
        self.playing = frozen(net, play_type)
        fused = net.first.is_cuda
        self.optimizer = torch.optim.AdamW(net.parameters(), lr=rate, weight_decay=1e-3, betas=(0.9, 0.98), fused=fused)
        self.pool: list[Net] = []
        self.born: list[int] = []  # the iteration each was taken in
        self.loses: list[float] = []  # how often the learner lost to each lately

    def refresh(self) -> None:
        self.playing.load_state_dict(self.net.state_dict())

    def adopt(self, mean: files.Tensors, learner: files.Tensors | None, prefix: str) -> None:
        """Go on with stored weights: the average's, and the learner's if they were kept too."""
        restore(self.mean, mean, prefix)
        self.magnet.load_state_dict(self.mean.state_dict())
        restore(self.net, mean if learner is None else learner, prefix)
        self.refresh()

    def average(self, keep: float) -> None:
        pairs = zip(self.mean.parameters(), self.net.parameters(), strict=True)
        ours, theirs = zip(*((a, b.detach()) for a, b in pairs if a.numel()), strict=True)
        torch._foreach_lerp_(ours, theirs, 1 - keep)

    def remember(self, iteration: int, most: int) -> None:
        """Put the average among the older selves; when full, the one with the nearest elder goes."""
        self.pool.append(frozen(self.mean, self.play_type))
        self.born.append(iteration)
        self.loses.append(0.5)
        if len(self.pool) > most:
            gaps = np.diff(self.born[:-1])
            drop = int(gaps.argmin()) + 1 if gaps.size else 0
            for each in (self.pool, self.born, self.loses):
                del each[drop]  # type: ignore[attr-defined]


class Half:
    """Half of the matches, with the buffers through which they and the nets talk."""

    def __init__(self, matches: Matches, device: torch.device) -> None:
        count, pinned = matches.count, device.type == "cuda"
        self.matches, self.device = matches, device
        self.rows_here = torch.zeros(count, sm.WIDTH, dtype=torch.uint8, pin_memory=pinned)
        self.order_here = torch.zeros(count, dtype=torch.int64, pin_memory=pinned)
        self.codes_here = torch.zeros(count, dtype=torch.int16, pin_memory=pinned)
        self.rows, self.order, self.codes = self.rows_here.numpy(), self.order_here.numpy(), self.codes_here.numpy()
        self.counts = np.zeros(sm.OWNERS + 2 * matches.older, np.int64)
        self.work: list[Any] = []
        self.ready = torch.cuda.Event() if pinned else None

    def begin(self) -> None:
        self.matches.begin(self.rows)

    def send(self) -> tuple[Tensor, Tensor]:
        """Wait for the matches, and send their rows and who decides to the device."""
        self.matches.wait(self.work)
        sm.sort_by_owner(self.rows, self.order, self.counts)
        return self.rows_here.to(self.device, non_blocking=True), self.order_here.to(self.device, non_blocking=True)

    def answer(self, codes: Tensor) -> None:
        self.codes_here.copy_(codes, non_blocking=True)
        if self.ready is not None:
            self.ready.record()

    def go(self) -> None:
        """Play the answers, in threads."""
        if self.ready is not None:
            self.ready.synchronize()
        self.work = self.matches.submit(self.codes, self.rows)


@dataclass
class Rollout:
    """What was decided: a row a step and match."""

    rows: Tensor  # [step + 1, match, byte]; of the last step only the critic's opinion counts
    picked: Tensor
    chance: Tensor  # log probability when it was picked
    value: Tensor  # [step + 1, match]


class Trainer:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.device = torch.device(settings.device)
        self.type = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.games = [team_game(settings.game, team) for team in settings.teams]
        self.form = pf.layout(self.games[-1], max(settings.teams))
        self.expand = Expander(self.form, self.device, self.type)
        self.moves = [Moves(self.games[-1], self.form, side, self.device) for side in (0, 1)]
        size, form = Size(settings.width, settings.blocks), self.form
        answers = (2 * form.codes.size, form.detective_codes.size)
        made = [Net(form.inputs, answers[side], (0, form.stations)[side], size).to(self.device) for side in (0, 1)]
        self.sides = [Side(net, settings.rate, self.type) for net in made]
        self.critic = Net(critic_inputs(form), 0, 0, size).to(self.device)
        self.critic_play = frozen(self.critic, self.type)
        fused = self.device.type == "cuda"
        self.critic_optimizer = torch.optim.AdamW(
            self.critic.parameters(), lr=settings.rate, weight_decay=1e-3, betas=(0.9, 0.98), fused=fused
        )
        self.iteration, self.decisions, self.seconds = 0, 0, 0.0
        self.began_at = 0  # the iteration that this run began with
        self.curve: list[dict[str, Any]] = []
        self.playing_older: list[list[int]] = [[], []]  # [side]: places in the pool

    def halves(self, count: int, pairings: Sequence[sm.Pairing], seed: int, taken_over: bool = False) -> list[Half]:
        settings = self.settings
        each = max(1, count // 2 // len(self.games))
        made = [
            Half(
                Matches(self.games, each, pairings, settings.older, settings.threads, seed + 7919 * i, taken_over),
                self.device,
            )
            for i in (0, 1)
        ]
        for half in made:
            half.begin()
        return made

    # Playing.

    def players(self, learners: Sequence[Net], older: Sequence[Sequence[Net]]) -> list[tuple[int, Net]]:
        """[owner]: the side and the net."""
        return [(0, learners[0]), (1, learners[1]), *((0, net) for net in older[0]), *((1, net) for net in older[1])]

    def older_nets(self) -> list[list[Net]]:
        """The older selves that play now; the learner himself while there are none."""
        found = []
        for side, places in zip(self.sides, self.playing_older, strict=True):
            found.append([side.pool[i] for i in places] or [side.playing] * self.settings.older)
        return found

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def decide(
        self, half: Half, players: Sequence[tuple[int, Net]], greedy: bool = False
    ) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Rows of a half in their order, moves picked, their log probabilities and codes."""
        rows, order = half.send()
        count = rows.shape[0]
        picked = torch.empty(count, dtype=torch.uint8, device=self.device)
        chance = torch.empty(count, device=self.device)
        codes = torch.empty(count, dtype=torch.int16, device=self.device)
        sorted_rows = rows[order]
        inputs = self.expand(sorted_rows)
        low = 0
        for (side, net), size in zip(players, half.counts.tolist(), strict=True):
            if size:
                part = slice(low, low + size)
                logits = net.logits(net.trunk(inputs[part]))
                a, b, c = self.moves[side].sample(logits, sorted_rows[part], greedy)
                where = order[part]
                picked[where], chance[where], codes[where] = a.to(torch.uint8), b, c
                low += size
        half.answer(codes)
        return rows, picked, chance, codes

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def play(self, halves: Sequence[Half]) -> Rollout:
        steps, count = self.settings.steps, halves[0].matches.count
        total, device = 2 * count, self.device
        rows = torch.empty(steps + 1, total, sm.WIDTH, dtype=torch.uint8, device=device)
        picked = torch.empty(steps + 1, total, dtype=torch.uint8, device=device)
        chance = torch.empty(steps + 1, total, device=device)
        value = torch.empty(steps + 1, total, device=device)
        players = self.players([side.playing for side in self.sides], self.older_nets())
        for step in range(steps + 1):
            for i, half in enumerate(halves):
                mine = slice(i * count, (i + 1) * count)
                if step == steps:
                    half.matches.wait(half.work)
                    rows[step, mine] = half.rows_here.to(device, non_blocking=True)
                else:
                    rows[step, mine], picked[step, mine], chance[step, mine], _ = self.decide(half, players)
                value[step, mine] = self.judge(rows[step, mine])
                other = halves[1 - i]
                if (i == 1 or step > 0) and not (step == steps and i == 1):
                    other.go()
        # At the end both halves hold rows that were not answered: the next call begins with them.
        for half in halves:
            half.work = []
        self.decisions += steps * total
        return Rollout(rows, picked, chance, value)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def judge(self, rows: Tensor) -> Tensor:
        """The critic's opinion: how likely Mr X is to win."""
        return torch.sigmoid(self.critic_play.win(self.critic_play.trunk(self.expand(rows, truth=True))))

    # Learning.

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def advantages(self, rollout: Rollout) -> tuple[Tensor, Tensor]:
        """What each decision gained Mr X over what was expected, and what the critic should have said."""
        done, result = rollout.rows[1:, :, sm.DONE].bool(), rollout.rows[1:, :, sm.RESULT].float()
        following = torch.where(done, result, rollout.value[1:])
        surprise = following - rollout.value[:-1]
        gained = torch.empty_like(surprise)
        running = torch.zeros_like(surprise[0])
        for step in range(surprise.shape[0] - 1, -1, -1):
            running = surprise[step] + self.settings.trace * ~done[step] * running
            gained[step] = running
        return gained, (gained + rollout.value[:-1]).clamp(0, 1)

    def learn(self, rollout: Rollout) -> dict[str, float]:
        settings = self.settings
        gained, target = self.advantages(rollout)
        steps = settings.steps
        flat = rollout.rows[:steps].reshape(-1, sm.WIDTH)
        picked, chance = rollout.picked[:steps].reshape(-1), rollout.chance[:steps].reshape(-1)
        gained, target = gained.reshape(-1), target.reshape(-1)
        owner = flat[:, sm.OWNER]
        sums: dict[str, Tensor] = {}
        warm = min(1.0, (self.iteration_of_run + 1) / 5)
        for side in (*self.sides, None):
            optimizer = self.critic_optimizer if side is None else side.optimizer
            for group in optimizer.param_groups:
                group["lr"] = settings.rate * warm
        for _ in range(settings.epochs):
            for number, side in enumerate(self.sides):
                mine = (owner == number).nonzero()[:, 0]
                sign = 1.0 if number == 0 else -1.0
                advantage = gained[mine]
                scale = sign / advantage.std().clamp(min=1e-3)
                for part in self.parts(mine):
                    told = self.policy_step(
                        number, side, flat[part], picked[part].long(), chance[part], gained[part] * scale, target[part]
                    )
                    for name, amount in told.items():
                        key = f"{SIDES[number]}.{name}"
                        sums[key] = sums.get(key, torch.zeros((), device=self.device)) + amount
            everything = torch.arange(flat.shape[0], device=self.device)
            for part in self.parts(everything):
                loss = self.critic_step(flat[part], target[part])
                sums["critic"] = sums.get("critic", torch.zeros((), device=self.device)) + loss
        for side in self.sides:
            side.refresh()
        self.critic_play.load_state_dict(self.critic.state_dict())
        spread = (target - rollout.value[:steps].reshape(-1)).var() / target.var().clamp(min=1e-6)
        told = {name: float(total) / (settings.epochs * settings.minibatches) for name, total in sums.items()}
        return {**told, "unexplained": float(spread)}

    @property
    def iteration_of_run(self) -> int:
        return self.iteration - self.began_at

    def parts(self, places: Tensor) -> Iterator[Tensor]:
        yield from places[torch.randperm(places.numel(), device=self.device)].chunk(self.settings.minibatches)

    def policy_step(
        self, number: int, side: Side, rows: Tensor, picked: Tensor, old: Tensor, gain: Tensor, target: Tensor
    ) -> dict[str, Tensor]:
        settings, net, moves = self.settings, side.net, self.moves[number]
        inputs = self.expand(rows)
        trunk = net.trunk(inputs)
        chances, fine, _ = moves.log_chances(net.logits(trunk), rows)
        with torch.no_grad():
            magnet, _, _ = moves.log_chances(side.magnet.logits(side.magnet.trunk(inputs)), rows)
        free = fine.sum(1) > 1
        weight = free / free.sum().clamp(min=1)
        shares = chances.exp() * fine
        entropy = -(shares * chances.masked_fill(~fine, 0)).sum(1)
        apart = (shares * (chances - magnet).masked_fill(~fine, 0)).sum(1)
        ratio = (chances.gather(1, picked[:, None])[:, 0] - old).exp()
        bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        gain_loss = -(torch.minimum(ratio * gain, bounded * gain) * weight).sum()
        value_loss = torch.nn.functional.binary_cross_entropy_with_logits(net.win(trunk), target)
        loss = gain_loss - settings.entropy * (entropy * weight).sum() + settings.magnet * (apart * weight).sum()
        loss = loss + 0.25 * value_loss
        told = {"entropy": (entropy * weight).sum(), "magnet": (apart * weight).sum(), "value": value_loss}
        told["clipped"] = (((ratio - 1).abs() > settings.clip) * weight).sum()
        if number == 1:
            places = net.places(trunk).masked_fill(self.expand.possible(rows) == 0, -1e9)
            belief_loss = torch.nn.functional.cross_entropy(places, rows[:, sm.TRUTH].long() - 1)
            loss, told["belief"] = loss + 0.1 * belief_loss, belief_loss
        _descend(loss, net, side.optimizer)
        side.average(settings.average)
        return {name: amount.detach() for name, amount in told.items()}

    def critic_step(self, rows: Tensor, target: Tensor) -> Tensor:
        says = self.critic.win(self.critic.trunk(self.expand(rows, truth=True)))
        loss = torch.nn.functional.binary_cross_entropy_with_logits(says, target)
        _descend(loss, self.critic, self.critic_optimizer)
        return loss.detach()

    # The run.

    def run(self, folder: Path, small: Path | None = None) -> None:
        """Train until the time is over, then save; a copy with few older selves goes into `small`, also in between."""
        settings = self.settings
        began = time.monotonic()
        before = self.seconds
        self.began_at = self.iteration
        opponents = RESPONSES if settings.against else pairings(settings.scripted)
        halves = self.halves(settings.matches, opponents, settings.seed + 1000 * self.iteration)
        print(f"matches ready after {time.monotonic() - began:.1f} s", flush=True)
        reported, saved = (self.decisions, time.monotonic()), time.monotonic()
        while time.monotonic() - began < 60 * settings.minutes:
            if settings.iterations and self.iteration_of_run >= settings.iterations:
                break
            self.tend_pool(halves)
            started = time.monotonic()
            rollout = self.play(halves)
            self._wait()
            played = time.monotonic()
            told = self.learn(rollout)
            self._wait()
            learned = time.monotonic()
            self.iteration += 1
            self.seconds = before + time.monotonic() - began
            line: dict[str, Any] = {
                "iteration": self.iteration,
                "seconds": round(self.seconds, 1),
                "decisions": self.decisions,
            }
            line |= {"play_s": round(played - started, 3), "learn_s": round(learned - played, 3)}
            line |= {name: round(amount, 5) for name, amount in told.items()}
            if self.iteration % 10 == 0:
                line |= win_rates(sum(half.matches.tally() for half in halves), settings.teams, "train")
                now = time.monotonic()
                line["per_second"] = round((self.decisions - reported[0]) / (now - reported[1]))
                reported = self.decisions, now
                print(json.dumps(line), flush=True)
            if self.iteration % settings.evaluate_every == 0:
                line |= self.evaluate()
                print(json.dumps({key: amount for key, amount in line.items() if "mean" in key}), flush=True)
            self.curve.append(line)
            if small and time.monotonic() - saved > SAVE_SECONDS:
                self.save(small, 2)
                saved = time.monotonic()
        self.curve.append({"iteration": self.iteration, "seconds": self.seconds, **self.evaluate(), **self.evaluate(True)})
        print(json.dumps(self.curve[-1]), flush=True)
        self.save(folder, settings.pool)
        if small:
            self.save(small, 2)

    def tend_pool(self, halves: Sequence[Half]) -> None:
        """Move the magnet, add to the older selves, and draw those that play next: rather such that win now and then."""
        settings = self.settings
        if self.iteration_of_run and self.iteration % settings.magnet_every == 0:
            for side in self.sides:
                side.magnet.load_state_dict(side.mean.state_dict())
        if self.iteration and self.iteration % settings.pool_every == 0 and not settings.against:
            for side in self.sides:
                side.remember(self.iteration, settings.pool)
        if self.iteration % 10 == 0 or (self.sides[0].pool and not self.playing_older[0]):
            tally = np.sum([half.matches.older_tally() for half in halves], axis=0)
            for number, side in enumerate(self.sides):
                for slot, place in enumerate(self.playing_older[number]):
                    played = tally[number, slot].sum()
                    if place < len(side.pool) and played > 50:
                        side.loses[place] += 0.5 * (tally[number, slot, number] / played - side.loses[place])
                if side.pool:
                    teaches = np.multiply(side.loses, np.subtract(1.1, side.loses)) + 0.02
                    drawn = np.random.default_rng(self.iteration + number).choice(
                        len(side.pool), settings.older, p=teaches / teaches.sum()
                    )
                    self.playing_older[number] = [int(place) for place in drawn]
            for half in halves:
                half.matches.forget()

    def evaluate(self, greedy: bool = False) -> dict[str, float]:
        """The averaged nets against the whole field; every match plays one game. Older: the eldest and the middle one."""
        halves = self.halves(self.settings.evaluation * len(self.games), FIELD, 5)
        means = [frozen(side.mean, self.type) for side in self.sides]
        older = []
        for side, mean in zip(self.sides, means, strict=True):
            chosen = (
                [side.pool[i] for i in np.linspace(0, len(side.pool) // 2, self.settings.older).astype(int)]
                if side.pool
                else []
            )
            older.append(chosen or [mean] * self.settings.older)
        players = self.players(means, older)
        while sum(half.matches.unfinished() for half in halves):
            for half in halves:
                self.decide(half, players, greedy)
                half.go()
            for half in halves:
                half.matches.wait(half.work)
        return win_rates(
            sum(half.matches.tally(first=True) for half in halves), self.settings.teams, "greedy" if greedy else "mean"
        )

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    # Files.

    def save(self, folder: Path, most_older: int) -> None:
        """Everything that a later run needs; of the older selves so many, from the eldest to the last."""
        folder.mkdir(parents=True, exist_ok=True)
        about = self.about()
        for side, name in zip(self.sides, SIDES, strict=True):
            files.save(folder / f"mean-{name}.safetensors", arrays(side.mean, f"{name}."), about)
            files.save(folder / f"learner-{name}.safetensors", arrays(side.net, f"{name}."), about)
        files.save(folder / "critic.safetensors", arrays(self.critic, "c."), about)
        kept: list[int] = sorted({int(i) for i in np.linspace(0, len(self.sides[0].pool) - 1, most_older)})
        kept = kept if self.sides[0].pool else []
        older: dict[str, NDArray[Any]] = {}
        for name, side in zip(SIDES, self.sides, strict=True):
            for rank, place in enumerate(kept):
                older |= squeezed(arrays(side.pool[place], f"{rank}.{name}.", torch.float32))
        born = [self.sides[0].born[place] for place in kept]
        files.save(folder / "older.safetensors", older or {"none": np.zeros(1)}, {**about, "born": json.dumps(born)})
        state = {"iteration": self.iteration, "decisions": self.decisions, "seconds": self.seconds, "curve": self.curve}
        (folder / "state.json").write_text(json.dumps({"settings": vars(self.settings), **state}), encoding="utf-8")

    def about(self) -> dict[str, str]:
        return {
            "kind": KIND,
            "family": "scotland-yard",
            "board": self.games[0].board.name,
            "team": str(self.form.team),
            "slots": str(self.form.slots),
            "rounds": str(self.form.rounds),
            "iteration": str(self.iteration),
            "decisions": str(self.decisions),
        }

    def load(self, folder: Path) -> None:
        """Go on from a checkpoint; without the learner's own weights, from his average."""
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        self.iteration, self.decisions, self.seconds = state["iteration"], state["decisions"], state["seconds"]
        self.curve = state["curve"]
        older = files.load(str(folder / "older.safetensors"))
        born = json.loads(older.about["born"])
        plain = stretched(older.tensors)
        for side, name in zip(self.sides, SIDES, strict=True):
            mean = files.load(str(folder / f"mean-{name}.safetensors")).tensors
            learner = folder / f"learner-{name}.safetensors"
            side.adopt(mean, files.load(str(learner)).tensors if learner.exists() else None, f"{name}.")
            for rank, iteration in enumerate(born):
                net = frozen(side.mean, self.type)
                restore(net, plain, f"{rank}.{name}.")
                side.pool.append(net)
                side.born.append(iteration)
                side.loses.append(0.5)
        self.load_critic(folder / "critic.safetensors")

    def load_critic(self, file: Path) -> None:
        restore(self.critic, files.load(str(file)).tensors, "c.")
        self.critic_play.load_state_dict(self.critic.state_dict())

    def begin_with(self, weights: str, critic: Path | None) -> None:
        """Begin with nets that were shipped, and with the critic that taught them if there is one."""
        found = files.load(weights, self.games[0].board.name)
        self.iteration, self.decisions = int(found.about["iteration"]), int(found.about["decisions"])
        for side, name in zip(self.sides, SIDES, strict=True):
            side.adopt(found.tensors, None, f"{name}.")
        if critic:
            self.load_critic(critic)

    def respond_to(self, weights: str) -> None:
        """Play against these nets alone: what is learned is a best response to them."""
        found = files.load(weights, self.games[0].board.name)
        for side, name in zip(self.sides, SIDES, strict=True):
            net = frozen(side.mean, self.type)
            restore(net, found.tensors, f"{name}.")
            side.pool, side.born, side.loses = [net], [0], [0.5]


def team_game(spec: str, team: int) -> ScotlandYard:
    join = "," if ":" in spec else ":"
    game = registry.game(f"{spec}{join}detectives={team}")
    assert isinstance(game, ScotlandYard)
    return game


def _descend(loss: Tensor, net: Net, optimizer: torch.optim.Optimizer) -> None:
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
    optimizer.step()


def win_rates(tally: Any, teams: Sequence[int], label: str) -> dict[str, float]:
    """How often Mr X won, by team size and pairing."""
    found = {}
    for i, team in enumerate(teams):
        for x, d in zip(*np.nonzero(tally[i].sum(-1)), strict=True):
            won = tally[i, x, d, 0] / tally[i, x, d].sum()
            found[f"{label} {team}: {KINDS[x]} x {KINDS[d]}"] = round(float(won), 4)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Self-play for Scotland Yard.")
    parser.add_argument("game", nargs="?", default=Settings.game)
    parser.add_argument(
        "--checkpoint", type=Path, required=True, help="folder to go on from, if it is there, and to save in"
    )
    parser.add_argument("--teams", default="3,4,5", help="numbers of detectives to play with")
    parser.add_argument("--small", type=Path, help="folder for a smaller copy of the checkpoint, also saved in between")
    parser.add_argument("--export", type=Path, help="also write the averaged nets into this file")
    parser.add_argument("--weights", help="nets to begin with, by name or as a file, where there is no checkpoint")
    parser.add_argument("--critic", type=Path, help="the critic that goes with them")
    for field in fields(Settings):
        if field.name not in ("game", "teams"):
            parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    given = vars(parser.parse_args(arguments))
    folder, small, target = given.pop("checkpoint"), given.pop("small"), given.pop("export")
    weights, critic = given.pop("weights"), given.pop("critic")
    settings = Settings(**{**given, "teams": tuple(int(team) for team in given["teams"].split(","))})
    torch.set_float32_matmul_precision("high")
    trainer = Trainer(settings)
    if (folder / "state.json").exists():
        trainer.load(folder)
        print(f"resuming from iteration {trainer.iteration}", flush=True)
    elif weights:
        trainer.begin_with(weights, critic)
    if settings.against:
        trainer.respond_to(settings.against)
    trainer.run(folder, small)
    if target:
        export(folder, target)


if __name__ == "__main__":
    main()
