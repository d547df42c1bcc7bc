"""Deep Q-learning: many matches at once are the same matches, a resumed run is the same run, and it learns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard import net_dqn
from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.core.match import Match
from fogbound.games.scotland_yard import planes
from fogbound.train import methods
from fogbound.train.scotland_yard.dqn import Dqn
from fogbound.train.scotland_yard.environment import EnvironmentBatch, SeatAssignment
from fogbound.train.scotland_yard.opponents import AlphaBetaLines, CompiledPolicy, DeterminizedSearch, PythonAgents
from fogbound.train.scotland_yard.shard import LEARNER, OPPONENT, PARTNER, Rewards
from fogbound.train.scotland_yard.symmetries import Symmetries, symmetries_of

GRID = "scotland-yard/grid5"
SMALL = "scotland-yard/grid3:rounds=6"
SOME = "hrklova-mr-x-mix"  # a shipped net
NO_REWARDS = Rewards(0.0, 1.0, -1.0, 0.0, 0.0, 0)


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def environment(side: int, opponents: list[str], matches: int = 4, threads: int = 1) -> EnvironmentBatch:
    game: Any = fb.game(GRID)
    assignment = SeatAssignment(side, [0] if side == 0 else [1, 2], "", opponents)
    made = EnvironmentBatch(game, assignment, ("cells", "stations"), NO_REWARDS, matches, threads, seed=5)
    made.reset()
    return made


def played_by(made: EnvironmentBatch, steps: int) -> list[list[int]]:
    """Every match's moves, the learner taking the last legal answer; as far as its first match goes."""
    logs: list[list[int]] = [[] for _ in range(made.matches)]
    for _ in range(steps):
        made.step(np.array([np.flatnonzero(row)[-1] for row in made.mask]))
        for rows, shard in zip(made.rows, made.shards, strict=True):
            for g in range(rows.start, rows.stop):
                if shard.number[g - rows.start] == g:
                    logs[g] = shard.log[g - rows.start, : shard.moves[g - rows.start]].tolist()
    return logs


def played_by_agents(spec: str, side: int, number: int, moves: int) -> list[int]:
    game = fb.game(GRID)
    match = Match(game, 5, number)
    agent = registry.agent(spec, game, seed=5, side=1 - side, number=number)
    code = planes.coding(game, "cells", "stations")
    while len(match.moves) < moves:
        seat = match.to_move
        if game.side_of[seat] == side:
            here = int(match.state["station"][seat])
            match.play(max(match.legal(), key=lambda action: planes.answer_of(code, here, action.code)))
        else:
            match.play(agent.choose(match.view(seat)).action)
    return [move.code for move in match.moves]


@pytest.mark.parametrize(
    ("spec", "mr_x", "detectives"),
    [
        ("random", CompiledPolicy, CompiledPolicy),
        ("mcts:worlds=one,iterations=40", DeterminizedSearch, DeterminizedSearch),
        ("mcts:iterations=20", PythonAgents, PythonAgents),
        ("alphabeta", CompiledPolicy, AlphaBetaLines),
        ("alphabeta:nodes=100", CompiledPolicy, AlphaBetaLines),
    ],
)
@pytest.mark.parametrize("side", [0, 1])
def test_opponents_in_the_environment_play_as_they_do_in_a_match(spec: str, mr_x: type, detectives: type, side: int) -> None:
    made = environment(side, [spec])
    assert isinstance(made.opponents[0][OPPONENT], detectives if side == 0 else mr_x)
    for number, log in enumerate(played_by(made, 12)):
        assert log == played_by_agents(spec, side, number, len(log))


def test_matches_do_not_depend_on_how_many_threads_play_them() -> None:
    opponents = ["random", "alphabeta"]
    one, three = environment(1, opponents, 9, 1), environment(1, opponents, 9, 3)
    assert played_by(one, 30) == played_by(three, 30)
    assert np.array_equal(one.features, three.features) and np.array_equal(one.tally(), three.tally())
    assert len({int(x) for x in one.shards[0].opponent}) == 2


def test_a_move_off_the_board_brings_nothing_and_becomes_a_random_move() -> None:
    rewards = Rewards(1.0, 10.0, -10.0, 1.0, 0.0, 1)
    game: Any = fb.game(GRID)
    assignment = SeatAssignment(0, [0], "", ["random"])
    made = EnvironmentBatch(game, assignment, ("planes", "directions"), rewards, 64, 1, seed=2)
    made.reset()
    wrong = np.array([np.flatnonzero(row == 0)[0] if (row == 0).any() else 0 for row in made.mask])
    is_wrong = (made.mask == 0).any(1)
    made.step(wrong)
    going_on = made.done == 0
    assert (made.reward[is_wrong & going_on] == 0).all() and (made.reward[~is_wrong & going_on] == 1).all()
    assert set(made.reward[~going_on].tolist()) <= {-5.0, 10.0} and is_wrong.any()


