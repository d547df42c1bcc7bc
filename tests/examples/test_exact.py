"""Small games from outside, solved through the contract alone, against the values of the literature."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from open_spiel.python.algorithms import exploitability

import fogbound as fb
from fogbound.interop import open_spiel
from fogbound.solve import tree
from tests.contract import test_hidden, test_moves, test_numbers

CHIP = 1 / 26  # of a score, in Leduc poker


@pytest.fixture(scope="module")
def leduc() -> tree.Equilibrium:
    return tree.cfr("leduc", 1e-3)


def test_kuhn_poker_has_the_value_of_the_literature() -> None:
    found = fb.solve("kuhn/three", 1e-4)
    assert (len(found.tree.sets), found.tree.nodes) == (12, 55)
    assert found.lower <= 0.5 - 1 / 72 <= found.upper  # -1/18 of a coin, of which four are a score
    assert found.upper - found.lower <= 1e-4


def test_leduc_poker_has_the_value_of_the_literature(leduc: tree.Equilibrium) -> None:
    """-0.0856 chips for the first player (Lanctot et al.); 936 information sets, 5,520 ends, as OpenSpiel counts them."""
    assert len(leduc.tree.sets) == 936
    assert int((leduc.tree.flat.children == 0).sum()) == 5520
    assert (leduc.value - 0.5) / CHIP == pytest.approx(-0.0856, abs=(leduc.upper - leduc.lower) / CHIP)
    assert leduc.exploitability / CHIP < 0.015


def test_exploitability_is_that_of_open_spiel(leduc: tree.Equilibrium) -> None:
    """For the random player, and for what the solver found; OpenSpiel counts scores twice: from -1 to 1."""
    kuhn = tree.grow("kuhn/three")
    spiel = open_spiel.game("kuhn/three")
    from open_spiel.python.policy import UniformRandomPolicy

    ours = tree.exploitability(kuhn, [{}])
    assert 2 * ours == pytest.approx(exploitability.exploitability(spiel, UniformRandomPolicy(spiel)))
    assert tree.exploitability(leduc.tree, [leduc.strategy]) == pytest.approx(leduc.exploitability)


def test_an_agent_gives_up_what_its_best_response_takes() -> None:
    """Kuhn poker's heuristic is stochastic: its strategy is estimated. A function that always passes is known."""

    def passes(view: fb.View) -> str:
        return "pass"

    found = tree.best_response("kuhn/three", passes, "second")
    assert found.exact
    # Whoever never calls and never bets loses a coin to every bet, and never wins more than one.
    assert found.value == pytest.approx(0.25)
    assert found.exploitability == pytest.approx(0.25 + 1 / 72, abs=1e-4)
    assert not tree.best_response("kuhn/three", "heuristic", 0, queries=20).exact


def test_hidden_movement_has_the_same_value_in_both_solvers() -> None:
    spec = "scotland-yard/grid2:rounds=3"
    whole, subgames = tree.cfr(spec, 1e-3), fb.solve(spec, cache=False)
    assert 1 - whole.upper <= subgames.upper + 1e-9 and subgames.lower - 1e-9 <= 1 - whole.lower


def test_games_that_are_too_large_are_refused() -> None:
    with pytest.raises(fb.FogboundError, match="has more than 500 positions"):
        tree.grow("scotland-yard/grid3", most=500)
    with pytest.raises(fb.FogboundError, match="has 3 sides"):
        fb.solve("risk/classic")


@pytest.mark.parametrize(
    ("spec", "check"),
    [
        *(
            ("leduc", check)
            for module in (test_moves, test_hidden, test_numbers)
            for name, check in vars(module).items()
            if name.startswith("test_")
        ),
        ("kuhn/three", test_hidden.test_imagination_is_varied_where_something_is_hidden),  # only two worlds are possible
        ("kuhn/three", test_numbers.test_legal_moves_have_ascending_numbers_that_lead_back_to_them),
    ],
)
def test_it_keeps_the_contract(spec: str, check: Callable[[str], None]) -> None:
    check(spec)


def test_a_game_without_an_encoding_of_its_own_is_told_by_its_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    from fogbound_kuhn.game import Kuhn

    from fogbound.core.encoding import plain

    monkeypatch.setattr(Kuhn, "encoding", property(plain))
    told = fb.env("kuhn/three", n=4).reset()
    assert told.observations.shape == (4, fb.game("kuhn/three").rules.state.itemsize)
    assert told.mask.all()


def shell(*words: str) -> Any:
    done = subprocess.run([sys.executable, "-c", SHELL, *words], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


SHELL = """
import sys
import fogbound as fb
sys.path[:0] = ["examples/kuhn/src"]
fb.register_family("kuhn", "fogbound_kuhn.game:FAMILY")
from fogbound.cli.app import main
main()
"""


def test_the_shell_solves_and_exploits_it() -> None:
    assert shell("solve", "kuhn/three", "--json")["value"] == pytest.approx(0.5 - 1 / 72, abs=1e-3)
    told = shell("exploit", "kuhn/three", "--agent", "heuristic", "--side", "first", "--queries", "20", "--json")
    assert told["exploitability"] > 0
