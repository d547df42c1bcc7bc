"""What the lab costs and what it survives.

python -m benchmarks.lab speed     the lab's games/s beside the bare kernels', on one core and on two
python -m benchmarks.lab kill      20 kills in a tournament of 5,000 games: the same table as without
python -m benchmarks.lab ray       two Ray nodes, one of them killed in the middle: the same table
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np

from fogbound.core import registry
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.executor import Local
from fogbound.core.job import split_moves
from fogbound.core.runner import seat_agents
from fogbound.lab.executors import Ray
from fogbound.lab.store import Store
from fogbound.lab.tournament import load

LONDON = "scotland-yard/london"


def kernels(games: int) -> tuple[float, float]:
    """Games a second of the bare kernels on one core, without lab or records: by the clock, and by processor time."""
    game = registry.game(LONDON)
    agents = [agent for agent in seat_agents(game, ["random"]) if isinstance(agent, PolicyAgent)]
    play_batch(game, agents, 0, 0, 10)
    began, spent = perf_counter(), process_time()
    for first in range(0, games, 4096):
        play_batch(game, agents, 1, first, 4096)
    played = -(-games // 4096) * 4096
    return played / (perf_counter() - began), played / (process_time() - spent)


def lab(games: int, cores: int, folder: str) -> tuple[float, float]:
    """Games a second of the lab, every game's moves written to a results file."""
    file = Path(folder) / f"{cores}-{time.time_ns()}.sqlite"
    made = load({"boards": [LONDON], "agents": ["random"], "self_play": True, "games": games})
    store = made.store(file, resume=False)
    began, spent = perf_counter(), process_time()
    made.play(store, Local(cores))
    speeds = made.total / (perf_counter() - began), made.total / (process_time() - spent)
    store.close()
    file.unlink()
    return speeds


def speed(repeats: int, games: int, cores: int) -> dict[str, Any]:
    """Kernels and lab in turn, so that other work on the machine hits both; medians, and every ratio."""
    found: dict[str, list[tuple[float, float]]] = {"kernels": [], "lab": [], f"lab on {cores} cores": []}
    with tempfile.TemporaryDirectory() as folder:
        lab(2000, 1, folder)  # compiled or loaded once, before anything is timed
        for _ in range(repeats):
            found["kernels"].append(kernels(games))
            found["lab"].append(lab(games, 1, folder))
            found[f"lab on {cores} cores"].append(lab(games * cores, cores, folder))
    bare, one, many = (np.array(values) for values in found.values())
    return {
        "games/s, median": {name: round(float(np.median(values, axis=0)[0])) for name, values in found.items()},
        "lab to kernels, by the clock": (one / bare)[:, 0].round(3).tolist(),
        "lab to kernels, by processor time": (one / bare)[:, 1].round(3).tolist(),
        f"{cores} cores to one, by the clock": (many / one)[:, 0].round(3).tolist(),
        "load of the machine": os.getloadavg()[0],
    }


CUP = """
name = "kill test"
boards = ["scotland-yard/london"]
agents = {{ a = "random", b = "random:" }}
games = {games}
seed = 5
"""


