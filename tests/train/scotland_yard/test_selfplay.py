"""Self-play: rows, inputs and legal moves against a plain reading of the state, no leaks, and that it learns at all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets as files
from fogbound.agents.scotland_yard import policy
from fogbound.agents.scotland_yard import policy_features as pf
from fogbound.agents.scotland_yard.resolve_guide import guide_of
from fogbound.core.rng import stream
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, PASS
from fogbound.train.scotland_yard import resolve_guide, selfplay
from fogbound.train.scotland_yard import selfplay_files as sf
from fogbound.train.scotland_yard import selfplay_matches as sm
from fogbound.train.scotland_yard import selfplay_nets as sn

BOARDS = [
    ("scotland-yard/london", 5),
    ("scotland-yard/london:detectives=3", 5),
    ("scotland-yard/plan1", 3),
    ("scotland-yard/grid5", 2),
]
CPU = torch.device("cpu")


def scotland_yard(spec: str) -> ScotlandYard:
    game = fb.game(spec)
    assert isinstance(game, ScotlandYard)
    return game


def positions(game: ScotlandYard, games: int = 3, seed: int = 1) -> list[Any]:
    """States of random matches, every one with somebody to move."""
    rng = np.random.default_rng(seed)
    found = []
    for number in range(games):
        match = game.new(seed=number)
        while match.to_move >= 0:
            found.append(match.state.copy())
            match.play(int(rng.choice(game.legal(match.state))))
    return found


def concealed(game: ScotlandYard, state: Any) -> Any:
    view = state.copy()
    game.rules.conceal(game.table, view, int(view["turn"]))
    return view


def row_of(game: ScotlandYard, state: Any) -> np.ndarray:
    row = np.zeros(sm.WIDTH, np.uint8)
    pf.encode(concealed(game, state), row)
    row[sm.TRUTH] = state["station"][0] + 1
    return row


def plain_inputs(game: ScotlandYard, form: pf.Layout, view: Any) -> np.ndarray:
    """The inputs, written down as they are described."""
    stations, team, kinds, n = form.stations, form.team, form.transports, game.table.detectives
    seat, station = int(view["turn"]), [int(s) for s in view["station"]]
    order = [(max(seat, 1) - 1 + j) % n + 1 for j in range(n)]
    blocks = np.zeros((team + 6, stations), np.float32)
    if station[0] >= 0:
        blocks[0, station[0]] = 1
    for j, other in enumerate(order):
        blocks[1 + j, station[other]] = 1
    possible = np.array([int(view["possible"][s >> 6]) >> (s & 63) & 1 for s in range(stations)])
    near = np.maximum(0, 6 - game.paths.hops.astype(int)) / 6
    blocks[team + 1] = possible
    if view["last_seen"] >= 0:
        blocks[team + 2, view["last_seen"]] = 1
    blocks[team + 3] = np.max([near[station[other]] for other in order], axis=0)
    blocks[team + 4] = possible * near[station[seat]]
    rest = [near[station[other]] for other in order if other != seat]
    blocks[team + 5] = possible * np.max(rest, axis=0, initial=0) if rest else 0
    one = lambda room, at: np.eye(room, dtype=np.float32)[min(int(at), room - 1)]  # noqa: E731
    parts = [blocks.ravel(), one(form.slots, view["slot"]), one(form.rounds, view["round"])]
    parts += [one(9, view["slot"] - view["seen_slot"]), one(team + 1, seat), one(team, n - 1)]
    parts.append(np.array([view["second"], view["shown"], possible.sum() / stations, 1 / possible.sum()], np.float32))
    purses = [view["tickets"][other][:kinds] for other in order]
    for purse in [*purses, np.array([*view["tickets"][0][:kinds], view["tickets"][0][BLACK], view["tickets"][0][DOUBLE]])]:
        if len(parts) == 7 + len(purses):  # before Mr X's purse: room for detectives that are not there
            parts.append(np.zeros(2 * kinds * (team - n), np.float32))
        parts.append(np.array([[min(int(t), 20) / 10, t == 0] for t in purse], np.float32).ravel())
    made = np.concatenate(parts).astype(np.float32)
    return np.concatenate([made, np.zeros(form.inputs - made.size, np.float32)])


@pytest.mark.parametrize(("spec", "team"), BOARDS)
def test_inputs_say_what_they_should(spec: str, team: int) -> None:
    game = scotland_yard(spec)
    form = pf.layout(game, team)
    expand = sn.Expander(form, CPU, torch.float32)
    states = positions(game)
    expanded = expand(torch.tensor(np.array([row_of(game, state) for state in states]))).numpy()
    for state, dense in zip(states, expanded, strict=True):
        view = concealed(game, state)
        index, number = np.zeros(form.inputs, np.int32), np.zeros(form.inputs, np.float32)
        count = pf.write_inputs(form, game.table.detectives, view, index, number)
        sparse = np.zeros(form.inputs, np.float32)
        sparse[index[:count]] = number[:count]
        wanted = plain_inputs(game, form, view)
        np.testing.assert_allclose(sparse, wanted, atol=1e-6)
        np.testing.assert_allclose(dense, wanted, atol=1e-6)


@pytest.mark.parametrize(("spec", "team"), BOARDS)
def test_legal_moves_are_those_of_the_rules(spec: str, team: int) -> None:
    game = scotland_yard(spec)
    form = pf.layout(game, team)
    moves = [sn.Moves(game, form, side, CPU) for side in (0, 1)]
    for state in positions(game):
        rows = torch.tensor(row_of(game, state))[None]
        mine = moves[min(int(state["turn"]), 1)]
        fine, here = mine.legal(rows)
        codes = mine.codes[here][fine].tolist() or [PASS]
        assert sorted(codes) == sorted(game.legal(state))
        assert mine.sample(torch.zeros(1, 2 * form.codes.size), rows)[2].item() in codes


def test_detectives_are_told_nothing_that_they_may_not_know() -> None:
    """Wherever Mr X can be, the row and the inputs are the same, byte for byte."""
    game = scotland_yard("scotland-yard/london")
    form = pf.layout(game, 5)
    expand = sn.Expander(form, CPU, torch.float32)
    checked = 0
    for state in positions(game, games=2):
        if state["turn"] == 0 or state["shown"]:
            continue
        worlds = []
        for station in range(form.stations):
            if int(state["possible"][station >> 6]) >> (station & 63) & 1:
                world = state.copy()
                world["station"][0] = station
                worlds.append(row_of(game, world))
        rows = np.array(worlds)
        assert len(np.unique(rows[:, : pf.VIEW_BYTES], axis=0)) == 1
        assert rows[0, pf.STATION] == 0
        inputs = expand(torch.tensor(rows))
        assert torch.equal(inputs, inputs[:1].expand_as(inputs))
        checked += len(worlds) > 1
    assert checked > 20


def test_rows_of_the_matches_are_those_of_the_states() -> None:
    """Matches step through legal play; rows hold the concealed state; results and tallies agree."""
    game = scotland_yard("scotland-yard/plan1")
    matches = sm.Matches([game], 60, selfplay.pairings(0.14), older=2, threads=2, seed=3)
    rows = np.zeros((60, sm.WIDTH), np.uint8)
    matches.begin(rows)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(80):
        actions = np.zeros(60, np.int16)
        for _, mine, shard in matches.parts:
            for g, state in enumerate(shard.states):
                row = rows[mine][g]
                assert bytes(row[: pf.VIEW_BYTES]) == bytes(row_of(game, state)[: pf.VIEW_BYTES])
                assert row[sm.TRUTH] == state["station"][0] + 1
                side = min(int(state["turn"]), 1)
                assert (row[sm.KIND_X], row[sm.KIND_D])[side] in (sm.LEARNER, sm.OLDER)
                actions[mine.start + g] = rng.choice(game.legal(state))
        matches.wait(matches.submit(actions, rows))
        ended += int(rows[:, sm.DONE].sum())
    tally = matches.tally()
    assert ended > 60 and tally.sum() >= ended
    order, counts = np.zeros(60, np.int64), np.zeros(6, np.int64)
    sm.sort_by_owner(rows, order, counts)
    assert sorted(order) == list(range(60)) and (np.diff(rows[order, sm.OWNER].astype(int)) >= 0).all()
    assert counts.tolist() == np.bincount(rows[:, sm.OWNER], minlength=6).tolist()


def test_matches_that_are_taken_over_go_on_between_learners_from_anywhere() -> None:
    """Nobody but the learner decides, in every round there are games that he took over, and Mr X is where he can be."""
    game = scotland_yard("scotland-yard/plan1")
    openings = [(sm.CHASE, sm.RANDOM, 0.9), (sm.LEARNER, sm.LEARNER, 0.1)]
    matches = sm.Matches([game], 400, openings, older=0, threads=2, seed=3, taken_over=True)
    rows = np.zeros((400, sm.WIDTH), np.uint8)
    matches.begin(rows)
    assert (rows[:, [sm.KIND_X, sm.KIND_D]] == sm.LEARNER).all()
    assert all((shard.due == sm.NEVER).all() for _, _, shard in matches.parts)  # nobody is taken over twice
    assert set(rows[:, pf.ROUND]) == set(range(1, game.table.rounds + 1)) and set(rows[:, pf.SEAT]) == {0, 1, 2, 3}
    states = np.concatenate([shard.states for _, _, shard in matches.parts])
    places = states["station"][:, 0]
    assert (states["possible"][np.arange(400), places >> 6] >> (places & 63).astype(np.uint64) & np.uint64(1)).all()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A short training on a small board."""
    folder = tmp_path_factory.mktemp("selfplay")
    torch.set_num_threads(1)
    common = ["scotland-yard/grid5:rounds=6", "--teams", "2", "--device", "cpu", "--matches", "128", "--steps", "16"]
    common += ["--minibatches", "2", "--width", "32", "--blocks", "2", "--threads", "1", "--pool-every", "2"]
    common += ["--evaluate-every", "100", "--evaluation", "220", "--average", "0.9", "--rate", "0.002"]
    selfplay.main([*common, "--iterations", "4", "--checkpoint", str(folder)])
    selfplay.main(
        [*common, "--iterations", "3", "--checkpoint", str(folder), "--export", str(folder / "policy.safetensors")]
    )
    return folder


