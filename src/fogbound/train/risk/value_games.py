"""Games of Risk in batches, and what the value net is told of them at the beginning of turns.

A batch is one map and one line-up of compiled players; core/batch.py's drivers play the sides' turns one after
the other in all games, and between them the positions are noted down.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from fogbound.agents.risk.evaluation import Params as Land
from fogbound.agents.risk.standing import FIGURES, GLOBALS, stand
from fogbound.core.batch import driver, scorer, starter
from fogbound.core.compiled import Kernel, program
from fogbound.core.rng import root, spread
from fogbound.games.risk.game import Risk
from fogbound.games.risk.table import SEATS, State, alive

NO_LOG = np.zeros((1, 0), np.int64)
NO_START = np.zeros((0, 0), np.int64)


class Player(NamedTuple):
    """A compiled policy with its parameters."""

    policy: Kernel
    params: Any


class Rows(NamedTuple):
    """Positions: what the net is told, and how the game ended."""

    figures: NDArray[np.float16]  # [row, seat, :]
    game: NDArray[np.float16]  # [row, :]
    living: NDArray[np.bool_]  # [row, seat]
    result: NDArray[np.float16]  # [row, seat]


def join(parts: Sequence[Rows]) -> Rows:
    return Rows(*(np.concatenate(each) for each in zip(*parts, strict=True)))


@program
def note(table, land, states, last, figures, game, living):
    """Note every game where a turn has begun; `last` is the turn (round and seat) noted last, by game."""
    noted = np.empty(states.size, np.int64)
    count = 0
    for g in range(states.size):
        state = states[g]
        turn = np.int64(state.round) * SEATS + state.turn
        if state.turn < 0 or state.round == 0 or turn == last[g]:
            continue
        last[g] = turn
        stand(table, land, state, figures[count], game[count])
        for seat in range(table.players):
            living[count, seat] = alive(state, seat)
        noted[count] = g
        count += 1
    return noted[:count]


def play(
    game: Risk,
    land: Land,
    players: Sequence[Player],
    setters: Sequence[Sequence[Player]],
    seed: int,
    games: int,
    most_rounds: int,
) -> tuple[Rows, float]:
    """The positions of so many games, and the share of the games that ended in time; the others leave nothing.

    Of a side's setters one, drawn by lot, makes each of its moves in the set-up; where there are none, the player does.
    """
    states = np.zeros(games, State)
    chance = spread(root(seed, "game"), 0, games)
    starter(game.rules.reset)(game.table, states, chance, NO_START)
    rng = [spread(root(seed, f"player {side}"), 0, games) for side in range(len(players))]
    side_of, moves, last = np.array(game.side_of, np.int64), np.zeros(games, np.int64), np.full(games, -1)
    parts: list[tuple[NDArray[Any], ...]] = []
    lots = np.random.default_rng(seed)
    while (states["turn"] >= 0).any() and states["round"][states["turn"] >= 0].min() <= most_rounds:
        for side in range(len(players)):
            player = players[side]
            if setters[side] and (states["round"] == 0).all():
                player = setters[side][int(lots.integers(len(setters[side])))]
            drive = driver(game.rules, player.policy)
            drive(game.table, player.params, states, side_of, side, rng[side], chance, moves, NO_LOG, game.most_actions)
            figures = np.zeros((games, SEATS, FIGURES), np.float32)
            whole, living = np.zeros((games, GLOBALS), np.float32), np.zeros((games, SEATS), np.bool_)
            noted = note(game.table, land, states, last, figures, whole, living)
            count = len(noted)
            parts.append((noted, figures[:count].astype(np.float16), whole[:count].astype(np.float16), living[:count]))
    scores = np.zeros((games, game.sides))
    scorer(game.rules.score)(game.table, states, scores)
    ended = states["turn"] < 0
    noted, figures, whole, living = (np.concatenate(each) for each in zip(*parts, strict=True))
    result = np.zeros((len(noted), SEATS), np.float16)
    result[:, : game.sides] = scores[noted]
    keep = ended[noted]
    return Rows(figures[keep], whole[keep], living[keep], result[keep]), float(ended.mean())
