"""The page's code: the shell and the server know no game by name, and no line is too long to read."""

from __future__ import annotations

import json
import re
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


def test_all_catalogues_have_the_same_texts_with_the_same_places() -> None:
    read = {file.stem: json.loads(file.read_text(encoding="utf-8")) for file in sorted((WEB / "texts").glob("*.json"))}
    assert {"en", "cs", "sk"} <= read.keys()
    for language, texts in read.items():
        assert texts.keys() == read["en"].keys(), language
        for key, text in texts.items():
            assert isinstance(text, dict) == isinstance(read["en"][key], dict), f"{language}: {key}"
            assert places(text) == places(read["en"][key]), f"{language}: {key}"


def places(text: str | dict[str, str]) -> set[str]:
    """What is filled in, in all plural forms of a text."""
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for name in re.findall(r"{(\w+)}", form)}


def test_every_text_that_the_page_asks_for_is_there_and_every_one_is_used() -> None:
    texts = json.loads((WEB / "texts" / "en.json").read_text(encoding="utf-8"))
    code = "\n".join(file.read_text(encoding="utf-8") for file in CODE)
    asked = set(re.findall(r"\bt\(\s*\"([\w.-]+)\"", code)) | set(re.findall(r'data-text="([\w.-]+)"', code))
    assert asked <= texts.keys()
    for key in texts.keys() - asked:
        start = key.rpartition(".")[0]
        assert f'"{key}"' in code or f"`{start}.${{" in code, f"{key} is used nowhere"