def test_a_guide_is_distilled_from_the_nets(trained: Path, tmp_path: Path) -> None:
    nets, file = trained / "policy.safetensors", tmp_path / "guide.safetensors"
    common = ["scotland-yard/grid5:rounds=6", "--teams", "2", "--device", "cpu", "--matches", "64", "--steps", "8"]
    common += ["--minibatches", "1", "--threads", "1", "--critic-width", "32", "--critic-blocks", "2", "--minutes", "0.002"]
    critic = trained / "critic.safetensors"
    resolve_guide.main(
        [*common, "--policy", str(nets), "--critic", str(critic), "--width", "16", "--blocks", "1", "--export", str(file)]
    )
    game = scotland_yard("scotland-yard/grid5:rounds=6")
    values = guide_of(game, files.load(str(file))).values(np.array(positions(game, games=1)))
    assert ((values > 0) & (values < 1)).all() and np.ptp(values) > 0


def test_training_goes_on_from_its_checkpoint(trained: Path) -> None:
    state = json.loads((trained / "state.json").read_text())
    assert state["iteration"] == 7
    assert state["decisions"] == 7 * 128 * 16
    assert [line["iteration"] for line in state["curve"]] == [1, 2, 3, 4, 4, 5, 6, 7, 7]
    sf.write_curve(trained, trained / "curve.csv")
    assert "mean 2: learner x heuristic" in (trained / "curve.csv").read_text().splitlines()[0]


