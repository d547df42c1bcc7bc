"""Makes a picture and a short animation of each game: python -m docs.images.make [NAME ...]."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import urllib.request
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

from tests.provide import chromium
from tests.server.running import Server, sqlite

HERE = Path(__file__).parent
FRAMES, WIDTH = 16, 560  # of an animation
SHOTS = (  # file, game, the side we play, moves to make, theme
    ("scotland-yard", "scotland-yard/london:detectives=4", 1, 18, "dark"),
    ("risk", "risk/classic:players=4,deal=true,starting_armies=24", 0, 30, "dark"),
    ("empire", "empire/side-a:players=3", 0, 16, "light"),
)


def post(address: str, path: str, body: Any) -> Any:
    request = urllib.request.Request(address + path, json.dumps(body).encode(), {"content-type": "application/json"})
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.load(answer)


def shoot(browser: Any, address: str, name: str, game: str, side: int, moves: int, theme: str) -> None:
    with urllib.request.urlopen(f"{address}/api/board?game={game}", timeout=300) as answer:
        sides = json.load(answer)["side_of"]
    seats = [{"kind": "me"} if s == side else {"kind": "agent", "level": "steady"} for s in sides]
    made = post(address, "/api/tables", {"game": game, "seats": seats, "nickname": "Ann", "seed": 12})
    page = browser.new_context(viewport={"width": 1180, "height": 760}, bypass_csp=True).new_page()
    page.set_default_timeout(240_000)
    stored = {"theme": theme, f"token:{made['id']}": made["token"], f"coached:{game.partition('/')[0]}": "yes"}
    page.add_init_script("".join(f"localStorage.setItem('fogbound:{key}', '{value}');" for key, value in stored.items()))
    page.goto(f"{address}/table/{made['id']}")
    chance = random.Random(4)
    frames = []
    for _ in range(moves):
        page.wait_for_selector(".status.mine")
        old = page.locator(".board-area").get_attribute("data-version")
        buttons = page.locator(".moves button")
        buttons.nth(chance.randrange(buttons.count())).dispatch_event("click")
        page.wait_for_function(f"document.querySelector('.board-area').dataset.version !== '{old}'")
        page.wait_for_timeout(400)
        frames.append(frame(page))
    page.wait_for_selector(".status.mine")
    page.wait_for_timeout(1200)
    page.screenshot(path=str(HERE / f"{name}.jpg"), type="jpeg", quality=84)
    first, *later = [*frames[-FRAMES:], frame(page)]
    rest = [each.resize(first.size) for each in later]
    first.save(HERE / f"{name}.webp", save_all=True, append_images=rest, duration=700, loop=0, quality=45, method=6)


def frame(page: Any) -> Image.Image:
    """The board as it is now, at half its size."""
    shot = Image.open(BytesIO(page.locator(".board-area").screenshot(type="png"))).convert("RGB")
    return shot.resize((WIDTH, round(shot.height * WIDTH / shot.width)), Image.Resampling.LANCZOS)


def main() -> None:
    with sync_playwright() as play, tempfile.TemporaryDirectory() as folder:
        server = Server(sqlite(Path(folder)))
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox", "--disable-gpu"])
        try:
            for shot in SHOTS:
                if shot[0] in (sys.argv[1:] or shot[0]):
                    shoot(browser, server.address, *shot)
        finally:
            browser.close()
            server.kill()


if __name__ == "__main__":
    main()
