"""Trains every supervised net of docs/results/learning-supervised.md, several at once, and measures it.

    python benchmarks/supervised_nets.py FOLDER [--processes 8] [--epochs 10] [--only NAME ...]
    python benchmarks/supervised_nets.py FOLDER --plot FILE.png
    python benchmarks/supervised_nets.py --compare [--games 100]     shipped nets and the heuristic, same starts

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
    from fogbound.core.runner import all_starts
    from fogbound.train.scotland_yard.supervised import Supervised, SupervisedOptions

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
        label = " against ".join("net" if agent == net else agent for agent in agents)
        wins[label] = float(_scores(game, agents, len(starts), 1, starts, workers=1).sum())
    about = {"options": given, "seconds": seconds, "device": str(learner.device), "games": len(starts), "mr x wins": wins}
    file.with_suffix(".json").write_text(
        json.dumps({"name": name, **about, "last": figures, "curve": curve[:: len(curve) // 50 + 1]})
    )
    print(name, f"{seconds:.1f} s", {key: round(value, 3) for key, value in figures.items()}, wins, flush=True)


def plot(home: Path, file: str) -> None:
    """Wins of each side by inputs and layers beside those of the heuristic (the line), as in Husa's figures 6.6 to 6.9."""
    from matplotlib.figure import Figure

    import fogbound as fb
    from fogbound.core.runner import all_starts

    figure = Figure(figsize=(10, 5.5), layout="constrained")
    grid = figure.subplots(2, 2)
    for row, board in enumerate(BOARDS):
        game = fb.game(f"scotland-yard/{board}:stuck_detectives=pass")
        starts = all_starts(game)
        reference = 100 * float(_scores(game, ["heuristic"], len(starts), 1, starts).mean())
        for column, (side, label) in enumerate((("Mr X", "net against heuristic"), ("detectives", "heuristic against net"))):
            axes = grid[row][column]
            for place, coding in enumerate(CODINGS):
                cards = [json.loads((home / f"husa-{coding}-{n}-{board}.json").read_text()) for n in LAYERS]
                rates = [100 * card["mr x wins"][label] / card["games"] for card in cards]
                wins = rates if column == 0 else [100 - rate for rate in rates]
                axes.bar([n + 0.26 * (place - 1) for n in LAYERS], wins, 0.24, label=coding)
            axes.axhline(reference if column == 0 else 100 - reference, color="green", lw=1, label="heuristic")
            axes.set(title=f"{board}: {side}", ylabel="% won", xticks=LAYERS, xlabel="hidden layers")
    grid[0][0].legend(fontsize=8, loc="lower right")
    figure.savefig(file, dpi=80)


PLAYERS = ("heuristic", "net:weights=husa", "net:weights=pursuit")
SEARCH = "mcts:worlds=one,iterations=500,c=1.4"


def compare(games: int) -> None:
    """Mr X's wins with one side changed, over the same starts: all of them, or some against tree search."""
    import fogbound as fb
    from fogbound.core.runner import all_starts

    for board in BOARDS:
        game = fb.game(f"scotland-yard/{board}:stuck_detectives=pass")
        starts = all_starts(game)
        for other in ("heuristic", "random", "net:weights=husa", "net:weights=pursuit"):
            _tell(board, f"Mr X against {other}", [_scores(game, [own, other], len(starts), 1, starts) for own in PLAYERS])
            _tell(
                board,
                f"detectives against {other}",
                [_scores(game, [other, own], len(starts), 1, starts) for own in PLAYERS],
            )
        _tell(board, "Mr X against MCTS", [_scores(game, [own, SEARCH], games, 3) for own in PLAYERS])
        _tell(board, "detectives against MCTS", [_scores(game, [SEARCH, own], games, 3) for own in PLAYERS])


def _scores(game: Any, agents: list[str], games: int, seed: int, starts: Any = (), workers: int | None = None) -> Any:
    """Mr X's score in each game."""
    import numpy as np

    from fogbound.core.runner import play_set

    scores = np.zeros(games)
    for result in play_set(game, agents, games, seed=seed, workers=workers, starts=starts):
        scores[result.number] = result.scores[0]
    return scores


def _tell(board: str, label: str, found: list[Any]) -> None:
    rates = ", ".join(f"{own} {100 * each.mean():.1f}" for own, each in zip(PLAYERS, found, strict=True))
    parts = []
    for own, each in zip(PLAYERS[:2], found[:2], strict=True):
        gain = 100 * (found[2] - each)
        spread = 1.96 * gain.std(ddof=1) / len(gain) ** 0.5
        parts.append(f"pursuit - {own} {gain.mean():+.1f} ({gain.mean() - spread:.1f} to {gain.mean() + spread:.1f})")
    print(f"{board}, {label} ({len(found[0])} games, Mr X's wins in %): {rates}; {'; '.join(parts)}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default="nets")
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--processes", type=int, default=8)
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--plot")
    given = parser.parse_args()
    if given.compare:
        compare(given.games)
        return
    if given.plot:
        plot(Path(given.folder), given.plot)
        return
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
