"""What each game brings for the server and the page: its description, its answers to queries, its files."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

from pydantic import ValidationError, validate_call

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.jsonfile import names_file, plain
from fogbound.core.registry import Family, QuickStart
from fogbound.server.levels import default_level, levels
from fogbound.server.limits import Busy, Visitors
from fogbound.server.opponents import options_json

PLAIN = "/js/games/plain.js"  # draws any game that has no module of its own


def family_json(name: str) -> dict[str, Any]:
    """A game with its boards, options and levels, and where the page finds its module."""
    family = registry.family(name)
    game = registry.game(name)
    quick = family.quick_start or QuickStart(f"{name}/{family.default_board}", 0, family.about)
    return {
        "name": family.name,
        "title": family.title,
        "about": family.about,
        "default_board": family.default_board,
        "boards": [{"name": board, "about": about, "spec": f"{name}/{board}"} for board, about in family.boards().items()],
        "options": options_json(family.options),
        "levels": [asdict(level) for level in levels(game)],
        "default_level": default_level(game),
        "quick_start": asdict(quick),
        "count": None if family.count is None else asdict(family.count),
        "module": module_address(family),
    }


def board_json(game: Game) -> dict[str, Any]:
    """A board's geometry, seats and facts, and the levels that play on it."""
    return {
        "spec": game.spec,
        "family": game.family,
        "seat_names": list(game.seat_names),
        "side_names": list(game.side_names),
        "side_of": list(game.side_of),
        "drawing": game.drawing(),
        "facts": game.facts(),
        "levels": [asdict(level) for level in levels(game)],
        "default_level": default_level(game),
    }


def safe_spec(spec: str) -> str:
    """Over the network only shipped boards are played: a file's name would read the server's files."""
    if names_file(registry.split_options(spec.partition("/")[2])[0]):
        raise FogboundError("Only boards that come with a game can be played here, not board files.")
    return spec


class Drawings:
    """Boards as they go out, those asked for last: one that has to be made anew costs its visitor some of his share."""

    def __init__(self, visitors: Visitors, draw: Callable[[str, str], Awaitable[bytes]], kept: int = 128) -> None:
        """`draw` makes the board of a spec for an address."""
        self.visitors, self.draw, self.kept = visitors, draw, kept
        self.boards: dict[str, bytes] = {}

    async def of(self, spec: str, address: str) -> bytes:
        drawn = self.boards.pop(spec, None)
        if drawn is None:
            if not self.visitors.take(address):
                raise Busy("Too many boards had to be drawn for you; wait a moment.")
            drawn = await self.draw(spec, address)
        self.boards[spec] = drawn
        if len(self.boards) > self.kept:
            del self.boards[next(iter(self.boards))]  # the one not asked for for longest
        return drawn


def answer(name: str, query: str, given: dict[str, str]) -> Any:
    """A game's answer to one of its queries; None if it has no such query."""
    place = registry.family(name).queries.get(query)
    if place is None:
        return None
    try:
        return validate_call(registry.fetch(place))(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise FogboundError(f"{'.'.join(map(str, first['loc']))}: {plain(first)}.") from None


def first_answer(query: str, given: dict[str, str]) -> Any:
    """The same from the first game that has such a query."""
    return next((answer(name, query, given) for name in registry.families() if query in registry.family(name).queries), None)


def module_address(family: Family) -> str:
    """Where the page finds the game's module."""
    if ":" not in family.page:
        return family.page or PLAIN
    return f"/games/{family.name}/{PurePosixPath(family.page.partition(':')[2]).name}"


def module_file(name: str, path: str) -> bytes | None:
    """A file beside the page module that a game brings in its own package; None if there is no such file."""
    package, _, module = registry.family(name).page.partition(":")
    inside = PurePosixPath(path)
    if not module or ".." in inside.parts or inside.suffix == ".py" or not path.isprintable():
        return None
    file = resources.files(package).joinpath(*PurePosixPath(module).parent.parts, *inside.parts)
    return file.read_bytes() if file.is_file() else None
