"""One turn worked out exactly: against the rules themselves, roll by roll."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

import fogbound as fb
from fogbound.core import registry
from fogbound.core.chance import taped
from fogbound.core.puzzles import shipped
from fogbound.core.rng import stream
from fogbound.games.risk.odds import battle, roll
from fogbound.games.risk.table import ATTACK_MOVE, KIND_SHIFT, MOVE, STAY
from fogbound.games.risk.tasks import MARGIN
from fogbound.games.risk.turn import Turn
from tests.games.risk.positions import BLUE, RED, Position, dice


@cache
def falls(attacking: int, defending: int, beaten: int) -> list[int]:
    """What chance draws when the defender loses so many."""
    for faces in product(range(1, 7), repeat=attacking + defending):
        attack = sorted(faces[:attacking], reverse=True)
        defence = sorted(faces[attacking:], reverse=True)
        if sum(a > d for a, d in zip(attack, defence, strict=False)) == beaten:
            return dice(*faces)
    raise AssertionError("dice cannot fall so")


def best_chance(game: fb.Game, state, aim: list[int], known: dict[bytes, float]) -> float:
    """The chance to hold some territories, by playing every legal attack and march with the compiled rules."""
    if all(state["owner"][t] == RED for t in aim):
        return 1.0
    key = state.tobytes()
    if key not in known:
        known[key] = 0.0
        for code in game.legal(state):
            known[key] = max(known[key], after(game, state, code, aim, known))
    return known[key]


def after(game: fb.Game, state, code: int, aim: list[int], known: dict[bytes, float]) -> float:
    kind = code >> KIND_SHIFT
    if kind in (MOVE, STAY):
        return best_chance(game, played(game, state, code, []), aim, known)
    if kind != ATTACK_MOVE:
        return 0.0
    details = game.details(code)
    target = [t.id for t in game.board.territories].index(details["to"])
    if target not in aim:
        return 0.0
    attacking, defending = details["dice"], min(2, int(state["armies"][target]))
    chances = roll(attacking, defending)
    return sum(
        float(chance) * best_chance(game, played(game, state, code, falls(attacking, defending, k)), aim, known)
        for k, chance in enumerate(chances)
    )


def played(game: fb.Game, state, code: int, drawn: list[int]):
    following = state.copy()
    game.rules.apply(game.table, following, code, taped(stream(0, "test"), drawn))
    for field in ("dice", "losses", "source", "target", "conquered") if following["phase"] == 4 else ("dice", "losses"):
        following[field] = 0
    return following


def test_the_best_chance_is_that_of_the_rules() -> None:
    position = Position("players=3").give(RED, "siam", armies=4).give(RED, "new_guinea", armies=2)
    position.give(BLUE, "indonesia", armies=2).give(BLUE, "western_australia", armies=1)
    position.give(RED, "eastern_australia")
    game, state = position.game, position.state
    aim = [position.ids.index(name) for name in ("indonesia", "western_australia")]
    turn = Turn(game.board, state, aim)
    assert turn.exact
    assert turn.value(turn.front) == pytest.approx(best_chance(game, state, aim, {}), abs=1e-12)


def test_one_battle_has_the_odds_of_the_tables() -> None:
    position = Position("players=3").give(RED, "siam", armies=8).give(RED, "new_guinea", "western_australia")
    position.give(BLUE, "indonesia", armies=4)
    indonesia = position.ids.index("indonesia")
    turn = Turn(position.game.board, position.state, [indonesia])
    found = turn.of_move(position.game.parse("battle Siam > Indonesia down to 1"))
    assert found == pytest.approx(battle(7, 4).conquered, abs=1e-12)
    assert turn.of_move(position.game.parse("end attack")) == 0.0


def test_puzzles_of_risk_are_proved_again() -> None:
    puzzles = [each for each in shipped().values() if each.game.startswith("risk/")]
    assert len(puzzles) >= 8
    for puzzle in puzzles[:2]:
        match = puzzle.match()
        assert puzzle.goal is not None
        continent = next(c for c in match.game.board.continents if c.name == puzzle.goal["continent"])
        turn = Turn(match.game.board, match.state, continent.members)
        assert turn.exact
        right = [code for code in match.game.legal(match.state) if puzzle.is_right(code)]
        assert puzzle.best in right
        for code in match.game.legal(match.state):
            assert turn.of_move(code) == pytest.approx(puzzle.values[str(code)], abs=1e-6)
            same = match.game.details(code).get("to") == match.game.details(puzzle.best)["to"]
            assert same or puzzle.values[str(code)] <= puzzle.values[str(puzzle.best)] - MARGIN + 1e-6
    assert registry.game(puzzles[0].game).family == "risk"
