"""Kuhn poker in plain, slow Python: the compiled rules are tested against it."""

from __future__ import annotations

from random import Random

from fogbound_kuhn.game import Board

ENDS = {"pp", "bp", "bb", "pbp", "pbb"}  # p passes, b bets


def to_move(moves: str) -> int | None:
    """The seat to move after these moves, or None when the game is over."""
    return None if moves in ENDS else len(moves) % 2


def coins_won(cards: tuple[int, int], moves: str) -> int:
    """What the first player wins."""
    if moves == "bp":
        return 1
    if moves == "pbp":
        return -1
    stake = 2 if "bb" in moves else 1
    return stake if cards[0] > cards[1] else -stake


def play_random(board: Board, rng: Random) -> int:
    """Play a game at random; the number of moves that it took."""
    rng.sample(range(len(board.cards)), 2)
    moves = ""
    while to_move(moves) is not None:
        moves += rng.choice("pb")
    return len(moves)
