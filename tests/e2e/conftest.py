"""One server and one Chromium for all checks in a browser; each check has windows of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.provide import chromium
from tests.server.running import PATIENCE, Server, sqlite

playwright = pytest.importorskip("playwright.sync_api", reason="left out: Playwright is not installed")
QUIET = "--no-sandbox --disable-gpu --disable-background-networking --disable-component-update --disable-sync --no-first-run"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    if chromium() is None:
        pytest.skip("left out: there is no Chromium on this machine")
    running = Server(sqlite(tmp_path_factory.mktemp("site")))
    running.warm_up(
        "scotland-yard/grid4:detectives=1,rounds=4",
        "risk/random:territories=8,players=2,neutral=false,deal=true,round_limit=2",
        "empire/seed:players=2,turns=2",
    )
    yield running
    running.kill()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    program = chromium()
    if program is None:
        pytest.skip("left out: there is no Chromium on this machine")
    with playwright.sync_playwright() as play:
        running = play.chromium.launch(executable_path=program, args=QUIET.split())
        yield running
        running.close()


@pytest.fixture
def window(browser, site: Server) -> Iterator[Callable[..., object]]:  # type: ignore[no-untyped-def]
    """Opens windows that share nothing; a script error in any of them fails the check."""
    opened, errors = [], []

    def make(width: int = 1280, height: int = 860, strict: bool = False) -> object:
        # Playwright waits by evaluating strings, which the page's policy forbids; strict windows keep the policy.
        size = {"width": width, "height": height}
        context = browser.new_context(viewport=size, base_url=site.address, bypass_csp=not strict)
        context.set_default_timeout(1000 * PATIENCE)
        context.add_init_script("localStorage.setItem('fogbound:speed', 'instant')")  # nobody has to watch the others' moves
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        opened.append(context)
        return page

    yield make
    for context in opened:
        context.close()
    assert errors == []
