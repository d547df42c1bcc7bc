"""What is hidden stays hidden: sealed bids, and cards that have not come out yet."""

from __future__ import annotations

import json

import numpy as np
import pytest
from rich.console import Console

import fogbound as fb
from fogbound.core.contract import SPECTATOR
from fogbound.core.rng import stream
from fogbound.games.empire import rules

BIDDING = [
    "empire/seed:bidding=true",
    "empire/side-b:players=4,bidding=true,tokens=true",
    "empire/seed:players=5,bidding=true",
]


def everything_seen(match: fb.Match, seat: int) -> bytes:
    """All that a seat is given of a match, as bytes."""
    view = match.view(seat)
    console = Console(record=True, width=140, file=open("/dev/null", "w"))  # noqa: SIM115
    console.print(match.game.picture(view))
    words = [match.game.describe(seen.code) for seen in view.history]
    texts = [console.export_text(), json.dumps(match.game.public(view.state)), repr(view.history), repr(words)]
    return view.state.tobytes() + "\n".join([*texts, repr(view.legal())]).encode()


@pytest.mark.parametrize("spec", BIDDING)
def test_a_sealed_bid_changes_nothing_that_others_see(spec: str) -> None:
    game = fb.game(spec)
    for bidder in range(game.seats - 1):
        seen = []
        for bid in (0, 3, int(game.table.coins)):  # type: ignore[attr-defined]
            match = game.new(seed=4)
            for seat in range(bidder + 1):
                match.play(f"bid {bid if seat == bidder else 1}")
            seen.append([everything_seen(match, seat) for seat in range(SPECTATOR, game.seats) if seat != bidder])
            own = game.public(match.view(bidder).state)["players"][bidder]["bid"]
            assert own == bid
        assert seen[0] == seen[1] == seen[2]


@pytest.mark.parametrize("spec", BIDDING)
def test_all_bids_are_open_once_the_last_is_made(spec: str) -> None:
    match = fb.game(spec).new(seed=4)
    for seat in range(match.game.seats):
        match.play(f"bid {seat}")
    for seat in range(SPECTATOR, match.game.seats):
        players = match.game.public(match.view(seat).state)["players"]
        assert [player["bid"] for player in players] == list(range(match.game.seats))


def test_sealed_bids_are_imagined_in_every_possible_way() -> None:
    game = fb.game("empire/seed:players=3,bidding=true")
    match = game.new(seed=1)
    match.play("bid 2")
    match.play("bid 9")
    rng = stream(1, "imagination")
    guesses = set()
    for _ in range(600):
        state = match.view(2).state.copy()
        game.rules.imagine(game.table, state, 2, rng)
        guesses.add((int(state["bid"][0]), int(state["bid"][1])))
        assert state["bid"][2] == rules.NOT_YET
    assert {first for first, _ in guesses} == {second for _, second in guesses} == set(range(12))


@pytest.mark.parametrize("spec", ["empire/seed", "empire/side-a:players=5,tokens=true"])
def test_the_cards_to_come_are_nowhere_in_the_match_yet(spec: str) -> None:
    """Two matches with the same past and different futures look alike in every byte, even to one who sees all."""
    game = fb.game(spec)
    one = game.new(seed=1)
    two = game.new(seed=2, start=one.start)
    for _ in range(12):
        assert one.state.tobytes() == two.state.tobytes()
        for seat in range(SPECTATOR, game.seats):
            assert everything_seen(one, seat) == everything_seen(two, seat)
        action = one.legal()[-1]
        played = one.play(action)
        if played.chance:
            fresh = two.copy()
            fresh.play(action)
            assert len(fresh.moves[-1].chance) == len(played.chance)
        two.play(action, chance=played.chance)


def test_the_card_that_comes_in_is_any_of_those_left() -> None:
    game = fb.game("empire/seed")
    came = []
    for seed in range(800):
        match = game.new(seed=seed, start=(0, 0, 0, 0, 0, 0, 0))
        match.play("card 1")
        came.append(int(match.state["row"][5]))
    counts = np.bincount(came, minlength=42)
    # Cards 1 to 7 without card 5 lie in the row; the five for five players are not in the game.
    assert sorted(np.flatnonzero(counts)) == [i for i in range(7, 42) if i + 1 not in (5, 14, 22, 29, 38)]
    assert counts[np.flatnonzero(counts)].min() > 8


def test_nothing_else_is_concealed() -> None:
    match = fb.game("empire/side-a:players=4,tokens=true").new(seed=3)
    for _ in range(60):
        for seat in range(SPECTATOR, 4):
            assert match.view(seat).state.tobytes() == match.state.tobytes()
        match.play(match.legal()[-1])


def test_every_byte_of_a_state_means_something() -> None:
    fields = rules.State.fields
    assert fields is not None
    assert sum(kind.itemsize for kind, *_ in fields.values()) == rules.State.itemsize
