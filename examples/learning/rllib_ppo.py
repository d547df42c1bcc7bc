"""PPO of RLlib on the PettingZoo environment: all seats learn, each side a policy of its own, moves masked.

pip install 'fogbound[rllib]'
python examples/learning/rllib_ppo.py --iterations 20
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from fogbound.interop import pettingzoo as fogbound_pettingzoo


class Masked(PettingZooEnv):
    """RLlib's masking module looks for `observations` where PettingZoo's games say `observation`."""

    def __init__(self, env: Any) -> None:
        super().__init__(env)
        for agent, space in self.observation_spaces.items():
            mask = gymnasium.spaces.Box(0, 1, space["action_mask"].shape)
            told = {"observations": space["observation"], "action_mask": mask}
            self.observation_spaces[agent] = gymnasium.spaces.Dict(told)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[dict[str, Any], dict[str, Any]]:
        seen, info = super().reset(seed=seed, options=options)
        return self._named(seen), info

    def step(self, action: dict[str, Any]) -> tuple[Any, ...]:
        seen, *rest = super().step(action)
        return self._named(seen), *rest

    def _named(self, seen: dict[str, Any]) -> dict[str, Any]:
        return {
            agent: {"observations": each["observation"], "action_mask": each["action_mask"].astype("float32")}
            for agent, each in seen.items()
        }


def learn(game: str = "scotland-yard/grid5", iterations: int = 20, batch: int = 2000) -> list[dict[str, float]]:
    """Train; the mean return of each agent after every iteration."""
    register_env("fogbound", lambda _: Masked(fogbound_pettingzoo.raw_env(game)))
    played = fogbound_pettingzoo.raw_env(game)
    sides = dict(zip(played.possible_agents, played.game.side_of, strict=True))
    policies = {f"side {side}" for side in sides.values()}
    module = RLModuleSpec(module_class=ActionMaskingTorchRLModule, model_config={"head_fcnet_hiddens": [64, 64]})
    config = (
        PPOConfig()
        .environment("fogbound", disable_env_checking=True)  # the check plays illegal moves
        .env_runners(num_env_runners=0)
        .multi_agent(policies=policies, policy_mapping_fn=lambda agent, *_, **__: f"side {sides[agent]}")
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=dict.fromkeys(policies, module)))
        .training(train_batch_size=batch, minibatch_size=min(batch, 256), num_epochs=4)
    )
    # All is played and learnt in this process.
    ray.init(num_cpus=1, include_dashboard=False, ignore_reinit_error=True, log_to_driver=False)
    algorithm, told = config.build_algo(), []
    for _ in range(iterations):
        returns = algorithm.train()["env_runners"]["agent_episode_returns_mean"]
        told.append({agent: float(mean) for agent, mean in returns.items()})
        print(told[-1], flush=True)
    algorithm.stop()
    ray.shutdown()
    return told


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--game", default="scotland-yard/grid5")
    parser.add_argument("--iterations", type=int, default=20)
    parser.add_argument("--batch", type=int, default=2000, help="moves in an iteration")
    learn(**vars(parser.parse_args()))
