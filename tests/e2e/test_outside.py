"""Games from outside on the page: drawn by the plain board, or by the module that the guide shows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from fogbound.cli.new_game import new_game
from tests.e2e.screen import over, play_by_clicking, wait_for_turn
from tests.installed import install, install_kuhn, install_project
from tests.provide import chromium
from tests.server.running import Server, sqlite

Window = Callable[..., Any]
GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "add-a-game.md"
DRAWN = """
from dataclasses import replace
from fogbound_kuhn.game import FAMILY as KUHN, Kuhn
class Drawn(Kuhn):
    family = "drawn"
class Torn(Kuhn):
    family = "torn"
FAMILY = replace(KUHN, name="drawn", game=Drawn, quick_start=None, title="Drawn Poker", page="drawn_kuhn:page/kuhn.js")
BROKEN = replace(KUHN, name="torn", game=Torn, quick_start=None, title="Torn Poker", page="drawn_kuhn:page/missing.js")
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with the example beside it, and with the guide's module for it."""
    if chromium() is None:
        pytest.skip("left out: there is no Chromium on this machine")
    folder = tmp_path_factory.mktemp("site")
    page = folder / "drawn_kuhn" / "page"
    page.mkdir(parents=True)
    shown = re.search(r"```js\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    assert shown
    (page / "kuhn.js").write_text(shown.group(1))
    (page / "kuhn.css").write_text(".kuhn-card { color: rgb(1, 2, 3); }")
    (page.parent / "__init__.py").write_text(DRAWN)
    install(folder, "drawn-kuhn", "[fogbound.games]\ndrawn = drawn_kuhn:FAMILY\ntorn = drawn_kuhn:BROKEN\n")
    new_game("light-house", folder / "light-house")
    path = {*install_kuhn(folder), *install_project(folder / "light-house", folder)}
    running = Server(sqlite(tmp_path_factory.mktemp("server")), path=sorted(path))
    running.warm_up("kuhn")
    running.warm_up("light-house")
    yield running
    running.kill()


def play_now(page: Any, title: str) -> None:
    page.goto("/")
    card = page.locator(".game-card").filter(has=page.get_by_role("heading", name=title))
    card.get_by_role("button", name="Play now").click()
    page.wait_for_url("**/table/*")
    wait_for_turn(page)


def test_a_game_without_a_drawing_is_played_on_the_plain_board(window: Window) -> None:
    page = window()
    play_now(page, "Kuhn Poker")
    state = page.locator(".plain-state").inner_text()
    assert "coins put in" in state and "unknown" in state
    assert page.locator(".plain-board .board-foot button").all_inner_texts() == ["pass", "bet"]
    play_by_clicking(page)
    assert over(page)
    assert "win" in page.locator(".status strong").inner_text()
    page.get_by_role("button", name="Replay").first.click()
    page.get_by_role("button", name="To the end").click()
    assert "unknown" not in page.locator(".plain-state").inner_text()


def test_the_guides_module_draws_its_game(window: Window) -> None:
    page = window(strict=True)
    page.goto("/")
    card = page.locator(".game-card").filter(has=page.get_by_role("heading", name="Drawn Poker"))
    card.get_by_role("button", name="Rules").click()
    assert "Kuhn poker in a minute" in page.locator("dialog").inner_text()
    page.get_by_role("button", name="Got it").click()
    card.get_by_role("button", name="Play now").click()
    page.wait_for_selector(".kuhn-card")
    assert page.locator(".kuhn-card").count() == 2
    assert page.locator(".kuhn-card").last.inner_text() == "?"
    assert page.locator(".kuhn-card").first.evaluate("card => getComputedStyle(card).color") == "rgb(1, 2, 3)"
    assert page.locator(".moves button").all_inner_texts() == ["pass", "bet"]


def test_a_new_game_is_played_on_its_own_board(window: Window) -> None:
    """What `fogbound new-game` writes, as it is."""
    page = window()
    play_now(page, "Light House")
    cells = page.locator(".light-house-beach button")
    assert cells.count() == 9 and cells.locator("nth=0").bounding_box()["width"] > 50
    while not over(page):
        page.locator(".light-house-beach button:enabled").first.click()
        wait_for_turn(page)
    page.wait_for_selector(".light-house-beach button:has-text('💰')")
    assert "wins" in page.locator(".status strong").inner_text()


def test_a_module_that_cannot_be_loaded_leaves_the_plain_board(window: Window) -> None:
    page = window()
    play_now(page, "Torn Poker")
    assert page.locator(".plain-board").count() == 1
