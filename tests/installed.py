"""Packages from outside, as pip leaves them: code on the path, and metadata that names entry points."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from fogbound.core import registry

KUHN = Path(__file__).parent.parent / "examples" / "kuhn"


def install(folder: Path, name: str, entry_points: str) -> None:
    """A distribution's metadata in a folder that is on the path, or will be."""
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(entry_points)


def install_kuhn(folder: Path) -> list[str]:
    """The example package: its metadata in a folder, and what has to be on the path."""
    return install_project(KUHN, folder)


def install_project(home: Path, folder: Path) -> list[str]:
    """The package of a folder with a `pyproject.toml`: its metadata in another one, and what has to be on the path."""
    project = tomllib.loads((home / "pyproject.toml").read_text())["project"]
    lines = []
    for group, names in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {place}" for name, place in names.items())]
    install(folder, project["name"], "\n".join(lines))
    return [str(folder), str(home / "src")]


@contextmanager
def on_path(*folders: str) -> Iterator[None]:
    """The registry sees what is installed in these folders, and forgets it afterwards."""
    before = list(sys.path)
    sys.path[:0] = folders
    _forget()
    try:
        yield
    finally:
        sys.path[:] = before
        _forget()


def _forget() -> None:
    registry._installed.cache_clear()
    registry._works.cache_clear()
