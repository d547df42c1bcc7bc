"""Finds what some checks need besides Python, Chromium and PostgreSQL, and installs it where it can.

Run by `make test`; whatever is missing afterwards is said plainly, and the checks that need it are left out.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 240  # seconds for an installation


def chromium() -> str | None:
    """The program of a Chromium on this machine."""
    named = os.environ.get("FOGBOUND_CHROMIUM")
    if named:
        return named
    on_path = next((found for name in BROWSERS if (found := shutil.which(name))), None)
    own = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    fetched = sorted(own.glob("chromium-*/chrome-linux*/chrome"))
    return on_path or (str(fetched[-1]) if fetched else None)


def postgres(name: str) -> str | None:
    """One of PostgreSQL's server programs."""
    found = shutil.which(name)
    places = [found] if found else sorted(map(str, Path("/usr/lib/postgresql").glob(f"*/bin/{name}")))
    return places[-1] if places else None


def _install(package: str) -> None:
    if shutil.which("apt-get") and os.geteuid() == 0:
        environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "-qq"],
            ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        ):
            _try(command, environment)


def _try(command: list[str], environment: dict[str, str] | None = None) -> None:
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, env=environment, timeout=PATIENCE, capture_output=True, check=False)


def main() -> None:
    if chromium() is None:
        _install("chromium")
    if chromium() is None:
        _try([str(Path(".venv/bin/playwright")), "install", "chromium"])
    if postgres("initdb") is None:
        _install("postgresql")
    if chromium() is None:
        print("Left out: the checks in a real browser. There is no Chromium here, and it could not be installed.")
    if postgres("initdb") is None:
        print("Left out: the storage checks on PostgreSQL. It is not here, and it could not be installed.")


if __name__ == "__main__":
    main()
