"""Having the rules compiled before somebody waits for them, and knowing whether they are."""

from __future__ import annotations

import asyncio
import threading

from fogbound.core import registry
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.levels import levels
from fogbound.server.thinking import NoAnswer, Terms, Thinkers

MOVES_TRIED = 12
QUICK, SEARCHING = (0, 3), (3, None)  # levels: those that answer at once, and those that think longer
_ready: set[str] = set()
_compiled: set[str] = set()
_compiling = threading.Lock()


def is_ready(family: str) -> bool:
    return family in _ready


def all_ready() -> bool:
    return _ready.issuperset(registry.families())


async def warm_up(thinkers: Thinkers) -> None:
    """Have each worker compile (or load) what games need; the first compiles, the others then find it on disk."""
    names = await asyncio.to_thread(registry.families)
    for place in range(thinkers.count):
        for first, last in (QUICK, SEARCHING):
            for name in names:
                try:
                    await thinkers.ask("warm", {"family": name, "first": first, "last": last}, Terms(place=place))
                except NoAnswer:
                    continue  # its worker was lost, and is logged there; a new one compiles when it has to
                _ready.add(name)


async def compile_when_asked() -> None:
    """Nothing is done in advance, and nobody is told to wait."""
    _ready.update(await asyncio.to_thread(registry.families))


def compile_rules(game: Game) -> None:
    """Have a family's rules compiled, in whichever thread this is: the event loop must never have to."""
    with _compiling:
        if game.family in _compiled:
            return
        match = game.new(seed=1)
        for _ in range(MOVES_TRIED):
            for seat in range(SPECTATOR, game.seats):
                game.public(match.view(seat).state)
            if match.over:
                break
            game.expected(match.state)
            match.play(match.legal()[0])
        match.revealed()
        game.scores(match.state)
        _compiled.add(game.family)


def try_levels(game: Game, first: int, last: int | None) -> None:
    """Let some levels choose a move."""
    compile_rules(game)
    match = game.new(seed=1)
    for level in levels(game)[first:last]:
        side = game.side_of[match.to_move]
        registry.agent(level.agent, game, side=side).choose(match.view(match.to_move))
