"""Nets that an experiment has to train first: each is trained once into the folder of a run, and found there by its name."""

from __future__ import annotations

import csv
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from fogbound.core.errors import FogboundError

SUFFIX = ".safetensors"
WHERE = "FOGBOUND_WEIGHTS"


@dataclass(frozen=True)
class Net:
    """A net by the name that specs give it, and how it is trained."""

    name: str
    train: str
    """What follows `fogbound train`, as one would type it, seed and all."""
    keep: str = "latest"
    """Which weights of the training: `latest`, as it ended, or `best`, those of its best trial."""

    @property
    def command(self) -> str:
        return f"fogbound train {self.train}"


@contextmanager
def found_in(folder: Path | None) -> Iterator[None]:
    """Let nets of a run's folder be found by their names, here and in the processes that play."""
    before = os.environ.get(WHERE)
    if folder is not None:
        os.environ[WHERE] = os.pathsep.join([str((folder / "nets").absolute()), *([before] if before else [])])
    try:
        yield
    finally:
        if before is None:
            os.environ.pop(WHERE, None)
        else:
            os.environ[WHERE] = before


def is_there(net: Net, folder: Path) -> bool:
    return (folder / "nets" / f"{net.name}{SUFFIX}").exists()


def train(nets: Sequence[Net], folder: Path) -> None:
    """Train the nets that are not in the folder yet; an interrupted training goes on."""
    for net in nets:
        if not is_there(net, folder):
            _train(net, folder)


def curve(train: str) -> list[dict[str, float]]:
    """The learning curve of a training that nothing else is needed from: what it wrote after each chunk of work."""
    with TemporaryDirectory() as home:
        _carry_out(train, Path(home) / "training")
        with (Path(home) / "training" / "curves.csv").open(encoding="utf-8", newline="") as rows:
            return [{name: float(value) for name, value in row.items() if value} for row in csv.DictReader(rows)]


def _carry_out(train: str, home: Path) -> None:
    """Train in a process of its own; an interrupted training goes on."""
    resume = ["--resume"] if (home / f"checkpoint{SUFFIX}").exists() else []
    home.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "fogbound", "train", *shlex.split(train), "--out", str(home), *resume, "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        said = (done.stderr.strip() or "it said nothing").splitlines()[-1]
        raise FogboundError(f"A training did not finish (fogbound train {train}): {said}")


def _train(net: Net, folder: Path) -> None:
    home = folder / "trainings" / net.name
    _carry_out(net.train, home)
    weights = home / f"{net.keep}{SUFFIX}"
    if not weights.exists():
        raise FogboundError(f"The training of {net.name} left no weights ({net.command}).")
    (folder / "nets").mkdir(exist_ok=True)
    part = folder / "nets" / f"{net.name}.part"
    shutil.copyfile(weights, part)
    part.replace(folder / "nets" / f"{net.name}{SUFFIX}")
