"""Files that others wrote: so many bytes, and nothing waits for ever."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import fogbound as fb
from fogbound.core import files, jsonfile, tomlfile
from fogbound.core.errors import BadFile, FogboundError


def test_a_file_is_read_up_to_a_size(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("fog")
    assert files.read_text(tmp_path / "a", most=3) == "fog"
    with pytest.raises(BadFile, match="too large"):
        files.read_text(tmp_path / "a", most=2)


@pytest.mark.parametrize("read", [jsonfile.read, tomlfile.read, fb.load, lambda path: fb.game(f"scotland-yard/{path}")])
def test_endless_and_silent_files_are_refused_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, read: Callable[[object], object]
) -> None:
    monkeypatch.setattr(files, "PATIENCE", 0.1)
    os.mkfifo(tmp_path / "nobody-writes")
    writing = os.open(tmp_path / "nobody-writes", os.O_RDWR)  # there is a writer, who says nothing
    for path in ("/dev/zero", tmp_path / "nobody-writes", tmp_path, "no\0name", tmp_path / "missing"):
        with pytest.raises(FogboundError) as error:
            read(path)
        assert str(error.value).isprintable()
    os.close(writing)


def test_what_comes_through_a_pipe_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with ThreadPoolExecutor(1) as other:
        other.submit((tmp_path / "pipe").write_text, "[1, 2]")
        assert jsonfile.read(tmp_path / "pipe").data == [1, 2]


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "9" * 5000, "a = 1\x00", "a = '\ud800'", "\ufeff", "["])
def test_odd_toml_is_refused_in_words(tmp_path: Path, text: str) -> None:
    (tmp_path / "cup.toml").write_bytes(text.encode(errors="surrogatepass"))
    with pytest.raises(BadFile) as error:
        tomlfile.read(tmp_path / "cup.toml")
    assert str(error.value).isprintable()


def test_every_error_is_one_line() -> None:
    assert str(FogboundError("one\ntwo\x00\ud800")) == "one\\ntwo\\x00\\ud800"
    with pytest.raises(fb.UnknownName) as error:
        fb.game("fog" * 1000)
    assert len(str(error.value)) < 300
