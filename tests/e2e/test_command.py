"""`fogbound play` and `fogbound replay` hand a game over to the browser by a ticket that is good once."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import fogbound as fb
from tests.e2e.screen import wait_for_turn

Window = Callable[..., Any]


@contextmanager
def fogbound(folder: Path, *args: str) -> Iterator[str]:
    """The command on a machine without a screen: it prints where to look."""
    hidden = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "XDG_DATA_HOME": str(folder), "COLUMNS": "300"}
    command = [sys.executable, "-m", "fogbound", *args]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ, **hidden})
    try:
        assert running.stdout is not None
        line = next(line for line in running.stdout if "Fogbound is at" in line)
        found = re.search(r"http://\S+", line)
        assert found
        yield found.group()
    finally:
        running.kill()
        running.wait()


def test_play_leads_straight_into_a_game(window: Window, tmp_path: Path) -> None:
    with fogbound(tmp_path, "play", "scotland-yard/plan1", "--as", "detectives", "--seed", "3") as address:
        page = window()
        page.goto(address)
        page.wait_for_url("**/table/*")
        assert "ticket" not in page.url
        wait_for_turn(page)
        assert page.locator(".seat .who .soft", has_text="you").count() == 3
        stranger = window()
        stranger.goto(address)
        stranger.get_by_text("This ticket was used already").wait_for()


def test_replay_shows_a_saved_game(window: Window, tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    fb.play("scotland-yard/plan1", ["random"], seed=1).save(file)
    with fogbound(tmp_path, "replay", str(file)) as address:
        page = window()
        page.goto(address)
        page.get_by_role("button", name="To the end").click()
        assert "win" in page.locator(".status strong").inner_text()
