"""What is hidden in Risk stays hidden, guesses fit what is known, and moves are told in words."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

import fogbound as fb
from fogbound.games.risk.notation import hand_of
from tests.games.risk.positions import BLUE, GREEN, RED, attack_on_brazil, dice, with_mission

# What is hidden.


def everything_seen(match, seat):
    """All that reaches a seat: the state, the JSON, the picture, the moves."""
    view = match.view(seat)
    console = Console(width=120, record=True, file=StringIO())
    console.print(match.game.picture(view))
    texts = [console.export_text(), str(match.game.public(view.state)), str(view.legal()), str(view.history)]
    return view.state.tobytes(), *texts


def test_a_hidden_card_changes_nothing_that_others_see():
    seen = []
    for card in ("alaska", "siam", "wild 2"):
        position = attack_on_brazil(9, 3).hand(RED, "egypt").hand(GREEN, "peru", card)
        seen.append([everything_seen(position.match, seat) for seat in (-1, RED, BLUE)])
    assert seen[0] == seen[1] == seen[2]


def test_a_hidden_mission_changes_nothing_that_others_see():
    seen = []
    for words in ("destroy Red", "hold 24 territories", "hold North America and Africa"):
        position = with_mission("hold Asia and Africa")
        position.state["mission"][GREEN] = position.game.mission_names.index(words)
        seen.append([everything_seen(position.match, seat) for seat in (-1, RED, BLUE)])
    assert seen[0] == seen[1] == seen[2]


def test_the_card_drawn_at_a_turn_s_end_is_seen_by_its_owner_only():
    seen, own = [], []
    for rank in (0, 17, 43):
        position = attack_on_brazil(9, 1).play("attack Peru > Brazil with 3", chance=dice(6, 6, 6, 1)).play("stay")
        position.play("end turn", chance=[rank])
        seen.append([everything_seen(position.match, seat) for seat in (-1, BLUE, GREEN)])
        own.append(everything_seen(position.match, RED))
    assert seen[0] == seen[1] == seen[2]
    assert len(set(own)) == 3


def test_imagined_hands_are_varied_and_leave_out_what_is_known():
    position = attack_on_brazil(9, 3).hand(RED, "egypt", "siam").hand(GREEN, "peru", "alaska", "ural")
    position.state["discard"][0] |= np.uint64(1 << position.ids.index("japan"))
    rng = np.arange(1, 5, dtype=np.uint64)
    seen = set()
    for _ in range(600):
        world = position.game.concealed(position.state, RED)
        position.game.rules.imagine(position.game.table, world, RED, rng)
        seen.update(hand_of(world, GREEN))
    assert len(seen) == 44 - 3
    assert not seen & {position.ids.index(name) for name in ("egypt", "siam", "japan")}


def test_after_a_reshuffle_old_cards_are_imagined_in_old_hands_only():
    position = attack_on_brazil(9, 3).hand(GREEN, "peru", "alaska", "ural").hand(BLUE, "siam")
    for name in ("peru", "alaska"):  # held since before the deck was made anew; the others were drawn since
        position.state["old"][0] |= np.uint64(1 << position.ids.index(name))
    position.state["old_cards"][GREEN] = 2
    rng = np.arange(1, 5, dtype=np.uint64)
    for _ in range(50):
        world = position.game.concealed(position.state, RED)
        position.game.rules.imagine(position.game.table, world, RED, rng)
        assert {position.ids.index("peru"), position.ids.index("alaska")} < set(hand_of(world, GREEN))


# Words.


@pytest.mark.parametrize("text", ["", "attack", "fly Peru > Brazil", "place many on Peru", "attack Peru > Mars with 2"])
def test_words_that_mean_nothing_get_one_sentence(text):
    message = attack_on_brazil(9, 1).why_not(text)
    assert message.endswith(".") and "\n" not in message


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("attack Peru > Alaska with 1", "not next to"),
        ("attack Brazil > Peru with 1", "is not Red's"),
        ("attack Peru > Brazil with 4", "with 9 armies you can roll 1 to 3 dice."),
        ("attack Peru > Argentina with 1", "Argentina already belongs to Red."),
        ("battle Peru > Brazil down to 7", "a battle can go down to"),
        ("place 1 on Peru", "cannot be played now"),
        ("claim Peru", "cannot be played now"),
        ("move 3", "cannot be played now"),
        ("fortify 1 Peru > Argentina", "cannot be played now"),
    ],
)
def test_an_illegal_move_is_refused_with_its_reason(move, reason):
    assert reason in attack_on_brazil(9, 1).give(RED, "argentina").why_not(move)


def test_words_and_codes_of_moves_are_two_ways_to_say_the_same():
    rng = np.random.default_rng(4)
    for spec in ("risk/classic:players=4,goal=missions,free_fortify=true", "risk/random:territories=15,players=2,seed=1"):
        match = fb.game(spec).new(seed=4)
        for _ in range(300):
            moves = match.legal()
            for move in moves:
                assert match.game.parse(str(move)) == move.code
            if match.over:
                break
            match.play(moves[rng.integers(len(moves))])
