"""MaskablePPO of sb3-contrib on the Gymnasium environment: Mr X learns to flee from scripted detectives.

python examples/learning/maskable_ppo.py --steps 20000
"""

from __future__ import annotations

import argparse

from sb3_contrib import MaskablePPO

import fogbound as fb
from fogbound.interop import gymnasium as fogbound_gymnasium


def learn(game: str = "scotland-yard/grid5", steps: int = 20_000, batch: int = 512) -> MaskablePPO:
    """Train against the heuristic detectives."""
    env = fogbound_gymnasium.env(game, seat="mr x", opponents="heuristic")
    model = MaskablePPO("MlpPolicy", env, n_steps=batch, batch_size=batch // 4, seed=1, verbose=0)
    return model.learn(steps)


def as_agent(model: MaskablePPO) -> fb.core.agent.AgentLike:
    """What was learned, as an agent of Fogbound: a function from views to moves."""

    def learned(view: fb.View) -> int:
        action, _ = model.predict(view.array(), action_masks=view.mask(), deterministic=True)
        return view.move(int(action)).code

    return learned


def main(game: str, steps: int, games: int) -> float:
    """Train, and let it play: its share of the matches as Mr X."""
    learned = as_agent(learn(game, steps))
    table = fb.simulate(game, [learned, "heuristic"], games=games, seed=7, workers=1)
    return float(table["score Mr X"].mean())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="scotland-yard/grid5")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--games", type=int, default=200)
    print(f"Mr X escapes in {100 * main(**vars(parser.parse_args())):.1f}% of the matches")
