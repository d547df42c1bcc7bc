"""Turn plans of Empire: whole legal turns, none twice, and the best that there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.empire.plans import Style, find_plans, plans_for, quick_value
from fogbound.core.chance import untaped
from fogbound.core.rng import stream
from fogbound.games.empire.game import Empire
from fogbound.games.empire.rules import ACTING, CHOOSING, TAKING

STYLE = Style()
SMALL = "empire/random:seed=2,width=3,height=3,land=60,players=2"


def positions(spec: str, games: int) -> list[tuple[Empire, Any]]:
    game = fb.game(spec)
    assert isinstance(game, Empire)
    rng = np.random.default_rng(2)
    found = []
    for number in range(games):
        match = game.new(seed=number)
        while not match.over:
            if match.state["phase"] in (TAKING, CHOOSING, ACTING):
                found.append((game, match.state.copy()))
            match.play(int(rng.choice(game.legal(match.state))))
    return found


@pytest.mark.parametrize(
    "spec", ["empire/seed", "empire/side-a:players=5", "empire/random:seed=1,width=9,height=7,neutral=true"]
)
def test_every_plan_is_a_whole_legal_turn(spec: str) -> None:
    for game, state in positions(spec, 2)[::7]:
        plans, seat = plans_for(game, 5, 4), int(state["turn"])
        count = find_plans(game.table, plans, STYLE, state, seat, untaped(stream(1, "a test")))
        assert 1 <= count <= plans.most
        ends = set()
        for i in range(count):
            after = state.copy()
            for code in plans.path[i, : plans.length[i]]:
                assert after["turn"] == seat and after["played"] == state["played"]
                assert int(code) in game.legal(after)
                game.rules.apply(game.table, after, int(code), untaped(stream(1, "another")))
            assert after["played"] == state["played"] + 1
            for field in ("armies", "cities", "coins", "goods", "reserve", "turn", "phase"):
                assert np.array_equal(after[field], plans.state[i][field])
            ends.add(
                (
                    int(plans.path[i, 0]) if state["phase"] == TAKING else 0,
                    after["armies"].tobytes(),
                    after["cities"].tobytes(),
                )
            )
        assert len(ends) == count


def every_end(game: Empire, state: Any) -> list[Any]:
    """All ends of a turn, by trying everything."""
    waiting, ends, met = [state], [], set()
    while waiting:
        here = waiting.pop()
        for code in game.legal(here):
            after = here.copy()
            game.rules.apply(game.table, after, code, untaped(stream(1, "a test")))
            if after["played"] > state["played"]:
                ends.append(after)
            elif after.tobytes() not in met:
                met.add(after.tobytes())
                waiting.append(after)
    return ends


def test_with_room_enough_the_best_end_of_the_turn_is_found() -> None:
    for game, state in positions(SMALL, 2)[::9]:
        seat = int(state["turn"])
        plans = plans_for(game, 200, 200)
        count = find_plans(game.table, plans, STYLE, state, seat, untaped(stream(1, "a test")))
        best = max(float(quick_value(game.table, STYLE, end, seat)) for end in every_end(game, state))
        assert plans.quick[:count].max() == pytest.approx(best)
