"""The alpha-beta Mr X as a table, for boards without tickets to count: millions of games against him take seconds.

What he plays depends only on where everybody stands and, near the end, on the rounds left. So every
position is searched once, with the same search that `alphabeta` uses, and then looked up.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard import alphabeta_search as searches
from fogbound.agents.scotland_yard.alphabeta import EVALUATIONS, AlphaBeta
from fogbound.core.chance import untaped
from fogbound.core.compiled import kernel, program
from fogbound.core.errors import FogboundError
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import BLACK, DOUBLE, UNLIMITED, add, legal

MOST_POSITIONS = 2_000_000


class Params(NamedTuple):
    moves: NDArray[np.int16]  # [rounds left, Mr X and each detective]: his move
    most_left: int  # so many rounds left and more are the same to him


def mr_x_table(game: ScotlandYard, agent: AlphaBeta) -> Params:
    """Every move of an alpha-beta Mr X, searched once."""
    table, options = game.table, agent.options
    purse = table.tickets[0]
    if np.any((purse > 0) & (purse != UNLIMITED)) or purse[BLACK] or purse[DOUBLE] or options.evaluation == "belief":
        raise FogboundError(
            f"The alpha-beta Mr X of {game.spec} does not fit a table: it needs unlimited tickets and v1 to v4."
        )
    turns = options.depth or searches.LEAST_TURNS
    positions = table.stations ** (table.detectives + 1)
    most_left = turns + 2  # one more than he looks ahead: whether he is shut in afterwards counts too
    if positions * most_left > MOST_POSITIONS:
        raise FogboundError(f"{game.spec} has too many positions to search them all.")
    moves = np.full((most_left + 1, positions), -1, np.int16)
    workspace = searches.make_workspace(game, turns)
    state = np.zeros(1, game.rules.state)
    game.rules.reset(table, state[0], untaped(np.ones(4, np.uint64)))
    evaluation, each = EVALUATIONS.index(options.evaluation), agent.most_moves
    for left in range(1, most_left + 1):
        settings = searches.AlphaBetaSettings(evaluation, min(turns, left), 0, each, 0, game.paths.hops)
        _search_all(table, settings, workspace, state, left, options.nodes, game.most_actions, moves[left])
    return Params(moves, most_left)


@program
def _search_all(table, settings, workspace, state, left, nodes, most_actions, moves):
    codes, values = np.zeros(most_actions, np.int64), np.zeros(most_actions, np.int64)
    for position in range(moves.size):
        if not _put(table, state[0], position):
            continue
        state[0].round = table.rounds + 1 - left
        state[0].slot = 0
        state[0].turn = 0
        count = legal(table, state[0], codes)
        if count > 1:
            workspace.states[0] = state[0]
            searches.search_root(table, settings, workspace, 1, nodes, codes, values, False)
        moves[position] = codes[0]


@kernel
def _put(table, state, position):
    """Put the pieces of a position onto the board; whether they stand apart."""
    state.occupied[:] = np.uint64(0)
    for seat in range(table.detectives, -1, -1):
        state.station[seat] = position % table.stations
        position //= table.stations
        for other in range(seat + 1, table.detectives + 1):
            if state.station[other] == state.station[seat]:
                return False
        if seat > 0:
            add(state.occupied, state.station[seat])
    state.possible[:] = np.uint64(0)
    add(state.possible, state.station[0])
    return True


@kernel
def policy(table, params, view, seat, out, rng):
    """Mr X's move; only he is played by this table."""
    position = np.int64(0)
    for piece in range(table.detectives + 1):
        position = position * table.stations + view.station[piece]
    left = min(table.rounds - view.round + 1, params.most_left)
    return np.int64(params.moves[left, position])
