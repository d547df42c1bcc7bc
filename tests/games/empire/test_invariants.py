"""What holds in every position of Eight-Minute Empire, whatever is played."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fogbound as fb
from fogbound.games.empire.board import DECK
from tests.games.empire.variants import VARIANTS

PLAYS = st.tuples(st.sampled_from(VARIANTS), st.integers(0, 2**32), st.lists(st.integers(0, 999), min_size=1, max_size=160))


def pieces(public: dict[str, Any], field: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for region in public["regions"].values():
        total.update(region[field])
    return total


def check(public: dict[str, Any], players: int, neutral: bool) -> None:
    armies, cities = pieces(public, "armies"), pieces(public, "cities")
    for player in public["players"]:
        assert armies[player["name"]] + player["armies_left"] == 14
        assert cities[player["name"]] + player["cities_left"] == 3
        assert player["coins"] >= 0
    if neutral:
        assert armies["Neutral"] + public["neutral_left"] == 10
    cards = public["undrawn"] + [card["card"] for card in public["row"]]
    cards += [card for player in public["players"] for card in player["cards"]]
    assert len(cards) == len(set(cards)) == DECK[players]
    for region in public["regions"].values():
        strength = Counter(region["armies"]) + Counter(region["cities"])
        ranked = strength.most_common()
        alone = len(ranked) == 1 or (len(ranked) > 1 and ranked[0][1] > ranked[1][1])
        assert region["controlled_by"] == (ranked[0][0] if alone else None)
    for player in public["players"]:
        held = [region["controlled_by"] for region in public["regions"].values()]
        assert player["points"]["regions"] == held.count(player["name"])
        assert player["points"]["continents"] == list(public["continents"].values()).count(player["name"])


@settings(max_examples=40, deadline=None)
@given(PLAYS)
def test_armies_cities_and_cards_are_conserved_and_control_is_a_majority(play: tuple[str, int, list[int]]) -> None:
    spec, seed, choices = play
    game = fb.game(spec)
    options = game.board.rules  # type: ignore[attr-defined]
    match = game.new(seed=seed)
    coins = [player["coins"] for player in game.public(match.state)["players"]]
    for index, choice in enumerate(choices):
        if match.over:
            break
        legal = match.legal()
        match.play(legal[choice % len(legal)])
        now = [int(match.state["coins"][seat]) for seat in range(game.seats)]
        assert all(after <= before for before, after in zip(coins, now, strict=True)), "coins never grow"
        coins = now
        if index % 8 == 0 or index == len(choices) - 1 or match.over:
            check(game.public(match.state), options.players, options.neutral)


@settings(max_examples=25, deadline=None)
@given(PLAYS)
def test_words_and_codes_say_the_same(play: tuple[str, int, list[int]]) -> None:
    spec, seed, choices = play
    game = fb.game(spec)
    match = game.new(seed=seed)
    for choice in choices[:60]:
        if match.over:
            break
        legal = match.legal()
        assert [game.parse(action.text) for action in legal] == [action.code for action in legal]
        assert [game.parse(action.text.upper()) for action in legal] == [action.code for action in legal]
        assert all(game.details(action.code)["kind"] == action.text.split()[0] for action in legal)
        match.play(legal[choice % len(legal)])


@settings(max_examples=25, deadline=None)
@given(PLAYS, st.lists(st.integers(-5, 11 << 12), min_size=40, max_size=40))
def test_an_illegal_move_gets_one_sentence_and_changes_nothing(play: tuple[str, int, list[int]], codes: list[int]) -> None:
    spec, seed, choices = play
    game = fb.game(spec)
    match = game.new(seed=seed)
    for choice in choices[:50]:
        legal = match.legal()
        if not legal:
            return
        match.play(legal[choice % len(legal)])
    before = match.state.tobytes()
    legal_codes = [] if match.over else game.legal(match.state)
    for code in codes:
        if code in legal_codes:
            continue
        with pytest.raises(fb.IllegalMove) as refused:
            match.play(code)
        assert str(refused.value).endswith(".") and "\n" not in str(refused.value)
        assert match.state.tobytes() == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is not a move; a move is, for example, “card 1”"),
        ("fly C3 C4", "is not a move; a move is, for example, “card 1”"),
        ("move C3", "needs two more words"),
        ("card 7", "is not a place in the row; give 1 to 6"),
        ("card ²", "is not a place in the row"),
        ("army Z9", "There is no region “z9”; the regions are B1"),
        ("destroy pink C3", "There is no colour “pink”; give red, blue"),
        ("use magic", "There is no action “magic”; give move, sail"),
        ("bid -1", "is not a number of coins"),
        ("bid " + "9" * 50, "is not a number of coins"),
        ("bid " + "9" * 5000, "A move is written with 200 letters at most"),
        ("start neutral", "There is no player “neutral”"),
        ("done now", "needs no more words"),
        ("move C3 C2", "cannot be played now: .* has to take a card"),
        ("done", "cannot be played now: .* has to take a card"),
    ],
)
def test_words_that_mean_nothing_are_answered_with_what_would_be_right(text: str, sentence: str) -> None:
    match = fb.game("empire/seed").new(seed=1)
    with pytest.raises(fb.IllegalMove, match=sentence):
        match.play(text)