@pytest.mark.parametrize("wrong", [np.nan, -3.0])
def test_an_illegal_answer_may_have_a_reward_of_its_own_and_positions_after_own_moves_are_seen(wrong: float) -> None:
    rewards = Rewards(1.0, 10.0, -10.0, 1.0, 0.0, 1, wrong)
    game: Any = fb.game(GRID)
    assignment = SeatAssignment(1, [2], "random", ["random"])
    made = EnvironmentBatch(game, assignment, ("sightings", "directions"), rewards, 64, 1, seed=2, afterstates=True)
    made.reset()
    assert not made.features[:, :25].any()  # Mr X has not been seen yet
    shard, code = made.shards[0], planes.coding(game, "planes", "directions")
    for _ in range(4):
        answers, legal, before = np.arange(64) % 4, made.mask.copy(), shard.moves.copy()
        numbers = shard.number.copy()
        made.step(answers)
        is_wrong = legal[np.arange(64), answers] == 0
        assert is_wrong.any() and (np.isnan(wrong) or (made.reward[is_wrong] == wrong).all())
        for g in np.flatnonzero((shard.number == numbers) & (shard.moves > before + 1)):
            match = Match(game, 2, int(numbers[g]))
            for move in shard.log[g, : before[g] + 1]:
                match.play(int(move))
            expected = np.zeros(50, np.float32)
            planes.write(game.table, code, game.concealed(match.state, 2), 2, expected)
            if match.state["last_seen"] < 0:
                expected[:25] = 0
            assert np.array_equal(made.afterstates[g], expected) and made.ended[g] == (match.to_move < 0)


def learner(game: str, **options: Any) -> Dqn:
    found = methods.learner("dqn", game, methods.options("dqn", **options))
    assert isinstance(found, Dqn)
    return found


def work(made: Dqn, rounds: int) -> None:
    for _ in range(rounds):
        made._play()
        made._learn()
        made.done = int(made.environment.tally()[0].sum())


QUICK = {
    "opponents": ["random", "alphabeta"],
    "matches": 8,
    "batch": 32,
    "replay": 400,
    "every": 8,
    "target": 5,
    "device": "cpu",
}


DIRECT = {"follows": "move", "ends": "own", "masked": False, "coding": "sightings", "loss": "mse", "weights": "pytorch"}


@pytest.mark.parametrize("more", [{"net": "dense"}, {"net": "graph"}, DIRECT])
def test_a_training_resumed_from_a_snapshot_is_the_same_training(more: dict[str, Any]) -> None:
    options = {**QUICK, "hidden": [16, 16], **more}
    whole, part, again = (learner(SMALL, **options, threads=threads) for threads in (1, 2, 3))
    work(whole, 30)
    work(part, 17)
    again.restore({name: array.copy() for name, array in part.snapshot().items()})
    again.done = part.done
    work(again, 13)
    for name, array in whole.snapshot().items():
        assert np.array_equal(array, again.snapshot()[name]), name


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (GRID, {"net": "dense", "hidden": [20, 12]}),
        (GRID, {"net": "dense", "hidden": [9], "duelling": False, "coding": "planes", "answers": "directions"}),
        (GRID, {"net": "graph", "hidden": [10, 10, 10]}),
        ("scotland-yard/plan1", {"net": "graph", "hidden": [6, 6], "side": "mr-x"}),
    ],
)
def test_a_written_net_answers_in_play_as_it_did_in_training(game: str, options: dict[str, Any]) -> None:
    made = learner(game, **{**QUICK, "opponents": ["random"], **options})
    work(made, 3)
    tensors, about = made.weights()
    params = net_dqn.params(made.game, nets.Weights("new", tensors, about))
    wanted = made.net(torch.from_numpy(made.environment.features)).detach().numpy()
    at = made.environment.shards[0]
    for g in range(3):
        seat = int(at.states[g]["turn"])
        view = made.game.concealed(at.states[g], seat)
        net_dqn.compute(made.game.table, params, view, seat)
        assert np.array_equal(params.inputs, made.environment.features[g])
        # What a duel adds to all moves alike may be missing.
        assert np.allclose(params.answers - params.answers.mean(), wanted[g] - wanted[g].mean(), atol=1e-4)


def test_the_settings_of_hrklova_are_hers() -> None:
    hers = learner(GRID, **{**Dqn.presets["hrklova"], "opponents": ["random"]})
    his = learner(GRID, **{**Dqn.presets["hrklova-mr-x"], "opponents": ["random"]})
    assert [tuple(w.shape) for name, w in hers.net.named_parameters() if "weight" in name] == [
        (100, 50),
        (100, 100),
        (4, 100),
    ]
    assert [tuple(w.shape) for name, w in his.net.named_parameters() if "weight" in name] == [(100, 50), (50, 100), (4, 50)]
    assert hers.environment.rewards == Rewards(1.0, 10.0, -10.0, 1.0, 0.0, 1)
    assert his.environment.rewards == Rewards(1.0, -5.0, -10.0, 1.0, 0.0, 1)
    assert hers.environment.shards[0].role.tolist() == [OPPONENT, PARTNER, LEARNER]


