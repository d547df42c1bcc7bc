"""Nothing slips past the contract: every game and agent that is registered is among those that are checked."""

from __future__ import annotations

import pytest

import fogbound as fb
from fogbound.core import registry
from tests.contract.specs import AGENTS, GAMES, LIMITED, family_of, name_of


def test_every_game_is_checked() -> None:
    assert set(registry.families()) == {family_of(spec) for spec in GAMES}


@pytest.mark.parametrize("family", registry.families())
def test_every_agent_is_checked_in_every_game_that_has_it(family: str) -> None:
    game = fb.game(family)
    asks_nobody = {name for name in registry.agents(game) if not registry.agent_class(name, game).asks_people}
    checked = {name_of(agent) for agent in AGENTS}
    checked |= {name_of(agent) for agent, specs in LIMITED.items() if family in map(family_of, specs)}
    assert asks_nobody <= checked, f"add {sorted(asks_nobody - checked)} to tests/contract/specs.py"


def test_every_agent_that_is_checked_exists() -> None:
    assert {name_of(agent) for agent in [*AGENTS, *LIMITED]} <= set(registry.agents())
