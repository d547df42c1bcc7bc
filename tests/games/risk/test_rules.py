"""Risk's rules one by one, on positions made for them."""

import re

import numpy as np
import pytest

import fogbound as fb
from fogbound.games.risk.notation import PHASES, hand_of
from fogbound.games.risk.table import ATTACK, FORTIFY, NEUTRAL
from tests.games.risk.positions import AUSTRALIA, BLUE, GREEN, RED, Position, attack_on_brazil, dice, with_mission


def play_setup(match, seed=1):
    rng = np.random.default_rng(seed)
    while match.state["round"] == 0:
        match.play(int(rng.choice(match.game.legal(match.state))))


# The set-up.


@pytest.mark.parametrize(("players", "armies"), [(2, 40), (3, 35), (4, 30), (5, 25), (6, 20)])
def test_each_player_starts_with_the_armies_of_the_rules(players, armies):
    match = fb.game(f"risk/classic:players={players}").new(seed=3)
    play_setup(match)
    for player in match.game.public(match.state)["players"]:
        assert player["armies"] == armies
    assert match.to_move == match.state["first"]


def test_territories_are_claimed_in_turn_and_armies_placed_one_by_one():
    match = fb.game("risk/classic:players=4").new(seed=5)
    first = match.to_move
    for k in range(42):
        assert match.to_move == (first + k) % 4
        match.play(match.legal()[0])
    assert all(str(move).startswith("place 1 on") for move in match.legal())
    assert match.to_move == (first + 42) % 4


def test_anyone_may_begin():
    game = fb.game("risk/classic:players=6")
    assert {game.new(seed=seed).to_move for seed in range(60)} == set(range(6))


def test_dealt_territories_are_shared_out_evenly():
    match = fb.game("risk/classic:players=4,deal=true").new(seed=2)
    counts = sorted(player["territories"] for player in match.game.public(match.state)["players"])
    assert counts == [10, 10, 11, 11]


def test_two_players_place_two_armies_and_a_neutral_one_in_turn():
    match = fb.game("risk/classic:players=2").new(seed=2)
    state = match.state
    assert [(state["owner"] == owner).sum() for owner in (RED, BLUE, NEUTRAL)] == [14, 14, 14]
    seat = match.to_move
    for expected in ("set-up", "set-up", "neutral set-up"):
        assert (match.to_move, PHASES[match.state["phase"]]) == (seat, expected)
        match.play(match.legal()[0])
    assert match.to_move == 1 - seat
    play_setup(match)
    assert match.state["armies"][match.state["owner"] == NEUTRAL].sum() == 40


def test_two_players_can_do_without_the_neutral_army():
    match = fb.game("risk/classic:players=2,neutral=false").new(seed=2)
    play_setup(match)
    assert not (match.state["owner"] == NEUTRAL).any()


# The draft.


def begin_turn_of_red(position):
    """Let Blue end his turn so that Red's begins."""
    position.state["turn"], position.state["phase"] = position.game.seats - 1, FORTIFY
    return position.play("end turn")


@pytest.mark.parametrize(("count", "armies"), [(1, 3), (11, 3), (12, 4), (20, 6)])
def test_a_draft_is_a_third_of_the_territories_and_at_least_three(count, armies):
    position = Position("players=2,neutral=false")
    in_every_continent = ("greenland", "peru", "egypt", "siam", "indonesia", "iceland")
    position.give(RED, *[name for name in position.ids if name not in in_every_continent][:count])
    assert begin_turn_of_red(position).match.state["pool"] == armies


def test_a_continent_that_is_held_gives_its_bonus():
    position = begin_turn_of_red(Position("players=2,neutral=false").give(RED, *AUSTRALIA))
    assert position.match.state["pool"] == 3 + 2


def test_armies_are_placed_by_handy_numbers_or_all_at_once():
    position = Position().give(RED, "peru").draft(27)
    assert position.moves("place") == [f"place {count} on Peru" for count in (1, 2, 3, 5, 10, 20, 27)]
    position.play("place 20 on peru", "place 3 on Peru", "place 3 on Peru")
    assert (position.phase, position.armies("peru")) == ("draft", 27)
    position.play("place 1 on Peru")
    assert position.phase == "attack"


