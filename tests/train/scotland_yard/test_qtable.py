"""The Q-table: numbered and folded rightly, learned as a plain table would be, and it does learn."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard import alphabeta_lines
from fogbound.agents.scotland_yard.qtable import count_positions, find, layout
from fogbound.core import registry
from fogbound.core.runner import play_set
from fogbound.train import methods
from fogbound.train.scotland_yard.qtable import QTable
from tests.contract import test_agents as contract
from tests.reference.q_learning import PlainTable

GAME = "scotland-yard/grid5-2020"
SMALL = "scotland-yard/grid3:show_start=true,rounds=6"


def learner(game: str = SMALL, **options: Any) -> QTable:
    made = methods.learner("qtable", game, methods.options("qtable", **{"opponent": "heuristic", **options}))
    assert isinstance(made, QTable)
    return made


def work(made: QTable) -> QTable:
    while made.done < made.total:
        made.advance()
    return made


def test_the_cached_mr_x_plays_what_alpha_beta_plays() -> None:
    game: Any = fb.game(GAME)
    searcher: Any = registry.agent("alphabeta:evaluation=v4", game)
    params = alphabeta_lines.mr_x_moves(game, searcher)
    out, rng = np.zeros(game.most_actions, np.int64), np.ones(4, np.uint64)
    for number in range(12):
        record = fb.play(game, ["alphabeta:evaluation=v4", "random"], seed=4, number=number)
        match = game.new(seed=4, number=number)
        for move in record.moves:
            if match.to_move == 0:
                view = match.view(0).state.copy()
                assert alphabeta_lines.policy(game.table, params, view, 0, out, rng) == move.code
            match.play(move.code)


def test_folding_gives_equal_positions_one_number_and_others_another() -> None:
    game: Any = fb.game(GAME)
    plan = layout(game, True, False)
    numbers: dict[int, set[tuple[int, ...]]] = {}
    for a, b, seen in ((1, 8, 12), (3, 6, 12), (21, 18, 12), (8, 1, 12), (0, 24, 25), (4, 20, 25)):
        number = find(plan, a, b, seen, 1, 0)[0]
        whole = {tuple(int(turned[s]) for s in (a, b, seen)) for turned in plan.turned}
        assert numbers.setdefault(number, whole) == whole
    assert len(numbers) == 3
    assert max(numbers) < count_positions(plan)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"symmetry": True},
        {"shared": True},
        {"reward": "reveal-distance", "explore_below": 0.05, "epsilon": 0.1},
        {"symmetry": True, "shared": True, "slips": 0.3},
    ],
)
def test_it_learns_what_a_plain_table_learns(options: dict[str, Any]) -> None:
    made = learner(games=60, piece=20, seed=3, **options)
    plain = PlainTable(made.game, made.options)
    while made.done < made.total:
        share = made.done / made.total
        made.advance()
        plain.play(20, share)
    assert plain.values
    for (first, other, seen, wait, second), moves in plain.values.items():
        position, turn = find(made.plan, first, other, seen, wait, second)
        assert turn == 0
        for code, value in moves.items():
            assert made.values[position, code] == pytest.approx(value, abs=1e-5)
    assert np.count_nonzero(made.met) == len(plain.values)


def test_a_resumed_table_is_the_same_table() -> None:
    whole = work(learner(games=500, piece=100, shared=True, symmetry=True))
    part = learner(games=500, piece=100, shared=True, symmetry=True)
    part.advance()
    part.advance()
    again = learner(games=500, piece=100, shared=True, symmetry=True)
    again.restore({name: array.copy() for name, array in part.snapshot().items()})
    again.done = part.done
    for name, array in work(again).snapshot().items():
        assert array.tobytes() == whole.snapshot()[name].tobytes()


@pytest.mark.parametrize("preset", ["tulusak", "all"])
def test_it_learns_to_catch_mr_x(preset: str, tmp_path: Path) -> None:
    options = methods.options("qtable", preset, games=30_000)
    made = methods.learner("qtable", GAME, options)
    while made.done < made.total:
        made.advance()
    file = tmp_path / "table.safetensors"
    nets.save(file, *made.weights())
    won = sum(r.scores[1] for r in play_set(GAME, ["alphabeta:evaluation=v4", f"qtable:weights={file}"], 60, workers=1))
    assert won > 30  # any legal move wins about 10


@pytest.mark.parametrize("weights", ["tulusak", "tulusak-all", "qtable"])
def test_the_table_keeps_the_contract_of_agents(weights: str) -> None:
    agent = f"qtable:weights={weights}"
    contract.test_it_plays_whole_games_by_legal_moves_only(GAME, agent)
    contract.test_the_same_seed_gives_the_same_game(GAME, agent)
    contract.test_compiled_sets_play_the_same_games_as_matches(GAME, agent)
    contract.test_its_decision_depends_on_the_view_alone(GAME, agent)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        ("scotland-yard/plan1:detectives=2", "counts the detectives' tickets"),
        ("scotland-yard/grid5:detectives=3", "is for two detectives"),
    ],
)
def test_boards_that_a_table_does_not_fit_are_refused_in_words(game: str, said: str) -> None:
    with pytest.raises(fb.FogboundError, match=said):
        learner(game)
    with pytest.raises(fb.FogboundError, match=said):
        registry.agent("qtable:weights=tulusak", game)


def test_a_table_of_another_board_is_refused_in_words() -> None:
    with pytest.raises(fb.FogboundError, match="was learned on grid5-2020"):
        registry.agent("qtable:weights=tulusak", "scotland-yard/grid4")
    with pytest.raises(fb.FogboundError, match="cannot learn against “mcts”"):
        learner(opponent="mcts")


def test_without_memory_the_second_detective_answers_alike_whatever_the_first_was_asked() -> None:
    game: Any = fb.game("scotland-yard/grid5")
    agent: Any = registry.agent("qtable:weights=tulusak", game)
    out, state = np.zeros(game.most_actions, np.int64), game.new(seed=1).state.copy()
    state["slot"], state["seen_slot"], state["last_seen"], state["station"][2] = 4, 3, 12, 8

    def asked(params: Any, seat: int, station: int) -> int:
        state["turn"], state["station"][1] = seat, station
        return int(agent.policy(game.table, params, state.copy(), seat, out, np.arange(1, 5, dtype=np.uint64)))

    def answers(params: Any, station: int) -> set[int]:
        """The second detective's, when the first has just been asked on any station next to where he is now."""
        before = {int(each) for each in agent.policy_params.plan.near[station]} - {-1, 8}
        return {(asked(params, 1, each), asked(params, 2, station))[1] for each in before}

    stations = set(range(25)) - {8, 12}
    assert any(len(answers(agent.policy_params, station)) > 1 for station in stations), "in play he keeps the joint move"
    assert all(len(answers(agent.params_without_memory(), station)) == 1 for station in stations)
