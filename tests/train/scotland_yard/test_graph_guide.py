"""The guide for any board: what it is told is public, what its teachers are asked is what they would have been told."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

import fogbound as fb
from fogbound.agents import nets
from fogbound.agents.scotland_yard import graph_features as gf
from fogbound.agents.scotland_yard.graph_net import made_of, room_for, think
from fogbound.train.scotland_yard import graph, graph_guide
from fogbound.train.scotland_yard import graph_nets as gn
from fogbound.train.scotland_yard import selfplay_matches as sm
from tests.train.scotland_yard.test_graph import BOARDS, TINY, asked, net_of
from tests.train.scotland_yard.test_selfplay import positions, scotland_yard

OTHER_BOARD = "scotland-yard/random:stations=120"


def stations_of(state: np.ndarray, count: int) -> list[int]:
    return [s for s in range(count) if int(state["possible"][s >> 6]) >> (s & 63) & 1]


@pytest.mark.parametrize("spec", BOARDS)
def test_it_is_told_in_training_what_a_lookahead_tells_it_of_a_public_state(spec: str) -> None:
    game = scotland_yard(spec)
    states = positions(game, games=1)[:70]
    nodes = graph_guide.public(asked(game, states, (scotland_yard(OTHER_BOARD),))).nodes[0].transpose(0, 1).numpy()
    hidden = 0
    for number, state in enumerate(states):
        seen, whole = state.copy(), np.zeros(gf.WHOLE, np.uint8)
        if not state["shown"]:
            seen["station"][0] = -1
            hidden += state["turn"] == 0
        told = np.zeros((game.table.stations, gf.FIGURES), np.uint8)
        gf.tell(game.table, gf.ground_of(game), seen, int(state["turn"]), told, whole)
        np.testing.assert_array_equal(nodes[number, : game.table.stations, : gf.FIGURES], told)
    assert hidden > 0


@pytest.mark.parametrize("spec", BOARDS[:2])
def test_where_mr_x_is_hidden_it_is_told_the_same_wherever_he_is(spec: str) -> None:
    game, checked = scotland_yard(spec), 0
    for state in positions(game, games=1)[:70]:
        if state["shown"]:
            continue
        worlds = []
        for station in stations_of(state, game.table.stations):
            worlds.append(state.copy())
            worlds[-1]["station"][0] = station
        nodes = graph_guide.public(asked(game, worlds)).nodes[0, ..., : gf.FIGURES].transpose(0, 1)
        assert torch.equal(nodes, nodes[:1].expand_as(nodes))
        checked += len(worlds) > 1 and state["turn"] == 0
    assert checked > 1


@pytest.mark.parametrize("spec", BOARDS)
def test_the_critic_is_asked_about_other_stations_as_if_mr_x_were_there(spec: str) -> None:
    game, rng = scotland_yard(spec), np.random.default_rng(2)
    states = positions(game, games=1)[:70]
    moved = [state.copy() for state in states]
    for state in moved:
        state["station"][0] = rng.choice(stations_of(state, game.table.stations))
    there = torch.tensor([[int(state["station"][0]) for state in moved]] * 2)
    found = graph_guide.elsewhere(asked(game, states, (scotland_yard(OTHER_BOARD),)), there)
    wanted = asked(game, moved, (scotland_yard(OTHER_BOARD),))
    assert torch.equal(found.nodes[0], wanted.nodes[0])
    assert torch.equal(found.whole[0, :, : gf.WHOLE], wanted.whole[0, :, : gf.WHOLE])
    players = found.whole[0, :, gf.WHOLE :].view(len(states), 2, -1)
    assert players.argmax(-1).eq(sm.LEARNER).all() and players.sum() == 2 * len(states) * gf.FULL


def test_the_net_says_of_public_states_in_play_what_it_said_in_training() -> None:
    game, net = scotland_yard(BOARDS[3]), net_of()
    states = positions(game, games=1)[::5]
    inputs = graph_guide.public(asked(game, states, (scotland_yard(OTHER_BOARD),)))
    logits, _, places = (each[0].detach().numpy() for each in net(inputs))
    packed, stations, ground = made_of(gn.arrays(net)), game.table.stations, gf.ground_of(game)
    room = room_for(packed, stations)
    for number, state in enumerate(states):
        seen, nodes, whole = state.copy(), np.zeros((stations, gf.FIGURES), np.uint8), np.zeros(gf.WHOLE, np.uint8)
        if not state["shown"]:
            seen["station"][0] = -1
        gf.tell(game.table, ground, seen, int(state["turn"]), nodes, whole)
        think(packed, ground, stations, nodes, whole, room)
        np.testing.assert_allclose(room.answers[:, : gf.WAYS], logits[number].reshape(-1, gf.WAYS)[:stations], atol=2e-4)
        np.testing.assert_allclose(room.answers[:, gf.WAYS], places[number, :stations], atol=2e-4)


def test_it_learns_from_a_checkpoint_and_leads_resolve_on_any_board(tmp_path: Path) -> None:
    folder, file = tmp_path / "run", tmp_path / "guide.safetensors"
    graph.main([*TINY.split(), "--checkpoint", str(folder), "--evaluation", "0", "--iterations", "1"])
    sizes = "--width 16 --inner 16 --blocks 1 --boards 2,1,0 --each 10,10,0 --steps 6 --minibatches 2 --threads 1"
    told = f"{sizes} --device cpu --minutes 0.05 --checkpoint {folder} --export {file}"
    graph_guide.main(told.split())
    assert nets.load(str(file)).about["kind"] == "resolve-graph-guide"
    assert int(nets.load(str(file)).about["states"]) >= 3 * 10 * 6
    for spec in ("random:stations=20", "plan1:detectives=2", "london:detectives=1,rounds=3,reveals=2"):
        assert fb.play(f"scotland-yard/{spec}", [f"resolve:values={file},iterations=2"], seed=1).scores is not None
    again = f"{told} --begin {file}"
    graph_guide.main(again.split())


def test_it_comes_closer_to_its_teachers(tmp_path: Path) -> None:
    settings = graph.Settings(
        boards="1,0,0", each="60,0,0", steps=8, minibatches=2, width=16, inner=16, blocks=1, critic_blocks=1,
        device="cpu", threads=1, rate=0.0, minutes=60,
    )  # fmt: skip
    distillation = graph_guide.Distillation(graph.Trainer(settings), gn.Net(16, 16, 1), 3e-3)
    trainer, optimizer = distillation.trainer, distillation.optimizer
    for teacher, name in ((trainer.judging, "value"), (distillation.teacher, "ways")):
        getattr(teacher, name).data *= 20  # untrained, they hardly tell positions apart
    (lesson,) = (trainer.lesson(rollout) for rollout in trainer.play(distillation.groups()))

    def learn() -> dict[str, Tensor]:
        optimizer.zero_grad()
        told = distillation.lesson(lesson, 1.0)
        optimizer.step()
        return told

    first = learn()
    for _ in range(40):
        last = learn()
    for name in ("value", "mr_x", "detectives"):
        assert last[name] < first[name]
    assert last["off"] < first["off"] - 0.02
