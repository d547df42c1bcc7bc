"""Compiling rules and policies with Numba, and keeping the compiled code on disk.

Numba's own disk cache has two traps. A function that closes over another compiled
function is never found again, because every process gives that function a random
identity; and a cached function does not notice a change in another file that it
calls. Both are cured here by one digest: of the source of a kernel's file and of
every file that it imports. The digest is the kernel's identity and its cache stamp.
"""

from __future__ import annotations

import ast
import hashlib
import os
import sysconfig
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import platformdirs
from numba import typeof
from numba.core import caching, event
from numba.core.serialize import dumps

from fogbound.core.callees import callable_kernel

Kernel = Callable[..., Any]
Piece = tuple[Any, ...]
"""A kernel or program, and arguments that it could be called with."""
PACKAGE = __name__.split(".")[0]
PACKAGE_ROOT = Path(__file__).resolve().parent.parent


def cache_folder() -> Path:
    """Where compiled kernels are kept; FOGBOUND_CACHE moves it."""
    chosen = os.environ.get("FOGBOUND_CACHE")
    return Path(chosen) if chosen else Path(platformdirs.user_cache_dir("fogbound"))


def kernel(function: Kernel) -> Kernel:
    """Compile a piece of rules or policy: it makes no arrays, and is inlined where it is called.

    Without that, every call counts references to all arrays of the game's table: inlining alone
    made random play on a London-sized board five times faster, leaving the counting out as
    well another three times.
    """
    return _compiled(function, forceinline=True, _nrt=False)


def outlined(function: Kernel) -> Kernel:
    """Compile a kernel that is called rather than inlined: for a large piece used in several places."""
    return _compiled(function, _nrt=False)


def part(function: Kernel) -> Kernel:
    """Compile a kernel as machine code of its own, once for all programs that call it.

    For large pieces outside the innermost loops, which a second process can compile meanwhile. LLVM cannot inline them:
    tree search took two and a half times as long when its short kernels were parts.
    """
    return _compiled(function, apart=True, _nrt=False)


def program(function: Kernel) -> Kernel:
    """Compile an outer loop over kernels: it may make the arrays that it works with."""
    return _compiled(function)


def _compiled(function: Kernel, apart: bool = False, **options: bool) -> Kernel:
    common = {"nopython": True, "nogil": True, "error_model": "numpy"}
    made: Kernel = callable_kernel(function, identity(function), common | options, apart)
    return made


def compile_piece(piece: Piece) -> None:
    """Have a kernel compiled as other kernels call it, or a program as Python does, without running it."""
    function, *arguments = piece
    form = function if function.targetoptions.get("_nrt", True) else function.callee
    form.compile(tuple(map(typeof, arguments)))


