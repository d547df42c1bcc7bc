"""Independent Q-learners on the PettingZoo environment, one an agent: a table over what each of them sees.

python examples/learning/pettingzoo_q.py --matches 2000
"""

from __future__ import annotations

import argparse
from collections import defaultdict

import numpy as np

from fogbound.interop import pettingzoo as fogbound_pettingzoo


def learn(game: str, matches: int, seed: int = 1, rate: float = 0.2, explore: float = 0.1) -> dict[str, float]:
    """Train every agent against the others; the mean reward of each over the last half of the matches."""
    env, rng = fogbound_pettingzoo.raw_env(game), np.random.default_rng(seed)
    size = env.game.action_size
    tables: dict[str, defaultdict[bytes, np.ndarray]] = {
        agent: defaultdict(lambda: np.zeros(size, np.float32)) for agent in env.possible_agents
    }
    gained: dict[str, list[float]] = {agent: [] for agent in env.possible_agents}
    for match in range(matches):
        env.reset(seed=seed if match == 0 else None)
        last: dict[str, tuple[bytes, int]] = {}
        for agent in env.agent_iter():
            seen, reward, terminated, truncated, _ = env.last()
            key, legal = seen["observation"].tobytes(), np.flatnonzero(seen["action_mask"])
            over = terminated or truncated
            if agent in last:
                before, move = last[agent]
                aim = reward if over else reward + tables[agent][key][legal].max()
                tables[agent][before][move] += rate * (aim - tables[agent][before][move])
            if over:
                gained[agent].append(reward)
                env.step(None)
                continue
            values = tables[agent][key][legal]
            best = legal[rng.choice(np.flatnonzero(values == values.max()))]
            chosen = int(rng.choice(legal) if rng.random() < explore else best)
            last[agent] = (key, chosen)
            env.step(chosen)
    return {agent: float(np.mean(each[len(each) // 2 :])) for agent, each in gained.items()}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="scotland-yard/grid3:detectives=1,show_start=true,rounds=4")
    parser.add_argument("--matches", type=int, default=2000)
    for name, reward in learn(**vars(parser.parse_args())).items():
        print(f"{name:>12}  mean reward {reward:+.3f}")
