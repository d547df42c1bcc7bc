"""Single rules of Eight-Minute Empire, each in a position made for it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.empire import rules
from fogbound.games.empire.cards import all_cards
from fogbound.games.empire.game import STEPS, Empire


def empire(spec: str) -> Empire:
    game = fb.game(spec)
    assert isinstance(game, Empire)
    return game


def with_card(game: Empire, number: int, seed: int = 1) -> fb.Match:
    """A match whose player to move finds this card at the first place of the row."""
    match = game.new(seed=seed)
    index, state = number - 1, match.state
    if index in state["row"]:
        state["row"][list(state["row"]).index(index)] = state["row"][0]
    else:
        state["deck"] = int(state["deck"]) & ~(1 << index) | 1 << int(state["row"][0])
    state["row"][0] = index
    return match


def legal(match: fb.Match) -> list[str]:
    return [action.text for action in match.legal()]


def set_pieces(match: fb.Match, field: str, pieces: dict[str, list[int]]) -> None:
    match.state[field][:] = 0
    for name, counts in pieces.items():
        match.state[field][match.game.index[name.lower()]][: len(counts)] = counts  # type: ignore[attr-defined]


def test_the_set_up_follows_the_number_of_players() -> None:
    for players, coins, turns, cards in [(2, 14, 26, 37), (3, 11, 30, 37), (4, 9, 32, 37), (5, 8, 35, 42)]:
        game = empire(f"empire/seed:players={players}")
        public = game.public(game.new(seed=2).state)
        assert [player["coins"] for player in public["players"]] == [coins] * players
        assert public["turns"] == turns
        assert len(public["undrawn"]) + len(public["row"]) == cards
        assert public["regions"]["C3"]["armies"] == dict.fromkeys(game.seat_names, 3)


def test_the_starting_player_is_drawn() -> None:
    game = empire("empire/seed:players=3")
    assert {game.new(seed=1, number=number).to_move for number in range(40)} == {0, 1, 2}


def test_a_card_costs_its_place_and_the_row_slides_left() -> None:
    match = empire("empire/seed").new(seed=3)
    seat, before = match.to_move, match.state.copy()
    match.play("card 4")
    assert match.state["coins"][seat] == before["coins"][seat] - 2
    assert list(match.state["row"][:5]) == [before["row"][i] for i in (0, 1, 2, 4, 5)]
    new = int(match.state["row"][5])
    assert int(before["deck"]) >> new & 1 and not int(match.state["deck"]) >> new & 1


def test_without_coins_only_the_first_card_can_be_taken() -> None:
    match = empire("empire/seed").new(seed=3)
    match.state["coins"][:] = 0
    assert legal(match) == ["card 1"]
    with pytest.raises(fb.IllegalMove, match=r"costs 3 coins, but .* has only 0"):
        match.play("card 6")


def test_an_army_moves_by_land_and_sails_across_one_water_tile() -> None:
    game = empire("empire/seed")
    match = with_card(game, 20)  # sail 3
    match.play("card 1")
    assert legal(match) == ["done", "sail C3 B2", "move C3 C2", "sail C3 E3", "move C3 C4"]
    match.play("sail C3 E3")
    assert "sail E3 C3" in legal(match) and "move E3 F3" in legal(match)
    walking = with_card(game, 18)  # move 3
    walking.play("card 1")
    assert legal(walking) == ["done", "move C3 C2", "move C3 C4"]
    with pytest.raises(fb.IllegalMove, match="joined by sea only, and this card does not sail"):
        walking.play("sail C3 E3")


def test_a_sail_step_goes_around_a_corner_of_water() -> None:
    sea = {region.region: region.sea for region in empire("empire/seed").board.regions}
    assert "D5" in sea["C4"] and "C4" in sea["D5"]  # through D4, within one continent
    assert sea["F5"] == ["F3", "D5"] and sea["A4"] == ["C4"] and "C5" in sea["A5"]


def test_new_armies_come_to_the_start_and_to_own_cities() -> None:
    match = with_card(empire("empire/seed"), 25)  # armies 3
    seat = match.to_move
    match.state["cities"][match.game.index["f1"]][seat] = 1  # type: ignore[attr-defined]
    match.state["cities_left"][seat] = 2
    match.state["cities"][match.game.index["a4"]][1 - seat] = 1  # type: ignore[attr-defined]
    match.play("card 1")
    assert legal(match) == ["done", "army F1", "army C3"]
    for _ in range(3):
        assert match.to_move == seat
        match.play("army F1")
    assert match.to_move == 1 - seat


def test_the_last_army_ends_the_action_by_itself() -> None:
    match = with_card(empire("empire/seed"), 25)
    seat = match.to_move
    match.state["reserve"][seat] = 1
    match.state["armies"][match.game.index["c3"]][seat] = 13  # type: ignore[attr-defined]
    match.play("card 1")
    match.play("army C3")
    assert match.to_move == 1 - seat


def test_a_card_that_can_do_nothing_ends_the_turn_at_once() -> None:
    match = with_card(empire("empire/seed"), 16)  # city
    seat = match.to_move
    match.state["cities_left"][seat] = 0
    match.play("card 1")
    assert match.to_move == 1 - seat


def test_a_city_needs_an_army_and_may_stand_beside_others() -> None:
    match = with_card(empire("empire/seed"), 16)
    seat = match.to_move
    match.state["cities"][match.game.index["c3"]] = [1, 1, 0, 0, 0]  # type: ignore[attr-defined]
    match.state["cities_left"][:2] = 2
    match.play("card 1")
    assert legal(match) == ["done", "city C3"]
    match.play("city C3")
    assert match.state["cities"][match.game.index["c3"]][seat] == 2  # type: ignore[attr-defined]


def test_destroy_takes_another_players_or_a_neutral_army() -> None:
    match = empire("empire/seed:neutral=true").new(seed=1)
    while match.state["phase"] == rules.SETTING:
        match.play("neutral F5")
    number = 23 - 1  # destroy or city
    match.state["deck"] = int(match.state["deck"]) & ~(1 << number)
    match.state["row"][0] = number
    seat = match.to_move
    other = match.game.seat_names[1 - seat].lower()
    match.play("card 1")
    assert legal(match) == ["use city", "use destroy", "done"]
    match.play("use destroy")
    assert legal(match) == ["done", f"destroy {other} C3", "destroy neutral F5"]
    match.play(f"destroy {other} C3")
    assert match.state["reserve"][1 - seat] == 12


def test_an_or_card_gives_one_action_and_an_and_card_both() -> None:
    game = empire("empire/seed")
    either = with_card(game, 37)  # armies 3 or move 4
    either.play("card 1")
    assert legal(either) == ["use move", "use armies", "done"]
    either.play("use armies")
    assert legal(either) == ["done", "army C3"]
    both = with_card(game, 15)  # destroy and armies 1
    seat = both.to_move
    both.play("card 1")
    both.play("army C3")
    assert legal(both) == ["done", f"destroy {game.seat_names[1 - seat].lower()} C3"]


def test_an_action_may_be_used_partly_or_not_at_all() -> None:
    match = with_card(empire("empire/seed"), 18)
    seat = match.to_move
    match.play("card 1")
    match.play("move C3 C4")
    match.play("done")
    assert match.to_move == 1 - seat
    assert match.state["left"].sum() == 0


def test_the_other_print_of_card_24_has_no_city() -> None:
    assert all_cards()[23].action_text == "armies 2 or city"
    assert all_cards(other_print=True)[23].action_text == "armies 2"
    match = with_card(empire("empire/seed:print=other"), 24)
    match.play("card 1")
    assert legal(match) == ["done", "army C3"]
    assert [card for card, other in zip(all_cards(), all_cards(True), strict=True) if card != other] == [all_cards()[23]]


def test_only_the_highest_bidder_pays_and_chooses_who_starts() -> None:
    match = empire("empire/seed:players=3,bidding=true").new(seed=1)
    for bid in ("bid 2", "bid 5", "bid 4"):
        match.play(bid)
    assert match.to_move == 1
    assert list(match.state["coins"][:3]) == [11, 6, 11]
    match.play("start green")
    assert match.to_move == 2 and match.state["starter"] == 2
    assert [action.text for action in match.legal()][:1] == ["card 1"]


@pytest.mark.parametrize("bids", [("bid 0", "bid 0", "bid 0"), ("bid 3", "bid 1", "bid 3")])
def test_equal_highest_bids_are_decided_by_lot(bids: tuple[str, ...]) -> None:
    game = empire("empire/seed:players=3,bidding=true")
    highest = max(int(bid.split()[1]) for bid in bids)
    tied = {seat for seat, bid in enumerate(bids) if bid == f"bid {highest}"}
    chosen = set()
    for number in range(40):
        match = game.new(seed=5, number=number)
        for bid in bids:
            match.play(bid)
        chosen.add(match.to_move)
        assert [11 - int(coins) for coins in match.state["coins"][:3]] == [
            highest if seat == match.to_move else 0 for seat in range(3)
        ]
    assert chosen == tied


def test_neutral_armies_are_placed_in_turn_and_count_against_control() -> None:
    match = empire("empire/side-a:neutral=true").new(seed=4)
    starter = match.to_move
    for i in range(10):
        assert match.to_move == (starter + i) % 2
        match.play("neutral A21" if i < 9 else "neutral A22")
    assert match.to_move == starter and match.state["phase"] == rules.TAKING
    public = match.game.public(match.state)
    assert public["regions"]["A21"]["controlled_by"] == "Neutral"
    assert public["continents"]["III"] == "Neutral"


def test_a_tie_for_most_controls_nothing_and_cities_count_as_armies() -> None:
    game = empire("empire/seed:players=3")
    match = game.new(seed=1)
    set_pieces(match, "armies", {"B1": [2, 2, 1], "C1": [1, 2, 0], "F1": [0, 0, 1], "F5": [1]})
    set_pieces(match, "cities", {"C1": [2, 0, 0], "B2": [0, 1, 0]})
    regions = game.public(match.state)["regions"]
    held = {name: regions[name]["controlled_by"] for name in ("B1", "C1", "F1", "F5", "B2", "A4")}
    assert held == {"B1": None, "C1": "Red", "F1": "Green", "F5": "Red", "B2": "Blue", "A4": None}


def test_continents_go_by_pieces_or_by_regions() -> None:
    pieces = {"F1": [3, 0], "F2": [0, 1], "F3": [0, 1]}
    for how, owner in [("armies", "Red"), ("regions", "Blue")]:
        game = empire(f"empire/seed:continents={how}")
        match = game.new(seed=1)
        set_pieces(match, "armies", pieces)
        assert game.public(match.state)["continents"]["2"] == owner


def test_tokens_belong_to_whom_controls_their_region() -> None:
    game = empire("empire/side-a:tokens=true")
    match = game.new(seed=9)
    places = match.state["token"]
    assert sorted(np.bincount(places)[np.unique(places)]) == [2] * 5
    assert {game.names[place] for place in places} == {"A1", "A10", "A12", "A21", "A25"}
    match.state["armies"][places[0]][:2] = [1, 0]
    food = [i for i in (0, 1) if places[i] == places[0]]
    assert game.goods(match.state, 0)["food"] == len(food)
    assert game.goods(match.state, 1)["food"] == 0


def brute_force(goods: tuple[int, ...], wilds: int, owned: bool) -> int:
    """The best of all ways to call each wild card a good, one after the other."""
    best = 0
    for called in product(range(-1, 5), repeat=wilds):
        if owned and any(good >= 0 and goods[good] == 0 for good in called):
            continue
        counts = [goods[good] + called.count(good) for good in range(5)]
        steps = [STEPS[name] for name in rules.GOODS[:5]]
        best = max(best, sum((0, 1, 2, 3, 5)[sum(n >= k for k in step)] for n, step in zip(counts, steps, strict=True)))
    return best


@pytest.mark.parametrize("owned", [False, True])
def test_wild_cards_are_always_used_in_the_best_way(owned: bool) -> None:
    game = empire("empire/seed:wild=owned" if owned else "empire/seed")
    state = game.new(seed=1).state
    chosen = np.random.default_rng(7).integers(0, 9, (250, 5))
    for goods in [(0,) * 5, (2, 1, 1, 0, 1), *map(tuple, chosen)]:
        for wilds in range(4):
            state["goods"][0] = [*goods, wilds]
            assert rules.goods_points(game.table, state, 0) == brute_force(goods, wilds, owned)


def final(game: Empire, **fields: Any) -> tuple[float, ...]:
    """The scores of a finished game with an empty board but for what is given."""
    match = game.new(seed=1)
    set_pieces(match, "armies", fields.pop("armies", {}))
    for name, values in fields.items():
        match.state[name][: len(values)] = values
    match.state["turn"], match.state["phase"] = -1, rules.OVER
    return game.scores(match.state)


def test_most_points_win_and_equals_share() -> None:
    game = empire("empire/seed:players=3")
    assert final(game, armies={"F1": [1, 0, 0]}, coins=[0, 5, 5]) == (1, 0, 0)
    assert final(game, coins=[2, 2, 1], reserve=[14, 14, 14]) == (0.5, 0.5, 0)
    assert final(game, coins=[2, 2, 2], reserve=[14, 14, 14]) == pytest.approx((1 / 3, 1 / 3, 1 / 3))


def test_ties_are_broken_by_most_coins_first() -> None:
    for ties in ("seed", "printed"):
        game = empire(f"empire/seed:ties={ties}")
        assert final(game, armies={"F1": [1, 0], "A4": [0, 1]}, coins=[3, 4], reserve=[3, 13]) == (0, 1)


def test_then_by_regions_and_armies_or_as_printed_by_armies_and_regions() -> None:
    # Two points each: Red has F1 and F2, Blue has F3 and, with more armies, the continent.
    seed, printed = empire("empire/seed"), empire("empire/seed:ties=printed")
    same: dict[str, Any] = {"armies": {"F1": [1, 0], "F2": [1, 0], "F3": [1, 4]}, "coins": [4, 4], "reserve": [11, 10]}
    assert final(seed, **same) == (1, 0)  # more regions
    assert final(printed, **same) == (0, 1)  # more armies
    level: dict[str, Any] = {"armies": {"F1": [1, 0], "A4": [0, 1], "A5": [0, 1], "F5": [1, 1]}, "coins": [4, 4]}
    assert final(seed, **level, reserve=[12, 11]) == final(printed, **level, reserve=[12, 11]) == (0, 1)


def test_the_row_gets_shorter_when_the_cards_run_out() -> None:
    match = empire("empire/seed:turns=18,coins=60").new(seed=1)
    while not match.over:
        if match.state["phase"] == rules.TAKING:
            played = int(match.state["played"])
            assert len(legal(match)) == min(6, 37 - played)
            match.play("card 1")
        else:
            match.play("done")
    assert list(match.state["row"][:2]) != [-1, -1] and match.state["row"][1] == -1
