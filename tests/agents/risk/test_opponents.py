"""Who the others of a game of Risk are: told from the set-up, move by move, and from nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk.evaluation import params_of
from fogbound.agents.risk.opponents import HOARDED, LEAST_HOARD, Others, all_hoard, is_stranger, nobody_known, watch
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SETUP
from tests.agents.risk.test_turns import at_a_draft
from tests.games.risk.positions import AUSTRALIA, BLUE, GREEN, RED, Position


def set_up(spec: str) -> tuple[fb.Match, list[int]]:
    """A set-up in which seat 1 does what the scripted player would, the others anything else; and how often they agree."""
    match = fb.game(spec).new(seed=1)
    script, agreed, counted = fb.agent("heuristic", match.game), [0, 0, 0], int(match.state["phase"])
    while match.state["phase"] <= SETUP:
        seat = match.to_move
        wanted = script.choose(match.view(seat)).action
        others = [move.code for move in match.legal() if move.code != wanted]
        played = others[0] if others and seat != 1 else wanted
        agreed[seat] += int(match.state["phase"]) == counted and played == wanted
        match.play(played)
    return match, agreed


def seen_by(match: fb.Match, seat: int) -> Others:
    game = match.game
    assert isinstance(game, Risk)
    found = nobody_known()
    watch(match.view(seat), params_of(game), found, np.zeros(max(game.most_actions, 1000), np.int64))
    return found


@pytest.mark.parametrize("rules", ["players=3", "players=3,deal=true,starting_armies=20"])
def test_who_sets_up_like_the_scripted_player_is_told_from_who_does_not(rules: str) -> None:
    match, agreed = set_up(f"risk/classic:{rules}")
    seen = seen_by(match, 0)
    assert seen.agreed[:3].tolist() == agreed
    assert seen.made[0] > 5 and agreed[1] == seen.made[1]
    assert [bool(is_stranger(seen, seat)) for seat in range(3)] == [True, False, True]


def test_nobody_is_known_before_the_first_move_or_by_armies_for_a_hidden_mission() -> None:
    game = fb.game("risk/classic:players=3,deal=true,goal=missions")
    match = game.new(seed=1)
    for _ in range(6):
        match.play(match.legal()[0])
    assert not seen_by(match, 0).made.any()
    assert not any(is_stranger(nobody_known(), seat) for seat in range(3))


def test_among_strangers_the_planner_sets_up_as_the_scripted_player_does() -> None:
    match = fb.game("risk/classic:players=3").new(seed=1)
    script = fb.agent("heuristic", match.game)
    for _ in range(6):
        wanted = script.choose(match.view(match.to_move)).action
        match.play(next(move for move in match.legal() if move.code != wanted))
    view = match.view(match.to_move)
    assert fb.agent("planner", match.game).choose(view).action == script.choose(view).action
    trusting = fb.agent("planner:strangers=false", match.game).choose(view)
    assert trusting.values.keys() == {move.code for move in match.legal()}, "it looked at every claim"


def test_a_turn_search_makes_the_planners_turns_unless_there_are_strangers() -> None:
    known, strange = at_a_draft(), set_up("risk/classic:players=3")[0]
    for match, player in ((known, "turns:iterations=20,value=risk-value"), (strange, "planner:iterations=20")):
        view = match.view(match.to_move)
        expected = fb.agent(player, match.game).decide(view)
        assert fb.agent("planner:iterations=20,search=risk-value", match.game).decide(view) == expected


# Who hoards.


def hoards(match: fb.Match, seat: int) -> bool:
    """Whether all others do, in plain Python."""
    spare: dict[int, list[int]] = {}
    for owner, armies in zip(match.state["owner"].tolist(), match.state["armies"].tolist(), strict=True):
        if owner in range(match.game.seats) and owner != seat and armies:
            spare.setdefault(owner, []).append(armies - 1)
    return all(max(each) >= max(LEAST_HOARD, HOARDED * sum(each)) for each in spare.values())


def test_hoarders_are_those_who_keep_nearly_all_in_one_place() -> None:
    position = Position().give(RED, *AUSTRALIA).give(GREEN, "brazil", armies=11).give(BLUE, "siam", armies=11)
    table, state = position.game.table, position.state
    assert all_hoard(table, state, RED)
    position.give(BLUE, "ural", armies=2)  # ten of eleven
    assert not all_hoard(table, state, RED)
    position.give(BLUE, "ural").give(GREEN, "brazil", armies=10)  # no large stack
    assert not all_hoard(table, state, RED)


@pytest.mark.parametrize("agent", ["stranger:style=hoarding", "random"])
def test_they_are_told_as_plain_python_tells_them(agent: str) -> None:
    game = fb.game("risk/classic:players=3,round_limit=12")
    assert isinstance(game, Risk)
    found = set()
    for match in fb.play(game, [agent], seed=3).steps():
        if match.state["round"] > 0 and not match.over:
            found.add(hoards(match, match.to_move))
            assert bool(all_hoard(game.table, match.state, match.to_move)) == hoards(match, match.to_move)
    assert (True in found) == (agent != "random")
