"""Learning curves of the Q-table's versions, for docs/results/learning-qtable.md.

    python benchmarks/qtable_curves.py FOLDER [--games 100000] [--seeds 5] [--trial 2000]
    python benchmarks/qtable_curves.py FOLDER --plot FILE.png

Writes FOLDER/curves-GAMES.json: for each version, seed and trial the games so far, seconds, and greedy wins.
`--plot` draws what was written: the curve of 100,000 games, and where runs of each length end.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard import alphabeta_lines
from fogbound.agents.scotland_yard.alphabeta import AlphaBeta
from fogbound.core import registry
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.compiled import Kernel
from fogbound.train.scotland_yard.qtable import QTable, QTableOptions

GAME = "scotland-yard/grid5-2020"
TRIALS = 20


class CachedMrX(PolicyAgent):
    """The alpha-beta Mr X with cached moves: the same ones, a thousand times faster."""

    name = "cached"
    about = "alpha-beta's Mr X with cached moves"

    def compiled(self) -> Kernel:
        return alphabeta_lines.policy

    def params(self) -> alphabeta_lines.MrXMoves:
        searcher: Any = registry.agent("alphabeta:evaluation=v4", self.game)
        assert isinstance(searcher, AlphaBeta)
        game: Any = self.game
        return alphabeta_lines.mr_x_moves(game, searcher)


def wins(game: Any, mr_x: PolicyAgent, file: Path, games: int) -> float:
    detectives: Any = registry.agent(f"qtable:weights={file}", game)
    return float(play_batch(game, [mr_x, detectives], 7, 0, games).scores[:, 1].mean())


NAMES = {
    "tulusak": "as published",
    "symmetry": "symmetries folded",
    "shared": "one shared table",
    "reveal": "reward at reveals",
    "all": "all three",
    "robust": "all three, Mr X slips",
}


def plot(home: Path, file: str) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    curve, ends = figure.subplots(1, 2, sharey=True)
    runs = {path.stem: json.loads(path.read_text()) for path in sorted(home.glob("curves-*.json"))}
    rows = [row for run in runs.values() for row in run if row["games"] == max(each["games"] for each in run)]
    for version, name in NAMES.items():
        own = [row for row in runs["curves-100000"] if row["version"] == version]
        games = sorted({row["games"] for row in own})
        each = np.array([[100 * r["alphabeta"] for r in own if r["games"] == count] for count in games])
        curve.plot(games, each.mean(1), label=name)
        curve.fill_between(games, each.min(1), each.max(1), alpha=0.15)
        last = [row for row in rows if row["version"] == version]
        lengths = sorted({row["games"] for row in last})
        means = [np.mean([100 * r["alphabeta"] for r in last if r["games"] == length]) for length in lengths]
        ends.semilogx(lengths, means, "o-", label=name)
    curve.set(xlabel="games", ylabel="% caught, alpha-beta Mr X (v4)", title="a run of 100,000 games", ylim=(0, 101))
    ends.set(xlabel="games of the whole run", title="where runs of each length end")
    for axes in (curve, ends):
        axes.axhline(99.3, color="grey", lw=0.8, ls=":")
        axes.grid(alpha=0.3)
    ends.legend(loc="lower right", fontsize=8)
    figure.savefig(file, dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trial", type=int, default=2000)
    parser.add_argument("--plot")
    given = parser.parse_args()
    home = Path(given.folder)
    if given.plot:
        plot(home, given.plot)
        return
    home.mkdir(parents=True, exist_ok=True)
    game = fb.game(GAME)
    rng = np.ones(4, np.uint64)
    field = {"alphabeta": CachedMrX(game, Options(), rng, rng)}
    field |= {name: registry.agent(name, game) for name in ("random", "heuristic")}
    rows: list[dict[str, Any]] = []
    for version, preset in QTable.presets.items():
        for seed in range(1, given.seeds + 1):
            piece = given.games // (5 * TRIALS)
            learner = QTable(game, QTableOptions(**{**preset, "games": given.games, "seed": seed, "piece": piece}))
            seconds = 0.0
            while learner.done < learner.total:
                began = time.perf_counter()
                figures = learner.advance()
                seconds += time.perf_counter() - began
                if learner.done * TRIALS % given.games:
                    continue
                file = home / f"{version}-{seed}.safetensors"
                nets.save(file, *learner.weights())
                greedy = {name: wins(game, mr_x, file, given.trial) for name, mr_x in field.items()}
                rows.append(
                    {"version": version, "seed": seed, "games": learner.done, "seconds": seconds, **greedy, **figures}
                )
            print(version, seed, rows[-1], flush=True)
    (home / f"curves-{given.games}.json").write_text(json.dumps(rows))


if __name__ == "__main__":
    main()
