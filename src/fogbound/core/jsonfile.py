"""JSON files written by people: reading them with the line of every value, and checking them against a model."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fogbound.core.errors import BadFile, printable, short
from fogbound.core.files import read_text

Place = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_MOST_DIGITS = 18
MOST_NOTED = 100  # mistakes in one file: nobody reads more, and files come from strangers


@dataclass(frozen=True)
class JsonFile:
    """The data of a file, and the line of every place in it."""

    name: str
    data: Any
    lines: dict[Place, int]
    noted: list[BadFile] = field(default_factory=list)
    """Mistakes that were found so far by a check that goes on."""

    def note(self, place: Sequence[str | int], sentence: str) -> None:
        """Remember a mistake, for a check that can go on and find others."""
        if len(self.noted) < MOST_NOTED:
            self.noted.append(self.problem(place, sentence))

    def stop_if_noted(self) -> None:
        """End a check that cannot go on with the mistakes noted so far."""
        if self.noted:
            raise self.noted.pop()

    @contextmanager
    def all_told(self) -> Iterator[None]:
        """A check: at its end, or where it cannot go on, it raises all that was noted."""
        try:
            yield
        except BadFile as error:
            self.noted.append(error)
        if self.noted:
            first, *others = self.noted
            first.others = tuple(others)
            raise first from None

    def problem(self, place: Sequence[str | int], sentence: str) -> BadFile:
        """An error that names the file, the line and the place."""
        known = tuple(place)
        while known and known not in self.lines:
            known = known[:-1]
        return BadFile(self.name, path_text(place), printable(sentence), self.lines.get(known))

    def validated(self, model: type[Model], expected: str) -> Model:
        """The data as a model; an error for everything that does not fit it."""
        if not isinstance(self.data, dict):
            raise self.problem([], expected)
        try:
            return model.model_validate(self.data, strict=True)
        except ValidationError as error:
            with self.all_told():
                self._note_all(model, error.errors())
        raise AssertionError  # what does not fit was noted

    def _note_all(self, model: type[BaseModel], errors: Sequence[Any]) -> None:
        """Where a value may be one thing or another, the alternative that fits furthest is the one that was meant."""
        left = [(self._inside(error), error) for error in errors[:MOST_NOTED]]
        while left:
            root = min((place for place, _ in left if _on_one_way(place, left[0][0])), key=len)
            here = [(place, error) for place, error in left if place[: len(root)] == root]
            left = [each for each in left if each not in here]
            place = max((place for place, _ in here), key=len)
            words = [_worded(error, model) for at, error in here if at == place]
            more = [word.removeprefix("this should be ") for word in words[1:]]
            self.note(place, ", or ".join([words[0], *more]) + ".")

    def _inside(self, error: Any) -> Place:
        """Pydantic's location, without the names of the alternatives that it tried."""
        place: list[str | int] = []
        here = self.data
        for part in error["loc"]:
            is_key = isinstance(here, dict) and part in here
            is_index = isinstance(here, list) and isinstance(part, int) and part < len(here)
            if is_key or is_index:
                place.append(part)
                here = here[part]
        return (*place, error["loc"][-1]) if error["type"] == "missing" else tuple(place)


def _on_one_way(one: Place, other: Place) -> bool:
    """Whether one place lies in the other."""
    shared = min(len(one), len(other))
    return one[:shared] == other[:shared]


def names_file(name: str) -> bool:
    """Whether a board's name is that of a file, not of a board that comes with Fogbound."""
    return name.endswith(".json") or "/" in name or "\\" in name


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of files of a model."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}


def read(path: str | Path) -> JsonFile:
    """Read a JSON file; BadFile says what is wrong with it."""
    return parse(read_text(path, encoding="utf-8-sig"), printable(str(path)))


def parse(text: str, name: str) -> JsonFile:
    try:
        data = json.loads(text, parse_constant=_refuse, parse_int=_whole_number, parse_float=_number)
    except json.JSONDecodeError as error:
        raise BadFile(name, "", f"this is not JSON: {error.msg} (column {error.colno}).", error.lineno) from None
    except _NoNumber as error:
        raise BadFile(
            name, "", f"{short(str(error))} is not a number that can be used.", _line_of(text, str(error))
        ) from None
    except RecursionError:
        raise BadFile(name, "", "this is nested too deeply.", 1) from None
    return JsonFile(name, data, _lines(text, name))


