"""The errors that a user can meet; each says in one sentence what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class FogboundError(Exception):
    """Base of every error that the user can put right; its text is the whole message."""


class UnknownName(FogboundError):
    """A game, board, option, agent or file that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], of: str = "") -> None:
        names = sorted(known)
        close = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f" Did you mean “{close[0]}”?" if close else ""
        listed = ", ".join(names) if names else "none"
        where = f" {of}" if of else ""
        super().__init__(f"There is no {kind} “{name}”{where}.{hint} Available: {listed}.")


class BadOption(FogboundError):
    """An option with a value that is not allowed."""


class IllegalMove(FogboundError):
    """A move that the rules do not allow; the match is unchanged."""


class BadFile(FogboundError):
    """A mistake in a file: where it is, and what would be right."""

    def __init__(self, file: str, place: str, sentence: str, line: int | None = None) -> None:
        self.file, self.place, self.sentence, self.line = file, place, sentence, line
        at = f", line {line}" if line else ""
        where = f", at {place}" if place else ""
        super().__init__(f"{file}{at}{where}: {sentence}")


class DamagedRecord(FogboundError):
    """A saved game that cannot be replayed."""