def run(folder: Path, out: str, *options: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "fogbound", "tournament", str(folder / "cup.toml"), "--out", str(folder / out)]
    command += ["--resume", "--no-report", "--chunk", "8", *options]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def there(file: Path) -> int:
    """How many games a results file has now."""
    try:
        with sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=1) as connection:
            return int(connection.execute("SELECT coalesce(sum(count), 0) FROM portions").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


def table(file: Path) -> dict[tuple[int, int], tuple[Any, ...]]:
    """Every game of a results file: scores, length and moves by seating and number. A game kept twice is an error."""
    store = Store.open(file)
    games: dict[tuple[int, int], tuple[Any, ...]] = {}
    rows = store.connection.execute("SELECT seating, first, count, scores, lengths, packing, moves FROM portions")
    for seating, first, count, scores, lengths, packing, moves in rows:
        each = np.frombuffer(lengths, "<u4")
        codes = split_moves(packing, moves, each)
        results = np.frombuffer(scores, "<f8").reshape(count, -1)
        for i in range(count):
            assert (seating, first + i) not in games, "a game was played twice"
            games[seating, first + i] = (tuple(results[i]), int(each[i]), codes[i].tobytes())
    store.close()
    return games


def kill_test(games: int, kills: int, seed: int = 0) -> dict[str, Any]:
    """Kill a tournament at random moments, go on each time, and compare with one that was left alone."""
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "cup.toml").write_text(CUP.format(games=games), encoding="utf-8")
        assert run(folder, "calm").wait() == 0
        file = folder / "killed" / "results.sqlite"
        killed_at = [_kill_once(run(folder, "killed"), file, target, rng) for target in _targets(games, kills, rng)]
        last = run(folder, "killed")
        _, errors = last.communicate()
        assert last.returncode == 0, errors.decode()
        calm, disturbed = table(folder / "calm" / "results.sqlite"), table(file)
    return {"games": len(disturbed), "kills": len(killed_at), "killed at": killed_at, "same": calm == disturbed}


def _targets(games: int, kills: int, rng: random.Random) -> list[int]:
    """After how many games to kill; some of the kills come while the program is still starting."""
    return sorted(rng.choice([0, rng.randrange(games)]) if i % 4 == 0 else rng.randrange(games) for i in range(kills))


def _kill_once(process: subprocess.Popen[bytes], file: Path, target: int, rng: random.Random) -> int:
    if target == 0:
        time.sleep(rng.uniform(0.0, 2.0))
    while process.poll() is None and there(file) < target:
        time.sleep(0.002)
    time.sleep(rng.uniform(0.0, 0.02))
    process.send_signal(signal.SIGKILL)
    process.communicate()
    return there(file)


@contextmanager
def two_nodes() -> Iterator[Callable[[], None]]:
    """A Ray cluster of two nodes that this process has joined, and how to kill one of them."""
    import ray
    from ray.cluster_utils import Cluster

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        yield lambda: cluster.remove_node(second, allow_graceful=False)
    finally:
        ray.shutdown()
        cluster.shutdown()


def ray_test(games: int, kill: Callable[[], None]) -> dict[str, Any]:
    """The same tournament here and on two Ray nodes, of which one is killed in the middle."""
    import ray

    cup = {"boards": ["scotland-yard/plan1"], "agents": ["random", "heuristic"], "games": games, "seed": 3}
    made = load(cup)
    killed: list[int] = []

    def watch(there: int, total: int) -> None:
        if there > total / 4 and not killed:
            killed.append(there)
            kill()

    with tempfile.TemporaryDirectory() as folder:
        alone = made.store(Path(folder) / "local.sqlite", resume=False)
        made.play(alone, Local(1))
        nodes = sum(node["Alive"] for node in ray.nodes())
        shared = made.store(Path(folder) / "ray.sqlite", resume=False)
        made.play(shared, Ray(), watch, most=8)
        left = _alive_after_a_death(ray)
        same = table(Path(folder) / "local.sqlite") == table(Path(folder) / "ray.sqlite")
    return {"games": made.total, "nodes": nodes, "nodes at the end": left, "killed after": killed, "same": same}


def _alive_after_a_death(ray: Any) -> int:
    """How many nodes are left, once the cluster has noticed that one is gone."""
    end = perf_counter() + 60
    while all(node["Alive"] for node in ray.nodes()) and perf_counter() < end:
        time.sleep(0.2)
    return sum(node["Alive"] for node in ray.nodes())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["speed", "kill", "ray"])
    parser.add_argument("--games", type=int, help="games of the tournament")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--cores", type=int, default=2)
    given = parser.parse_args()
    if given.what == "speed":
        found = speed(given.repeats, given.games or 200_000, given.cores)
    elif given.what == "kill":
        found = kill_test(given.games or 5000, given.kills)
    else:
        with two_nodes() as kill:
            found = ray_test(given.games or 400, kill)
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
