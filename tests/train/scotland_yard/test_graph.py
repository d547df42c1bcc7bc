"""Self-play on many boards: inputs and legal moves against a plain reading of the state, the same net in play, no leaks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents.scotland_yard import graph_features as gf
from fogbound.agents.scotland_yard import graph_net
from fogbound.agents.scotland_yard.graph import Params, mix
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE
from fogbound.train.scotland_yard import graph
from fogbound.train.scotland_yard import graph_matches as gm
from fogbound.train.scotland_yard import graph_nets as gn
from tests.train.scotland_yard.test_selfplay import CPU, concealed, positions, row_of, scotland_yard

BOARDS = [
    "scotland-yard/london",
    "scotland-yard/plan1:detectives=2",
    "scotland-yard/grid5",
    "scotland-yard/random:stations=110,seed=3,first=detectives,stuck_detectives=pass",
    "scotland-yard/random:stations=12,show_start=true,step_on_detective=true,reveals=none",
]
TINY = "--boards 2,1,0 --each 8,8,8 --steps 6 --minibatches 2 --width 16 --inner 16 --blocks 1 --critic-blocks 1"
TINY += " --device cpu --threads 1"


def net_of(width: int = 16, inner: int = 24, blocks: int = 2) -> gn.Net:
    torch.manual_seed(3)
    made = gn.Net(width, inner, blocks)
    for parameter in made.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return made


def plain_inputs(game: ScotlandYard, view: Any) -> tuple[np.ndarray, np.ndarray]:
    """The numbers, written down as they are described."""
    table, n, count = game.table, game.table.detectives, game.table.stations
    seat, station = int(view["turn"]), [int(s) for s in view["station"]]
    kinds = gf.classes_of(table)
    lines = [0] * table.transports
    for each in game.board.stations:
        for name, ends in each.links.items():
            lines[game.ticket_names.index(name)] += len(ends)
    payable = [i for i in range(table.transports) if table.payable >> i & 1]
    ranked = sorted(range(table.transports), key=lambda i: (-lines[i] if i in payable else 0, i))
    assert all(kinds[i] == min(ranked.index(i), 2) for i in payable)
    possible = {s for s in range(count) if int(view["possible"][s >> 6]) >> (s & 63) & 1}
    near = np.maximum(0, 8 - game.paths.hops.astype(int)) * 255 // 8
    purse = lambda who: [sum(int(view["tickets"][who][i]) for i in payable if kinds[i] == c) for c in range(3)]  # noqa: E731
    few = lambda amount: min(amount, 12) * 21  # noqa: E731
    nodes = np.zeros((count, gf.FIGURES), int)
    for s in range(count):
        links = game.board.stations[s].links
        by_kind = [
            {end for name, ends in links.items() if kinds[game.ticket_names.index(name)] == c for end in ends}
            for c in range(3)
        ]
        by_kind.append({end for ends in links.values() for end in ends})
        nodes[s, gf.DEGREE :] = [min(len(each), 15) * 17 for each in by_kind]
        if s in possible:
            nodes[s, gf.POSSIBLE], nodes[s, gf.LIKELY] = 255, 255 // len(possible)
        team = [(who, near[station[who], s]) for who in range(1, n + 1)]
        nodes[s, gf.NEAR] = max(close for _, close in team)
        nodes[s, gf.NEAR_OTHERS] = max([close for who, close in team if who != seat], default=0)
        nodes[s, gf.NEAR_MOVER] = near[station[seat], s] if seat else 0
        nodes[s, gf.NEAR_PENDING] = max([close for who, close in team if who >= seat], default=0)
        nodes[s, gf.NEAR_MR_X] = near[station[0], s] if station[0] >= 0 else 0
        nodes[s, gf.NEAR_SEEN] = near[view["last_seen"], s] if view["last_seen"] >= 0 else 0
    nodes[station[seat], gf.MOVER] = 255
    if station[0] >= 0:
        nodes[station[0], gf.MR_X] = 255
    if view["last_seen"] >= 0:
        nodes[view["last_seen"], gf.SEEN] = 255
    for who in range(1, n + 1):
        nodes[station[who], gf.DETECTIVE] = 255
        nodes[station[who], gf.PENDING] = 255 * (who >= seat)
        nodes[station[who], gf.TICKETS : gf.TICKETS + 6] = [*map(few, purse(who)), *(255 * (t == 0) for t in purse(who))]
    left, rules = max(0, table.rounds - int(view["round"])), game.board.rules
    ahead = [slot - int(view["slot"]) for slot in game.board.reveals() if slot > view["slot"]]
    his = [*purse(0), int(view["tickets"][0][BLACK]), int(view["tickets"][0][DOUBLE])]
    flags = [rules.step_on_detective, rules.hand_over, rules.first == "detectives", rules.closing_move]
    whole = [255 * (seat == 0), 255 * int(view["second"]), 255 * int(view["shown"]), 10 * min(left, 24), 255 // (1 + left)]
    whole += [255 // ahead[0] if ahead else 0, *(255 * (ahead[:1] == [k]) for k in (1, 2, 3)), 255 * (not ahead)]
    whole += [31 * min(8, int(view["slot"] - view["seen_slot"])), *(255 * (n == k) for k in range(1, 6))]
    whole += [51 * (n + 1 - max(seat, 1)), 255 * len(possible) // count, 255 // len(possible), 12 * min(20, len(possible))]
    for tickets in (his, purse(seat)):
        whole += [*map(few, tickets), *(255 * (t == 0) for t in tickets)]
    whole += [sum(few(purse(who)[c]) for who in range(1, n + 1)) // n for c in range(3)]
    whole += [
        min(count, 255),
        *(255 * flag for flag in flags),
        255 * (rules.stuck_detectives == "pass"),
        255 * (his[0] >= 255),
    ]
    return nodes, np.array(whole, int)


def told(game: ScotlandYard, view: Any) -> tuple[np.ndarray, np.ndarray]:
    nodes, whole = np.full((game.table.stations, gf.FIGURES), 7, np.uint8), np.full(gf.WHOLE, 7, np.uint8)
    gf.tell(game.table, gf.ground_of(game), view, int(view["turn"]), nodes, whole)
    return nodes, whole


def asked(game: ScotlandYard, states: list[Any], beside: tuple[ScotlandYard, ...] = ()) -> gn.Inputs:
    """These positions as training tells them, on the first of some boards; the others lie beside it."""
    atlas = gn.Atlas([game, *beside], CPU, torch.float32)
    matches = gm.ToldMatches(atlas.games, len(states), graph.ALONE, 1, 1, atlas.stations, pinned=False)
    shard = matches.parts[0][2]
    shard.states[:] = np.array(states, shard.states.dtype)
    nodes, whole, moves = (tensor[0].numpy() for tensor in (matches.nodes, matches.whole, matches.moves))
    gm.tell_all(game.table, matches.grounds[0], shard, nodes, whole, moves)
    for row, state in enumerate(states):
        matches.rows[0, row] = torch.tensor(row_of(game, state))
    return gn.Inputs(atlas, matches.rows, matches.nodes.transpose(1, 2), matches.whole, matches.moves)


@pytest.mark.parametrize("spec", BOARDS)
def test_inputs_and_legal_moves_are_what_they_should_be(spec: str) -> None:
    """In training, beside a larger board, and in play."""
    game = scotland_yard(spec)
    states = positions(game)[:80]
    inputs = asked(game, states, (scotland_yard("scotland-yard/random:stations=120"),))
    nodes, stations = inputs.nodes[0].transpose(0, 1).numpy(), game.table.stations
    for number, state in enumerate(states):
        wanted, wanted_whole = plain_inputs(game, concealed(game, state))
        played, played_whole = told(game, concealed(game, state))
        for made, expected in (
            (played, wanted),
            (played_whole, wanted_whole),
            (nodes[number, :stations, : gf.FIGURES], wanted),
            (inputs.whole[0, number, : gf.WHOLE].numpy(), wanted_whole),
        ):
            np.testing.assert_array_equal(made, expected)
        assert not nodes[number, stations:].any()
        moves = inputs.moves[0, number].tolist()
        assert moves[: moves.index(gm.NO_MOVE)] == list(game.legal(state))


@pytest.mark.parametrize("spec", BOARDS)
def test_the_net_says_in_play_what_it_said_in_training(spec: str) -> None:
    game, net = scotland_yard(spec), net_of()
    states = positions(game, games=1)[::7]
    inputs = asked(game, states, (scotland_yard("scotland-yard/random:stations=120"),))
    logits, wins, places = (each[0].detach().numpy() for each in net(inputs))
    chances = inputs.log_chances(net(inputs)[0])[0].exp()
    packed = graph_net.made_of(gn.arrays(net))
    ground, room, stations = gf.ground_of(game), graph_net.room_for(packed, game.table.stations), game.table.stations
    on = graph_net.OnBoard(ground, packed, room, *empty_inputs(stations))
    params = Params(on, np.zeros(game.most_actions), 1.0, 0.0)
    for number, state in enumerate(states):
        out = np.zeros(game.most_actions, np.int64)
        mixed, view = np.zeros(game.most_actions), concealed(game, state)
        mix(game.table, params, view, int(view["turn"]), out, mixed, 0)
        np.testing.assert_allclose(
            mixed[: len(game.legal(state))], chances[number, : len(game.legal(state))].detach(), atol=1e-4
        )
        if len(game.legal(state)) > 1:
            answers = logits[number].reshape(-1, gf.WAYS)[:stations]
            np.testing.assert_allclose(room.answers[:, : gf.WAYS], answers, atol=2e-4)
            np.testing.assert_allclose(room.answers[:, gf.WAYS], places[number, :stations], atol=2e-4)
            assert room.win[0] == pytest.approx(wins[number], abs=2e-4)


def test_lines_carry_the_same_as_a_gpu_multiplies_them_and_gradients_too() -> None:
    game, net = scotland_yard(BOARDS[3]), net_of()
    inputs = asked(game, positions(game, games=1)[::9], (scotland_yard("scotland-yard/random:stations=120"),))
    atlas, found = inputs.atlas, []
    dense = atlas.lines.adjacency.to_dense().reshape(2, atlas.stations, 2, -1)
    whole = torch.stack([dense[board, :, board] for board in range(2)])
    for lines in (atlas.lines, gn.Lines(whole, whole[:0])):
        atlas.lines = lines
        logits, wins, _ = net(inputs)
        (wins.sum() + logits.sum()).backward()
        found.append((logits.detach(), net.near.grad.clone(), net.node.grad.clone()))
        net.zero_grad()
    for sparse, plain in zip(*found, strict=True):
        torch.testing.assert_close(sparse, plain, atol=1e-4, rtol=1e-4)


def empty_inputs(stations: int) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((stations, gf.FIGURES), np.uint8), np.zeros(gf.WHOLE, np.uint8)


def test_detectives_are_told_nothing_that_they_may_not_know() -> None:
    """Wherever Mr X can be, the numbers are the same, byte for byte, and so are the moves."""
    game, checked = scotland_yard(BOARDS[3]), 0
    for state in positions(game, games=2)[::3]:
        if state["turn"] == 0 or state["shown"]:
            continue
        worlds = []
        for station in range(game.table.stations):
            if int(state["possible"][station >> 6]) >> (station & 63) & 1:
                worlds.append(state.copy())
                worlds[-1]["station"][0] = station
        inputs = asked(game, worlds)
        nodes = inputs.nodes[0, ..., : gf.FIGURES].transpose(0, 1)
        for made in (nodes, inputs.whole[0, :, : gf.WHOLE], inputs.moves[0]):
            assert torch.equal(made, made[:1].expand_as(made))
        checked += len(worlds) > 1
    assert checked > 10


def test_the_critic_knows_where_mr_x_is_and_how_far_everybody_is_from_him() -> None:
    game = scotland_yard("scotland-yard/plan1")
    states = positions(game, games=1)
    nodes = asked(game, states).nodes[0].transpose(0, 1)
    for state, made in zip(states, nodes, strict=True):
        place = int(state["station"][0])
        assert made[:, gm.TRUE_MR_X].nonzero().tolist() == [[place]]
        close = np.maximum(0, 8 - game.paths.hops[place].astype(int)) * 255 // 8
        np.testing.assert_array_equal(made[: game.table.stations, gm.NEAR_TRUE], close)


def test_the_boards_that_are_learned_on_are_not_those_that_are_held_out() -> None:
    boards = [game.spec for group in graph.boards_of(graph.Settings()) for game in group]
    assert len(boards) == len(set(boards)) == 104
    held_out = {fb.game(f"scotland-yard/{name}").spec for name in graph.HELD_OUT}
    assert not held_out & set(boards)
    seeds = [int(spec.split("seed=")[1].split(",")[0]) for spec in boards if "seed=" in spec]
    assert min(seeds) >= graph.FIRST_BOARD
    assert {game.table.detectives for group in graph.boards_of(graph.Settings()) for game in group} == {2, 3, 4, 5}


def test_a_run_can_be_resumed_and_its_net_played(tmp_path: Path) -> None:
    folder, file = tmp_path / "run", tmp_path / "net.safetensors"
    options = [*TINY.split(), "--checkpoint", str(folder), "--evaluation", "14", "--pool-every", "1"]
    graph.main([*options, "--iterations", "2"])
    graph.main([*options, "--iterations", "1", "--export", str(file)])
    state = json.loads((folder / "state.json").read_text(encoding="utf-8"))
    assert state["iteration"] == 3 and state["born"] == [1, 2]
    assert state["decisions"] == 3 * 6 * 8 * 3
    assert f"{graph.HELD_OUT[0]}: learner x heuristic" in state["curve"][-1]
    assert fb.play("scotland-yard/random:stations=30", [f"graph:weights={file}"], seed=1).scores is not None


def test_it_learns(tmp_path: Path) -> None:
    """On one small board: detectives who learned win more against the Mr X who learned beside them than at first."""
    settings = graph.Settings(
        boards="1,0,0", each="96,0,0", steps=16, minibatches=4, width=24, inner=24, blocks=2, device="cpu", threads=1,
        iterations=40, minutes=60, evaluation=0, evaluate_every=1000, rate=3e-3, final_rate=3e-3, average=0.9, league=0,
    )  # fmt: skip
    trainer = graph.Trainer(settings)
    groups = trainer.groups()
    first = last = 0.0
    for number in range(settings.iterations):
        told = trainer.learn(trainer.play(groups))
        first, last = (told["belief"], last) if number == 0 else (first, told["belief"])
    assert last < first - 0.1
