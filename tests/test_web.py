"""The page's code: the shell and the server know no game by name, and no line is too long to read."""

from __future__ import annotations

from pathlib import Path

import pytest

import fogbound as fb
from fogbound.core import registry

SOURCE = Path(fb.__file__).parent
WEB = SOURCE / "web"
CODE = [file for kind in ("*.js", "*.css", "*.html") for file in sorted(WEB.rglob(kind))]
SHELL = [file for file in CODE if file.parent.name != "games"] + sorted((SOURCE / "server").rglob("*.py"))
WIDTH = 120


def name(file: Path) -> str:
    return str(file.relative_to(SOURCE))


@pytest.mark.parametrize("file", SHELL, ids=name)
def test_the_shell_and_the_server_name_no_game(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    comments = ("//", "/*", "*")  # they may name a game as an example
    said = "\n".join(line for line in text.splitlines() if not line.strip().startswith(comments))
    for family in map(registry.family, fb.families()):
        for word in (f'"{family.name}"', f"{family.name}/", f"games.{family.name}", family.title):
            assert word not in said, f"{name(file)} names {family.title}"


@pytest.mark.parametrize("file", CODE, ids=name)
def test_no_line_is_too_long(file: Path) -> None:
    assert max(map(len, file.read_text(encoding="utf-8").splitlines())) <= WIDTH


def test_every_game_of_fogbound_has_a_module_for_the_page() -> None:
    for family in map(registry.family, ("scotland-yard", "risk", "empire")):
        assert (WEB / family.page.lstrip("/")).exists()
