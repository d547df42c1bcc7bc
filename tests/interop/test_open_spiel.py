"""The OpenSpiel door: its own checks, its algorithms on our games, bots both ways; and leaks, which nobody else checks."""

from __future__ import annotations

import unittest
from random import Random

import numpy as np
import pyspiel
import pytest
from open_spiel.integration_tests import api_test
from open_spiel.python import policy as policies
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, ismcts, mcts

import fogbound as fb
from fogbound.interop import open_spiel as door
from fogbound.solve import tree

GRID = "scotland-yard/grid5"
TINY = "scotland-yard/grid2:rounds=3"
GAMES = [
    GRID,
    TINY,
    "scotland-yard/london-modern:detectives=2",
    "empire/seed",
    "empire/side-a:bidding=true,neutral=true,continents=regions,wild=owned,ties=printed",
    "risk/random:territories=12,players=3,seed=1,goal=missions,deal=true,starting_armies=8,round_limit=2",
]


@pytest.mark.parametrize("spec", GAMES)
def test_a_random_simulation_passes_with_serialisation(spec: str) -> None:
    pyspiel.random_sim_test(door.game(spec), num_sims=1, serialize=True, verbose=False)


def random_states(spiel: pyspiel.Game, seed: int, most: int = 120) -> list[pyspiel.State]:
    """The states of random matches."""
    rng, states, state = Random(seed), [], spiel.new_initial_state()
    while len(states) < most:
        states.append(state.clone())
        if state.is_terminal():
            state = spiel.new_initial_state()
        else:
            state.apply_action(rng.choice(state.legal_actions()))
    return states


@pytest.mark.parametrize("spec", GAMES)
def test_open_spiels_partial_tree_check_passes(spec: str) -> None:
    spiel = door.game(spec)

    class Partial(api_test.EnforceAPIOnPartialTreeBase):
        game, game_name = spiel, "fogbound"

        @classmethod
        def setUpClass(cls) -> None:  # its own sample stays near the set-up, where nothing has happened yet
            cls.game_type, cls.some_states = spiel.get_type(), random_states(spiel, 1)

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Partial).run(result)
    assert result.testsRun == 5
    assert not result.failures and not result.errors, [text for _, text in [*result.failures, *result.errors]]


@pytest.mark.parametrize("spec", GAMES)
def test_a_state_is_our_match(spec: str) -> None:
    """The same draws and moves in both: the same seat's view, legal moves and result."""
    spiel = door.game(spec)
    match, state, rng = spiel.fogbound.new(seed=3), spiel.new_initial_state(), Random(3)
    _draw(state, list(match.start))
    for _ in range(80):
        if match.over:
            break
        view = state.view(state.current_player())
        truth = match.view(match.to_move)
        assert view.key() == truth.key()
        assert state.legal_actions() == list(truth.numbers())
        number = rng.choice(state.legal_actions())
        assert state.action_to_string(number) == truth.move(number).text
        drawn = match.play(truth.move(number)).chance
        state.apply_action(number)
        _draw(state, list(drawn))
    assert state.is_terminal() == match.over
    if match.over:
        first = [match.game.side_of.index(side) for side in range(match.game.sides)]
        gained = fb.core.env.utilities(match.game, match.scores())
        assert state.returns() == [gained[seat] for seat in first]


def _draw(state: pyspiel.State, results: list[int]) -> None:
    """Give a state's chance nodes the results of our draws; a draw with one outcome is no node."""
    while state.is_chance_node():
        place = len(state.at.draws)
        bits = door._bits(state._next_draw(state.get_game()))
        wide = state._next_draw(state.get_game()) > door.WIDE
        left = sum(bits[len(state.at.digits) + 1 :])
        state.apply_action(results[place] >> left & 255 if wide else results[place])