def test_five_cards_force_a_set_before_anything_is_placed():
    position = Position().give(RED, "peru").draft(3).hand(RED, "alaska", "alberta", "ontario", "egypt", "brazil")
    assert position.moves("place") == []
    assert "must turn in a set first" in position.why_not("place 3 on Peru")
    position.play(position.moves("exchange")[0])
    assert position.moves("place")


def test_two_armies_go_to_a_card_s_territory_once_a_turn():
    hand = ["alaska", "iceland", "egypt", "peru", "argentina", "wild 1"]
    position = Position().give(RED, "alaska", "peru").draft(3).hand(RED, *hand)
    assert "two armies go on Alaska" in position.why_not("exchange Alaska + Iceland + Egypt")
    position.play("exchange Alaska + Iceland + Egypt, 2 on Alaska")
    assert (position.armies("alaska"), position.match.state["pool"]) == (3, 3 + 4)
    assert position.moves("exchange") == ["exchange Peru + Argentina + wild 1"]
    position.play("exchange Peru + Argentina + wild 1")
    assert (position.armies("peru"), position.match.state["pool"]) == (1, 3 + 4 + 6)


def test_who_holds_several_of_the_cards_territories_chooses_one():
    position = Position().give(RED, "alaska", "iceland").draft(3).hand(RED, "alaska", "iceland", "egypt")
    assert position.moves("exchange") == [
        "exchange Alaska + Iceland + Egypt, 2 on Alaska",
        "exchange Alaska + Iceland + Egypt, 2 on Iceland",
    ]


@pytest.mark.parametrize(
    ("cards", "values"),
    [
        ("growing", [4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60]),
        ("capped", [4, 6, 8, 10, 12, 15, 20, 25, 30, 35, 40, 45, 50, 50, 50]),
        ("slow", list(range(4, 19))),
    ],
)
def test_sets_are_worth_more_each_time(cards, values):
    worth = []
    for turned_in in range(len(values)):
        position = Position(f"cards={cards}").give(RED, "peru").draft(3).hand(RED, "alaska", "iceland", "egypt")
        position.state["sets"] = turned_in
        worth.append(int(position.play("exchange Alaska + Iceland + Egypt").match.state["pool"]) - 3)
    assert worth == values


@pytest.mark.parametrize(
    ("hand", "value"),
    [
        ("alaska + iceland + egypt", 4),
        ("greenland + alberta + ontario", 6),
        ("northwest_territory + brazil + great_britain", 8),
        ("alaska + greenland + brazil", 10),
        ("alaska + iceland + wild 1", 4),
        ("greenland + alberta + wild 1", 6),
        ("alaska + greenland + wild 1", 10),
        ("brazil + wild 1 + wild 2", 10),
    ],
)
def test_fixed_sets_are_worth_what_they_show(hand, value):
    position = Position("cards=fixed").give(RED, "madagascar").draft(3).hand(RED, *hand.split(" + "))
    assert position.play(f"exchange {hand}").match.state["pool"] == 3 + value


def test_two_of_one_symbol_and_another_are_no_set():
    position = Position().give(RED, "peru").draft(3).hand(RED, "alaska", "iceland", "brazil")
    assert position.moves("exchange") == []
    position.hand(RED, "egypt")
    assert "three of one symbol" in position.why_not("exchange Alaska + Iceland + Brazil")
    assert "not in your hand" in position.why_not("exchange Alaska + Iceland + Siam")


def test_both_decks_have_three_equal_parts_and_two_wild_cards():
    for deck in ("older", "modern"):
        game = fb.game(f"risk/classic:deck={deck}")
        assert np.bincount(game.table.symbol).tolist() == [14, 14, 14, 2]


# The attack.


def test_dice_are_fewer_than_the_armies():
    for armies, most in ((1, 0), (2, 1), (3, 2), (4, 3), (9, 3)):
        moves = attack_on_brazil(armies, 1).moves("attack Peru > Brazil")
        assert moves == [f"attack Peru > Brazil with {dice}" for dice in range(1, most + 1)]


