"""Sections of a document, each under a heading `### NAME`: some are replaced, all others stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

NOT_PLAYED = "not played"


def put(document: str, made: Mapping[str, str], order: Sequence[str]) -> str:
    """The document with these sections, by name; a new one comes after those that precede it in the order, else last."""
    head, *parts = re.split(r"^(?=### )", document, flags=re.MULTILINE)
    sections = {name_of(part): part for part in parts}
    for name, section in made.items():
        if name not in sections:
            sections = _with_room(sections, name, order)
        sections[name] = section
    return "\n\n".join(part.strip("\n") for part in (head, *sections.values())) + "\n"


def head_of(document: str) -> str:
    """What stands before the first section."""
    return re.split(r"^### ", document, maxsplit=1, flags=re.MULTILINE)[0]


def section_of(document: str, name: str) -> str:
    """The section of this name; empty if there is none."""
    parts = re.split(r"^(?=### )", document, flags=re.MULTILINE)[1:]
    return next((part for part in parts if name_of(part) == name), "")


def name_of(section: str) -> str:
    """The whole heading, since a board's name may begin another's."""
    return section.partition("\n")[0].removeprefix("### ").strip()


def _with_room(sections: Mapping[str, str], name: str, order: Sequence[str]) -> dict[str, str]:
    """The sections with an empty one where it belongs."""
    names = list(sections)
    before = order[: order.index(name)] if name in order else names
    place = max((names.index(each) + 1 for each in before if each in sections), default=0)
    return {each: sections.get(each, "") for each in (*names[:place], name, *names[place:])}


def kept(made: str, before: str) -> str:
    """A board's section in which rows without games are those that stood there before, if the same agents play."""
    old = {_cells(line)[0]: line for line in before.splitlines() if line.startswith("| ")}
    agents, agents_before = _agents(made), _agents(before)
    lines = []
    for line in made.splitlines():
        cells = _cells(line) if line.startswith("| ") else [""]
        levels = cells[0].split(" over ")
        same = all(level in agents and agents[level] == agents_before.get(level) for level in levels)
        empty = cells[-1] in ("", NOT_PLAYED)
        lines.append(old[cells[0]] if same and empty and cells[0] in old else line)
    return "\n".join(lines) + "\n"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip("|").split("|")]


def _agents(section: str) -> dict[str, str]:
    """Who plays each level, by the first table."""
    rows = [_cells(line) for line in section.splitlines() if line.startswith("| ")]
    return {cells[0]: cells[1] for cells in rows if len(cells) == 4 and cells[1].startswith("`")}
