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
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, PASS
from fogbound.train.scotland_yard import graph
from fogbound.train.scotland_yard import graph_nets as gn
from fogbound.train.scotland_yard import selfplay_matches as sm
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


def test_inputs_say_what_they_should_on_every_board() -> None:
    """Together on the GPU, boards of different sizes in one block, and one by one in play."""
    games = [scotland_yard(spec) for spec in BOARDS]
    atlas = gn.Atlas(games, CPU, torch.float32)
    states = [positions(game)[:60] for game in games]
    count = min(map(len, states))
    rows = torch.tensor(
        np.array([[row_of(game, state) for state in some[:count]] for game, some in zip(games, states, strict=True)])
    )
    inputs = gn.Inputs(atlas, rows)
    nodes, whole = inputs.nodes().transpose(1, 2).numpy(), inputs.whole().numpy()
    for number, game in enumerate(games):
        for place, state in enumerate(states[number][:count]):
            view = concealed(game, state)
            wanted = plain_inputs(game, view)
            for made, expected in zip(told(game, view), wanted, strict=True):
                np.testing.assert_array_equal(made, expected)
            np.testing.assert_array_equal(nodes[number, place, : game.table.stations], wanted[0])
            assert not nodes[number, place, game.table.stations :].any()
            np.testing.assert_array_equal(whole[number, place], wanted[1])


def test_legal_moves_are_those_of_the_rules_on_every_board() -> None:
    games = [scotland_yard(spec) for spec in BOARDS]
    atlas = gn.Atlas(games, CPU, torch.float32)
    for number, game in enumerate(games):
        for state in positions(game, games=2):
            rows = torch.zeros(len(games), 1, sm.WIDTH, dtype=torch.uint8)
            rows[:, 0] = torch.tensor(row_of(game, state))
            inputs = gn.Inputs(atlas, rows)
            where = inputs.where.clamp(max=atlas.stations)
            inputs.where = where
            fine, here = atlas.moves.legal(inputs)
            codes = atlas.moves.codes[number, here[number, 0]][fine[number, 0]].tolist() or [PASS]
            assert sorted(codes) == sorted(game.legal(state))


@pytest.mark.parametrize("spec", BOARDS)
def test_the_net_says_in_play_what_it_said_in_training(spec: str) -> None:
    game, net = scotland_yard(spec), net_of()
    atlas = gn.Atlas([scotland_yard("scotland-yard/random:stations=120"), game], CPU, torch.float32)
    packed = graph_net.made_of(gn.arrays(net))
    ground, room = gf.ground_of(game), graph_net.room_for(packed, game.table.stations)
    for state in positions(game, games=1)[::7]:
        row = torch.tensor(row_of(game, state)).expand(2, 1, sm.WIDTH)
        logits, wins, places = net(gn.Inputs(atlas, row))
        nodes, whole = told(game, concealed(game, state))
        graph_net.think(packed, ground, game.table.stations, nodes, whole, room)
        answers = logits[1, 0].detach().numpy().reshape(-1, gf.WAYS)[: game.table.stations]
        np.testing.assert_allclose(room.answers[:, : gf.WAYS], answers, atol=2e-4)
        np.testing.assert_allclose(room.answers[:, gf.WAYS], places[1, 0].detach().numpy()[: game.table.stations], atol=2e-4)
        assert room.win[0] == pytest.approx(wins[1, 0].item(), abs=2e-4)


def test_detectives_are_told_nothing_that_they_may_not_know() -> None:
    """Wherever Mr X can be, the numbers are the same, byte for byte."""
    game = scotland_yard(BOARDS[3])
    atlas, checked = gn.Atlas([game], CPU, torch.float32), 0
    for state in positions(game, games=2):
        if state["turn"] == 0 or state["shown"]:
            continue
        worlds = []
        for station in range(game.table.stations):
            if int(state["possible"][station >> 6]) >> (station & 63) & 1:
                world = state.copy()
                world["station"][0] = station
                worlds.append(row_of(game, world))
        rows = torch.tensor(np.array(worlds))[None]
        inputs = gn.Inputs(atlas, rows)
        for made in (inputs.nodes().transpose(1, 2)[0], inputs.whole()[0]):
            assert torch.equal(made, made[:1].expand_as(made))
        checked += len(worlds) > 1
    assert checked > 20


def test_the_critic_knows_where_mr_x_is() -> None:
    game = scotland_yard("scotland-yard/plan1")
    atlas = gn.Atlas([game], CPU, torch.float32)
    for state in positions(game, games=1):
        nodes = gn.Inputs(atlas, torch.tensor(row_of(game, state))[None, None]).nodes(truth=True)[0, :, 0]
        assert nodes[:, gf.MR_X].nonzero().tolist() == [[int(state["station"][0])]]
        seat = int(state["turn"])
        assert nodes[:, gf.MOVER].nonzero().tolist() == [[int(state["station"][seat])]]


def test_the_boards_that_are_learned_on_are_not_those_that_are_held_out() -> None:
    boards = [game.spec for group in graph.boards_of(graph.Settings()) for game in group]
    assert len(boards) == len(set(boards)) == 52
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
        told = trainer.learn(groups, trainer.play(groups))
        first, last = (told["belief"], last) if number == 0 else (first, told["belief"])
    assert last < first - 0.1
