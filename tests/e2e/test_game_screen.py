"""The game screen: everything in one window, menus that can be reached, nothing told by colour alone, readable by all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.e2e.look import box, cut_off, findings, sit_down, until_in_sight
from tests.e2e.screen import version, wait_for_turn, wait_past
from tests.server.running import Server

Window = Callable[..., Any]
ALWAYS = (
    ".status",
    ".turn-line strong",
    ".tools button",
    ".board-area",
    ".moves-panel",
    ".seat",
    ".tabs",
    "[role=tab]:not([hidden])",
)
GAMES = {
    "scotland-yard": ("scotland-yard/london", 6, (".travel .slot", ".key")),
    "risk": ("risk/classic:players=6,deal=true", 6, (".battle", ".bonus")),
    "empire": ("empire/side-a:players=5", 5, (".points tr", ".empire-card")),
}
ONE_BEGINS = 2  # a seed with which the first seat begins in each of them: no agent moves before this person does


@pytest.mark.parametrize("game", GAMES)
def test_everything_that_matters_is_in_one_window(window: Window, site: Server, game: str) -> None:
    spec, seats, own = GAMES[game]
    page = window(1366, 768)
    page.add_init_script(f"localStorage.setItem('fogbound:coached:{game}', 'yes')")
    sit_down(page, site, spec, "me", *["beginner"] * (seats - 1), nickname="You", seed=ONE_BEGINS)
    assert cut_off(page, *ALWAYS, *own, ".log li:last-child") == {}
    assert page.evaluate("document.documentElement.scrollHeight") <= 768
    assert box(page, ".board-area")["width"] * box(page, ".board-area")["height"] > 0.5 * 1366 * 768
    assert "(you)" not in page.locator(".players").inner_text()  # nobody is called “You (you)”
    endless = "document.getAnimations().filter((a) => a.effect.getComputedTiming().endTime === Infinity).length"
    assert page.evaluate(endless) == 0  # a page that waits costs nothing
    page.set_viewport_size({"width": 1920, "height": 1080})
    assert cut_off(page, *ALWAYS, *own, ".events .log li:last-child") == {}  # beside whatever tab is open
    assert box(page, ".board-area")["width"] > 1150
    assert box(page, ".tabs")["x"] + box(page, ".tabs")["width"] > 1890
    {"scotland-yard": lines_and_stations_differ, "risk": players_differ}.get(game, lambda page: None)(page)
    assert findings(page) == []


def players_differ(page: Any) -> None:
    """Not only by colours that some cannot tell apart: Blue and Black too."""
    assert page.evaluate("new Set([...document.querySelectorAll('.whose')].map((e) => e.textContent)).size") == 6
    colour = """(n) => { const e = document.body.appendChild(document.createElement('i'));
      e.style.color = `var(--p${n})`; return getComputedStyle(e).color.match(/[0-9]+/g).map(Number); }"""
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        blue, black = page.evaluate(colour, 1), page.evaluate(colour, 4)
        assert sum(abs(a - b) for a, b in zip(blue, black, strict=True)) > 150


def lines_and_stations_differ(page: Any) -> None:
    """Lines by their forms, and no station lies upon another."""
    form = """(at) => [...document.querySelectorAll('.key svg')[at].children].map((p) =>
      [p.getAttribute('stroke-width'), p.getAttribute('stroke-dasharray')].join())"""
    assert len({str(page.evaluate(form, kind)) for kind in range(4)}) == 4
    closest = """() => { const all = [...document.querySelectorAll('.station .face')].map((e) => e.getBoundingClientRect());
      return Math.min(...all.flatMap((a, i) => all.slice(0, i).map((b) =>
        Math.hypot(a.x - b.x, a.y - b.y) - (a.width + b.width) / 2))); }"""
    assert page.evaluate(closest) > 0


@pytest.mark.parametrize("game", GAMES)
def test_a_phone_shows_the_board_and_a_sheet_that_slides(window: Window, site: Server, game: str) -> None:
    spec, seats, _ = GAMES[game]
    page = window(390, 844)
    page.add_init_script("localStorage.setItem('fogbound:motion', 'off')")  # the board jumps to the piece that moves
    sit_down(page, site, spec, "me", *["beginner"] * (seats - 1), seed=ONE_BEGINS)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert cut_off(page, ".status", ".tools button", ".board-area", ".handle") == {}
    before = box(page, ".board-area")
    assert before["height"] > 400
    page.locator(".handle").click()
    page.wait_for_function("document.querySelector('.side').getBoundingClientRect().height > 500")
    assert box(page, ".board-area") == before
    page.locator(".handle").click()
    wait_for_turn(page)
    assert box(page, ".board-area") == before
    if game == "scotland-yard":
        sizes = page.evaluate("[...document.querySelectorAll('.legal .hit')].map((e) => e.getBoundingClientRect().width)")
        assert min(sizes) >= 32
        assert cut_off(page, ".station.legal .face") == {}
        the_menu_of_tickets_can_be_reached(page)
        page.set_viewport_size({"width": 1280, "height": 700})
        until_in_sight(page, ".station.legal .face")
        the_menu_of_tickets_can_be_reached(page)


def the_menu_of_tickets_can_be_reached(page: Any) -> None:
    lowest = """() => { const low = (e) => e.getBoundingClientRect().bottom;
      const found = [...document.querySelectorAll('.station.legal')].sort((a, b) => low(b) - low(a))[0];
      found.dispatchEvent(new MouseEvent('click')); }"""
    page.evaluate(lowest)
    assert page.locator(".popover button").count() >= 3  # black, a double move, cancel
    assert cut_off(page, ".popover", ".popover button") == {}
    assert findings(page) == []
    page.keyboard.press("Escape")
    assert page.locator(".popover").count() == 0
    assert page.evaluate("document.activeElement.classList.contains('station')")


def test_any_number_of_armies_can_be_placed(window: Window, site: Server) -> None:
    page = window(1280, 800)
    page.emulate_media(color_scheme="light")
    sit_down(
        page,
        site,
        "risk/random:territories=32,players=2,neutral=false,deal=true,starting_armies=16",
        "me",
        "beginner",
        seed=3,
    )
    wait_for_turn(page)
    assert page.locator(".status strong").inner_text() == "Your turn, Red: place 5 armies."
    page.locator(".area.legal").last.dispatch_event("click")
    assert cut_off(page, ".popover", ".popover button", ".popover input") == {}
    assert findings(page) == []
    page.get_by_label("How many armies").fill("4")  # no single move places four of five
    page.get_by_role("button", name="OK").click()
    page.get_by_text("place 1 army.").wait_for()
    assert "placed 3 armies" in page.locator(".log").inner_text()
    assert "placed 1 army" in page.locator(".log").inner_text()
    target = """() => { const path = document.querySelector('.area'); path.classList.add('target');
      return getComputedStyle(path).stroke; }"""
    assert page.evaluate(target) == "rgb(16, 32, 47)"  # dark on pale land, though the theme is the system's


def test_what_happened_is_said_shown_and_heard_of(window: Window, site: Server) -> None:
    page = window()  # both detectives begin so far away that nobody can be caught in two rounds
    page.clock.install()
    sit_down(page, site, "scotland-yard/grid5:detectives=2,rounds=6,reveals=2", "me", "beginner", "beginner", seed=10)
    assert page.title().startswith("● Your turn")
    page.locator(".moves button").first.focus()
    page.keyboard.press("Enter")
    wait_past(page, 2)
    wait_for_turn(page)
    told = page.locator(".log").inner_text()
    assert "Mr X walked to" in told
    assert "Since your last turn" in told
    assert "Detective 2 walked to" in page.locator("[aria-live=polite].unseen").inner_text()
    assert page.evaluate("document.activeElement.closest('.side-acts') !== null")  # the keyboard is where it was
    page.reload()
    wait_for_turn(page)
    assert page.locator(".log").inner_text() == told
    page.evaluate("localStorage.setItem('fogbound:speed', 'slow')")
    page.clock.pause_at(page.evaluate("Date.now()") + 1000)  # from here on nothing goes on by itself
    page.locator(".moves button").first.click()
    assert "Mr X is at" in page.locator(".moment").inner_text()
    while version(page) < 6:
        page.get_by_role("button", name="Skip").dispatch_event("click")
    page.clock.resume()
    page.evaluate("localStorage.setItem('fogbound:language', 'cs')")
    page.reload()
    wait_for_turn(page)
    assert page.locator(".status strong").inner_text() == "Jste na tahu, Pan X: táhněte a zaplaťte jízdenkou."
    assert "Detektiv 2 šel pěšky na" in page.locator(".log").inner_text()


CALLS = """window.tones = 0; window.notes = [];
const make = AudioContext.prototype.createOscillator;
AudioContext.prototype.createOscillator = function () { window.tones++; return make.call(this); };
window.Notification = class extends Notification {
  constructor(title, more) { super(title, more); window.notes.push(title); }
};
"""


def test_a_player_who_looks_elsewhere_is_called(window: Window, site: Server) -> None:
    page = window()
    page.context.grant_permissions(["notifications"])
    page.add_init_script(CALLS)
    sit_down(page, site, "scotland-yard/grid5:detectives=2,rounds=6,reveals=2", "me", "beginner", "beginner", seed=10)
    page.get_by_role("button", name="Settings").click()
    for wish in page.locator("dialog input[type=checkbox]").all():
        wish.check()
    page.get_by_role("button", name="Done").click()
    assert page.evaluate("window.tones") == 2  # how it sounds when it is one's turn
    page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true })")
    page.locator(".moves button").first.click()
    page.wait_for_function("window.notes.length > 0")
    assert page.evaluate("window.notes[0]") == "Your turn"
    assert page.evaluate("window.tones") > 2


def test_a_link_is_copied_or_the_page_says_that_it_was_not(window: Window, site: Server) -> None:
    page = window()
    page.add_init_script(
        "Object.defineProperty(navigator, 'clipboard', {value: undefined}); document.execCommand = () => false;"
    )
    sit_down(page, site, "scotland-yard/grid4:detectives=1,rounds=6", "me", "beginner")
    page.get_by_role("button", name="Share").click()
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("does not let the page copy").wait_for()
    assert page.get_by_text("Copied.").count() == 0


def test_the_rematch_is_found_again_after_a_reload(window: Window, site: Server) -> None:
    page = window()
    address = sit_down(page, site, "scotland-yard/grid3:detectives=1,rounds=1", "me", "beginner")
    wait_for_turn(page)
    page.locator(".moves button").first.click()
    page.wait_for_selector(".board-area[data-phase=over]")
    assert "Mr X's way" in page.locator(".ending").inner_text()
    assert findings(page) == []
    for name in ("Settings", "Rules", "Share"):
        page.get_by_role("button", name=name, exact=True).click()
        page.locator("dialog").wait_for()
        assert findings(page) == [], name
        page.keyboard.press("Escape")
    page.locator(".ending").get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: address not in url)
    again = page.url
    page.goto(address)
    page.locator(".ending").get_by_role("button", name="To the rematch").click()
    page.wait_for_url(again)
    assert version(page) >= -1
