"""Every game: what a seat may not know does not reach it, and what it imagines fits what it knows."""

from __future__ import annotations

import json
from random import Random

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.core.rng import stream
from tests.contract.playing import game, positions
from tests.contract.specs import GAMES

pytestmark = pytest.mark.parametrize("spec", GAMES)


def knowledge(view: fb.View) -> bytes:
    """Everything that a view holds, as bytes."""
    played = view.game
    parts = {
        "history": [(seen.seat, seen.code, played.describe(seen.code), played.details(seen.code)) for seen in view.history],
        "public": played.public(view.state),
        "legal": [move.text for move in view.legal()],
        "to_move": view.to_move,
    }
    held = view.state.tobytes() + view.start.tobytes() + json.dumps(parts).encode()
    return held + view.array().tobytes() + view.mask().tobytes() + view.key() + view.imagine().state.tobytes()


def viewers(match: fb.Match) -> range:
    return range(SPECTATOR, match.game.seats)


def test_concealing_twice_conceals_no_more(spec: str) -> None:
    for match in positions(spec, range(2), every=5):
        for seat in viewers(match):
            once = match.view(seat).state
            assert match.game.concealed(once, seat).tobytes() == once.tobytes()


def test_what_is_imagined_looks_to_the_seat_exactly_as_what_it_sees(spec: str) -> None:
    rng = stream(9, "imagination of a test")
    for match in positions(spec, range(3), every=4):
        rules, table = match.game.rules, match.game.table
        for seat in range(match.game.seats):
            seen = match.view(seat).state
            for _ in range(4):
                world = seen.copy()
                rules.imagine(table, world, seat, rng)
                assert rules.to_move(world) == match.to_move
                assert match.game.legal(world), "an imagined world must be playable"
                if seat == match.to_move:
                    assert match.game.legal(world) == match.game.legal(match.state)
                assert match.game.concealed(world, seat).tobytes() == seen.tobytes()


def test_imagined_worlds_can_be_played_to_the_end(spec: str) -> None:
    imagination = stream(10, "imagination of a test")
    for match in positions(spec, range(2), every=25):
        rng = Random(len(match.moves))
        seat = match.to_move
        twin = match.copy()
        twin.state = match.view(seat).state
        match.game.rules.imagine(match.game.table, twin.state, seat, imagination)
        for _ in range(200):
            if not twin.over:
                twin.play(rng.choice(twin.legal()))


def test_imagination_is_varied_where_something_is_hidden(spec: str) -> None:
    rng = stream(11, "imagination of a test")
    most_worlds, hidden = 1, False
    for match in positions(spec, range(3), every=3):
        seat = match.game.seats - 1
        seen = match.view(seat).state
        hidden |= seen.tobytes() != match.state.tobytes()
        worlds = set()
        for _ in range(12):
            world = seen.copy()
            match.game.rules.imagine(match.game.table, world, seat, rng)
            worlds.add(world.tobytes())
        most_worlds = max(most_worlds, len(worlds))
    assert most_worlds > 1 or not hidden


def test_imagining_does_not_change_the_match(spec: str) -> None:
    for match in positions(spec, range(1), every=10):
        before, rng = match.state.tobytes(), match._chance.rng.copy()
        view = match.view(match.to_move)
        match.game.rules.imagine(match.game.table, view.state, view.seat, stream(1, "test"))
        assert match.state.tobytes() == before
        assert np.array_equal(match._chance.rng, rng)


def test_two_moves_that_look_the_same_leave_the_same_view(spec: str) -> None:
    """Change one hidden move, with the same chance, and compare all that the others can see, byte for byte."""
    for match in positions(spec, range(4), every=2):
        for viewer in viewers(match):
            looks: dict[int, list[int]] = {}
            for code in some(match.game.legal(match.state)):
                seen = match.game.rules.observe(match.game.table, match.state, code, viewer)
                looks.setdefault(int(seen), []).append(code)
            for alike in looks.values():
                if len(alike) > 1:
                    _compare_twins(match, viewer, alike[:3])


def some(codes: list[int], most: int = 40) -> list[int]:
    """Not more than so many of a long list, from all over it."""
    return codes[:: 1 + len(codes) // most]


def _compare_twins(match: fb.Match, viewer: int, alike: list[int]) -> None:
    twins = [match.copy() for _ in alike]
    for twin, code in zip(twins, alike, strict=True):
        twin.play(code)
    going_on = [twin for twin in twins if not twin.over]
    for twin in going_on[1:]:
        assert knowledge(twin.view(viewer)) == knowledge(going_on[0].view(viewer))
        if twin.to_move == viewer:
            assert _refusals(twin) == _refusals(going_on[0])


def _refusals(match: fb.Match) -> list[str]:
    """The error texts that a seat gets for moves it may not make."""
    texts = []
    legal = {move.code for move in match.legal()}
    for code in range(0, 3000, 61):
        if code not in legal:
            with pytest.raises(fb.IllegalMove) as refusal:
                match.play(code)
            texts.append(str(refusal.value))
    return texts


def test_the_start_in_a_view_is_what_the_seat_saw_of_it_then(spec: str) -> None:
    match, rng = game(spec).new(seed=5), Random(5)
    seen = {seat: match.view(seat).state.tobytes() for seat in viewers(match)}
    while not match.over and len(match.moves) < 40:
        match.play(rng.choice(match.legal()))
        assert {seat: match.view(seat).start.tobytes() for seat in viewers(match)} == seen


def test_views_do_not_hold_the_match_or_its_seed(spec: str) -> None:
    match = game(spec).new(seed=987654321)
    view = match.view(0)
    assert set(vars(view)) == {"game", "seat", "state", "history", "start"}
    assert not any(isinstance(value, fb.Match) for value in vars(view).values())
    assert not np.shares_memory(np.frombuffer(view.state.tobytes(), np.uint8), np.frombuffer(match.state, np.uint8))


def test_a_changed_view_does_not_change_the_match(spec: str) -> None:
    match = game(spec).new(seed=3)
    before = match.state.tobytes()
    view = match.view(match.to_move)
    for name in view.state.dtype.names:
        view.state[name] = view.start[name] = 0
    assert match.state.tobytes() == before
