"""What the player of the nets minds beside its net: how likely aimless detectives are to step on Mr X."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np

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


def test_a_cautious_mr_x_escapes_aimless_detectives_more_often(tmp_path: Path) -> None:
    sets = [(BOARD, (mr_x, "random")) for mr_x in ("policy:floor=0.3", "policy:floor=0.3,caution=10")]
    bold, cautious = (result.in_order(0) for result in grow_sets(tmp_path, sets, 4000, 3, Local(1)))
    gained = cautious - bold
    assert gained.mean() > Z95 * gained.std() / np.sqrt(gained.size)
