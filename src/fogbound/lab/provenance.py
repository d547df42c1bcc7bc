"""How results came about: the command, the machine, and the versions of what they may depend on."""

from __future__ import annotations

import os
import platform
import shlex
import sys
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def command() -> str:
    """The command that is being run, as one would type it."""
    program = Path(sys.argv[0]).name
    return shlex.join(["fogbound" if program == "__main__.py" else program, *sys.argv[1:]])


def machine() -> str:
    """This machine in a few words."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = [line for line in cpuinfo.read_text(encoding="utf-8").splitlines() if line.startswith("model name")]
        model = lines[0].partition(":")[2].strip() if lines else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}"


def versions() -> dict[str, str]:
    """Versions of what the results may depend on."""
    named = {name: package_version(name) for name in ("fogbound", "numba", "numpy", "ray")}
    return {"python": platform.python_version(), **{name: found for name, found in named.items() if found}}


@cache
def package_version(package: str) -> str:
    """The version of a package; empty if it is not installed."""
    if package == "fogbound":
        import fogbound

        return fogbound.__version__
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
