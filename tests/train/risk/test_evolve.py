"""Evolving nets for Risk: generations, successive evolutions, both strategies, and resuming after an interruption."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fogbound.agents import nets
from fogbound.core.errors import FogboundError
from fogbound.train import methods, training
from fogbound.train.risk.evolve import Evolve, _crossed, _mutated, untrained

GAME = "risk/random:territories=8,players=3,seed=2"
SMALL: dict[str, Any] = {"population": 8, "games": 6, "rounds": 20, "trials": 1, "trial_games": 2, "field": ["random"]}


def learner(**options: Any) -> Evolve:
    made = methods.learner("evolve", GAME, methods.options("evolve", **(SMALL | options)))
    assert isinstance(made, Evolve)
    return made


def test_the_presets_are_the_published_evolutions() -> None:
    options: Any = methods.options("evolve", "vasatko")
    assert (options.population, options.crossover, options.mutation, options.games) == (100, 0.5, 0.01, 200)
    assert options.generations == [50, 60, 80, 100] and options.first == "untrained"
    assert learner(topology="complex").size == 1944
    as_written: Any = methods.options("evolve", "vasatko-maps")
    assert as_written.maps_a_generation == as_written.games and as_written.keep  # a map of its own for every game


def test_the_fittest_stay_so_fitness_never_falls_within_an_evolution() -> None:
    evolving = learner(generations=[6], maps=4, maps_a_generation=3, keep=True, attack="list")
    best = [evolving.advance()["best fitness"] for _ in range(6)]
    assert best == sorted(best)
    assert len(evolving.population) == 8


def test_each_evolution_meets_the_best_of_the_one_before() -> None:
    evolving = learner(generations=[2, 2])
    assert (evolving.before == untrained("simple", 1)).all()
    evolving.advance()
    assert evolving.stage == 0 and not evolving.ancestors
    evolving.advance()
    assert evolving.stage == 1
    assert (evolving.before == evolving.best()).all() and len(evolving.ancestors) == 1
    assert evolving.advance()["evolution"] == 2


@pytest.mark.parametrize("strategy", ["genetic", "es"])
def test_the_number_of_workers_changes_nothing(strategy: str) -> None:
    one, two = (learner(strategy=strategy, generations=[3], workers=workers) for workers in (1, 2))
    for _ in range(3):
        assert one.advance() == two.advance()
    assert (one.best() == two.best()).all()


@pytest.mark.parametrize("strategy", ["genetic", "es"])
def test_a_resumed_evolution_is_the_same_evolution(strategy: str, tmp_path: Path) -> None:
    options = methods.options("evolve", **SMALL, strategy=strategy, generations=[2, 2], maps=3, maps_a_generation=2)
    whole = training.start("evolve", GAME, options, tmp_path / "whole")
    whole.run()
    part = training.start("evolve", GAME, options, tmp_path / "part")
    part.run(lambda work: setattr(work, "_stopping", work.learner.done == 3))
    again = training.resume(tmp_path / "part", "evolve", GAME)
    assert again.run()
    assert again.progress.trials == whole.progress.trials
    for file in ("latest.safetensors", "best.safetensors"):
        one, other = (nets.load(str(tmp_path / which / file)).tensors for which in ("part", "whole"))
        assert all((one[name] == other[name]).all() for name in one)


def test_the_strategy_learns_to_beat_nets_that_have_not() -> None:
    evolving = learner(
        strategy="es", generations=[12], population=32, games=24, inputs="logarithms", attack="battles", shaping=0.3
    )
    mean = [evolving.advance()["mean fitness"] for _ in range(12)]
    assert mean[-1] > mean[0] + 0.2


def test_children_have_genes_of_both_parents() -> None:
    generator = np.random.default_rng(1)
    one, other = np.zeros(50, np.float32), np.ones(50, np.float32)
    for _ in range(20):
        first, second = _crossed(one, other, generator)
        np.testing.assert_allclose(first + second, one + other, atol=1e-6)
    assert (_mutated(one + 1, 0.0, generator) != one + 1).sum() == 1


def test_what_cannot_be_evolved_is_refused() -> None:
    with pytest.raises(FogboundError, match="has one map"):
        methods.learner("evolve", "risk/classic", methods.options("evolve", maps=4))
    with pytest.raises(FogboundError, match="not a compiled policy"):
        learner(opponents=["turns"])
    with pytest.raises(FogboundError, match="evolve learns risk, not scotland-yard"):
        methods.learner("evolve", "scotland-yard/plan1", methods.options("evolve"))