def test_training_can_begin_with_shipped_nets_and_their_critic(trained: Path) -> None:
    game = "scotland-yard/grid5:rounds=6"
    settings = selfplay.Settings(game, (2,), matches=8, width=32, blocks=2, device="cpu", threads=1)
    trainer = selfplay.Trainer(settings)
    trainer.begin_with(str(trained / "policy.safetensors"), trained / "critic.safetensors")
    for side, name in zip(trainer.sides, sf.SIDES, strict=True):
        shipped = files.load(str(trained / "policy.safetensors")).tensors[f"{name}.first"]
        for net in (side.mean, side.net, side.magnet, side.playing):
            assert np.array_equal(net.first.detach().numpy().astype(np.float16), shipped)
    assert trainer.iteration == 7, "updates are counted over all runs"
    critic = files.load(str(trained / "critic.safetensors")).tensors["c.first"]
    assert np.array_equal(trainer.critic.first.detach().numpy().astype(np.float16), critic)


def test_a_share_of_the_games_is_against_scripted_players() -> None:
    for scripted in (0.0, 0.14, 0.6):
        shares = selfplay.pairings(scripted)
        assert sum(share for *_, share in shares) == pytest.approx(1)
        learners = {sm.LEARNER, sm.OLDER}
        assert sum(share for x, d, share in shares if not {x, d} <= learners) == pytest.approx(scripted)


def test_a_best_response_is_learned_against_the_given_nets_alone(trained: Path, tmp_path: Path) -> None:
    champion = str(trained / "policy.safetensors")
    command = ["scotland-yard/grid5:rounds=6", "--teams", "2", "--device", "cpu", "--matches", "128", "--steps", "16"]
    command += ["--minibatches", "2", "--width", "32", "--blocks", "2", "--threads", "1", "--pool-every", "1"]
    command += ["--evaluation", "220", "--iterations", "10", "--checkpoint", str(tmp_path)]
    selfplay.main([*command, "--weights", champion, "--against", champion])
    state = json.loads((tmp_path / "state.json").read_text())
    played = {name.partition(": ")[2] for line in state["curve"] for name in line if name.startswith("train")}
    assert played == {"learner x older", "older x learner"}
    older = sf.stretched(files.load(str(tmp_path / "older.safetensors")).tensors)
    assert older["0.x.first"] == pytest.approx(files.load(champion).tensors["x.first"].astype(np.float32), abs=0.02)
    assert not any(name.startswith("1.") for name in older)


