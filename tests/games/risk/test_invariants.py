"""What always holds in Risk, checked after every move of many random games in each variant.

A quick run plays GAMES games a variant; the full one is
    FOGBOUND_GAMES=10000 python -m pytest tests/games/risk/test_invariants.py
"""

import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.core.bits import count_bits
from fogbound.core.chance import Chance
from fogbound.core.compiled import outlined, program
from fogbound.core.rng import below, root, spread, stream
from fogbound.games.risk.rules import apply, legal, reset
from fogbound.games.risk.table import (
    ATTACK_MOVE,
    BATTLE,
    CLAIM_MOVE,
    EXCHANGE,
    NEUTRAL,
    PLACE,
    SEATS,
    bit,
    count_of,
    has_room,
    kind_of,
)

GAMES = int(os.environ.get("FOGBOUND_GAMES", "200"))
MOST_MOVES = 100_000

VARIANTS = [
    "risk/classic:round_limit=15",
    "risk/classic:players=4,deal=true,cards=slow,deck=older,round_limit=15",
    "risk/classic:players=5,cards=fixed,round_limit=15",
    "risk/classic:players=6,cards=capped,free_fortify=true,round_limit=15",
    "risk/classic:players=2,round_limit=15",
    "risk/classic:players=2,army_limit=12,round_limit=15",
    "risk/classic:players=2,neutral=false,round_limit=15",
    "risk/classic:goal=missions,round_limit=15",
    "risk/classic:players=6,goal=missions,strict_missions=true,deal=true,round_limit=15",
    "risk/classic:army_limit=12,round_limit=15",
    "risk/classic:players=4,army_limit=2,free_fortify=true,cards=capped,round_limit=15",
    "risk/random:territories=6,players=6,seed=1,deal=true,round_limit=40",
    "risk/random:territories=10,players=3,seed=2,army_limit=5,goal=missions,round_limit=40",
    "risk/random:territories=64,players=2,seed=3,round_limit=4",
    "risk/random:territories=120,players=6,seed=4,goal=missions,round_limit=2",
]

SOUND = 0
WRONG = {
    1: "a territory is in its owner's set, and in no other",
    2: "after the set-up every territory has an owner and at least one army",
    3: "no territory has more armies than the limit",
    4: "a hand has as many cards as everybody is told",
    5: "no card is in two places",
    6: "armies to place are never negative",
    7: "the player to move is alive",
    8: "there is a legal move, and the codes ascend",
    9: "the game is over exactly when somebody has won",
    10: "cards held since the reshuffle are in hands",
    11: "armies come from placing and go by fighting",
    12: "armies are lost only where there is no room",
    13: "the game comes to its end",
}


@outlined
def first_wrong(table, state):
    """The number of the first invariant that is broken."""
    started = state.round > 0
    for territory in range(table.territories):
        owner = state.owner[territory]
        for each in range(SEATS + 1):
            inside = state.land[each, territory >> 6] & bit(territory) != np.uint64(0)
            if inside != (each == owner):
                return 1
        if started and (owner < 0 or state.armies[territory] < 1):
            return 2
        if not started and (owner >= 0) != (state.armies[territory] > 0):
            return 2
        if state.armies[territory] > table.army_limit or state.armies[territory] < 0:
            return 3
        if owner == NEUTRAL and not table.neutral:
            return 1
    held_old = 0
    for w in range(2):
        seen = state.discard[w]
        hands = np.uint64(0)
        for seat in range(SEATS):
            if seen & state.hand[seat, w]:
                return 5
            seen |= state.hand[seat, w]
            hands |= state.hand[seat, w]
        if seen & ~table.deck[w]:
            return 5
        if state.old[w] & ~hands:
            return 10
        held_old += count_bits(state.old[w])
    for seat in range(SEATS):
        if count_bits(state.hand[seat, 0]) + count_bits(state.hand[seat, 1]) != state.cards[seat]:
            return 4
        if state.stock[seat] < 0 or state.old_cards[seat] < 0 or state.old_cards[seat] > state.cards[seat]:
            return 6
        held_old -= state.old_cards[seat]
    if held_old != 0:
        return 10
    if state.pool < 0:
        return 6
    if (state.turn < 0) != (state.winners > 0):
        return 9
    if started and state.turn >= 0 and (state.land[state.turn, 0] | state.land[state.turn, 1]) == np.uint64(0):
        return 7
    return SOUND


@outlined
def armies_on_map(table, state):
    total = np.int64(0)
    for territory in range(table.territories):
        total += state.armies[territory]
    return total


