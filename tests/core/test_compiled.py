"""The disk cache: a second process compiles nothing, and editing a rule recompiles what uses it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import namedtuple
from pathlib import Path
from typing import NamedTuple

import pytest
from numba.core import types

import fogbound
from fogbound.core import compiled
from fogbound.core.callees import _loaded
from fogbound.core.kernel_cache import KernelFiles, described

SCRIPT = """
import numba.core.event as event
compiled = []
class Count(event.Listener):
    def on_start(self, e): compiled.append(e.data["dispatcher"].__name__)
    def on_end(self, e): pass
event.register("numba:compile", Count())

import numpy as np
from fogbound.core.chance import taped, draw
from fogbound.core.compiled import kernel, part
from fogbound.core.rng import stream

def factory(inner):
    @part
    def middle(chance):
        return inner(chance, 1000)

    @kernel
    def outer(chance):
        return middle(chance) + 1

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


def start(house: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(house), "FOGBOUND_CACHE": str(house / "cache")}
    return subprocess.Popen([sys.executable, str(house / "program.py")], env=env, stdout=subprocess.PIPE, text=True)


def end(running: subprocess.Popen[str]) -> tuple[int, int]:
    """The number drawn, and how many functions were compiled."""
    drawn, compiled = running.communicate()[0].split()
    return int(drawn), int(compiled)


def run(house: Path) -> tuple[int, int]:
    return end(start(house))


def test_what_two_processes_need_at_once_is_compiled_once_and_an_edit_elsewhere_is_noticed(house: Path) -> None:
    drawn, compiled = run(house)
    assert compiled > 0
    shutil.rmtree(house / "cache")
    (first, some), (second, others) = map(end, [start(house), start(house)])
    assert (first, second, some + others) == (drawn, drawn, compiled)
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


@pytest.mark.parametrize(
    "statement", ["from parts import part", "import parts", "from . import parts", "from .parts import part"]
)
def test_an_edit_in_a_second_file_of_ones_own_is_noticed(tmp_path: Path, statement: str) -> None:
    (tmp_path / "policy.py").write_text(f"from fogbound.core.chance import draw\n{statement}\n")
    (tmp_path / "parts.py").write_text("part = 1\n")
    before = compiled.source_digest(str(tmp_path / "policy.py"))
    (tmp_path / "parts.py").write_text("part = 2\n")
    compiled.source_digest.cache_clear()
    assert compiled.source_digest(str(tmp_path / "policy.py")) != before


def test_installed_libraries_are_not_part_of_the_digest(tmp_path: Path) -> None:
    (tmp_path / "policy.py").write_text("import numpy\nimport json\nimport pydantic\nimport no_such_module\n")
    assert compiled._sources(tmp_path / "policy.py") == {tmp_path / "policy.py"}


def test_two_processes_that_compile_at_once_lose_nothing(tmp_path: Path) -> None:
    ours, theirs = (KernelFiles(str(tmp_path), "kernel", "stamp") for _ in range(2))
    assert ours.load("our key") is None
    ours.save("our key", "our code")
    theirs.save("their key", "their code")
    ours.save("our key", "our code")
    assert (theirs.load("our key"), ours.load("their key")) == ("our code", "their code")


def test_code_of_older_sources_is_not_found_and_makes_room_after_a_while(tmp_path: Path) -> None:
    old, new = (KernelFiles(str(tmp_path), "kernel", stamp) for stamp in ("old", "new"))
    old.save("key", "old code")
    assert new.load("key") is None
    new.save("key", "new code")
    assert old.load("key") == "old code", "another process may still run it"
    for file in tmp_path.iterdir():
        os.utime(file, (0, 0))
    new.save("another key", "new code")
    assert (old.load("key"), new.load("key")) == (None, "new code")


