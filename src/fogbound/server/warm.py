"""Having the rules compiled before somebody waits for them, and knowing whether they are."""

from __future__ import annotations

import sys
from contextlib import suppress

from fogbound.core import registry
from fogbound.core.errors import FogboundError
from fogbound.server.levels import levels

COURTEOUS = 0.0005  # seconds after which compiling lets others have a turn
_ready: set[str] = set()


def is_ready(family: str) -> bool:
    return family in _ready


def warm_up() -> None:
    """Compile (or load) what a first game of each family needs, so that it does not have to wait."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(COURTEOUS)
    for name in registry.families():
        with suppress(FogboundError):
            game = registry.game(name)
            match = game.new(seed=1)
            for level in levels(game)[:2]:
                side = game.side_of[match.to_move]
                registry.agent(level.agent, game, side=side).choose(match.view(match.to_move))
            match.play(match.legal()[0])
        _ready.add(name)
    sys.setswitchinterval(usual)