def test_play_without_torch_agrees_with_torch(trained: Path) -> None:
    game = scotland_yard("scotland-yard/grid5:rounds=6")
    weights = files.load(str(trained / "policy.safetensors"))
    params = policy.params(game, weights)
    form = params.layout
    expand = sn.Expander(form, CPU, torch.float32)
    out, shares = np.zeros(game.most_actions, np.int64), np.zeros(game.most_actions)
    for state in positions(game, games=2):
        seat = int(state["turn"])
        side, name = min(seat, 1), "xd"[min(seat, 1)]
        places = weights.tensors[f"{name}.belief_bias"].size
        net = sn.Net(form.inputs, weights.tensors[f"{name}.policy_bias"].size, places, sn.Size(32, 2))
        sn.restore(net, weights.tensors, f"{name}.")
        rows = torch.tensor(row_of(game, state))[None]
        moves = sn.Moves(game, form, side, CPU)
        with torch.no_grad():
            trunk = net.trunk(expand(rows))
            chances, fine, here = moves.log_chances(net.logits(trunk), rows)
            wins = torch.sigmoid(net.win(trunk)).item()
        view = concealed(game, state)
        policy.think(game.table, params, view, seat)
        ours = params.mr_x if seat == 0 else params.detectives
        assert policy.value(ours) == pytest.approx(wins, abs=1e-4)
        count = game.rules.legal(game.table, view, out)
        policy.mix(game.table, params, view, seat, out, shares, 0)
        mine = dict(zip(out[:count].tolist(), np.log(shares[:count]).tolist(), strict=True))
        theirs = dict(zip(moves.codes[here][fine].tolist(), chances[fine].tolist(), strict=True))
        assert mine == pytest.approx(theirs, abs=1e-3) or count == 1


def test_the_agent_plays_its_file(trained: Path) -> None:
    game = scotland_yard("scotland-yard/grid5:rounds=6")
    options = policy.PolicyOptions(weights=str(trained / "policy.safetensors"))
    for seed in range(3):
        match = game.new(seed=seed)
        agents = [policy.Policy(game, options, stream(seed, "a", side), stream(seed, "b", side)) for side in (0, 1)]
        while match.to_move >= 0:
            view = match.view(match.to_move)
            match.play(agents[min(match.to_move, 1)].decide(view).action)
        assert match.state["winner"] in (0, 1)


def test_weights_of_another_board_are_refused(trained: Path) -> None:
    weights = files.load(str(trained / "policy.safetensors"))
    with pytest.raises(fb.FogboundError, match="for the board grid5, not plan1"):
        policy.params(scotland_yard("scotland-yard/plan1"), weights)
    with pytest.raises(fb.FogboundError, match="up to 2 detectives"):
        policy.params(scotland_yard("scotland-yard/grid5:detectives=3"), weights)


def test_nets_play_their_stations_and_lines_by_other_rules_too() -> None:
    game, weights = scotland_yard("scotland-yard/london-modern"), files.load("policy-london")
    assert policy.params(game, weights).layout.stations == 199
    with pytest.raises(fb.FogboundError, match="do not fit the rules"):
        policy.params(scotland_yard("scotland-yard/london-modern:rounds=10"), weights)
    nets = files.load("policy-plan1")
    whole, short = (scotland_yard(f"scotland-yard/plan1:rounds={rounds}") for rounds in (12, 11))
    told = [policy.params(game, nets).layout[:6] for game in (whole, short)]
    assert told[0] == told[1] == pf.layout(whole, 3)[:6]  # every input is where the net has learned it


def test_older_selves_are_kept_in_bytes() -> None:
    rng = np.random.default_rng(0)
    tensors = {
        "a": rng.normal(size=(2, 5, 7)).astype(np.float32),
        "b": rng.normal(size=9).astype(np.float32),
        "c": np.zeros((0, 4), np.float32),
    }
    again = sf.stretched(sf.squeezed(tensors))
    for name, array in tensors.items():
        assert again[name].shape == array.shape
        np.testing.assert_allclose(again[name], array, atol=0.02)