def test_highest_dice_are_compared_and_ties_go_to_the_defender():
    position = attack_on_brazil(9, 9)
    position.play("attack Peru > Brazil with 3", chance=dice(1, 6, 4, 4, 5))
    assert (position.armies("peru"), position.armies("brazil")) == (8, 8)
    assert position.game.public(position.match.state)["dice"] == [[6, 4, 1], [5, 4]]
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 6, 6))
    assert (position.armies("peru"), position.armies("brazil")) == (6, 8)
    position.play("attack Peru > Brazil with 1", chance=dice(6, 5, 5))
    assert (position.armies("peru"), position.armies("brazil")) == (6, 7)


def test_a_single_army_defends_with_one_die():
    position = attack_on_brazil(9, 1)
    position.play("attack Peru > Brazil with 3", chance=dice(1, 1, 1, 6))
    assert position.game.public(position.match.state)["dice"] == [[1, 1, 1], [6]]


def test_as_many_armies_move_in_as_dice_were_rolled_and_any_number_may_follow():
    position = attack_on_brazil(9, 1).play("attack Peru > Brazil with 2", chance=dice(6, 6, 1))
    assert (position.owner("brazil"), position.armies("brazil"), position.armies("peru")) == (RED, 2, 7)
    assert position.moves() == ["move 1", "move 2", "move 3", "move 5", "move 6", "stay"]
    position.play("move 3", "move 1", "stay")
    assert (position.armies("brazil"), position.armies("peru"), position.phase) == (6, 3, "attack")


def test_when_none_can_follow_the_attack_goes_on_at_once():
    position = attack_on_brazil(3, 1).play("attack Peru > Brazil with 2", chance=dice(6, 6, 1))
    assert (position.armies("brazil"), position.armies("peru"), position.phase) == (2, 1, "attack")


def test_a_battle_goes_on_until_conquered_or_down_to_a_number():
    seen = set()
    for seed in range(200):
        position = attack_on_brazil(12, 8)
        position.match._chance.rng[:] = np.random.default_rng(seed).integers(1, 2**63, 4, dtype=np.uint64)
        position.play("battle Peru > Brazil down to 5")
        left, taken = position.armies("peru"), position.owner("brazil") == RED
        seen.add(taken)
        if taken:
            assert position.armies("brazil") == 3
            assert left + 3 > 5
        else:
            assert left in (4, 5) and position.armies("brazil") >= 1
    assert seen == {True, False}


def test_one_card_for_a_turn_with_a_conquest_and_none_without():
    position = attack_on_brazil(9, 1).play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay", "end turn")
    assert position.match.state["cards"][RED] == 1
    position = attack_on_brazil(9, 9).play("end turn")
    assert position.match.state["cards"][RED] == 0


def test_the_last_card_of_the_deck_is_followed_by_those_turned_in():
    position = attack_on_brazil(9, 1)
    turned_in = ("alaska", "egypt", "siam", "peru")
    position.hand(BLUE, *[name for name in position.ids if name not in turned_in], "wild 1", "wild 2")
    for name in turned_in:
        position.state["discard"][0] |= np.uint64(1 << position.ids.index(name))
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay").play("end turn", chance=[2])
    assert hand_of(position.match.state, RED) == [position.ids.index("egypt")]
    assert not position.match.state["discard"].any()
    assert position.match.state["old_cards"].tolist()[:2] == [0, 40]


def green_is_almost_gone(red_cards, green_cards):
    position = attack_on_brazil(9, 1).give(GREEN, "brazil")
    return position.hand(RED, *red_cards).hand(GREEN, *green_cards)


def test_who_destroys_a_player_takes_his_cards():
    position = green_is_almost_gone(["alaska", "siam"], ["egypt", "wild 1"])
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay")
    assert (position.match.state["cards"].tolist()[:3], position.phase) == ([4, 0, 0], "attack")
    assert position.game.public(position.match.state)["players"][GREEN]["destroyed_by"] == RED
    position.play("end turn")
    assert position.match.to_move == BLUE


