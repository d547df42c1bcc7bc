"""The solver against an independent method: the whole extensive form as one linear programme."""

from __future__ import annotations

from typing import Any

import pytest

import fogbound as fb
from fogbound.core import registry
from tests.solve.extensive_form import value

WALK = {1: [2, 4], 2: [1, 3, 5], 3: [2, 6], 4: [1, 5], 5: [2, 4, 6], 6: [3, 5]}
TRAM = {1: [6], 6: [1], 2: [4], 4: [2]}
FERRY = {3: [4], 4: [3]}


def small(rules: dict[str, Any], mr_x: list[int], detectives: list[int], ferry: bool = False) -> fb.Game:
    """Two rows of three stations with a tram line or two, and perhaps a ferry."""
    links = {"taxi": WALK, "tram": TRAM, **({"ferry": FERRY} if ferry else {})}
    stations = [{"station": s, "links": {name: ends[s] for name, ends in links.items() if s in ends}} for s in range(1, 7)]
    transports = [{"name": "taxi"}, {"name": "tram"}, *([{"name": "ferry", "black_only": True}] if ferry else [])]
    return registry.rebuild(
        "scotland-yard",
        {
            "game": "scotland-yard",
            "name": "small",
            "transports": transports,
            "stations": stations,
            "starts": {"mr_x": mr_x, "detectives": detectives},
            "rules": {"detectives": 1, "rounds": 3, "reveals": [2], **rules},
        },
    )


def purse(mr_x: dict[str, int], detectives: dict[str, int]) -> dict[str, Any]:
    return {"tickets": {"mr_x": mr_x, "detectives": detectives}}


SMALL = {
    "hidden start": small({}, [1, 2, 3], [4, 5, 6]),
    "starts that overlap, so that not all of Mr X's are equally likely": small({"rounds": 2}, [1, 2, 5], [2, 4, 6]),
    "shown start": small({"show_start": True}, [1, 3], [5, 6]),
    "detectives first": small({"first": "detectives"}, [1, 2], [4, 5]),
    "detectives first, shown start, closing move": small(
        {"first": "detectives", "show_start": True, "closing_move": True, "rounds": 2}, [1, 2], [5, 6]
    ),
    "no reveals": small({"reveals": "none"}, [1, 3], [4, 5]),
    "a reveal every time": small({"reveals": "every 1", "rounds": 2}, [1, 2, 3], [4, 5, 6]),
    "stepping on detectives, closing move": small(
        {"step_on_detective": True, "closing_move": True, "rounds": 2, "reveals": "none"}, [1, 2, 3], [4, 6]
    ),
    "two detectives": small({"detectives": 2, "rounds": 1, "reveals": "none"}, [1, 3], [2, 4, 5, 6]),
    "counted tickets": small(purse({"taxi": 2, "tram": 1}, {"taxi": 2, "tram": 1}), [1, 2], [4, 5]),
    "counted tickets, handed over, stuck detectives pass": small(
        {**purse({"taxi": 1, "tram": 1}, {"taxi": 1, "tram": 1}), "hand_over": True, "stuck_detectives": "pass"},
        [1, 2],
        [4, 5],
    ),
    "too few tickets, stepping on detectives": small(
        {**purse({"taxi": 1, "tram": 1}, {"taxi": 9, "tram": 9}), "step_on_detective": True, "reveals": "none"},
        [1, 2, 3],
        [4, 6],
    ),
    "black tickets and a ferry": small(
        purse({"taxi": 3, "tram": 1, "black": 1}, {"taxi": 3, "tram": 1}), [3], [5, 6], ferry=True
    ),
    "a double move": small(
        {**purse({"taxi": 4, "tram": 1, "double": 1}, {"taxi": 4, "tram": 2}), "rounds": 2, "reveals": [1]}, [1, 2], [4, 5]
    ),
    "a double move, shown in the middle": small(
        {**purse({"taxi": 4, "double": 1}, {"taxi": 4, "tram": 2}), "rounds": 2, "reveals": [2]}, [1, 5], [2, 4]
    ),
    "grid3, two rounds": fb.game("scotland-yard/grid3:detectives=1,rounds=2"),
    "grid2": fb.game("scotland-yard/grid2:rounds=3,reveals=2"),
}


@pytest.mark.parametrize("name", SMALL)
def test_the_value_is_that_of_the_linear_programme(name: str) -> None:
    solution = fb.solve(SMALL[name], tolerance=1e-5, cache=False)
    assert solution.upper - solution.lower <= 1e-5
    exact = value(SMALL[name])
    assert solution.lower - 1e-8 <= exact <= solution.upper + 1e-8
