"""Self-play for Risk: who plays whom, what the net has to decide, what a decision gained, and a run that can be resumed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import fogbound as fb
from fogbound.agents import nets as files
from fogbound.agents.risk.choices import CHOICES, MOST
from fogbound.agents.risk.policy_features import FIGURES, WHOLE
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SEATS
from fogbound.train.risk import selfplay
from fogbound.train.risk import selfplay_matches as sm
from tests.agents.risk.test_choices import Choosing, risk
from tests.agents.risk.test_policy import Told

CLASSIC = "risk/classic:players=3"
GENERATED = "risk/random:seed=5,territories=21,players=6"
TINY = "--maps 2 --each 8 --steps 8 --minibatch 64 --width 16 --inner 16 --blocks 1 --device cpu --threads 1 --minutes 1000"


def begun(games: list[Risk], line_up: int, rounds: int = 80, each: int = 12) -> tuple[sm.Matches, sm.Rows]:
    """Games of one line-up alone."""
    shares = [float(number == line_up) for number in range(len(sm.LINE_UPS))]
    matches = sm.Matches(games, each, shares, search=2, rounds=rounds, threads=1, seed=3)
    rows = sm.make_rows(matches.count)
    matches.begin(rows)
    return matches, rows


def others(matches: sm.Matches) -> list[set[int]]:
    """Who sits at each table besides one learner."""
    found = []
    for game, shard in zip(matches.games, matches.shards, strict=True):
        for kinds in shard.kinds[:, : game.seats].tolist():
            kinds.remove(sm.LEARNER)
            found.append(set(kinds))
    return found


def test_among_scripted_players_there_is_exactly_one_learner() -> None:
    matches, rows = begun([risk(CLASSIC), risk(GENERATED)], sm.AMONG_SCRIPTED)
    tables = others(matches)
    assert all(len(table) == 1 and table <= set(range(sm.SCRIPTED, sm.STRANGE)) for table in tables)
    assert len(set.union(*tables)) > 1  # of several tempers
    assert (rows.about[:, sm.OWNER] == sm.LEARNER).all()
    assert set(rows.about[:12, sm.SEAT]) == {0, 1, 2}  # wherever he sits


@pytest.mark.parametrize(
    ("line_up", "allowed"),
    [
        (sm.AMONG_SELF, {sm.LEARNER}),
        (sm.AMONG_OLDER, {sm.OLDER}),
        (sm.AMONG_STRANGERS, set(range(sm.STRANGE, sm.SEARCH))),
        (sm.AMONG_ALL, set(range(sm.SEARCH))),
        (sm.AMONG_SEARCHES, {sm.SEARCH}),
    ],
)
def test_every_line_up_has_players_of_its_kind(line_up: int, allowed: set[int]) -> None:
    matches, _ = begun([risk(GENERATED)], line_up)
    tables = others(matches)
    assert set.union(*tables) <= allowed
    assert all(len(table) == 1 for table in tables) or line_up == sm.AMONG_ALL


def test_what_is_to_be_decided_is_what_the_seat_sees_and_may_do() -> None:
    games = [risk(CLASSIC), risk(GENERATED)]
    matches, rows = begun(games, sm.AMONG_SCRIPTED, rounds=3)
    rng, ended = np.random.default_rng(0), 0
    for _ in range(100):
        choices = np.zeros(matches.count, np.int16)
        for number, (game, shard) in enumerate(zip(games, matches.shards, strict=True)):
            choosing = Choosing(game)
            for g, state in enumerate(shard.states):
                row, seat = number * matches.each + g, int(state["turn"])
                moves = choosing.listed(state)
                assert np.flatnonzero(rows.mask[row]).tolist() == sorted(moves) and len(moves) > 1
                told = Told(game, state, seat)
                assert (rows.nodes[row] == told.nodes).all() and (rows.whole[row] == told.whole).all()
                assert rows.about[row, sm.SEAT] == seat and rows.about[row, sm.SEATS_OF] == game.seats
                assert rows.about[row, sm.OWNER] == shard.kinds[g, seat] == sm.LEARNER
                choices[row] = rng.choice(sorted(moves))
        matches.wait(matches.submit(choices, rows))
        done = rows.about[:, sm.DONE] == 1
        np.testing.assert_allclose(rows.result[done].sum(1), 1, atol=1e-5)
        ended += int(done.sum())
    tally = matches.tally()
    assert ended > 10 and tally[:, sm.AMONG_SCRIPTED, 0].sum() >= ended
    assert tally[:, sm.AMONG_SCRIPTED, 3].sum() > 0  # some went on too long
    assert not matches.tally().any()


# What a decision gained.


def test_chances_by_seat_and_from_the_decider_on_are_the_same_chances() -> None:
    for seats in range(2, SEATS + 1):
        about = torch.zeros(seats, sm.ABOUT, dtype=torch.uint8)
        about[:, sm.SEAT], about[:, sm.SEATS_OF] = torch.arange(seats), seats
        ahead = torch.zeros(seats, SEATS)
        ahead[:, :seats] = torch.rand(seats, seats, generator=torch.Generator().manual_seed(seats))
        seated = selfplay.by_seat(ahead, about)
        assert torch.equal(selfplay.from_seat(seated, about), ahead)
        assert torch.equal(selfplay.by_seat(selfplay.from_seat(ahead, about), about), ahead)
        for seat in range(seats):
            assert seated[seat, seat] == ahead[seat, 0]  # the decider's own
            assert seated[seat, (seat + 1) % seats] == ahead[seat, 1]  # who comes next
        assert not seated[:, seats:].any()


def rollout(wins: list[list[float]], ends: dict[tuple[int, int], float]) -> selfplay.Rollout:
    """Chances of seat 0 of two, a row a step and a column a game; where a game has ended before a step, what he won."""
    steps, games = len(wins) - 1, len(wins[0])
    about, result = torch.zeros(steps + 1, games, sm.ABOUT, dtype=torch.uint8), torch.zeros(steps + 1, games, SEATS)
    about[..., sm.SEATS_OF] = 2
    for (step, game), won in ends.items():
        about[step, game, sm.DONE] = 1
        result[step, game, :2] = torch.tensor([won, 1 - won])
    chances = torch.zeros(steps + 1, games, SEATS)
    chances[..., 0] = torch.tensor(wins)
    chances[..., 1] = 1 - chances[..., 0]
    return selfplay.Rollout(
        torch.zeros(steps, games, MOST, FIGURES), torch.zeros(steps, games, WHOLE), torch.zeros(steps, games, CHOICES),
        about, result, torch.zeros(steps, games), torch.zeros(steps, games), chances, torch.zeros(games),
    )  # fmt: skip


def test_a_decision_gains_what_is_expected_later_and_in_the_end_the_result() -> None:
    """The first game goes on; the second is won by seat 0 after the second decision, and another one begins."""
    kept = rollout([[0.5, 0.5], [0.6, 0.6], [0.4, 0.3], [0.7, 0.2]], {(2, 1): 1.0})
    gains, targets = selfplay.advantages(kept, 0.5)
    going_on = [0.1 + 0.5 * (-0.2 + 0.5 * 0.3), -0.2 + 0.5 * 0.3, 0.3]
    ended = [0.1 + 0.5 * 0.4, 1.0 - 0.6, -0.1]
    np.testing.assert_allclose(gains[:, 0, 0], going_on, atol=1e-6)
    np.testing.assert_allclose(gains[:, 1, 0], ended, atol=1e-6)
    np.testing.assert_allclose(gains[:, :, 1], -gains[:, :, 0], atol=1e-6)  # what one gains the other loses
    assert not gains[:, :, 2:].any()
    np.testing.assert_allclose(targets[:, 0, 0], [0.575, 0.55, 0.7], atol=1e-6)
    np.testing.assert_allclose(targets[:, 1, 0], [0.8, 1.0, 0.2], atol=1e-6)
    np.testing.assert_allclose(targets.sum(2), 1.0, atol=1e-6)


def test_with_a_whole_trace_the_target_is_the_result() -> None:
    kept = rollout([[0.5], [0.9], [0.2], [0.3]], {(3, 0): 0.0})
    np.testing.assert_allclose(selfplay.advantages(kept, 1.0)[1][:, 0, 0], 0.0, atol=1e-6)


# A run.


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A very short training that was broken off and resumed."""
    folder = tmp_path_factory.mktemp("selfplay")
    threads, precision = torch.get_num_threads(), torch.get_float32_matmul_precision()
    torch.set_num_threads(1)
    command = [*TINY.split(), "--pool-every", "1", "--pool", "3", "--checkpoint", str(folder)]
    selfplay.main([*command, "--iterations", "2"])
    (folder / "before.json").write_text((folder / "state.json").read_text())
    selfplay.main([*command, "--iterations", "2", "--export", str(folder / "net.safetensors")])
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision(precision)
    return folder


