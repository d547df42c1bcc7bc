"""The choices of a net of Risk: each is a legal move, no two are the same, and there is always one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk.choices import (
    ALL_FOLLOW,
    CHOICES,
    END,
    HALF_FOLLOW,
    MOST,
    NONE_FOLLOW,
    TURN_IN,
    WAYS,
    list_choices,
    move_of,
)
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import (
    ATTACK,
    BATTLE,
    CLAIM,
    DRAFT,
    FORTIFY,
    FORTIFY_MOVE,
    MOVE,
    NEUTRAL,
    NEUTRAL_SETUP,
    OCCUPY,
    PLACE,
    SETUP,
    encode,
)
from tests.games.risk.positions import AUSTRALIA, BLUE, RED, Position

GAMES = {  # and the phases before the first turn
    "risk/classic:players=3": {CLAIM, SETUP},
    "risk/classic:players=2": {SETUP, NEUTRAL_SETUP},  # with the neutral army
    "risk/random:seed=5,territories=21,players=6": {CLAIM, SETUP},
    "risk/classic:players=4,deal=true,goal=missions,cards=fixed": {SETUP},
    "risk/random:seed=2,territories=12,players=3,free_fortify=true,army_limit=6,deal=true": {SETUP},
}
TURNS = {DRAFT, ATTACK, OCCUPY, FORTIFY}


def risk(spec: str) -> Risk:
    game = fb.game(spec)
    assert isinstance(game, Risk)
    return game


class Choosing:
    """The choices of whoever is to move, and their moves."""

    def __init__(self, game: Risk) -> None:
        self.game, self.mask, self.out = game, np.zeros(CHOICES, np.uint8), np.zeros(game.most_actions, np.int64)

    def listed(self, state: Any) -> dict[int, int]:
        """The move of every choice that there is."""
        count = list_choices(self.game.table, state, int(state["turn"]), self.mask, self.out)
        assert count == self.mask.sum()
        return {int(choice): self.move(state, int(choice)) for choice in np.flatnonzero(self.mask)}

    def move(self, state: Any, choice: int) -> int:
        return int(move_of(self.game.table, state, int(state["turn"]), choice, self.out))


def positions(spec: str, games: int = 2, longest: int = 700) -> Iterator[fb.Match]:
    """Positions of games in which all players draw choices, and now and then any legal move."""
    game = risk(spec)
    choosing, rng = Choosing(game), np.random.default_rng(1)
    for seed in range(games):
        match = game.new(seed=seed)
        while not match.over and len(match.moves) < longest:
            yield match
            moves = list(choosing.listed(match.state).values())
            match.play(int(rng.choice(moves if rng.random() < 0.9 else game.legal(match.state))))


@pytest.mark.parametrize("spec", GAMES)
def test_every_choice_is_a_legal_move_of_its_own_and_there_is_always_one(spec: str) -> None:
    game = risk(spec)
    choosing, phases, kinds = Choosing(game), set(), set()
    for match in positions(spec):
        moves = choosing.listed(match.state)
        assert moves and set(moves.values()) <= set(game.legal(match.state))
        assert len(set(moves.values())) == len(moves)
        phases.add(int(match.state["phase"]))
        kinds |= {choice // MOST if choice < WAYS * MOST else choice for choice in moves}
    assert phases == GAMES[spec] | TURNS
    assert kinds == {0, 1, *range(WAYS * MOST, CHOICES)}  # of every kind there was one


@pytest.mark.parametrize("spec", GAMES)
def test_a_choice_that_is_not_there_has_no_move(spec: str) -> None:
    game = risk(spec)
    choosing = Choosing(game)
    there = [choice for choice in range(CHOICES) if choice >= WAYS * MOST or choice % MOST < game.board.size]
    for number, match in enumerate(positions(spec, games=1)):
        if number % 7 == 0:
            moves = choosing.listed(match.state)
            assert {choosing.move(match.state, choice) for choice in there if choice not in moves} <= {-1}


def test_there_is_no_choice_about_a_territory_that_the_map_does_not_have() -> None:
    game = risk("risk/random:seed=5,territories=21,players=6")
    assert Choosing(game).move(game.new(seed=0).state, game.board.size) == -1


def test_the_choices_are_the_same_for_a_seat_that_does_not_see_the_hands_of_others() -> None:
    for number, match in enumerate(positions("risk/classic:players=3", games=1)):
        if number % 9 == 0:
            choosing = Choosing(match.game)  # type: ignore[arg-type]
            assert choosing.listed(match.state) == choosing.listed(match.view(match.to_move).state)


# One position for each phase.


def choices_of(position: Position) -> dict[int, int]:
    return Choosing(position.game).listed(position.state)


def test_in_the_draft_all_armies_or_half_of_them_go_to_a_territory() -> None:
    position = Position().give(RED, *AUSTRALIA).draft(9)
    indonesia = position.ids.index("indonesia")
    found = choices_of(position)
    assert found[indonesia] == encode(PLACE, 0, indonesia, 9)
    assert found[MOST + indonesia] == encode(PLACE, 0, indonesia, 3)  # the largest step that is not more than 4
    assert len(found) == 2 * len(AUSTRALIA)


def test_a_set_can_be_turned_in_and_with_five_cards_nothing_else_can_be_done() -> None:
    position = Position().give(RED, *AUSTRALIA).hand(RED, "wild1", "alaska", "brazil").draft(3)
    found = choices_of(position)
    assert position.game.describe(found[WAYS * MOST + TURN_IN]).startswith("exchange") and len(found) > 1
    position.hand(RED, "china", "egypt")
    assert list(choices_of(position)) == [WAYS * MOST + TURN_IN]


def test_the_largest_stack_beside_a_territory_attacks_it_at_any_cost_or_with_care() -> None:
    position = Position().give(RED, "peru", armies=5).give(RED, "argentina", armies=4).give(RED, "siam", armies=3)
    ids, found = position.ids, choices_of(position)
    brazil, china = ids.index("brazil"), ids.index("china")
    assert found[brazil] == encode(BATTLE, ids.index("peru"), brazil, 1)
    assert found[MOST + brazil] == encode(BATTLE, ids.index("peru"), brazil, 3)
    assert china in found and MOST + china not in found  # three armies would break off at once
    assert ids.index("japan") not in found and ids.index("peru") not in found
    assert WAYS * MOST + END in found


def test_all_half_or_none_of_the_armies_follow_a_conquest() -> None:
    position = Position().give(RED, "peru", armies=12).give(RED, "brazil", armies=3)
    position.state["phase"] = OCCUPY
    position.state["source"], position.state["target"] = position.ids.index("peru"), position.ids.index("brazil")
    found = choices_of(position)
    assert sorted(found) == [WAYS * MOST + choice for choice in (ALL_FOLLOW, HALF_FOLLOW, NONE_FOLLOW)]
    assert found[WAYS * MOST + ALL_FOLLOW] == encode(MOVE, 0, 0, 11)
    assert found[WAYS * MOST + HALF_FOLLOW] == encode(MOVE, 0, 0, 3)  # of 12 and 3, the largest step that is not more than 4


def test_the_largest_idle_stack_or_the_largest_of_all_fortifies_a_territory() -> None:
    position = Position().give(RED, *AUSTRALIA).give(RED, "eastern_australia", armies=4).give(RED, "indonesia", armies=7)
    position.state["phase"] = FORTIFY
    east, indonesia, guinea = (position.ids.index(name) for name in ("eastern_australia", "indonesia", "new_guinea"))
    found = choices_of(position)
    assert found[guinea] == encode(FORTIFY_MOVE, east, guinea, 3)
    assert found[MOST + guinea] == encode(FORTIFY_MOVE, indonesia, guinea, 6)
    assert found[indonesia] == encode(FORTIFY_MOVE, east, indonesia, 3)
    assert MOST + indonesia not in found  # it would be the same stack
    assert WAYS * MOST + END in found
    position.state["source"], position.state["target"] = east, guinea
    assert list(choices_of(position)) == [WAYS * MOST + END]  # one march a turn


def test_in_the_set_up_one_neutral_army_is_placed_as_well() -> None:
    position = Position("players=2").give(RED, "peru").give(NEUTRAL, "brazil", "congo").give(BLUE, "alaska")
    position.state["phase"], position.state["pool"] = NEUTRAL_SETUP, 1
    places = [position.ids.index(name) for name in ("brazil", "congo")]
    assert choices_of(position) == {place: encode(PLACE, 0, place, 1) for place in places}
