"""What is released works where nothing but the package is: the sdist builds the wheel, and the wheel plays."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import time
import tomllib
import urllib.request
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.server.running import free_port

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
VERSION = PROJECT["version"]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from the sdist and installed beside the libraries that it needs, far from the repository."""
    copy, dist, site = (tmp_path_factory.mktemp(name) for name in ("copy", "dist", "site"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, copy)
    rubbish = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", copy / "src", ignore=rubbish)
    quiet = {"check": True, "capture_output": True}
    subprocess.run([sys.executable, "-m", "build", "--no-isolation", "--outdir", dist, copy], **quiet)
    with tarfile.open(dist / f"fogbound-{VERSION}.tar.gz") as sdist:
        assert f"fogbound-{VERSION}/src/fogbound/cli/template/pyproject.toml" in sdist.getnames()
    wheel = dist / f"fogbound-{VERSION}-py3-none-any.whl"
    with ZipFile(wheel) as packed:
        inside = set(packed.namelist())
    here = {file.relative_to(ROOT / "src").as_posix() for file in (ROOT / "src" / "fogbound").rglob("*") if file.is_file()}
    assert {name for name in here if "__pycache__" not in name} <= inside  # nothing was forgotten
    subprocess.run([sys.executable, "-m", "pip", "install", "--no-deps", "--target", site, wheel, "--quiet"], **quiet)
    return site


def run(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(site), "COLUMNS": "120", "TERM": "dumb"}
    command = [sys.executable, str(site / "bin" / "fogbound"), *words]
    return subprocess.run(command, env=environment, cwd=site, capture_output=True, text=True, check=False)


def test_the_first_commands_answer(installed: Path) -> None:
    assert run(installed, "--version").stdout == f"fogbound {VERSION}\n"
    assert "fogbound play" in run(installed, "play", "--help").stdout
    assert run(installed, "new-game", "lighthouse").returncode == 0
    assert (installed / "lighthouse" / "src" / "fogbound_lighthouse" / "page" / "lighthouse.js").exists()


def test_play_answers_with_the_page(installed: Path) -> None:
    port = free_port()
    environment = {**os.environ, "PYTHONPATH": str(installed), "XDG_DATA_HOME": str(installed / "data"), "DISPLAY": ""}
    command = [sys.executable, str(installed / "bin" / "fogbound"), "play", "--port", str(port)]
    running = subprocess.Popen(command, env=environment, cwd=installed, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(600):
            try:
                assert "<title>" in _read(port, "/")
                break
            except OSError:
                assert running.poll() is None
                time.sleep(0.1)
        assert "import" in _read(port, "/js/main.js")
        assert "scotland-yard" in _read(port, "/api/games")
    finally:
        running.terminate()
        running.wait()


def _read(port: int, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as answer:
        found: bytes = answer.read()
        return found.decode()


def test_all_that_names_a_version_names_this_one() -> None:
    assert f"\nversion: {VERSION}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"## {VERSION}" in (ROOT / "CHANGELOG.md").read_text()


def test_games_are_completed_by_the_shell() -> None:
    from fogbound.cli.app import game_names

    assert "risk/classic" in game_names("ri") and game_names("scotland-yard/lon") == [
        "scotland-yard/london",
        "scotland-yard/london-modern",
    ]
