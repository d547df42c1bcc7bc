"""Compiled code on disk: a file for every kernel and signature, named by a digest of all that its code depends on.

Numba keeps an index beside such files, whose keys are pickled types and closures. Processes that wrote to it at once
lost each other's entries, reading it imported the modules of other games, and what a process happened to have imported
changed the keys. A name that says it all needs no index.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import caching, types
from numba.core.types.containers import BaseNamedTuple, BaseTuple

SWEPT_AFTER = 3600  # seconds


class KernelFiles(caching.IndexDataCacheFile):  # type: ignore[misc]
    """The files of one kernel. Each is written whole or not at all, and two processes write the same into it."""

    def __init__(self, cache_path: str, filename_base: str, source_stamp: Any) -> None:
        super().__init__(cache_path, filename_base, source_stamp)
        self._edition = f"{filename_base}.{digest(numba.__version__, source_stamp)[:12]}"

    def load(self, key: str) -> Any:
        with suppress(FileNotFoundError):
            return self._load_data(self._name(key))

    def save(self, key: str, data: Any) -> None:
        self._save_data(self._name(key), data)
        self._sweep()

    def _name(self, key: str) -> str:
        return f"{self._edition}.{digest(key)[:24]}.nbc"

    def _sweep(self) -> None:
        """Remove what was compiled from older sources; what another process may be using just now is left alone."""
        base = self._index_name.removesuffix("nbi")
        for file in Path(self._cache_path).glob(f"{base}*"):
            with suppress(OSError):
                if not file.name.startswith(self._edition) and time.time() - file.stat().st_mtime > SWEPT_AFTER:
                    file.unlink()


class KernelCache(caching.FunctionCache):  # type: ignore[misc]
    """What a kernel was compiled to, for each signature, found by the kernel's identity."""

    def __init__(self, function: Callable[..., Any], identity: str) -> None:
        super().__init__(function)
        self._identity = identity
        self._cache_file = KernelFiles(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def _index_key(self, signature: tuple[Any, ...], codegen: Any) -> str:
        return digest(self._identity, codegen.magic_tuple(), *map(described, signature))


def described(given: Any) -> str:
    """A type in words that are the same in every process, and no other type's."""
    if isinstance(given, BaseNamedTuple):
        made = given.instance_class
        return f"{made.__module__}.{made.__qualname__}{made._fields}{[described(part) for part in given]}"
    if isinstance(given, BaseTuple):
        return f"({[described(part) for part in given]})"
    if isinstance(given, types.Dispatcher):
        return str(given.dispatcher._uuid)
    return str(given)


def digest(*parts: Any) -> str:
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()


__all__ = ["KernelCache", "KernelFiles"]
