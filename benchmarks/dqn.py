"""All nets of deep Q-learning that Fogbound ships, in one go: training, measuring, and how fast it is.

python benchmarks/dqn.py train --out DIR [--only NAME ...] [--scale 0.01] [--minutes 4]   the nets, side by side
python benchmarks/dqn.py measure --nets DIR [--games 1000] [--only NAME ...]   what they win, as JSON
python benchmarks/dqn.py ship --nets DIR                                      weights and cards to where they are found
python benchmarks/dqn.py speed [--device cpu] [--matches 1024]                moves and batches a second

`train` runs `fogbound train dqn` once for each net, all at the same time; a net that goes on from
another one waits for it.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter, sleep
from typing import Any

import fogbound as fb
from fogbound.agents import nets
from fogbound.core.runner import play_set
from fogbound.core.statistics import wilson

ALPHABETA, SEARCH = "alphabeta", "mcts:worlds=one,iterations=500"
QUICK_SEARCH = "mcts:worlds=one,iterations=200"
GRID, PLAN = "scotland-yard/grid5", "scotland-yard/plan1"


@dataclass(frozen=True)
class Net:
    """How one net is made."""

    game: str
    preset: str | None
    settings: dict[str, Any] = field(default_factory=dict)
    after: str = ""  # the net that it goes on from
    seed: int = 1

    def side(self) -> int:
        return 0 if self.settings.get("side") == "mr-x" or (self.preset or "").endswith("mr-x") else 1


def hrklova(side: str, after: str = "", **settings: Any) -> Net:
    preset = "hrklova" if side == "detectives" else "hrklova-mr-x"
    return Net(GRID, preset, {"threads": 1, **settings}, after, seed=2 if after else 1)


AGAIN = {"epsilon": 0.2, "epsilon_end": 0.2}
STRONG = {
    "matches": 1024, "batch": 2048, "every": 128, "replay": 400_000, "target": 250, "rate": 0.001,
    "trials": 6, "trial_games": 500,
}  # fmt: skip
FIELD: dict[str, Any] = {"field": [ALPHABETA, QUICK_SEARCH, "heuristic"]}
HUNTED: dict[str, Any] = {"opponents": [ALPHABETA, QUICK_SEARCH, "heuristic", "random"], **FIELD}
PLANNED = {"opponents": ["heuristic", "random", "mcts:worlds=one,iterations=100"], "field": ["heuristic", "random"]}
WORKERS = int(os.environ.get("WORKERS", "0")) or None  # processes that measure; all cores by default
THREE = [100, 100, 50]
WIDE = {"hidden": [512, 256], "threads": 3}
GRAPH = {"net": "graph", "hidden": [48] * 4, "threads": 3}


NETS = {
    "hrklova-mr-x-alphabeta": hrklova("mr-x", opponents=[ALPHABETA]),
    "hrklova-mr-x-mcts": hrklova("mr-x", opponents=[SEARCH]),
    "hrklova-mr-x-mix": hrklova("mr-x"),
    "hrklova-mr-x-alphabeta-3-layers": hrklova("mr-x", opponents=[ALPHABETA], hidden=THREE),
    "hrklova-mr-x-alphabeta-4-layers": hrklova("mr-x", opponents=[ALPHABETA], hidden=[100, 100, 100, 50]),
    "hrklova-mr-x-mix-3-layers": hrklova("mr-x", hidden=THREE),
    "hrklova-mr-x-retrained": hrklova("mr-x", after="hrklova-mr-x-mix", **AGAIN),
    "hrklova-detectives-mix": hrklova("detectives"),
    "hrklova-detectives-layout-2": hrklova("detectives", hidden=[100, 50]),
    "hrklova-detectives-layout-3": hrklova("detectives", hidden=THREE),
    "hrklova-detectives-any-catch": hrklova("detectives", own_catch=False),
    "hrklova-detectives-retrained": hrklova("detectives", after="hrklova-detectives-mix", **AGAIN),
    "grid5-detectives": Net(GRID, None, {**STRONG, **HUNTED, "games": 180_000, **WIDE}),
    "grid5-mr-x": Net(GRID, "mr-x", {**STRONG, **HUNTED, "games": 200_000, **WIDE}),
    "grid-detectives": Net(GRID, None, {**STRONG, **HUNTED, "games": 120_000, **GRAPH}),
    "grid-mr-x": Net(GRID, "mr-x", {**STRONG, **HUNTED, "games": 200_000, **GRAPH}),
    "plan1-detectives": Net(PLAN, None, {**STRONG, **PLANNED, "games": 120_000, "hidden": [384, 192], "threads": 2}),
    "plan1-mr-x": Net(PLAN, "mr-x", {**STRONG, **PLANNED, "games": 200_000, "hidden": [384, 192], "threads": 2}),
}


def command(name: str, net: Net, options: argparse.Namespace) -> list[str]:
    settings = dict(net.settings)
    if net.after:
        made = options.out / net.after / "best.safetensors"
        settings["start"] = str(made) if made.exists() else net.after
    if options.scale != 1:
        settings["games"] = max(200, int(settings.get("games", 10_000) * options.scale))
        settings["trial_games"] = 200
    if options.brief:
        settings |= {"field": ["random", "heuristic"], "trials": 1, "trial_games": 1000}
    if options.minutes and not (net.preset or "").startswith("hrklova"):
        settings["minutes"] = options.minutes
    words = ["train", "dqn", net.game, *(["--preset", net.preset] if net.preset else [])]
    for key, value in settings.items():
        words += ["--set", f"{key}={json.dumps(value)}"]
    return [*words, "--seed", str(net.seed), "--out", str(options.out / name), "--json"]


def train(options: argparse.Namespace) -> None:
    """Start every training that waits for nothing; then those that waited."""
    options.out.mkdir(parents=True, exist_ok=True)
    waiting = {name: net for name, net in NETS.items() if not options.only or name in options.only}
    running: dict[str, subprocess.Popen[bytes]] = {}
    began = perf_counter()
    while waiting or running:
        for name, net in list(waiting.items()):
            if net.after in waiting or net.after in running:
                continue
            log = (options.out / f"{name}.log").open("wb")
            words = [sys.executable, "-m", "fogbound", *command(name, net, options)]
            running[name] = subprocess.Popen(words, stdout=log, stderr=subprocess.STDOUT, env=environment())
            del waiting[name]
        for name, process in list(running.items()):
            if process.poll() is not None:
                (options.out / name / "checkpoint.safetensors").unlink(missing_ok=True)
                if options.copy:
                    shutil.copytree(options.out / name, options.copy / name, dirs_exist_ok=True)
                    shutil.copy(options.out / f"{name}.log", options.copy)
                print(f"{perf_counter() - began:.0f} s: {name} ended with {process.returncode}", flush=True)
                del running[name]
        sleep(0.2)


def environment() -> dict[str, str]:
    """A net this small learns fastest on one thread; there are enough other nets."""
    return {**os.environ, "OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


def field_of(net: Net) -> dict[str, float]:
    """Whom a net is measured against, and the share of the games that this may take."""
    share = {"random": 10.0, "heuristic": 10.0, ALPHABETA: 2.0, SEARCH: 1.0}
    return share if net.game == GRID else {"random": 10.0, "heuristic": 10.0, SEARCH: 1.0}


def measure(options: argparse.Namespace) -> None:
    """The rate of every net against its field, and where it was trained for less."""
    for name, net in NETS.items():
        file = options.nets / name / "best.safetensors"
        if not file.exists() or (options.only and name not in options.only):
            continue
        rows = [rate(net, net.game, file, name, other, int(options.games * share)) for other, share in field_of(net).items()]
        if name.startswith("grid"):
            shorter = [(f"{GRID}:rounds={n}", other) for n in (6, 9) for other in options.shorter]
            rows += [rate(net, game, file, name, other, options.games) for game, other in shorter]
        (options.nets / name / "figures.json").write_text(json.dumps(rows, indent=1))
        if options.copy:
            shutil.copy(options.nets / name / "figures.json", options.copy / name)


def rate(net: Net, game: str, file: Path, name: str, other: str, games: int) -> dict[str, Any]:
    side, began = net.side(), perf_counter()
    seats = [f"net:weights={file}", other] if side == 0 else [other, f"net:weights={file}"]
    points = sum(result.scores[side] for result in play_set(fb.game(game), seats, games, seed=1, workers=WORKERS))
    low, high = wilson(points, games)
    agents = [seat.replace(str(file), name) for seat in seats]
    row = {"game": game, "agents": agents, "side": side, "games": games, "rate": points / games, "low": low, "high": high}
    print(json.dumps({**row, "seconds": round(perf_counter() - began, 1)}), flush=True)
    return row


def ship(options: argparse.Namespace) -> None:
    """Copy the measured nets to where they are found by name, each with its card."""
    for name, net in NETS.items():
        home = options.nets / name
        if not (home / "figures.json").exists():
            continue
        folder = nets.THESES if nets.is_reproduced(name) else nets.PACKAGED
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(home / "best.safetensors", folder / f"{name}.safetensors")
        made = json.loads((home / "best.json").read_text())
        bare = argparse.Namespace(out=Path("nets"), scale=1, minutes=0, brief=False)
        words = [word for word in command(name, net, bare) if word != "--json"]
        card = {
            "command": f"fogbound {shlex.join(words)}",
            "seed": net.seed,
            "data": f"{made['done']:,} games against {', '.join(made['options']['opponents'])}",
            "options": made["options"],
            "made": made["made"],
            "figures": json.loads((home / "figures.json").read_text()),
        }
        (folder / f"{name}.json").write_text(json.dumps(card, indent=1) + "\n", encoding="utf-8")
        print(name)


def speed(options: argparse.Namespace) -> None:
    """Moves and batches a second of both sides, by opponent and net."""
    from fogbound.train import methods

    for side, opponents in [(side, [one]) for side in ("detectives", "mr-x") for one in ("random", ALPHABETA, SEARCH)]:
        for kind, hidden in (("dense", [384, 192]), ("graph", [48] * 4)):
            settings = {
                "side": side,
                "net": kind,
                "hidden": hidden,
                "opponents": opponents,
                "device": options.device,
                "threads": options.threads,
            }
            made: Any = methods.learner(
                "dqn", GRID, methods.options("dqn", **settings, matches=options.matches, batch=1024, replay=100_000)
            )
            for _ in range(30):
                made._play()
            began = perf_counter()
            for _ in range(20):
                made._play()
            moves = 20 * options.matches / (perf_counter() - began)
            made._batch(10)
            began = perf_counter()
            losses = [made._batch(10) for _ in range(50)]
            float(losses[-1])
            batches = 50 / (perf_counter() - began)
            row = {"side": side, "opponent": opponents[0], "net": kind, "device": options.device, "threads": options.threads}
            print(
                json.dumps({**row, "moves a second": round(moves), "batches of 1024 a second": round(batches, 1)}),
                flush=True,
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("work", choices=["train", "measure", "ship", "speed"])
    parser.add_argument("--out", type=Path, default=Path("nets"))
    parser.add_argument("--nets", type=Path, default=Path("nets"))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--minutes", type=float, default=0.0)
    parser.add_argument("--brief", action="store_true", help="one short trial, at the end")
    parser.add_argument("--copy", type=Path, help="where to copy what is finished")
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--shorter", nargs="*", default=[ALPHABETA], help="whom to play over 6 and 9 rounds as well")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--matches", type=int, default=1024)
    options = parser.parse_args()
    {"train": train, "measure": measure, "ship": ship, "speed": speed}[options.work](options)


if __name__ == "__main__":
    main()
