"""Self-play for Scotland Yard on many boards at once: one graph net that plays both sides of any board.

    python -m fogbound.train.scotland_yard.graph --minutes 9 --checkpoint FOLDER --export FILE

As in `selfplay`: regularised PPO against oneself, older selves and scripted players, with a critic that sees everything;
the average of the weights is what is shipped. The boards are generated, of many sizes and rules, and a few grids; the
boards that people know are kept out, to tell how well the net plays what it has never seen.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fogbound.agents import nets as files
from fogbound.agents.scotland_yard.graph_net import KIND
from fogbound.core import registry
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train.scotland_yard import selfplay_matches as sm
from fogbound.train.scotland_yard.graph_matches import ALL_FIGURES, ALL_WHOLE, ToldMatches
from fogbound.train.scotland_yard.graph_nets import NEVER, Atlas, Inputs, Net, arrays, frozen, joined, restore
from fogbound.train.scotland_yard.selfplay_files import squeezed, stretched
from fogbound.train.scotland_yard.selfplay_matches import CHASE, HEURISTIC, KINDS, LEARNER, OLDER, RANDOM, VARIANT

FIRST_BOARD = 1_000  # the first seed of the boards that are learned on; lower ones are a holdout
SIZES = ((16, 20, 24, 28, 32, 36, 40, 44), (48, 56, 64, 72, 80, 88), (112, 136, 160, 200))  # of stations, small to large
GRIDS = ("grid6:detectives=2", "grid6:detectives=3", "grid8:detectives=3", "grid14:detectives=5")
RULES = (  # what is changed on generated boards, in turn
    "",
    "detectives=3",
    "step_on_detective=true,closing_move=true,tickets.mr_x.black=0,tickets.mr_x.double=0",
    "tickets.mr_x.taxi=unlimited,tickets.mr_x.bus=unlimited,hand_over=false",
    "detectives=4",
    "detectives=2,rounds=14",
    "rounds=16,reveals=2+6+10+14,stuck_detectives=pass",
    "detectives=5,rounds=20,reveals=4+9+14+19",
    "show_start=true,rounds=10,reveals=5+10",
)
HELD_OUT = (
    "london",
    "london:detectives=3",
    "plan1",
    "square1",
    "grid9",
    "random:stations=40,seed=1",
    "random:stations=80,seed=2",
)
ALONE: list[sm.Pairing] = [
    (LEARNER, LEARNER, 0.8),
    *((LEARNER, kind, share) for kind, share in ((HEURISTIC, 0.03), (VARIANT, 0.03), (CHASE, 0.03), (RANDOM, 0.01))),
    *((kind, LEARNER, share) for kind, share in ((HEURISTIC, 0.03), (VARIANT, 0.03), (CHASE, 0.03), (RANDOM, 0.01))),
]
LEAGUE: list[sm.Pairing] = [(LEARNER, OLDER, 0.5), (OLDER, LEARNER, 0.5)]
FIELD: list[sm.Pairing] = [(LEARNER, LEARNER, 1), *((LEARNER, kind, 1) for kind in (HEURISTIC, CHASE, RANDOM))]
FIELD += [(kind, LEARNER, 1) for kind in (HEURISTIC, CHASE, RANDOM)]
SAVE_SECONDS = 60


def described(default: Any, text: str) -> Any:
    """A setting with what `--help` says of it."""
    return field(default=default, metadata={"help": f"{text} ({default})"})


@dataclass(frozen=True)
class Settings:
    minutes: float = described(9.0, "how long to train")
    iterations: int = described(0, "stop after so many of this run; 0 is no limit")
    boards: str = described("64,32,8", "small, middle and large boards")
    each: str = described("448,320,256", "matches on each of them")
    league: float = described(0.3, "share of the matches against older selves")
    steps: int = described(16, "decisions a match between two updates")
    minibatches: int = described(24, "steps of learning in an update")
    width: int = described(64, "numbers of a station")
    inner: int = described(96, "numbers inside a block")
    blocks: int = described(5, "blocks of the net")
    critic_blocks: int = described(3, "blocks of the critic")
    rate: float = described(1e-3, "learning rate at the beginning of this run")
    final_rate: float = described(3e-4, "and at its end")
    clip: float = described(0.2, "how far PPO lets a move's probability go")
    trace: float = described(0.97, "lambda of the advantages")
    entropy: float = described(0.01, "how much mixing is rewarded")
    magnet: float = described(0.05, "how strongly the policy is drawn to its own average")
    magnet_every: int = described(20, "iterations between two moves of that average")
    average: float = described(0.998, "of the averaged weights, a step")
    pool: int = described(10, "older selves kept")
    pool_every: int = described(30, "iterations between two of them")
    evaluate_every: int = described(60, "iterations between two evaluations")
    evaluation: int = described(700, "games of an evaluation, a board; 0 is none")
    threads: int = described(16, "threads that play")
    seed: int = described(1, "seed of everything random")
    device: str = described("cuda", "where the net learns and plays")


def boards_of(settings: Settings) -> list[list[ScotlandYard]]:
    """The boards of each size, all different, by all rules in turn; some are grids."""
    made, turn = [], 0
    for sizes, count in zip(SIZES, _numbers(settings.boards), strict=True):
        group: list[ScotlandYard] = []
        while len(group) < count:
            turn += 1
            spec = f"random:stations={sizes[len(group) % len(sizes)]},seed={FIRST_BOARD + 1000 * settings.seed + turn}"
            rules = RULES[turn % len(RULES)]
            group.append(_board(f"{spec},{rules}" if rules else spec))
        made.append(group)
    for place, grid in zip(((0, 3), (0, 7), (1, 2), (2, 1)), GRIDS, strict=True):
        if place[1] < len(made[place[0]]):
            made[place[0]][place[1]] = _board(grid)
    return [group for group in made if group]


def _board(name: str) -> ScotlandYard:
    game = registry.game(f"scotland-yard/{name}")
    assert isinstance(game, ScotlandYard)
    return game


def _numbers(text: str) -> list[int]:
    return [int(each) for each in text.split(",")]


class Group:
    """The matches on the boards of one size: those without older selves, and those against them."""

    def __init__(
        self,
        atlas: Atlas,
        sets: Sequence[tuple[int, Sequence[sm.Pairing]]],
        threads: int,
        seed: int,
        taken_over: bool = False,
    ) -> None:
        pinned = atlas.device.type == "cuda"
        self.atlas = atlas
        self.sets = [
            ToldMatches(atlas.games, each, pairings, threads, seed + number, atlas.stations, pinned, taken_over)
            for number, (each, pairings) in enumerate(sets)
        ]
        self.each = [each for each, _ in sets]  # of every board
        self.ready = torch.cuda.Event() if pinned else None

    def send(self) -> Inputs:
        """Wait for the matches, and send what they tell to the device."""
        for matches in self.sets:
            matches.finish()
        sent = [
            [told.to(self.atlas.device, non_blocking=True) for told in (set_.rows, set_.nodes, set_.whole, set_.moves)]
            for set_ in self.sets
        ]
        return joined([Inputs(self.atlas, rows, nodes.transpose(1, 2), whole, moves) for rows, nodes, whole, moves in sent])

    def answer(self, codes: Tensor) -> None:
        for matches, given in zip(self.sets, codes.split(self.each, 1), strict=True):
            matches.picked.copy_(given, non_blocking=True)
        if self.ready is not None:
            self.ready.record()

    def go(self) -> None:
        """Play the answers, in threads."""
        if self.ready is not None:
            self.ready.synchronize()
        for matches in self.sets:
            matches.go()


@dataclass
class Rollout:
    """What was decided in the matches of a group: [step, board, row]; one step more of inputs and values."""

    inputs: list[Inputs]
    picked: Tensor
    chance: Tensor  # log probability when it was picked
    value: Tensor


@dataclass
class Lesson:
    """A rollout as it is learned from: [board, decision]."""

    inputs: Inputs
    picked: Tensor
    chance: Tensor
    gained: Tensor
    target: Tensor

    def parts(self, count: int) -> Iterator[Lesson]:
        order = torch.randperm(self.picked.shape[1], device=self.picked.device)
        for part in order.chunk(count):
            rest = (self.picked, self.chance, self.gained, self.target)
            yield Lesson(self.inputs.only(part), *(each[:, part] for each in rest))


class Trainer:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        torch.manual_seed(settings.seed)
        self.device = torch.device(settings.device)
        self.type = torch.bfloat16 if self.device.type == "cuda" else torch.float32
        self.net = Net(settings.width, settings.inner, settings.blocks).to(self.device)
        self.critic = Net(settings.width, settings.inner, settings.critic_blocks, ALL_FIGURES, ALL_WHOLE).to(self.device)
        self.mean, self.magnet = frozen(self.net, torch.float32), frozen(self.net, self.type)
        self.playing, self.judging = frozen(self.net, self.type), frozen(self.critic, self.type)
        self.optimizers = [
            torch.optim.AdamW(net.parameters(), lr=settings.rate, weight_decay=1e-3, betas=(0.9, 0.98))
            for net in (self.net, self.critic)
        ]
        self.older: list[Net] = []
        self.born: list[int] = []
        self.opponent = self.playing
        self.iteration, self.decisions, self.seconds = 0, 0, 0.0
        self.began_at = 0  # the iteration that this run began with
        self.curve: list[dict[str, Any]] = []
        self.random = np.random.default_rng(settings.seed)

    def groups(
        self,
        alone: Sequence[sm.Pairing] = ALONE,
        league: Sequence[sm.Pairing] = LEAGUE,
        share: float | None = None,
        taken_over: bool = False,
    ) -> list[Group]:
        """The matches; a share of them, if not that of the settings, against older selves."""
        settings, made = self.settings, []
        share = settings.league if share is None else share
        for number, (games, each) in enumerate(zip(boards_of(settings), _numbers(settings.each), strict=False)):
            apart = round(share * each)
            sets = [(each - apart, alone), (apart, league)] if apart else [(each, alone)]
            seed = settings.seed + 1000 * self.iteration + 7919 * number
            made.append(Group(Atlas(games, self.device, self.type), sets, settings.threads, seed, taken_over))
        return made

    # Playing.

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def decide(self, group: Group, net: Net, opponent: Net | None) -> tuple[Inputs, Tensor, Tensor]:
        """What was asked, moves picked and their log probabilities; the answers are on their way."""
        inputs, first = group.send(), group.each[0]
        logits = net(inputs)[0]
        if opponent is not None and len(group.each) > 1:
            apart = inputs.only(slice(first, None))
            theirs = apart.rows[..., sm.OWNER] >= sm.OWNERS
            logits[:, first:] = torch.where(theirs[..., None], opponent(apart)[0], logits[:, first:])
        picked, chance, codes = inputs.sample(logits)
        group.answer(codes)
        return inputs, picked, chance

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def play(self, groups: Sequence[Group]) -> list[Rollout]:
        """Rollouts of all groups; while the nets decide in one, the moves of the one before are played."""
        steps = self.settings.steps
        told: list[list[list[Any]]] = [[[], [], [], []] for _ in groups]  # as in Rollout
        waiting: Group | None = None
        for step in range(steps + 1):
            for group, (asked, picks, chances, values) in zip(groups, told, strict=True):
                if step == steps:
                    inputs = group.send()
                else:
                    inputs, picked, chance = self.decide(group, self.playing, self.opponent)
                    picks.append(picked.to(torch.uint8))
                    chances.append(chance)
                asked.append(inputs)
                values.append(torch.sigmoid(self.judging.win(inputs)))
                if waiting is not None:
                    waiting.go()
                waiting = group if step < steps else None
                if waiting is not None and len(groups) == 1:
                    waiting.go()
                    waiting = None
                self.decisions += 0 if step == steps else picked.numel()
        return [Rollout(asked, *map(torch.stack, rest)) for asked, *rest in told]

    # Learning.

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def lesson(self, rollout: Rollout) -> Lesson:
        """What each decision gained Mr X over what was expected, and what the critic should have said."""
        rows = torch.stack([inputs.rows for inputs in rollout.inputs[1:]])
        done, result = rows[..., sm.DONE].bool(), rows[..., sm.RESULT].float()
        following = torch.where(done, result, rollout.value[1:])
        surprise = following - rollout.value[:-1]
        gained, running = torch.empty_like(surprise), torch.zeros_like(surprise[0])
        for step in range(surprise.shape[0] - 1, -1, -1):
            running = surprise[step] + self.settings.trace * ~done[step] * running
            gained[step] = running
        target = (gained + rollout.value[:-1]).clamp(0, 1)
        rest = (rollout.picked, rollout.chance, gained, target)
        return Lesson(joined(rollout.inputs[:-1]), *(each.transpose(0, 1).flatten(1, 2) for each in rest))

    def learn(self, rollouts: Sequence[Rollout]) -> dict[str, float]:
        settings = self.settings
        lessons = [self.lesson(rollout) for rollout in rollouts]
        scale = self._scale(lessons)
        sums: dict[str, Tensor] = {}
        for parts in zip(*(lesson.parts(settings.minibatches) for lesson in lessons), strict=True):
            total = sum(part.picked.numel() for part in parts)
            for part in parts:
                share = part.picked.numel() / total
                told = self._study(part, scale, share)
                for name, amount in told.items():
                    sums[name] = sums.get(name, torch.zeros((), device=self.device)) + amount * share
            for net, optimizer in zip((self.net, self.critic), self.optimizers, strict=True):
                torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad(set_to_none=True)
            ours, theirs = list(self.mean.parameters()), [each.detach() for each in self.net.parameters()]
            torch._foreach_lerp_(ours, theirs, 1 - settings.average)
        self._refresh()
        return {name: float(amount) / settings.minibatches for name, amount in sums.items()}

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def _scale(self, lessons: Sequence[Lesson]) -> Tensor:
        """[side]: what makes gains of Mr X, and of the detectives, as large as each other; theirs are his losses."""
        made = []
        for side in (0, 1):
            each = [lesson.gained[lesson.inputs.rows[..., sm.OWNER] == side] for lesson in lessons]
            made.append((1 - 2 * side) / torch.cat(each).std().clamp(min=1e-3))
        return torch.stack(made)

    def _study(self, part: Lesson, scale: Tensor, share: float) -> dict[str, Tensor]:
        """Losses of some decisions, and their gradients."""
        settings, inputs = self.settings, part.inputs
        logits, wins, places = self.net(inputs)
        chances, fine = inputs.log_chances(logits), inputs.moves >= 0
        with torch.no_grad():
            magnet = inputs.log_chances(self.magnet(inputs)[0])
        owner = inputs.rows[..., sm.OWNER].long()
        free = (fine.sum(-1) > 1) & (owner < sm.OWNERS)
        weight = free / free.sum().clamp(min=1)
        shares = chances.exp() * fine
        entropy = -(shares * chances.masked_fill(~fine, 0)).sum(-1)
        apart = (shares * (chances - magnet).masked_fill(~fine, 0)).sum(-1)
        gain = part.gained * scale[owner.clamp(max=1)]
        ratio = (chances.gather(2, part.picked.long()[..., None])[..., 0] - part.chance).exp()
        bounded = ratio.clamp(1 - settings.clip, 1 + settings.clip)
        gain_loss = -(torch.minimum(ratio * gain, bounded * gain) * weight).sum()
        of_result = torch.nn.functional.binary_cross_entropy_with_logits
        value = of_result(wins, part.target)
        hunting = (inputs.seat > 0) / (inputs.seat > 0).sum().clamp(min=1)
        places = torch.log_softmax(places.masked_fill(~inputs.possible.transpose(1, 2), NEVER), -1)
        belief = -(places.gather(2, inputs.rows[..., sm.TRUTH].long()[..., None] - 1)[..., 0] * hunting).sum()
        mixing = (entropy * weight).sum()
        drawn = (apart * weight).sum()
        loss = gain_loss - settings.entropy * mixing + settings.magnet * drawn + 0.25 * value + 0.1 * belief
        (loss * share).backward()
        critic = of_result(self.critic.win(inputs), part.target)
        (critic * share).backward()
        clipped = (((ratio - 1).abs() > settings.clip) * weight).sum()
        told = {"entropy": mixing, "magnet": drawn, "value": value, "belief": belief, "critic": critic, "clipped": clipped}
        return {name: amount.detach() for name, amount in told.items()}

    def _refresh(self) -> None:
        self.playing.load_state_dict(self.net.state_dict())
        self.judging.load_state_dict(self.critic.state_dict())

    # The run.

    def run(self, folder: Path) -> None:
        settings, began, before = self.settings, time.monotonic(), self.seconds
        self.began_at = self.iteration
        groups = self.groups()
        print(f"matches ready after {time.monotonic() - began:.1f} s", flush=True)
        reported, saved = (self.decisions, time.monotonic()), time.monotonic()
        while (gone := time.monotonic() - began) < 60 * settings.minutes:
            if settings.iterations and self.iteration - self.began_at >= settings.iterations:
                break
            self._set_rate(gone / (60 * settings.minutes))
            self._tend_pool()
            started = time.monotonic()
            rollouts = self.play(groups)
            self._wait()
            played = time.monotonic()
            told = self.learn(rollouts)
            self._wait()
            self.iteration += 1
            self.seconds = before + time.monotonic() - began
            line: dict[str, Any] = {
                "iteration": self.iteration,
                "seconds": round(self.seconds, 1),
                "decisions": self.decisions,
            }
            line |= {"play_s": round(played - started, 3), "learn_s": round(time.monotonic() - played, 3)}
            line |= {name: round(amount, 5) for name, amount in told.items()}
            if self.iteration % 10 == 0:
                now = time.monotonic()
                line["per_second"] = round((self.decisions - reported[0]) / (now - reported[1]))
                reported = self.decisions, now
                print(json.dumps(line), flush=True)
            if self.iteration % settings.evaluate_every == 0:
                line |= self.evaluate()
                print(json.dumps({key: amount for key, amount in line.items() if " x " in key}), flush=True)
            self.curve.append(line)
            if time.monotonic() - saved > SAVE_SECONDS:
                self.save(folder)
                saved = time.monotonic()
        self.curve.append(
            {"iteration": self.iteration, "seconds": self.seconds, "decisions": self.decisions, **self.evaluate()}
        )
        print(json.dumps(self.curve[-1]), flush=True)
        self.save(folder)

    def _set_rate(self, gone: float) -> None:
        settings, warm = self.settings, min(1.0, (self.iteration - self.began_at + 1) / 5)
        for optimizer in self.optimizers:
            for group in optimizer.param_groups:
                group["lr"] = warm * (settings.rate + (settings.final_rate - settings.rate) * min(gone, 1.0))

    def _tend_pool(self) -> None:
        """Move the magnet, add to the older selves, and draw the one that plays next."""
        settings = self.settings
        if self.iteration > self.began_at and self.iteration % settings.magnet_every == 0:
            self.magnet.load_state_dict(self.mean.state_dict())
        if self.iteration and self.iteration % settings.pool_every == 0:
            self.older.append(frozen(self.mean, self.type))
            self.born.append(self.iteration)
            if len(self.older) > settings.pool:
                drop = int(np.diff(self.born[:-1]).argmin()) + 1
                del self.older[drop], self.born[drop]
        if self.iteration % 3 == 0:
            self.opponent = self.older[self.random.integers(len(self.older))] if self.older else self.playing

    def _wait(self) -> None:
        if self.device.type == "cuda":
            torch.cuda.synchronize()

    def evaluate(self) -> dict[str, float]:
        """The averaged net on boards that it has never seen; how often Mr X won, by board and pairing."""
        if not self.settings.evaluation:
            return {}
        net, found = frozen(self.mean, self.type), {}
        games, settings = [_board(name) for name in HELD_OUT], self.settings
        group = Group(Atlas(games, self.device, self.type), [(settings.evaluation, FIELD)], settings.threads, 5)
        (matches,) = group.sets
        while matches.unfinished():
            self.decide(group, net, None)
            group.go()
            matches.finish()
        for name, tally in zip(HELD_OUT, matches.tally(first=True), strict=True):
            for x, d, _ in FIELD:
                found[f"{name}: {KINDS[x]} x {KINDS[d]}"] = round(float(tally[x, d, 0] / max(tally[x, d].sum(), 1)), 4)
        return found

    # Files.

    def save(self, folder: Path) -> None:
        """Everything that a later run needs, in one file and the counters beside it."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {**arrays(self.mean, "mean."), **arrays(self.net, "net."), **arrays(self.critic, "critic.")}
        for rank, net in enumerate(self.older):
            tensors |= squeezed(arrays(net, f"{rank}."))
        files.save(folder / "nets.safetensors", tensors, self.about())
        state = {"iteration": self.iteration, "decisions": self.decisions, "seconds": self.seconds, "born": self.born}
        state |= {"settings": asdict(self.settings), "curve": self.curve}
        (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")

    def load(self, folder: Path) -> None:
        state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
        self.iteration, self.decisions, self.seconds = state["iteration"], state["decisions"], state["seconds"]
        self.curve, self.born = state["curve"], state["born"]
        tensors = files.load(str(folder / "nets.safetensors")).tensors
        for net, prefix in ((self.mean, "mean."), (self.net, "net."), (self.critic, "critic.")):
            restore(net, tensors, prefix)
        self.magnet.load_state_dict(self.mean.state_dict())
        self._refresh()
        plain = stretched(tensors)
        for rank in range(len(self.born)):
            net = frozen(self.mean, self.type)
            restore(net, plain, f"{rank}.")
            self.older.append(net)

    def export(self, path: Path) -> None:
        """The averaged net, as the agent `graph` plays it."""
        files.save(path, arrays(self.mean, kind=torch.float16), self.about())

    def about(self) -> dict[str, str]:
        counted = {"iteration": str(self.iteration), "decisions": str(self.decisions)}
        return {"kind": KIND, "family": "scotland-yard", **counted}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Self-play for Scotland Yard on many boards.")
    parser.add_argument(
        "--checkpoint", type=Path, required=True, help="folder to go on from, if it is there, and to save in"
    )
    parser.add_argument("--export", type=Path, help="also write the averaged net into this file")
    for each in fields(Settings):
        name = f"--{each.name.replace('_', '-')}"
        parser.add_argument(name, type=type(each.default), default=each.default, help=each.metadata["help"])
    given = vars(parser.parse_args(arguments))
    folder, target = given.pop("checkpoint"), given.pop("export")
    torch.set_float32_matmul_precision("high")
    trainer = Trainer(Settings(**given))
    if (folder / "state.json").exists():
        trainer.load(folder)
        print(f"resuming from iteration {trainer.iteration}", flush=True)
    trainer.run(folder)
    if target:
        trainer.export(target)


if __name__ == "__main__":
    main()
