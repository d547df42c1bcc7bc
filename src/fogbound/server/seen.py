"""What is sent about a table: whole at first, then only what has changed, each text made once for all who see the same.

A table's *edition* grows with every change. A picture holds what one audience sees, field by field, each with the
edition in which it became so. What is new since an edition is then what has a later one. The game's own state, the
field `view`, is taken apart in the same way: what a long game piles up in it goes out only when it changes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CHAT_SHOWN = 100
VIEW = "view"


@dataclass(frozen=True)
class Audience:
    """All who see the same."""

    seat: int
    """Whose eyes they look with."""
    hand_over: int | None
    """The seat that has to take over a shared screen first."""
    mine: tuple[int, ...]
    held: tuple[int, ...]
    """Seats where an agent plays for them while they are away."""
    over: bool
    reading: int
    """How often the table was read anew: what was sent before then may not fit any more."""


@dataclass
class Part:
    """One encoded value, and the edition in which it became so."""

    text: str
    edition: int
    side: int | None = None
    """Of a line of chat: the only side that may read it."""


@dataclass
class Picture:
    """What one audience sees."""

    edition: int = -1
    fields: dict[str, Part] = field(default_factory=dict)
    view: dict[str, Part] = field(default_factory=dict)
    view_from: int = -1
    """The edition since which the view has had these names."""
    history: list[Part] = field(default_factory=list)
    _texts: dict[int | None, str | None] = field(default_factory=dict)

    def update(self, edition: int, fields: Mapping[str, Any], new_moves: Iterable[Mapping[str, Any]]) -> None:
        view = fields.get(VIEW, {})
        if view.keys() != self.view.keys():
            self.view, self.view_from = {}, edition
        _note(self.fields, {name: value for name, value in fields.items() if name != VIEW}, edition)
        _note(self.view, view, edition)
        self.history += [Part(json.dumps(move), edition) for move in new_moves]
        self.edition = edition
        self._texts.clear()

    def take_back(self, moves: int) -> None:
        """Only so many moves are left."""
        del self.history[moves:]

    def whole(self, chat: Sequence[Part]) -> str:
        """The message `table`: all of it."""
        if None not in self._texts:
            parts = [*_named(self.fields), f'"{VIEW}": {{{", ".join(_named(self.view))}}}']
            lines = ", ".join(part.text for part in chat[-CHAT_SHOWN:])
            history = ", ".join(part.text for part in self.history)
            self._texts[None] = f'{{"type": "table", {", ".join(parts)}, "chat": [{lines}], "history": [{history}]}}'
        found = self._texts[None]
        assert found is not None
        return found

    def since(self, edition: int, moves: int, chat: Sequence[Part]) -> str | None:
        """The message `change`: what is new since an edition with so many moves; None if nothing is."""
        key = edition * 2**20 + moves
        if key not in self._texts:
            self._texts[key] = self._change(edition, moves, chat)
        return self._texts[key]

    def _change(self, edition: int, moves: int, chat: Sequence[Part]) -> str | None:
        fields, view = _named(self.fields, edition), _named(self.view, edition)
        if self.view_from > edition:
            fields.append(f'"{VIEW}": {{{", ".join(view)}}}')
        first = len(self.history)
        while first and self.history[first - 1].edition > edition:
            first -= 1
        parts = [f'"set": {{{", ".join(fields)}}}'] if fields else []
        if view and self.view_from <= edition:
            parts.append(f'"{VIEW}": {{{", ".join(view)}}}')
        if first < len(self.history) or first != moves:
            new = ", ".join(part.text for part in self.history[first:])
            parts.append(f'"history": {{"from": {first}, "moves": [{new}]}}')
        lines = [part.text for part in chat if part.edition > edition]
        if lines:
            parts.append(f'"chat": [{", ".join(lines[-CHAT_SHOWN:])}]')
        return f'{{"type": "change", {", ".join(parts)}}}' if parts else None


def _note(parts: dict[str, Part], values: Mapping[str, Any], edition: int) -> None:
    """Encode what is different from before."""
    for name, value in values.items():
        text = json.dumps(value)
        if name not in parts or parts[name].text != text:
            parts[name] = Part(text, edition)


def _named(parts: Mapping[str, Part], since: int = -1) -> list[str]:
    """What became so after an edition, as members of a JSON object."""
    return [f"{json.dumps(name)}: {part.text}" for name, part in parts.items() if part.edition > since]
