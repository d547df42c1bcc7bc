"""What can go wrong, each said in one sentence that a newcomer understands."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


class FogboundError(Exception):
    """Base of every error that is the user's to mend; its text is the whole message."""


class UnknownName(FogboundError):
    """A game, board, option, agent or file that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        names = sorted(known)
        close = get_close_matches(name.lower(), names, n=1, cutoff=0.5)
        hint = f" Did you mean “{close[0]}”?" if close else ""
        listed = ", ".join(names) if names else "none"
        super().__init__(f"There is no {kind} “{name}”.{hint} What exists: {listed}.")


class BadOption(FogboundError):
    """An option whose value cannot be."""


class IllegalMove(FogboundError):
    """A move that the rules refuse; the match is unchanged."""


class BadFile(FogboundError):
    """A file with something wrong in it: where, and what would be right."""

    def __init__(self, file: str, place: str, sentence: str, line: int | None = None) -> None:
        self.file, self.place, self.sentence, self.line = file, place, sentence, line
        at = f", line {line}" if line else ""
        where = f", at {place}" if place else ""
        super().__init__(f"{file}{at}{where}: {sentence}")


class DamagedRecord(FogboundError):
    """A saved game that does not replay."""
