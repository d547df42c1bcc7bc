"""Having a game's rules and agents compiled, in whichever process this is."""

from __future__ import annotations

import threading

from fogbound.core import registry
from fogbound.core.contract import SPECTATOR, Game

MOVES_TRIED = 12
_compiled: set[str] = set()
_compiling = threading.Lock()


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


def try_agent(game: Game, spec: str) -> None:
    """Let an agent choose the first move of a game."""
    match = game.new(seed=1)
    registry.agent(spec, game, side=game.side_of[match.to_move]).choose(match.view(match.to_move))