def test_six_captured_cards_force_sets_in_the_middle_of_the_attack():
    position = green_is_almost_gone(["alaska", "iceland", "egypt", "siam"], ["japan", "wild 1", "wild 2", "ural"])
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1))
    assert position.phase == "occupy"
    position.play("stay")
    assert (position.phase, position.match.state["pool"], position.moves("place")) == ("draft", 0, [])
    position.play("exchange Alaska + Iceland + Egypt")
    assert position.moves("place") == []  # five are left
    position.play(position.moves("exchange")[0])
    assert position.match.state["cards"][RED] == 2
    assert position.moves("exchange") == []
    position.play("place 10 on Brazil")
    assert (position.phase, position.armies("brazil")) == ("attack", 13)


def test_five_cards_after_a_capture_are_kept():
    position = green_is_almost_gone(["alaska", "iceland", "egypt"], ["japan", "wild 1"])
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay")
    assert (position.phase, position.match.state["cards"][RED]) == ("attack", 5)


def test_who_destroys_everybody_wins_at_once():
    position = Position("players=2,neutral=false")
    position.give(RED, *[name for name in position.ids if name != "brazil"], armies=5)
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1))
    assert position.match.over and position.match.scores() == (1.0, 0.0)
    assert position.game.outcome(position.match.state) == "Red wins: everyone else is destroyed"


def test_with_a_neutral_army_it_is_enough_to_destroy_the_opponent():
    position = Position("players=2").give(NEUTRAL, *AUSTRALIA)
    position.give(RED, *[name for name in position.ids if name not in ["brazil", *AUSTRALIA]], armies=5)
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1))
    assert position.match.scores() == (1.0, 0.0)


def test_destroying_the_neutral_army_is_nothing_special():
    position = Position("players=2").give(NEUTRAL, "brazil").give(RED, "peru", armies=5)
    position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1))
    assert not position.match.over


# Fortifying.


def test_armies_go_through_connected_territories_of_one_s_own():
    position = Position().give(RED, "peru", armies=6).give(RED, "venezuela", "central_america", "egypt")
    position.play("end attack")
    targets = {re.sub(r"fortify \d+ Peru > ", "", move) for move in position.moves("fortify")}
    assert targets == {"Venezuela", "Central America"}
    assert "not connected" in position.why_not("fortify 3 Peru > Egypt")
    position.play("fortify 3 Peru > Central America", "fortify 1 Peru > Central America")
    assert (position.armies("peru"), position.armies("central_america")) == (2, 5)
    assert position.moves() == ["fortify 1 Peru > Central America", "end turn"]


def test_free_fortifying_takes_any_way_but_moves_no_army_twice():
    position = Position("free_fortify=true").give(RED, "peru", "venezuela", armies=6).give(RED, "central_america")
    position.play("end attack", "fortify 5 Peru > Venezuela")
    assert "no army moves twice" in position.why_not("fortify 1 Venezuela > Central America")
    position.give(RED, "argentina", armies=4).play("fortify 3 Argentina > Peru", "end turn")


# Limits.


def test_no_territory_has_more_armies_than_the_limit_and_the_rest_is_lost():
    position = Position("army_limit=12").give(RED, "peru", armies=7).give(RED, "egypt", armies=11).draft(20)
    assert position.moves("place 5 on Peru") and position.moves("place 6 on Peru") == []
    position.play("place 1 on Egypt", "place 5 on Peru")
    assert (position.phase, position.armies("peru"), position.armies("egypt")) == ("attack", 12, 12)


def test_after_the_last_round_territories_then_armies_decide():
    position = Position("round_limit=1").give(GREEN, "brazil", *AUSTRALIA)
    position.state["turn"] = GREEN
    position.play("end turn")
    assert position.match.scores() == (0.0, 1.0, 0.0)
    position = Position("round_limit=1").give(RED, *AUSTRALIA, armies=2)
    position.give(GREEN, *[name for name in position.ids if name not in AUSTRALIA][:19], armies=3)
    position.state["turn"] = GREEN
    assert (position.state["owner"] == BLUE).sum() == 19
    assert position.play("end turn").match.scores() == (0.0, 0.0, 1.0)


