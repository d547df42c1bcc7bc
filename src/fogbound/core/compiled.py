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
import pickle
import sysconfig
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import caching, event

from fogbound.core.alone import alone
from fogbound.core.callees import callable_kernel

Kernel = Callable[..., Any]
PACKAGE = __name__.split(".")[0]
PACKAGE_ROOT = Path(__file__).resolve().parent.parent
SWEPT_AFTER = 3600  # seconds


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
    common = {"nopython": True, "nogil": True, "error_model": "numpy"}
    made: Kernel = callable_kernel(function, identity(function), common | options)
    return made


def identity(function: Kernel) -> str:
    """A name for a function that changes exactly when what it computes may change."""
    parts = [function.__module__, function.__qualname__, source_digest(function.__code__.co_filename)]
    for cell in function.__closure__ or ():
        content = cell.cell_contents
        parts.append(getattr(content, "_uuid", None) or repr(content))
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


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
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            found += [_module_file(_root(alias.name, path), alias.name) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            top = path.parents[node.level - 1] if node.level else _root(node.module or "", path)
            name = node.module or ""
            found += [_module_file(top, name), *(_module_file(top, f"{name}.{alias.name}") for alias in node.names)]
    return tuple(file for file in found if file is not None)


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


class _Index(caching.IndexDataCacheFile):  # type: ignore[misc]
    """An index that several processes write to, and that may name types of modules that this process cannot import.

    It is known to be old before it is read. Its keys are pickled one by one: those that cannot be read, because
    the agent or game they belong to is not here, are left as they are. Every entry has a data file of its own name,
    so that two processes that compile at once never write to the same one.
    """

    def __init__(self, cache_path: str, filename_base: str, source_stamp: str) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._base = filename_base
        self._version: str = f"2 {numba.__version__} {source_stamp}"

    def save(self, key: Any, data: Any) -> None:
        name = f"{self._base}.{uuid.uuid4().hex}.nbc"
        self._save_data(name, data)
        with alone(self._cache_path, self._base):
            kept = {blob: other for blob, other in self._entries() if self._read_key(blob) != key}
            with self._open_for_write(self._index_path) as file:
                pickle.dump(self._version, file)
                pickle.dump([*kept.items(), (self._dump(key), name)], file)
        self._sweep({name, *kept.values()})

    def _load_index(self) -> dict[Any, str]:
        read = ((self._read_key(blob), name) for blob, name in self._entries())
        return {key: name for key, name in read if key is not None}

    def _entries(self) -> list[tuple[bytes, str]]:
        """Pickled keys and the names of their data files; none if the index is old."""
        with suppress(FileNotFoundError), open(self._index_path, "rb") as file:
            if pickle.load(file) == self._version:
                found: list[tuple[bytes, str]] = pickle.load(file)
                return found
        return []

    def _read_key(self, blob: bytes) -> Any:
        try:
            return pickle.loads(blob)
        except (ImportError, AttributeError):
            return None

    def _sweep(self, used: set[str]) -> None:
        """Remove data files of older indices; one that is being written just now is left alone."""
        for file in Path(self._cache_path).glob(f"{self._base}.*.nbc"):
            with suppress(OSError):
                if file.name not in used and time.time() - file.stat().st_mtime > SWEPT_AFTER:
                    file.unlink()


_numbas_index = caching.IndexDataCacheFile


def _index(cache_path: str, filename_base: str, source_stamp: Any) -> Any:
    """Our index for our kernels, Numba's own for the caches of others."""
    return (_Index if isinstance(source_stamp, str) else _numbas_index)(cache_path, filename_base, source_stamp)


caching.IndexDataCacheFile = _index
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
    "cache_folder",
    "identity",
    "kernel",
    "on_compiled",
    "on_first_compile",
    "outlined",
    "program",
    "source_digest",
]