@outlined
def wrong_change(table, before, state, action):
    """Whether a move made or lost armies that it could not."""
    change = armies_on_map(table, state) - armies_on_map(table, before)
    kind = kind_of(action)
    seat = before.turn
    if kind in (PLACE, CLAIM_MOVE):
        expected = change == count_of(action)
    elif kind in (ATTACK_MOVE, BATTLE):
        expected = change == -np.int64(state.losses[0]) - state.losses[1]
    elif kind == EXCHANGE:
        expected = 0 <= change <= 2
    else:
        expected = change == 0
    if not expected:
        return 11
    drafting = kind == PLACE and before.round > 0
    if drafting and before.pool - count_of(action) != state.pool and has_room(table, state, seat):
        return 12
    return SOUND


@program
def play_checked(table, rng, choices, most_actions, dtype_example):
    """Random games with every check after every move: the first broken invariant, its game and move; moves played."""
    out = np.empty(most_actions, np.int64)
    states = np.empty_like(dtype_example)
    before = np.empty_like(dtype_example)
    no_tape = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    total = 0
    for g in range(rng.shape[0]):
        chance = Chance(rng[g], no_tape, no_tape, cursor)
        state = states[0]
        reset(table, state, chance)
        moves = 0
        while state.turn >= 0:
            wrong = first_wrong(table, state)
            count = legal(table, state, out)
            if count < 1 or count > most_actions:
                wrong = 8
            for i in range(1, count):
                if out[i] <= out[i - 1]:
                    wrong = 8
            if moves > MOST_MOVES:
                wrong = 13
            if wrong:
                return wrong, g, moves
            action = out[below(choices[g], count)]
            before[0] = states[0]
            apply(table, state, action, chance)
            wrong = wrong_change(table, before[0], state, action)
            if wrong:
                return wrong, g, moves
            moves += 1
        wrong = first_wrong(table, state)
        if wrong:
            return wrong, g, moves
        total += moves
    return SOUND, rng.shape[0], total


@pytest.mark.parametrize("spec", VARIANTS)
def test_random_games_never_reach_an_illegal_state(spec):
    game = fb.game(spec)
    rng, choices = spread(root(1, "game"), 0, GAMES), spread(root(1, "choices"), 0, GAMES)
    example = np.zeros(1, game.rules.state)
    wrong, played, moves = play_checked(game.table, rng, choices, game.most_actions, example)
    assert wrong == SOUND, f"broken in game {played} after {moves} moves: {WRONG[wrong]}"
    assert played == GAMES


options = st.fixed_dictionaries(
    {
        "players": st.integers(2, 6),
        "goal": st.sampled_from(["domination", "missions"]),
        "strict_missions": st.booleans(),
        "cards": st.sampled_from(["growing", "slow", "fixed", "capped"]),
        "deck": st.sampled_from(["older", "modern"]),
        "deal": st.booleans(),
        "free_fortify": st.booleans(),
        "army_limit": st.sampled_from([0, 2, 3, 5, 12]),
        "round_limit": st.integers(1, 8),
        "territories": st.integers(6, 60),
        "seed": st.integers(0, 20),
    }
)


@given(chosen=options, neutral=st.booleans(), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_any_mix_of_options_on_any_map_keeps_what_always_holds(chosen, neutral, seed):
    if chosen["players"] == 2:
        chosen = {**chosen, "neutral": neutral, **({"goal": "domination"} if neutral else {})}
    game = fb.game("risk/random:" + ",".join(f"{key}={value}" for key, value in chosen.items()))
    rng, choices = spread(root(seed, "game"), 0, 2), spread(root(seed, "choices"), 0, 2)
    example = np.zeros(1, game.rules.state)
    wrong, played, moves = play_checked(game.table, rng, choices, game.most_actions, example)
    assert wrong == SOUND, f"broken in game {played} after {moves} moves: {WRONG[wrong]}"


@pytest.mark.parametrize(
    "spec", ["risk/classic:players=5,goal=missions,round_limit=30", "risk/classic:players=2,round_limit=30"]
)
def test_an_imagined_world_is_sound_and_fits_what_the_seat_knows(spec):
    game = fb.game(spec)
    imagination = stream(5, "imagination")
    rng = np.random.default_rng(1)
    match = game.new(seed=2)
    moves = 0
    while not match.over and moves < 1500:
        match.play(int(rng.choice(game.legal(match.state))))
        moves += 1
        if moves % 25 or match.over:
            continue
        for seat in range(-1, game.seats):
            seen = game.concealed(match.state, seat)
            world = seen.copy()
            game.rules.imagine(game.table, world, seat, imagination)
            assert first_wrong(game.table, world) == SOUND
            assert game.concealed(world, seat).tobytes() == seen.tobytes()
            dealt = [int(world["mission"][other]) for other in range(game.seats)]
            if game.table.missions:
                assert min(dealt) >= 0 and len(set(dealt)) == game.seats
                assert not any(int(world["ruled_out"][other]) >> dealt[other] & 1 for other in range(game.seats))
