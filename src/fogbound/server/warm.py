"""Having a game's rules and agents compiled, in whichever process this is."""

from __future__ import annotations

import threading

from fogbound.core import registry
from fogbound.core.agent import Agent, Budget
from fogbound.core.compiled import compile_piece
from fogbound.core.contract import SPECTATOR, Game

MOVES_TRIED = 12
MOVES_PLAYED = 60  # of a game in which an agent meets all that is decided in one: the set-up, then whole turns
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
    """Let an agent choose the first move of a game; first what needs no rules, which another process may be compiling."""
    for piece in _quick(game, spec, 0).pieces(0):
        compile_piece(piece)
    match = game.new(seed=1)
    _quick(game, spec, match.to_move).choose(match.view(match.to_move))


def compile_pieces(game: Game, spec: str) -> None:
    """Compile pieces of an agent from the other end, while another process compiles it."""
    for piece in reversed(_quick(game, spec, 0).pieces(0)):
        compile_piece(piece)


def play_on(game: Game, spec: str) -> None:
    """Let an agent play for everybody, so that what only later moves need is compiled too."""
    match = game.new(seed=1)
    agents = [_quick(game, spec, seat) for seat in range(game.seats)]
    for _ in range(MOVES_PLAYED):
        if match.over:
            return
        match.play(agents[match.to_move].choose(match.view(match.to_move)).action)


def _quick(game: Game, spec: str, seat: int) -> Agent:
    """An agent that moves at once, however long it would think."""
    agent = registry.agent(spec, game, side=game.side_of[seat])
    if isinstance(agent.options, Budget) and agent.options.seconds is not None:
        agent.options = agent.options.model_copy(update={"seconds": AT_ONCE})
    return agent
