"""The strangers of Scotland Yard: each keeps to its temper on both sides."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.scotland_yard.stranger import STYLES
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE_SHIFT, HIDDEN, TICKET_SHIFT, has

LONDON = "scotland-yard/london:detectives=4"
BOARD = "scotland-yard/plan1"


def mr_x_moves(style: str, games: int = 5) -> list[int]:
    """His moves against the scripted detectives, as numbers."""
    records = [fb.play(LONDON, [f"stranger:style={style}", "heuristic"], seed=4, number=n) for n in range(games)]
    return [move.code for record in records for move in record.moves if move.seat == 0]


def black_and_double(style: str) -> float:
    """Share of Mr X's moves that use a black ticket or are half of a double move."""
    moves = mr_x_moves(style)
    return sum((code >> TICKET_SHIFT) & 15 == BLACK or code >> DOUBLE_SHIFT > 0 for code in moves) / len(moves)


def test_who_hoards_keeps_the_good_tickets_and_who_spends_uses_them() -> None:
    assert black_and_double("hoarding") < 0.05
    assert black_and_double("spending") > 0.2


def test_the_watchful_mr_x_goes_beside_a_detective_only_where_he_must() -> None:
    game = fb.game(BOARD)
    hops, went = game.paths.hops, 0
    for number in range(5):
        match = game.new(9, number)
        agents = [fb.agent(name, game) for name in ("stranger:style=watchful", "heuristic")]
        while not match.over:
            state, seat = match.view(0).state, match.to_move
            action = agents[min(seat, 1)].choose(match.view(seat)).action
            if seat == 0:
                near = [min(hops[state["station"][1:4], move.code & HIDDEN]) for move in match.legal()]
                if max(near) > 1:
                    assert min(hops[state["station"][1:4], action & HIDDEN]) > 1
                    went += 1
            match.play(action)
    assert went > 5


def test_the_watchful_detectives_step_where_mr_x_can_be() -> None:
    game = fb.game(BOARD)
    match = game.new(9)
    agents = [fb.agent(name, game) for name in ("heuristic", "stranger:style=watchful")]
    while not match.over:
        seat, state = match.to_move, match.view(1).state
        action = agents[min(seat, 1)].choose(match.view(seat)).action
        if seat > 0 and any(has(state["possible"], move.code & HIDDEN) for move in match.legal()):
            assert has(state["possible"], action & HIDDEN)
        match.play(action)


def apart(style: str) -> float:
    """How far the detectives are from each other at the end of a game, on the average."""
    found = []
    for number in range(6):
        match = fb.game(LONDON).new(9, number)
        agents = [fb.agent(name, match.game) for name in ("random", f"stranger:style={style}")]
        while not match.over:
            match.play(agents[min(match.to_move, 1)].choose(match.view(match.to_move)).action)
        stations = match.view(1).state["station"][1:5]
        found.append(match.game.paths.hops[np.ix_(stations, stations)].mean())
    return float(np.mean(found))


def test_the_herd_stays_together() -> None:
    assert apart("herding") < apart("cornered")


@pytest.mark.parametrize("style", STYLES)
def test_every_style_loses_to_the_scripted_player(style: str) -> None:
    """Over both sides; the scripted player takes more of them than of himself."""
    first = fb.play_set(BOARD, ["heuristic", f"stranger:style={style}"], 1000, workers=1)
    second = fb.play_set(BOARD, [f"stranger:style={style}", "heuristic"], 1000, workers=1)
    assert sum(result.scores[0] for result in first) + sum(result.scores[1] for result in second) > 1030
