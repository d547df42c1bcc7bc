"""Values of public belief states, learned from solved games: true examples, and a net that `resolve` plays with."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard.resolve_leaves import ExactLeaves, possible
from fogbound.agents.scotland_yard.resolve_net import NetLeaves, inputs
from fogbound.core import registry
from fogbound.solve.solver import Solution
from fogbound.train import methods
from fogbound.train.scotland_yard.resolve import ResolveLearner, self_play
from fogbound.train.scotland_yard.resolve_values import (
    Examples,
    export,
    hidden_examples,
    joined,
    learn,
    revealed_examples,
    turned,
)

GAME = "scotland-yard/grid3:detectives=1,rounds=5"


@cache
def solution() -> Solution:
    return fb.solve(GAME, tolerance=1e-4)


@cache
def hidden() -> Examples:
    return hidden_examples(solution(), 40, np.random.default_rng(1))


def test_hidden_examples_are_beliefs_over_where_mr_x_can_be() -> None:
    examples = hidden()
    assert (examples.states["shown"] == 0).all()
    assert examples.belief.sum(axis=1) == pytest.approx(1)
    assert (examples.belief[~possible(examples.states, 9)] == 0).all()
    assert ((examples.values >= 0) & (examples.values <= 1 + 1e-9)).all()
    assert (examples.belief > 0).sum(axis=1).max() > 2


def test_a_belief_is_worth_no_more_than_knowing_where_mr_x_is() -> None:
    """Each station alone, known to everybody, is worth at least as much to the detectives as in a belief."""
    examples, exact = hidden(), ExactLeaves(solution())
    known = np.zeros_like(examples.values)
    for station in range(9):
        certain = np.zeros_like(examples.belief)
        certain[:, station] = 1.0
        able = examples.counts[:, station]
        known[able, station] = exact.hidden_values(examples.states[able], certain[able])[:, station]
    worth, best = (examples.belief * examples.values).sum(axis=1), (examples.belief * known).sum(axis=1)
    assert (worth <= best + 2e-3).all()
    assert (worth < best - 0.05).any()


def test_turned_examples_are_worth_what_they_are_worth_when_solved_there() -> None:
    examples = Examples(*(array[:10] for array in hidden()))
    all_ways = turned(solution().game, examples)
    assert all_ways.states.size == 80
    solved = ExactLeaves(solution()).hidden_values(all_ways.states, all_ways.belief)
    worth = (all_ways.belief * all_ways.values).sum(axis=1)
    assert (all_ways.belief * solved).sum(axis=1) == pytest.approx(worth, abs=2e-3)


def test_a_net_learns_the_values_and_resolve_plays_with_it(tmp_path: Path) -> None:
    game, file = solution().game, tmp_path / "values.safetensors"
    examples = joined(revealed_examples(solution()), hidden())
    torch.set_num_threads(1)  # more would only wait for each other
    trained = learn(game, turned(game, examples), examples, width=64, passes=300, seed=0)
    assert trained.error < 0.1
    export(game, trained.layers, file)
    leaves = NetLeaves(game, nets.load(str(file)))
    rows = inputs(game.table, examples.states, examples.belief)
    assert np.isfinite(rows).all() and (rows[:, :9] == examples.belief.astype(np.float32)).all()
    off = np.abs(leaves.hidden_values(examples.states, examples.belief) - examples.values)
    assert (off * examples.belief).sum(axis=1).mean() < 0.1
    record = fb.play(game, [f"resolve:iterations=5,depth=2,values={file}"], seed=2)
    assert record.scores is not None


def test_a_net_for_another_board_or_other_rules_is_refused(tmp_path: Path) -> None:
    game, file = solution().game, tmp_path / "values.safetensors"
    examples = revealed_examples(solution())
    trained = learn(game, examples, examples, width=4, passes=1, seed=0)
    export(game, trained.layers, file)
    with pytest.raises(fb.FogboundError, match="for grid3 with 1 detectives"):
        fb.agent(f"resolve:values={file}", "scotland-yard/grid5")
    about = game.definition()
    about["rules"]["tickets"] = {"mr_x": "unlimited", "detectives": {"walk": 4}}
    counted = registry.rebuild(game.family, about)
    with pytest.raises(fb.FogboundError, match="do not fit the rules"):
        fb.agent(f"resolve:values={file}", counted)


def learner(**settings: object) -> ResolveLearner:
    given = {"examples": 128, "width": 16, "iterations": 4, "device": "cpu", "exploited": 0, **settings}
    made = methods.learner("resolve", GAME, methods.options("resolve", **given))
    assert isinstance(made, ResolveLearner)
    torch.set_num_threads(1)
    return made


def test_self_play_with_exact_leaves_finds_the_exact_values_at_its_roots() -> None:
    """What a lookahead finds at its root is what the net is to learn: the value of the public belief state."""
    options = learner(iterations=80, depth=2, stray=0.3).options
    exact, rng = ExactLeaves(solution()), np.random.default_rng(3)
    examples = joined(*(each for _ in range(3) for each in self_play(solution().game, exact, options, rng)))
    hidden_there = examples.states["shown"] == 0
    assert hidden_there.sum() > 5 and (~hidden_there).any()
    solved = exact.hidden_values(examples.states[hidden_there], examples.belief[hidden_there])
    worth = (examples.belief * examples.values).sum(axis=1)
    assert worth[hidden_there] == pytest.approx((examples.belief[hidden_there] * solved).sum(axis=1), abs=0.01)


@pytest.mark.parametrize("teacher", ["exact", "self"])
def test_a_resumed_training_is_the_same_training(teacher: str) -> None:
    whole, begun = learner(teacher=teacher), learner(teacher=teacher)
    assert whole.advance() == begun.advance()
    resumed = learner(teacher=teacher)
    resumed.restore(begun.snapshot())
    resumed.done = begun.done
    assert whole.advance() == resumed.advance()
    tensors, about = resumed.weights()
    assert NetLeaves(whole.game, nets.Weights("net", tensors, about)).layers


def test_training_says_how_much_can_be_exploited() -> None:
    figures = learner(examples=64, exploited=1).advance()
    assert 0 < figures["Mr X gives up"] < 1 and 0 < figures["detectives give up"] < 1
