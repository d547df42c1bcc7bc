"""What players of Risk look at on the map."""

import numpy as np

from fogbound.agents.risk import tactics
from fogbound.games.risk.table import NEUTRAL, contains, count_of, income
from tests.games.risk.positions import AUSTRALIA, BLUE, GREEN, RED, Position


def look(kernel, position, *args):
    return kernel(position.game.table, position.state, *args)


def test_a_border_is_next_to_a_foreign_territory():
    position = Position().give(RED, *AUSTRALIA)
    assert look(tactics.on_border, position, RED, position.ids.index("indonesia"))
    assert not look(tactics.on_border, position, RED, position.ids.index("eastern_australia"))


def test_the_largest_threat_is_one_stack_and_the_total_threat_is_all_of_them():
    position = Position().give(RED, "brazil").give(BLUE, "peru", armies=5).give(GREEN, "argentina", armies=3)
    brazil = position.ids.index("brazil")
    assert look(tactics.largest_threat, position, RED, brazil) == 4
    neighbours = position.game.board.neighbours[brazil]
    assert look(tactics.total_threat, position, RED, brazil) == len(neighbours) + 5 + 3 + (len(neighbours) - 2)
    position.give(NEUTRAL, "peru", armies=9)
    assert look(tactics.largest_threat, position, RED, brazil) == 2
    assert look(tactics.total_threat, position, RED, brazil) == len(neighbours) + 3 + (len(neighbours) - 2)


def test_armies_to_place_and_all_but_one_on_each_territory_are_free():
    position = Position().give(RED, *AUSTRALIA, armies=4).draft(7)
    assert look(tactics.free_armies, position, RED) == 7 + 4 * 3
    assert look(tactics.armies_to_eliminate, position, RED) == 4 * (4 + 1)
    assert look(income, position, RED) == 3 + 2


def test_the_idle_stack_is_the_largest_one_away_from_the_borders():
    position = Position().give(RED, *AUSTRALIA).give(RED, "eastern_australia", armies=6).give(RED, "indonesia", armies=9)
    assert look(tactics.idle_stack, position, RED) == (6, position.ids.index("eastern_australia"))
    assert look(tactics.idle_stack, Position().give(RED, "indonesia", armies=9), RED) == (1, -1)


def test_a_thrifty_player_keeps_wild_cards_that_bring_nothing_more():
    position = Position("cards=growing").give(RED, *AUSTRALIA)
    symbols = position.game.board.symbols
    three = [position.ids[next(i for i, symbol in enumerate(symbols) if symbol == kind)] for kind in range(3)]
    position.hand(RED, *three, "wild1").draft(3)
    out = np.empty(position.game.most_actions, np.int64)
    assert position.game.describe(look(tactics.thrifty_set, position, RED, out)).count("wild") == 0
    assert count_of(look(tactics.most_armies_set, position, RED, out)) > 0


def test_a_set_in_two_words_contains_its_members():
    first, second = np.uint64(1 << 5), np.uint64(1 << 6)
    assert [member for member in range(128) if contains(first, second, member)] == [5, 70]
