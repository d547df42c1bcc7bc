"""The disk cache: a second process compiles nothing, and editing a rule recompiles what uses it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import fogbound
from fogbound.core import compiled

SCRIPT = """
import numba.core.event as event
compiled = []
class Count(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].__name__)
    def on_end(self, e): pass
event.register("numba:compile", Count())

import numpy as np
from fogbound.core.chance import taped, draw
from fogbound.core.compiled import kernel
from fogbound.core.rng import stream

def factory(inner):
    @kernel
    def outer(chance):
        return inner(chance, 1000) + 1
    return outer

print(factory(draw)(taped(stream(1, "test"))), len(compiled))
"""


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A copy of the core, and a program that uses it through two files and a factory."""
    (tmp_path / "fogbound").mkdir()
    shutil.copytree(Path(fogbound.__file__).parent / "core", tmp_path / "fogbound" / "core")
    (tmp_path / "fogbound" / "__init__.py").write_text("")
    (tmp_path / "program.py").write_text(SCRIPT)
    return tmp_path


def run(house: Path) -> tuple[int, int]:
    """The number drawn, and how many functions were compiled."""
    env = {**os.environ, "PYTHONPATH": str(house), "FOGBOUND_CACHE": str(house / "cache")}
    done = subprocess.run([sys.executable, str(house / "program.py")], env=env, capture_output=True, text=True, check=True)
    drawn, compiled = done.stdout.split()
    return int(drawn), int(compiled)


def test_a_second_process_compiles_nothing_and_an_edit_elsewhere_is_noticed(house: Path) -> None:
    drawn, compiled = run(house)
    assert compiled > 0
    assert run(house) == (drawn, 0)
    rng = house / "fogbound" / "core" / "rng.py"
    text = rng.read_text()
    edited = text.replace("return np.int64(product >> np.uint64(32))", "return np.int64(product >> np.uint64(32)) * 0")
    assert edited != text
    rng.write_text(edited)
    changed, recompiled = run(house)
    assert changed == 1, "the draw comes from the edited file"
    assert recompiled > 0
    assert run(house) == (1, 0)


def test_compiled_code_of_a_class_that_is_gone_is_compiled_anew(house: Path) -> None:
    drawn, _ = run(house)
    for file in (house / "fogbound" / "core").glob("*.py"):
        file.write_text(re.sub(r"\bChance\b", "Fortune", file.read_text(encoding="utf-8")), encoding="utf-8")
    changed, recompiled = run(house)
    assert changed == drawn and recompiled > 0


def test_an_edit_in_another_file_of_a_package_from_outside_is_noticed(tmp_path: Path) -> None:
    package = tmp_path / "outside"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "rules.py").write_text("from fogbound.core.chance import draw\nfrom outside.parts import part\n")
    (package / "parts.py").write_text("part = 1\n")
    before = compiled.source_digest(str(package / "rules.py"))
    (package / "parts.py").write_text("part = 2\n")
    compiled.source_digest.cache_clear()
    assert compiled.source_digest(str(package / "rules.py")) != before


def test_compiled_code_for_a_package_that_is_gone_is_in_nobodys_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone_game.py").write_text("class Table: pass\n")
    index = compiled._Index(str(tmp_path), "kernel", "stamp")
    with monkeypatch.context() as installed:
        installed.syspath_prepend(tmp_path)
        import gone_game  # type: ignore[import-not-found]

        index.save(gone_game.Table, "its code")
        assert index.load(gone_game.Table) == "its code"
    del sys.modules["gone_game"]
    assert index.load("another key") is None
    index.save("another key", "other code")
    assert index.load("another key") == "other code"
