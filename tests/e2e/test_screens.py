"""What comes before and after a game, in a real browser: setting it up, puzzles, one's games, the review, the editor."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.e2e.look import cut_off, findings
from tests.e2e.screen import TITLES, over, set_up, wait_for_turn
from tests.server.running import Server

Window = Callable[..., Any]


def test_a_table_is_made_with_any_agent_and_an_impatient_click_makes_one(window: Window, site: Server) -> None:
    page = window()
    made: list[str] = []
    page.on("request", lambda asked: made.append(asked.post_data) if asked.url.endswith("/api/tables") else None)
    page.goto("/new/empire?game=empire/seed:players=2,turns=2")
    page.locator("[data-side='1']").select_option("own")
    page.get_by_label("Agent", exact=True).select_option("flat")
    page.get_by_text("Its options").click()
    page.locator("[data-option='playouts']").fill("3")
    page.get_by_label("How many games").select_option("2")
    page.get_by_role("button", name="Start", exact=True).dblclick()
    page.wait_for_url("**/table/*")
    assert len(made) == 1
    asked = json.loads(made[0])
    assert asked["seats"][1] == {"kind": "agent", "agent": "flat:playouts=3"}
    assert asked["series"] == {"length": 2, "swap": True}


def test_rules_are_controls_and_what_does_not_work_is_told(window: Window) -> None:
    page = window()
    page.goto("/new/risk")
    page.get_by_label("Board", exact=True).select_option("random")
    assert ",seed=" in page.locator(".spec").inner_text()  # a map of its own, which can be had again
    page.get_by_role("button", name="A new map").click()
    page.get_by_text("All rules").click()
    page.locator("[data-option='territories']").fill("3")
    page.locator("[data-option='territories']").blur()
    page.get_by_role("alert").wait_for()
    assert page.get_by_role("button", name="These rules do not work").is_disabled()
    page.get_by_role("button", name="Full set-up").click()
    assert "deal" not in page.locator(".spec").inner_text()


def test_a_puzzle_of_each_game_is_tried_and_counted(window: Window, site: Server) -> None:
    page = window(390, 844)
    page.goto("/puzzles")
    page.get_by_text("Today's puzzle").click()
    page.wait_for_url("**/puzzles/*")
    easiest: dict[str, str] = {}  # of each game; today's would be another one tomorrow
    for puzzle in site.get("/api/puzzles"):
        easiest.setdefault(puzzle["family"], puzzle["id"])
    assert easiest.keys() == TITLES.keys()
    for family, puzzle in easiest.items():
        page.goto(f"/puzzles/{puzzle}")
        page.locator(".moves button").first.wait_for()
        assert findings(page) == [], family
        page.locator(".moves button").first.click()
        page.get_by_role("link", name="Next puzzle").wait_for()
        assert findings(page) == [], f"{family}, answered"
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, family
    done = page.evaluate("Object.keys(JSON.parse(localStorage['fogbound:puzzles']).done)")
    assert sorted(done) == sorted(easiest.values())


def test_lessons_and_ones_games_in_one_visit(window: Window) -> None:
    page = window(390, 844)
    page.goto("/learn/risk")
    page.locator(".pictures figure").first.scroll_into_view_if_needed()
    page.locator(".pictures svg.board").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.get_by_label("Language").select_option("cs")
    page.get_by_role("button", name="Začít lekci").click()
    page.get_by_text("Krok 1 z 7").wait_for()
    sentence = "Red wins by the mission: hold Asia, Africa and a third of your choice"
    told = page.evaluate(f"import('/js/texts.js').then((texts) => texts.served('{sentence}'))")
    assert told == "Červený vyhrál, splnil úkol: ovládnout kontinenty Asie, Afrika a třetí podle vlastní volby"
    moves = page.locator(".side .moves button")
    moves.first.click()
    page.get_by_text("Ne tak docela").wait_for()  # one army on Venezuela
    moves.filter(has_text="umístit 5: Brazílie").click()
    page.get_by_role("button", name="Další krok").click()
    page.get_by_text("Krok 2 z 7").wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.goto("/games")
    page.get_by_text("Zatím žádná dohraná hra.").wait_for()


def test_a_finished_game_is_reviewed_and_remembered(window: Window, site: Server) -> None:
    page = window()
    address = set_up(page, "scotland-yard", ["me", "agent:steady"])
    wait_for_turn(page)
    while not over(page):
        page.locator(".moves button").first.click()
        wait_for_turn(page)
    positions = site.get(f"/api/tables/{address.rsplit('/', 1)[1]}/replay")["positions"]
    way = [positions[0], *(after for after in positions[1:] if after["move"]["seat"] == 0)]  # from where he began
    stations = " → ".join(str(position["view"]["stations"][0]) for position in way)
    assert f"Mr X's way: {stations}\n" in page.locator(".ending").inner_text()
    assert len(page.locator("polyline.his-way").get_attribute("points").split()) == len(way)
    page.set_viewport_size({"width": 390, "height": 844})
    assert cut_off(page, ".turn-line strong", ".ending button") == {}
    page.get_by_role("button", name="Look at the board").click()
    assert cut_off(page, ".turn-line strong", ".ended .tools button") == {}
    page.set_viewport_size({"width": 1280, "height": 860})
    page.goto("/games")
    page.get_by_role("link", name="Review").click()
    page.locator(".chart").wait_for()
    assert page.url == address.replace("/table/", "/review/")
    assert findings(page) == []
    page.goto(address.replace("/table/", "/replay/"))
    page.locator(".board-area svg").first.wait_for()
    assert findings(page) == []


def test_the_editor_shows_mistakes_and_lets_a_board_be_played(window: Window) -> None:
    page = window()
    page.goto("/editor/scotland-yard")
    page.get_by_text("this board can be played").wait_for()
    page.get_by_role("button", name="Remove").click()
    page.locator("[data-id='5']").click()
    page.get_by_role("button", name="Remove").click()
    for corner in ("2", "8"):
        page.locator(f"[data-id='{corner}']").click()
    page.locator(".mistakes .error").first.wait_for()
    for _ in range(3):
        page.get_by_role("button", name="Undo").click()
    page.get_by_text("this board can be played").wait_for()
    page.get_by_role("button", name="Play it").click()
    page.wait_for_url("**/table/*")
    wait_for_turn(page)
    page.goto("/editor/risk")  # a board without coordinates is laid out
    page.get_by_text("this board can be played").wait_for()
    bare = json.loads(page.locator(".editor textarea").input_value())
    for territory in bare["territories"]:
        del territory["x"], territory["y"]
    file = {"name": "bare.json", "mimeType": "application/json", "buffer": json.dumps(bare).encode()}
    page.locator("input[type=file]").set_input_files(file)
    page.wait_for_function(
        "() => JSON.parse(document.querySelector('.editor textarea').value).territories[0].x !== undefined"
    )


def test_the_editor_begins_with_a_shipped_board_or_with_another_random_one_each_time(window: Window) -> None:
    page = window()
    page.goto("/editor/scotland-yard")
    file, begin = page.locator(".editor textarea"), page.get_by_label("Begin with ...")
    begin.wait_for()
    assert "gridN" not in begin.locator("option").all_text_contents()  # that stands for many boards
    seen = [file.input_value()]
    for board, stations in (("grid4", 16), ("random", 60), ("random", 60)):
        begin.select_option(board)
        page.wait_for_function("(seen) => !seen.includes(document.querySelector('.editor textarea').value)", arg=seen)
        seen.append(file.input_value())
        assert len(json.loads(seen[-1])["stations"]) == stations


def test_axe_finds_nothing_on_the_screens_around_a_game(window: Window) -> None:
    page = window()
    ready = {"/": ".game-card", "/new/risk": "[data-side]", "/puzzles": ".puzzle-card", "/editor/empire": ".good"}
    ready |= {"/editor/scotland-yard": ".good", "/editor/risk": ".good", "/learn/empire": "svg.board", "/games": "h1"}
    for path, shown in ready.items():
        page.goto(path)
        page.locator(shown).first.wait_for()
        assert findings(page) == [], path
