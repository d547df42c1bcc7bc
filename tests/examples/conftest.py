"""The example package is installed while its tests run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.installed import install_kuhn, on_path


@pytest.fixture(scope="module", autouse=True)
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with on_path(*install_kuhn(tmp_path_factory.mktemp("site"))):
        yield
