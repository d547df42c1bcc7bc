"""How fast games go through each door, beside the kernels and beside the peers' own games, in one run.

python benchmarks/doors.py [--seconds 2] [--rows 1,64,4096,65536] [--games SPEC ...] [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
import pyspiel

import fogbound as fb
from fogbound.core.agent import PolicyAgent
from fogbound.core.batch import play_batch
from fogbound.core.compiled import program
from fogbound.core.runner import seat_agents
from fogbound.interop import gymnasium, open_spiel, pettingzoo

GAMES = ("scotland-yard/grid5", "scotland-yard/london", "empire/seed", "risk/classic:round_limit=8")
UNIFORM = "fogbound.agents.random.Random"
ISMCTS_ITERATIONS = 200


@program
def pick(mask, state, out):
    """A random legal move of every row."""
    for row in range(mask.shape[0]):
        count = 0
        for action in range(mask.shape[1]):
            if mask[row, action]:
                count += 1
                state[0] = state[0] * np.uint64(6364136223846793005) + np.uint64(1442695040888963407)
                if (state[0] >> np.uint64(33)) % np.uint64(count) == 0:
                    out[row] = action


def measured(step: Callable[[], int], seconds: float) -> float:
    """Steps a second; the first call, which may compile, is not counted."""
    step()
    began, done = perf_counter(), 0
    while perf_counter() - began < seconds:
        done += step()
    return done / (perf_counter() - began)


def kernels(spec: str) -> Callable[[], int]:
    game = fb.game(spec)
    agents = [agent for agent in seat_agents(game, [UNIFORM]) if isinstance(agent, PolicyAgent)]
    first = iter(range(0, 10**12, 200))
    return lambda: int(play_batch(game, agents, 1, next(first), 200).moves.sum())


def environment(spec: str, rows: int, threads: int) -> Callable[[], int]:
    env = fb.env(spec, n=rows, threads=threads)
    told = env.reset(seed=1)
    state, moves = np.ones(1, np.uint64), np.zeros(rows, np.int64)

    def step() -> int:
        pick(told.mask, state, moves)
        env.advance(moves)
        return rows

    return step


def single(spec: str) -> Callable[[], int]:
    env = gymnasium.env(spec, opponents=UNIFORM)
    _, info = env.reset(seed=1)
    held = [info]

    def step() -> int:
        *_, over, _, held[0] = env.step(random.choice(np.flatnonzero(held[0]["action_mask"])))
        if over:
            held[0] = env.reset()[1]
        return 1

    return step


def agent_by_agent(env: Any) -> Callable[[], int]:
    """Any PettingZoo environment."""
    env.reset(seed=1)

    def step() -> int:
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.reset()
            return 0
        env.step(int(random.choice(np.flatnonzero(seen["action_mask"]))))
        return 1

    return step


def spiel(game: Any) -> Callable[[], int]:
    """Any OpenSpiel game."""
    held = [game.new_initial_state()]

    def step() -> int:
        state = held[0]
        if state.is_terminal():
            held[0] = game.new_initial_state()
            return 0
        state.apply_action(random.choice(state.legal_actions()))
        return 1

    return step


def searches(seconds: float) -> dict[str, float]:
    """Iterations a second of OpenSpiel's search in Python on our grid, and of ours."""
    from open_spiel.python.algorithms import ismcts, mcts

    game = open_spiel.game("scotland-yard/grid5")
    rng = np.random.RandomState(1)
    bot = ismcts.ISMCTSBot(game, mcts.RandomRolloutEvaluator(1, rng), 2.0, ISMCTS_ITERATIONS, random_state=rng)
    view = game.fogbound.new(seed=1).view(0)
    ours = fb.agent("mcts:iterations=20000,worlds=infoset", game.fogbound)
    return {
        "OpenSpiel's ISMCTS (Python) on scotland-yard/grid5": measured(
            lambda: [bot.step(game.state_of(view)), ISMCTS_ITERATIONS][1], seconds
        ),
        "mcts:worlds=infoset on scotland-yard/grid5": measured(lambda: [ours.choose(view), 20_000][1], seconds),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--rows", default="1,64,4096,65536")
    parser.add_argument("--games", nargs="+", default=GAMES)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    cores, lines = os.cpu_count() or 1, {}

    def tell(name: str, make: Callable[[], Callable[[], int]]) -> None:
        lines[name] = measured(make(), given.seconds)
        print(f"{name:<75} {lines[name]:>12,.0f} steps/s", flush=True)

    for spec in given.games:
        tell(f"{spec}: kernels, a batch of random games", partial(kernels, spec))
        for rows in map(int, given.rows.split(",")):
            if rows * fb.game(spec).action_size > 2**30:
                continue
            for threads in sorted({1, cores if rows > 1 else 1}):
                tell(f"{spec}: fb.env, {rows} rows, {threads} threads", partial(environment, spec, rows, threads))
        tell(f"{spec}: Gymnasium, one seat", partial(single, spec))
        tell(f"{spec}: PettingZoo, raw", partial(agent_by_agent, pettingzoo.raw_env(spec)))
        tell(f"{spec}: PettingZoo, wrapped", partial(agent_by_agent, pettingzoo.env(spec)))
        tell(f"{spec}: OpenSpiel", partial(spiel, open_spiel.game(spec)))
    for name in ("backgammon", "hearts", "leduc_poker"):
        tell(f"OpenSpiel's own {name}", partial(spiel, pyspiel.load_game(name)))
    try:
        from pettingzoo.classic import connect_four_v3

        tell("PettingZoo's own connect_four_v3, wrapped", partial(agent_by_agent, connect_four_v3.env()))
    except Exception as error:  # it needs pygame
        print(f"PettingZoo's own games are left out: {error}")
    for name, value in searches(given.seconds).items():
        lines[name] = value
        print(f"{name:<75} {value:>12,.0f} iterations/s", flush=True)
    if given.json:
        given.json.write_text(json.dumps(lines, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
