"""Named nets are what their cards say: fewer games than the card's give a rate that fits it."""

from __future__ import annotations

import pytest
from scipy.stats import binom

from fogbound.agents import nets
from fogbound.core.runner import play_set

GAMES = 120
QUICK = ("random", "heuristic", "net", "policy", "graph", "qtable")  # agents that a check can afford
SIZE_LIMIT = 13_000_000  # bytes of one file
PACKAGE_LIMIT = 25_000_000  # bytes of all that are installed


def quick_figures() -> list[tuple[str, int]]:
    return [
        (name, number)
        for name in nets.names()
        for number, figure in enumerate(nets.card(name)["figures"])
        if all(agent.partition(":")[0] in QUICK for agent in figure["agents"])
    ]


@pytest.mark.parametrize(("name", "number"), quick_figures())
def test_a_named_net_wins_as_often_as_its_card_says(name: str, number: int) -> None:
    figure = nets.card(name)["figures"][number]
    results = play_set(figure["game"], figure["agents"], GAMES, seed=20_000 + number, workers=1)
    wins = round(sum(result.scores[figure["side"]] for result in results))
    low, high = (min(max(figure[name], 1e-4), 1 - 1e-4) for name in ("low", "high"))
    assert binom.cdf(wins, GAMES, low) > 1e-5
    assert binom.sf(wins - 1, GAMES, high) > 1e-5


@pytest.mark.parametrize("name", nets.names())
def test_every_named_net_is_small_and_says_how_it_was_made(name: str) -> None:
    card = nets.card(name)
    file = nets.find(name)
    assert file is not None and file.stat().st_size < SIZE_LIMIT
    assert card["command"].startswith(("fogbound train ", "python ")) and card["seed"] >= 0
    assert card["figures"]
    for figure in card["figures"]:
        assert figure["low"] <= figure["rate"] <= figure["high"] and figure["games"] >= GAMES


def test_what_is_installed_stays_small() -> None:
    assert sum(file.stat().st_size for file in nets.PACKAGED.iterdir()) < PACKAGE_LIMIT
