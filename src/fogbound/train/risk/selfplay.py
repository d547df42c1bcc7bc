"""Self-play for Risk: PPO with one net for every map and seat, against itself, older selves and a varied field.

    python -m fogbound.train.risk.selfplay --minutes 9 --checkpoint FOLDER --export FILE

At every decision the net says who will win, for all seats; what a choice gains its seat is told by how that changes
until the seat decides again, and after. The average of the weights over time is what is shipped.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fogbound.agents import nets as files
from fogbound.agents.risk.choices import CHOICES, MOST
from fogbound.agents.risk.policy_features import FIGURES, WHOLE
from fogbound.agents.risk.policy_net import KIND
from fogbound.core import registry
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SEATS
from fogbound.train.risk import selfplay_matches as sm
from fogbound.train.risk.selfplay_nets import Maps, Net, arrays, frozen, log_chances, log_wins, restore

FIRST_MAP = 1_000  # the first seed of the maps that are learned on; lower ones are a holdout
CLASSIC = (3, 6, 3, 2, 4, 3, 5, 6, 3, 4)  # numbers of players on the classic map, in turn
GENERATED = (3, 3, 4, 2, 3, 6, 3, 5, 3, 4)
SIZES = (21, 30, 24, 42, 18, 36, 27, 21, 33, 40)
SAVE_SECONDS = 120


def described(default: Any, text: str) -> Any:
    """A setting with what `--help` says of it."""
    return field(default=default, metadata={"help": f"{text} ({default})"})


@dataclass(frozen=True)
class Settings:
    minutes: float = described(9.0, "how long to train")
    iterations: int = described(0, "stop after so many of this run; 0 is no limit")
    maps: int = described(24, "maps of each half of the games, every other one classic")
    each: int = described(384, "games on each")
    steps: int = described(32, "decisions a game between two updates")
    minibatch: int = described(16384, "decisions of one step")
    epochs: int = described(1, "times that a rollout is learned from")
    width: int = described(64, "numbers of a territory")
    inner: int = described(128, "numbers inside a block")
    blocks: int = described(4, "blocks of the net")
    rate: float = described(6e-4, "learning rate at the beginning of this run")
    final_rate: float = described(1e-4, "and at its end")
    clip: float = described(0.2, "how far PPO lets a choice's probability move")
    trace: float = described(0.97, "lambda of the advantages")
    entropy: float = described(0.01, "how much mixing is rewarded at the beginning of this run")
    final_entropy: float = described(0.003, "and at its end")
    average: float = described(0.999, "of the averaged weights, a step")
    pool: int = described(8, "older selves kept")
    pool_every: int = described(30, "iterations between two of them")
    line_ups: str = described(
        "0.5,0.12,0.14,0.08,0.14,0.02",
        "shares of games among oneself, older selves, scripted players, strangers, all, turn searches",
    )
    search: int = described(20, "iterations of the turn searches")
    rounds: int = described(12, "games of nets that last longer are decided by territories after some more, drawn by lot")
    threads: int = described(16, "threads that play")
    seed: int = described(1, "seed of everything random")
    device: str = described("cuda", "where the net learns and plays")


def maps_of(settings: Settings) -> list[Risk]:
    """The classic map and generated ones in turn, with all numbers of players; on every third territories are dealt."""
    made = []
    for number in range(2 * settings.maps):
        turn = number // 2
        deal = "true" if number % 3 == 2 else "false"
        players = (CLASSIC if number % 2 == 0 else GENERATED)[turn % 10]
        spec = f"risk/classic:players={players},deal={deal}"
        if number % 2:
            size = max(SIZES[turn % 10], 5 * players)
            spec = (
                f"risk/random:seed={FIRST_MAP + 100 * settings.seed + turn},territories={size},players={players},deal={deal}"
            )
        game = registry.game(spec)
        assert isinstance(game, Risk)
        made.append(game)
    return made


class Half:
    """Half of the games, with the buffers through which they and the nets talk."""

    def __init__(self, matches: sm.Matches, first_map: int, device: torch.device) -> None:
        self.matches, self.device, count = matches, device, matches.count
        self.rows = sm.make_rows(count)
        self.here = [torch.from_numpy(array) for array in self.rows]
        if device.type == "cuda":
            self.here = [tensor.pin_memory() for tensor in self.here]
            self.rows = sm.Rows(*(tensor.numpy() for tensor in self.here))
        self.map = first_map + torch.arange(len(matches.games), device=device).repeat_interleave(matches.each)
        self.work: list[Future[None]] = []

    def send(self) -> list[Tensor]:
        """Wait for the games, and send what is to be decided to the device."""
        self.matches.wait(self.work)
        return [tensor.to(self.device, non_blocking=True) for tensor in self.here]

    def go(self, choices: Tensor) -> None:
        """Play the answers, in threads."""
        self.work = self.matches.submit(choices.to("cpu", torch.int16).numpy(), self.rows)


@dataclass
class Rollout:
    """What was decided: a row a step and game."""

    nodes: Tensor
    whole: Tensor
    mask: Tensor
    about: Tensor  # [step + 1, ...]
    result: Tensor  # [step + 1, game, seat]
    picked: Tensor
    chance: Tensor  # log probability when it was picked
    wins: Tensor  # [step + 1, game, seat]: every seat's chance to win
    map: Tensor  # [game]


class Trainer:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.device = torch.device(settings.device)
        self.kind = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.games = maps_of(settings)
        self.net = Net(settings.width, settings.inner, settings.blocks).to(self.device)
        self.mean = frozen(self.net, torch.float32)
        self.playing = frozen(self.net, self.kind)
        fused = self.device.type == "cuda"
        self.adam = torch.optim.AdamW(
            self.net.parameters(), lr=settings.rate, weight_decay=1e-3, betas=(0.9, 0.98), fused=fused
        )
        self.pool: list[Net] = []
        self.older = self.playing
        self.iteration, self.decisions, self.seconds, self.share = 0, 0, 0.0, 0.0
        self.began_at = 0  # the iteration that this run began with
        self.curve: list[dict[str, Any]] = []

    def halves(self) -> list[Half]:
        settings, middle = self.settings, len(self.games) // 2
        shares = [float(share) for share in settings.line_ups.split(",")]
        made = []
        for number, games in enumerate((self.games[:middle], self.games[middle:])):
            seed = settings.seed + 7919 * number + 1_000_003 * self.iteration
            matches = sm.Matches(
                games, settings.each, shares, settings.search, settings.rounds, max(1, settings.threads), seed
            )
            made.append(Half(matches, number * middle, self.device))
        self.maps = Maps([land for half in made for land in half.matches.land], self.device, self.kind)
        for half in made:
            half.matches.begin(half.rows)
        return made

    # Playing.

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def decide(self, sent: Sequence[Tensor], number: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Choices, their log probabilities, and every seat's chance to win."""
        nodes, whole, mask, about, _ = sent
        logits, values = self.playing(nodes, whole, self.maps, number)
        theirs = (about[:, sm.OWNER] == sm.OLDER).nonzero()[:, 0]
        if theirs.numel():
            logits[theirs] = self.older(nodes[theirs], whole[theirs], self.maps, number[theirs])[0]
        chances = log_chances(logits, mask)
        picked = (chances - torch.empty_like(chances).exponential_().log()).argmax(-1)
        return picked, chances.gather(1, picked[:, None])[:, 0], by_seat(log_wins(values, whole).exp(), about)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def play(self, halves: Sequence[Half]) -> Rollout:
        steps, count, device = self.settings.steps, halves[0].matches.count, self.device
        total = 2 * count
        kept = Rollout(
            torch.empty(steps, total, MOST, FIGURES, dtype=torch.uint8, device=device),
            torch.empty(steps, total, WHOLE, dtype=torch.uint8, device=device),
            torch.empty(steps, total, CHOICES, dtype=torch.uint8, device=device),
            torch.empty(steps + 1, total, sm.ABOUT, dtype=torch.uint8, device=device),
            torch.empty(steps + 1, total, SEATS, device=device),
            torch.empty(steps, total, dtype=torch.int64, device=device),
            torch.empty(steps, total, device=device),
            torch.empty(steps + 1, total, SEATS, device=device),
            torch.cat([half.map for half in halves]),
        )
        for step in range(steps + 1):
            for i, half in enumerate(halves):
                mine = slice(i * count, (i + 1) * count)
                sent = half.send()
                kept.about[step, mine], kept.result[step, mine] = sent[3], sent[4]
                picked, chance, kept.wins[step, mine] = self.decide(sent, half.map)
                if step == steps:
                    half.work = []  # what was not answered is where the next rollout begins
                    continue
                kept.nodes[step, mine], kept.whole[step, mine], kept.mask[step, mine] = sent[:3]
                kept.picked[step, mine], kept.chance[step, mine] = picked, chance
                half.go(picked)
        self.decisions += steps * total
        return kept

    # Learning.

    def learn(self, kept: Rollout) -> dict[str, float]:
        settings = self.settings
        gains, targets = advantages(kept, settings.trace)
        steps = settings.steps
        about = kept.about[:steps].flatten(0, 1)
        gain = gains.flatten(0, 1).gather(1, about[:, sm.SEAT].long()[:, None])[:, 0]
        target = from_seat(targets.flatten(0, 1), about)
        number = kept.map.repeat(steps)
        nodes, whole, mask = kept.nodes.flatten(0, 1), kept.whole.flatten(0, 1), kept.mask.flatten(0, 1)
        picked, chance = kept.picked.flatten(), kept.chance.flatten()
        learners = about[:, sm.OWNER] == sm.LEARNER
        gain = gain / gain[learners].std().clamp(min=1e-4)
        rate = settings.rate + (settings.final_rate - settings.rate) * self.share
        entropy = settings.entropy + (settings.final_entropy - settings.entropy) * self.share
        for group in self.adam.param_groups:
            group["lr"] = rate * min(1.0, (self.iteration - self.began_at + 1) / 5)
        sums: dict[str, Tensor] = {}
        parts = 0
        for _ in range(settings.epochs):
            for part in self.parts(learners.nonzero()[:, 0]):
                logits, values = self.net(nodes[part], whole[part], self.maps, number[part])
                told = self.losses(
                    log_chances(logits, mask[part]), log_wins(values, whole[part]), mask[part],
                    picked[part], chance[part], gain[part], target[part],
                )  # fmt: skip
                loss = told["gain"] - entropy * told["entropy"] + 0.5 * told["value"]
                self.descend(loss)
                parts += 1
                for name, amount in told.items():
                    sums[name] = sums.get(name, torch.zeros((), device=self.device)) + amount.detach()
        self.playing.load_state_dict(self.net.state_dict())
        return {name: float(total) / max(1, parts) for name, total in sums.items()}

    def losses(
        self, chances: Tensor, wins: Tensor, mask: Tensor, picked: Tensor, old: Tensor, gain: Tensor, target: Tensor
    ) -> dict[str, Tensor]:
        clip = self.settings.clip
        fine = mask > 0
        ratio = (chances.gather(1, picked[:, None])[:, 0] - old).exp()
        bounded = ratio.clamp(1 - clip, 1 + clip)
        return {
            "gain": -torch.minimum(ratio * gain, bounded * gain).mean(),
            "entropy": -(chances.exp() * chances.masked_fill(~fine, 0)).sum(1).mean(),
            "value": -(target * wins.clamp(min=-15)).sum(1).mean(),
            "clipped": ((ratio - 1).abs() > clip).float().mean(),
        }

    def parts(self, places: Tensor) -> Iterator[Tensor]:
        yield from places[torch.randperm(places.numel(), device=self.device)].split(self.settings.minibatch)

    def descend(self, loss: Tensor) -> None:
        self.adam.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.adam.step()
        ours, theirs = list(self.mean.parameters()), [each.detach() for each in self.net.parameters()]
        torch._foreach_lerp_(ours, theirs, 1 - self.settings.average)

    # The run.

    def run(self, folder: Path, target: Path | None = None) -> None:
        """Train until the time is over; save in between and at the end."""
        settings, began, before = self.settings, time.monotonic(), self.seconds
        halves = self.halves()
        print(f"games ready after {time.monotonic() - began:.1f} s", flush=True)
        saved, self.began_at = time.monotonic(), self.iteration
        while True:
            spent = time.monotonic() - began
            limit = settings.iterations or 10**9
            self.share = max(spent / (60 * settings.minutes), (self.iteration - self.began_at) / limit)
            if self.share >= 1:
                break
            self.tend_pool()
            started = time.monotonic()
            kept = self.play(halves)
            played = time.monotonic()
            told = self.learn(kept)
            self.iteration += 1
            self.seconds = before + time.monotonic() - began
            line: dict[str, Any] = {
                "iteration": self.iteration,
                "seconds": round(self.seconds, 1),
                "decisions": self.decisions,
            }
            line |= {"play_s": round(played - started, 2), "learn_s": round(time.monotonic() - played, 2)}
            line |= {name: round(amount, 4) for name, amount in told.items()}
            if self.iteration % 10 == 0:
                line |= win_rates(np.concatenate([half.matches.tally() for half in halves]), self.games)
                print(json.dumps(line), flush=True)
            self.curve.append(line)
            if time.monotonic() - saved > SAVE_SECONDS:
                self.save(folder, target)
                saved = time.monotonic()
        self.save(folder, target)

    def tend_pool(self) -> None:
        settings = self.settings
        if self.iteration and self.iteration % settings.pool_every == 0:
            self.pool.append(frozen(self.mean, self.kind))
            if len(self.pool) > settings.pool:
                del self.pool[1 + self.iteration // settings.pool_every % max(1, settings.pool - 1)]
        if self.pool and (self.iteration % 10 == 0 or self.older is self.playing):
            self.older = self.pool[int(np.random.default_rng(self.iteration).integers(len(self.pool)))]

    # Files.

    def save(self, folder: Path, target: Path | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        about = {"kind": KIND, "family": "risk", "iteration": str(self.iteration), "decisions": str(self.decisions)}
        kept = arrays(self.net, "net.") | arrays(self.mean, "mean.")
        for rank, net in enumerate(self.pool):
            kept |= arrays(net.float(), f"{rank}.", torch.float16)
            net.to(self.kind)
        files.save(folder / "nets.safetensors", kept, {**about, "pool": str(len(self.pool))})
        state = {"iteration": self.iteration, "decisions": self.decisions, "seconds": self.seconds, "curve": self.curve}
        (folder / "state.json").write_text(json.dumps({"settings": asdict(self.settings), **state}), encoding="utf-8")
        if target:
            files.save(target, arrays(self.mean, "", torch.float16), about)

    def load(self, folder: Path) -> None:
        """Go on from a checkpoint."""
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        self.iteration, self.decisions, self.seconds = state["iteration"], state["decisions"], state["seconds"]
        self.curve = state["curve"]
        kept = files.load(str(folder / "nets.safetensors"))
        restore(self.net, kept.tensors, "net.")
        restore(self.mean, kept.tensors, "mean.")
        self.playing.load_state_dict(self.net.state_dict())
        for rank in range(int(kept.about["pool"])):
            net = frozen(self.mean, torch.float32)
            restore(net, kept.tensors, f"{rank}.")
            self.pool.append(net.to(self.kind))


def by_seat(chances: Tensor, about: Tensor) -> Tensor:
    """Chances of the seats from the decider on, as chances of seats 0, 1, ...; those of a table with fewer stay zero."""
    return chances.gather(1, turned(about, -1))


def from_seat(chances: Tensor, about: Tensor) -> Tensor:
    """The other way round."""
    return chances.gather(1, turned(about, 1))


def turned(about: Tensor, way: int) -> Tensor:
    """[row, place]: where a place lies after turning the table's seats by the decider's; `about` tells the table's size."""
    seat, seats = about[:, sm.SEAT].long()[:, None], about[:, sm.SEATS_OF].long()[:, None]
    place = torch.arange(SEATS, device=about.device)[None]
    return torch.where(place < seats, (place + way * seat) % seats, place)


@torch.no_grad()  # type: ignore[untyped-decorator]
def advantages(kept: Rollout, trace: float) -> tuple[Tensor, Tensor]:
    """[step, game, seat]: what each decision gained every seat, and the chances that should have been told."""
    done = kept.about[1:, :, sm.DONE].bool()[..., None]
    surprise = torch.where(done, kept.result[1:], kept.wins[1:]) - kept.wins[:-1]
    gains = torch.empty_like(surprise)
    running = torch.zeros_like(surprise[0])
    for step in range(len(surprise) - 1, -1, -1):
        running = surprise[step] + trace * ~done[step] * running
        gains[step] = running
    return gains, (gains + kept.wins[:-1]).clamp(0, 1)


def win_rates(tally: Any, games: Sequence[Risk]) -> dict[str, float]:
    """What the learner won of each line-up, with three players on either kind of map and with six."""
    found = {}
    for name, chosen in (
        ("classic 3", [g.board.name == "classic" and g.seats == 3 for g in games]),
        ("generated 3", [g.board.name != "classic" and g.seats == 3 for g in games]),
        ("six", [g.seats == 6 for g in games]),
    ):
        sums = tally[chosen].sum(0)
        for line_up, (played, points, cut, rounds) in zip(sm.LINE_UPS, sums, strict=True):
            if played and line_up in ("older", "scripted", "strangers", "searches"):
                found[f"{name} {line_up}"] = round(float(points / played), 3)
            if played and line_up == "self":
                found[f"{name} rounds"] = round(float(rounds / played), 1)
                found[f"{name} cut"] = round(float(cut / played), 3)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Self-play for Risk.")
    parser.add_argument(
        "--checkpoint", type=Path, required=True, help="folder to go on from, if it is there, and to save in"
    )
    parser.add_argument("--export", type=Path, help="also write the averaged net into this file")
    for each in fields(Settings):
        name, told = each.name.replace("_", "-"), each.metadata["help"]
        parser.add_argument(f"--{name}", type=type(each.default), default=each.default, help=told)
    given = vars(parser.parse_args(arguments))
    folder, target = given.pop("checkpoint"), given.pop("export")
    torch.set_float32_matmul_precision("high")
    trainer = Trainer(Settings(**given))
    if (folder / "state.json").exists():
        trainer.load(folder)
        print(f"resuming from iteration {trainer.iteration}", flush=True)
    trainer.run(folder, target)


if __name__ == "__main__":
    main()
