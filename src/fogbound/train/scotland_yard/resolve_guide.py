"""The guide of `resolve` on large boards: one small net over public states, distilled from the nets of self-play.

    python -m fogbound.train.scotland_yard.resolve_guide scotland-yard/london --teams 3,4,5 --minutes 3 \\
        --critic training/policy-london/critic.safetensors --export resolve-london.safetensors

The nets of self-play are asked about one station of Mr X at a time. The guide is told what is public, and answers for
all stations at once: what each is worth, how likely each of Mr X's moves is, and each move of the detective whose turn
it is. Its teachers are the critic and the two policies. The critic goes on learning from the results of games between
the policies that begin anywhere: others make the first moves, and then Mr X turns out to be at any station where he can
be. From games out of the start alone it would know nothing of positions that two good players do not come to, and a
lookahead asks about those too.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from fogbound.agents import nets as files
from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.resolve_guide import KIND
from fogbound.train.scotland_yard import selfplay_matches as sm
from fogbound.train.scotland_yard.selfplay import Settings, Trainer
from fogbound.train.scotland_yard.selfplay_nets import Net, Size, arrays, frozen

ASKED = 6  # stations of Mr X that the critic is asked about in a lesson, the true one among them
POLICY_WEIGHT = 0.3  # of the loss of the moves, beside that of the values
BATCH = 8192
EPOCHS = 1  # lessons from each row
STRAY = 2.0  # the temperature of the policies that make the unusual positions
REPORT = 20  # seconds
GUIDE_RATE = 1.5e-3
KINDS = (sm.LEARNER, sm.OLDER, sm.HEURISTIC, sm.VARIANT, sm.CHASE, sm.RANDOM)
OPENINGS: list[sm.Pairing] = [  # who makes the first moves of a match
    (sm.LEARNER, sm.LEARNER, 0.3),
    *((sm.LEARNER, kind, 0.07) for kind in KINDS[1:]),
    *((kind, sm.LEARNER, 0.04) for kind in KINDS[1:]),
    (sm.OLDER, sm.OLDER, 0.15),
]


class Distillation:
    """A guide being taught."""

    def __init__(self, trainer: Trainer, size: Size, rate: float) -> None:
        self.trainer, self.rate, form = trainer, rate, trainer.form
        self.mr_x_answers = 2 * form.codes.size
        answers = self.mr_x_answers + form.detective_codes.size
        self.guide = Net(form.inputs, answers, form.stations, size).to(trainer.device)
        fused = trainer.device.type == "cuda"
        self.optimizer = torch.optim.AdamW(self.guide.parameters(), rate, weight_decay=1e-4, betas=(0.9, 0.98), fused=fused)
        for side in trainer.sides:  # the older selves of these matches are the policies themselves, straying more
            stray = frozen(side.mean, trainer.type)
            stray.policy.data /= STRAY
            stray.policy_bias.data /= STRAY
            side.pool = [stray]
        trainer.playing_older = [[0] * trainer.settings.older] * 2
        self.teachers = [frozen(side.mean, trainer.type) for side in trainer.sides]

    def lesson(self, rows: Tensor) -> dict[str, Tensor]:
        """One step of learning from rows of bytes, as matches write them."""
        trainer = self.trainer
        asked, stations = self.questions(rows)
        with torch.no_grad():
            worth = trainer.judge(asked.reshape(-1, sm.WIDTH)).reshape(stations.shape)
        trunk = self.guide.trunk(trainer.expand(public(rows)))
        says = self.guide.places(trunk).gather(1, stations)
        logits = self.guide.logits(trunk)
        told = {"value": functional.binary_cross_entropy_with_logits(says, worth)}
        mr_x = rows[:, pf.SEAT] == 0
        told["mr_x"] = self.apart(0, asked[mr_x, 0], logits[mr_x, : self.mr_x_answers])
        told["mr_x_elsewhere"] = self.apart(0, asked[mr_x, 1], logits[mr_x, : self.mr_x_answers])
        told["detectives"] = self.apart(1, rows[~mr_x], logits[~mr_x, self.mr_x_answers :])
        loss = told["value"] + POLICY_WEIGHT * (told["mr_x"] + told["mr_x_elsewhere"] + told["detectives"])
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.guide.parameters(), 1.0)
        self.optimizer.step()
        told["off"] = (torch.sigmoid(says) - worth).abs().mean()
        return {name: amount.detach() for name, amount in told.items()}

    def questions(self, rows: Tensor) -> tuple[Tensor, Tensor]:
        """The rows with Mr X at his station and at others where he can be, both sides playing as the policies do."""
        elsewhere = torch.multinomial(self.trainer.expand.possible(rows).float() + 1e-9, ASKED - 1, replacement=True)
        stations = torch.cat([rows[:, sm.TRUTH, None].long() - 1, elsewhere], 1)
        asked = rows[:, None].repeat(1, ASKED, 1)
        asked[:, :, sm.TRUTH] = (stations + 1).to(torch.uint8)
        asked[:, :, sm.KIND_X] = asked[:, :, sm.KIND_D] = sm.LEARNER
        mr_x = rows[:, pf.SEAT] == 0
        asked[mr_x, :, pf.STATION] = asked[mr_x, :, sm.TRUTH]
        return asked, stations

    def apart(self, side: int, rows: Tensor, logits: Tensor) -> Tensor:
        """How far the guide's moves are from those of a policy: the mean Kullback-Leibler divergence."""
        moves, teacher = self.trainer.moves[side], self.teachers[side]
        with torch.no_grad():
            wanted, fine, _ = moves.log_chances(teacher.logits(teacher.trunk(self.trainer.expand(rows))), rows)
        chances, _, _ = moves.log_chances(logits, rows)
        apart = (wanted.exp() * (wanted - chances)).masked_fill(~fine, 0).sum(1)
        return apart.sum() / max(1, rows.shape[0])

    def run(self) -> None:
        """Play, teach the critic, teach the guide, until the time is over; the rates fall to nothing."""
        trainer, settings = self.trainer, self.trainer.settings
        halves = trainer.halves(settings.matches, OPENINGS, settings.seed, taken_over=True)
        began, reported, seen = time.monotonic(), 0.0, 0
        while (elapsed := time.monotonic() - began) < 60 * settings.minutes:
            left = 0.5 * (1 + math.cos(math.pi * elapsed / (60 * settings.minutes)))
            for optimizer, rate in ((self.optimizer, self.rate), (trainer.critic_optimizer, settings.rate)):
                for group in optimizer.param_groups:
                    group["lr"] = rate * left
            rollout = trainer.play(halves)
            _, target = trainer.advantages(rollout)
            flat, target = rollout.rows[: settings.steps].reshape(-1, sm.WIDTH), target.reshape(-1)
            everything = torch.arange(flat.shape[0], device=trainer.device)
            between = (flat[:, sm.KIND_X] == sm.LEARNER) & (flat[:, sm.KIND_D] == sm.LEARNER)
            for part in trainer.parts(between.nonzero()[:, 0]):
                trainer.critic_step(flat[part], target[part])
            trainer.critic_play.load_state_dict(trainer.critic.state_dict())
            told: dict[str, Tensor] = {}
            for _ in range(EPOCHS):
                for batch in everything[torch.randperm(everything.numel(), device=trainer.device)].split(BATCH):
                    told = self.lesson(flat[batch])
            seen += flat.shape[0]
            if elapsed - reported > REPORT or not reported:
                reported = elapsed or 1e-9
                line = {name: round(float(amount), 4) for name, amount in told.items()}
                print(json.dumps({"seconds": round(elapsed), "states": seen, **line}), flush=True)
        self.seen = seen

    def export(self, path: Path) -> None:
        about = {**self.trainer.about(), "kind": KIND, "states": str(self.seen)}
        files.save(path, arrays(self.guide, "g."), about)


