"""Having the rules compiled before somebody waits for them, and knowing whether they are."""

from __future__ import annotations

import sys
from contextlib import suppress

from fogbound.core import registry
from fogbound.core.contract import Game
from fogbound.core.errors import FogboundError
from fogbound.server.levels import levels

COURTEOUS = 0.0005  # seconds after which compiling lets others have a turn
_ready: set[str] = set()


def is_ready(family: str) -> bool:
    return family in _ready


def warm_up() -> None:
    """Compile (or load) what a first game of each family needs, so that nobody waits; then what thinks longer."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(COURTEOUS)
    for name in registry.families():
        with suppress(FogboundError):
            _try_out(registry.game(name), slice(0, 2))
        _ready.add(name)
    for name in registry.families():
        with suppress(FogboundError):
            _try_out(registry.game(name), slice(2, 3))
    sys.setswitchinterval(usual)


def _try_out(game: Game, which: slice) -> None:
    """Let some levels choose a move, and play one."""
    match = game.new(seed=1)
    for level in levels(game)[which]:
        side = game.side_of[match.to_move]
        registry.agent(level.agent, game, side=side).choose(match.view(match.to_move))
    match.play(match.legal()[0])
