"""JSON files with line numbers."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fogbound.core import jsonfile
from fogbound.core.errors import BadFile

TEXT = """{
  "name": "x",
  "list": [
    1,
    {"a": [true,
           "b, c: {"]}
  ]
}"""


def test_every_value_has_its_line() -> None:
    lines = jsonfile.parse(TEXT, "f").lines
    assert lines[("name",)] == 2
    assert lines[("list",)] == 3
    assert lines[("list", 0)] == 4
    assert lines[("list", 1, "a")] == 5
    assert lines[("list", 1, "a", 1)] == 6


def test_a_key_that_is_given_twice_is_refused() -> None:
    with pytest.raises(BadFile, match="line 3, at a: this key is given twice"):
        jsonfile.parse('{\n"a": 1,\n"a": 2}', "f")


def test_broken_json_is_told_with_its_line() -> None:
    with pytest.raises(BadFile, match=r"f, line 2: this is not JSON"):
        jsonfile.parse('{\n"a" 1}', "f")


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers(-(10**15), 10**15) | st.text(),
        lambda x: st.lists(x) | st.dictionaries(st.text(), x),
    )
)
def test_any_json_can_be_read_and_every_place_has_a_line(data: object) -> None:
    for indent in (None, 1):
        file = jsonfile.parse(json.dumps(data, indent=indent), "f")
        assert file.data == data
        assert () in file.lines
