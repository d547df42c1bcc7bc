"""Running a learning method: trials, curves, checkpoints, and resuming after an interruption.

A trial evaluates the learner in games against every agent of a field. A training has a folder. Its checkpoint
holds the learner's snapshot and all progress, and is replaced atomically, so that a killed run can be resumed.
"""

from __future__ import annotations

import csv
import json
import math
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import FrameType
from typing import Any

from fogbound.agents import nets
from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.core.runner import play_set
from fogbound.core.statistics import wilson
from fogbound.train import methods
from fogbound.train.method import Learner, Options

CHECKPOINT, LATEST, BEST = (f"{name}{nets.SUFFIX}" for name in ("checkpoint", "latest", "best"))
CARD = "best.json"
CURVES, TRIALS = "curves.csv", "trials.csv"
CHECKPOINT_EVERY = 30.0  # seconds
LONGEST_GOODBYE = 3.0  # seconds that a chunk may still take after an interruption
LEAST_TRIAL = 0.1  # of the time limit: what a last trial may take if none is left

Row = dict[str, Any]


@dataclass
class Progress:
    """What has happened so far; it is part of the checkpoint."""

    seconds: float = 0.0
    """Spent on learning alone."""
    clock: float = 0.0
    """Spent in all: on preparing, learning, trials and checkpoints. This is what `minutes` limits."""
    trial_seconds: float = 0.0
    """How long the last whole trial took."""
    curve: list[Row] = field(default_factory=list)
    """After each chunk of work: units done, seconds, and the learner's figures."""
    trials: list[Row] = field(default_factory=list)
    """For each trial and opponent: units done, opponent, games, rate, low, high."""
    best: float = -1.0
    best_done: int = 0
    waited: int = 0
    """Trials since the best one."""
    finished: str = ""
    """Why the training ended, once it has."""


Watch = Callable[["Training"], None]


class Abandoned(Exception):
    """Work was broken off: what counts is the last checkpoint."""


class Training:
    """A learner at work in a folder."""

    def __init__(self, learner: Learner, home: Path, command: str = "") -> None:
        self.learner = learner
        self.home = home
        self.command = command or f"fogbound train {learner.name} {learner.game.spec}"
        self.progress = Progress()
        self._stopping = False

    @property
    def options(self) -> Options:
        options: Options = self.learner.options
        return options

    def run(self, watch: Watch = lambda _: None) -> bool:
        """Work until the end, or until an interruption; whether it reached the end."""
        if not (self.home / CHECKPOINT).exists():
            self.save_checkpoint()  # whatever is abandoned, there is something to return to
        self._began = perf_counter() - self.progress.clock
        saved = perf_counter()
        try:
            with self._stop_soon():
                while not self.progress.finished and not self._stopping:
                    self._work()
                    if self.progress.finished or perf_counter() - saved > CHECKPOINT_EVERY:
                        self.save_checkpoint()
                        saved = perf_counter()
                    watch(self)
        except (Abandoned, FogboundError):
            if not self._stopping:
                raise
            self.load_checkpoint()
        else:
            if not self.progress.finished:  # a run that ended has saved its checkpoint
                self.save_checkpoint()
        return bool(self.progress.finished)

    def _work(self) -> None:
        """A chunk of learning, and a trial if one is due. A trial that was broken off is made up for first."""
        progress, learner = self.progress, self.learner
        if not (learner.done and self._trial_is_due()):
            began = perf_counter()
            figures = learner.advance()
            progress.seconds += perf_counter() - began
            values = {name: float(value) for name, value in figures.items()}
            progress.curve.append({"done": learner.done, "seconds": progress.seconds, **values})
        progress.clock = perf_counter() - self._began
        if self._trial_is_due() and not self._stopping:
            self._run_trial()
            progress.clock = perf_counter() - self._began
            progress.finished = self._reason_to_end()

    def _trial_is_due(self) -> bool:
        """Trials are spread evenly; the last one is at the end, wherever that is."""
        if self.learner.done >= self.learner.total or self._is_out_of_time():
            return True
        made = len({row["done"] for row in self.progress.trials})
        return self.learner.done >= (made + 1) * self.learner.total / self.options.trials

    def _is_out_of_time(self) -> bool:
        """Whether no more is left than the last trial needs."""
        return 0 < 60 * self.options.minutes <= self.progress.clock + self.progress.trial_seconds

    def _reason_to_end(self) -> str:
        if self.learner.done >= self.learner.total:
            return f"all {self.learner.total:,} {self.learner.unit} done"
        if self._is_out_of_time():
            return f"{self.options.minutes:g} minutes are over"
        if 0 < self.options.patience <= self.progress.waited:
            return f"no better trial among the last {self.progress.waited}"
        return ""

    def _run_trial(self) -> None:
        """Play the field; the weights of the best mean of all trials are the result."""
        progress = self.progress
        tensors, about = self.learner.weights()
        nets.save(self.home / LATEST, tensors, about)
        began = perf_counter()
        rows = [self._trial(opponent, self._trial_end(began, number)) for number, opponent in enumerate(self.options.field)]
        progress.trials += rows
        progress.trial_seconds = perf_counter() - began
        mean = sum(row["rate"] for row in rows) / max(1, len(rows))
        if mean > progress.best:
            progress.best, progress.best_done, progress.waited = mean, self.learner.done, 0
            nets.save(self.home / BEST, tensors, about)
            self._write_card(rows)
        else:
            progress.waited += 1

    def _trial_end(self, began: float, number: int) -> float:
        """When the games against the number-th opponent must end, so that a trial keeps within the time there is."""
        limit = 60 * self.options.minutes
        left = max(limit - self.progress.clock, LEAST_TRIAL * limit)
        return began + left * (number + 1) / len(self.options.field) if limit else math.inf

    def _trial(self, opponent: str, end: float) -> Row:
        """Games against an opponent: as many as the options say, or as there is time for."""
        seats, side = self.learner.seats(str(self.home / LATEST), opponent), self.learner.side()
        games, points = 0, 0.0
        playing = play_set(self.learner.game, seats, self.options.trial_games, seed=self.options.seed)
        with closing(playing):
            for result in playing:
                games, points = games + 1, points + result.scores[side]
                if self._stopping:
                    raise Abandoned
                if perf_counter() > end:
                    break
        low, high = wilson(points, games)
        return {
            "done": self.learner.done,
            "opponent": opponent,
            "games": games,
            "rate": points / games,
            "low": low,
            "high": high,
        }

    def _write_card(self, rows: Sequence[Row]) -> None:
        """How the best net was made and what it won, beside it."""
        from fogbound.lab.provenance import machine, versions

        figures = [
            {
                "game": self.learner.game.spec,
                "agents": self.learner.seats(BEST, row["opponent"]),
                "side": self.learner.side(),
                "games": row["games"],
                "rate": row["rate"],
                "low": row["low"],
                "high": row["high"],
            }
            for row in rows
        ]
        made = {"versions": versions(), "machine": machine(), "seconds": round(self.progress.seconds, 1)}
        about = {"command": self.command, "seed": self.options.seed, "done": self.learner.done, "unit": self.learner.unit}
        card = {**about, "options": self.options.model_dump(mode="json"), "made": made, "figures": figures}
        _write(self.home / CARD, json.dumps(card, indent=1) + "\n")

    def save_checkpoint(self) -> None:
        """Write the checkpoint, then the tables that people read."""
        about = {
            "method": self.learner.name,
            "game": self.learner.game.spec,
            "options": self.options.model_dump_json(),
            "command": self.command,
            "done": str(self.learner.done),
            "progress": json.dumps(vars(self.progress)),
        }
        nets.save(self.home / CHECKPOINT, self.learner.snapshot(), about)
        _table(self.home / CURVES, self.progress.curve)
        _table(self.home / TRIALS, self.progress.trials)

    def load_checkpoint(self) -> None:
        """Return to where the checkpoint in the folder was written."""
        checkpoint = nets.load(str(self.home / CHECKPOINT))
        with nets.understood(checkpoint):
            self.learner.restore(dict(checkpoint.tensors))
            self.learner.done = int(checkpoint.about["done"])
            self.progress = Progress(**json.loads(checkpoint.about["progress"]))
            self.progress.clock = self.progress.clock or self.progress.seconds  # older checkpoints have no clock

    @contextmanager
    def _stop_soon(self) -> Iterator[None]:
        """An interruption ends the run after the current chunk, or abandons a chunk that takes long; a second one does so
        at once."""

        def stop(_signal: int, _frame: FrameType | None) -> None:
            if self._stopping:
                raise Abandoned
            self._stopping = True
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, LONGEST_GOODBYE)

        def abandon(_signal: int, _frame: FrameType | None) -> None:
            raise Abandoned

        try:
            before = signal.signal(signal.SIGINT, stop)
        except ValueError:  # not in the main thread, which alone handles signals
            yield
            return
        if hasattr(signal, "SIGALRM"):
            signal.signal(signal.SIGALRM, abandon)
        try:
            yield
        finally:
            if hasattr(signal, "setitimer"):
                signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGINT, before)


