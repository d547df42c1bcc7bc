"""What each game brings for the server and the page: its description, its answers to queries, its files."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import asdict
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any
from weakref import WeakKeyDictionary

from pydantic import ValidationError, validate_call

from fogbound.core import registry
from fogbound.core.compiled import cache_folder, source_digest
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.core.files import keep_text
from fogbound.core.jsonfile import names_file, plain
from fogbound.core.registry import Family, QuickStart
from fogbound.server.levels import default_level, levels
from fogbound.server.limits import Busy, Visitors
from fogbound.server.opponents import options_json

DRAWINGS_KEPT = 200
PLAIN = "/js/games/plain.js"  # draws any game that has no module of its own


@cache
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
        "drawing": kept_drawing(game),
        "facts": game.facts(),
        "levels": [asdict(level) for level in levels(game)],
        "default_level": default_level(game),
    }


def kept_drawing(game: Game) -> dict[str, Any]:
    """How a board is drawn; that of a shipped one is kept on disk, where the next process finds it at once."""
    if not game.shipped:
        return dict(game.drawing())
    made_of = source_digest(sys.modules[type(game).__module__].__file__ or ""), json.dumps(game.definition())
    file = cache_folder() / "drawings" / f"{hashlib.sha256(''.join(made_of).encode()).hexdigest()[:32]}.json"
    with suppress(OSError, ValueError):
        return dict(json.loads(file.read_text("utf-8")))
    found = dict(game.drawing())
    with suppress(OSError):
        keep_text(file, json.dumps(found), DRAWINGS_KEPT)
    return found


_boards: WeakKeyDictionary[Game, bytes] = WeakKeyDictionary()


def board_bytes(game: Game) -> bytes:
    """The same as it goes out; made once for a table."""
    if game not in _boards:
        _boards[game] = json.dumps(board_json(game)).encode()
    return _boards[game]


def safe_spec(spec: str) -> str:
    """Over the network only shipped boards are played: a file's name would read the server's files."""
    if names_file(registry.split_options(spec.partition("/")[2])[0]):
        raise FogboundError("Only boards that come with a game can be played here, not board files.")
    return spec


class Answers:
    """Boards, or answers of games, as they go out, those asked for last; what has to be made anew costs its visitor some
    of his share."""

    def __init__(self, visitors: Visitors, make: Callable[[str, str], Awaitable[bytes]], kept: int = 128) -> None:
        """`make` makes the answer to what is asked, for an address."""
        self.visitors, self.make, self.most = visitors, make, kept
        self.kept: dict[str, bytes] = {}

    async def of(self, asked: str, address: str) -> bytes:
        found = self.kept.pop(asked, None)
        if found is None:
            if not self.visitors.take(address):
                raise Busy("Too much had to be worked out for you; wait a moment.")
            found = await self.make(asked, address)
        self.kept[asked] = found
        if len(self.kept) > self.most:
            del self.kept[next(iter(self.kept))]  # the one not asked for for longest
        return found


def who_knows(query: str) -> str | None:
    """The first game that has such a query."""
    return next((name for name in registry.families() if query in registry.family(name).queries), None)


def answer(name: str, query: str, given: dict[str, str]) -> Any:
    """A game's answer to one of its queries."""
    place = registry.family(name).queries[query]
    try:
        return validate_call(registry.fetch(place))(**given)
    except ValidationError as error:
        first = error.errors()[0]
        raise FogboundError(f"{'.'.join(map(str, first['loc']))}: {plain(first)}.") from None


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
