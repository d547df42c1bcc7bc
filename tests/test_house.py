"""The house stands as designed: dependencies point one way."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import fogbound

SOURCE = Path(fogbound.__file__).parent

# What each room may import of the others; a room not named here may import everything.
MAY_IMPORT = {
    "core": {"core"},
    "games": {"core", "games"},
    "agents": {"core", "games", "agents", "solve"},
    "solve": {"core", "games", "solve"},
    "catalogue": {"core"},
}
# Only this room may import the package named.
HEAVY = {"torch": "train", "fastapi": "server", "ray": "lab"}


def imports(file: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file} has a relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def files() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def room(file: Path) -> str:
    return file.relative_to(SOURCE).parts[0].removesuffix(".py")


@pytest.mark.parametrize("file", files(), ids=lambda file: str(file.relative_to(SOURCE)))
def test_dependencies_point_one_way(file: Path) -> None:
    allowed = MAY_IMPORT.get(room(file))
    for name in imports(file):
        top, *rest = name.split(".")
        if top == "fogbound" and rest and allowed is not None:
            assert rest[0] in allowed, f"{room(file)} must not import {name}"
        if top in HEAVY:
            assert room(file) == HEAVY[top], f"{top} belongs into {HEAVY[top]}"


def test_no_game_knows_another_game() -> None:
    for file in (SOURCE / "games").rglob("*.py"):
        parts = file.relative_to(SOURCE / "games").parts
        for name in imports(file):
            is_game = name.startswith("fogbound.games.") and (SOURCE / "games" / name.split(".")[2]).is_dir()
            if is_game and len(parts) > 1:
                assert name.split(".")[2] == parts[0]


def test_nothing_reads_files_from_outside_the_project() -> None:
    for file in files():
        assert "../shared" not in file.read_text(encoding="utf-8")


def test_playing_needs_no_heavy_library() -> None:
    import subprocess
    import sys

    code = (
        "import sys, fogbound as fb; fb.game('scotland-yard/plan1'); print({'torch', 'ray', 'fastapi'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
