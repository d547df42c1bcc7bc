"""What the documentation site takes from elsewhere: its first page from the README, references from the code.

MkDocs calls the functions whose names begin with `on_`. Nothing is fetched from the network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"(\]\()([^)#\s]+)((?:#[^)]*)?\))")
FENCE = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
DIAGRAM = re.compile(r"^```mermaid.*?^```", re.DOTALL | re.MULTILINE)  # drawn by a script from elsewhere, so not here
LANGUAGES = {".py": "python", ".js": "js", ".mjs": "js", ".c": "c", ".toml": "toml", ".yaml": "yaml", ".json": "json"}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are no files of this folder, and put all pages into the navigation."""
    made = {"index.md": first_page(), **references()}
    texts = {file.src_uri: file.content_string for file in files if file.src_uri.endswith(".md")}
    for place, text in {**texts, "index.md": made["index.md"]}.items():
        for target in outside(place, text):
            made[f"source/{target}.md"] = source_page(target)
    for place, text in made.items():
        files.append(File.generated(config, place, content=text))
    pages = sorted(file.src_uri for file in files if file.src_uri.endswith(".md"))
    named = set(_named(config["nav"]))
    config["nav"] = _filled(config["nav"], [page for page in pages if page not in named])
    return files


def on_page_markdown(markdown: str, page: Any, **_rest: Any) -> str:
    """Links to files of the repository lead to pages that show them."""
    here = page.file.src_uri
    if here == "architecture.md":
        markdown = DIAGRAM.sub("![The rooms: an arrow means imports](images/rooms.svg)", markdown)
    return _outside_code(markdown, lambda text: LINK.sub(lambda link: _led(link, here), text))


def first_page() -> str:
    """The README, with its links as seen from this folder."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return _outside_code(text, lambda part: LINK.sub(lambda link: link[1] + _from_here(link[2]) + link[3], part))


def _from_here(link: str) -> str:
    """A link of the README as it is from this folder."""
    return link.removeprefix("docs/") if link.startswith(("docs/", "http")) else f"../{link}"


def _outside_code(text: str, change: Any) -> str:
    """Text with everything changed but its blocks of code."""
    parts, place = [], 0
    for block in FENCE.finditer(text):
        parts += [change(text[place : block.start()]), block[0]]
        place = block.end()
    return "".join([*parts, change(text[place:])])


# Files of the repository that pages speak of.


def outside(here: str, text: str) -> Iterator[str]:
    """The files outside this folder that a page links to."""
    for link in LINK.finditer(FENCE.sub("", text)):
        target = _target(here, link[2])
        if target is not None:
            yield target


def _target(here: str, link: str) -> str | None:
    """The file of the repository that a link of a page means, if it is outside this folder and exists."""
    if "://" in link or link.startswith("/"):
        return None
    path = (ROOT / "docs" / here).parent.joinpath(link).resolve()
    if not path.is_relative_to(ROOT) or path.is_relative_to(ROOT / "docs") or not path.exists():
        return None
    path = path / "README.md" if path.is_dir() else path
    return path.relative_to(ROOT).as_posix()


def _led(link: re.Match[str], here: str) -> str:
    target = _target(here, link[2])
    if target is None or here.startswith("source/"):
        return link[0]
    up = "../" * here.count("/")
    return f"{link[1]}{up}source/{target}.md{link[3]}"


def source_page(target: str) -> str:
    """A file as a page."""
    text = (ROOT / target).read_text(encoding="utf-8")
    if target.endswith(".md"):
        return re.sub(r"\[([^\]]*)\]\((?!http)[^)]*\)", r"\1", text)
    return f"# {target}\n\n````{LANGUAGES.get(Path(target).suffix, 'text')}\n{text}\n````\n"


# The navigation: a glob stands for the pages that are named nowhere else.


def _named(nav: Any) -> Iterator[str]:
    if isinstance(nav, str):
        yield nav
    for entry in nav.values() if isinstance(nav, dict) else nav if isinstance(nav, list) else ():
        yield from _named(entry)


def _filled(nav: Any, left: list[str]) -> Any:
    if isinstance(nav, dict):
        return {title: _filled(entry, left) for title, entry in nav.items()}
    found: list[Any] = []
    for entry in nav if isinstance(nav, list) else [nav]:
        if isinstance(entry, str) and "*" in entry:
            matching = sorted((page for page in left if fnmatch(page, entry)), key=lambda page: "README" not in page)
            left[:] = [page for page in left if page not in matching]
            found += matching
        else:
            found.append(_filled(entry, left) if isinstance(entry, dict) else entry)
    return found if isinstance(nav, list) else found[0]


# References that are made from the code.


@cache
def references() -> dict[str, str]:
    return {
        "reference/commands.md": commands(),
        "reference/agents.md": agents(),
        "reference/games.md": games(),
        "reference/board-files.md": board_files(),
    }


def commands() -> str:
    """Every command with its help."""
    from importlib import import_module

    import typer

    from fogbound.cli.app import MODULES, app

    for module in MODULES:
        import_module(f"fogbound.cli.{module}")
    lines = ["# Commands", "", "All that `fogbound --help` and `fogbound COMMAND --help` tell.", ""]
    group: Any = typer.main.get_command(app)
    for name, command in sorted(group.commands.items()):
        if command.hidden:
            continue
        lines += [f"## fogbound {name}", "", _escaped(command.help or ""), "", *_parameters(command), ""]
    return "\n".join(lines)


def _parameters(command: Any) -> list[str]:
    rows = []
    for each in command.params:
        if getattr(each, "hidden", False) or each.name == "help":
            continue
        option = each.param_type_name == "option"
        name = ", ".join([*each.opts, *each.secondary_opts]) if option else each.name.upper()
        default = "" if each.default in (None, False, ()) or callable(each.default) else f"`{each.default}`"
        rows.append(f"| `{name}` | {_cell(getattr(each, 'help', '') or '')} | {default} |")
    return ["| | | default |", "|---|---|---|", *rows] if rows else []


def agents() -> str:
    """Every agent with its options, game by game."""
    from fogbound.core import registry

    lines = ["# Agents", "", "What `fogbound agents` tells: each agent with the options of its spec.", ""]
    for family in registry.families():
        game = registry.game(family)
        lines += [f"## {registry.family(family).title}", ""]
        for name in registry.agents(game):
            found = registry.agent_class(name, game)
            lines += [f"### {name} ({family})", "", _escaped(found.about), "", *_fields(found.options_model), ""]
    return "\n".join(lines)


def games() -> str:
    """Every game with its boards and options."""
    from fogbound.core import registry

    lines = ["# Games and their options", "", "What `fogbound games` and `fogbound boards` tell.", ""]
    for name in registry.families():
        family = registry.family(name)
        lines += [f"## {family.title}", "", _escaped(family.about), "", "| board | |", "|---|---|"]
        lines += [f"| `{name}/{board}` | {_cell(about)} |" for board, about in family.boards().items()]
        lines += ["", "Options, as they are in the rules if a board does not set them:", "", *_fields(family.options), ""]
    return "\n".join(lines)


def board_files() -> str:
    """The keys of every game's board files."""
    from fogbound.core import registry

    about = "The keys of a board file, from the schema that `fogbound check-board --schema GAME` prints."
    lines = ["# Board files", "", f"{about} [How to write one](../guide/boards.md).", ""]
    for name in registry.families():
        family = registry.family(name)
        schema = dict(family.schema())
        lines += [f"## {family.title}", "", *_keys("the file", schema)]
        for part, inner in schema.get("$defs", {}).items():
            if "properties" in inner:
                lines += [f"### {part} ({name})", "", *_keys(part, inner)]
    return "\n".join(lines)


