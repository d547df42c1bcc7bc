"""What the value net of Risk is told, beside a slow count in plain Python; and what is made of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import fogbound as fb
from fogbound.agents.risk import standing, value
from fogbound.agents.risk.evaluation import params_of
from fogbound.agents.risk.standing import FIGURES, GLOBALS, INPUTS, stand
from fogbound.core.errors import FogboundError
from fogbound.core.runner import seat_agents
from fogbound.games.risk.game import Risk
from fogbound.games.risk.odds import battle
from fogbound.games.risk.table import SEATS

GAMES = ("risk/classic:players=4,deal=true,round_limit=12", "risk/random:territories=14,players=3,seed=3,round_limit=12")


def turns(spec: str) -> Iterator[fb.Match]:
    """A match at the beginning of each of its turns."""
    game = fb.game(spec)
    match = game.new(seed=3)
    seated = seat_agents(game, ["heuristic", *["stranger:style=careless"] * (game.sides - 1)], 3)
    before = None
    while not match.over:
        now = int(match.state["round"]), match.to_move
        if now[0] > 0 and now != before:
            yield match
        before = now
        match.play(seated[match.to_move].choose(match.view(match.to_move)).action)


def odds(attackers: int, defenders: int) -> float:
    """The chance of conquest, stopping at two attackers as `odds_of` does."""
    return battle(attackers, defenders, 2 if attackers >= 3 else 0).conquered if attackers > 0 else 0.0


def counted(game: Risk, state: np.void, seat: int) -> dict[int, float]:
    """Some figures of a player, counted slowly."""
    board = game.board
    owner = [int(x) for x in state["owner"][: board.size]]
    armies = [int(x) for x in state["armies"][: board.size]]
    pool = int(state["pool"])
    mine = [t for t in range(board.size) if owner[t] == seat]
    border = [t for t in mine if any(owner[n] != seat for n in board.neighbours[t])]
    held = [c for c in board.continents if all(owner[t] == seat for t in c.members)]
    total = sum(armies) + pool
    own = sum(armies[t] for t in mine) + (pool if seat == state["turn"] else 0)
    stacks = sorted((armies[t] for t in mine), reverse=True)
    safe = 0.0
    for continent in held:
        chance = 1.0
        for t in continent.members:
            threat = max((armies[n] - 1 for n in board.neighbours[t] if owner[n] != seat), default=0)
            chance *= 1.0 - odds(threat, armies[t])
        safe += continent.bonus * chance
    exposed = sum(odds(max(armies[n] - 1 for n in board.neighbours[t] if owner[n] != seat), armies[t]) for t in border)
    bonuses = sum(c.bonus for c in board.continents)
    return {
        standing.TERRITORIES: len(mine) / board.size,
        standing.ARMIES: own / total,
        standing.BORDERS: len(border) / len(mine),
        standing.AT_BORDER: sum(armies[t] for t in border) / own,
        standing.LARGEST: stacks[0] / total,
        standing.SECOND: (stacks[1] if len(stacks) > 1 else 0) / total,
        standing.CARDS: int(state["cards"][seat]) / 5,
        standing.BONUS: sum(c.bonus for c in held) / bonuses,
        standing.SAFE_BONUS: safe / bonuses,
        standing.EXPOSED: exposed / len(mine),
        standing.TO_MOVE: float(seat == state["turn"]),
    }


@pytest.mark.parametrize("spec", GAMES)
def test_the_figures_are_those_of_a_slow_count(spec: str) -> None:
    figures, whole = np.zeros((SEATS, FIGURES), np.float32), np.zeros(GLOBALS, np.float32)
    checked = 0
    for match in turns(spec):
        game: Any = match.game
        stand(game.table, params_of(game, 0.6, 4), match.state, figures, whole)
        for seat in range(game.sides):
            if (match.state["owner"][: game.board.size] == seat).any():
                for figure, expected in counted(game, match.state, seat).items():
                    assert figures[seat, figure] == pytest.approx(expected, abs=1e-5), (figure, seat)
                    checked += 1
            else:
                assert not figures[seat].any()
    assert checked > 300


@pytest.mark.parametrize("spec", GAMES)
def test_chances_add_up_to_one_and_are_the_result_at_the_end(spec: str) -> None:
    generator = np.random.default_rng(4)
    shapes = [(8, INPUTS), (1, 8)]
    judged = value.made_of([(generator.normal(size=shape), generator.normal(size=shape[0])) for shape in shapes])
    last: Any = None
    for match in turns(spec):
        game: Any = match.game
        value.judge(game.table, params_of(game, 0.6, 4), judged, match.state)
        assert judged.chances.sum() == pytest.approx(1.0)
        living = [(match.state["owner"] == seat).any() for seat in range(SEATS)]
        assert [chance > 0 for chance in judged.chances] == living
        last = match
    value.judge(last.game.table, params_of(last.game, 0.6, 4), judged, last.state)
    assert last.over and tuple(judged.chances[: last.game.sides]) == last.scores()


def test_weights_of_another_kind_are_refused() -> None:
    with pytest.raises(FogboundError, match="not a value net for Risk"):
        value.read("risk-es")
