"""What the player of the nets minds beside its net: aimless detectives, near ones, and ways out."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.scotland_yard.policy import stumbled_on
from fogbound.core.executor import Local
from fogbound.core.statistics import Z95
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import HIDDEN, TICKET_SHIFT
from fogbound.lab.sets import grow_sets

BOARD = "scotland-yard/plan1"


def chance(match: fb.Match, station: int) -> Fraction:
    """By counting each detective's tickets and lines, as slowly as one would by hand."""
    game, state = match.game, match.view(0).state
    assert isinstance(game, ScotlandYard)
    missed = Fraction(1)
    for seat in range(1, game.table.detectives + 1):
        here = state["station"][seat]
        links = [int(link) for link in game.table.links[game.table.link_start[here] : game.table.link_start[here + 1]]]
        ways = [link & HIDDEN for link in links if state["tickets"][seat, link >> TICKET_SHIFT] > 0]
        if ways:
            missed *= 1 - Fraction(ways.count(station), len(ways))
    return 1 - missed


def test_the_chance_to_be_stumbled_on_is_counted_from_lines_and_tickets() -> None:
    for number in range(3):
        match = fb.game(BOARD).new(4, number)
        scripted = fb.agent("heuristic", match.game)
        found = []
        while not match.over:
            for station in range(match.game.table.stations):
                expected = chance(match, station)
                assert abs(stumbled_on(match.game.table, match.view(0).state, station) - expected) < 1e-12
                found.append(expected)
            match.play(scripted.choose(match.view(match.to_move)).action)
        assert 0 in found and max(found) > 0


@pytest.mark.parametrize(
    ("more", "detectives"), [("caution=10", "random"), ("caution=10,beside=6,room=1.5", "stranger:style=passive")]
)
def test_a_careful_mr_x_escapes_more_often(more: str, detectives: str, tmp_path: Path) -> None:
    sets = [(BOARD, (mr_x, detectives)) for mr_x in ("policy:floor=0.3", f"policy:floor=0.3,{more}")]
    bold, careful = (result.in_order(0) for result in grow_sets(tmp_path, sets, 4000, 3, Local(1)))
    gained = careful - bold
    assert gained.mean() > Z95 * gained.std() / np.sqrt(gained.size)


def test_what_mr_x_minds_changes_his_chances_as_it_says() -> None:
    """Against the chances without it: a station beside a detective loses six, each way out gains one and a half."""
    game = fb.game(BOARD)
    plain, careful = (fb.agent(name, game) for name in ("policy", "policy:beside=6,room=1.5"))
    match, scripted, seen = game.new(4), fb.agent("heuristic", game), 0
    while not match.over:
        view = match.view(match.to_move)
        moves = [move.code for move in match.legal()]
        if view.seat == 0 and len(moves) > 1:
            before, after = (agent.choose(view).chances for agent in (plain, careful))
            expected = np.array([np.log(before[code]) + minded(match, code) for code in moves])
            weights = np.exp(expected - expected.max())
            np.testing.assert_allclose([after[code] for code in moves], weights / weights.sum(), rtol=1e-3, atol=1e-6)
            seen += 1
        match.play(scripted.choose(view).action)
    assert seen > 2


def minded(match: fb.Match, code: int) -> float:
    station, paid = code & HIDDEN, (code >> TICKET_SHIFT) & 15
    state, lines = match.view(0).state, match.game.table.links
    table = match.game.table
    near = min(int(match.game.paths.hops[there, station]) for there in state["station"][1:4])
    ways = 0
    for link in lines[table.link_start[station] : table.link_start[station + 1]]:
        ticket = int(link) >> TICKET_SHIFT
        ways += int(state["tickets"][0, ticket]) - (ticket == paid) > 0
    return 1.5 * min(4, ways) - 6 * max(0, 2 - near)
