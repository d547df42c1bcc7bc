"""Whole random matches in every variant: no state on the way is illegal.

The checks are compiled, so 10,000 matches a variant take about a second. More of them:
EMPIRE_MATCHES=1000000 pytest tests/games/empire/test_matches.py
"""

from __future__ import annotations

import os

import numpy as np
import pytest

import fogbound as fb
from fogbound.core.chance import Chance
from fogbound.core.compiled import kernel, outlined, program
from fogbound.core.rng import below, root, spread
from fogbound.games.empire.rules import (
    ARMIES_EACH,
    CITIES_EACH,
    PLACES,
    RULES,
    SETTING,
    apply,
    legal,
    reset,
    score,
    to_move,
)
from tests.games.empire.variants import VARIANTS

MATCHES = int(os.environ.get("EMPIRE_MATCHES", "10000"))
SOUND = 0
PROBLEMS = {
    1: "the armies of a colour are not conserved",
    2: "the cities of a player are not conserved",
    3: "coins grew or were overspent",
    4: "a card is in two places or nowhere",
    5: "goods differ from the cards taken",
    6: "legal actions are not ascending, or none",
    7: "the match is too long",
    8: "the scores do not add up to one",
    9: "the row has a gap",
    10: "the wrong number of cards was taken",
}


@kernel
def _pieces_problem(table, state):
    for colour in range(table.colours):
        armies = np.int64(state.reserve[colour])
        cities = np.int64(state.cities_left[colour])
        for region in range(64):
            if state.armies[region, colour] < 0 or state.cities[region, colour] < 0:
                return 1
            if region >= table.regions and state.armies[region, colour] + state.cities[region, colour] > 0:
                return 1
            armies += state.armies[region, colour]
            cities += state.cities[region, colour]
        player = colour < table.players
        if state.reserve[colour] < 0 or armies != (ARMIES_EACH if player else table.neutral):
            return 1
        if state.cities_left[colour] < 0 or cities != (CITIES_EACH if player else 0):
            return 2
    return SOUND


@kernel
def _cards_problem(table, state):
    seen = state.deck
    for seat in range(table.players):
        if seen & state.taken[seat]:
            return 4
        seen |= state.taken[seat]
    for place in range(PLACES):
        if state.row[place] >= 0:
            bit = np.uint64(1) << np.uint64(state.row[place])
            if seen & bit:
                return 4
            seen |= bit
            if place > 0 and state.row[place - 1] < 0:
                return 9
    return SOUND if seen == np.uint64(table.deck) else 4


@kernel
def _goods_problem(table, state):
    cards = 0
    for seat in range(table.players):
        for good in range(6):
            count = 0
            for card in range(42):
                if (state.taken[seat] >> np.uint64(card)) & np.uint64(1) and table.good[card] == good:
                    count += table.goods[card]
                    cards += 1
            if count != state.goods[seat, good]:
                return 5
    return SOUND if cards == state.played + (state.card >= 0) else 10


@outlined
def problem(table, state, coins):
    """The number of what is wrong with a state; `coins` are those of the state before it."""
    found = _pieces_problem(table, state)
    if found == SOUND:
        found = _cards_problem(table, state)
    if found == SOUND:
        found = _goods_problem(table, state)
    for seat in range(table.players):
        if state.coins[seat] < 0 or state.coins[seat] > coins[seat]:
            return 3
        coins[seat] = state.coins[seat]
    return found


@program
def play_checked(table, rng, most_actions, state):
    """Play a random match for each row of rng; the number of the first problem and of its match."""
    out = np.empty(most_actions, np.int64)
    coins = np.zeros(5, np.int64)
    scores = np.zeros(5)
    no_tape = np.zeros(0, np.int64)
    cursor = np.zeros(3, np.int64)
    for number in range(rng.shape[0]):
        chance = Chance(rng[number], no_tape, no_tape, cursor)
        reset(table, state[0], chance)
        coins[:] = table.coins
        moves = 0
        while to_move(state[0]) >= 0:
            found = problem(table, state[0], coins)
            if found != SOUND:
                return found, number
            count = legal(table, state[0], out)
            moves += 1
            if count < 1 or count > most_actions:
                return 6, number
            for i in range(1, count):
                if out[i] <= out[i - 1]:
                    return 6, number
            if moves > table.turns * 8 + 30:
                return 7, number
            apply(table, state[0], out[below(rng[number], count)], chance)
        found = problem(table, state[0], coins)
        if found != SOUND:
            return found, number
        score(table, state[0], scores)
        if abs(scores[: table.players].sum() - 1.0) > 1e-9 or legal(table, state[0], out) != 0:
            return 8, number
    return SOUND, rng.shape[0]


@pytest.mark.parametrize("spec", VARIANTS)
def test_no_random_match_meets_an_illegal_state(spec: str) -> None:
    game = fb.game(spec)
    rng = spread(root(1, spec), 0, MATCHES)
    found, number = play_checked(game.table, rng, game.most_actions, np.zeros(1, RULES.state))
    assert found == SOUND, f"match {number}: {PROBLEMS[found]}"


def test_a_broken_state_would_be_noticed() -> None:
    game = fb.game("empire/seed:neutral=true")
    sound = game.new(seed=1).state
    assert sound["phase"] == SETTING
    coins = np.full(5, 14, np.int64)
    for field, place, number in [("reserve", 0, 1), ("cities_left", 1, 2), ("coins", 0, 3), ("goods", (0, 1), 5)]:
        broken = sound.copy()
        broken[field][place] += 1
        assert problem(game.table, broken, coins.copy()) == number
    doubled = sound.copy()
    doubled["row"][0] = doubled["row"][1]
    assert problem(game.table, doubled, coins.copy()) == 4
    assert problem(game.table, sound, coins.copy()) == SOUND
