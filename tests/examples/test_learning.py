"""The learning examples and the notebook run: a moment of each."""

from __future__ import annotations

import ast
import json
import os
import runpy
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from fogbound.core.compiled import cache_folder

ROOT = Path(__file__).parent.parent.parent
LEARNING = ROOT / "examples" / "learning"


def example(name: str) -> dict[str, Any]:
    return runpy.run_path(str(LEARNING / f"{name}.py"), run_name=name)


def test_one_file_of_ppo_learns_on_the_vector_environment() -> None:
    ppo = example("ppo")
    sys.modules.setdefault("ppo", ModuleType("ppo"))  # where its dataclass looks for its annotations
    shares = ppo["learn"](ppo["Settings"](rows=64, steps=16, updates=12, epochs=2, opponents="random"))
    assert sum(shares[-4:]) > sum(shares[1:5])  # it catches Mr X more often than before


def test_maskable_ppo_trains_on_the_gymnasium_environment() -> None:
    share = example("maskable_ppo")["main"]("scotland-yard/grid5", 128, 2)
    assert 0 <= share <= 1


def test_q_learners_train_on_the_pettingzoo_environment() -> None:
    rewards = example("pettingzoo_q")["learn"]("scotland-yard/grid3:detectives=1,show_start=true,rounds=4", 200)
    assert set(rewards) == {"mr_x", "detective_1"}
    assert abs(sum(rewards.values())) < 1e-6


def test_ppo_of_rllib_trains_on_the_pettingzoo_environment(tmp_path: Path) -> None:
    """In a process and a home of its own: Ray and RLlib leave files and settings behind."""
    words = ["--game", "scotland-yard/grid3:detectives=1,show_start=true,rounds=4", "--iterations", "1", "--batch", "64"]
    command = [sys.executable, str(LEARNING / "rllib_ppo.py"), *words]
    env = {**os.environ, "HOME": str(tmp_path), "FOGBOUND_CACHE": str(cache_folder())}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    returns = ast.literal_eval(done.stdout.splitlines()[-1])
    assert set(returns) == {"mr_x", "detective_1"}
    assert abs(sum(returns.values())) < 1e-6


def test_the_notebook_runs() -> None:
    notebook = json.loads((ROOT / "examples" / "notebooks" / "games-as-tables.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), names)
    assert set(names["games"]["winner"]) == {"Mr X", "Detectives"}