def start(name: str, game: str, options: Options, home: Path, command: str = "") -> Training:
    """A new training; a folder that already holds one is refused."""
    if (home / CHECKPOINT).exists():
        raise FogboundError(f"{home} already holds a training: resume it with --resume, or choose another folder.")
    began = perf_counter()
    training = Training(methods.learner(name, game, options), home, command)
    training.progress.clock = perf_counter() - began
    home.mkdir(parents=True, exist_ok=True)
    return training


def resume(home: Path, name: str, game: str, options: Options | None = None) -> Training:
    """The training of a folder, ready to run on; refused if its method, game or options are others than those given."""
    if not (home / CHECKPOINT).exists():
        raise FogboundError(f"{home} holds no training to resume: start one without --resume.")
    checkpoint = nets.load(str(home / CHECKPOINT))
    about = checkpoint.about
    if about.get("method") != name:
        raise FogboundError(f"{home} holds a training with {about.get('method')}, not with {name}.")
    with nets.understood(checkpoint):
        saved: Mapping[str, Any] = json.loads(about["options"])
        restored = methods.options(name, **saved)
    if registry.game(game).spec != about["game"]:
        raise FogboundError(f"{home} holds a training on {about['game']}, not on {game}.")
    changed = methods.changed(options, saved) if options is not None else []
    if changed:
        was = ", ".join(f"{key} = {saved.get(key)}" for key in changed)
        raise FogboundError(
            f"{home} holds a training with other options ({was}): resume it without options, or choose another folder."
        )
    training = Training(methods.learner(name, game, restored), home, about["command"])
    training.load_checkpoint()
    return training


def _table(file: Path, rows: Sequence[Row]) -> None:
    part = file.with_suffix(".part")
    names = list(dict.fromkeys(name for row in rows for name in row))
    with part.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, names)
        writer.writeheader()
        writer.writerows(rows)
    part.replace(file)


def _write(file: Path, text: str) -> None:
    part = file.with_suffix(".part")
    part.write_text(text, encoding="utf-8")
    part.replace(file)