def test_a_training_goes_on_from_its_checkpoint(trained: Path) -> None:
    before, after = (json.loads((trained / name).read_text()) for name in ("before.json", "state.json"))
    assert (before["iteration"], after["iteration"]) == (2, 4)
    assert (before["decisions"], after["decisions"]) == (2 * 4 * 8 * 8, 4 * 4 * 8 * 8)
    assert [line["iteration"] for line in after["curve"]] == [1, 2, 3, 4]
    assert after["curve"][:2] == before["curve"] and after["seconds"] > before["seconds"]
    for line in after["curve"]:
        assert np.isfinite([line[name] for name in ("gain", "entropy", "value", "clipped")]).all()
        assert line["entropy"] > 0 and line["value"] > 0


def test_a_resumed_trainer_has_the_nets_of_the_checkpoint(trained: Path) -> None:
    settings = selfplay.Settings(maps=2, each=8, width=16, inner=16, blocks=1, device="cpu", threads=1)
    trainer = selfplay.Trainer(settings)
    trainer.load(trained)
    kept = files.load(str(trained / "nets.safetensors")).tensors
    for net, prefix in ((trainer.net, "net."), (trainer.playing, "net."), (trainer.mean, "mean.")):
        assert all((array == kept[name]).all() for name, array in selfplay.arrays(net, prefix).items())
    assert trainer.iteration == 4 and len(trainer.pool) == 3
    assert (kept["net.node"] != kept["mean.node"]).any()  # the average lags behind


def test_the_averaged_net_is_exported_and_can_be_played(trained: Path) -> None:
    kept = files.load(str(trained / "nets.safetensors")).tensors
    exported = files.load(str(trained / "net.safetensors"))
    assert (exported.tensors["node"] == kept["mean.node"].astype(np.float16)).all()
    assert exported.about["iteration"] == "4"
    agents = [f"policy:weights={trained / 'net.safetensors'}", "random", "random"]
    record = fb.play("risk/classic:players=3,round_limit=5", agents, seed=1)
    assert record.scores is not None and sum(record.scores) == pytest.approx(1)


def test_maps_are_classic_and_generated_in_turn_and_none_is_of_the_holdout() -> None:
    games = selfplay.maps_of(selfplay.Settings(maps=10))
    assert [game.board.name == "classic" for game in games] == [True, False] * 10
    assert {game.seats for game in games} == set(range(2, SEATS + 1))
    assert {game.board.rules.deal for game in games} == {True, False}
    assert all(game.board.size <= MOST for game in games)
    seeds = [int(game.spec.partition("seed=")[2].partition(",")[0]) for game in games[1::2]]
    assert min(seeds) >= selfplay.FIRST_MAP and len(set(seeds)) == 10
