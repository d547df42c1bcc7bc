"""The page's code: the shell and the server know no game by name, and no line is too long to read."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

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


def catalogues(language: str) -> dict[str, dict[str, Any]]:
    """The texts by catalogue: the page's own under "", a game's under its name."""
    ending = f"{language}.json"
    files = sorted((WEB / "texts").glob(f"*{ending}"))
    return {file.name.removesuffix(ending).rstrip("."): json.loads(file.read_text(encoding="utf-8")) for file in files}


def test_all_catalogues_have_the_same_texts_with_the_same_places() -> None:
    english = catalogues("en")
    for language in ("cs", "sk"):
        read = catalogues(language)
        assert read.keys() == english.keys()
        for name, texts in read.items():
            assert texts.keys() == english[name].keys(), f"{name}.{language}"
            for key, text in texts.items():
                assert isinstance(text, dict) == isinstance(english[name][key], dict), f"{language}: {key}"
                assert not isinstance(text, dict) or text.keys() == {"one", "few", "other"}, f"{language}: {key}"
                assert places(text) == places(english[name][key]), f"{language}: {key}"


def test_one_thing_is_not_called_as_several_are() -> None:
    forms = {key: text for texts in catalogues("en").values() for key, text in texts.items() if isinstance(text, dict)}
    assert [key for key, text in forms.items() if text["one"] == text["other"]] == ["table.more"]  # it counts nothing


def places(text: str | dict[str, str]) -> set[str]:
    """What is filled in, in all plural forms of a text."""
    forms = text.values() if isinstance(text, dict) else [text]
    return {name for form in forms for name in re.findall(r"{(\w+)}", form)}


def test_every_text_that_the_page_asks_for_is_there_and_every_one_is_used() -> None:
    english = catalogues("en")
    keys = {key for texts in english.values() for key in texts}
    code = "\n".join(file.read_text(encoding="utf-8") for file in CODE)
    assert asked(code) <= keys
    shell = "\n".join(file.read_text(encoding="utf-8") for file in CODE if file.parent.name != "games")
    assert asked(shell) <= english[""].keys(), "the shell has no texts of a game"
    for start in re.findall(r"\bt(?:Or)?\(`([\w.-]+\.)\${", code):
        assert any(key.startswith(start) for key in keys), f"no text begins with {start}"
    for key in keys - asked(code):
        start = key.partition(".")[0] if key.startswith("server.") else key.rpartition(".")[0]
        assert f'"{key}"' in code or f"`{start}.${{" in code, f"{key} is used nowhere"


def test_texts_are_given_what_they_have_places_for() -> None:
    """One key for two texts would show the wrong one of them."""
    texts = {key: text for catalogue in catalogues("en").values() for key, text in catalogue.items()}
    code = "\n".join(file.read_text(encoding="utf-8") for file in CODE)
    for key, given in re.findall(r"\bt\(\s*\"([\w.-]+)\",\s*{([^{}]*)}", code):
        names = set(re.findall(r"(?:^|,)\s*(\w+)\s*(?=[:,]|$)", re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", given)))
        assert names - {"n"} == places(texts[key]) - {"n"}, key


def asked(code: str) -> set[str]:
    """The keys that code asks for by name, also where it chooses between two."""
    chosen = re.findall(r"\bt\([^\"`;]*\? \"([\w.-]+)\" : \"([\w.-]+)\"", code)
    named = re.findall(r"\bt\(\s*\"([\w.-]+)\"", code) + re.findall(r'data-text="([\w.-]+)"', code)
    return {*named, *(key for pair in chosen for key in pair)}


BEFORE_AND_AFTER = {"api", "controls", "editor", "lab", "main", "mygames", "names", "setup", "texts"}  # other screens
SCREEN = [f for f in CODE if f.suffix == ".js" and f.stem not in BEFORE_AND_AFTER and not f.stem.endswith("-editor")]
NO_TEXT = {"ArrowRight", "ArrowLeft", "ArrowUp", "ArrowDown", "Enter", "Escape", "Home", "End", "Detectives", "You"}


@pytest.mark.parametrize("file", SCREEN, ids=name)
def test_the_game_screen_says_nothing_but_what_its_catalogues_hold(file: Path) -> None:
    lines = file.read_text(encoding="utf-8").splitlines()
    code = "\n".join(re.sub(r"/\*\*.*?\*/|(?<!:)//.*", "", line) for line in lines if not line.strip().startswith("*"))
    quoted = set(re.findall(r'"([A-Z][a-z]+[^"\n]*)"', code)) - NO_TEXT  # sentences and labels begin with a capital
    assert not quoted
    assert not re.findall(r'}, "([a-z]{2,}[^"]*)"\)', code)  # what an element says, after what it is like
    fixed = [re.sub(r"\${[^`]*?}", " ", text) for text in re.findall(r"`([^`]*)`", code)]
    assert not [text for text in fixed if re.search(r"\b[A-Z][a-z]+ |[a-z] (of|to|by|and|is|from) ", text)]