def test_equal_players_share_the_win():
    position = Position("players=2,neutral=false,round_limit=1")
    position.give(RED, *position.ids[::2])
    position.state["turn"] = BLUE
    position.play("end turn")
    assert position.match.scores() == (0.5, 0.5)
    assert "share the win" in position.game.outcome(position.match.state)


# Missions.


@pytest.mark.parametrize(
    ("words", "continents"),
    [
        ("hold Asia and South America", ["asia", "south_america"]),
        ("hold North America and Australia", ["north_america", "australia"]),
        ("hold Europe, Australia and a third of your choice", ["europe", "australia", "africa"]),
        ("hold Europe, South America and a third of your choice", ["europe", "south_america", "asia"]),
    ],
)
def test_a_continent_mission_is_won_at_the_end_of_a_turn(words, continents):
    position = with_mission(words)
    members = {c.id: [position.ids[i] for i in c.members] for c in position.game.board.continents}
    for continent in continents[:-1]:
        position.give(RED, *members[continent])
    position.give(RED, *members[continents[-1]][1:])
    position.play("end turn")
    assert not position.match.over
    position.give(RED, *members[continents[-1]])
    position.state["turn"], position.state["phase"] = RED, ATTACK
    position.play("end turn")
    assert position.match.scores() == (1.0, 0.0, 0.0)
    assert words in position.game.outcome(position.match.state)


@pytest.mark.parametrize(("count", "wins"), [(23, False), (24, True)])
def test_twenty_four_territories_are_a_mission(count, wins):
    position = with_mission("hold 24 territories")
    position.give(RED, *position.ids[:count]).play("end turn")
    assert position.match.over == wins


@pytest.mark.parametrize(("count", "wins"), [(17, False), (18, True)])
def test_eighteen_territories_with_two_armies_are_a_mission(count, wins):
    position = with_mission("hold 18 territories with two armies each at least")
    position.give(RED, *position.ids[:22]).give(RED, *position.ids[:count], armies=2).play("end turn")
    assert position.match.over == wins


def destroy_green(position):
    position.give(RED, "peru", armies=9).give(GREEN, "brazil").give(BLUE, "ural")
    return position.play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay")


def test_who_destroys_the_colour_of_his_mission_wins_at_the_end_of_the_turn():
    position = destroy_green(with_mission("destroy Green"))
    assert not position.match.over
    assert position.play("end turn").match.scores() == (1.0, 0.0, 0.0)


def test_a_colour_destroyed_by_another_makes_the_mission_twenty_four_territories():
    position = destroy_green(with_mission("destroy Green", seat=BLUE))
    position.give(RED, *position.ids[:19])
    assert (position.state["owner"] == BLUE).sum() in (22, 23)
    assert not position.play("end turn").match.over
    position = destroy_green(with_mission("destroy Green", seat=BLUE))
    assert (position.state["owner"] == BLUE).sum() == 40
    assert position.play("end turn").match.scores() == (0.0, 1.0, 0.0)


def test_in_strict_missions_it_does_not_matter_who_destroys_the_colour():
    position = destroy_green(with_mission("destroy Green", ",strict_missions=true", seat=BLUE))
    position.give(RED, *position.ids[:30])
    assert position.play("end turn").match.scores() == (0.0, 1.0, 0.0)


def test_missions_are_dealt_without_absent_colours_and_never_against_oneself():
    game = fb.game("risk/classic:players=3,goal=missions")
    for seed in range(200):
        missions = [game.mission_names[m] for m in game.new(seed=seed).state["mission"][:3]]
        assert len(set(missions)) == 3
        assert not {"destroy Yellow", "destroy Black", "destroy Pink"} & set(missions)
        assert not any(mission == f"destroy {colour}" for mission, colour in zip(missions, game.seat_names, strict=True))


def test_the_classic_map_has_fourteen_missions():
    assert len(fb.game("risk/classic:goal=missions").mission_names) == 14
