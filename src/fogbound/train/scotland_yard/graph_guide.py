"""The guide of `resolve` for any board: a small graph net over public states, distilled from the net of self-play.

    python -m fogbound.train.scotland_yard.graph_guide --checkpoint training/scotland-yard-graph --minutes 8 \\
        --export scotland-yard-guide.safetensors

As in `resolve_guide`, for one board: the net of self-play is asked about one station of Mr X at a time, the guide is told
what is public and answers for all of them. Its teachers are that net and its critic, who goes on learning from games that
others open and the net finishes, with Mr X at any station where he can be when it takes over.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from fogbound.agents import nets as files
from fogbound.agents.scotland_yard import graph_features as gf
from fogbound.agents.scotland_yard.resolve_guide import GENERAL_KIND
from fogbound.train.scotland_yard import selfplay_matches as sm
from fogbound.train.scotland_yard.graph import Group, Lesson, Settings, Trainer
from fogbound.train.scotland_yard.graph_matches import NEAR_TRUE, TRUE_MR_X
from fogbound.train.scotland_yard.graph_nets import Inputs, Net, arrays, frozen, restore

POLICY_WEIGHT = 0.3  # of the loss of the moves, beside that of the values
STRAY = 2.0  # the temperature of the net that makes the unusual positions
REPORT = 20.0  # seconds
OPENINGS: list[sm.Pairing] = [  # who makes the first moves of a match
    (sm.LEARNER, sm.LEARNER, 0.4),
    *((sm.LEARNER, kind, 0.08) for kind in (sm.HEURISTIC, sm.VARIANT, sm.CHASE, sm.RANDOM)),
    *((kind, sm.LEARNER, 0.07) for kind in (sm.HEURISTIC, sm.VARIANT, sm.CHASE, sm.RANDOM)),
]
STRAYING: list[sm.Pairing] = [(sm.OLDER, sm.OLDER, 0.5), (sm.LEARNER, sm.OLDER, 0.25), (sm.OLDER, sm.LEARNER, 0.25)]
STRAYING_SHARE = 0.3
OPTIONS = ("minutes", "boards", "each", "steps", "minibatches", "rate", "threads", "seed", "device")
PRIVATE = (gf.MR_X, gf.NEAR_MR_X, gf.MOVER)  # numbers of a station that Mr X alone is told, when he moves unseen


class Distillation:
    """A guide being taught."""

    def __init__(self, trainer: Trainer, guide: Net, rate: float, asked: int = 2, critic_every: int = 1) -> None:
        self.trainer, self.rate, self.seen = trainer, rate, 0
        self.asked, self.critic_every = asked, critic_every
        self.guide = guide.to(trainer.device)
        self.optimizer = torch.optim.AdamW(self.guide.parameters(), rate, weight_decay=1e-4, betas=(0.9, 0.98))
        self.teacher = trainer.playing = frozen(trainer.mean, trainer.type)
        trainer.opponent = frozen(trainer.mean, trainer.type)
        for weights in (trainer.opponent.ways, trainer.opponent.ways_bias):
            weights.data /= STRAY

    def groups(self) -> list[Group]:
        """Matches that are opened by others: a part of them by the net as it strays."""
        return self.trainer.groups(OPENINGS, STRAYING, STRAYING_SHARE, taken_over=True)

    def lesson(self, part: Lesson, share: float) -> dict[str, Tensor]:
        """What the guide learns from some decisions on the boards of a size, which are this share of a step."""
        inputs = part.inputs
        true = inputs.rows[..., sm.TRUTH].long() - 1
        chance = inputs.possible.transpose(1, 2).flatten(0, 1).float()
        others = torch.multinomial(chance, self.asked, replacement=True).view(*true.shape, -1)
        with torch.no_grad():
            asked = [torch.sigmoid(self.trainer.judging.win(elsewhere(inputs, there))) for there in others.unbind(-1)]
            wanted = inputs.log_chances(self.teacher(inputs)[0])
        worth = torch.stack([part.target, *asked], -1)
        logits, _, places = self.guide(public(inputs))
        says = places.gather(2, torch.cat([true[..., None], others], -1))
        fine = inputs.moves >= 0
        apart = (wanted.exp() * (wanted - inputs.log_chances(logits))).masked_fill(~fine, 0).sum(-1)
        mr_x = inputs.seat == 0
        told = {"value": functional.binary_cross_entropy_with_logits(says, worth)}
        told["mr_x"], told["detectives"] = ((apart * whose).sum() / apart.numel() for whose in (mr_x, ~mr_x))
        (share * (told["value"] + POLICY_WEIGHT * (told["mr_x"] + told["detectives"]))).backward()
        told["off"] = (torch.sigmoid(says) - worth)[..., 1:].abs().mean()
        return {name: amount.detach() for name, amount in told.items()}

    def teach_critic(self, part: Lesson, share: float) -> None:
        """The same for the critic, from how games of the net with itself went on."""
        owners = part.inputs.whole[..., gf.WHOLE :].view(*part.picked.shape, 2, -1)
        between = (owners[..., sm.LEARNER] > 0).all(-1)
        loss = functional.binary_cross_entropy_with_logits(
            self.trainer.critic.win(part.inputs), part.target, between.float(), reduction="sum"
        )
        (share * loss / between.sum().clamp(min=1)).backward()

    def step(self, parts: Sequence[Lesson], teach_critic: bool) -> dict[str, float]:
        """Learn from some decisions on the boards of every size."""
        sums: dict[str, float] = {}
        total = sum(part.picked.numel() for part in parts)
        for part in parts:
            share = part.picked.numel() / total
            for name, amount in self.lesson(part, share).items():
                sums[name] = sums.get(name, 0.0) + share * float(amount)
            if teach_critic:
                self.teach_critic(part, share)
        self.seen += total
        for net, optimizer in ((self.guide, self.optimizer), (self.trainer.critic, self.trainer.optimizers[1])):
            torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
        return sums

    def run(self) -> None:
        """Play, teach the critic, teach the guide, until the time is over; the rates fall to nothing."""
        trainer, settings = self.trainer, self.trainer.settings
        groups, began, reported = self.groups(), time.monotonic(), -REPORT
        while (elapsed := time.monotonic() - began) < 60 * settings.minutes:
            left = 0.5 * (1 + math.cos(math.pi * elapsed / (60 * settings.minutes)))
            for optimizer, rate in ((self.optimizer, self.rate), (trainer.optimizers[1], settings.rate)):
                for group in optimizer.param_groups:
                    group["lr"] = rate * left
            lessons = [trainer.lesson(rollout) for rollout in trainer.play(groups)]
            told = [
                self.step(parts, number % self.critic_every == 0)
                for number, parts in enumerate(zip(*(lesson.parts(settings.minibatches) for lesson in lessons), strict=True))
            ]
            trainer.judging.load_state_dict(trainer.critic.state_dict())
            if elapsed - reported >= REPORT:
                reported = elapsed
                line = {name: round(sum(each[name] for each in told) / len(told), 4) for name in told[0]}
                print(json.dumps({"seconds": round(elapsed), "states": self.seen, **line}), flush=True)

    def export(self, path: Path) -> None:
        about = {**self.trainer.about(), "kind": GENERAL_KIND, "states": str(self.seen)}
        files.save(path, arrays(self.guide, kind=torch.float16), about)


def public(inputs: Inputs) -> Inputs:
    """The same positions without what only Mr X knows."""
    nodes = inputs.nodes.clone()
    unseen = (inputs.seat == 0) & (inputs.whole[..., gf.SHOWN] == 0)
    for number in PRIVATE:
        nodes[..., number] *= (~unseen[:, None]).to(nodes.dtype)
    return inputs._replace(nodes=nodes)


def elsewhere(inputs: Inputs, stations: Tensor) -> Inputs:
    """The same positions with Mr X at other stations [board, row], and both sides playing as the learner, for the critic."""
    nodes, whole = inputs.nodes.clone(), inputs.whole.clone()
    here = functional.one_hot(stations, nodes.shape[1]).transpose(1, 2).to(nodes.dtype) * gf.FULL
    boards = torch.arange(stations.shape[0], device=stations.device)
    near = inputs.atlas.near[boards[:, None], stations].transpose(1, 2)
    nodes[..., TRUE_MR_X], nodes[..., NEAR_TRUE] = here, near
    mr_x = (inputs.seat == 0)[:, None]
    for number, told in ((gf.MR_X, here), (gf.MOVER, here), (gf.NEAR_MR_X, near)):
        nodes[..., number] = torch.where(mr_x, told, nodes[..., number])
    playing = whole[..., gf.WHOLE :].view(*stations.shape, 2, -1)
    playing.zero_()
    playing[..., sm.LEARNER] = gf.FULL
    return inputs._replace(nodes=nodes, whole=whole)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Distil the graph net of self-play into a guide for resolve.")
    parser.add_argument("--checkpoint", type=Path, required=True, help="the folder of the training of the graph net")
    parser.add_argument("--begin", type=Path, help="a net of the same size, whose weights the guide begins with")
    parser.add_argument("--export", type=Path, required=True, help="the file to write")
    parser.add_argument("--width", type=int, default=32, help="numbers of a station, in the guide (32)")
    parser.add_argument("--inner", type=int, default=32, help="numbers inside a block of it (32)")
    parser.add_argument("--blocks", type=int, default=3, help="blocks of it (3)")
    parser.add_argument("--guide-rate", type=float, default=1.5e-3, help="its learning rate at the beginning (0.0015)")
    parser.add_argument(
        "--asked", type=int, default=2, help="stations besides the true one that the critic is asked about (2)"
    )
    parser.add_argument("--critic-every", type=int, default=1, help="the critic learns in one of so many steps (1)")
    for each in fields(Settings):
        if each.name in OPTIONS:
            parser.add_argument(f"--{each.name}", type=type(each.default), default=each.default, help=each.metadata["help"])
    given = parser.parse_args(arguments)
    torch.set_float32_matmul_precision("high")
    learned = json.loads((given.checkpoint / "state.json").read_text(encoding="utf-8"))["settings"]
    settings = replace(Settings(**learned), **{name: getattr(given, name) for name in OPTIONS})
    trainer = Trainer(settings)
    trainer.load(given.checkpoint)
    guide = Net(given.width, given.inner, given.blocks)
    if given.begin:
        restore(guide, files.load(str(given.begin)).tensors)
    distillation = Distillation(trainer, guide, given.guide_rate, given.asked, given.critic_every)
    distillation.run()
    distillation.export(given.export)


if __name__ == "__main__":
    main()
