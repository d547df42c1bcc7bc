"""Matches whose positions are told to the graph net: the kernel that tells them in play writes its bytes here, too.

So training and play cannot differ, and what is legal is asked of the rules. Behind what a net is told stand numbers for
the critic, who sees Mr X and knows who plays.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from fogbound.agents.scotland_yard.graph_features import FIGURES, FULL, WHOLE, ground_of, tell
from fogbound.core.compiled import kernel, program
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.games.scotland_yard.rules import conceal, legal
from fogbound.train.scotland_yard.selfplay_matches import KINDS, WIDTH, Matches, Pairing

TRUE_MR_X, NEAR_TRUE = FIGURES, FIGURES + 1  # of a station: whether Mr X is there, and how close it is to him
ALL_FIGURES = FIGURES + 2
ALL_WHOLE = WHOLE + 2 * len(KINDS)  # who plays Mr X, and who the detectives
NO_MOVE = -1


class ToldMatches(Matches):
    """Matches on several boards, told for `stations` of them each: those that a smaller board has not are all zeros."""

    def __init__(
        self,
        games: Sequence[ScotlandYard],
        each: int,
        pairings: Sequence[Pairing],
        threads: int,
        seed: int,
        stations: int,
        pinned: bool,
        taken_over: bool = False,
    ) -> None:
        super().__init__(games, each, pairings, 1, threads, seed, taken_over)
        self.grounds = [ground_of(game) for game in games]
        room = max(game.most_actions for game in games)

        def zeros(kind: torch.dtype, *shape: int) -> torch.Tensor:
            return torch.zeros(len(games), each, *shape, dtype=kind, pin_memory=pinned)

        self.rows = zeros(torch.uint8, WIDTH)
        self.nodes = zeros(torch.uint8, stations, ALL_FIGURES)
        self.whole = zeros(torch.uint8, ALL_WHOLE)
        self.moves = zeros(torch.int16, room)
        self.picked = zeros(torch.int16)  # codes of the moves that were decided on
        self._flat = [_flat(tensor) for tensor in (self.rows, self.nodes, self.whole, self.moves, self.picked)]
        self._work: list[Future[None]] = []
        self.begin(self._flat[0])

    def go(self) -> None:
        """Play what was picked, in threads; see `finish`."""
        self._work = self.submit(self._flat[4], self._flat[0])

    def finish(self) -> None:
        self.wait(self._work)
        self._work = []

    def _advance(self, part: int, actions: NDArray[np.int16], rows: NDArray[np.uint8], begin: bool) -> None:
        super()._advance(part, actions, rows, begin)
        i, mine, shard = self.parts[part]
        nodes, whole, moves = (array[mine] for array in self._flat[1:4])
        tell_all(self.games[i].table, self.grounds[i], shard, nodes, whole, moves)


def _flat(tensor: torch.Tensor) -> NDArray[Any]:
    """[match, ...], in the same memory."""
    array: NDArray[Any] = tensor.numpy()
    return array.reshape(-1, *array.shape[2:])


@program
def tell_all(table, ground, shard, nodes, whole, moves):
    """What the seat to move of every match is told, and its legal moves."""
    for g in range(shard.states.size):
        shard.seen[0] = shard.states[g]
        view = shard.seen[0]
        seat = np.int64(view.turn)
        conceal(table, view, seat)
        tell(table, ground, view, seat, nodes[g], whole[g])
        _tell_critic(table, ground, shard, g, nodes[g], whole[g])
        count = legal(table, view, shard.out)
        moves[g, :] = NO_MOVE
        for i in range(count):
            moves[g, i] = shard.out[i]


@kernel
def _tell_critic(table, ground, shard, g, nodes, whole):
    mr_x = shard.states[g].station[0]
    nodes[mr_x, TRUE_MR_X] = FULL
    for station in range(table.stations):
        nodes[station, NEAR_TRUE] = ground.near[mr_x, station]
    for side in range(2):
        whole[WHOLE + side * len(KINDS) + shard.kinds[g, side]] = FULL
