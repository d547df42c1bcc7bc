"""What is sent about a table: whole at first, then only what has changed, each text made once for all who see the same.

A table's *edition* grows with every change. A picture holds what one audience sees, field by field, each with the
edition in which it became so. What is new since an edition is then what has a later one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

CHAT_SHOWN = 100


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
    history: list[Part] = field(default_factory=list)
    _texts: dict[int | None, str | None] = field(default_factory=dict)

    def update(self, edition: int, fields: Mapping[str, Any], new_moves: Iterable[Mapping[str, Any]]) -> None:
        for name, value in fields.items():
            text = json.dumps(value)
            if name not in self.fields or self.fields[name].text != text:
                self.fields[name] = Part(text, edition)
        self.history += [Part(json.dumps(move), edition) for move in new_moves]
        self.edition = edition
        self._texts.clear()

    def take_back(self, moves: int) -> None:
        """Only so many moves are left."""
        del self.history[moves:]

    def whole(self, chat: Sequence[Part]) -> str:
        """The message `table`: all of it."""
        if None not in self._texts:
            parts = [f'"{name}": {part.text}' for name, part in self.fields.items()]
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
        fields = [f'"{name}": {part.text}' for name, part in self.fields.items() if part.edition > edition]
        first = len(self.history)
        while first and self.history[first - 1].edition > edition:
            first -= 1
        parts = [f'"set": {{{", ".join(fields)}}}'] if fields else []
        if first < len(self.history) or first != moves:
            new = ", ".join(part.text for part in self.history[first:])
            parts.append(f'"history": {{"from": {first}, "moves": [{new}]}}')
        lines = [part.text for part in chat if part.edition > edition]
        if lines:
            parts.append(f'"chat": [{", ".join(lines[-CHAT_SHOWN:])}]')
        return f'{{"type": "change", {", ".join(parts)}}}' if parts else None
