"""The page in a real browser: whole games by clicking, friends, reloads, watching, replays, a phone, the keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.look import sit_down
from tests.e2e.screen import SMALL, card, over, play_by_clicking, set_up, version, wait_for_turn, wait_past
from tests.server.running import Server

Window = Callable[..., Any]
AI = "agent:steady"


@pytest.mark.parametrize("game", SMALL)
def test_a_whole_game_against_an_ai_by_clicking(window: Window, game: str) -> None:
    page = window()
    set_up(page, game, ["me", AI])
    play_by_clicking(page)
    status = page.locator(".status strong").inner_text()
    assert "win" in status
    page.get_by_role("button", name="Replay").first.click()
    page.get_by_role("button", name="To the end").click()
    assert "win" in page.locator(".status strong").inner_text()
    page.get_by_role("button", name="Back").click()
    page.get_by_label("Whose eyes").select_option("0")
    page.get_by_role("button", name="To the start").click()
    assert page.locator(".status strong").inner_text() == "The start"


@pytest.mark.parametrize("game", SMALL)
def test_two_clicks_from_the_front_page_into_a_game(window: Window, game: str) -> None:
    page = window()
    page.goto("/")
    card(page, game).get_by_role("button", name="Play now").click()
    page.wait_for_url("**/table/*")
    wait_for_turn(page)
    assert page.locator(".moves button").count() > 0


def test_two_browsers_play_each_other_through_an_invite_link(window: Window) -> None:
    ann, bob = window(), window()
    set_up(ann, "scotland-yard", ["me", "open"])
    link = ann.get_by_label("Link to invite").input_value()
    assert "token" not in link
    bob.goto(link)
    bob.get_by_label("Your name").fill("Bob")
    bob.get_by_role("button", name="Take a seat").click()
    bob.get_by_role("button", name="I am ready").click()
    ann.get_by_role("tab", name="Chat").click()
    ann.get_by_label("Say something").fill("good luck")
    ann.get_by_role("button", name="Send").click()
    bob.locator(".tabs .mark", has_text="1").wait_for()  # unread, on a tab that he has not opened
    for _ in range(60):
        for page in (ann, bob):
            page.wait_for_selector(".board-area[data-version]")
        if over(ann):
            break
        mover = ann if ann.locator(".status.mine").count() else bob
        if mover.locator(".moves button").count():
            old = version(mover)
            mover.locator(".moves button").first.click()
            for page in (ann, bob):
                wait_past(page, old)
    assert over(ann)
    assert ann.locator(".status strong").inner_text() == bob.locator(".status strong").inner_text()


def test_a_reload_in_mid_game_loses_nothing(window: Window) -> None:
    page = window()
    set_up(page, "risk", ["me", AI])
    wait_for_turn(page)
    for _ in range(2):  # armies of the set-up, before anybody can attack
        old = version(page)
        page.locator(".moves button").first.click()
        wait_past(page, old)
        wait_for_turn(page)
    before, moves = version(page), page.locator(".moves button").all_inner_texts()
    page.reload()
    wait_for_turn(page)
    assert version(page) == before
    assert page.locator(".moves button").all_inner_texts() == moves


def test_a_spectator_sees_only_what_everybody_may_know(window: Window) -> None:
    page, watcher = window(), window()
    address = set_up(page, "scotland-yard", ["me", AI])
    wait_for_turn(page)
    assert page.locator(".piece[data-seat='0']").is_visible()
    watcher.goto(address)
    watcher.wait_for_selector(".board-area[data-version]")
    assert "You are watching" in watcher.locator(".status").inner_text()
    assert watcher.locator(".piece[data-seat='0']").is_hidden()
    assert watcher.locator(".moves button").count() == 0


def test_the_front_page_fits_a_phone(window: Window) -> None:
    page = window(390, 844)
    page.goto("/")
    page.wait_for_selector(".game-card")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_game_by_the_keyboard_alone(window: Window) -> None:
    page = window()
    page.goto("/")
    page.wait_for_selector(".game-card")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Play now":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/table/*")
    for _ in range(80):
        wait_for_turn(page)
        if over(page):
            break
        old = version(page)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        wait_past(page, old)
    assert over(page)


def test_a_move_of_somebody_with_several_seats_is_sent_once(window: Window, site: Server) -> None:
    """A whole table comes when the viewer's seat changes; the move on its way was sent again then, until it was too many."""
    page = window()
    sent: list[str] = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda text: sent.append(text)))
    spec = "scotland-yard/grid4:detectives=2,rounds=4"
    sit_down(page, site, spec, "steady", "me", "me", seed=1)
    for _ in range(4):
        wait_for_turn(page)
        old = version(page)
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Enter")
        wait_past(page, old)
        if over(page):
            break
    moves = [json.loads(each)["id"] for each in sent if json.loads(each)["type"] == "play"]
    assert len(moves) > 1 and len(set(moves)) == len(moves)