@pytest.mark.parametrize("spec", GAMES)
def test_what_is_resampled_looks_the_same_and_hides_the_truth(spec: str) -> None:
    """The player cannot tell a resampled state from the true one, and neither can anybody who is given only that."""
    rng = Random(2)
    for state in random_states(door.game(spec), 5, 60)[::4]:
        if state.is_chance_node() or state.is_terminal():
            continue
        player = state.current_player()
        again = state.resample_from_infostate(player, rng.random)
        assert again.information_state_string(player) == state.information_state_string(player)
        assert again.information_state_tensor(player) == state.information_state_tensor(player)
        assert again.observation_string(player) == state.observation_string(player)
        assert again.legal_actions() == state.legal_actions()
        known = state.view(player)
        for _, seen in again.at.moves:
            assert len(set(seen)) == 1, "the past of the others is not known"
        assert [seen[0] for _, seen in again.at.moves] == [seen.code for seen in known.history]


def test_a_hidden_move_changes_nothing_that_the_others_are_told() -> None:
    """Mr X goes elsewhere by the same ticket: strings, tensors and masks of the detectives are equal, byte for byte."""
    spiel, compared = door.game("scotland-yard/plan1"), 0
    for state in random_states(spiel, 9, 60):
        if state.is_chance_node() or state.is_terminal() or state.current_player() != 0:
            continue
        looks: dict[int, list[pyspiel.State]] = {}
        for number, code in state.view(0).numbers().items():
            seen = spiel.fogbound.rules.observe(spiel.fogbound.table, state.at.state, code, 1)
            looks.setdefault(int(seen), []).append(state.child(number))
        for alike in looks.values():
            going_on = [twin for twin in alike if not twin.is_terminal()]
            told = {
                (state.information_state_string(1), state.observation_string(1), *state.information_state_tensor(1))
                for state in going_on
            }
            assert len(told) <= 1
            compared += len(going_on) > 1
    assert compared


def test_its_cfr_and_exploitability_agree_with_our_solution() -> None:
    spiel = door.game(TINY)
    solver = cfr.CFRPlusSolver(spiel)
    for _ in range(8):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    gap = exploitability.nash_conv(spiel, average)
    value = expected_game_score.policy_value(spiel.new_initial_state(), [average] * 2)[1]
    ours = fb.solve(TINY, cache=False)
    assert gap < 0.05
    assert abs((value + 1) / 2 - ours.value) < gap + 1e-3
    uniform = exploitability.exploitability(spiel, policies.UniformRandomPolicy(spiel))
    assert uniform == pytest.approx(2 * tree.exploitability(TINY, [{}]))  # it counts scores from -1 to 1


def test_its_search_plays_our_grid_and_our_agents_play_there() -> None:
    spiel, rng = door.game(GRID), np.random.RandomState(3)
    search = ismcts.ISMCTSBot(spiel, mcts.RandomRolloutEvaluator(1, rng), 2.0, 8, random_state=rng)
    ours = spiel.bot("heuristic", player=0)
    state = spiel.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            state.apply_action(rng.choice([outcome for outcome, _ in state.chance_outcomes()]))
        else:
            bot = ours if state.current_player() == 0 else search
            state.apply_action(int(bot.step(state)))
    assert sum(state.returns()) == 0


def test_its_bots_play_here() -> None:
    spiel, rng = door.game(GRID), np.random.RandomState(4)
    search = ismcts.ISMCTSBot(spiel, mcts.RandomRolloutEvaluator(1, rng), 2.0, 4, random_state=rng)
    record = fb.play(GRID, [spiel.agent(search), "heuristic"], seed=2)
    assert record.scores is not None
    record.replay()


def test_a_game_is_found_by_its_name() -> None:
    spiel = pyspiel.load_game("fogbound", {"spec": "scotland-yard/grid5:rounds=4,detectives=1"})
    again = pyspiel.load_game(str(spiel))
    assert again.fogbound.spec == spiel.fogbound.spec
    assert again.num_distinct_actions() == spiel.fogbound.action_size
