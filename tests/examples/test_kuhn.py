"""The example package: a game from outside passes the same checks as those that come with Fogbound."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

import fogbound as fb
from fogbound.core import registry
from tests.contract import test_agents, test_hidden, test_moves

SPEC = "kuhn/suit"


def checks(module: Any) -> list[Any]:
    return [pytest.param(check, id=name) for name, check in vars(module).items() if name.startswith("test_")]


@pytest.mark.parametrize("check", checks(test_moves) + checks(test_hidden))
def test_it_keeps_the_contract(check: Callable[[str], None]) -> None:
    check(SPEC)


def test_a_coin_won_is_no_game_won() -> None:
    """Results between nothing and all are told as they are: only two coins are all of the stake."""
    from fogbound.cli.set_run import RunSettings, SetRun

    run = SetRun(RunSettings(game=SPEC, agents=["random"], games=50, seed=1))
    summary = run.play(quiet=True)
    scores = [result.scores for result in run.results.values()]
    assert summary["wins"] == [sum(each[side] == 1 for each in scores) for side in range(2)]
    assert summary["points"] == [sum(each[side] for each in scores) for side in range(2)]
    assert sum(summary["wins"]) + summary["draws"] == 50 and summary["draws"] > 0
    assert "mean result" in run.report() and "won" not in run.report()


@pytest.mark.parametrize("agent", ["random", "heuristic", "mcts:iterations=20", "flat:playouts=1"])
@pytest.mark.parametrize("check", checks(test_agents))
def test_agents_play_it(check: Callable[[str, str], None], agent: str) -> None:
    compiled = issubclass(registry.agent_class(agent.partition(":")[0], fb.game(SPEC)), fb.PolicyAgent)
    if compiled or "compiled" not in check.__name__:
        check(SPEC, agent)


def test_the_compiled_rules_and_the_plain_ones_are_the_same() -> None:
    from fogbound_kuhn import reference

    game = fb.game("kuhn/three")
    starts = list(game.starts())
    assert len(starts) == 6
    for start in starts:
        waiting = [""]
        while waiting:
            moves = waiting.pop()
            match = game.new(start=start)
            for letter in moves:
                match.play({"p": "pass", "b": "bet"}[letter])
            turn = reference.to_move(moves)
            assert match.to_move == (-1 if turn is None else turn)
            if turn is not None:
                waiting += [moves + "p", moves + "b"]
                continue
            first, second = (int(card) for card in match.state["card"])
            assert match.scores()[0] * 4 - 2 == reference.coins_won((first, second), moves)


# How often each card bets in an equilibrium, after each way the game can have gone: Kuhn, 1950.
BETS = {
    "": {0: Fraction(0), 1: Fraction(0), 2: Fraction(0)},
    "p": {0: Fraction(1, 3), 1: Fraction(0), 2: Fraction(1)},
    "b": {0: Fraction(0), 1: Fraction(1, 3), 2: Fraction(1)},
    "pb": {0: Fraction(0), 1: Fraction(1, 3), 2: Fraction(1)},
}


def test_the_first_player_loses_an_eighteenth_of_a_coin_between_perfect_players() -> None:
    game = fb.game("kuhn/three")

    def value(match: fb.Match, moves: str) -> Fraction:
        if match.over:
            return Fraction(match.scores()[0]) * 4 - 2
        bets = BETS[moves][int(match.state["card"][match.to_move])]
        total = Fraction(0)
        for word, chance in (("pass", 1 - bets), ("bet", bets)):
            after = match.copy()
            after.play(word)
            total += chance * value(after, moves + word[0])
        return total

    assert sum(value(game.new(start=start), "") for start in game.starts()) / 6 == Fraction(-1, 18)


def test_it_is_there_by_its_name_alone() -> None:
    assert "kuhn" in fb.families()
    assert fb.game("kuhn").spec == SPEC
    assert registry.agents(fb.game("kuhn")) == [
        "blunders",
        "champion",
        "flat",
        "heuristic",
        "mcts",
        "person",
        "program",
        "random",
    ]
    with pytest.raises(fb.UnknownName, match="Did you mean “three”"):
        fb.game("kuhn/thre")
