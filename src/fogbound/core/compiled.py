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
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import caching, event

Kernel = Callable[..., Any]
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


def program(function: Kernel) -> Kernel:
    """Compile an outer loop over kernels: it may make the arrays that it works with."""
    return _compiled(function)


def _compiled(function: Kernel, **options: bool) -> Kernel:
    made = numba.njit(nogil=True, cache=True, error_model="numpy", **options)(function)
    made._set_uuid(identity(function))
    return made  # type: ignore[no-any-return]


def identity(function: Kernel) -> str:
    """A name for a function that changes exactly when what it computes may change."""
    parts = [function.__module__, function.__qualname__, source_digest(function.__code__.co_filename)]
    for cell in function.__closure__ or ():
        content = cell.cell_contents
        parts.append(getattr(content, "_uuid", None) or repr(content))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@cache
def source_digest(filename: str) -> str:
    """A digest of a file and of all files of its package and of ours that it imports."""
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
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.append(node.module)
            names.extend(f"{node.module}.{alias.name}" for alias in node.names)
    roots = {_package_root(path).name: _package_root(path), PACKAGE: PACKAGE_ROOT}
    files = (_module_file(name, roots) for name in names)
    return tuple(file for file in files if file is not None)


def _package_root(path: Path) -> Path:
    """The outermost package that a file belongs to."""
    folder = path.parent
    while (folder.parent / "__init__.py").exists():
        folder = folder.parent
    return folder


def _module_file(name: str, roots: dict[str, Path]) -> Path | None:
    top, *rest = name.split(".")
    if top not in roots:
        return None
    base = roots[top].joinpath(*rest)
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


class _Index(caching.IndexDataCacheFile):  # type: ignore[misc]
    """An index that is known to be old before it is read: what it names may be gone, and reading it would fail."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        if isinstance(source_stamp, str):  # ours; files of others are left alone
            self._version: str = f"{numba.__version__} {source_stamp}"

    def _load_index(self) -> Any:
        try:
            return super()._load_index()
        except (ImportError, AttributeError):  # it names types of a game whose package is not installed any more
            return {}


caching.IndexDataCacheFile = _Index
if _Locator not in caching.CacheImpl._locator_classes:
    caching.CacheImpl._locator_classes.insert(0, _Locator)


class _Announcement(event.Listener):  # type: ignore[misc]
    """Calls back once, when something really is being compiled (not found in the cache)."""

    def __init__(self, say: Callable[[], None]) -> None:
        self.say = say

    def on_start(self, _event: Any) -> None:
        event.unregister("numba:compile", self)
        self.say()

    def on_end(self, _event: Any) -> None:
        return


def on_first_compile(say: Callable[[], None]) -> None:
    """Call `say` when the first kernel has to be compiled in this process."""
    event.register("numba:compile", _Announcement(say))


__all__ = ["Kernel", "cache_folder", "identity", "kernel", "on_first_compile", "outlined", "program", "source_digest"]
