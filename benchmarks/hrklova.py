"""Why detectives trained as Hrkľová 2023 trained hers come out weaker: her training, read in several ways, with many seeds.

python benchmarks/hrklova.py train --out DIR [--games 10000] [--seeds 10] [--jobs 14] [--only NAME ...] [--small]
python benchmarks/hrklova.py table --out DIR [--games 10000] [--small]      what was trained so far, as a table
python benchmarks/hrklova.py nets --out DIR [--jobs 14] [--only K6.1 ...]   all nets of `fogbound reproduce K... --out DIR`

`train` goes on where it was interrupted: a net that is in the folder with its figures is not trained again.
`--games` is what every net learns from; the share of random moves falls over all of them, as published.
Each net is measured with both detectives against a random Mr X, one who may step onto detectives, alpha-beta and MCTS.
`--small` learns from batches of 128 instead of 512, and against an MCTS of 100 iterations instead of 500.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

import fogbound as fb
from fogbound.agents import nets
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.lab.reproduce import experiment, experiments, trainings
from fogbound.lab.reproduce.hrklova_nets import FEWEST
from fogbound.train import methods
from fogbound.train.scotland_yard.dqn import SEARCH, Dqn
from fogbound.train.scotland_yard.environment import EnvironmentBatch, SeatAssignment
from fogbound.train.scotland_yard.shard import Rewards

GAME = "scotland-yard/grid5"
STEPPING = f"{GAME}:step_on_detective=true"
PUBLISHED = {"random": 96.65, "stepping": 96.65, "alphabeta": 27.5, SEARCH: 29.8}
SMALL = {"batch": 128, "opponents": ["alphabeta", "mcts:worlds=one,iterations=100"]}
MOST_ANSWERS = 200  # of one detective or two in one match; a match of grid5 has at most 30


@dataclass(frozen=True)
class Variant:
    """One way to read her text: what differs from the preset."""

    about: str
    settings: dict[str, Any] = field(default_factory=dict)
    after: str = ""  # the variant whose net it goes on from


AGAIN = {"epsilon": 0.2, "epsilon_end": 0.2}
DIRECT = {"follows": "move", "ends": "own"}
ENDLESS = {"follows": "move", "ends": "never"}
VARIANTS = {
    "preset": Variant("preset `hrklova`: what follows is the next own decision"),
    "again": Variant("the preset's net trained on with 20% random moves", AGAIN, "preset"),
    "direct": Variant("what follows is the position directly after the own move", DIRECT),
    "endless": Variant("direct, and the end of a game is not told", ENDLESS),
    "endless-turns": Variant("the preset, and the end of a game is not told", {"ends": "never"}),
    "endless-any-catch": Variant("endless, rewarded for any catch", {**ENDLESS, "own_catch": False}),
    "endless-layout-2": Variant("endless with hidden layers 100-50", {**ENDLESS, "hidden": [100, 50]}),
    "endless-layout-3": Variant("endless with hidden layers 100-100-50", {**ENDLESS, "hidden": [100, 100, 50]}),
    "endless-again": Variant("endless, trained on with 20% random moves", {**ENDLESS, **AGAIN}, "endless"),
    "sightings": Variant("direct, and no belief before Mr X was seen", {**DIRECT, "coding": "sightings"}),
    "nothing-for-wrong": Variant("direct, and an illegal answer brings 0 whatever follows", {**DIRECT, "reward_wrong": 0.0}),
    "direct-again": Variant("direct, trained on with 20% random moves", {**DIRECT, **AGAIN}, "direct"),
    "slow": Variant("the preset with a learning rate of 0.0001", {"rate": 0.0001}),
    "short-sighted": Variant("the preset with gamma 0.5", {"gamma": 0.5}),
    "double": Variant("the preset with double Q-learning", {"double": True}),
    "legal": Variant("the preset, where only legal answers are compared", {"masked": True}),
    "mse": Variant("the preset with the mean squared error", {"loss": "mse"}),
    "replay-10000": Variant("the preset with 10,000 moves remembered", {"replay": 10_000}),
    "replay-20000": Variant("the preset with 20,000 moves remembered", {"replay": 20_000}),
    "pytorch-weights": Variant("the preset with PyTorch's initial weights", {"weights": "pytorch"}),
    "any-catch": Variant("the preset, rewarded for any catch", {"own_catch": False}),
    "layout-2": Variant("the preset with hidden layers 100-50", {"hidden": [100, 50]}),
    "layout-3": Variant("the preset with hidden layers 100-100-50", {"hidden": [100, 100, 50]}),
}


def train(options: argparse.Namespace) -> None:
    """Every net that is not there yet; one that goes on from another waits for it."""
    names = options.only or list(VARIANTS)
    runs = [(name, seed) for seed in range(options.first, options.first + options.seeds) for name in names]
    waiting = [run for run in runs if not figures_of(*where(options, *run)).exists()]
    with ProcessPoolExecutor(options.jobs) as pool:
        running = {}
        while waiting or running:
            ready = [run for run in waiting if not missing(*where(options, *run))]
            if not ready and not running:
                raise SystemExit(f"{waiting[0][0]} goes on from {VARIANTS[waiting[0][0]].after}: name both.")
            for run in ready:
                waiting.remove(run)
                running[pool.submit(one, *where(options, *run), options.trial, options.small)] = run
            done = next(as_completed(running))
            del running[done]
            print(json.dumps(done.result()), flush=True)


def where(options: argparse.Namespace, name: str, seed: int) -> tuple[Path, str, int, int]:
    return options.out / ("small" if options.small else "published"), name, seed, options.games


def figures_of(out: Path, name: str, seed: int, games: int) -> Path:
    return out / f"{name}-{games}-{seed}.json"


def missing(out: Path, name: str, seed: int, games: int) -> bool:
    """Whether the net that this one goes on from is still missing."""
    before = VARIANTS[name].after
    return bool(before) and not figures_of(out, before, seed, games).exists()


def one(out: Path, name: str, seed: int, games: int, trial: int, small: bool) -> dict[str, Any]:
    """Train and measure one net."""
    torch.set_num_threads(1)  # nets this small learn fastest on one
    variant, began = VARIANTS[name], perf_counter()
    out.mkdir(parents=True, exist_ok=True)
    settings = {**(SMALL if small else {}), **variant.settings, "games": games, "seed": seed, "threads": 1}
    if variant.after:
        settings["start"] = str(figures_of(out, variant.after, seed, games).with_suffix(".safetensors"))
    learner: Any = methods.learner("dqn", GAME, methods.options("dqn", "hrklova", **settings))
    while learner.done < learner.total:
        learner.advance()
    file = figures_of(out, name, seed, games)
    nets.save(file.with_suffix(".safetensors"), *learner.weights())
    trained = perf_counter() - began
    row: dict[str, Any] = {"variant": name, "seed": seed, "games": games, "moves": learner.played, "trial": trial}
    row |= {other: measure(learner, other, trial) for other in PUBLISHED}
    row |= {"value": mean_value(learner), "seconds": [round(trained), round(perf_counter() - began - trained)]}
    file.write_text(json.dumps(row))
    return row


def mean_value(learner: Dqn) -> float:
    """The mean over remembered positions of what the net expects of its best answer; no sum of rewards is above 24."""
    rows = min(learner.moments, learner.rows)
    with torch.no_grad():
        return float(learner.net(learner.seen[:rows].flatten(0, 1)[-5000:].float()).max(1).values.mean())


def measure(learner: Dqn, other: str, games: int) -> dict[str, float]:
    """What the net wins with both detectives, and how it answers: `games` matches side by side."""
    options = learner.options
    game: Any = fb.game(STEPPING if other == "stepping" else GAME)
    assignment = SeatAssignment(1, [1, 2], "", ["random" if other == "stepping" else other])
    code = (options.coding, options.answers)
    made = EnvironmentBatch(game, assignment, code, Rewards(0.0, 1.0, -1.0, 0.0, 0.0, 0), games, 1, seed=1)
    made.reset()
    won, going = np.zeros(games), np.ones(games, bool)
    steps = Steps.on(game, made)
    for _ in range(MOST_ANSWERS):
        with torch.no_grad():
            values = learner.net(torch.from_numpy(made.features))
        if options.masked:
            values = values.masked_fill(torch.from_numpy(made.mask) == 0, -torch.inf)
        answers = values.argmax(1).numpy()
        steps.count(made, answers, going)
        made.step(answers)
        ended = going & (made.done == 1)
        won[ended] = made.reward[ended] > 0
        going &= ~ended
        if not going.any():
            break
    return {"wins": round(100 * float(won.mean()), 2), **steps.shares()}


@dataclass
class Steps:
    """How often answers are illegal, and how often they step onto a possible station where there is a choice."""

    ends: NDArray[np.int64]  # [station, direction]: where it leads
    answers: int = 0
    wrong: int = 0
    choices: int = 0
    possible: int = 0
    chance: float = 0.0  # steps onto a possible station that a random legal answer would make

    @classmethod
    def on(cls, game: ScotlandYard, made: EnvironmentBatch) -> Steps:
        first = made.coding.first
        ends = [[int(np.argmax(first[here] == way)) for way in range(4)] for here in range(game.table.stations)]
        return cls(np.array(ends))

    def count(self, made: EnvironmentBatch, answers: NDArray[np.int64], going: NDArray[np.bool_]) -> None:
        stations = len(self.ends)
        seen, legal, rows = made.features[going], made.mask[going] == 1, np.arange(int(going.sum()))
        chosen = answers[going]
        here = seen[:, stations:].argmax(1)
        likely = np.take_along_axis(seen[:, :stations], self.ends[here], 1) > 0
        good = likely & legal
        free = legal[rows, chosen] & good.any(1) & (good != legal).any(1)
        self.answers += len(rows)
        self.wrong += int((~legal[rows, chosen]).sum())
        self.choices += int(free.sum())
        self.possible += int(good[rows, chosen][free].sum())
        self.chance += float((good.sum(1) / legal.sum(1))[free].sum())

    def shares(self) -> dict[str, float]:
        choices = max(1, self.choices)
        shares = {"illegal": self.wrong / max(1, self.answers), "possible": self.possible / choices}
        return {name: round(100 * share, 1) for name, share in {**shares, "by chance": self.chance / choices}.items()}


def train_experiments(options: argparse.Namespace) -> None:
    """The nets that her experiments need and that are not shipped, many at a time.

    First come those that others start from, and of these as many seeds as a verdict needs.
    """
    os.environ["OMP_NUM_THREADS"] = "1"
    wanted = options.only or [each.id for each in experiments() if each.id.startswith("K")]
    found = list({net.name: net for name in wanted for net in experiment(name).nets}.values())
    pool = ThreadPoolExecutor(options.jobs)
    try:
        with trainings.found_in(options.out):
            for stage in (0, 1, 2):
                ready = [net for net in found if ("retrained" in net.name) + ("twice" in net.name) == stage]
                train_all(sorted(ready, key=lambda net: seed_of(net) > FEWEST), options.out, pool)
    except KeyboardInterrupt:
        pool.shutdown(wait=False, cancel_futures=True)
        raise SystemExit("Interrupted: the same command goes on from the checkpoints.") from None


def train_all(found: list[trainings.Net], out: Path, pool: ThreadPoolExecutor) -> None:
    waiting = {pool.submit(trainings.train, [net], out): net.name for net in found}
    for done in as_completed(waiting):
        done.result()
        print(waiting[done], flush=True)


def seed_of(net: trainings.Net) -> int:
    return int(net.train.rpartition(" ")[2])


def table(options: argparse.Namespace) -> None:
    """All nets of one length of training: mean and standard deviation over the seeds."""
    print(
        "| training | nets | random | random, stepping | alpha-beta | MCTS | illegal | onto possible | by chance | value |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for name, variant in VARIANTS.items():
        rows = [
            json.loads(file.read_text())
            for file in sorted(where(options, name, 0)[0].glob(f"{name}-{options.games}-*.json"))
        ]
        rows = [row for row in rows if row["variant"] == name]
        if rows:
            wins = " | ".join(spread([row[other]["wins"] for row in rows]) for other in PUBLISHED)
            play = " | ".join(
                f"{mean(row['random'][key] for row in rows):.1f}" for key in ("illegal", "possible", "by chance")
            )
            print(f"| {variant.about} | {len(rows)} | {wins} | {play} | {mean(row['value'] for row in rows):.1f} |")
    print(f"| published | 1 | {' | '.join(str(share) for share in PUBLISHED.values())} | | | | |")


def mean(values: Any) -> float:
    return statistics.fmean(values)


def spread(values: list[float]) -> str:
    if len(values) == 1:
        return f"{values[0]:.1f}"
    return f"{mean(values):.1f} ± {statistics.stdev(values):.1f} ({min(values):.1f} to {max(values):.1f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=["train", "table", "nets"])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--first", type=int, default=1, help="the first seed")
    parser.add_argument("--jobs", type=int, default=1, help="processes that train side by side")
    parser.add_argument("--trial", type=int, default=1000, help="games that a net is measured with against each opponent")
    parser.add_argument("--small", action="store_true", help="smaller batches, and a weaker MCTS to learn against")
    parser.add_argument("--only", nargs="*", help="variants, or experiments")
    options = parser.parse_args()
    fb.game(GAME)
    {"train": train, "table": table, "nets": train_experiments}[options.work](options)


if __name__ == "__main__":
    main()