def test_detectives_learn_to_catch_a_random_mr_x() -> None:
    options = {"opponents": ["random"], "games": 6000, "matches": 64, "batch": 128, "every": 32, "target": 50, "steps": 4}
    made = learner(SMALL, **options, replay=20_000, hidden=[48], explore=0.4, device="cpu", seed=3)
    begun = made.environment.tally
    while made.done < 600:
        work(made, 1)
    early_games, early_wins = (int(x[0]) for x in begun())
    while made.done < made.total:
        work(made, 1)
    games, wins = (int(x[0]) for x in begun())
    assert (wins - early_wins) / (games - early_games) > early_wins / early_games + 0.05
    assert made.epsilon() == pytest.approx(0.03)


def test_a_grid_has_eight_symmetries_and_a_turned_position_is_what_would_be_seen() -> None:
    game: Any = fb.game(GRID)
    assert len(symmetries_of(game)) == 8
    code = planes.coding(game, "cells", "stations")
    turning = Symmetries(game, code, torch.device("cpu"))
    goes = symmetries_of(game)[3]
    state = game.new(seed=3).state
    seen, turned = np.zeros(code.inputs, np.float32), np.zeros(code.inputs, np.float32)
    planes.write(game.table, code, state, 0, seen)
    other = state.copy()
    for seat in range(3):
        other["station"][seat] = goes[state["station"][seat]]
    for members in ("occupied", "possible"):
        old, other[members] = int(state[members][0]), 0
        other[members][0] = sum(1 << goes[s] for s in range(25) if old >> s & 1)
    planes.write(game.table, code, other, 0, turned)
    assert np.array_equal(seen[turning.seen[3].numpy()], turned)


@pytest.mark.parametrize(
    ("game", "options", "words"),
    [
        ("scotland-yard/plan1", {"answers": "directions"}, "is not a grid"),
        (GRID, {"net": "graph", "coding": "planes"}, "needs coding=cells"),
        (GRID, {"follows": "move"}, "only with masked=false"),
        (GRID, {"ends": "own"}, "only with follows=move"),
        (GRID, {"opponents": ["alfabeta"]}, "alphabeta"),
        (GRID, {"opponents": ["random"], "device": "cpu", "start": SOME}, "belong to a net with other layers"),
        ("risk/classic", {}, "dqn learns scotland-yard, not risk"),
    ],
)
def test_what_cannot_be_learned_is_refused(game: str, options: dict[str, Any], words: str) -> None:
    with pytest.raises(FogboundError, match=words):
        learner(game, **options)


def test_a_net_of_another_board_is_refused() -> None:
    made = learner(SMALL, **QUICK)
    tensors, about = made.weights()
    with pytest.raises(FogboundError, match="was trained on grid3 and does not fit scotland-yard/grid5"):
        net_dqn.params(fb.game(GRID), nets.Weights("small", tensors, about))  # type: ignore[arg-type]


@pytest.mark.parametrize("duelling", [True, False])
def test_a_net_can_be_trained_on(duelling: bool, tmp_path: Path) -> None:
    first = learner(SMALL, **QUICK, duelling=duelling, hidden=[12, 8])
    work(first, 10)
    nets.save(tmp_path / "first.safetensors", *first.weights())
    again = learner(SMALL, **QUICK, duelling=duelling, hidden=[12, 8], start=str(tmp_path / "first.safetensors"), seed=9)
    seen = torch.from_numpy(first.environment.features)
    assert torch.allclose(first.net(seen), again.net(seen), atol=1e-5)


def test_what_follows_a_move_is_what_the_reading_says() -> None:
    """The wanted value is the reward, and the best value of the position that follows unless nothing does."""
    for ends, values in (("game", [0.0, 1.0]), ("never", [1.0, 1.0])):
        made = learner(SMALL, **{**QUICK, "batch": 2, "follows": "move", "ends": ends, "masked": False, "steps": 1})
        made.environment.done[:2] = [1, 0]
        made.environment.ended[:2] = [0, 0]
        assert (1 - made._ended()[:2]).tolist() == values
    work(made, 3)
    assert torch.equal(made.after[2], torch.from_numpy(made.environment.afterstates).to(made.after.dtype))
    assert not torch.equal(made.after[1], made.seen[2])


def test_rewards_are_added_up_to_the_end_of_the_game_or_to_the_next_random_move() -> None:
    made = learner(SMALL, **{**QUICK, "batch": 2, "steps": 4, "gamma": 0.5})
    made.reward[:6, 0] = torch.tensor([1.0, 2.0, 4.0, 8.0, 16.0, 32.0])
    made.over[2, 0] = 1
    made.tried[5, 0] = True
    gained, discount, steps = made._return(torch.tensor([0, 3]), torch.tensor([0, 0]))
    assert gained.tolist() == [1 + 1 + 1, 8 + 8]
    assert discount.tolist() == [0.0, 0.25] and steps.tolist()[1] == 2