AGENT = """
from typing import NamedTuple
import fogbound as fb
from fogbound.core.compiled import kernel
from fogbound.games.scotland_yard.rules import legal
{first}

class Params(NamedTuple):
    first: int

@kernel
def policy(table, params, view, seat, out, rng):
    count = legal(table, view, out)
    return out[min(count - 1, params.first + pick(0))]

class Fixed(fb.PolicyAgent):
    name, about = "fixed", "plays the move of a fixed number"

    def compiled(self):
        return policy

    def params(self):
        return Params(0)
"""
PICK = """
from fogbound.core.compiled import kernel

@kernel
def pick(number):
    return number + {}
"""


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    env |= {"FOGBOUND_CACHE": str(folder / "cache"), "PYTHONPATH": str(Path(fogbound.__file__).parent.parent)}
    done = [sys.executable, "-m", "fogbound", *arguments]
    return subprocess.run(done, cwd=folder, env=env, capture_output=True, text=True)


def test_an_agent_of_ones_own_breaks_no_later_set_and_is_never_stale(tmp_path: Path) -> None:
    """The guide's command in an empty folder, an edit in the second file, and then a set from somewhere else."""
    (tmp_path / "kern.py").write_text(AGENT.format(first="from parts import pick"))
    game = "scotland-yard/grid5:rounds=3"
    play = ("run", game, "--agents", "kern.Fixed,kern.Fixed", "--games", "3", "--seed", "1", "--log", "game")
    moves = []
    for number in (0, 1):
        (tmp_path / "parts.py").write_text(PICK.format(number))
        done = command(tmp_path, *play, "--out", f"set{number}")
        assert done.returncode == 0, done.stderr
        moves.append(
            [file.read_text() for file in sorted((tmp_path / f"set{number}").rglob("*.json")) if "result" not in file.name]
        )
    assert moves[0] and moves[0] != moves[1], "the kernel of the second file was compiled anew"
    (tmp_path / "kern.py").unlink()
    done = command(tmp_path, "run", game, "--agents", "random", "--games", "3")
    assert done.returncode == 0, done.stderr


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an earlier run of the tests compiled is not found."""
    monkeypatch.setenv("FOGBOUND_CACHE", str(tmp_path))


@pytest.mark.usefixtures("own_cache")
def test_a_kernel_that_only_kernels_call_is_never_machine_code_of_its_own() -> None:
    @compiled.kernel
    def double(x):
        return 2 * x

    @compiled.program
    def loop(n):
        total = 0
        for i in range(n):
            total += double(i)
        return total

    assert loop(10) == 90
    assert len(double.callee.overloads) == 1 and not double.overloads
    assert double(21) == 42
    assert len(double.overloads) == 1


def test_a_part_is_machine_code_once_and_not_mistaken_for_another_of_its_name() -> None:
    def times(factor: int) -> compiled.Kernel:
        @compiled.part
        def multiplied(x):
            return factor * x

        return multiplied

    def sums(multiplied: compiled.Kernel, start: int) -> compiled.Kernel:
        @compiled.program
        def total(n):
            total = start
            for i in range(n):
                total += multiplied(i)
            return total

        return total

    double, triple = times(2), times(3)
    assert [sums(double, 0)(10), sums(triple, 0)(10), sums(triple, 1)(10)] == [90, 135, 136]
    assert len([name for name in _loaded if "multiplied" in name]) == 2


@pytest.mark.usefixtures("own_cache")
def test_a_constant_makes_no_new_form_of_a_kernel() -> None:
    @compiled.kernel
    def added(a, b):
        return a + b

    @compiled.kernel
    def counted(n):
        total = 0  # a constant, as long as Numba has not looked further
        for _ in range(n):
            total = added(total, 2) + added(3, total)
        return total

    assert counted(2) == 2 * 5 + 5
    assert len(added.callee.overloads) == 1


def test_types_are_told_apart_by_all_that_code_depends_on() -> None:
    class Here(NamedTuple):
        x: int
        y: int

    there = namedtuple("Here", ["y", "x"])  # type: ignore[misc]
    pairs = [types.NamedUniTuple(types.int64, 2, each) for each in (Here, there)]
    assert str(pairs[0]) == str(pairs[1])
    assert described(pairs[0]) != described(pairs[1])
    assert described(types.Tuple([pairs[0]])) != described(types.Tuple([pairs[1]]))
