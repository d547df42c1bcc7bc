"""The environment batch: many matches at once from a learner's point of view.

Features in, answers out, rewards back. The matches are split into shards, a thread each. What happens in
a match depends on the seed and its number only, not on how many shards there are.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.games.scotland_yard import planes
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train.scotland_yard import shard as shards
from fogbound.train.scotland_yard.opponents import Opponent, make_opponent
from fogbound.train.scotland_yard.shard import LEARNER, OPPONENT, PARTNER, Rewards

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class SeatAssignment:
    """Who plays which seats: the learner, the partner beside it, and the opponents, of whom each match draws one."""

    side: int
    seats: Sequence[int]
    partner: str
    opponents: Sequence[str]

    def roles(self, game: ScotlandYard) -> list[int]:
        """The role of every seat."""
        own = [LEARNER if seat in self.seats else PARTNER for seat in range(game.seats)]
        return [role if game.side_of[seat] == self.side else OPPONENT for seat, role in enumerate(own)]


class EnvironmentBatch:
    """Matches that all wait for the learner's answer."""

    def __init__(
        self,
        game: ScotlandYard,
        assignment: SeatAssignment,
        code: tuple[str, str],
        rewards: Rewards,
        matches: int,
        threads: int,
        seed: int,
        afterstates: bool = False,
    ) -> None:
        self.game, self.rewards, self.matches = game, rewards, matches
        self.coding = planes.coding(game, *code)
        self.features = np.zeros((matches, self.coding.inputs), np.float32)
        self.mask = np.zeros((matches, self.coding.answers), np.uint8)
        self.reward = np.zeros(matches, np.float32)
        self.done = np.zeros(matches, np.uint8)
        self.afterstates = np.zeros((matches if afterstates else 0, self.coding.inputs), np.float32)
        self.ended = np.zeros(matches, np.uint8)  # by the learner's own move; known with afterstates only
        roles = assignment.roles(game)
        bounds = np.linspace(0, matches, min(threads, matches) + 1).astype(int)
        self.rows = [slice(a, b) for a, b in itertools.pairwise(bounds)]
        sizes = [rows.stop - rows.start for rows in self.rows]
        self.shards = [
            shards.make_shard(game, seed, rows.start, size, roles, len(assignment.opponents))
            for rows, size in zip(self.rows, sizes, strict=True)
        ]
        self.opponents = [_opponents(game, assignment, roles, seed, size) for size in sizes]
        self.codings = [planes.coding(game, *code) for _ in self.rows]
        self.pool = ThreadPoolExecutor(len(self.rows)) if len(self.rows) > 1 else None

    def reset(self) -> None:
        """Begin all matches and play on to the learner's first decision."""
        self._in_each_shard(self._reset)

    def step(self, answers: NDArray[np.int64]) -> None:
        """Play the learner's answers, and on to its next decisions; see `reward`, `done`, `features`, `mask`."""
        self._in_each_shard(lambda i: self._step(i, answers[self.rows[i]]))

    def tally(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Finished matches, and how many of them the learner won, by opponent."""
        played, won = ([getattr(shard, name) for shard in self.shards] for name in ("played", "won"))
        return np.sum(played, axis=0), np.sum(won, axis=0)

    def snapshot(self) -> Arrays:
        """All matches in progress, however they are split into shards."""
        arrays: Arrays = {"features": self.features.copy(), "mask": self.mask.copy()}
        for name in shards.BY_MATCH:
            rows = np.concatenate([getattr(shard, name) for shard in self.shards])
            arrays[name] = np.frombuffer(rows.tobytes(), np.uint8) if name == "states" else rows
        arrays["played"], arrays["won"] = self.tally()
        for role in self.opponents[0]:
            saved = [opponents[role].snapshot() for opponents in self.opponents]
            arrays |= {f"player{role}.{name}": np.concatenate([each[name] for each in saved]) for name in saved[0]}
        return arrays

    def restore(self, arrays: Arrays) -> None:
        self.features[:], self.mask[:] = arrays["features"], arrays["mask"]
        for i, (shard, rows) in enumerate(zip(self.shards, self.rows, strict=True)):
            for name in shards.BY_MATCH:
                whole = arrays[name]
                if name == "states":
                    whole = np.frombuffer(whole.tobytes(), self.game.rules.state)
                getattr(shard, name)[...] = whole[rows]
            shard.played[:], shard.won[:] = (arrays["played"], arrays["won"]) if i == 0 else (0, 0)
            for role, opponent in self.opponents[i].items():
                prefix = f"player{role}."
                saved = {name.removeprefix(prefix): value for name, value in arrays.items() if name.startswith(prefix)}
                opponent.restore({name: value[rows] for name, value in saved.items()})

    def _in_each_shard(self, work: Callable[[int], None]) -> None:
        if self.pool is None:
            work(0)
        else:
            list(self.pool.map(work, range(len(self.rows))))

    def _reset(self, i: int) -> None:
        shards.begin_matches(self.game.table, self.shards[i], True, self.matches)
        self._play_others(i)
        self._observe(i)

    def _step(self, i: int, answers: NDArray[np.int64]) -> None:
        rows, shard, table = self.rows[i], self.shards[i], self.game.table
        movers = shard.states["turn"].astype(np.int64)
        shards.play_answers(table, self.codings[i], shard, answers, self.rewards)
        if self.afterstates.size:
            shards.write_afterstates(table, self.codings[i], shard, movers, self.afterstates[rows], self.ended[rows])
        self._play_others(i)
        shards.write_rewards(table, shard, self.rewards, self.reward[rows], self.done[rows])
        self._observe(i)

    def _observe(self, i: int) -> None:
        rows, shard, table = self.rows[i], self.shards[i], self.game.table
        while shards.begin_matches(table, shard, False, self.matches):
            self._play_others(i)
        shards.write_observations(table, self.codings[i], shard, self.features[rows], self.mask[rows])

    def _play_others(self, i: int) -> None:
        while shards.count_waiting(self.game.table, self.shards[i]):
            for role, opponent in self.opponents[i].items():
                opponent.drive(self.shards[i], role)


def _opponents(
    game: ScotlandYard, assignment: SeatAssignment, roles: Sequence[int], seed: int, matches: int
) -> dict[int, Opponent]:
    """The players of a shard besides the learner, by role."""
    found = {
        OPPONENT + k: make_opponent(game, spec, 1 - assignment.side, seed, matches)
        for k, spec in enumerate(assignment.opponents)
    }
    if PARTNER in roles:
        found[PARTNER] = make_opponent(game, assignment.partner, assignment.side, seed, matches)
    return found
