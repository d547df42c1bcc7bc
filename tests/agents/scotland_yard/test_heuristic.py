"""The scripted players of Scotland Yard, on small positions where the right move can be seen."""

from __future__ import annotations

import json
from typing import Any

import pytest

import fogbound as fb
from fogbound.core import jsonfile
from fogbound.core.match import Match
from fogbound.games.scotland_yard.board import BOARDS
from fogbound.games.scotland_yard.game import ScotlandYard

Link = tuple[int, int, str]
SCORES = ["nearest", "sum", "weighted"]
TARGETS = ["nearest", "farthest", "conditional"]


def street(length: int) -> list[Link]:
    """Stations 1, 2, 3, ... in a row."""
    return [(station, station + 1, "taxi") for station in range(1, length)]


def position(links: list[Link], mr_x: list[int], detectives: list[int], **rules: Any) -> Match:
    """A match on a board of these links; Mr X stands on the first of his starts, each detective on his own."""
    transports = sorted({transport for *_, transport in links} | {"taxi"}, reverse=True)
    ends: dict[int, dict[str, list[int]]] = {station: {} for a, b, _ in links for station in (a, b)}
    for a, b, transport in links:
        ends[a].setdefault(transport, []).append(b)
        ends[b].setdefault(transport, []).append(a)
    file = {
        "game": "scotland-yard",
        "name": "position",
        "transports": [{"name": name} for name in transports],
        "stations": [{"station": station, "links": ends[station]} for station in sorted(ends)],
        "starts": {"mr_x": mr_x, "detectives": detectives},
        "rules": {"detectives": len(detectives), "rounds": 10, "reveals": "none", **rules},
    }
    board = BOARDS.check(jsonfile.parse(json.dumps(file), "position.json"))
    game = ScotlandYard(board, "scotland-yard/position.json", shipped=False)
    return game.new(start=[0] * (len(detectives) + 1))


def choice(match: Match, **options: str) -> str:
    """What the heuristic plays now, given only what the seat to move may know."""
    spec = "heuristic:" + ",".join(f"{key}={value}" for key, value in options.items())
    agent = fb.agent(spec, match.game)
    return match.game.describe(agent.choose(match.view(match.to_move)).action)


# Mr X.


@pytest.mark.parametrize(
    ("detectives", "nearest", "total", "weighted"),
    [
        # To 9: distances 5 3 4. To 11: 7 5 2, with the larger sum, but 2 is near and weighs most.
        ([4, 6, 13], "9 taxi", "11 taxi", "9 taxi"),
        # To 9: 3 4 5 6 4, which costs 9 + 4 + 1 + 0 + 4. To 11: 5 6 7 8 2, which costs 1 + 0 + 0 + 0 + 16.
        ([6, 5, 4, 3, 13], "9 taxi", "11 taxi", "11 taxi"),
    ],
)
def test_each_score_takes_the_station_where_it_is_largest(
    detectives: list[int], nearest: str, total: str, weighted: str
) -> None:
    match = position(street(20), [10], detectives)
    assert [choice(match, score=score) for score in SCORES] == [nearest, total, weighted]


def test_a_detective_who_cannot_pay_for_the_way_is_not_near() -> None:
    match = position(street(20), [10], [7, 14], tickets={"detectives": {"taxi": 9}})
    assert choice(match, score="nearest") == "11 taxi"
    match.state["tickets"][1][0] = 1  # from 7 it takes two to reach 9
    assert choice(match, score="nearest") == "9 taxi"


def test_between_equally_distant_stations_mr_x_takes_the_one_with_more_ways_out() -> None:
    links = [*street(4), (3, 5, "taxi"), (5, 6, "bus")]
    bus = position(links, [3], [1], tickets={"mr_x": {"taxi": 5, "bus": 1}})
    no_bus = position(links, [3], [1], tickets={"mr_x": {"taxi": 5}})
    assert {choice(bus, score=score) for score in SCORES} == {"5 taxi"}
    assert {choice(no_bus, score=score) for score in SCORES} <= {"4 taxi", "5 taxi"}


def test_mr_x_spends_a_double_move_only_when_every_single_one_leaves_a_detective_beside_him() -> None:
    tickets = {"mr_x": {"taxi": 9, "double": 1}}
    in_danger = position([*street(5), (4, 6, "taxi"), (6, 7, "taxi")], [3], [1, 5], tickets=tickets)
    safe = position(street(9), [5], [1, 9], tickets=tickets)
    assert choice(in_danger) == "4 taxi double"
    assert choice(safe) in ("4 taxi", "6 taxi")
    in_danger.play("4 taxi double")
    assert choice(in_danger, score="weighted") == "6 taxi"


def test_mr_x_spends_a_black_ticket_on_the_move_after_a_reveal_and_not_before() -> None:
    match = position(street(20), [5], [1], reveals=[1], tickets={"mr_x": {"taxi": 9, "black": 3}})
    assert choice(match) == "6 taxi"
    match.play("6 taxi")
    match.play("2 taxi")
    assert choice(match) == "7 black"
    match.play("7 black")
    match.play("3 taxi")
    assert choice(match) == "8 taxi"


