"""The Gymnasium door: its own checks, and what they miss: leaks, masks, seeds, matches given up."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import fogbound as fb
from fogbound.core.env import Environment
from fogbound.interop import gymnasium as door
from tests.contract.specs import GAMES

GRID = "scotland-yard/grid5"


@pytest.mark.parametrize("spec", GAMES)
def test_gymnasiums_own_check_passes(spec: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*alternative render modes.*")
        check_env(door.env(spec, seat=fb.game(spec).seats - 1, opponents="random", render_mode="ansi"))


def test_a_seat_or_a_whole_side_can_be_played() -> None:
    assert door.env(GRID, seat=1, opponents="random").rows.seats == (1,)
    assert door.env(GRID, seat="detectives", opponents="random").rows.seats == (1, 2)
    with pytest.raises(fb.FogboundError, match="One learner plays for one side"):
        door.env(GRID, seat=[0, 1])


def test_an_illegal_move_gives_the_match_up() -> None:
    env = door.env(GRID, opponents="random")
    _, info = env.reset(seed=1)
    _, reward, terminated, truncated, after = env.step(int(np.argmin(info["action_mask"])))
    assert (reward, terminated, truncated, after["illegal"]) == (-1, True, False, True)
    assert not env.action_masks().any()
    assert env.render() == "The match is over."


def test_matches_follow_one_another_under_a_seed() -> None:
    """The first is the first of the seed, the next the second, whether `reset` is told the seed again or not."""
    env = door.env(GRID, opponents="heuristic")
    observations = []
    for seed in (5, None, 5):
        observation, info = env.reset(seed=seed)
        observations.append(observation)
        over = False
        while not over:
            _, _, over, _, info = env.step(int(np.argmax(info["action_mask"])))
    starts = [fb.env(GRID, n=2, seats=0, opponents="heuristic").reset(seed=5).observations[row] for row in range(2)]
    assert np.array_equal(observations[0], starts[0]) and np.array_equal(observations[2], starts[0])
    assert np.array_equal(observations[1], starts[1])
    assert not np.array_equal(starts[0], starts[1])


def test_agents_that_are_not_compiled_can_be_opponents() -> None:
    def first(view: fb.View) -> int:
        return view.legal()[0].code

    env = door.env("empire/seed", opponents=first)
    assert not env.rows.compiled
    _, info = env.reset(seed=1)
    for _ in range(10):
        *_, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))


def test_the_vector_environment_is_the_single_one_many_times_without_copies() -> None:
    vector = door.make_vec(GRID, 3, seat="detectives", opponents="heuristic")
    rows = Environment(fb.game(GRID), 3, "detectives", "heuristic", final=True)
    seen, info = vector.reset(seed=4)
    told = rows.reset(seed=4)
    rng, ended = np.random.default_rng(2), 0
    for _ in range(40):
        moves = np.array([rng.choice(np.flatnonzero(mask)) for mask in info["action_mask"]])
        after, rewards, terminated, truncated, info = vector.step(moves)
        told = rows.step(moves)
        assert after is seen
        assert np.array_equal(after, told.observations) and np.array_equal(info["action_mask"], told.mask)
        assert np.array_equal(rewards, told.rewards[:, 1]) and np.array_equal(terminated, told.done)
        assert not truncated.any()
        if terminated.any():
            ended += 1
            assert np.array_equal(info["final_obs"][terminated], rows.final[told.done])
    assert ended
    illegal = np.argmin(info["action_mask"], axis=1)
    _, rewards, terminated, _, info = vector.step(illegal)
    assert terminated.all() and (rewards == -1).all() and info["illegal"].all()
    with pytest.raises(fb.FogboundError, match="share one seed"):
        vector.reset(seed=[1, 2, 3])
    vector.close()