def identity(function: Kernel) -> str:
    """A name for a function that changes exactly when what it computes may change."""
    parts = [function.__module__, function.__qualname__, source_digest(function.__code__.co_filename)]
    parts += [_text(cell.cell_contents) for cell in function.__closure__ or ()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _text(content: Any) -> str:
    """What a kernel closes over, in words that are the same in every process: mostly other kernels."""
    if hasattr(content, "_uuid"):
        return str(content._uuid)
    if isinstance(content, tuple):
        return f"{type(content).__qualname__}({', '.join(map(_text, content))})"
    return (
        repr(content) if isinstance(content, bool | int | float | str | None) else hashlib.sha256(dumps(content)).hexdigest()
    )


@cache
def source_digest(filename: str) -> str:
    """A digest of a file and of all files that it imports: its own project's and ours, not those of other libraries."""
    digest = hashlib.sha256()
    for path in sorted(_sources(Path(filename).resolve())):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _sources(start: Path) -> set[Path]:
    found: set[Path] = set()
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path not in found and path.exists():
            found.add(path)
            waiting.extend(_imports(path))
    return found


@cache
def _imports(path: Path) -> tuple[Path, ...]:
    """The files that a file imports."""
    found = []
    for node in _statements(ast.parse(path.read_bytes()).body):
        if isinstance(node, ast.Import):
            found += [_module_file(_root(alias.name, path), alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            top = path.parents[node.level - 1] if node.level else _root(node.module or "", path)
            name = node.module or ""
            found += [_module_file(top, name), *(_module_file(top, f"{name}.{alias.name}") for alias in node.names)]
    return tuple(file for file in found if file is not None)


def _statements(body: list[Any]) -> Iterator[ast.AST]:
    """All statements, those inside others among them; looking into expressions as well takes far longer."""
    for node in body:
        yield node
        for inside in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from _statements(getattr(node, inside, None) or [])


def _root(name: str, path: Path) -> Path | None:
    """The folder in which a module that a file imports by its full name is looked for; None for other libraries."""
    top = name.partition(".")[0]
    if top == PACKAGE:
        return PACKAGE_ROOT.parent
    own = _package_root(path)
    if top == own.name and (own / "__init__.py").exists():
        return own.parent
    return None if PACKAGE_ROOT in path.parents else _own_folder(top, path.parent)


@cache
def _own_folder(top: str, beside: Path) -> Path | None:
    """Where a module lies that is neither a part of Python nor an installed library: beside the file, or on the path."""
    spec = PathFinder.find_spec(top, [str(beside)]) or PathFinder.find_spec(top)
    if spec is None or spec.origin is None or not Path(spec.origin).is_file():
        return None
    file = Path(spec.origin).resolve()
    libraries = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    if libraries & set(file.parents):
        return None
    return file.parent.parent if file.name == "__init__.py" else file.parent


def _package_root(path: Path) -> Path:
    """The outermost package that a file belongs to."""
    folder = path.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def _module_file(folder: Path | None, name: str) -> Path | None:
    if folder is None:
        return None
    base = folder.joinpath(*filter(None, name.split(".")))
    for candidate in (base.with_suffix(".py"), base / "__init__.py"):
        if candidate.exists():
            return candidate
    return None


class _Locator(caching.UserProvidedCacheLocator):  # type: ignore[misc]
    """Numba's cache in our folder, stamped with the digest of all sources."""

    def __init__(self, py_func: Kernel, py_file: str) -> None:
        self._py_file = py_file
        self._lineno = py_func.__code__.co_firstlineno
        self._cache_path = str(cache_folder() / "kernels" / self.get_suitable_cache_subpath(py_file))

    def get_source_stamp(self) -> str:
        return source_digest(self._py_file)

    @classmethod
    def from_function(cls, py_func: Kernel, py_file: str) -> _Locator | None:
        ours = Path(py_file).resolve()
        uses_us = PACKAGE_ROOT in ours.parents or any(PACKAGE_ROOT in p.parents for p in _sources(ours))
        if not uses_us:
            return None
        locator = cls(py_func, py_file)
        try:
            locator.ensure_cache_path()
        except OSError:
            return None
        return locator


if _Locator not in caching.CacheImpl._locator_classes:
    caching.CacheImpl._locator_classes.insert(0, _Locator)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Calls back when something is really compiled (not found in the cache)."""

    def __init__(self, begun: Callable[[], None], done: Callable[[], None]) -> None:
        self.begun, self.done = begun, done

    def on_start(self, _event: Any) -> None:
        self.begun()

    def on_end(self, _event: Any) -> None:
        self.done()


def on_first_compile(say: Callable[[], None]) -> None:
    """Call `say` when the first kernel has to be compiled in this process."""

    def once() -> None:
        event.unregister("numba:compile", listener)
        say()

    listener = _Announcement(once, lambda: None)
    event.register("numba:compile", listener)


def on_compiled(say: Callable[[], None]) -> None:
    """Call `say` after every kernel that is compiled in this process."""
    event.register("numba:compile", _Announcement(lambda: None, say))


__all__ = [
    "Kernel",
    "Piece",
    "cache_folder",
    "compile_piece",
    "identity",
    "kernel",
    "on_compiled",
    "on_first_compile",
    "outlined",
    "part",
    "program",
    "source_digest",
]
