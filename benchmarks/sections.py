"""Sections of a document, each under a heading `### NAME`: some are replaced, all others stay as they are."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence


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


def name_of(section: str) -> str:
    """The whole heading, since a board's name may begin another's."""
    return section.partition("\n")[0].removeprefix("### ").strip()


def _with_room(sections: Mapping[str, str], name: str, order: Sequence[str]) -> dict[str, str]:
    """The sections with an empty one where it belongs."""
    names = list(sections)
    before = order[: order.index(name)] if name in order else names
    place = max((names.index(each) + 1 for each in before if each in sections), default=0)
    return {each: sections.get(each, "") for each in (*names[:place], name, *names[place:])}
