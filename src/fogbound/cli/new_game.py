"""A game of one's own: `fogbound new-game` writes a small one that is whole, to be changed piece by piece."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from fogbound.cli.app import DESIGN, app, out
from fogbound.core.errors import FogboundError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

TEMPLATE = "digger"  # the name that stands for every name in the template
NOT_COPIED = ("__pycache__",)


@app.command("new-game", rich_help_panel=DESIGN)
def new_game(
    name: Annotated[str, typer.Argument(help="Its name: small letters, digits and hyphens.")],
    folder: Annotated[Path | None, typer.Option("--out", help="Where to write it.  (default: ./NAME)")] = None,
) -> None:
    """Write a small game that is whole: rules, page and package, ready to be played and changed.

    Example: fogbound new-game lighthouse, then pip install -e lighthouse, then fogbound play lighthouse
    """
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name):
        raise FogboundError(f"“{name}” cannot be a game's name: use small letters, digits and single hyphens.")
    home = folder or Path(name)
    if home.exists():
        raise FogboundError(f"{home} exists already; choose another name, or another folder with --out.")
    copy(resources.files("fogbound.cli").joinpath("template"), home, name)
    out.print(f"{home} is a game of its own. Next:", highlight=False, soft_wrap=True)
    out.print(f"  pip install -e {home}\n  fogbound play {name}", highlight=False, soft_wrap=True)
    out.print(f"Its rules are in {home / 'src' / renamed('fogbound_digger', name) / 'game.py'}.", highlight=False)


def copy(source: Traversable, target: Path, name: str) -> None:
    """Copy a folder of the template under a new name."""
    target.mkdir(parents=True)
    for entry in source.iterdir():
        there = target / renamed(entry.name, name)
        if entry.name in NOT_COPIED:
            continue
        if entry.is_dir():
            copy(entry, there, name)
        else:
            there.write_text(renamed(entry.read_text(encoding="utf-8"), name), encoding="utf-8")


def renamed(text: str, name: str) -> str:
    """Text of the template with another game's name: a package's and a class's have no hyphens."""
    title, old = name.replace("-", " ").title(), TEMPLATE.title()
    text = text.replace(f"fogbound_{TEMPLATE}", f"fogbound_{name.replace('-', '_')}")
    for before in ("class ", "game="):
        text = text.replace(before + old, before + title.replace(" ", ""))
    return text.replace(TEMPLATE, name).replace(old, title)
