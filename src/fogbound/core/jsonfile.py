"""Reading JSON files that people write, remembering on which line everything stands."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fogbound.core.errors import BadFile

Place = tuple[str | int, ...]
Model = TypeVar("Model", bound=BaseModel)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)


@dataclass(frozen=True)
class JsonFile:
    """The data of a file, and the line of each of its places."""

    name: str
    data: Any
    lines: dict[Place, int]

    def problem(self, place: Sequence[str | int], sentence: str) -> BadFile:
        """An error that tells the file, the line and the place."""
        known = tuple(place)
        while known and known not in self.lines:
            known = known[:-1]
        return BadFile(self.name, path_text(place), sentence, self.lines.get(known))

    def validated(self, model: type[Model], expected: str) -> Model:
        """The data as a model; the first thing that does not fit it is the problem."""
        if not isinstance(self.data, dict):
            raise self.problem([], expected)
        try:
            return model.model_validate(self.data, strict=True)
        except ValidationError as error:
            first = error.errors()[0]
            raise self.problem(self._inside(first["loc"]), f"{plain(first)}.") from None

    def _inside(self, location: Place) -> Place:
        """Pydantic's location, without the names of the alternatives that it tried."""
        place: list[str | int] = []
        here = self.data
        for part in location:
            if isinstance(here, dict) and (part in here or part == location[-1]):
                place.append(part)
                here = here.get(part)
            elif isinstance(here, list) and isinstance(part, int) and part < len(here):
                place.append(part)
                here = here[part]
        return tuple(place)


def names_file(name: str) -> bool:
    """Whether a board's name is that of a file, not of a board that comes with Fogbound."""
    return name.endswith(".json") or "/" in name or "\\" in name


def schema_of(model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of files of a model."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **model.model_json_schema()}


def read(path: str | Path) -> JsonFile:
    """Read a JSON file; BadFile says what is wrong with it."""
    name = str(path)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise BadFile(name, "", "there is no such file.") from None
    except OSError as error:
        raise BadFile(name, "", f"it cannot be read ({error.strerror}).") from None
    except UnicodeDecodeError:
        raise BadFile(name, "", "it is not text (UTF-8).") from None
    return parse(text, name)


def parse(text: str, name: str) -> JsonFile:
    try:
        data = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        raise BadFile(name, "", f"this is not JSON: {error.msg} (column {error.colno}).", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise BadFile(name, "", f"this is not JSON that can be used: {error}.") from None
    return JsonFile(name, data, _lines(text, name))


def _refuse_constant(constant: str) -> None:
    raise ValueError(f"{constant} is not a number")


def _lines(text: str, name: str) -> dict[Place, int]:
    """The line where each value stands; a key that stands twice is refused."""
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
                raise BadFile(name, path_text(place), "this key stands twice.", line)
            lines[place] = line
        else:
            lines[tuple(level[1] for level in stack)] = line
            if word in "{[":
                stack.append([word, 0 if word == "[" else None])
                after_colon = word == "["
    return lines


def plain(error: Any) -> str:
    """Pydantic's message as a sentence's end, without its programmer's prefix."""
    text = str(error["msg"]).removeprefix("Value error, ").removeprefix("Input ")
    return text if text[:2].isupper() else text[:1].lower() + text[1:]


def path_text(place: Sequence[str | int]) -> str:
    """`stations[3].links.taxi[0]`"""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text