def test_a_place_on_the_board_is_chosen_by_the_keyboard_and_taken_back(window: Window, site: Server) -> None:
    page = window()  # the first card of this seed places armies, and it is this person's to take
    sit_down(page, site, "empire/seed:players=2,turns=3", "me", "steady", seed=1)
    page.locator(".empire-card.legal").first.focus()
    page.keyboard.press("Enter")
    wait_past(page, 0)
    place = page.locator(".area.legal").first
    place.focus()
    assert page.evaluate("document.activeElement.getAttribute('aria-label')")
    page.keyboard.press("Enter")
    wait_past(page, 1)
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => document.querySelector('.board-area').dataset.version === '1'")


def test_one_screen_is_handed_over_between_hidden_hands(window: Window) -> None:
    page = window()
    set_up(page, "scotland-yard", ["me", "me"])
    page.get_by_role("button", name="I am Mr X").click()
    page.wait_for_selector(".moves button")
    assert page.locator(".piece[data-seat='0']").is_visible()
    page.locator(".moves button").first.click()
    page.get_by_role("button", name="I am Detective 1").wait_for()
    assert page.locator(".piece[data-seat='0']").is_hidden()


def test_chat_rules_and_themes_are_at_hand(window: Window) -> None:
    page = window()
    set_up(page, "risk", ["me", AI])
    wait_for_turn(page)
    page.get_by_role("tab", name="Chat").click()
    page.get_by_label("Say something").fill("<b>good luck</b>")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("<b>good luck</b>").wait_for()
    page.get_by_role("button", name="Rules").click()
    page.get_by_role("button", name="Got it").click()
    page.get_by_role("button", name="Show me a good move").click()
    assert "A good move: place 1" in page.locator(".hint").inner_text()  # what else, while armies are set up
    page.get_by_role("button", name="Close").click()
    assert page.locator(".hint").count() == 0
    page.get_by_role("button", name="Theme").click()
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"


def test_a_page_that_does_not_exist_says_so(window: Window) -> None:
    page = window()
    page.goto("/table/nothere1")
    page.get_by_text("There is no such table here").wait_for()


@pytest.mark.parametrize("game", SMALL)
def test_nothing_on_the_page_breaks_its_own_policy(window: Window, game: str) -> None:
    page = window(strict=True)
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
    page.goto("/")
    card(page, game).get_by_role("button", name="Rules").click()
    page.get_by_role("button", name="Got it").click()
    card(page, game).get_by_role("button", name="Play now").click()
    page.wait_for_selector(".moves button")
    page.get_by_role("tab", name="Analysis").click()
    page.wait_for_selector(".best, .moves button")
    assert said == []


def test_the_front_page_leads_back_to_a_game_that_goes_on(window: Window) -> None:
    page = window()
    address = set_up(page, "empire", ["me", AI])
    wait_for_turn(page)
    page.goto("/")
    page.get_by_role("link", name="Go on").first.click()
    assert page.url == address
    wait_for_turn(page)


def test_the_analysis_of_a_small_board_shows_the_exact_value_and_other_agents_are_asked(window: Window) -> None:
    page = window()
    set_up(page, "scotland-yard", ["me", AI])
    wait_for_turn(page)
    page.get_by_role("tab", name="Analysis").click()
    page.wait_for_selector(".exact .best", timeout=240_000)
    assert "if both sides play perfectly" in page.locator(".exact").inner_text()
    assert page.locator(".exact .best span").count() == 3 * page.locator(".moves button").count()
    page.get_by_label("Who is asked").select_option("random")
    page.get_by_role("heading", name="Analysis by random").wait_for()
