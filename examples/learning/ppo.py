"""PPO in one file, in the manner of CleanRL, on the vector environment: detectives who learn to catch Mr X.

python examples/learning/ppo.py --seconds 60
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from fogbound.interop import gymnasium as fogbound_gymnasium


@dataclass
class Settings:
    game: str = "scotland-yard/grid5"
    """what is played"""
    seat: str = "detectives"
    """what the learner plays: a seat, or a side"""
    opponents: str = "heuristic"
    """whom it plays against"""
    rows: int = 256
    """matches side by side"""
    steps: int = 16
    """steps of each row between two updates"""
    updates: int = 1_000_000
    """updates at the most"""
    seconds: float = 60.0
    """seconds at the most"""
    rate: float = 1e-3
    """the learning rate"""
    discount: float = 0.99
    """how much less a reward is worth a step later"""
    smoothing: float = 0.95
    """lambda of generalised advantage estimation"""
    clip: float = 0.2
    """how far the policy may move in an update"""
    entropy: float = 0.01
    """what it is worth to stay undecided"""
    epochs: int = 2
    """how often each step is learned from"""
    seed: int = 1
    """of everything"""


class Net(nn.Module):
    """Two hidden layers, then a logit a move and the value."""

    def __init__(self, inputs: int, actions: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(inputs, 128), nn.Tanh(), nn.Linear(128, 128), nn.Tanh())
        self.policy, self.value = nn.Linear(128, actions), nn.Linear(128, 1)

    def forward(self, seen: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        hidden = self.body(seen)
        logits = self.policy(hidden).masked_fill(~mask, -1e9)
        return Categorical(logits=logits), self.value(hidden).squeeze(-1)


def learn(settings: Settings) -> list[float]:
    """Train; the share of matches won in each update."""
    torch.manual_seed(settings.seed)
    env = fogbound_gymnasium.make_vec(settings.game, settings.rows, settings.seat, settings.opponents)
    net = Net(env.game.observation_size, env.game.action_size)
    optimizer = torch.optim.Adam(net.parameters(), settings.rate)
    seen, info = env.reset(seed=settings.seed)
    shape = (settings.steps, settings.rows)
    all_seen = torch.zeros(*shape, env.game.observation_size)
    all_masks = torch.zeros(*shape, env.game.action_size, dtype=torch.bool)
    actions, logs, values, rewards, ends = (torch.zeros(shape) for _ in range(5))
    began, shares = perf_counter(), []
    for update in range(settings.updates):
        won = played = 0
        for step in range(settings.steps):
            all_seen[step], all_masks[step] = torch.from_numpy(seen), torch.from_numpy(info["action_mask"])
            with torch.no_grad():
                chances, values[step] = net(all_seen[step], all_masks[step])
            action = chances.sample()
            actions[step], logs[step] = action, chances.log_prob(action)
            seen, gained, over, _, info = env.step(action.numpy())
            rewards[step], ends[step] = torch.from_numpy(gained.copy()), torch.from_numpy(over.astype(np.float32))
            won, played = won + int((gained[over] > 0).sum()), played + int(over.sum())
        with torch.no_grad():
            last = net(torch.from_numpy(seen), torch.from_numpy(info["action_mask"]))[1]
        advantages = torch.zeros(shape)
        carried = torch.zeros(settings.rows)
        for step in reversed(range(settings.steps)):
            following = last if step == settings.steps - 1 else values[step + 1]
            surprise = rewards[step] + settings.discount * following * (1 - ends[step]) - values[step]
            carried = surprise + settings.discount * settings.smoothing * (1 - ends[step]) * carried
            advantages[step] = carried
        returns = advantages + values
        scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        for _ in range(settings.epochs):
            for rows in torch.randperm(settings.steps * settings.rows).chunk(4):
                chances, value = net(all_seen.flatten(0, 1)[rows], all_masks.flatten(0, 1)[rows])
                ratio = (chances.log_prob(actions.flatten()[rows]) - logs.flatten()[rows]).exp()
                better = scaled.flatten()[rows]
                clipped = ratio.clamp(1 - settings.clip, 1 + settings.clip)
                policy_loss = -torch.min(ratio * better, clipped * better).mean()
                value_loss = (value - returns.flatten()[rows]).square().mean()
                loss = policy_loss + 0.5 * value_loss - settings.entropy * chances.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
        shares.append(won / max(1, played))
        spent = perf_counter() - began
        if update % 10 == 0:
            done = (update + 1) * settings.steps * settings.rows
            print(f"{spent:6.1f} s  {done:>9,} steps  {done / spent:>8,.0f} steps/s  wins {shares[-1]:.3f}", flush=True)
        if spent > settings.seconds:
            break
    env.close()
    return shares


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    for name, value in vars(Settings()).items():
        parser.add_argument(f"--{name}", type=type(value), default=value)
    learn(Settings(**vars(parser.parse_args())))
