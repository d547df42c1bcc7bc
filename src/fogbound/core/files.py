"""Files that others wrote, read with care: so many bytes and no more, and nothing waits for ever. And files that are kept
only to be quicker the next time."""

from __future__ import annotations

import os
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path

from fogbound.core.errors import BadFile, FogboundError, printable

TEXT_BYTES = 16_000_000  # many times the largest board, set of settings or record that a person would want
PATIENCE = 10.0  # seconds that a pipe may keep silent


def read_text(path: str | Path, most: int = TEXT_BYTES, encoding: str = "utf-8") -> str:
    """The text of a file; BadFile if there is none, or too much of it."""
    name = printable(str(path))
    try:
        return _bytes(path, most, name).decode(encoding)
    except FileNotFoundError:
        raise BadFile(name, "", "there is no such file.") from None
    except OSError as error:
        raise BadFile(name, "", f"this file cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadFile(name, "", "this file is not UTF-8 text.") from None
    except ValueError:  # a name that no file can have
        raise BadFile(name, "", "there is no such file.") from None


def _bytes(path: str | Path, most: int, name: str) -> bytes:
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    try:
        pipe, found = stat.S_ISFIFO(os.fstat(handle).st_mode), bytearray()
        while len(found) <= most:
            part = _from_pipe(handle, name, bool(found)) if pipe else os.read(handle, min(1 << 20, most + 1 - len(found)))
            if not part:
                return bytes(found)
            found += part
    finally:
        os.close(handle)
    raise BadFile(name, "", f"this file is too large: {most // 1_000_000} MB at most are read.")


def _from_pipe(handle: int, name: str, begun: bool) -> bytes:
    """The next part; nothing at the end, which is not before somebody has begun to write."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        with suppress(BlockingIOError):
            part = os.read(handle, 1 << 16)
            if part or begun:
                return part
        time.sleep(0.01)
    raise BadFile(name, "", f"nothing came from it for {PATIENCE:.0f} seconds.")


def check_size(path: str | Path, most: int) -> None:
    """That a file which a library reads is a plain one, and not too large."""
    try:
        found = os.stat(path)
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "no file can have this name"
        raise FogboundError(f"Cannot read {printable(str(path))}: {why}.") from None
    if not stat.S_ISREG(found.st_mode):
        raise FogboundError(f"Cannot read {printable(str(path))}: it is not a file.")
    if found.st_size > most:
        raise FogboundError(f"{printable(str(path))} is too large: {most // 1_000_000:,} MB at most are read.")


def keep_text(path: Path, text: str, most: int) -> None:
    """Write a file whole or not at all; of more than so many beside it, those that are oldest go."""
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}")
    unfinished.write_text(text, "utf-8")
    os.replace(unfinished, path)
    beside = sorted((file for file in path.parent.iterdir() if file.suffix == path.suffix), key=_age)
    for old in beside[most:]:
        with suppress(OSError):  # another process was quicker
            old.unlink()


def _age(path: Path) -> float:
    """The younger, the lower; a file that is gone already is the oldest."""
    with suppress(OSError):
        return -path.stat().st_mtime
    return 0.0
