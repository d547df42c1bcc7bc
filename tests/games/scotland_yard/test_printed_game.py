"""A game of plan1 that was printed elsewhere, heuristic against heuristic, replays by our rules."""

from __future__ import annotations

from itertools import pairwise

import fogbound as fb
from fogbound.core.match import Match
from fogbound.core.record import Record
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.reference import ReferenceGame

# A row a turn: for Mr X and each detective the station, and how it is left (1 taxi, 2 tram, 0 not at all).
ROWS = [
    [19, 1, 5, 1, 15, 1, 1, 1],
    [28, 1, 12, 1, 16, 1, 2, 2],
    [21, 1, 11, 1, 18, 1, 16, 1],
    [22, 1, 12, 1, 11, 1, 17, 2],
    [21, 1, 13, 1, 12, 1, 33, 2],
    [28, 1, 22, 1, 11, 2, 20, 1],
    [27, 1, 21, 1, 17, 2, 19, 1],
    [26, 2, 28, 1, 33, 1, 17, 1],
    [30, 2, 27, 0, 32, 1, 25, 1],
    [14, 2, 27, 0, 26, 2, 24, 1],
    [6, 2, 27, 0, 30, 2, 15, 1],
    [1, 1, 27, 0, 14, 1, 16, 2],
    [8, 1, 27, 0, 15, 0, 2, 0],
    [16, 0, 0, 0, 0, 0, 0, 0],
]
TICKETS_LEFT = [{"taxi": 17, "tram": 6}, {"taxi": 0, "tram": 4}, {"taxi": 0, "tram": 0}, {"taxi": 0, "tram": 0}]
START = (3, 1, 1, 0)  # 19 of 1 5 15 19 22 30; then 5, 15 and 1 among those still free
WAYS = {1: "taxi", 2: "tram"}


def printed_moves() -> list[tuple[int, str]]:
    """Each move as seat and words; the detectives do not follow Mr X's closing move."""
    moves = []
    for turn, (now, after) in enumerate(pairwise(ROWS)):
        for seat in range(4 if turn < 12 else 1):
            way, end = now[2 * seat + 1], after[2 * seat]
            moves.append((seat, f"{end} {WAYS[way]}" if way else "pass"))
    return moves


def printed_match() -> Match:
    match = fb.game("scotland-yard/plan1").new(start=START)
    for seat, words in printed_moves():
        assert match.to_move == seat
        match.play(words)
    return match


def test_the_printed_game_is_legal_move_by_move_and_mr_x_wins_it() -> None:
    match = printed_match()
    assert match.over and match.scores() == (1.0, 0.0)
    assert len(match.moves) == 13 + 12 * 3


def test_it_ends_with_exactly_the_tickets_that_were_printed() -> None:
    match = printed_match()
    assert isinstance(match.game, ScotlandYard)
    assert [match.game.tickets(match.state, seat) for seat in range(4)] == TICKETS_LEFT
    assert match.game.public(match.state)["stations"] == [16, 27, 15, 2]


def test_the_reference_plays_it_too() -> None:
    game = fb.game("scotland-yard/plan1")
    assert isinstance(game, ScotlandYard)
    reference = ReferenceGame(game.board, START)
    assert reference.stations == [19, 5, 15, 1]
    for seat, words in printed_moves():
        assert reference.to_move == seat
        reference.play(words)
    left = [{name: tickets[name] for name in ("taxi", "tram")} for tickets in reference.tickets]
    assert (reference.winner, left) == ("Mr X", TICKETS_LEFT)


def test_mr_x_was_seen_where_the_printed_game_shows_him_at_slots_3_6_and_9() -> None:
    match = fb.game("scotland-yard/plan1").new(start=START)
    seen = {}
    for seat, words in printed_moves():
        match.play(words)
        shown = match.game.public(match.view(1).state)["stations"][0]
        if seat == 0 and shown is not None and not match.over:
            seen[int(match.state["slot"])] = shown
    assert seen == {3: 22, 6: 27, 9: 14}


def test_its_record_replays() -> None:
    match = printed_match()
    record = Record.of(match, ["heuristic", "heuristic"])
    assert record.replay().state.tobytes() == match.state.tobytes()
