"""Alpha-beta's principal variations, searched once a position and cached, for small boards without tickets to count.

What alpha-beta plays there depends only on where everybody stands and, near the end, on the rounds left.
So training can play millions of games against it: a search the first time, a look-up from then on.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.scotland_yard import alphabeta_search as searches
from fogbound.agents.scotland_yard.alphabeta import EVALUATIONS, TURNS, AlphaBeta
from fogbound.core.compiled import kernel, program
from fogbound.core.errors import FogboundError
from fogbound.core.hashing import GOLDEN
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import UNLIMITED

ROOM = 1 << 16  # entries of a cache of lines, a power of two; it is cleared when half of them are taken
LONGEST = 32  # moves of a line
BEYOND = 2  # rounds after the horizon that still matter: whether Mr X is shut in afterwards counts too
MOST_POSITIONS = 20_000_000
ENOUGH = 1 << 40  # nodes that never run out
UNKNOWN = -1  # in place of a move that was not searched yet


class Search(NamedTuple):
    """How to search a line, and the arrays to write it to."""

    evaluation: int
    depth: int  # turns; 0 is to the next reveal, or TURNS
    deepest: int
    most_moves: int
    nodes: int
    hops: NDArray[np.int16]
    reveals: NDArray[np.int64]
    workspace: searches.Workspace
    moves: NDArray[np.int64]
    seats: NDArray[np.int64]
    stations: NDArray[np.int64]
    codes: NDArray[np.int64]
    values: NDArray[np.int64]


def is_cacheable(agent: AlphaBeta) -> bool:
    """Whether the lines of this agent depend on the position alone."""
    return agent.is_plain() and agent.is_small()


def _search_of(game: ScotlandYard, agent: AlphaBeta, longest: int) -> Search:
    options = agent.options
    return Search(
        EVALUATIONS.index(options.evaluation),
        options.depth or 0,
        agent.deepest,
        agent.most_moves,
        options.nodes,
        game.paths.hops,
        np.array(game.board.reveals(), np.int64),
        agent.workspace,
        *(np.zeros(longest, np.int64) for _ in range(3)),
        *(np.zeros(game.most_actions, np.int64) for _ in range(2)),
    )


@program
def _line(table, search, state, side, turns, left):
    """Search the line from a position; how many moves. Where the nodes run out, it is that of the nearest turn."""
    for horizon, nodes in ((turns, np.int64(search.nodes)), (np.int64(1), np.int64(ENOUGH))):
        search.workspace.states[0] = state
        search.workspace.states[0].slot = 0  # so that searches at other times find this one in the transposition table
        search.workspace.states[0].round = table.rounds + 1 - left
        reach = max(horizon, searches.LEAST_TURNS)
        settings = searches.AlphaBetaSettings(
            search.evaluation, horizon, side, search.most_moves, 0, search.hops, reach, np.int64(0)
        )
        length = searches.principal_variation(
            table,
            settings,
            search.workspace,
            nodes,
            search.moves,
            search.seats,
            search.stations,
            search.codes,
            search.values,
        )
        if length > 0:
            return length
    return 0


# Mr X searches anew every turn: only the first move of a line matters.


class MrXMoves(NamedTuple):
    search: Search
    moves: NDArray[np.int16]  # [rounds left, stations of Mr X and the detectives as one number]


def mr_x_moves(game: ScotlandYard, agent: AlphaBeta) -> MrXMoves:
    """The moves of an alpha-beta Mr X, none of them searched yet."""
    tickets = game.table.tickets
    if not agent.is_plain() or np.any((tickets > 0) & (tickets != UNLIMITED)):
        raise FogboundError(
            f"The moves of the alpha-beta Mr X on {game.spec} cannot be cached: "
            "that needs unlimited tickets, an evaluation from v1 to v4, turns rather than plies, and no random ties."
        )
    most_left = (agent.options.depth or TURNS) + BEYOND
    positions = game.table.stations ** (game.table.detectives + 1)
    if positions * most_left > MOST_POSITIONS:
        raise FogboundError(f"{game.spec} has too many positions for a cache of alpha-beta's moves.")
    return MrXMoves(_search_of(game, agent, 1), np.full((most_left + 1, positions), UNKNOWN, np.int16))


@kernel
def policy(table, params, view, seat, out, rng):
    """The move of Mr X, who alone is played by this policy."""
    position = np.int64(0)
    for piece in range(table.detectives + 1):
        position = position * table.stations + view.station[piece]
    left = min(np.int64(table.rounds - view.round + 1), params.moves.shape[0] - 1)
    if params.moves[left, position] == UNKNOWN:
        turns = min(np.int64(params.search.depth if params.search.depth > 0 else TURNS), left)
        _line(table, params.search, view, np.int64(0), turns, left)
        params.moves[left, position] = params.search.moves[0]
    return np.int64(params.moves[left, position])


# The detectives follow a line to the next reveal.


class Lines(NamedTuple):
    """Lines by position: a hash table with open addressing."""

    search: Search
    keys: NDArray[np.uint64]
    lengths: NDArray[np.int64]
    moves: NDArray[np.int16]  # [entry, move]
    seats: NDArray[np.int8]
    stations: NDArray[np.int16]
    taken: NDArray[np.int64]  # [entries in use]


def detective_lines(game: ScotlandYard, agent: AlphaBeta) -> Lines:
    """An empty cache of lines."""
    return Lines(
        _search_of(game, agent, LONGEST),
        np.zeros(ROOM, np.uint64),
        np.zeros(ROOM, np.int64),
        np.zeros((ROOM, LONGEST), np.int16),
        np.zeros((ROOM, LONGEST), np.int8),
        np.zeros((ROOM, LONGEST), np.int16),
        np.zeros(1, np.int64),
    )


@program
def find(table, lines, state):
    """The entry of the line from a position in which everything is seen."""
    left = np.int64(table.rounds - state.round + 1)
    turns = max(np.int64(1), min(_horizon(lines.search, state), left, np.int64(lines.search.deepest)))
    left = min(left, turns + BEYOND)
    key = _key(table, state, turns, left)
    if lines.taken[0] > ROOM // 2:
        lines.keys[:] = 0
        lines.taken[0] = 0
    entry = np.int64((key * GOLDEN) >> np.uint64(32)) % ROOM
    while lines.keys[entry] != 0:
        if lines.keys[entry] == key:
            return entry
        entry = (entry + 1) % ROOM
    lines.taken[0] += 1
    lines.keys[entry] = key
    length = _line(table, lines.search, state, np.int64(1), turns, left)
    lines.lengths[entry] = length
    for i in range(length):
        lines.moves[entry, i], lines.seats[entry, i] = lines.search.moves[i], lines.search.seats[i]
        lines.stations[entry, i] = lines.search.stations[i]
    return entry


@kernel
def _horizon(search, state):
    """How many turns the detectives look ahead: to the next reveal, if no depth is given."""
    if search.depth > 0:
        return np.int64(search.depth)
    for reveal in search.reveals:
        if reveal > state.slot:
            return np.int64(reveal - state.slot)
    return np.int64(TURNS)


@kernel
def _key(table, state, turns, left):
    key = np.uint64(state.turn) | np.uint64(turns) << np.uint64(4) | np.uint64(left) << np.uint64(8)
    for seat in range(table.detectives + 1):
        key |= np.uint64(state.station[seat]) << np.uint64(16 + 9 * seat)
    return key | np.uint64(1) << np.uint64(63)  # never 0, which marks a free entry
