"""Settings from TOML files or from Python; every error names the file, the line and what would be right."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from fogbound.core.errors import BadFile, FogboundError, printable
from fogbound.core.files import read_text
from fogbound.core.jsonfile import path_text, plain

Model = TypeVar("Model", bound=BaseModel)


@dataclass(frozen=True)
class Source:
    """Where settings came from, so that errors can name the file and the line."""

    name: str
    text: str = ""

    def problem(self, place: Sequence[str | int], sentence: str, quoted: str | None = None) -> FogboundError:
        """An error about one setting; `quoted` is a text value to look for."""
        if not self.text:
            return FogboundError(f"In {self.name}, at {path_text(place)}: {sentence}")
        return BadFile(self.name, path_text(place), sentence, self._line(str(place[0]) if place else "", quoted))

    def _line(self, key: str, quoted: str | None) -> int | None:
        rows = list(enumerate(self.text.splitlines(), 1))
        if quoted is not None:
            for number, row in rows:
                if f'"{quoted}"' in row or f"'{quoted}'" in row:
                    return number
        pattern = rf"\s*(\[+\s*)?[\"']?{re.escape(key)}[\"']?\s*[=\].]"
        return next((number for number, row in rows if key and re.match(pattern, row)), None)


def read(path: str | Path) -> tuple[dict[str, Any], Source]:
    """The data of a TOML file; BadFile says what is wrong and where."""
    name = printable(str(path))
    text = read_text(path)
    try:
        return tomllib.loads(text), Source(name, text)
    except RecursionError:
        raise BadFile(name, "", "this is nested too deeply.") from None
    except ValueError as error:  # TOML that is none, or a number with thousands of digits
        found = re.match(r"(.*) \(at line (\d+), column (\d+)\)", str(error))
        if not found:
            raise BadFile(name, "", f"this is not TOML: {error}.", len(text.splitlines())) from None
        raise BadFile(name, "", f"this is not TOML: {found[1]} (column {found[3]}).", int(found[2])) from None


def checked(model: type[Model], data: Mapping[str, Any], source: Source) -> Model:
    """Plain data as a model of settings; an error for the first thing that does not fit it."""
    for key in data:
        if key not in model.model_fields:
            close = get_close_matches(key, model.model_fields, n=1)
            hint = f" Did you mean “{close[0]}”?" if close else ""
            raise source.problem([key], f"there is no such setting.{hint} Allowed: {', '.join(model.model_fields)}.")
    try:
        return model.model_validate(dict(data))
    except ValidationError as error:
        first = error.errors()[0]
        place = [part for part in first["loc"] if part not in ("list[str]", "dict[str,str]")]
        sentence = plain(first)
        if not place:  # a check of several settings: blame the one that it mentions
            named = [key for key in model.model_fields if re.search(rf"\b{key}\b", sentence) and key in data]
            place = list(named[:1])
        elif place[0] in model.model_fields:
            about = model.model_fields[str(place[0])].description
            sentence = f"{sentence} ({place[0]}: {about})"
        raise source.problem(place, f"{sentence}.") from None


def written(model: BaseModel) -> str:
    """Settings as TOML, with a line of description above each."""
    lines = []
    for key, field in type(model).model_fields.items():
        value = getattr(model, key)
        lines += [f"# {field.description}", f"# {key} =" if value is None else f"{key} = {json.dumps(value)}", ""]
    return "\n".join(lines)
