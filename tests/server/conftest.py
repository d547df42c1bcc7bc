"""One server for all tests of a worker: most of them only need a table of their own. And databases, of both kinds."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text

from tests.provide import postgres as postgres_program
from tests.server.running import Server, free_port, sqlite

_numbers = itertools.count()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(sqlite(tmp_path_factory.mktemp("server")), seeds_for_all=True)
    yield running
    running.kill()


@pytest.fixture(scope="session")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A PostgreSQL server of our own; where there is none the tests on it are left out, and say so."""
    initdb, program = postgres_program("initdb"), postgres_program("postgres")
    user = "postgres" if os.getuid() == 0 else ""
    known = not user or subprocess.run(["id", user], capture_output=True, check=False).returncode == 0
    if not (initdb and program and known):
        pytest.skip("left out: no PostgreSQL server programs (or no user to run them as) on this machine")
    folder, port = Path("/tmp") / f"fogbound-postgres-{os.getpid()}", free_port()
    folder.mkdir()
    as_user = ["runuser", "-u", user, "--"] if user else []
    if user:
        shutil.chown(folder, user)
    subprocess.run(
        [*as_user, initdb, "-D", str(folder / "data"), "-A", "trust", "-U", "fogbound"], check=True, capture_output=True
    )
    options = ["-p", str(port), "-c", "listen_addresses=127.0.0.1", "-c", f"unix_socket_directories={folder}"]
    running = subprocess.Popen([*as_user, program, "-D", str(folder / "data"), *options], stderr=subprocess.DEVNULL)
    time.sleep(2)
    yield f"postgresql+psycopg://fogbound@127.0.0.1:{port}/"
    running.terminate()
    running.wait()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database with nothing in it."""
    if request.param == "sqlite":
        return sqlite(tmp_path)
    server, name = str(request.getfixturevalue("postgres")), f"test_{next(_numbers)}"
    with create_engine(f"{server}postgres", isolation_level="AUTOCOMMIT").connect() as connection:
        connection.execute(text(f"CREATE DATABASE {name}"))
    return server + name