def test_mr_x_with_one_legal_move_makes_it() -> None:
    assert choice(position(street(5), [1], [5])) == "2 taxi"


# The detectives.


@pytest.mark.parametrize(
    ("tickets", "nearest", "farthest", "conditional"),
    [
        (10, "9 taxi", "11 taxi", "11 taxi"),
        (9, "9 taxi", "11 taxi", "9 taxi"),  # 20 is ten moves away
        (1, "9 taxi", "11 taxi", "9 taxi"),  # not even 8 can be reached: he starts along the shortest way
    ],
)
def test_each_target_is_the_possible_station_that_it_says(
    tickets: int, nearest: str, farthest: str, conditional: str
) -> None:
    rules = {"first": "detectives", "tickets": {"detectives": {"taxi": tickets}}}
    match = position(street(20), [8, 20], [10], **rules)
    assert match.view(1).state["station"][0] == -1
    assert [choice(match, target=target) for target in TARGETS] == [nearest, farthest, conditional]


def test_a_detective_prefers_a_longer_way_that_he_can_pay_for() -> None:
    links = [(1, 5, "taxi"), (5, 4, "bus"), (1, 6, "taxi"), (6, 7, "taxi"), (7, 8, "taxi")]
    with_bus = position(links, [4, 8], [1], first="detectives", tickets={"detectives": {"taxi": 5, "bus": 1}})
    without = position(links, [4, 8], [1], first="detectives", tickets={"detectives": {"taxi": 5}})
    assert choice(with_bus, target="nearest") == "5 taxi"
    assert choice(without, target="nearest") == "6 taxi"


def test_a_detective_does_not_spend_a_ticket_on_the_way_that_he_needs_later() -> None:
    # To 3 there are a taxi and a bus to 2, but from there only a bus: the one bus ticket must be kept.
    links = [(1, 2, "taxi"), (1, 2, "bus"), (2, 3, "bus"), (1, 4, "taxi")]
    match = position(links, [3], [1], first="detectives", show_start=True, tickets={"detectives": {"taxi": 2, "bus": 1}})
    assert {choice(match, target=target) for target in TARGETS} == {"2 taxi"}


@pytest.mark.parametrize("target", TARGETS)
def test_a_detective_beside_a_shown_mr_x_catches_him(target: str) -> None:
    match = position([*street(9), (5, 10, "taxi")], [6], [5, 1], first="detectives", show_start=True)
    words = choice(match, target=target)
    match.play(words)
    assert words == "6 taxi" and match.scores() == (0.0, 1.0)


# Both.


def places_of_mr_x(match: Match) -> list[Match]:
    """The same match with Mr X on each of the stations where he can be."""
    assert isinstance(match.game, ScotlandYard)
    twins = []
    for station in match.game.possible(match.state):
        twin = match.copy()
        twin.state["station"][0] = match.game.index[station]
        twins.append(twin)
    return twins


@pytest.mark.parametrize("board", ["plan1", "square1", "london"])
@pytest.mark.parametrize("target", TARGETS)
def test_a_detective_decides_the_same_wherever_mr_x_really_is(board: str, target: str) -> None:
    game = fb.game(f"scotland-yard/{board}")
    agents = [fb.agent("heuristic", game), fb.agent(f"heuristic:target={target}", game)]
    hidden = 0
    for number in range(3):
        match = game.new(seed=5, number=number)
        while not match.over:
            decision = agents[game.side_of[match.to_move]].choose(match.view(match.to_move)).action
            if match.to_move > 0 and not match.state["shown"]:
                twins = places_of_mr_x(match)
                hidden = max(hidden, len(twins))
                assert {agents[1].choose(twin.view(twin.to_move)).action for twin in twins} == {decision}
            match.play(decision)
    assert hidden > 3


@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("target", TARGETS)
def test_the_same_position_gets_the_same_move_whatever_the_seed(score: str, target: str) -> None:
    game = fb.game("scotland-yard/plan1")
    agents = [f"heuristic:score={score}", f"heuristic:target={target}"]
    for start in [(3, 1, 1, 0), (0, 0, 0, 0), (5, 4, 3, 2)]:
        played = set()
        for seed in range(3):
            match = game.new(seed=seed, start=start)
            players = [fb.agent(spec, game, seed=seed, side=side) for side, spec in enumerate(agents)]
            while not match.over:
                match.play(players[game.side_of[match.to_move]].choose(match.view(match.to_move)).action)
            played.add(tuple(move.code for move in match.moves))
        assert len(played) == 1


def test_choosing_changes_neither_the_view_nor_the_match() -> None:
    match = fb.game("scotland-yard/london").new(seed=3)
    agent = fb.agent("heuristic", match.game)
    view, before = match.view(0), match.state.tobytes()
    seen = view.state.tobytes()
    assert agent.choose(view).action == agent.choose(view).action
    assert (view.state.tobytes(), match.state.tobytes()) == (seen, before)
