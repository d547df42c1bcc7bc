"""Continual re-solving: near the value of solved games from both sides, safe, and a function of what is public."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.scotland_yard.resolve import Resolve, Resolver, resolver
from fogbound.core.view import View
from fogbound.games.scotland_yard.rules import HIDDEN
from fogbound.solve.roots import public_root, start_weights
from fogbound.solve.solver import canonical_form, list_starts
from tests.solve.test_values import SMALL, small

GAMES = {
    **SMALL,
    "grid3": fb.game("scotland-yard/grid3:detectives=1,rounds=5"),
}
NAMES = [
    "hidden start",
    "shown start",
    "detectives first",
    "no reveals",
    "counted tickets, handed over, stuck detectives pass",
    "too few tickets, stepping on detectives",
    "black tickets and a ferry",
    "a double move, shown in the middle",
    "grid3",
]


def given_up(game: fb.Game, agent: str, side: int) -> float:
    solution = fb.solve(game, tolerance=1e-4)
    found = fb.solve.exploit(game, agent, side, mirror=True, workers=1)
    assert found.exact  # it says its strategy, so that nothing is estimated
    return found.value - solution.upper if side == 0 else solution.lower - found.value


@pytest.mark.parametrize("side", [0, 1], ids=["Mr X", "detectives"])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_near_perfect_on_solved_boards(name: str, side: int) -> None:
    assert given_up(GAMES[name], "resolve:iterations=100", side) < 0.003


@pytest.mark.parametrize("side", [0, 1], ids=["Mr X", "detectives"])
@pytest.mark.parametrize("depth", [1, 2])
def test_it_is_near_perfect_when_it_looks_only_a_move_or_two_ahead(depth: int, side: int) -> None:
    """The leaves have exact values there, which depend on the belief that the search leads to."""
    assert given_up(GAMES["grid3"], f"resolve:iterations=60,depth={depth}", side) < 0.006


def test_safe_resolving_keeps_what_unsafe_resolving_gives_away() -> None:
    """Mr X is seen at 1, the detective is at 5, and three hidden rounds follow. Trusting the belief alone loses half."""
    game = small({"show_start": True, "reveals": "none"}, [1], [5])
    assert given_up(game, "resolve:iterations=100", 1) < 0.002
    assert given_up(game, "resolve:iterations=100,safety=1", 1) < 0.002
    assert given_up(game, "resolve:iterations=100,safety=0", 1) > 0.4


def strategy(agent: Resolve, match: fb.Match, station: int) -> dict[int, float]:
    """What the agent would do as Mr X if he were at this station and everything public were as it is."""
    view = match.view(0)
    state = view.state.copy()
    state["station"][0] = station
    return dict(agent.strategy(View(view.game, 0, state, view.history, view.start)))


def stations(game: fb.Game, state: np.void) -> list[int]:
    return [s for s in range(game.table.stations) if int(state["possible"][s >> 6]) >> (s & 63) & 1]


@pytest.mark.parametrize("name", ["hidden start", "no reveals", "counted tickets", "grid3"])
def test_its_belief_is_what_its_own_strategy_leads_to(name: str) -> None:
    """Followed by Bayes' rule from move to move, asking it what it would do at every station."""
    game = GAMES[name]
    agent = fb.agent("resolve:iterations=60", game, side=0)
    assert isinstance(agent, Resolve)
    compared = 0
    for number in range(6):
        rng, match = Random(number), game.new(seed=number)
        exact = public_root(match.view(0)).weights.copy()
        while not match.over:
            if match.to_move > 0:
                match.play(rng.choice(match.legal()))
                exact[[s for s in range(exact.size) if s not in stations(game, match.state)]] = 0.0
                continue
            told = agent.choose(match.view(0)).belief
            if len(told) > 1:
                compared += 1
                for station, share in enumerate(exact / exact.sum()):
                    assert told.get(str(game.numbers[station]), 0.0) == pytest.approx(share, abs=1e-9)
            ranges = {s: strategy(agent, match, s) for s in np.flatnonzero(exact).tolist()}
            own = ranges[int(match.state["station"][0])]
            code = rng.choices(list(own), list(own.values()))[0]
            after = np.zeros_like(exact)
            for station, chances in ranges.items():
                for other, chance in chances.items():
                    if other | HIDDEN == code | HIDDEN:
                        after[other & HIDDEN] += exact[station] * chance
            match.play(code)
            exact = after
            exact[[s for s in range(exact.size) if s not in stations(game, match.state)]] = 0.0
    assert compared > 3


def test_it_comes_to_the_same_strategy_however_it_got_there() -> None:
    """Who takes a game over, or takes moves back, is where an agent is that played all of it."""
    game, spec = GAMES["grid3"], "resolve:iterations=20"
    kept = resolver(game, fb.agent(spec, game).options)
    rng, match = Random(2), game.new(seed=2)
    while not match.over:
        seat = match.to_move
        along = kept.think(match.view(seat))
        fresh = Resolver(game, kept.options).think(match.view(seat))
        assert along == fresh
        move = rng.choice(match.legal())
        match.play(move)
        if not match.over:
            kept.think(match.view(match.to_move))
        match.undo()
        assert kept.think(match.view(seat)) == along
        match.play(move)


@pytest.mark.parametrize("name", SMALL)
def test_the_start_is_as_likely_as_the_draws_make_it(name: str) -> None:
    game = SMALL[name]
    starts = list_starts(game, canonical_form(game, symmetric=False))
    for state, weights in zip(starts.states, starts.weights, strict=True):
        if not state["shown"]:
            assert start_weights(game.table, state) == pytest.approx(weights / weights.sum())


@pytest.mark.parametrize("spec", ["plan1", "square1", "london"])
def test_the_root_of_a_subgame_is_the_state_in_which_mr_x_was_last_in_sight(spec: str) -> None:
    game = fb.game(f"scotland-yard/{spec}")
    for number in range(3):
        rng, match = Random(number), game.new(seed=number)
        root = match.state.copy()
        while not match.over:
            if match.state["shown"]:
                root = match.state.copy()
            for seat in (0, 1):
                found = public_root(match.view(seat)).state
                for name in root.dtype.names or ():
                    if name != "station":
                        assert found[name].tobytes() == root[name].tobytes(), name
                assert found["station"][1:].tolist() == root["station"][1:].tolist()
                assert found["station"][0] == (root["station"][0] if root["shown"] else -1)
            match.play(rng.choice(match.legal()))
