"""Trains every supervised net of docs/results/learning-supervised.md, several at once, and measures it.

    python benchmarks/supervised_nets.py FOLDER [--processes 8] [--epochs 10] [--only NAME ...]

Each net comes as NAME.safetensors with NAME.json beside it: its options, seconds and wins from all starts.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from pathlib import Path
from typing import Any

BOARDS = ("plan1", "square1")
CODINGS = ("short", "middle", "long")
LAYERS = (1, 2, 3, 4)


def jobs(epochs: int) -> dict[str, tuple[str, dict[str, Any]]]:
    """Each net's board and options."""
    found: dict[str, tuple[str, dict[str, Any]]] = {}
    for board in BOARDS:
        found[f"pursuit-{board}"] = (board, {"preset": "pursuit"})
    for layers in reversed(LAYERS):
        for coding in reversed(CODINGS):
            both = {"mr_x": coding, "detectives": coding, "mr_x_layers": layers, "detectives_layers": layers}
            for board in BOARDS:
                found[f"husa-{coding}-{layers}-{board}"] = (board, {**both, "epochs": epochs})
    for board in BOARDS:
        found[f"husa-{board}"] = (board, {"epochs": epochs})
    return found


def make(job: tuple[str, str, dict[str, Any], str]) -> None:
    """Train one net, save it and play it."""
    name, board, given, folder = job
    import torch

    import fogbound as fb
    from fogbound.agents import nets
    from fogbound.core.batch import play_batch
    from fogbound.core.runner import all_starts, seat_agents
    from fogbound.train.supervised import Supervised, SupervisedOptions

    torch.set_num_threads(1)
    game = fb.game(f"scotland-yard/{board}:stuck_detectives=pass")
    options = dict(given)
    preset = Supervised.presets[options.pop("preset", "husa")]
    learner = Supervised(game, SupervisedOptions(**{**preset, **options}))
    file = Path(folder) / f"{name}.safetensors"
    began, curve = time.perf_counter(), []
    while learner.done < learner.total:
        figures = dict(learner.advance())
        curve.append({"done": learner.done, **figures})
    seconds = time.perf_counter() - began
    nets.save(file, *learner.weights())
    net, starts, wins = f"net:weights={file}", all_starts(game), {}
    for agents in ([net, "heuristic"], ["heuristic", net], [net, "random"], ["random", net]):
        seated: Any = seat_agents(game, agents)
        result = play_batch(game, seated, 1, 0, len(starts), starts)
        label = " against ".join("net" if agent == net else agent for agent in agents)
        wins[label] = float(result.scores[:, 0].sum())
    about = {"options": given, "seconds": seconds, "device": str(learner.device), "games": len(starts), "mr x wins": wins}
    file.with_suffix(".json").write_text(
        json.dumps({"name": name, **about, "last": figures, "curve": curve[:: len(curve) // 50 + 1]})
    )
    print(name, f"{seconds:.1f} s", {key: round(value, 3) for key, value in figures.items()}, wins, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[])
    given = parser.parse_args()
    Path(given.folder).mkdir(parents=True, exist_ok=True)
    chosen = [
        (name, board, options, given.folder)
        for name, (board, options) in jobs(given.epochs).items()
        if not given.only or name in given.only
    ]
    with multiprocessing.get_context("spawn").Pool(given.processes, maxtasksperchild=4) as pool:
        for _ in pool.imap_unordered(make, chosen, chunksize=1):
            pass


if __name__ == "__main__":
    main()
