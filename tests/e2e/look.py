"""What a player sees of the game screen: what is cut off, what axe-core finds, tables made without the dialogs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.server.running import Server

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
RULES = "{runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}"

# Which of some elements are not wholly in sight: beyond the window, or scrolled away inside something.
CUT = """(selector) => [...document.querySelectorAll(selector)].filter((element) => {
  const box = element.getBoundingClientRect();
  let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
  for (let up = element.parentElement; up; up = up.parentElement) {
    if (getComputedStyle(up).overflow === 'visible') continue;
    const clip = up.getBoundingClientRect();
    [left, top] = [Math.max(left, clip.left), Math.max(top, clip.top)];
    [right, bottom] = [Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
  }
  return !box.width || box.left < left - 2 || box.top < top - 2 || box.right > right + 2 || box.bottom > bottom + 2;
}).map((element) => element.className.baseVal ?? element.className)"""


def sit_down(page: Any, site: Server, game: str, *seats: str, **more: Any) -> str:
    """A table with a person on the seats called “me”, opened in this window. Its address."""
    table, token = site.new_table(game, *seats, **more)
    page.add_init_script(f"localStorage.setItem('fogbound:token:{table}', '{token}')")
    page.goto(f"/table/{table}")
    page.wait_for_selector(".board-area[data-version]")
    return f"/table/{table}"


def until_in_sight(page: Any, selector: str) -> None:
    """The board may glide there first."""
    page.wait_for_function(f"(selector) => !({CUT})(selector).length", arg=selector)


def cut_off(page: Any, *selectors: str) -> dict[str, list[str]]:
    """By selector, what of it is not wholly in sight; what is not there at all counts too."""
    found = {each: page.evaluate(CUT, each) if page.locator(each).count() else ["not there"] for each in selectors}
    return {selector: cut for selector, cut in found.items() if cut}


def box(page: Any, selector: str) -> dict[str, float]:
    found: dict[str, float] = page.locator(selector).first.bounding_box()
    return found


def findings(page: Any) -> list[str]:
    """What axe-core finds in both themes."""
    if not AXE.exists():
        pytest.skip("left out: axe-core is not installed; `make lint` does that")
    found = []
    page.evaluate("document.documentElement.dataset.motion = 'off'")
    page.add_script_tag(path=str(AXE))
    chosen = page.evaluate("document.documentElement.dataset.theme")
    for theme in ("dark", "light"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        for violation in page.evaluate(f"axe.run(document, {RULES}).then((r) => r.violations)"):
            places = [f"{node['target']} {node['failureSummary']}" for node in violation["nodes"][:3]]
            found.append(f"{theme}: {violation['id']}: {places}")
    page.evaluate(f"document.documentElement.dataset.theme = '{chosen}'")
    return found
