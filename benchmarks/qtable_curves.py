"""Learning curves of the Q-table's versions, for docs/results/learning-qtable.md.

    python benchmarks/qtable_curves.py FOLDER [--games 100000] [--seeds 5] [--trial 2000]

Writes FOLDER/curves-GAMES.json: for each version, seed and trial the games so far, seconds, and greedy wins.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

import fogbound as fb
from fogbound.agents import alphabeta_table, nets
from fogbound.agents.alphabeta import AlphaBeta
from fogbound.core import registry
from fogbound.core.agent import Options, PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.compiled import Kernel
from fogbound.train.qtable import QTable, QTableOptions

GAME = "scotland-yard/grid5-2020"
TRIALS = 20


class TabledMrX(PolicyAgent):
    """The alpha-beta Mr X, looked up: the same moves, a thousand times faster."""

    name = "tabled"
    about = "alpha-beta's Mr X as a table"

    def compiled(self) -> Kernel:
        return alphabeta_table.policy

    def params(self) -> alphabeta_table.Params:
        searcher: Any = registry.agent("alphabeta:evaluation=v4", self.game)
        assert isinstance(searcher, AlphaBeta)
        game: Any = self.game
        return alphabeta_table.mr_x_table(game, searcher)


def wins(game: Any, mr_x: PolicyAgent, file: Path, games: int) -> float:
    detectives: Any = registry.agent(f"qtable:weights={file}", game)
    return float(play_batch(game, [mr_x, detectives], 7, 0, games).scores[:, 1].mean())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--games", type=int, default=100_000)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--trial", type=int, default=2000)
    given = parser.parse_args()
    home = Path(given.folder)
    home.mkdir(parents=True, exist_ok=True)
    game = fb.game(GAME)
    words = np.ones(4, np.uint64)
    field = {"alphabeta": TabledMrX(game, Options(), words, words)}
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
