"""Q-learning for two detectives, slow and plain: dictionaries, one game after another, the same random streams."""

from __future__ import annotations

from typing import Any

import numpy as np

from fogbound.core import registry
from fogbound.core.chance import untaped
from fogbound.core.rng import below, stream, unit

Key = tuple[int, int, int, int, int]


class PlainTable:
    """values[first, other, seen, wait, second][move] of canonical positions; a move is a number as in the learner."""

    def __init__(self, game: Any, options: Any) -> None:
        self.game, self.options = game, options
        self.size = round(len(game.numbers) ** 0.5)
        self.values: dict[Key, dict[int, np.float32]] = {}
        self.mr_x: Any = registry.agent(options.opponent, game, options.seed)
        self.chance = untaped(stream(options.seed, "q-table game"))
        self.rng = stream(options.seed, "q-table choices")
        self.opponent_words = stream(options.seed, "q-table opponent")

    def neighbours(self, station: int) -> list[int]:
        n, (y, x) = self.size, divmod(station, self.size)
        return sorted(b * n + a for a, b in ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)) if 0 <= a < n and 0 <= b < n)

    def turns(self) -> list[list[int]]:
        """The board as it lies, and if symmetries are folded its turns and mirrors, in ascending order."""
        n = self.size
        found = [list(range(n * n))]
        if self.options.symmetry:
            grid = np.arange(n * n).reshape(n, n)
            shapes = [np.rot90(side, k) for side in (grid, grid.T) for k in range(4)]
            found = sorted(shape.ravel().tolist() for shape in shapes)
        return [[*each, n * n] for each in found]

    def canonical(self, first: int, other: int, seen: int, wait: int, second: int) -> tuple[Key, list[int]]:
        seen = seen if seen >= 0 else self.size**2
        turned = min(self.turns(), key=lambda t: (t[seen], t[first], t[other]))
        return (turned[first], turned[other], turned[seen], wait, second), turned

    def moves(self, key: Key) -> list[int]:
        """Moves of a position: one detective's step, or both detectives' steps, as numbers in base 4."""
        first, other = key[:2]
        steps = [(k, end) for k, end in enumerate(self.neighbours(first)) if end != other]
        if self.options.shared:
            return [k for k, _ in steps]
        return [4 * k + j for k, end in steps for j, last in enumerate(self.neighbours(other)) if last != end]

    def best(self, key: Key) -> tuple[int, np.float32]:
        known = self.values.setdefault(key, {move: np.float32(0) for move in self.moves(key)})
        move = max(sorted(known), key=lambda each: known[each])
        return move, known[move]

    def play(self, games: int, share: float) -> None:
        options = self.options
        alpha = options.alpha + share * (options.last_alpha - options.alpha)
        epsilon = options.epsilon + share * (options.last_epsilon - options.epsilon)
        for _ in range(games):
            self._game(alpha, epsilon)

    def _game(self, alpha: float, epsilon: float) -> None:
        rules, table, options = self.game.rules, self.game.table, self.options
        state = self.game.blank()
        rules.reset(table, state, self.chance)
        last: tuple[Key, int] | None = None
        reward = 0.0
        while state["turn"] >= 0:
            seat = int(state["turn"])
            if seat == 0:
                out = np.zeros(self.game.most_actions, np.int64)
                move = self.mr_x.policy(table, self.mr_x.policy_params, state.copy(), 0, out, self.opponent_words)
                if options.slips and unit(self.opponent_words) < options.slips:
                    legal = self.game.legal(state)
                    move = legal[below(self.opponent_words, len(legal))]
                rules.apply(table, state, move, self.chance)
                if state["shown"] and state["turn"] >= 0 and options.reward != "end":
                    reward += self._at_reveal(state)
                continue
            first, other = int(state["station"][seat]), int(state["station"][3 - seat])
            wait = int(state["slot"] - state["seen_slot"])
            second = seat - 1 if options.shared else 0
            key, turned = self.canonical(first, other, int(state["last_seen"]), wait, second)
            move, worth = self.best(key)
            if last is not None:
                self._learn(last, alpha, reward + (options.gamma if seat == 1 else 1.0) * worth)
            explores = unit(self.rng) < epsilon
            if explores or (options.explore_below and sum(self.values[key].values()) < options.explore_below):
                move = self._any(key)
            last, reward = (key, move), 0.0
            steps = [move] if options.shared else [move // 4, move % 4]
            for piece, step in zip((first, other), steps, strict=False):
                end = turned.index(self.neighbours(turned[piece])[step])
                if state["turn"] > 0:
                    rules.apply(table, state, end, self.chance)  # there is one transport: a step's code is its end
        if last is not None:
            self._learn(last, alpha, reward + (options.win if state["winner"] == 1 else options.loss))

    def _learn(self, last: tuple[Key, int], alpha: float, target: float) -> None:
        key, move = last
        old = self.values[key][move]
        self.values[key][move] = np.float32(old + np.float32(alpha) * (np.float32(target) - old))

    def _any(self, key: Key) -> int:
        while True:
            move = int(below(self.rng, 4 if self.options.shared else 16))
            if move in self.moves(key):
                return move

    def _at_reveal(self, state: Any) -> float:
        n = self.size
        (y, x), *others = (divmod(int(state["station"][seat]), n) for seat in range(3))
        ways = sorted(abs(y - b) + abs(x - a) for b, a in others)
        return float(-self.options.reveal_weight * (ways[0] + 0.5 * ways[1]) / (1.5 * 2 * (n - 1)))
