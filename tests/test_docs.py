"""The documentation: it is built without a warning, its links lead somewhere, and its code blocks run.

What takes long is made small first (SMALL), and what needs the network, a browser or an hour is only read: that the
command and all its options exist (LONG).
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import matplotlib
import pytest
import typer

import fogbound as fb
from fogbound.cli.app import MODULES, app
from fogbound.core import places, registry
from fogbound.core.runner import seat_agents

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
OURS = re.compile(r"^(?:\.venv/bin/)?(?:fogbound|python) .*$", re.MULTILINE)
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.DOTALL | re.MULTILINE)
LONG = {"play", "serve", "thinker", "train", "exploit", "reproduce", "solve", "bench", "bot", "tune", "puzzles"}
SMALL = (
    (r'settings=\["games=\d+"\]', 'settings=["games=40", "trial_games=2", "trials=1"]'),
    (r"(?<!trial_)\bgames=\d{3,}", "games=4"),
    (r"(?m)^games = \d+", "games = 40"),
    (r"--games \d+", "--games 4"),
    (r"grid5:rounds=6", "grid3:detectives=1,rounds=4"),
    (r"iterations=\d+", "iterations=8"),
    (r"--all-starts", "--games 4"),
    (r'balance\("scotland-yard/plan1"\)', 'balance("scotland-yard/grid3:detectives=1,rounds=4", games=2)'),
    (r"n=\d+", "n=4"),
    (r'"1\.\.5"', '"1..2"'),
    (r"=(\d+)\.\.(\d+)\.\.(\d+)", r"=\1"),
    (r"=(\d+)\.\.\d+", r"=\1"),
)
QUICK = {"random", "heuristic"}  # agents that whole games are played with here
NAMED = {"README.md", "boards.md"}  # pages whose my-board.json is the one of the guide


def blocks(page: Path) -> list[tuple[str, str]]:
    return BLOCK.findall(page.read_text(encoding="utf-8"))


def small(text: str) -> str:
    for long, short in SMALL:
        text = re.sub(long, short, text)
    return text


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with the files that the guides speak of, and one core, which is quicker for a few games."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(places, "families", dict(places.families))
    monkeypatch.setattr(registry, "_families", places.families)
    matplotlib.use("Agg")
    fb.play("scotland-yard/plan1", ["random"]).save(tmp_path / "game.json")
    for page in PAGES:
        for language, text in blocks(page):
            first = text.partition("\n")[0].removeprefix("# ").removeprefix("// ")
            if re.fullmatch(r"[\w-]+\.(py|toml)", first):
                (tmp_path / first).write_text(small(text))
            if language == "json" and text.startswith('{\n "game"'):
                (tmp_path / "my-board.json").write_text(text)
    return tmp_path


WITH_PYTHON = [page for page in PAGES if any(language == "python" for language, _ in blocks(page))]


@pytest.mark.parametrize("page", WITH_PYTHON, ids=lambda page: page.name)
def test_python_of_the_docs_runs(page: Path, desk: Path) -> None:
    if page.name == "lab.md":
        run_command(["tournament", "cup.toml", "--no-report"])
    names: dict[str, Any] = {"__name__": "docs"}
    for language, text in blocks(page):
        if language == "python":
            exec(compile(small(text), str(page), "exec"), names)


def commands() -> Iterator[tuple[str, list[str]]]:
    """Every command of the shell in the docs, with the page that it stands on."""
    for page in PAGES:
        for language, text in blocks(page):
            if language == "sh":
                for line in OURS.findall(text.replace("\\\n", " ")):
                    yield page.name, shlex.split(line, comments=True)


def test_commands_of_the_docs_exist_and_the_quick_ones_run(desk: Path) -> None:
    for module in MODULES:
        import_module(f"fogbound.cli.{module}")
    done = set()
    for page, words in commands():
        program = words[0].removeprefix(".venv/bin/")
        if program == "fogbound" and tuple(words[1:]) not in done:
            done.add(tuple(words[1:]))
            check_command(page, words[1:])
        elif program == "python" and words[1] == "-m":
            assert find_spec(words[2]) is not None, f"{page}: {words}"
        elif program == "python" and words[1].endswith(".py"):
            assert (ROOT / words[1]).exists(), f"{page}: {words}"
    assert len(done) > 40


def check_command(page: str, words: list[str]) -> None:
    """Read a command; run it if that does not take long."""
    group: Any = typer.main.get_command(app)
    if words[0].startswith("-"):
        assert words[0] in {name for param in group.params for name in param.opts}
        return
    command = group.commands[words[0]]
    try:
        given = command.make_context(words[0], list(words[1:]), resilient_parsing=False).params
    except Exception as error:
        raise AssertionError(f"{page}: fogbound {shlex.join(words)}: {error}") from None
    if words[0] in LONG or "kuhn" in words[1:2] or "lighthouse" in words or page == "README.md":
        return
    if words[0] in ("run", "balance"):
        agents = registry.split_specs(given["agents"] or "random")
        if not QUICK.issuperset(spec.partition(":")[0] for spec in agents):
            check_agents(words[1], agents)
            return
        if words[0] == "balance" and given["agents"] is None:
            return  # searches: tested with the lab
    if (path := Path(words[1] if len(words) > 1 else "")).suffix != ".json" or path.exists():
        run_command(shlex.split(small(shlex.join(words))))


def check_agents(game: str, agents: list[str]) -> None:
    """Agents that think long, or that need files of their own, are seated if they can be."""
    if any(".safetensors" in spec or "FILE" in spec for spec in agents):
        return
    seat_agents(registry.game(game.replace("grid5:rounds=6", "grid3:detectives=1,rounds=4")), agents)


def run_command(words: list[str]) -> None:
    for module in MODULES:
        import_module(f"fogbound.cli.{module}")
    assert not app(words, standalone_mode=False), words


def test_other_blocks_can_be_read() -> None:
    """JSON is JSON, and a block says what language it is in."""
    for page in PAGES:
        for language, text in blocks(page):
            if language == "json":
                json.loads(text)


class Resources(HTMLParser):
    """What a page loads by itself: scripts, styles, pictures."""

    def __init__(self) -> None:
        super().__init__()
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in ("script", "img", "iframe", "source"):
            self.loaded.append(given.get("src") or "")
        if tag == "link" and given.get("rel") != "canonical":
            self.loaded.append(given.get("href") or "")


def test_the_site_is_built_strictly_and_loads_nothing_from_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mkdocs.commands.build import build
    from mkdocs.config import load_config

    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(ROOT / "mkdocs.yml"), site_dir=str(tmp_path), strict=True)
    config.plugins.on_startup(command="build", dirty=False)
    build(config)  # a warning, such as a link that leads nowhere, is an error
    pages = list(tmp_path.rglob("*.html"))
    assert len(pages) >= len(PAGES)
    loader = Resources()
    for page in pages:
        loader.feed(page.read_text(encoding="utf-8"))
    assert not [place for place in loader.loaded if place.startswith(("http", "//"))]
    first = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Strategy board games where you cannot see everything" in first  # the README's first words
    assert "Agent.decide" in (tmp_path / "reference" / "python.html").read_text(encoding="utf-8")
