"""One server for all tests of a worker: most of them only need a table of their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.running import Server, sqlite


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(sqlite(tmp_path_factory.mktemp("server")), seeds_for_all=True)
    yield running
    running.kill()
