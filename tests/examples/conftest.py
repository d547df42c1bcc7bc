"""The example packages are installed while their tests run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.installed import install_example, on_path


@pytest.fixture(scope="module", autouse=True)
def kuhn(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    site = tmp_path_factory.mktemp("site")
    with on_path(*install_example(site, "kuhn"), *install_example(site, "leduc")):
        yield
