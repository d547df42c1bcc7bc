"""The errors that a user can meet; each says in one sentence what is wrong."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST_MESSAGE = 2000  # letters: what is quoted from outside may have any length


def printable(text: str) -> str:
    """Text on one line, with escapes for what cannot be printed."""
    return text if text.isprintable() else "".join(map(_escaped, text))


def _escaped(letter: str) -> str:
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode()


def short(word: str, most: int = 40) -> str:
    """A name from outside, short enough to be part of a sentence."""
    plain = printable(word[:most])
    return plain if len(word) <= most and len(plain) <= most else plain[: most - 1] + "…"


class FogboundError(Exception):
    """Base of every error that the user can put right; its text is the whole message, one line of bounded length."""

    def __init__(self, message: str = "") -> None:
        super().__init__(short(message, LONGEST_MESSAGE))


class UnknownName(FogboundError):
    """A game, board, option, agent or file that does not exist."""

    def __init__(self, kind: str, name: str, known: Iterable[str], of: str = "") -> None:
        names = sorted(known)
        close = get_close_matches(name[:100].lower(), names, n=1, cutoff=0.5)
        hint = f" Did you mean “{close[0]}”?" if close else ""
        listed = ", ".join(names) if names else "none"
        where = f" {of}" if of else ""
        super().__init__(f"There is no {kind} “{short(name, 100)}”{where}.{hint} Available: {listed}.")


class BadOption(FogboundError):
    """An option with a value that is not allowed."""


class IllegalMove(FogboundError):
    """A move that the rules do not allow; the match is unchanged."""


class BadFile(FogboundError):
    """A mistake in a file: where it is, and what would be right. `others` are those that were found besides."""

    others: tuple[BadFile, ...] = ()

    def __init__(self, file: str, place: str, sentence: str, line: int | None = None) -> None:
        self.file, self.place, self.sentence, self.line = file, place, sentence, line
        at = f", line {line}" if line else ""
        where = f", at {place}" if place else ""
        super().__init__(f"{file}{at}{where}: {sentence}")


class DamagedRecord(FogboundError):
    """A saved game that cannot be replayed."""