def public(rows: Tensor) -> Tensor:
    """The same rows without what only Mr X knows."""
    seen = rows.clone()
    seen[:, pf.STATION] *= (rows[:, pf.SHOWN] > 0).to(torch.uint8)
    return seen


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Distil the nets of self-play into a guide for resolve.")
    parser.add_argument("game", nargs="?", default=Settings.game)
    parser.add_argument("--teams", default="3,4,5", help="numbers of detectives to play with")
    parser.add_argument("--policy", default="policy", help="the nets to distil, by name or as a file")
    parser.add_argument("--critic", type=Path, required=True, help="the critic that goes with them")
    parser.add_argument("--critic-width", type=int, default=512, help="of the nets that are distilled")
    parser.add_argument("--critic-blocks", type=int, default=3)
    parser.add_argument("--width", type=int, default=256, help="of the guide")
    parser.add_argument("--blocks", type=int, default=2)
    parser.add_argument("--guide-rate", type=float, default=GUIDE_RATE)
    parser.add_argument("--export", type=Path, required=True, help="the file to write")
    names = ("minutes", "matches", "steps", "minibatches", "threads", "seed", "device")
    for field in fields(Settings):
        if field.name in names:
            parser.add_argument(f"--{field.name}", type=type(field.default), default=field.default)
    given = parser.parse_args(arguments)
    teams = tuple(int(team) for team in given.teams.split(","))
    chosen = {name: getattr(given, name) for name in names}
    settings = Settings(given.game, teams, width=given.critic_width, blocks=given.critic_blocks, **chosen)
    torch.set_float32_matmul_precision("high")
    trainer = Trainer(settings)
    trainer.begin_with(given.policy, given.critic)
    distillation = Distillation(trainer, Size(given.width, given.blocks), given.guide_rate)
    distillation.run()
    distillation.export(given.export)


if __name__ == "__main__":
    main()
