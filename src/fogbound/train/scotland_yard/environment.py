"""Thousands of matches at once, from a learner's point of view: numbers in, answers out, rewards back.

The matches are dealt out to lanes, a thread each. What happens in a match depends on the seed and
its number only, not on how many lanes there are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fogbound.games.scotland_yard import planes
from fogbound.games.scotland_yard.game import ScotlandYard
from fogbound.train.scotland_yard import shard as lanes
from fogbound.train.scotland_yard.opponents import Player, player
from fogbound.train.scotland_yard.shard import LEARNER, OPPONENT, PARTNER, Rewards

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True)
class Cast:
    """Who plays: the learner's seats, who plays a detective that he does not play, and his opponents."""

    side: int
    seats: Sequence[int]
    partner: str
    opponents: Sequence[str]

    def roles(self, game: ScotlandYard) -> list[int]:
        mine = [LEARNER if seat in self.seats else PARTNER for seat in range(game.seats)]
        return [role if game.side_of[seat] == self.side else OPPONENT for seat, role in enumerate(mine)]


class Arena:
    """Matches that all wait for the learner's answer."""

    def __init__(
        self, game: ScotlandYard, cast: Cast, code: tuple[str, str], rewards: Rewards, matches: int, threads: int, seed: int
    ) -> None:
        self.game, self.rewards, self.matches = game, rewards, matches
        self.coding = planes.coding(game, *code)
        self.features = np.zeros((matches, self.coding.inputs), np.float32)
        self.mask = np.zeros((matches, self.coding.answers), np.uint8)
        self.reward = np.zeros(matches, np.float32)
        self.done = np.zeros(matches, np.uint8)
        roles = cast.roles(game)
        bounds = np.linspace(0, matches, min(threads, matches) + 1).astype(int)
        self.parts = [slice(a, b) for a, b in itertools.pairwise(bounds)]
        self.lanes = [
            lanes.make_lane(game, seed, part.start, part.stop - part.start, roles, len(cast.opponents))
            for part in self.parts
        ]
        self.players = [_players(game, cast, roles, seed, part.stop - part.start) for part in self.parts]
        self.codings = [planes.coding(game, *code) for _ in self.parts]
        self.pool = ThreadPoolExecutor(len(self.parts)) if len(self.parts) > 1 else None

    def start(self) -> None:
        """Begin all matches and play on to the learner's first decision."""
        self._each(self._start)

    def step(self, answers: NDArray[np.int64]) -> None:
        """Play the learner's answers, and on to his next decisions; see `reward`, `done`, `features`, `mask`."""
        self._each(lambda i: self._step(i, answers[self.parts[i]]))

    def tally(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Matches that ended, and how many the learner won, by opponent."""
        return np.sum([lane.played for lane in self.lanes], axis=0), np.sum([lane.won for lane in self.lanes], axis=0)

    def snapshot(self) -> Arrays:
        """All matches, however they are dealt out to lanes."""
        arrays: Arrays = {"features": self.features.copy(), "mask": self.mask.copy()}
        for name in lanes.BY_MATCH:
            rows = np.concatenate([getattr(lane, name) for lane in self.lanes])
            arrays[name] = np.frombuffer(rows.tobytes(), np.uint8) if name == "states" else rows
        arrays["played"], arrays["won"] = self.tally()
        for part in self.players[0]:
            kept = [players[part].snapshot() for players in self.players]
            arrays |= {f"player{part}.{name}": np.concatenate([each[name] for each in kept]) for name in kept[0]}
        return arrays

    def restore(self, arrays: Arrays) -> None:
        self.features[:], self.mask[:] = arrays["features"], arrays["mask"]
        for i, (lane, rows) in enumerate(zip(self.lanes, self.parts, strict=True)):
            for name in lanes.BY_MATCH:
                whole = arrays[name]
                if name == "states":
                    whole = np.frombuffer(whole.tobytes(), self.game.rules.state)
                getattr(lane, name)[...] = whole[rows]
            lane.played[:], lane.won[:] = (arrays["played"], arrays["won"]) if i == 0 else (0, 0)
            for part, one in self.players[i].items():
                start = f"player{part}."
                kept = {name.removeprefix(start): value for name, value in arrays.items() if name.startswith(start)}
                one.restore({name: value[rows] for name, value in kept.items()})

    def _each(self, work: Any) -> None:
        if self.pool is None:
            work(0)
        else:
            list(self.pool.map(work, range(len(self.parts))))

    def _start(self, i: int) -> None:
        lanes.begin(self.game.table, self.lanes[i], True, self.matches)
        self._others(i)
        self._look(i)

    def _step(self, i: int, answers: NDArray[np.int64]) -> None:
        part, lane, table = self.parts[i], self.lanes[i], self.game.table
        lanes.act(table, self.codings[i], lane, answers, self.rewards)
        self._others(i)
        lanes.settle(table, lane, self.rewards, self.reward[part], self.done[part])
        self._look(i)

    def _look(self, i: int) -> None:
        lane, table = self.lanes[i], self.game.table
        while lanes.begin(table, lane, False, self.matches):
            self._others(i)
        lanes.look(table, self.codings[i], lane, self.features[self.parts[i]], self.mask[self.parts[i]])

    def _others(self, i: int) -> None:
        while lanes.waiting(self.game.table, self.lanes[i]):
            for part, one in self.players[i].items():
                one.drive(self.lanes[i], part)


def _players(game: ScotlandYard, cast: Cast, roles: Sequence[int], seed: int, matches: int) -> dict[int, Player]:
    """The players of a lane by their parts."""
    found = {OPPONENT + k: player(game, spec, 1 - cast.side, seed, matches) for k, spec in enumerate(cast.opponents)}
    if PARTNER in roles:
        found[PARTNER] = player(game, cast.partner, cast.side, seed, matches)
    return found
