"""Having a game's rules and agents compiled, in whichever process this is."""

from __future__ import annotations

import threading

from fogbound.core import registry
from fogbound.core.agent import Agent, Budget
from fogbound.core.compiled import compile_piece
from fogbound.core.contract import SPECTATOR, Game
from fogbound.core.view import View

MOVES_TRIED = 12
AT_ONCE = 0.001  # seconds
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
    agent, view = _at_the_start(game, spec)
    agent.choose(view)


def compile_pieces(game: Game, spec: str) -> None:
    """Compile some of what an agent's first move needs, while another process compiles the rest."""
    agent, view = _at_the_start(game, spec)
    for piece in agent.pieces(view):
        compile_piece(piece)


def _at_the_start(game: Game, spec: str) -> tuple[Agent, View]:
    """An agent that has to move at once, however long it would think."""
    match = game.new(seed=1)
    agent = registry.agent(spec, game, side=game.side_of[match.to_move])
    if isinstance(agent.options, Budget) and agent.options.seconds is not None:
        agent.options = agent.options.model_copy(update={"seconds": AT_ONCE})
    return agent, match.view(match.to_move)