class _NoNumber(Exception):
    """A number that JSON readers accept, but that no file should contain."""


def _refuse(word: str) -> None:
    raise _NoNumber(word)


def _whole_number(word: str) -> int:
    if len(word) > _MOST_DIGITS:
        raise _NoNumber(word)
    return int(word)


def _number(word: str) -> float:
    if not math.isfinite(float(word)):
        raise _NoNumber(word)
    return float(word)


def _line_of(text: str, word: str) -> int:
    """The line of the first occurrence of a word outside quoted text."""
    starts = (token.start() for token in _TOKEN.finditer(text) if token.group() == word)
    return text.count("\n", 0, next(starts, 0)) + 1


def _lines(text: str, name: str) -> dict[Place, int]:
    """The line of each value; a key that is given twice is an error."""
    lines: dict[Place, int] = {}
    stack: list[list[Any]] = []  # [container, current key or index]
    line, scanned = 1, 0
    after_colon = True
    for token in _TOKEN.finditer(text):
        line += text.count("\n", scanned, token.start())
        scanned = token.start()
        word = token.group()
        if word == ":":
            after_colon = True
        elif word == ",":
            if stack[-1][0] == "[":
                stack[-1][1] += 1
            after_colon = stack[-1][0] == "["
        elif word in "}]":
            stack.pop()
        elif stack and stack[-1][0] == "{" and not after_colon:
            stack[-1][1] = json.loads(word)
            place = tuple(level[1] for level in stack)
            if place in lines:
                raise BadFile(name, path_text(place), "this key is given twice.", line)
            lines[place] = line
        else:
            lines[tuple(level[1] for level in stack)] = line
            if word in "{[":
                stack.append([word, 0 if word == "[" else None])
                after_colon = word == "["
    return lines


def plain(error: Any) -> str:
    """Pydantic's message as the end of a sentence, without its prefix for programmers."""
    if error["type"] == "string_pattern_mismatch":
        return "this has characters that cannot stand here"
    text = short(str(error["msg"]), 300).removeprefix("Value error, ").removeprefix("Input ")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


_WORDS = {
    "missing": "this is missing",
    "int_type": "this should be a whole number",
    "float_type": "this should be a number",
    "string_type": "this should be text in quotes",
    "string_unicode": "this should be text without broken characters",
    "bool_type": "this should be true or false",
    "list_type": "this should be a list in [ ]",
    "dict_type": "this should be an object in {{ }}",
    "model_type": "this should be an object in {{ }}",
    "greater_than_equal": "this should be at least {ge}",
    "less_than_equal": "this should be at most {le}",
    "string_pattern_mismatch": "this should be one word of small letters, with _ between its parts",
    "string_too_short": "this should not be empty",
    "string_too_long": "this should have at most {max_length} letters",
    "too_long": "this should have at most {max_length} entries",
    "literal_error": "this should be {expected}",
}


def _worded(error: Any, model: type[BaseModel]) -> str:
    """An error from Pydantic in words for people who write files."""
    if error["type"] == "extra_forbidden":
        return _unknown_key(str(error["loc"][-1]), model)
    if error["type"] in _WORDS:
        return _WORDS[error["type"]].format(**error.get("ctx", {}))
    return plain(error)


def _unknown_key(key: str, model: type[BaseModel]) -> str:
    schema = model.model_json_schema()
    parts = [schema, *schema.get("$defs", {}).values()]
    known = sorted({name for part in parts for name in part.get("properties", {})})
    close = get_close_matches(key, known, n=1)
    return f"there is no key “{short(key)}” here" + (f", but there is “{close[0]}”" if close else "")


def path_text(place: Sequence[str | int]) -> str:
    """`stations[3].links.taxi[0]`"""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{short(part)}" if text else short(part)
    return text
