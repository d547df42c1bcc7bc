"""The PettingZoo door: its own checks, and what they miss: leaks, masks, chance outside the seed."""

from __future__ import annotations

import random
import warnings
from random import Random

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, seed_test

import fogbound as fb
from fogbound.interop import pettingzoo as door
from tests.contract.specs import GAMES
from tests.contract.test_hidden import some

by_game = pytest.mark.parametrize("spec", GAMES)


@by_game
def test_pettingzoos_own_checks_pass(spec: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it would like agents to be called player_0, and observations to be arrays
        api_test(door.env(spec), num_cycles=25)
        seed_test(lambda: door.env(spec), num_cycles=25)
        parallel_api_test(door.parallel_env(spec), num_cycles=25)


@by_game
def test_it_is_the_match_of_its_seed_move_by_move(spec: str) -> None:
    """In step with `Match`, whatever the global random generators do."""
    env, match, rng = door.raw_env(spec), fb.game(spec).new(seed=6), Random(6)
    env.reset(seed=6)
    for step in range(60):
        if match.over:
            break
        random.seed(step)
        np.random.seed(step)
        seat = match.to_move
        assert env.agent_selection == env.possible_agents[seat]
        for other, agent in enumerate(env.possible_agents):
            view, told = match.view(other), env.observe(agent)
            assert np.array_equal(told["observation"], view.array())
            assert np.array_equal(told["action_mask"], view.mask())
        number = rng.choice(list(match.view(seat).numbers()))
        match.play(match.view(seat).move(number))
        env.step(number)
    if match.over:
        assert all(env.terminations.values())
        assert [env.rewards[agent] for agent in env.possible_agents][:2] == fb.core.env.utilities(
            match.game, match.scores()
        )[:2]


@pytest.mark.parametrize("spec", ["scotland-yard/plan1", "empire/seed:players=4,bidding=true,tokens=true"])
def test_a_hidden_move_does_not_reach_the_others(spec: str) -> None:
    """Another move that looks the same to a seat leaves it with the same observation, mask, reward and info."""
    compared = 0
    match, rng = fb.game(spec).new(seed=8), Random(8)
    numbers: list[int] = []
    for _ in range(12):
        view = match.view(match.to_move)
        for seat in range(match.game.seats):
            looks: dict[int, list[int]] = {}
            for number, code in view.numbers().items():
                seen = match.game.rules.observe(match.game.table, match.state, code, seat)
                looks.setdefault(int(seen), []).append(number)
            for alike in (some(group, 3) for group in looks.values() if len(group) > 1 and seat != match.to_move):
                told = {_told(spec, [*numbers, number], seat) for number in alike}
                assert len(told) == 1
                compared += 1
        numbers.append(rng.choice(list(view.numbers())))
        match.play(view.move(numbers[-1]))
    assert compared


def _told(spec: str, numbers: list[int], seat: int) -> bytes:
    env = door.raw_env(spec)
    env.reset(seed=8)
    for number in numbers:
        env.step(number)
    agent = env.possible_agents[seat]
    told = env.observe(agent)
    rest = (env.rewards[agent], env.terminations[agent], env.infos[agent], env.agent_selection)
    return told["observation"].tobytes() + told["action_mask"].tobytes() + repr(rest).encode()


def test_an_illegal_move_is_refused_or_loses() -> None:
    raw, wrapped = door.raw_env("scotland-yard/grid5"), door.env("scotland-yard/grid5")
    raw.reset(seed=1)
    wrong = int(np.argmin(raw.observe("mr_x")["action_mask"]))
    with pytest.raises(fb.IllegalMove, match="see the action mask"):
        raw.step(wrong)
    wrapped.reset(seed=1)
    wrapped.step(wrong)
    assert wrapped.rewards["mr_x"] == -1
