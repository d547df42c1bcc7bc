"""Having the rules compiled before somebody waits for them, and knowing whether they are."""

from __future__ import annotations

import sys
import threading
from contextlib import suppress

from fogbound.core import registry
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.errors import FogboundError
from fogbound.server.levels import levels

COURTEOUS = 0.0005  # seconds after which compiling lets others have a turn
MOVES_TRIED = 12
_ready: set[str] = set()
_compiled: set[str] = set()
_compiling = threading.Lock()


def is_ready(family: str) -> bool:
    return family in _ready


def warm_up() -> None:
    """Compile (or load) what a first game of each family needs, so that nobody waits; then what thinks longer."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(COURTEOUS)
    for name in registry.families():
        with suppress(FogboundError):
            _try_out(registry.game(name), slice(0, 3))
        _ready.add(name)
    for name in registry.families():
        with suppress(FogboundError):
            _try_out(registry.game(name), slice(3, None))
    sys.setswitchinterval(usual)


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


def _try_out(game: Game, which: slice) -> None:
    """Let some levels choose a move."""
    compile_rules(game)
    match = game.new(seed=1)
    for level in levels(game)[which]:
        side = game.side_of[match.to_move]
        registry.agent(level.agent, game, side=side).choose(match.view(match.to_move))
