"""The supervised nets: every placement once, labels as a plain search finds them, exact resuming, and right play."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents import nets
from fogbound.core import registry
from fogbound.games.scotland_yard.features import CODINGS, placement_size, write_placement
from fogbound.train import methods
from fogbound.train.scotland_yard.examples import DISCOUNT, count_placements, labeller, place_pieces, write_examples
from fogbound.train.scotland_yard.pursuit import NEVER, moves_left
from tests.contract import test_agents as contract
from tests.reference.pursuit import PlainChase

torch = pytest.importorskip("torch")

SMALL = "scotland-yard/grid3"


def learner(game: str = SMALL, **options: Any) -> Any:
    few = {"epochs": 2, "batch": 64, "mr_x_layers": 2, "detectives_layers": 1, "device": "cpu"}
    return methods.learner("supervised", game, methods.options("supervised", **{**few, **options}))


def work(made: Any) -> Any:
    while made.done < made.total:
        made.advance()
    return made


def test_every_placement_of_the_pieces_has_one_number() -> None:
    found, place = set(), np.zeros(3, np.int64)
    for number in range(count_placements(9, 2)):
        place_pieces(number, 9, place)
        found.add(tuple(place.tolist()))
    assert found == set(permutations(range(9), 3))


@pytest.mark.parametrize(
    ("coding", "marks"),
    [
        ("long", {7, 10 + 5, 20 + 1, 30 + 9}),
        ("middle", {7, 10 + 5, 20 + 1, 20 + 9}),
        ("short", {7, 10 + 5, 10 + 1, 10 + 9}),
        ("turn", {7, 10 + 1, 20 + 5, 30 + 9, 40 + 1}),
    ],
)
def test_a_coding_marks_mr_x_the_mover_and_the_others(coding: str, marks: set[int]) -> None:
    number = CODINGS.index(coding)
    inputs = np.full(placement_size(number, 10, 3), 9, np.float32)
    write_placement(inputs, number, 10, 3, np.array([0, 1, 5, 9]), 2, 7)
    assert set(np.flatnonzero(inputs).tolist()) == marks and inputs.sum() == len(marks)


def examples(game: Any, kind: str, seat: int, numbers: Any) -> Any:
    inputs = np.empty((len(numbers), placement_size(0, game.table.stations, game.table.detectives)), np.float32)
    values = np.empty((len(numbers), game.table.stations), np.float32)
    write_examples(game.table, labeller(game, kind), numbers, seat, 0, inputs, values)
    return inputs, values


@pytest.mark.parametrize("seat", [0, 2])
def test_the_label_is_the_move_that_is_best_by_distance(seat: int) -> None:
    game: Any = fb.game("scotland-yard/plan1")
    numbers = np.random.default_rng(1).integers(count_placements(33, 3), size=200)
    inputs, values = examples(game, "distance", seat, numbers)
    plain = PlainChase(game)
    for row, label in zip(inputs, values, strict=True):
        pieces = [int(x) % 33 for x in np.flatnonzero(row)]
        mr_x, mover, *others = pieces
        detectives = pieces[1:] if seat == 0 else [mover, *others]
        best = plain.best_by_distance(seat, mr_x, detectives)
        moves = plain.ends[mr_x] - set(detectives) if seat == 0 else plain.ends[mover] - set(others)
        assert set(np.flatnonzero(label >= 0).tolist()) == moves
        assert set(np.flatnonzero(label == 1).tolist()) == best


def test_the_chase_is_solved_as_a_plain_search_solves_it() -> None:
    game: Any = fb.game("scotland-yard/grid3")
    left, plain = moves_left(game), PlainChase(game).solve(2)
    assert len(plain) == 3 * 504
    for (seat, mr_x, *detectives), moves in plain.items():
        position = (mr_x * 9 + detectives[0]) * 9 + detectives[1]
        assert left[seat, position] == (moves if moves is not None else NEVER)


def test_the_value_of_a_move_in_the_chase_falls_with_every_move_left() -> None:
    game: Any = fb.game("scotland-yard/grid3")
    plain = PlainChase(game).solve(2)
    inputs, values = examples(game, "pursuit", 1, np.arange(count_placements(9, 2)))
    for row, label in zip(inputs[::7], values[::7], strict=True):
        mr_x, mover, other = (int(x) % 9 for x in np.flatnonzero(row))
        for end in np.flatnonzero(label >= 0).tolist():
            moves = 0 if end == mr_x else plain[2, mr_x, end, other]
            assert label[end] == pytest.approx(DISCOUNT ** (NEVER if moves is None else moves), abs=1e-5)
        assert mover != other


@pytest.mark.parametrize("labels", ["distance", "pursuit"])
def test_a_resumed_net_is_the_same_net(labels: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fogbound.train.scotland_yard.supervised.CHUNK", 4)
    whole = work(learner(labels=labels))
    part = learner(labels=labels)
    part.advance()
    part.advance()
    assert 0 < part.done < part.total
    again = learner(labels=labels)
    again.restore({name: array.copy() for name, array in part.snapshot().items()})
    again.done = part.done
    first, second = work(again).snapshot(), whole.snapshot()
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert array.tobytes() == second[name].tobytes(), name


def test_a_net_learns_the_placements_of_a_small_board() -> None:
    made = learner(epochs=60, learning_rate=0.005)
    first = dict(made.advance())
    last: dict[str, float] = {}
    while made.done < made.total:
        last = dict(made.advance())
    assert last["detectives loss"] < first["detectives loss"]
    assert last["detectives right"] > 0.9 and last["mrx right"] > 0.7


def test_a_detective_averages_over_all_stations_where_mr_x_can_be(tmp_path: Path) -> None:
    game: Any = fb.game("scotland-yard/plan1")
    made = learner("scotland-yard/plan1", placements=2000, detectives="middle")
    file = tmp_path / "net.safetensors"
    nets.save(file, *made.weights())
    agent: Any = registry.agent(f"net:weights={file}", game)
    tensors = {name: array.astype(np.float32) for name, array in nets.load(str(file)).tensors.items()}
    match = game.new(seed=2)
    while match.to_move != 2 or len(game.possible(match.state)) < 3:
        match.play(match.legal()[0])
    view = match.view(2)
    chances = np.zeros(33)
    stations = [int(x) for x in view.state["station"]]
    for number in game.possible(view.state):
        x = np.zeros(99, np.float32)
        x[[game.index[number], 33 + stations[2], 66 + stations[1], 66 + stations[3]]] = 1
        hidden = np.maximum(tensors["detectives.0.weight"] @ x + tensors["detectives.0.bias"], 0)
        out = np.exp(tensors["detectives.1.weight"] @ hidden + tensors["detectives.1.bias"])
        chances += out / out.sum()
    best = max((chances[move.code & 511], move.code & 511) for move in match.legal())[1]
    assert agent.choose(view).action & 511 == best


def test_a_net_of_another_board_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "net.safetensors"
    nets.save(file, *learner(mr_x="long").weights())
    with pytest.raises(fb.FogboundError, match="was trained on grid3; grid4 has other stations or links"):
        registry.agent(f"net:weights={file}", "scotland-yard/grid4")
    with pytest.raises(fb.FogboundError, match="was not trained for 3 detectives"):
        registry.agent(f"net:weights={file}", "scotland-yard/grid3:detectives=3")
    with pytest.raises(fb.FogboundError, match="too many positions"):
        learner("scotland-yard/london", labels="pursuit")


@pytest.mark.parametrize("weights", ["husa", "pursuit"])
def test_the_shipped_nets_keep_the_contract_of_agents(weights: str) -> None:
    game, agent = "scotland-yard/plan1", f"net:weights={weights}"
    contract.test_it_plays_whole_games_by_legal_moves_only(game, agent)
    contract.test_the_same_seed_gives_the_same_game(game, agent)
    contract.test_compiled_sets_play_the_same_games_as_matches(game, agent)
    contract.test_its_decision_depends_on_the_view_alone(game, agent)
