"""Many matches side by side are the same matches, one by one: compiled rows beside rows of `Match`."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.env import FORFEIT, Environment, _Matches

PLAYED = [
    ("scotland-yard/grid5", None, None),
    ("scotland-yard/grid5", "detectives", "heuristic"),
    ("scotland-yard/plan1", 1, ["heuristic", "random"]),  # one detective of three
    ("empire/side-a:bidding=true,players=3", 0, "heuristic"),
    ("risk/classic:round_limit=1,deal=true", None, None),
]


def slow(env: Environment) -> Environment:
    """The same environment, its rows played by `Match`."""
    plays = [-1 if seat in env.seats else env.game.side_of[seat] for seat in range(env.game.seats)]
    env._rows = [_Matches(env, plays)]
    return env


def random_moves(mask: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return np.array([rng.choice(np.flatnonzero(row)) for row in mask])


@pytest.mark.parametrize(("spec", "seats", "opponents"), PLAYED)
def test_compiled_rows_are_matches_move_by_move(spec: str, seats: object, opponents: object) -> None:
    given = {"n": 3, "seats": seats, "opponents": opponents, "final": True}
    fast, plain = fb.env(spec, **given, threads=2), slow(fb.env(spec, **given))  # type: ignore[arg-type]
    assert fast.compiled
    rng, ended = np.random.default_rng(1), 0
    told, expected = fast.reset(seed=5), plain.reset(seed=5)
    for step in range(70):
        for name in told._fields:
            assert np.array_equal(getattr(told, name), getattr(expected, name)), f"{name} after {step} steps"
        assert np.array_equal(fast.final, plain.final)
        assert np.array_equal(fast.numbers, plain.numbers)
        assert set(told.seats.tolist()) <= set(fast.seats)
        moves = random_moves(told.mask, rng)
        moves[step % 3] = moves[step % 3] if step % 20 else FORFEIT
        told, expected = fast.advance(moves), plain.advance(moves)
        ended += int(told.done.sum())
        assert np.allclose(told.rewards[told.done].sum(axis=1) if len(set(fast.game.side_of)) == fast.game.seats else 0, 0)
        assert not told.rewards[~told.done].any()
    assert ended >= (4 if fast.game.family != "risk" else 3)  # matches given up count as well
    fast.close()


def test_self_play_of_a_row_is_the_game_of_its_seed_and_number() -> None:
    env, rng = fb.env("empire/seed", n=4), np.random.default_rng(3)
    told = env.reset(seed=9)
    matches = [env.game.new(seed=9, number=row) for row in range(4)]
    for _ in range(60):
        moves = random_moves(told.mask, rng)
        for row, match in enumerate(matches):
            match.play(env.move(row, int(moves[row])))
        told = env.step(moves)
        for row, match in enumerate(matches):
            if not match.over:
                assert np.array_equal(told.observations[row], match.view(match.to_move).array())


def test_opponents_play_as_they_do_in_a_set_of_games() -> None:
    """A learner that answers as the random player would plays the games of `fb.play`."""
    game = fb.game("scotland-yard/grid5")
    env = fb.env(game, n=2, seats="mr x", opponents="heuristic")
    told = env.reset(seed=3)
    records = [fb.play(game, ["random", "heuristic"], seed=3, number=number) for number in range(2)]
    moves = [[move.code for move in record.moves if move.seat == 0] for record in records]
    ended = [False, False]
    for step in range(max(map(len, moves))):
        wanted = np.argmax(told.mask, axis=1)
        for row in range(2):
            if not ended[row]:
                codes = {env.move(row, int(n)).code: int(n) for n in np.flatnonzero(told.mask[row])}
                wanted[row] = codes[moves[row][step]]
        told = env.step(wanted)
        for row in range(2):
            if told.done[row] and not ended[row]:
                ended[row] = True
                assert step + 1 == len(moves[row])
                assert told.rewards[row, 0] == 2 * records[row].scores[0] - 1  # type: ignore[index]
    assert all(ended)


def test_an_illegal_step_is_refused_and_changes_nothing() -> None:
    env = fb.env("scotland-yard/grid5", n=2)
    with pytest.raises(fb.FogboundError, match="reset"):
        env.step([0, 0])
    told = env.reset()
    before = [array.copy() for array in told]
    legal = np.argmax(told.mask, axis=1)
    for wrong in (np.argmin(told.mask[1]), -1, env.game.action_size):
        with pytest.raises(fb.IllegalMove, match="row 1"):
            env.step([legal[0], wrong])
    with pytest.raises(fb.FogboundError, match="one a row"):
        env.step([legal[0]])
    assert all(np.array_equal(a, b) for a, b in zip(before, told, strict=True))
    with pytest.raises(fb.FogboundError, match="who plays the other seats"):
        fb.env("scotland-yard/grid5", seats=0)
    with pytest.raises(fb.FogboundError, match="at least one match"):
        fb.env("scotland-yard/grid5", n=0)


def test_what_is_hidden_does_not_reach_the_learner() -> None:
    """Mr X is put elsewhere among the stations where he can be: a detective is told the same, byte for byte."""
    env = fb.env("scotland-yard/plan1", n=4, seats="detectives", opponents="random")
    env.reset(seed=2)
    rows = env._rows[0]
    told = [array.tobytes() for array in env.batch]
    stations = []
    for row in range(4):
        world = env.game.concealed(rows.states[row], 1)  # type: ignore[attr-defined]
        env.game.rules.imagine(env.game.table, world, 1, np.array([row + 1, 5, 3, 1], np.uint64))
        stations.append(world["station"][0] != rows.states[row]["station"][0])  # type: ignore[attr-defined]
        rows.states[row] = world  # type: ignore[attr-defined]
    assert any(stations)
    rows._go_on(False)  # type: ignore[attr-defined]
    assert [array.tobytes() for array in env.batch] == told