def _keys(_of: str, schema: dict[str, Any]) -> list[str]:
    needed = schema.get("required", [])
    rows = []
    for key, value in schema.get("properties", {}).items():
        must = "must" if key in needed else f"`{value['default']}`" if value.get("default") is not None else ""
        rows.append(f"| `{key}` | {_cell(_kind(value))} | {_cell(value.get('description', ''))} | {_cell(must)} |")
    return ["| key | is | | default |", "|---|---|---|---|", *rows, ""]


def _kind(value: dict[str, Any]) -> str:
    """What a value may be, in a few words."""
    if "$ref" in value:
        return value["$ref"].rpartition("/")[2]
    if "anyOf" in value:
        return " or ".join(dict.fromkeys(_kind(each) for each in value["anyOf"]))
    if "enum" in value or "const" in value:
        return " or ".join(f"“{each}”" for each in value.get("enum", [value.get("const")]))
    if value.get("type") == "array":
        return f"list of {_kind(value.get('items', {}))}"
    if value.get("type") == "object" and isinstance(value.get("additionalProperties"), dict):
        return f"object of {_kind(value['additionalProperties'])}"
    words = {"integer": "whole number", "number": "number", "string": "text", "boolean": "true or false", "null": "nothing"}
    return words.get(str(value.get("type")), str(value.get("type", "anything")))


def _fields(model: Any) -> list[str]:
    rows = []
    for name, field in model.model_fields.items():
        default = "" if field.is_required() else f"`{field.get_default(call_default_factory=True)}`"
        rows.append(f"| `{name}` | {_cell(field.description or '')} | {_cell(default)} |")
    return ["| option | | default |", "|---|---|---|", *rows] if rows else []


def _cell(text: str) -> str:
    return _escaped(" ".join(str(text).split())).replace("|", "\\|")


def _escaped(text: str) -> str:
    return text.replace("<", "&lt;").replace("[", "\\[")
