"""The house stands as designed: dependencies point one way, rooms know what they may know, and signatures are annotated."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import fogbound

SOURCE = Path(fogbound.__file__).parent
GAMES = sorted(folder.name for folder in (SOURCE / "games").iterdir() if (folder / "rules.py").exists())

# What each room may import of the others. Every room is named: a new one has to be placed here.
MAY_IMPORT = {
    "core": {"core"},
    "catalogue": {"core"},
    "games": {"core", "games"},
    "solve": {"core", "games", "solve"},
    "agents": {"core", "games", "agents", "solve"},
    "train": {"core", "games", "agents", "solve", "train", "lab"},  # solved games are teachers
    "lab": {"core", "lab"},
    "server": {"core", "server"},
    "interop": {"core", "interop"},
    "cli": {"core", "games", "agents", "solve", "train", "lab", "server", "cli"},
    "web": set(),
    "__init__": {"core", "catalogue", "lab"},  # names that are fetched when they are first asked for
    "__main__": {"cli"},
}
# Rooms that know one game though they are not named after it; they say so on their door.
ONE_GAME = {"solve": "scotland_yard"}
# Only these rooms may import the package named.
HEAVY = {
    "torch": {"train"},
    "fastapi": {"server"},
    "uvicorn": {"cli", "server"},
    "sqlalchemy": {"server"},
    "ray": {"core"},
    "matplotlib": {"lab", "train"},
    "pandas": {"lab"},
    "openskill": {"lab"},
    "typer": {"cli"},
    "gymnasium": {"interop"},
    "pettingzoo": {"interop"},
    "pyspiel": {"interop"},
}
COMPILED = {"kernel", "outlined", "part", "program"}


def files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


def game_of(parts: tuple[str, ...]) -> str | None:
    """The game that a module is about: the folder that it lives in, or the module itself, is named after it."""
    return next((name for name in (part.removesuffix(".py") for part in parts) if name in GAMES), None)


by_file = pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(SOURCE)))


@by_file
def test_dependencies_point_one_way(file: Path) -> None:
    for name in imports(file):
        top, *rest = name.split(".")
        if top == "fogbound" and rest and rest[0] in MAY_IMPORT:
            assert rest[0] in MAY_IMPORT[room(file)], f"{room(file)} must not import {name}"
        if top in HEAVY:
            assert room(file) in HEAVY[top], f"{top} belongs into {' or '.join(HEAVY[top])}"


def test_every_room_has_its_rules() -> None:
    assert {room(file) for file in files()} <= set(MAY_IMPORT)


@by_file
def test_what_knows_a_game_lives_in_a_folder_of_its_name(file: Path) -> None:
    """Generic code imports no game; a game's own code imports no other game."""
    here = game_of(file.relative_to(SOURCE).parts) or ONE_GAME.get(room(file))
    for name in imports(file):
        about = game_of(tuple(name.split(".")[1:])) if name.startswith("fogbound.") else None
        assert about in (None, here), f"{file.relative_to(SOURCE)} imports {name}"


def functions(file: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def is_annotated(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    given = function.args
    each = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, [given.vararg, given.kwarg])]
    return function.returns is not None and all(arg.annotation or arg.arg in ("self", "cls") for arg in each)


@by_file
def test_only_compiled_functions_lack_annotations(file: Path) -> None:
    """Numba types its functions itself; mypy is told to let unannotated ones be, so that this test has to look."""
    for function in functions(file):
        compiled = any(isinstance(mark, ast.Name) and mark.id in COMPILED for mark in function.decorator_list)
        assert compiled or is_annotated(function), f"{file}:{function.lineno}: annotate {function.name}"


def test_the_package_says_that_it_is_typed() -> None:
    assert (SOURCE / "py.typed").exists()


def test_nothing_reads_files_from_outside_the_project() -> None:
    for file in files():
        assert "../shared" not in file.read_text(encoding="utf-8")


def test_playing_needs_no_heavy_library() -> None:
    code = (
        "import sys, fogbound as fb; fb.game('scotland-yard/plan1'); "
        "print({'torch', 'ray', 'fastapi', 'pandas', 'matplotlib', 'gymnasium', 'pyspiel'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
